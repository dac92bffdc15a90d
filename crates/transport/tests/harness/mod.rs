//! A small network for tests: one sender, one receiver, and bad weather between them. The seed
//! decides everything, so a failure can be repeated.

#![allow(dead_code, reason = "each test file uses its own part")]

use plimsoll_cc::{
    Ack, CongestionControl, Decision, HopRecord, Host, Loss, Path, Signals, Telemetry, Timeout,
};
use plimsoll_transport::{
    AckPacket, Completed, Config, Counters, DataPacket, Ecn, Failure, Fate, HopRecords, MaxHopDelay, Poll,
    Receiver, Reflect, Sender, Stack,
};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// 10 Gb/s, 10 µs, 1000 B of payload in packets of 1048 B.
pub(crate) fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(10),
        base_rtt: Span::from_us(10),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

/// What the network does to packets. Probabilities from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// One way, at least.
    pub(crate) delay: Span,
    /// At most so much more, at random: packets overtake each other.
    pub(crate) jitter: Span,
    pub(crate) data_loss: f64,
    pub(crate) ack_loss: f64,
    pub(crate) duplication: f64,
    /// A congestion mark on a data packet.
    pub(crate) marking: f64,
    /// A congestion echo that a switch sets on a passing ack.
    pub(crate) reverse_marking: f64,
}

impl Weather {
    pub(crate) const FAIR: Self = Self {
        delay: Span::from_us(5),
        jitter: Span::ZERO,
        data_loss: 0.0,
        ack_loss: 0.0,
        duplication: 0.0,
        marking: 0.0,
        reverse_marking: 0.0,
    };

    pub(crate) const STORM: Self = Self {
        delay: Span::from_us(5),
        jitter: Span::from_us(8),
        data_loss: 0.05,
        ack_loss: 0.05,
        duplication: 0.02,
        marking: 0.1,
        reverse_marking: 0.01,
    };
}

/// SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        ((self.roll() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    pub(crate) fn up_to(&mut self, most: Span) -> Span {
        Span::from_ps(self.roll() % (most.as_ps() + 1))
    }
}

/// Both kinds of telemetry at once, so that any law can be tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Everything {
    pub(crate) longest: MaxHopDelay,
    pub(crate) records: HopRecords,
}

impl Everything {
    /// What a law with these needs is shown.
    pub(crate) fn shown(&self, needs: Signals, reverse: Span) -> Telemetry<'_> {
        if needs.has(Signals::HOP_RECORDS) {
            self.records.telemetry(reverse)
        } else {
            self.longest.telemetry(reverse)
        }
    }
}

enum Event {
    Data(DataPacket<Everything>),
    Ack(AckPacket<Everything>),
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) end: Time,
    pub(crate) failure: Option<Failure>,
    pub(crate) completed: Vec<Completed>,
    pub(crate) counters: Counters,
    pub(crate) acks: u64,
}

/// One connection in the weather.
pub(crate) struct Run<'a, L: CongestionControl> {
    stack: &'a Stack<L>,
    weather: Weather,
    dice: Dice,
    now: Time,
    sender: Sender<L>,
    receiver: Receiver<Everything>,
    /// Arrivals in order of time; the second number breaks ties and finds the event.
    arrivals: BinaryHeap<Reverse<(Time, u64)>>,
    events: Vec<Option<Event>>,
    /// How often each byte of the stream was handed to the application.
    handed_over: Vec<u8>,
    checked_to: usize,
    port_sent: Bytes,
    acks: u64,
}

impl<'a, L: CongestionControl> Run<'a, L> {
    pub(crate) fn new(stack: &'a Stack<L>, weather: Weather, seed: u64) -> Self {
        Self {
            stack,
            weather,
            dice: Dice::new(seed),
            now: Time::ZERO,
            sender: Sender::new(stack, &Path { base_rtt: Span::from_us(10), hops: 1, seed }),
            receiver: Receiver::new(),
            arrivals: BinaryHeap::new(),
            events: Vec::new(),
            handed_over: Vec::new(),
            checked_to: 0,
            port_sent: Bytes::ZERO,
            acks: 0,
        }
    }

    /// Sends messages of these sizes: the first at the start, each other when the one before it
    /// is half acked or later. Ends when all are acked, or the connection failed.
    pub(crate) fn transfer(mut self, sizes: &[u64]) -> Outcome {
        let total: u64 = sizes.iter().sum();
        self.handed_over = vec![0; total as usize];
        let mut enqueued = 0;
        let mut next_message = sizes.iter();
        let mut completed = Vec::new();
        loop {
            while self.sender.acked_to().get() * 2 >= enqueued {
                let Some(size) = next_message.next() else { break };
                self.sender.enqueue(self.now, Bytes::new(*size)).expect("not empty");
                enqueued += size;
            }
            let pace = self.send();
            while let Some(message) = self.sender.pop_completed() {
                completed.push(message);
            }
            let failure = self.sender.failure();
            if failure.is_some() || self.sender.acked_to().get() == total {
                self.check_end(failure, sizes, &completed);
                let counters = *self.sender.counters();
                return Outcome { end: self.now, failure, completed, counters, acks: self.acks };
            }
            self.step(pace);
        }
    }

    /// Sends what may go; gives the time of the next slot.
    fn send(&mut self) -> Time {
        loop {
            match self.sender.poll_send::<Everything>(self.stack, self.now) {
                Poll::Send(packet) => {
                    assert!(packet.length > 0 && packet.length <= 1000);
                    assert_eq!(packet.sent_at, self.now);
                    self.carry_data(packet);
                }
                Poll::Wait(slot) => {
                    assert!(slot > self.now, "a slot in the past is no reason to wait");
                    return slot;
                }
                Poll::Blocked(_) | Poll::Failed(_) => return Time::NEVER,
            }
        }
    }

    /// The next thing happens.
    fn step(&mut self, pace: Time) {
        let arrival = self.arrivals.peek().map_or(Time::NEVER, |Reverse((time, _))| *time);
        let timers = self.sender.next_timer().min(self.receiver.next_timer());
        let next = arrival.min(timers).min(pace);
        assert_ne!(next, Time::NEVER, "the connection hangs: {:?}", self.sender.counters());
        assert!(next < Time::ZERO + Span::from_s(10_000), "the connection does not end");
        self.now = self.now.max(next);
        if next == arrival {
            let Some(Reverse((_, index))) = self.arrivals.pop() else { return };
            match self.events[index as usize].take() {
                Some(Event::Data(packet)) => self.deliver(&packet),
                Some(Event::Ack(ack)) => {
                    let shown = ack.reflected.shown(self.stack.law().needs(), ack.reverse_delay);
                    self.sender.on_ack(self.stack, self.now, &ack, shown);
                }
                None => {}
            }
        }
        if self.now >= self.sender.next_timer() {
            self.sender.on_timer(self.stack, self.now);
        }
        if let Some(ack) = self.receiver.on_timer(self.now) {
            self.carry_ack(ack);
        }
    }

    fn deliver(&mut self, packet: &DataPacket<Everything>) {
        let arrival = self.receiver.on_data(self.stack.config(), self.now, packet);
        match arrival.fate {
            Fate::Delivered | Fate::Kept => {
                let start = packet.offset.get() as usize;
                for count in &mut self.handed_over[start..start + packet.length as usize] {
                    *count += 1;
                    assert_eq!(*count, 1, "a byte was handed over twice");
                }
            }
            Fate::Duplicate | Fate::Dropped => {}
            Fate::Refused(refusal) => panic!("{refusal}"),
        }
        let delivered_to = self.receiver.delivered_to().get() as usize;
        assert!(delivered_to >= self.checked_to, "the stream went back");
        assert!(self.handed_over[self.checked_to..delivered_to].iter().all(|count| *count == 1));
        self.checked_to = delivered_to;
        for ack in [arrival.earlier, arrival.ack].into_iter().flatten() {
            self.carry_ack(ack);
        }
    }

    fn carry_data(&mut self, mut packet: DataPacket<Everything>) {
        let wait = self.dice.up_to(self.weather.jitter);
        self.port_sent += Bytes::new(1048);
        packet.telemetry.longest.stamp(wait);
        packet.telemetry.records.push(HopRecord {
            time: self.now + wait,
            sent: self.port_sent,
            queue: host().nic_rate.bytes_in(wait),
            rate: host().nic_rate,
        });
        packet.hops = 1;
        if packet.ecn == Ecn::Capable && self.dice.happens(self.weather.marking) {
            packet.ecn = Ecn::Marked;
        }
        let copies = 1 + u32::from(self.dice.happens(self.weather.duplication));
        for _ in 0..copies {
            if !self.dice.happens(self.weather.data_loss) {
                let late = self.dice.up_to(self.weather.jitter);
                self.arrive_after(wait + late, Event::Data(packet));
            }
        }
    }

    fn carry_ack(&mut self, mut ack: AckPacket<Everything>) {
        self.acks += 1;
        let wait = self.dice.up_to(self.weather.jitter);
        ack.reverse_delay = wait;
        ack.congestion_echo |= self.dice.happens(self.weather.reverse_marking);
        if !self.dice.happens(self.weather.ack_loss) {
            self.arrive_after(wait, Event::Ack(ack));
        }
    }

    fn arrive_after(&mut self, wait: Span, event: Event) {
        let time = self.now + self.weather.delay + wait;
        self.arrivals.push(Reverse((time, self.events.len() as u64)));
        self.events.push(Some(event));
    }

    fn check_end(&self, failure: Option<Failure>, sizes: &[u64], completed: &[Completed]) {
        for (index, message) in completed.iter().enumerate() {
            assert_eq!(message.id.0 as usize, index);
            assert_eq!(message.size.get(), sizes[index]);
            assert!(message.acked_at > message.enqueued_at);
        }
        if failure.is_some() {
            return;
        }
        assert!(self.handed_over.iter().all(|count| *count == 1), "every byte exactly once");
        assert_eq!(self.checked_to, self.handed_over.len());
        assert_eq!(completed.len(), sizes.len());
        assert_eq!(self.receiver.messages().0 as usize, sizes.len());
        assert_eq!(self.sender.in_flight(), Bytes::ZERO);
        assert_eq!(self.sender.counters().impossible_acks, 0);
        assert!(self.sender.is_idle());
    }
}

/// A law that always decides the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed(pub(crate) Decision);

impl Fixed {
    /// A window of so many packets; below one they are spaced by pacing.
    pub(crate) fn window(packets: f64) -> Self {
        Self(Decision::packets(&host(), packets, Span::from_us(10)))
    }

    pub(crate) fn stack(self, config: Config) -> Stack<Self> {
        Stack::new("fixed", self, &host(), config, Signals::NONE).expect("needs nothing")
    }
}

impl CongestionControl for Fixed {
    type Flow = ();
    fn needs(&self) -> Signals {
        Signals::NONE
    }
    fn start(&self, _path: &Path) -> ((), Decision) {
        ((), self.0)
    }
    fn on_ack(&self, (): &mut (), ack: &Ack<'_>) -> Decision {
        assert!(ack.marked <= ack.acked);
        assert!(ack.acked_to <= ack.sent_to);
        self.0
    }
    fn on_loss(&self, (): &mut (), _loss: &Loss) -> Decision {
        self.0
    }
    fn on_timeout(&self, (): &mut (), _timeout: &Timeout) -> Decision {
        self.0
    }
    fn decision(&self, (): &()) -> Decision {
        self.0
    }
}
