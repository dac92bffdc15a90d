//! One or more valid packets of every format: seeds for damage.

use plimsoll_units::{Bytes, Rate, Span, Time};
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::csig::CsigTag;
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::header::{Ack, ByteRange, ConnectionId, Data, DataFlags, MessageId, PacketNumber};
use plimsoll_wire::hop_records::HopStack;
use plimsoll_wire::ifa::{IfaHeader, IfaMetadata};
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::p4_int::{NextProtocol, P4Int};
use plimsoll_wire::tcp_option::{Direction, HopsOption};
use plimsoll_wire::telemetry::Telemetry;
use plimsoll_wire::{Format, WireError};

const ROOM: usize = 512;

fn written(write: impl FnOnce(&mut [u8]) -> Result<usize, WireError>) -> Vec<u8> {
    let mut bytes = vec![0; ROOM];
    let size = write(&mut bytes).expect("a valid packet");
    bytes.truncate(size);
    bytes
}

fn hops() -> [ExactHop; 4] {
    core::array::from_fn(|index| ExactHop {
        time: Time::from_ps(1_000_000 * (index as u64 + 1)),
        sent: Bytes::new(1 << (20 + index)),
        queue: Bytes::new(80 * index as u64),
        rate: Rate::from_gbps(100),
    })
}

/// Each packet with its format.
pub(crate) fn valid_packets() -> Vec<(Format, Vec<u8>)> {
    let delay = MaxHopDelay::from_units(117);
    let exact = hops();
    let compact = exact.map(|hop| CompactHop::quantise(&hop, UnitScale::ONE).expect("a coded rate"));
    let packed_compact = written(|out| HopStack::encode_packed(&compact, out));
    let packed_exact = written(|out| HopStack::encode_packed(&exact, out));

    let mut packets = vec![
        (Format::MaxHopDelay, padded(written(|out| delay.encode(out)), 4)),
        (Format::HopRecords, padded(packed_compact.clone(), 42)),
        (Format::HopRecords, padded(packed_exact.clone(), 162)),
        (Format::TcpOption, written(|out| HopsOption::encode(Direction::Gathering, &compact, out))),
        (Format::TcpOption, written(|out| HopsOption::encode(Direction::Reflecting, &compact[..3], out))),
        (Format::Ifa, written(|out| IfaHeader { next_header: 17 }.encode(out))),
        (Format::Ifa, written(|out| IfaMetadata { hop_limit: 3, delay }.encode(out))),
        (
            Format::Csig,
            written(|out| CsigTag { value: 9, locator: 77, ..CsigTag::START }.encode(0x9900, out)),
        ),
        (Format::Packet, written(|out| data(b"").encode(out))),
        (Format::Packet, written(|out| data(&[0xA5; 100]).encode(out))),
    ];
    for next_protocol in [NextProtocol::Dscp(46), NextProtocol::UdpPort(4791), NextProtocol::IpProtocol(6)] {
        let frame = P4Int { next_protocol, remaining_hops: 8, delay };
        packets.push((Format::P4Int, written(|out| frame.encode(out))));
    }
    let reflections = [
        Telemetry::None,
        Telemetry::MaxHopDelay(delay),
        Telemetry::CompactHops(HopStack::parse_packed(&packed_compact).expect("just written").0),
        Telemetry::ExactHops(HopStack::parse_packed(&packed_exact).expect("just written").0),
    ];
    for (count, telemetry) in reflections.into_iter().enumerate() {
        let ranges: Vec<ByteRange> = (1..=count as u64).map(range).collect();
        packets.push((Format::Packet, written(|out| ack(&ranges, telemetry).encode(out))));
    }
    packets
}

fn padded(mut bytes: Vec<u8>, size: usize) -> Vec<u8> {
    bytes.resize(size, 0);
    bytes
}

fn data(payload: &[u8]) -> Data<'_> {
    Data {
        connection: ConnectionId(7),
        packet: PacketNumber(1 << 33),
        offset: Bytes::new(1 << 40),
        message: MessageId(12),
        sent_at: Time::after_start(Span::from_us(12)),
        flags: DataFlags { end_of_message: true, circuit_up: true, ..DataFlags::default() },
        payload,
    }
}

fn range(number: u64) -> ByteRange {
    ByteRange { start: Bytes::new(number * 10_000), end: Bytes::new(number * 10_000 + 4_096) }
}

fn ack<'a>(ranges: &'a [ByteRange], telemetry: Telemetry<'a>) -> Ack<'a> {
    Ack {
        connection: ConnectionId(7),
        packet: PacketNumber(900),
        next_expected: Bytes::new(4_096),
        echoed_sent_at: Time::after_start(Span::from_us(12)),
        receiver_delay: Span::from_ns(700),
        marked_bytes: Bytes::new(8_192),
        marked_packets: 2,
        received_packets: 901,
        congestion_echoed: true,
        refused: true,
        circuit_up: true,
        hops: 5,
        ranges,
        telemetry,
    }
}
