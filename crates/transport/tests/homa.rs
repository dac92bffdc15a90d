//! HOMA's protocol: what is granted, when, at which level, worked out by hand; and whatever the network does, every
//! byte is delivered once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

use plimsoll_cc::homa::{Homa, Params};
use plimsoll_cc::{Configure, Host};
use plimsoll_transport::homa::{Data, Kind, MessageNumber, Output, Packet, Receiver, Rules, Sender};
use plimsoll_units::{Bytes, Rate, Span, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

const TIMEOUT: Span = Span::from_ms(1);

/// R = 10 kB in packets of 1 kB; D messages at the same time; without sizes the blind levels split R evenly.
fn rules(overcommitment: u32) -> Rules {
    patient_rules(overcommitment, 3)
}

/// The same with another number of questions in vain.
fn patient_rules(overcommitment: u32, max_resends: u32) -> Rules {
    let host = Host {
        nic_rate: Rate::from_gbps(10),
        base_rtt: Span::from_us(8),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    let params = Params {
        rtt_bytes: Some(Bytes::from_kb(10)),
        overcommitment: Some(overcommitment),
        resend_timeout: TIMEOUT,
        max_resends,
        ..Params::sigcomm18()
    };
    Rules::new(&Homa::new(&params, &host).unwrap(), host.mss, &[])
}

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn data(packet: u64, total: u64) -> Data {
    let length = 1_000.min(total - packet * 1_000) as u32;
    Data { offset: Bytes::new(packet * 1_000), length, total: Bytes::new(total), repeated: false }
}

/// A receiver that is told of packets one by one.
struct Ear {
    rules: Rules,
    receiver: Receiver,
    output: Output,
}

impl Ear {
    fn new(overcommitment: u32) -> Self {
        Self { rules: rules(overcommitment), receiver: Receiver::default(), output: Output::default() }
    }

    /// Packet number `packet` of a message of `total` bytes from its own sender; gives what is said.
    fn hears(&mut self, message: u64, packet: u64, total: u64) -> Vec<(u64, Kind)> {
        self.hears_from(message as u32, message, packet, total)
    }

    fn hears_from(&mut self, sender: u32, message: u64, packet: u64, total: u64) -> Vec<(u64, Kind)> {
        let data = data(packet, total);
        self.receiver.on_data(&self.rules, at(1), sender, MessageNumber(message), &data, &mut self.output);
        self.said()
    }

    fn said(&mut self) -> Vec<(u64, Kind)> {
        self.output.packets.drain(..).map(|packet| (packet.message.0, packet.kind)).collect()
    }
}

fn grant(message: u64, kilobytes: u64, level: u8) -> (u64, Kind) {
    (message, Kind::Grant { to: Bytes::from_kb(kilobytes), level })
}

#[test]
fn each_packet_of_a_message_alone_is_answered_by_a_grant_ten_packets_ahead() {
    let mut ear = Ear::new(2);
    for packet in 0..25 {
        let said = ear.hears(7, packet, 25_000);
        // Packet p is the (p + 1)-th: granted p + 11 kB, of which there are 25.
        match packet {
            0..15 => assert_eq!(said, [grant(7, packet + 11, 0)], "packet {packet}"),
            15..24 => assert_eq!(said, [], "packet {packet}"),
            _ => assert_eq!(said, [(7, Kind::Done)]),
        }
    }
}

#[test]
fn a_message_that_fits_into_rtt_bytes_needs_no_grant() {
    let mut ear = Ear::new(1);
    let said: Vec<_> = (0..10).flat_map(|packet| ear.hears(1, packet, 10_000)).collect();
    assert_eq!(said, [(1, Kind::Done)]);
}

#[test]
fn a_shorter_message_takes_the_place_of_a_longer_one() {
    let mut ear = Ear::new(1);
    assert_eq!(ear.hears(1, 0, 1_000_000), [grant(1, 11, 0)]);
    assert_eq!(ear.hears(2, 0, 30_000), [grant(2, 11, 0)]);
    assert_eq!(ear.hears(1, 1, 1_000_000), [], "the longer one waits");
    assert_eq!(ear.hears(2, 1, 30_000), [grant(2, 12, 0)]);
}

#[test]
fn of_two_granted_messages_the_shorter_is_at_the_higher_level() {
    let mut ear = Ear::new(2);
    assert_eq!(ear.hears(1, 0, 1_000_000), [grant(1, 11, 0)]);
    assert_eq!(ear.hears(2, 0, 30_000), [grant(2, 11, 1)]);
    assert_eq!(ear.hears(1, 1, 1_000_000), [grant(1, 12, 0)]);
    assert_eq!(ear.hears(3, 0, 500_000), [grant(3, 11, 0)], "the longest waits now");
    assert_eq!(ear.hears(1, 2, 1_000_000), []);
}

#[test]
fn of_one_sender_only_the_shortest_message_is_granted() {
    let mut ear = Ear::new(2);
    assert_eq!(ear.hears_from(9, 1, 0, 30_000), [grant(1, 11, 0)]);
    assert_eq!(ear.hears_from(9, 2, 0, 40_000), []);
    assert_eq!(ear.hears_from(8, 3, 0, 50_000), [grant(3, 11, 0)]);
}

#[test]
fn a_message_that_needs_no_more_grants_makes_way_packet_by_packet() {
    let mut ear = Ear::new(1);
    // All blind bytes of both are there; the shorter has been granted its last byte with its tenth packet.
    let last = (0..10).map(|packet| ear.hears(1, packet, 20_000)).last().unwrap();
    assert_eq!(last, [grant(1, 20, 0)]);
    for packet in 0..10 {
        // 10 kB of message 1 are under way, all that D = 1 allows.
        assert_eq!(ear.hears(2, packet, 30_000), []);
    }
    assert_eq!(ear.hears(1, 10, 20_000), [grant(2, 11, 0)]);
    assert_eq!(ear.hears(1, 11, 20_000), [grant(2, 12, 0)]);
}

#[test]
fn what_is_missing_is_asked_for_after_the_timeout_and_again_until_it_is_given_up() {
    let mut ear = Ear::new(1);
    // Packet 3 of 30 is lost, and so is all from packet 11 on; 11 kB are granted with packet 10 counted, to 20 kB.
    for packet in (0..=10).filter(|packet| *packet != 3) {
        ear.hears(1, packet, 30_000);
    }
    let question = Kind::Resend { from: Bytes::from_kb(3), to: Bytes::from_kb(4), level: 1 };
    // Levels 1 to 7 are blind; 30 kB are beyond all cut-offs, so it was sent at the lowest of them.
    assert_eq!(ear.receiver.next_timer(), at(1) + TIMEOUT);
    for turn in 1..=3 {
        ear.receiver.on_timer(&ear.rules, at(1) + TIMEOUT.saturating_mul(turn), &mut ear.output);
        assert_eq!(ear.said(), [(1, question)], "turn {turn}");
    }
    ear.receiver.on_timer(&ear.rules, at(1) + TIMEOUT.saturating_mul(4), &mut ear.output);
    assert_eq!((ear.said(), ear.output.given_up.pop()), (vec![], Some(MessageNumber(1))));
}

#[test]
fn granted_bytes_are_asked_for_at_the_level_of_their_present_rank() {
    let mut ear = Ear::new(2);
    // Alone it is granted at the lowest level; behind its last packet a longer one begins, and it is the first of two.
    for packet in 0..10 {
        assert_eq!(ear.hears(1, packet, 100_000), [grant(1, packet + 11, 0)]);
    }
    assert_eq!(ear.hears(2, 0, 1_000_000), [grant(2, 11, 0)]);
    ear.receiver.on_timer(&ear.rules, at(1) + TIMEOUT, &mut ear.output);
    let question = Kind::Resend { from: Bytes::from_kb(10), to: Bytes::from_kb(20), level: 1 };
    assert!(ear.said().contains(&(1, question)));
}

#[test]
fn of_a_message_that_goes_on_after_it_was_given_up_no_byte_is_lost_or_counted_twice() {
    let mut ear = Ear::new(1);
    let counted = |ear: &mut Ear, packets: std::ops::Range<u64>| -> u64 {
        let mut count = 0;
        for packet in packets {
            let (rules, data) = (&ear.rules, data(packet, 30_000));
            let receiver = &mut ear.receiver;
            count += receiver.on_data(rules, at(1), 1, MessageNumber(1), &data, &mut ear.output).new.get();
        }
        count
    };
    assert_eq!(counted(&mut ear, 0..11), 11_000);
    ear.said();
    for turn in 1..=4 {
        ear.receiver.on_timer(&ear.rules, at(1) + TIMEOUT.saturating_mul(turn), &mut ear.output);
    }
    assert_eq!(ear.output.given_up, [MessageNumber(1)]);
    ear.said();
    // D = 1: it is in nobody's way.
    assert_eq!(ear.hears(2, 0, 50_000), [grant(2, 11, 0)]);
    // Its sender was away, not gone. A copy of packet 10 brings nothing new; with packet 11, 12 kB are here and it has
    // fewer bytes left than the other.
    assert_eq!(counted(&mut ear, 10..11), 0);
    ear.said();
    assert_eq!(counted(&mut ear, 11..12), 1_000);
    assert_eq!(ear.said(), [grant(1, 22, 0)]);
    assert_eq!(counted(&mut ear, 12..30), 18_000, "30 kB in all");
    assert_eq!(ear.said().pop(), Some((1, Kind::Done)));
}

#[test]
fn the_first_gap_of_granted_bytes_is_asked_for_at_the_granted_level() {
    let mut ear = Ear::new(1);
    for packet in 0..10 {
        ear.hears(1, packet, 30_000);
    }
    ear.receiver.on_timer(&ear.rules, at(1) + TIMEOUT, &mut ear.output);
    let question = Kind::Resend { from: Bytes::from_kb(10), to: Bytes::from_kb(20), level: 0 };
    assert_eq!(ear.said(), [(1, question)]);
}

#[test]
fn what_cannot_be_part_of_a_message_is_ignored() {
    let mut ear = Ear::new(1);
    ear.hears(1, 0, 30_000);
    let mut feed = |data: Data| {
        let arrival = ear.receiver.on_data(&ear.rules, at(2), 1, MessageNumber(1), &data, &mut ear.output);
        (arrival.new, ear.output.packets.drain(..).count())
    };
    let usual = data(1, 30_000);
    for wrong in [
        Data { length: 0, ..usual },
        Data { offset: Bytes::MAX, ..usual },
        Data { offset: Bytes::new(29_500), ..usual },
        Data { total: Bytes::new(40_000), ..usual },
        Data { total: Bytes::ZERO, ..usual },
    ] {
        assert_eq!(feed(wrong), (Bytes::ZERO, 0), "{wrong:?}");
    }
    assert_eq!(feed(usual), (Bytes::new(1_000), 1));
    assert_eq!(feed(usual), (Bytes::ZERO, 0), "a copy is neither counted nor granted");
}

/// All packets that a sender has to send now, as (message, offset in kB, level).
fn sent(sender: &mut Sender, rules: &Rules) -> Vec<(u64, u64, u8)> {
    let mut packets = Vec::new();
    while let Some(packet) = sender.poll_send(rules, at(0), |_| true) {
        let Kind::Data(data) = packet.kind else { panic!("{packet:?}") };
        packets.push((packet.message.0, data.offset.get() / 1_000, packet.level));
    }
    packets
}

fn tell(sender: &mut Sender, rules: &Rules, message: u64, kind: Kind) -> Vec<Kind> {
    let mut output = Output::default();
    let packet = Packet { message: MessageNumber(message), level: 7, kind };
    sender.on_packet(rules, at(1), &packet, &mut output);
    output.packets.into_iter().map(|packet| packet.kind).collect()
}

#[test]
fn the_message_with_the_fewest_bytes_left_is_sent_first() {
    let rules = rules(1);
    let mut sender = Sender::default();
    sender.begin(&rules, at(0), MessageNumber(1), Bytes::new(3_500));
    sender.begin(&rules, at(0), MessageNumber(2), Bytes::new(2_000));
    // Seven blind levels split 10 kB: 1428 B each. 2000 B are in the second, 3500 B in the third.
    let expected = [(2, 0, 6), (2, 1, 6), (1, 0, 5), (1, 1, 5), (1, 2, 5), (1, 3, 5)];
    assert_eq!(sent(&mut sender, &rules), expected);
}

#[test]
fn a_paused_level_lets_the_next_message_go() {
    let rules = rules(1);
    let mut sender = Sender::default();
    sender.begin(&rules, at(0), MessageNumber(1), Bytes::new(1_000));
    sender.begin(&rules, at(0), MessageNumber(2), Bytes::new(2_000));
    let next = sender.poll_send(&rules, at(0), |level| level != 7).unwrap();
    assert_eq!((next.message.0, next.level), (2, 6));
    assert_eq!(sender.poll_send(&rules, at(0), |_| false), None);
}

#[test]
fn no_grant_reaches_beyond_the_end_of_a_message() {
    let rules = rules(1);
    let mut sender = Sender::default();
    sender.begin(&rules, at(0), MessageNumber(1), Bytes::new(12_500));
    assert_eq!(sent(&mut sender, &rules).len(), 10, "blind bytes");
    tell(&mut sender, &rules, 1, Kind::Grant { to: Bytes::MAX, level: 255 });
    // Three more packets, the last of 500 B; there is no level above 7.
    assert_eq!(sent(&mut sender, &rules), [(1, 10, 7), (1, 11, 7), (1, 12, 7)]);
    tell(&mut sender, &rules, 1, Kind::Grant { to: Bytes::ZERO, level: 0 });
    tell(&mut sender, &rules, 1, Kind::Resend { from: Bytes::MAX, to: Bytes::ZERO, level: 0 });
    assert_eq!(sent(&mut sender, &rules), []);
    let all = Kind::Resend { from: Bytes::new(12_000), to: Bytes::MAX, level: 3 };
    tell(&mut sender, &rules, 1, all);
    assert_eq!(sent(&mut sender, &rules), [(1, 12, 3)]);
}

#[test]
fn who_must_wait_for_shorter_messages_says_busy_and_who_is_gone_says_so() {
    let rules = rules(1);
    let mut sender = Sender::default();
    sender.begin(&rules, at(0), MessageNumber(1), Bytes::new(20_000));
    let question = Kind::Resend { from: Bytes::ZERO, to: Bytes::new(5_000), level: 0 };
    assert_eq!(tell(&mut sender, &rules, 1, question), []);
    sender.begin(&rules, at(0), MessageNumber(2), Bytes::new(2_000));
    assert_eq!(tell(&mut sender, &rules, 1, question), [Kind::Busy]);
    assert_eq!(tell(&mut sender, &rules, 3, question), [Kind::Unknown]);
    assert_eq!(tell(&mut sender, &rules, 3, Kind::Done), []);
}

#[test]
fn a_sender_that_nobody_answers_asks_less_and_less_often_and_gives_up() {
    let rules = rules(1);
    let (mut sender, mut output) = (Sender::default(), Output::default());
    sender.begin(&rules, Time::ZERO, MessageNumber(1), Bytes::new(500));
    sent(&mut sender, &rules);
    let mut asked = Vec::new();
    while output.given_up.is_empty() {
        let now = sender.next_timer();
        sender.on_timer(&rules, now, &mut output);
        asked.extend(output.packets.drain(..).map(|packet| (now.as_ps() / 1_000_000_000, packet.kind)));
    }
    // After 1 ms, then 2, then 4.
    let probe = Kind::Probe { total: Bytes::new(500) };
    assert_eq!(asked, [(1, probe), (3, probe), (7, probe)]);
    assert_eq!((output.given_up, sender.is_ready()), (vec![MessageNumber(1)], false));
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ x >> 31) as f64 / 18_446_744_073_709_551_616.0
    }
}

/// Senders, which have the messages in turn, and one receiver; packets take 5 µs and up to `jitter` more, and get lost or doubled.
struct World {
    rules: Rules,
    senders: Vec<Sender>,
    receiver: Receiver,
    dice: Dice,
    loss: f64,
    jitter: f64,
    /// Packets under way, by time and number.
    flying: BTreeMap<(Time, u64), Packet>,
    count: u64,
    sizes: Vec<u64>,
    received: Vec<u64>,
    granted: Vec<u64>,
    /// Packets of each message that were sent, without those that were sent again.
    packets: Vec<u64>,
}

impl World {
    fn new(overcommitment: u32, sizes: &[u64], senders: usize) -> Self {
        // Of question and answer 28 % are lost at most: thirty in a row are not.
        let rules = patient_rules(overcommitment, 30);
        let blind = |size: &u64| rules.policy.blind_bytes(Bytes::new(*size)).get();
        Self {
            senders: vec![Sender::default(); senders],
            receiver: Receiver::default(),
            dice: Dice(0),
            loss: 0.0,
            jitter: 0.0,
            flying: BTreeMap::new(),
            count: 0,
            sizes: sizes.to_vec(),
            received: vec![0; sizes.len()],
            packets: vec![0; sizes.len()],
            granted: sizes.iter().map(blind).collect(),
            rules,
        }
    }

    fn fly(&mut self, now: Time, packet: Packet) {
        let copies = u32::from(self.dice.roll() >= self.loss) + u32::from(self.dice.roll() < self.loss / 4.0);
        for _ in 0..copies {
            let delay = 5.0 + self.jitter * self.dice.roll();
            self.count += 1;
            self.flying.insert((now + Span::from_ns((delay * 1e3) as u64), self.count), packet);
        }
    }

    /// A grant is never further than R ahead of what has arrived, and sums up to D · R where nothing is lost and
    /// no message overtakes another.
    fn check(&mut self, packet: &Packet, calm: bool) {
        let Kind::Grant { to, .. } = packet.kind else { return };
        let index = packet.message.0 as usize;
        assert!(to.get() <= self.received[index] + 10_000 || to.get() <= self.granted[index]);
        assert!(to.get() <= self.sizes[index]);
        self.granted[index] = self.granted[index].max(to.get());
        let blind = |index: usize| self.sizes[index].min(10_000);
        let coming = (0..self.sizes.len())
            .map(|index| self.granted[index].saturating_sub(self.received[index].max(blind(index))));
        let partly = (0..self.sizes.len()).filter(|index| {
            self.granted[*index] > blind(*index) && self.granted[*index] < self.sizes[*index]
        });
        if calm {
            let degree = u64::from(self.rules.policy.overcommitment());
            assert!(coming.sum::<u64>() <= degree * 10_000);
            assert!(partly.count() as u64 <= degree, "more messages than D are being granted");
        }
    }

    /// Runs until all messages are done; gives when that was.
    fn run(&mut self, calm: bool) -> Time {
        let (mut done, mut now) = (0, Time::ZERO);
        for (message, size) in self.sizes.clone().into_iter().enumerate() {
            let number = MessageNumber(message as u64);
            let sender = message % self.senders.len();
            self.senders[sender].begin(&self.rules, now, number, Bytes::new(size));
        }
        while done < self.sizes.len() {
            let mut output = Output::default();
            for sender in 0..self.senders.len() {
                // One packet per microsecond, a little faster than 10 Gb/s.
                if let Some(packet) = self.senders[sender].poll_send(&self.rules, now, |_| true) {
                    let is_new = matches!(packet.kind, Kind::Data(data) if !data.repeated);
                    self.packets[packet.message.0 as usize] += u64::from(is_new);
                    self.fly(now, packet);
                }
                self.senders[sender].on_timer(&self.rules, now, &mut output);
            }
            self.receiver.on_timer(&self.rules, now, &mut output);
            assert_eq!(output.given_up, [], "at {now}");
            while self.flying.first_key_value().is_some_and(|((at, _), _)| *at <= now) {
                let Some((_, packet)) = self.flying.pop_first() else { break };
                let sender = packet.message.0 as u32 % self.senders.len() as u32;
                match packet.kind {
                    Kind::Data(data) => {
                        let receiver = &mut self.receiver;
                        let arrival =
                            receiver.on_data(&self.rules, now, sender, packet.message, &data, &mut output);
                        self.received[packet.message.0 as usize] += arrival.new.get();
                    }
                    Kind::Busy | Kind::Probe { .. } | Kind::Unknown => {
                        self.receiver.on_packet(&self.rules, now, sender, &packet, &mut output);
                    }
                    _ => {
                        let sender = &mut self.senders[sender as usize];
                        let finished = sender.on_packet(&self.rules, now, &packet, &mut output);
                        done += usize::from(finished.is_some());
                    }
                }
                for packet in &output.packets {
                    self.check(packet, calm);
                }
                for packet in std::mem::take(&mut output.packets) {
                    self.fly(now, packet);
                }
            }
            for packet in std::mem::take(&mut output.packets) {
                self.check(&packet, calm);
                self.fly(now, packet);
            }
            now = now.saturating_add(Span::from_us(1));
            assert!(now < at(3_000_000), "it hangs: {:?} of {:?}", self.received, self.sizes);
        }
        assert_eq!(self.received, self.sizes, "every byte, once");
        now
    }
}

#[test]
fn a_message_alone_takes_its_bytes_and_one_trip() {
    // 5 µs there and 5 back, and a grant is heard when the packet of its microsecond has left: R, ten packets, leaves
    // every 11 µs. The last of 100 leaves at 9 · 11 + 9 = 108 µs, its DONE is there at 118, and the next step is 119.
    assert_eq!(World::new(1, &[100_000], 1).run(true), at(119));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn never_more_than_d_messages_are_granted_and_never_more_than_d_times_r(
        degree in 1_u32..6, count in 1_usize..12, size in 1_u64..60_000,
    ) {
        World::new(degree, &vec![size; count], count).run(true);
    }

    #[test]
    fn no_grant_cuts_a_packet_whatever_odd_ends_other_messages_leave(
        degree in 1_u32..6,
        sizes in proptest::collection::vec(1_u64..60_000, 1..8),
        senders in 1_usize..4,
    ) {
        let mut world = World::new(degree, &sizes, senders);
        world.run(false);
        // All packets but a message's last have 1 kB.
        let fewest: Vec<u64> = sizes.iter().map(|size| size.div_ceil(1_000)).collect();
        prop_assert_eq!(world.packets, fewest);
    }

    #[test]
    fn every_byte_is_delivered_once_whatever_is_lost_doubled_or_overtaken(
        degree in 1_u32..6,
        sizes in proptest::collection::vec(1_u64..60_000, 1..8),
        loss in 0.0..0.15_f64,
        jitter in 0.0..30.0_f64,
        seed: u64,
    ) {
        let world = World::new(degree, &sizes, 3);
        World { loss, jitter, dice: Dice(seed), ..world }.run(false);
    }

    #[test]
    fn no_packet_however_absurd_panics(
        packets in proptest::collection::vec((0_u64..4, 0_u8..8, any::<u64>(), any::<u64>(), any::<u32>()), 1..200),
    ) {
        let rules = rules(2);
        let (mut sender, mut receiver, mut output) =
            (Sender::default(), Receiver::default(), Output::default());
        sender.begin(&rules, at(0), MessageNumber(0), Bytes::new(50_000));
        sender.begin(&rules, at(0), MessageNumber(1), Bytes::MAX);
        for (step, (message, kind, a, b, c)) in packets.into_iter().enumerate() {
            let (a, b) = (Bytes::new(a), Bytes::new(b));
            let data = Data { offset: a, length: c, total: b, repeated: false };
            let kind = match kind {
                0 => Kind::Grant { to: a, level: c as u8 },
                1 => Kind::Resend { from: a, to: b, level: c as u8 },
                2 => Kind::Busy,
                3 => Kind::Probe { total: a },
                4 => Kind::Done,
                5 => Kind::Unknown,
                _ => Kind::Data(data),
            };
            let packet = Packet { message: MessageNumber(message), level: c as u8, kind };
            let now = at(step as u64 * 300);
            sender.on_packet(&rules, now, &packet, &mut output);
            receiver.on_packet(&rules, now, c, &packet, &mut output);
            receiver.on_data(&rules, now, c, packet.message, &data, &mut output);
            sender.on_timer(&rules, now, &mut output);
            receiver.on_timer(&rules, now, &mut output);
            if let Some(packet) = sender.poll_send(&rules, now, |_| true) {
                prop_assert!(matches!(packet.kind, Kind::Data(data) if data.length <= 1_000));
            }
        }
    }
}
