//! A packet of the simulator as the bytes that it would be on a real link.
//!
//! | layer | where its fields come from |
//! |---|---|
//! | Ethernet | node n is 02:00:… with n in the last four bytes |
//! | IPv4 | host n is 10.0.0.1 + n; class and mark in the traffic class; hop limit 64 less one per switch |
//! | UDP | to a receiver: port [`FIRST_PORT`] + kind of telemetry, from a port of the connection's own |
//! | telemetry | what switches wrote so far (`plimsoll_wire::telemetry`) |
//! | transport | `plimsoll_wire::header`, every field as the simulated hosts mean it |
//! | or HOMA | `plimsoll_wire::homa`, to or from port [`HOMA_PORT`], without telemetry |
//!
//! The simulator counts as many bytes for headers as the scenario says (`[host] header`, `ack_size`), these are
//! as many as the formats need; so lengths here and there differ by a constant.

use super::{Capture, place};
use crate::packet::{LongestWait, Packet, wait};
use crate::partition::Partition;
use crate::setup::{ChangeKind, Setup};
use crate::shared::Stamp;
use plimsoll_cc::{CongestionControl, HopRecord};
use plimsoll_scenario::IntMode;
use plimsoll_scenario::switch::Encoding;
use plimsoll_transport::homa::{self, Kind};
use plimsoll_transport::{AckPacket, DataPacket};
use plimsoll_units::{Bytes, Rate, Rounding, Span};
use plimsoll_wire::compact_hop::{CompactHop, RATES, UnitScale};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::frame::{EcnField, Frame, HEADER_SIZE, LONGEST_PAYLOAD};
use plimsoll_wire::header::{
    Ack, ByteRange, ConnectionId, Data, DataFlags, MAX_RANGES, MessageId, PacketNumber,
};
use plimsoll_wire::homa::{self as wire_homa, Homa};
use plimsoll_wire::hop_records::{HopStack, MAX_HOPS, Record, packed_size, travelling_size};
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::telemetry::{Telemetry, TelemetryKind};
use plimsoll_wire::{WireError, header};

/// The UDP port of receivers whose packets gather no telemetry; the next three are those of the other kinds.
pub const FIRST_PORT: u16 = 50_000;
/// The UDP port of receivers that speak HOMA.
pub const HOMA_PORT: u16 = FIRST_PORT + 4;
/// Senders' ports: the low bits of the connection's number above this.
const SENDERS: u16 = 0xE000;
/// The hop limit with which packets leave their host.
pub const HOP_LIMIT: u8 = 64;
/// The longest payload that fits into a frame whatever travels with it.
pub const PAYLOAD_LIMIT: Bytes =
    Bytes::new((LONGEST_PAYLOAD - travelling_size::<ExactHop>() - Data::HEADER_SIZE) as u64);

/// The longest ack: all ranges, all records.
const LONGEST_ACK: usize = 68 + 16 * MAX_RANGES + packed_size::<ExactHop>(MAX_HOPS);

/// What frames of a run have in common.
#[derive(Debug)]
pub(super) struct FrameBytes {
    kind: TelemetryKind,
    scale: UnitScale,
    /// A full payload.
    zeros: Vec<u8>,
}

impl FrameBytes {
    pub(super) fn new(setup: &Setup) -> Self {
        let (kind, scale) = match setup.switch.int {
            IntMode::None => (TelemetryKind::None, UnitScale::ONE),
            IntMode::MaxHopDelay { .. } => (TelemetryKind::MaxHopDelay, UnitScale::ONE),
            IntMode::HopRecords { encoding: Encoding::Exact, .. } => {
                (TelemetryKind::ExactHops, UnitScale::ONE)
            }
            // HPCC's three bits know eight rates; a network with another needs the long form.
            IntMode::HopRecords { .. } if !rates(setup).all(|rate| RATES.contains(&rate)) => {
                (TelemetryKind::ExactHops, UnitScale::ONE)
            }
            IntMode::HopRecords { multiple, .. } => {
                let nic = Rate::from_gbps(25 * u64::from(multiple));
                (TelemetryKind::CompactHops, UnitScale::for_nic(nic))
            }
        };
        Self { kind, scale, zeros: vec![0; setup.mss.get().min(PAYLOAD_LIMIT.get()) as usize] }
    }

    /// Telemetry in the form in which it travels in front of a packet.
    fn travelling(&self, hops: &[HopRecord], wait: Span, output: &mut [u8]) -> Result<usize, WireError> {
        let size = self.kind.start_travelling(output)?;
        match self.kind {
            TelemetryKind::None => {}
            TelemetryKind::MaxHopDelay => {
                MaxHopDelay::update_in_place(output, wait, Rounding::Down)?;
            }
            TelemetryKind::CompactHops => {
                HopStack::encode_packed(self.compact(hops)?.as_slice(), output)?;
            }
            TelemetryKind::ExactHops => {
                HopStack::encode_packed(exact(hops).as_slice(), output)?;
            }
        }
        Ok(size)
    }

    fn compact(&self, hops: &[HopRecord]) -> Result<Vec<CompactHop>, WireError> {
        exact(hops).iter().map(|hop| CompactHop::quantise(hop, self.scale)).collect()
    }
}

/// Every rate that a link has at any time.
fn rates(setup: &Setup) -> impl Iterator<Item = Rate> {
    let changed = setup.changes.iter().filter_map(|change| match change.what {
        ChangeKind::LinkRate(_, rate) => Some(rate),
        _ => None,
    });
    setup.network.links.iter().map(|link| link.rate).chain(changed)
}

/// As many records as a packet has room for.
fn exact(hops: &[HopRecord]) -> Vec<ExactHop> {
    let exact =
        |hop: &HopRecord| ExactHop { time: hop.time, sent: hop.sent, queue: hop.queue, rate: hop.rate };
    hops.iter().take(MAX_HOPS).map(exact).collect()
}

fn stack<'b, R: Record>(hops: &[R], buffer: &'b mut [u8]) -> Result<HopStack<'b, R>, WireError> {
    HopStack::encode_packed(hops, buffer)?;
    Ok(HopStack::parse_packed(buffer)?.0)
}

fn node_address(node: u32) -> [u8; 6] {
    let [a, b, c, d] = node.to_be_bytes();
    [2, 0, a, b, c, d]
}

fn host_address(host: u32) -> [u8; 4] {
    (0x0A00_0001_u32.wrapping_add(host)).to_be_bytes()
}

/// Writes a packet of HOMA's behind room for the headers; gives the bytes to keep and the bytes with payload.
fn homa_bytes(
    packet: &homa::Packet,
    zeros: &[u8],
    output: &mut Vec<u8>,
) -> Result<(usize, usize), WireError> {
    let empty = Homa {
        kind: wire_homa::Kind::Unknown,
        message: packet.message.0,
        from: Bytes::ZERO,
        to: Bytes::ZERO,
        level: 0,
        repeated: false,
        payload: &[],
    };
    let wire = match packet.kind {
        Kind::Data(data) => Homa {
            kind: wire_homa::Kind::Data,
            from: data.offset,
            to: data.total,
            repeated: data.repeated,
            payload: zeros.get(..data.length as usize).unwrap_or(zeros),
            ..empty
        },
        Kind::Grant { to, level } => Homa { kind: wire_homa::Kind::Grant, to, level, ..empty },
        Kind::Resend { from, to, level } => Homa { kind: wire_homa::Kind::Resend, from, to, level, ..empty },
        Kind::Busy => Homa { kind: wire_homa::Kind::Busy, ..empty },
        Kind::Probe { total } => Homa { kind: wire_homa::Kind::Probe, to: total, ..empty },
        Kind::Done => Homa { kind: wire_homa::Kind::Done, ..empty },
        Kind::Unknown => empty,
    };
    output.resize(HEADER_SIZE + wire_homa::HEADER_SIZE + wire.payload.len(), 0);
    let size = wire.encode(output.get_mut(HEADER_SIZE..).unwrap_or_default())?;
    Ok((wire_homa::HEADER_SIZE, size))
}

impl<L: CongestionControl> Partition<'_, L> {
    /// The bytes of a packet that is on the link of `port`, without its payload, and how many there would be
    /// with it.
    pub(super) fn frame_of(
        &self,
        capture: &Capture,
        now: u64,
        port: u32,
        packet: &Packet,
    ) -> Result<(Vec<u8>, u32), WireError> {
        let body = self.bodies.get(packet.body);
        let mut output = Vec::new();
        let (kept, length) = if self.speaks_homa() {
            homa_bytes(&body.homa(), &capture.bytes.zeros, &mut output)?
        } else if packet.has(Packet::ACK) {
            let ack = body.ack(packet.landed());
            self.ack_bytes(capture, now, body.connection, packet, &ack, &mut output)?
        } else {
            let data = body.data(packet.landed());
            self.data_bytes(capture, now, body.connection, packet, &data, &mut output)?
        };
        output.truncate(HEADER_SIZE + kept);
        self.headers(capture, port, body.connection, packet).encode(length, &mut output)?;
        // At most 65 535 behind 14 bytes.
        Ok((output, (HEADER_SIZE + length) as u32))
    }

    fn headers(&self, capture: &Capture, port: u32, connection: u32, packet: &Packet) -> Frame {
        let network = &self.shared.setup.network;
        let plan = &self.shared.connections[connection as usize];
        let sender = (plan.from, SENDERS | connection as u16);
        let port_of_receiver =
            if self.speaks_homa() { HOMA_PORT } else { FIRST_PORT + capture.bytes.kind as u16 };
        let receiver = (plan.to, port_of_receiver);
        let returns =
            if plan.from == plan.to { packet.has(Packet::ACK) } else { u32::from(packet.to) == plan.from };
        let (from, to) = if returns { (receiver, sender) } else { (sender, receiver) };
        Frame {
            from_node: node_address(network.near_end(port)),
            to_node: node_address(network.far_end(port)),
            source: host_address(from.0),
            destination: host_address(to.0),
            source_port: from.1,
            destination_port: to.1,
            // The class selectors of RFC 2474: class c is code point 8 · c.
            class: (packet.class() as u8) << 3,
            ecn: if packet.has(Packet::MARKED) {
                EcnField::Marked
            } else if packet.has(Packet::ECN_CAPABLE) {
                EcnField::Capable
            } else {
                EcnField::NotCapable
            },
            hop_limit: HOP_LIMIT.saturating_sub(packet.hops),
        }
    }

    /// So many records on the packet in this slot.
    fn records(&self, now: u64, slot: u32, count: usize) -> Vec<HopRecord> {
        if self.shared.stamp != Stamp::HopRecords {
            return Vec::new();
        }
        let mut hops = vec![HopRecord::default(); count.min(plimsoll_cc::MAX_HOPS)];
        self.read_hops(now, slot, &mut hops);
        hops
    }

    /// Writes a data packet behind room for the headers; gives the bytes to keep and the bytes with payload.
    fn data_bytes(
        &self,
        capture: &Capture,
        now: u64,
        connection: u32,
        packet: &Packet,
        data: &DataPacket<LongestWait>,
        output: &mut Vec<u8>,
    ) -> Result<(usize, usize), WireError> {
        let bytes = &capture.bytes;
        let payload = bytes.zeros.get(..data.length as usize).unwrap_or(&bytes.zeros);
        let front = bytes.kind.travelling_size();
        output.resize(HEADER_SIZE + front + Data::HEADER_SIZE + payload.len(), 0);
        let hops = self.records(now, packet.body, packet.records());
        let (_, behind) = output.split_at_mut(HEADER_SIZE);
        bytes.travelling(&hops, wait(packet.longest_wait), behind)?;
        let wire = Data {
            connection: ConnectionId(connection),
            packet: PacketNumber(data.number.0),
            offset: data.offset,
            message: MessageId(data.message.0),
            sent_at: data.sent_at,
            flags: DataFlags {
                congestion_window_reduced: data.window_reduced,
                end_of_message: data.ends_message,
                end_of_stream: false,
                retransmission: data.repeated,
                circuit_up: data.circuit_up,
            },
            payload,
        };
        let size = wire.encode(behind.get_mut(front..).unwrap_or_default())?;
        Ok((front + Data::HEADER_SIZE, front + size))
    }

    /// Writes an ack behind room for the headers; gives its bytes twice.
    fn ack_bytes(
        &self,
        capture: &Capture,
        now: u64,
        connection: u32,
        packet: &Packet,
        ack: &AckPacket<LongestWait>,
        output: &mut Vec<u8>,
    ) -> Result<(usize, usize), WireError> {
        let bytes = &capture.bytes;
        output.resize(HEADER_SIZE + 2 + LONGEST_ACK, 0);
        let (_, behind) = output.split_at_mut(HEADER_SIZE);
        // Acks gather their own longest wait; records of their way nobody reads.
        let front = match bytes.kind {
            TelemetryKind::MaxHopDelay => bytes.travelling(&[], wait(packet.longest_wait), behind)?,
            _ => 0,
        };
        let hops = self.records(now, packet.body, ack.reflected as usize);
        let mut buffer = [0; packed_size::<ExactHop>(MAX_HOPS)];
        let forward = wait(ack.reflected);
        let telemetry = match bytes.kind {
            TelemetryKind::None => Telemetry::None,
            TelemetryKind::MaxHopDelay => {
                Telemetry::MaxHopDelay(MaxHopDelay::quantise(forward, Rounding::Down))
            }
            TelemetryKind::CompactHops => Telemetry::CompactHops(stack(&bytes.compact(&hops)?, &mut buffer)?),
            TelemetryKind::ExactHops => Telemetry::ExactHops(stack(&exact(&hops), &mut buffer)?),
        };
        let mut ranges = [ByteRange::default(); MAX_RANGES];
        let count = self.arrived_ranges(connection, ack, &mut ranges);
        let counts = capture.counts(packet.body);
        let wire = Ack {
            connection: ConnectionId(connection),
            packet: header::PacketNumber(ack.number.0),
            next_expected: ack.next_expected,
            echoed_sent_at: ack.echoed_sent_at,
            receiver_delay: ack.receiver_delay,
            marked_bytes: ack.marked,
            marked_packets: counts.marked,
            received_packets: counts.packets,
            congestion_echoed: ack.congestion_echo,
            refused: ack.refused,
            circuit_up: ack.circuit_up,
            hops: ack.hops,
            ranges: ranges.get(..count).unwrap_or_default(),
            telemetry,
        };
        let size = wire.encode(behind.get_mut(front..).unwrap_or_default())?;
        Ok((front + size, front + size))
    }

    /// What the ack says has arrived behind a hole, as ranges of bytes, the newest first, as far as there is
    /// room; gives their number.
    fn arrived_ranges(
        &self,
        connection: u32,
        ack: &AckPacket<LongestWait>,
        ranges: &mut [ByteRange],
    ) -> usize {
        let plan = &self.shared.connections[connection as usize];
        let mut count = 0;
        for back in (0..64).filter(|back| ack.arrived >> (63 - back) & 1 != 0) {
            let messages = (0..plan.messages).map(|n| {
                let message = self.shared.message_of(connection, u64::from(n));
                self.shared.messages[message as usize].bytes
            });
            let number = ack.number.0.checked_sub(back);
            let place = number.and_then(|number| place(messages, self.shared.setup.mss, number));
            let Some((start, end)) = place else { continue };
            match ranges.get_mut(..count).and_then(<[ByteRange]>::last_mut) {
                Some(newer) if newer.start == end => newer.start = start,
                _ => match ranges.get_mut(count) {
                    Some(range) => (*range, count) = (ByteRange { start, end }, count + 1),
                    None => break,
                },
            }
        }
        count
    }
}
