//! DCTCP's rate form against the simulator that it comes from, flow by flow.
//!
//! Sixteen hosts send 1 MB each to a seventeenth over one switch, two flows every 20 µs: 100 Gb/s,
//! 1 µs per link, a step of marks at 300 KB. The expected times are those of HPCC's ns-3
//! (github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a, mode 8, R_ai 615 Mb/s,
//! R_min 1 Gb/s, g 1/16). That simulator has a clock of whole nanoseconds and cuts off the rest of
//! every serialisation time (83 ns for 83.84); so does this test, since exact times move single
//! flows by up to 4 %.
#![allow(clippy::unwrap_used, reason = "a test")]

use plimsoll_cc::dctcp::{self, Dctcp, Flow};
use plimsoll_cc::red::{self, Red};
use plimsoll_cc::{Ack, Configure, CongestionControl, Decision, Host, Path, Verdict};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const SIZE: u64 = 1_000_000;
const PAYLOAD: u64 = 1_000;
const DATA: Bytes = Bytes::new(1_048);
const ACK: Bytes = Bytes::new(60);
const LINE: Rate = Rate::from_gbps(100);
const PROPAGATION: Span = Span::from_us(1);

/// When each flow starts, in ns: there, start times lose a nanosecond in a conversion now and then.
const STARTS: [u64; 16] = [
    0, 0, 20_000, 20_000, 39_999, 39_999, 59_999, 59_999, 80_000, 80_000, 100_000, 100_000, 119_999, 119_999,
    140_000, 140_000,
];
/// When the sender had its last ack, in ns.
const FINISHES: [u64; 16] = [
    1_154_720, 1_155_135, 1_295_488, 1_295_654, 1_276_730, 1_276_813, 1_331_174, 1_348_031, 1_192_070,
    1_182_110, 1_162_522, 1_163_352, 916_842, 916_925, 676_474, 676_557,
];
/// The longest queue that an arriving packet found, in bytes.
const LONGEST_QUEUE: u64 = 405_576;

/// The packet of a flow that ends at a position of its stream, or its ack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    flow: usize,
    end: u64,
    marked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    MaySend(usize),
    DataAtSwitch(Packet),
    SwitchIsFree,
    DataAtReceiver(Packet),
    AckAtSender(Packet),
}

struct Sender {
    flow: Flow,
    decision: Decision,
    sent: u64,
    acked: u64,
    next_slot: Time,
    finished: Time,
}

struct Incast {
    law: Dctcp,
    red: Red,
    now: Time,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    scheduled: u64,
    senders: Vec<Sender>,
    queue: VecDeque<Packet>,
    switch_is_busy: bool,
    longest_queue: u64,
}

/// Whole nanoseconds, the rest cut off.
fn serialize(rate: Rate, bytes: Bytes) -> Span {
    let exact = rate.checked_serialize(bytes, Rounding::Down).unwrap();
    Span::from_ns(exact.as_ns())
}

impl Incast {
    fn new() -> Self {
        let host =
            Host { nic_rate: LINE, base_rtt: Span::from_ns(4_160), mtu: DATA, mss: Bytes::new(PAYLOAD) };
        let law = Dctcp::new(&dctcp::Params::hpcc_sim(), &host).unwrap();
        let path = Path { base_rtt: host.base_rtt, hops: 1, seed: 0 };
        let senders = STARTS.map(|start| {
            let (flow, decision) = law.start(&path);
            let next_slot = Time::after_start(Span::from_ns(start));
            Sender { flow, decision, sent: 0, acked: 0, next_slot, finished: Time::NEVER }
        });
        let mut incast = Self {
            law,
            red: Red::new(&red::Params::dctcp(), LINE).unwrap(),
            now: Time::ZERO,
            events: BinaryHeap::new(),
            scheduled: 0,
            senders: senders.into(),
            queue: VecDeque::new(),
            switch_is_busy: false,
            longest_queue: 0,
        };
        for flow in 0..STARTS.len() {
            incast.at(incast.senders[flow].next_slot, Event::MaySend(flow));
        }
        incast
    }

    fn at(&mut self, time: Time, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((time, self.scheduled, event)));
    }

    fn run(&mut self) {
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            self.now = now;
            match event {
                Event::MaySend(flow) => self.send(flow),
                Event::DataAtSwitch(packet) => self.enqueue(packet),
                Event::SwitchIsFree => self.forward(),
                Event::DataAtReceiver(packet) => {
                    // The ack crosses two links and is never queued: data comes more slowly.
                    let way = (serialize(LINE, ACK) + PROPAGATION) * 2;
                    self.at(now + way, Event::AckAtSender(packet));
                }
                Event::AckAtSender(packet) => self.take_ack(packet),
            }
        }
    }

    /// Window and pace both limit; the window is checked before the packet, so it may be exceeded
    /// by part of one.
    fn send(&mut self, flow: usize) {
        let sender = &mut self.senders[flow];
        let open = sender.sent < SIZE && sender.sent - sender.acked < sender.decision.window.get();
        if !open || self.now < sender.next_slot {
            return;
        }
        sender.sent += PAYLOAD;
        let (end, slot) = (sender.sent, self.now + serialize(sender.decision.pacing, DATA));
        sender.next_slot = slot;
        let arrival = self.now + serialize(LINE, DATA) + PROPAGATION;
        self.at(arrival, Event::DataAtSwitch(Packet { flow, end, marked: false }));
        self.at(slot, Event::MaySend(flow));
    }

    fn queued(&self) -> u64 {
        self.queue.len() as u64 * DATA.get()
    }

    fn enqueue(&mut self, packet: Packet) {
        self.longest_queue = self.longest_queue.max(self.queued());
        self.queue.push_back(packet);
        if !self.switch_is_busy {
            self.switch_is_busy = true;
            self.at(self.now, Event::SwitchIsFree);
        }
    }

    fn forward(&mut self) {
        let Some(packet) = self.queue.pop_front() else {
            self.switch_is_busy = false;
            return;
        };
        let marked = self.red.verdict(Bytes::new(self.queued()), 0.0) == Verdict::Mark;
        let sent = self.now + serialize(LINE, DATA);
        self.at(sent + PROPAGATION, Event::DataAtReceiver(Packet { marked, ..packet }));
        self.at(sent, Event::SwitchIsFree);
    }

    fn take_ack(&mut self, packet: Packet) {
        let sender = &mut self.senders[packet.flow];
        sender.acked = packet.end;
        let ack = Ack {
            now: self.now,
            acked: Bytes::new(PAYLOAD),
            marked: Bytes::new(if packet.marked { PAYLOAD } else { 0 }),
            ece: packet.marked,
            in_flight: Bytes::new(sender.sent - sender.acked),
            acked_to: Bytes::new(sender.acked),
            sent_to: Bytes::new(sender.sent),
            ..Ack::default()
        };
        sender.decision = self.law.on_ack(&mut sender.flow, &ack);
        if packet.end == SIZE {
            sender.finished = self.now;
        }
        let slot = sender.next_slot.max(self.now);
        self.at(slot, Event::MaySend(packet.flow));
    }
}

#[test]
fn every_flow_finishes_when_it_does_in_hpccs_simulator() {
    let mut incast = Incast::new();
    incast.run();
    assert_eq!(incast.longest_queue, LONGEST_QUEUE);
    for (flow, (sender, &expected)) in incast.senders.iter().zip(&FINISHES).enumerate() {
        // Packets that arrive in the same nanosecond may be queued in either order: one packet.
        let difference = sender.finished.since_start().as_ns().abs_diff(expected);
        assert!(difference <= 83, "flow {flow}: {} instead of {expected} ns", sender.finished);
    }
}
