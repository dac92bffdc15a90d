//! Frames through the programs of a port, byte for byte against the formats and laws in Rust.
#![cfg(all(target_os = "linux", feature = "bpf"))]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use plimsoll_cc::coin::Coin;
use plimsoll_cc::rpm::{self, Echo, FiveTuple, Passing, Register, Rpm, Slot, Way};
use plimsoll_kernel::{Bench, Duty, Port};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::tcp_max_hop::{Counted, MaxHopOption};
use plimsoll_wire::tcp_option::{Direction, HopsOption};
use std::net::{IpAddr, Ipv4Addr};

const IP: usize = 14;
const TCP: usize = 34;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
/// The moment at which everything happens in these tests.
const NOW: u64 = 5_000_000_000;

/// A segment of TCP over IPv4 over Ethernet.
#[derive(Clone)]
struct Segment {
    source: (Ipv4Addr, u16),
    destination: (Ipv4Addr, u16),
    flags: u8,
    ecn: u8,
    options: Vec<u8>,
    payload: usize,
}

impl Segment {
    fn new(options: &[u8], payload: usize) -> Self {
        Self {
            source: (Ipv4Addr::new(10, 0, 0, 1), 40_000),
            destination: (Ipv4Addr::new(10, 0, 0, 2), 5_201),
            flags: ACK,
            ecn: 0b10,
            options: options.to_vec(),
            payload,
        }
    }

    fn reversed(&self) -> Self {
        Self { source: self.destination, destination: self.source, ..self.clone() }
    }

    fn tuple(&self) -> FiveTuple {
        FiveTuple {
            source: IpAddr::V4(self.source.0),
            destination: IpAddr::V4(self.destination.0),
            protocol: 6,
            source_port: self.source.1,
            destination_port: self.destination.1,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let header = 20 + self.options.len();
        assert_eq!(header % 4, 0);
        let mut frame = vec![0; TCP + header + self.payload];
        frame[12..14].copy_from_slice(&[8, 0]);
        let length = (20 + header + self.payload) as u16;
        frame[IP] = 0x45;
        frame[IP + 1] = self.ecn;
        frame[IP + 2..IP + 4].copy_from_slice(&length.to_be_bytes());
        frame[IP + 8] = 64;
        frame[IP + 9] = 6;
        frame[IP + 12..IP + 16].copy_from_slice(&self.source.0.octets());
        frame[IP + 16..IP + 20].copy_from_slice(&self.destination.0.octets());
        frame[TCP..TCP + 2].copy_from_slice(&self.source.1.to_be_bytes());
        frame[TCP + 2..TCP + 4].copy_from_slice(&self.destination.1.to_be_bytes());
        frame[TCP + 12] = (header as u8 / 4) << 4;
        frame[TCP + 13] = self.flags;
        frame[TCP + 20..TCP + header].copy_from_slice(&self.options);
        for (at, byte) in frame[TCP + header..].iter_mut().enumerate() {
            *byte = at as u8;
        }
        sum(&mut frame);
        frame
    }
}

/// The one's complement sum of 16-bit words (RFC 1071).
fn complement(words: &[u8]) -> u16 {
    let mut total: u32 =
        words.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    while total > 0xFFFF {
        total = (total & 0xFFFF) + (total >> 16);
    }
    !(total as u16)
}

/// Both checksums from nothing, as a sender would: what a switch changed step by step must end where this ends.
fn sum(frame: &mut [u8]) {
    frame[IP + 10..IP + 12].fill(0);
    let header = complement(&frame[IP..TCP]);
    frame[IP + 10..IP + 12].copy_from_slice(&header.to_be_bytes());
    frame[TCP + 16..TCP + 18].fill(0);
    let mut words = frame[IP + 12..IP + 20].to_vec();
    words.extend([0, 6]);
    words.extend(((frame.len() - TCP) as u16).to_be_bytes());
    words.extend(&frame[TCP..]);
    let segment = complement(&words);
    frame[TCP + 16..TCP + 18].copy_from_slice(&segment.to_be_bytes());
}

/// 1 Gb/s: a byte takes 8 ns.
fn port(duty: Duty) -> Port {
    Port { rate: Rate::from_gbps(1), buffer: None, duty, clock_ns: Some(NOW) }
}

/// Our option in front of timestamps, as a sender has it.
fn asking(option: MaxHopOption) -> Vec<u8> {
    let mut options = vec![1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8];
    options.extend(option.to_bytes());
    options.extend([1, 1]);
    options
}

#[test]
fn a_device_stamps_the_wait_that_a_link_of_its_rate_would_have() {
    if !common::can_run() {
        return;
    }
    let bench = Bench::new(&port(Duty::Stamp)).unwrap();
    let mut coin = Coin::new(3);
    let mut queued = 0;
    for _ in 0..300 {
        let counted = |coin: &mut Coin| Counted {
            delay: MaxHopDelay::from_units((coin.bits() % 100) as u16),
            switches: coin.bits() as u8,
        };
        let option = MaxHopOption { gathered: counted(&mut coin), reflected: counted(&mut coin) };
        let payload = (coin.bits() % 1400) as usize;
        let frame = Segment::new(&asking(option), payload).bytes();
        let wait = Span::from_ns(queued * 8);
        let expected = Segment::new(&asking(option.update(wait, Rounding::Down)), payload).bytes();
        assert_eq!(bench.leaves(&frame).unwrap(), Some(expected));
        queued += frame.len() as u64;
    }
}

#[test]
fn a_device_writes_one_record_into_the_first_free_place() {
    if !common::can_run() {
        return;
    }
    let bench = Bench::new(&port(Duty::Stamp)).unwrap();
    let mut free = [0; 28];
    HopsOption::encode(Direction::Gathering, &[CompactHop::default(); 3], &mut free).unwrap();
    let first = Segment::new(&free, 1000).bytes();
    // 1 Gb/s is told as 10 Gb/s with ten times the bytes.
    let record = |sent: u64, queue: u64, wait: u64| {
        let exact = ExactHop {
            time: Time::ZERO + Span::from_ns(NOW + wait),
            sent: Bytes::new(sent * 10),
            queue: Bytes::new(queue * 10),
            rate: Rate::from_gbps(10),
        };
        CompactHop::quantise(&exact, UnitScale::ONE).unwrap()
    };
    let length = first.len() as u64;
    let mut options = [0; 28];
    let once = [record(0, 0, 0), CompactHop::default(), CompactHop::default()];
    HopsOption::encode(Direction::Gathering, &once, &mut options).unwrap();
    let stamped = bench.leaves(&first).unwrap().unwrap();
    assert_eq!(stamped, Segment::new(&options, 1000).bytes());
    // The second comes from another switch, which wrote the record above, and finds the first in the queue.
    let twice = [once[0], record(length, length, length * 8), CompactHop::default()];
    HopsOption::encode(Direction::Gathering, &twice, &mut options).unwrap();
    let stamped = bench.leaves(&stamped).unwrap().unwrap();
    assert_eq!(stamped, Segment::new(&options, 1000).bytes());
    let third = bench.leaves(&stamped).unwrap().unwrap();
    assert_eq!(bench.leaves(&third).unwrap().unwrap(), third, "a fourth finds no place");
}

#[test]
fn a_full_buffer_drops() {
    if !common::can_run() {
        return;
    }
    let bench = Bench::new(&Port { buffer: Some(Bytes::new(2_000)), ..port(Duty::Stamp) }).unwrap();
    let frame = Segment::new(&[], 946).bytes();
    assert_eq!(frame.len(), 1_000);
    // 0, 1000 and 2000 bytes are in front of the first three, 3000 of the fourth.
    let fates: Vec<bool> = (0..5).map(|_| bench.leaves(&frame).unwrap().is_some()).collect();
    assert_eq!(fates, [true, true, true, false, false]);
}

#[test]
fn foreign_and_damaged_frames_pass_as_they_are() {
    if !common::can_run() {
        return;
    }
    let stamp = Bench::new(&port(Duty::Stamp)).unwrap();
    let rpm = Bench::new(&port(Duty::Rpm { mark_above: Span::ZERO, params: rpm::Params::paper() })).unwrap();
    let mut coin = Coin::new(11);
    let strange: [&[u8]; 5] = [
        // Lengths of zero and one, an option longer than the header, another's experiment, ours at an odd place.
        &[254, 0, 0x50, 0x4D],
        &[254, 1, 0x50, 0x4D],
        &[254, 40, 0x50, 0x4D],
        &[254, 4, 0x50, 0x4E],
        &[1, 254, 10, 0x50, 0x4D, 0, 0, 0, 0, 0, 0, 1],
    ];
    for options in strange {
        let frame = Segment::new(options, 100).bytes();
        assert_eq!(stamp.leaves(&frame).unwrap(), Some(frame.clone()), "{options:?}");
    }
    for _ in 0..2_000 {
        let length = 14 + (coin.bits() % 120) as usize;
        let mut frame: Vec<u8> = (0..length).map(|_| coin.bits() as u8).collect();
        if coin.bits().is_multiple_of(2) && frame.len() > 60 {
            // Ours up to the options, which are noise.
            let front = Segment::new(&[], 0).bytes();
            frame[..front.len()].copy_from_slice(&front);
            frame[TCP + 12] = coin.bits() as u8;
            frame[TCP + 20] = 254;
        }
        for bench in [&stamp, &rpm] {
            let after = bench.leaves(&frame).unwrap().unwrap();
            assert_eq!(after.len(), frame.len());
        }
        assert_eq!(rpm.enters(&frame).unwrap().unwrap().len(), frame.len());
    }
}

/// Data and acks of several flows in any order through a device and through the law: the same frames, byte for byte.
fn rpm_agrees(params: rpm::Params) {
    let mark_above = Span::from_us(20);
    let bench = Bench::new(&port(Duty::Rpm { mark_above, params })).unwrap();
    let mut register =
        Register::new(Rpm::new(&params).unwrap(), vec![Slot::default(); params.slots as usize]).unwrap();
    let mut coin = Coin::new(5);
    let (mut queued, mut echoes, mut forward) = (0, 0, 0);
    for _ in 0..2_000 {
        let mut data = Segment::new(&[], (coin.bits() % 200) as usize);
        data.source.1 = 40_000 + (coin.bits() % 8) as u16;
        data.ecn = (coin.bits() % 4) as u8;
        if coin.bits().is_multiple_of(2) {
            let frame = data.bytes();
            let waits = Span::from_ns(queued * 8) > mark_above;
            let passing = Passing { tuple: data.tuple(), flow: 0, port: 0 };
            let mut expected = frame.clone();
            if waits && data.ecn != 0 && register.on_congestion(&passing) == Way::Forward {
                expected[IP + 1] |= 0b11;
                sum(&mut expected);
                forward += 1;
            }
            assert_eq!(bench.leaves(&frame).unwrap(), Some(expected));
            queued += frame.len() as u64;
        } else {
            let mut ack = data.reversed();
            let handshake = coin.bits().is_multiple_of(10);
            ack.flags = if handshake { SYN | ACK } else { ACK | (coin.bits() as u8 & ECE) };
            let frame = ack.bytes();
            let mut expected = frame.clone();
            let passing = Passing { tuple: ack.tuple(), flow: 0, port: 0 };
            if !handshake && register.on_reverse_packet(&passing) == Echo::Set {
                expected[TCP + 13] |= ECE;
                sum(&mut expected);
                echoes += 1;
            }
            assert_eq!(bench.enters(&frame).unwrap(), Some(expected));
        }
    }
    println!("{echoes} echoes, {forward} forward");
    assert!(echoes > 100, "{echoes}");
    let trusts = params.patience > 0;
    assert_eq!(forward > 0, trusts, "{forward}");
}

#[test]
fn rpm_in_the_kernel_writes_what_the_law_says_byte_for_byte() {
    if !common::can_run() {
        return;
    }
    rpm_agrees(rpm::Params { seed: 42, ..rpm::Params::paper() });
    rpm_agrees(rpm::Params { slots: 1_000, ..rpm::Params::one_bit() });
    rpm_agrees(rpm::Params::checked());
}
