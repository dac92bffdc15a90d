//! Properties over arbitrary values: what is written is read, what wraps is unwrapped, and what is
//! rounded stays within the error that is promised.

use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use plimsoll_wire::compact_hop::{CompactHop, RATES, UnitScale};
use plimsoll_wire::csig::{BUCKETS, Buckets, CsigTag, SignalType};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::header::{
    Ack, AckView, ByteRange, ConnectionId, Data, DataFlags, DataView, MessageId, PacketNumber,
};
use plimsoll_wire::hop_records::{HopStack, Record};
use plimsoll_wire::ifa::{IfaHeader, IfaMetadata};
use plimsoll_wire::max_hop_delay::{AckDelays, MaxHopDelay, UNIT};
use plimsoll_wire::p4_int::{NextProtocol, P4Int};
use plimsoll_wire::quantisation::DelayFormat;
use plimsoll_wire::tcp_option::{Direction, HopsOption};
use plimsoll_wire::telemetry::Telemetry;
use proptest::prelude::*;

/// One nanosecond less than the time of a compact record spans: the longest gap that is safe
/// wherever within a nanosecond the two records lie.
const LONGEST_GAP_PS: u64 = ((1 << 24) - 1) * 1_000;

fn rounding() -> impl Strategy<Value = Rounding> {
    prop_oneof![Just(Rounding::Down), Just(Rounding::Up), Just(Rounding::Nearest)]
}

fn delay() -> impl Strategy<Value = MaxHopDelay> {
    any::<u16>().prop_map(MaxHopDelay::from_units)
}

/// Every order of magnitude from nothing to years.
fn span() -> impl Strategy<Value = Span> {
    (any::<u64>(), 0_u32..64).prop_map(|(bits, shift)| Span::from_ps(bits >> shift))
}

fn exact_hop() -> impl Strategy<Value = ExactHop> {
    (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(time, sent, queue, rate)| ExactHop {
        time: Time::from_ps(time),
        sent: Bytes::new(sent),
        queue: Bytes::new(queue),
        rate: Rate::from_bps(rate),
    })
}

fn compact_hop() -> impl Strategy<Value = CompactHop> {
    any::<[u8; 8]>().prop_map(|raw| CompactHop::from_raw(&raw))
}

fn scale() -> impl Strategy<Value = UnitScale> {
    (0_u64..2_000).prop_map(|gbps| UnitScale::for_nic(Rate::from_gbps(gbps)))
}

fn ranges(next_expected: u64) -> impl Strategy<Value = Vec<ByteRange>> {
    let range = (1_u64..1 << 40, 1_u64..1 << 20).prop_map(move |(gap, length)| ByteRange {
        start: Bytes::new(next_expected + gap),
        end: Bytes::new(next_expected + gap + length),
    });
    prop::collection::vec(range, 0..=4)
}

proptest! {
    #[test]
    fn max_hop_delays_round_trip(forward in delay(), reverse in delay(), tail in any::<[u8; 3]>()) {
        let mut bytes = [0; 7];
        let both = AckDelays { reverse, forward };
        both.encode(&mut bytes).unwrap();
        bytes[4..].copy_from_slice(&tail);
        prop_assert_eq!(AckDelays::parse(&bytes).unwrap(), (both, &tail[..]));
        prop_assert_eq!(MaxHopDelay::parse(&bytes).unwrap().0, reverse);
    }

    #[test]
    fn the_order_of_the_switches_does_not_matter(waits in prop::collection::vec(span(), 0..8), rounding in rounding()) {
        let path = |waits: &[Span]| waits.iter().fold(MaxHopDelay::ZERO, |delay, &wait| delay.update(wait, rounding));
        let mut sorted = waits.clone();
        sorted.sort();
        prop_assert_eq!(path(&waits), path(&sorted));
        let longest = sorted.last().copied().unwrap_or(Span::ZERO);
        prop_assert_eq!(path(&waits), MaxHopDelay::quantise(longest, rounding));
    }

    #[test]
    fn rounding_down_never_exaggerates_and_rounding_up_never_belittles(wait in 0_u64..16_000_000_000) {
        let wait = Span::from_ps(wait);
        let down = MaxHopDelay::quantise(wait, Rounding::Down).delay();
        let up = MaxHopDelay::quantise(wait, Rounding::Up).delay();
        prop_assert!(down <= wait && wait <= up && up - down <= UNIT);
    }

    #[test]
    fn exact_records_round_trip(hops in prop::collection::vec(exact_hop(), 0..=5)) {
        let mut bytes = [0; 162];
        let size = HopStack::encode_packed(&hops, &mut bytes).unwrap();
        let (stack, rest) = HopStack::<ExactHop>::parse_packed(&bytes[..size]).unwrap();
        prop_assert!(stack.iter().eq(hops));
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn compact_records_round_trip_through_stack_and_option(hops in prop::collection::vec(compact_hop(), 0..=4)) {
        let mut bytes = [0; 42];
        for &hop in &hops {
            HopStack::push(&mut bytes, hop).unwrap();
        }
        let (stack, _) = HopStack::<CompactHop>::parse_travelling(&bytes).unwrap();
        prop_assert!(stack.iter().eq(hops.iter().copied()));
        let mut options = [0; 40];
        let size = HopsOption::encode(Direction::Gathering, &hops, &mut options).unwrap();
        prop_assert_eq!(size, 4 + 8 * hops.len());
        let option = HopsOption::find(&options).unwrap().unwrap();
        prop_assert!(option.hops().eq(hops));
    }

    /// As long as less than 2^24 ns pass and less than 2^20 units leave between two records, the
    /// unwrapped series is the exact one rounded down to the units.
    #[test]
    fn unwrapping_gives_the_exact_series(
        start in (0_u64..1 << 50, 0_u64..1 << 50),
        steps in prop::collection::vec((0..LONGEST_GAP_PS, 0_u64..(1 << 20) - 1, any::<u64>()), 1..40),
        scale in scale(),
        code in 0_usize..8,
    ) {
        let unit = scale.sent_unit().get();
        let record = |time_ps: u64, sent: u64, queue: u64| ExactHop {
            time: Time::from_ps(time_ps),
            sent: Bytes::new(sent),
            queue: Bytes::new(queue % (131_072 * 80)),
            rate: RATES[code],
        };
        let rounded = |exact: ExactHop| ExactHop {
            time: Time::from_ps(exact.time.as_ps() / 1_000 * 1_000),
            sent: Bytes::new(exact.sent.get() / unit * unit),
            queue: Bytes::new(exact.queue.get() / scale.queue_unit().get() * scale.queue_unit().get()),
            rate: exact.rate,
        };
        let (mut time, mut sent) = start;
        // The receiver is told the first record exactly, then only compact ones.
        let mut known = rounded(record(time, sent, 0));
        for (passed, units, noise) in steps {
            time += passed;
            sent += units * unit + noise % unit;
            let exact = record(time, sent, noise);
            let compact = CompactHop::quantise(&exact, scale).unwrap();
            let next = compact.after(&known, scale);
            prop_assert_eq!(next, rounded(exact));
            prop_assert!(next.time >= known.time && next.sent >= known.sent);
            known = next;
        }
    }

    #[test]
    fn differences_are_exact_without_knowing_where_the_counters_began(
        start in (0_u64..1 << 50, 0_u64..1 << 50),
        passed_ns in 0_u64..1 << 24,
        units in 0_u64..1 << 20,
        scale in scale(),
    ) {
        let unit = scale.sent_unit().get();
        let record = |ns: u64, sent: u64| ExactHop {
            time: Time::from_ps(ns * 1_000),
            sent: Bytes::new(sent),
            queue: Bytes::ZERO,
            rate: Rate::from_gbps(400),
        };
        let (before, after) = (record(start.0, start.1), record(start.0 + passed_ns, start.1 + units * unit));
        let before = CompactHop::quantise(&before, scale).unwrap().first(scale);
        let after = CompactHop::quantise(&after, scale).unwrap().after(&before, scale);
        prop_assert_eq!(after.time - before.time, Span::from_ps(passed_ns * 1_000));
        prop_assert_eq!(after.sent - before.sent, Bytes::new(units * unit));
    }

    #[test]
    fn unwrapping_never_runs_backwards(previous in exact_hop(), hop in compact_hop(), scale in scale()) {
        let next = hop.after(&previous, scale);
        prop_assert!(next.time >= previous.time && next.sent >= previous.sent);
    }

    #[test]
    fn ifa_and_p4_int_round_trip(next_header: u8, hop_limit: u8, delay in delay(), port: u16) {
        let (mut front, mut behind, mut frame) = ([0; 4], [0; 8], [0; 20]);
        IfaHeader { next_header }.encode(&mut front).unwrap();
        prop_assert_eq!(IfaHeader::parse(&front).unwrap().0, IfaHeader { next_header });
        let metadata = IfaMetadata { hop_limit, delay };
        metadata.encode(&mut behind).unwrap();
        prop_assert_eq!(IfaMetadata::parse(&behind).unwrap().0, metadata);
        let kinds = [
            NextProtocol::UdpPort(port),
            NextProtocol::IpProtocol(next_header),
            NextProtocol::Dscp(next_header % 64),
        ];
        for next_protocol in kinds {
            let p4_int = P4Int { next_protocol, remaining_hops: hop_limit, delay };
            p4_int.encode(&mut frame).unwrap();
            prop_assert_eq!(P4Int::parse(&frame).unwrap().0, p4_int);
        }
    }

    #[test]
    fn csig_tags_round_trip(tpid: u16, number in 0_u8..8, value in 0_u8..32, locator in 0_u8..128) {
        let tag = CsigTag { signal: SignalType::new(number).unwrap(), value, locator };
        let mut bytes = [0; 4];
        tag.encode(tpid, &mut bytes).unwrap();
        prop_assert_eq!(CsigTag::parse(&bytes, tpid).unwrap().0, tag);
    }

    #[test]
    fn data_packets_round_trip(
        numbers: (u32, u64, u64, u64, u64),
        flags: [bool; 5],
        payload in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let data = Data {
            connection: ConnectionId(numbers.0),
            packet: PacketNumber(numbers.1),
            offset: Bytes::new(numbers.2),
            message: MessageId(numbers.3),
            sent_at: Time::from_ps(numbers.4),
            flags: DataFlags {
                congestion_window_reduced: flags[0],
                end_of_message: flags[1],
                end_of_stream: flags[2],
                retransmission: flags[3],
                circuit_up: flags[4],
            },
            payload: &payload,
        };
        let mut bytes = [0; 700];
        let size = data.encode(&mut bytes).unwrap();
        prop_assert_eq!(DataView::parse(&bytes[..size]).unwrap().to_data(), data);
        prop_assert!(DataView::parse(&bytes[..size - 1]).is_err());
    }

    #[test]
    fn acks_round_trip(
        numbers: (u32, u64, u64, u64, u64, u64, u64),
        (next_expected, ranges) in (0_u64..1 << 60).prop_flat_map(|next| (Just(next), ranges(next))),
        [congestion_echoed, refused, circuit_up] in any::<[bool; 3]>(),
        hop_count: u8,
        reflected in delay(),
        hops in prop::collection::vec(compact_hop(), 0..=5),
        exact in prop::collection::vec(exact_hop(), 0..=5),
        kind in 0_usize..4,
    ) {
        let (mut compact_bytes, mut exact_bytes) = ([0; 42], [0; 162]);
        HopStack::encode_packed(&hops, &mut compact_bytes).unwrap();
        HopStack::encode_packed(&exact, &mut exact_bytes).unwrap();
        let telemetry = [
            Telemetry::None,
            Telemetry::MaxHopDelay(reflected),
            Telemetry::CompactHops(HopStack::parse_packed(&compact_bytes).unwrap().0),
            Telemetry::ExactHops(HopStack::parse_packed(&exact_bytes).unwrap().0),
        ][kind];
        let ack = Ack {
            connection: ConnectionId(numbers.0),
            packet: PacketNumber(numbers.1),
            next_expected: Bytes::new(next_expected),
            echoed_sent_at: Time::from_ps(numbers.2),
            receiver_delay: Span::from_ps(numbers.3),
            marked_bytes: Bytes::new(numbers.4),
            marked_packets: numbers.5,
            received_packets: numbers.6,
            congestion_echoed,
            refused,
            circuit_up,
            hops: hop_count,
            ranges: &ranges,
            telemetry,
        };
        let mut bytes = [0; 300];
        let size = ack.encode(&mut bytes).unwrap();
        prop_assert_eq!(size, ack.size());
        let view = AckView::parse(&bytes[..size]).unwrap();
        prop_assert!(view.ranges().eq(ranges.iter().copied()));
        let ranges: Vec<ByteRange> = view.ranges().collect();
        let read = Ack {
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
            ranges: &ranges,
            telemetry: view.telemetry(),
        };
        prop_assert_eq!(read, ack);
        prop_assert!(AckView::parse(&bytes[..size - 1]).is_err());
    }

    #[test]
    fn two_flipped_bits_of_a_data_packet_are_noticed(first in 0_usize..8 * 52, second in 0_usize..8 * 52) {
        prop_assume!(first != second);
        let data = Data {
            connection: ConnectionId(1),
            packet: PacketNumber(2),
            offset: Bytes::new(3),
            message: MessageId(4),
            sent_at: Time::from_ps(5),
            flags: DataFlags::default(),
            payload: b"12345678",
        };
        let mut bytes = [0; 52];
        data.encode(&mut bytes).unwrap();
        for bit in [first, second] {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        prop_assert!(DataView::parse(&bytes).is_err());
    }

    #[test]
    fn the_error_of_every_format_is_within_its_bound(
        delay in span(),
        rounding in rounding(),
        gbps in 1_u64..1_600,
        scale in scale(),
        widths in prop::collection::vec(1_u64..1 << 40, BUCKETS - 1),
    ) {
        let rate = Rate::from_gbps(gbps);
        let mut lower = [Span::ZERO; BUCKETS];
        for (index, width) in widths.into_iter().enumerate() {
            lower[index + 1] = lower[index] + Span::from_ps(width);
        }
        let buckets = Buckets::new(lower, rounding).unwrap();
        let formats = [
            DelayFormat::Poseidon(rounding),
            DelayFormat::Ifa(rounding),
            DelayFormat::P4Int(rounding),
            DelayFormat::CsigCompact(&buckets),
            DelayFormat::HpccQueue { rate, scale },
            DelayFormat::ExactQueue { rate },
        ];
        for format in formats {
            let error = format.encode_decode(delay).as_ps().abs_diff(delay.as_ps());
            let bound = format.worst_error(delay);
            prop_assert!(error <= bound.absolute.as_ps(), "{:?}: {} above {:?}", format, error, bound);
            prop_assert!(!bound.relative.is_nan());
        }
    }

    /// Below saturation a bound must not be generous: some delay with the same code reaches it
    /// (HPCC's up to the picosecond and the byte that are lost on the way).
    #[test]
    fn the_bound_is_reached(delay in 1_000_000_u64..200_000_000, rounding in rounding()) {
        let delay = Span::from_ps(delay);
        let reached = |format: DelayFormat<'_>, from: Span, to: Span| {
            let error = |delay: Span| format.encode_decode(delay).as_ps().abs_diff(delay.as_ps());
            error(from).max(error(to - Span::from_ps(1)))
        };
        let poseidon = DelayFormat::Poseidon(rounding);
        let code = MaxHopDelay::quantise(delay, rounding).delay();
        let (from, to) = match rounding {
            Rounding::Down => (code, code + UNIT),
            Rounding::Up => (code - UNIT + Span::from_ps(1), code + Span::from_ps(1)),
            Rounding::Nearest => (code - UNIT / 2, code + UNIT / 2),
        };
        prop_assert_eq!(reached(poseidon, from, to), poseidon.worst_error(delay).absolute.as_ps());
    }

    #[test]
    fn a_larger_delay_is_never_read_as_a_smaller_one(one in span(), other in span(), rounding in rounding()) {
        let buckets = Buckets::small_float(Span::from_ns(512), rounding);
        let rate = Rate::from_gbps(100);
        let formats = [
            DelayFormat::Poseidon(rounding),
            DelayFormat::CsigCompact(&buckets),
            DelayFormat::HpccQueue { rate, scale: UnitScale::ONE },
            DelayFormat::ExactQueue { rate },
        ];
        let (short, long) = (one.min(other), one.max(other));
        for format in formats {
            prop_assert!(format.encode_decode(short) <= format.encode_decode(long), "{:?}", format);
        }
    }

    #[test]
    fn at_saturation_and_beyond_all_delays_are_read_alike(beyond in 0_u64..1 << 50, rounding in rounding()) {
        let buckets = Buckets::default();
        let rate = Rate::from_gbps(100);
        let formats = [
            DelayFormat::Poseidon(rounding),
            DelayFormat::CsigCompact(&buckets),
            DelayFormat::HpccQueue { rate, scale: UnitScale::ONE },
        ];
        for format in formats {
            let saturation = format.saturation();
            let read = format.encode_decode(saturation);
            prop_assert_eq!(format.encode_decode(saturation + Span::from_ps(beyond)), read);
            prop_assert!(format.encode_decode(saturation - Span::from_ps(1)) < read, "{:?}", format);
        }
    }
}
