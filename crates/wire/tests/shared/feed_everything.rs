//! One entry for any bytes: every parser, every accessor, every in-place update of a switch.
//! Shared by the smoke test on stable Rust (`tests/no_panic.rs`) and the fuzz target (`fuzz/`).
//!
//! Beyond not panicking, it holds each format to a promise: what was read and is written again
//! reads the same, and a switch never makes a packet unreadable.

use plimsoll_units::{Rate, Rounding, Span};
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::csig::{Buckets, CsigHop, CsigTag};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::header::{
    Ack, AckView, ByteRange, Data, DataView, MAX_RANGES, Packet, mark_congestion_in_place,
    set_circuit_up_in_place,
};
use plimsoll_wire::homa::Homa;
use plimsoll_wire::hop_records::{HopStack, MAX_HOPS, Record};
use plimsoll_wire::ifa::{IfaHeader, IfaMetadata};
use plimsoll_wire::max_hop_delay::{AckDelays, MaxHopDelay};
use plimsoll_wire::p4_int::P4Int;
use plimsoll_wire::quantisation::DelayFormat;
use plimsoll_wire::tcp_option::HopsOption;
use plimsoll_wire::telemetry::TelemetryKind;
use plimsoll_wire::{Format, WireError, WireErrorKind};

/// Feeds the bytes to everything; gives the formats that took them.
pub(crate) fn feed_everything(bytes: &[u8]) -> Vec<Format> {
    delays(bytes);
    telemetry(bytes);
    let outcomes = [
        (Format::MaxHopDelay, max_hop_delay(bytes)),
        (Format::HopRecords, hop_stack::<CompactHop>(bytes)),
        (Format::HopRecords, hop_stack::<ExactHop>(bytes)),
        (Format::TcpOption, tcp_option(bytes)),
        (Format::Ifa, ifa_header(bytes)),
        (Format::Ifa, ifa_metadata(bytes)),
        (Format::P4Int, p4_int(bytes)),
        (Format::Csig, csig(bytes)),
        (Format::Packet, packet(bytes)),
        (Format::Homa, homa(bytes)),
    ];
    outcomes.into_iter().filter_map(|(format, outcome)| outcome.is_ok().then_some(format)).collect()
}

fn homa(bytes: &[u8]) -> Result<(), WireError> {
    let packet = Homa::parse(bytes)?;
    let mut again = vec![0; bytes.len()];
    let size = packet.encode(&mut again)?;
    assert_eq!(again[..size], bytes[..size]);
    Ok(())
}

fn max_hop_delay(bytes: &[u8]) -> Result<(), WireError> {
    let (delay, _) = MaxHopDelay::parse(bytes)?;
    let mut again = [0; 2];
    assert_eq!(delay.encode(&mut again), Ok(2));
    assert_eq!(again, bytes[..2]);
    let mut changed = bytes.to_vec();
    let updated = MaxHopDelay::update_in_place(&mut changed, wait(bytes), Rounding::Down)?;
    assert!(updated >= delay);

    let (delays, _) = AckDelays::parse(bytes)?;
    let mut again = [0; 4];
    assert_eq!(delays.encode(&mut again), Ok(4));
    assert_eq!(again, bytes[..4]);
    Ok(())
}

fn hop_stack<R: Record + PartialEq + core::fmt::Debug>(bytes: &[u8]) -> Result<(), WireError> {
    let (packed, rest) = HopStack::<R>::parse_packed(bytes)?;
    let mut again = vec![0; bytes.len()];
    let size = bytes.len() - rest.len();
    assert_eq!(packed.copy_packed(&mut again), Ok(size));
    assert_eq!(again[..size], bytes[..size]);
    let records: Vec<R> = packed.iter().collect();
    assert_eq!(HopStack::encode_packed(&records, &mut again), Ok(size));
    assert_eq!(again[..size], bytes[..size]);

    let (travelling, _) = HopStack::<R>::parse_travelling(bytes)?;
    assert!(travelling.len() <= MAX_HOPS);
    let mut changed = bytes.to_vec();
    let pushed = HopStack::push(&mut changed, R::from_raw(&R::cut(&bytes[2..])[0]));
    assert_eq!(pushed.is_ok(), travelling.len() < MAX_HOPS);
    let after = HopStack::<R>::parse_travelling(&changed).map(|(stack, _)| stack.len());
    assert_eq!(after, Ok(travelling.len() + usize::from(pushed.is_ok())));
    Ok(())
}

fn tcp_option(bytes: &[u8]) -> Result<(), WireError> {
    let Some(option) = HopsOption::find(bytes)? else { return Ok(()) };
    let hops: Vec<CompactHop> = option.hops().collect();
    let mut again = [0; 40];
    let size = 4 + 8 * hops.len();
    assert_eq!(HopsOption::encode(option.direction(), &hops, &mut again), Ok(size));
    assert_eq!(HopsOption::find(&again[..size]), Ok(Some(option)));
    for (hop, scale) in hops.iter().zip([UnitScale::ONE, UnitScale::for_nic(Rate::MAX)]) {
        let first = hop.first(scale);
        let next = hop.after(&first, scale);
        assert!(next.time >= first.time && next.sent >= first.sent);
        assert_eq!(CompactHop::quantise(&first, scale), Ok(*hop));
    }
    Ok(())
}

fn ifa_header(bytes: &[u8]) -> Result<(), WireError> {
    let (header, _) = IfaHeader::parse(bytes)?;
    let mut again = [0; 4];
    assert_eq!(header.encode(&mut again), Ok(4));
    assert_eq!(IfaHeader::parse(&again).map(|read| read.0), Ok(header));
    Ok(())
}

fn ifa_metadata(bytes: &[u8]) -> Result<(), WireError> {
    let (metadata, _) = IfaMetadata::parse(bytes)?;
    let mut again = [0; 8];
    assert_eq!(metadata.encode(&mut again), Ok(8));
    assert_eq!(IfaMetadata::parse(&again).map(|read| read.0), Ok(metadata));
    let mut changed = bytes.to_vec();
    let updated = IfaMetadata::update_in_place(&mut changed, wait(bytes), Rounding::Up)?;
    assert_eq!(IfaMetadata::parse(&changed).map(|read| read.0), Ok(updated));
    Ok(())
}

fn p4_int(bytes: &[u8]) -> Result<(), WireError> {
    let (frame, _) = P4Int::parse(bytes)?;
    let mut again = [0; 20];
    assert_eq!(frame.encode(&mut again), Ok(20));
    assert_eq!(P4Int::parse(&again).map(|read| read.0), Ok(frame));
    let mut changed = bytes.to_vec();
    let updated = P4Int::update_in_place(&mut changed, wait(bytes), Rounding::Nearest)?;
    assert_eq!(P4Int::parse(&changed).map(|read| read.0), Ok(updated));
    Ok(())
}

fn csig(bytes: &[u8]) -> Result<(), WireError> {
    // Whatever the first two bytes are, let them be the identifier.
    let Some(&[high, low]) = bytes.first_chunk() else { return CsigTag::parse(bytes, 0).map(drop) };
    let tpid = u16::from_be_bytes([high, low]);
    let (tag, _) = CsigTag::parse(bytes, tpid)?;
    let mut again = [0; 4];
    assert_eq!(tag.encode(tpid, &mut again), Ok(4));
    assert_eq!(CsigTag::parse(&again, tpid).map(|read| read.0), Ok(tag));
    let buckets = Buckets::default();
    let hop = CsigHop { buckets: &buckets, locator: low };
    let mut changed = bytes.to_vec();
    if let Ok(updated) = CsigTag::update_in_place(&mut changed, tpid, wait(bytes), &hop) {
        assert!(updated.value >= tag.value);
        assert_eq!(CsigTag::parse(&changed, tpid).map(|read| read.0), Ok(updated));
    } else {
        assert!(low > 127, "only a locator that does not fit is refused");
        assert_eq!(changed, bytes, "and then the frame is left as it was");
    }
    Ok(())
}

/// Damage is nearly always stopped by the checksum, so a packet that only lacks the right one is
/// tried again with it: the checks behind it must hold too.
fn packet(bytes: &[u8]) -> Result<(), WireError> {
    let outcome = checked_packet(bytes);
    if let Err(WireErrorKind::BadChecksum { computed, .. }) = outcome.map_err(|error| error.kind) {
        let mut mended = bytes.to_vec();
        mended[4..8].copy_from_slice(&computed.to_be_bytes());
        if let Err(error) = checked_packet(&mended) {
            assert!(!matches!(error.kind, WireErrorKind::BadChecksum { .. }));
        }
    }
    outcome
}

fn checked_packet(bytes: &[u8]) -> Result<(), WireError> {
    let (mut marked, mut lit) = (bytes.to_vec(), bytes.to_vec());
    let marks = mark_congestion_in_place(&mut marked).is_ok();
    let lights = set_circuit_up_in_place(&mut lit).is_ok();
    match Packet::parse(bytes)? {
        Packet::Data(data) => {
            assert!(lights && DataView::parse(&lit).is_ok_and(|data| data.flags().circuit_up));
            data_packet(bytes, data)
        }
        Packet::Ack(ack) => {
            assert!(marks && AckView::parse(&marked).is_ok_and(|ack| ack.congestion_echoed()));
            ack_packet(bytes, ack)
        }
    }
}

fn data_packet(bytes: &[u8], view: DataView<'_>) -> Result<(), WireError> {
    let mut again = vec![0; bytes.len()];
    let size = Data::HEADER_SIZE + view.payload().len();
    assert_eq!(view.to_data().encode(&mut again), Ok(size));
    assert_eq!(again[..size], bytes[..size]);
    Ok(())
}

fn ack_packet(bytes: &[u8], view: AckView<'_>) -> Result<(), WireError> {
    let mut ranges = [ByteRange::default(); MAX_RANGES];
    let count = view.ranges().len();
    for (place, range) in ranges.iter_mut().zip(view.ranges()) {
        *place = range;
    }
    let ack = Ack {
        connection: view.connection(),
        packet: view.packet(),
        next_expected: view.next_expected(),
        echoed_sent_at: view.echoed_sent_at(),
        receiver_delay: view.receiver_delay(),
        marked_bytes: view.marked_bytes(),
        marked_packets: view.marked_packets(),
        received_packets: view.received_packets(),
        congestion_echoed: view.congestion_echoed(),
        refused: view.refused(),
        circuit_up: view.circuit_up(),
        hops: view.hops(),
        ranges: &ranges[..count],
        telemetry: view.telemetry(),
    };
    let mut again = vec![0; bytes.len()];
    let size = ack.size();
    assert_eq!(ack.encode(&mut again), Ok(size));
    assert_eq!(again[..size], bytes[..size]);
    Ok(())
}

fn telemetry(bytes: &[u8]) {
    for kind in (0..=u8::MAX).map_while(|number| TelemetryKind::from_number(number).ok()) {
        let Ok((telemetry, rest)) = kind.parse_travelling(bytes) else { continue };
        assert_eq!(telemetry.kind(), kind);
        assert_eq!(rest.len(), bytes.len() - kind.travelling_size());
    }
}

/// Eight bytes are a delay and a rate for every format.
fn delays(bytes: &[u8]) {
    let Some(&raw) = bytes.first_chunk() else { return };
    let (delay, rate) = (wait(bytes), Rate::from_bps(u64::from_be_bytes(raw)));
    let buckets = Buckets::default();
    let formats = [
        DelayFormat::Poseidon(Rounding::Down),
        DelayFormat::Ifa(Rounding::Up),
        DelayFormat::P4Int(Rounding::Nearest),
        DelayFormat::CsigCompact(&buckets),
        DelayFormat::HpccQueue { rate, scale: UnitScale::for_nic(rate) },
        DelayFormat::ExactQueue { rate },
    ];
    for format in formats {
        let read = format.encode_decode(delay);
        let error = read.as_ps().abs_diff(delay.as_ps());
        assert!(error <= format.worst_error(delay).absolute.as_ps());
        let _ = format.saturation();
    }
}

fn wait(bytes: &[u8]) -> Span {
    bytes.last_chunk().map_or(Span::ZERO, |&raw| Span::from_ps(u64::from_be_bytes(raw)))
}
