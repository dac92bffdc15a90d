//! A small network for tests: one sender, one receiver, and bad weather between them. The seed
//! decides everything, so a failure can be repeated.

#![allow(dead_code, reason = "each test file uses its own part")]

use plimsoll_cc::{Ack, CongestionControl, Decision, Host, Loss, Path, Signals, Timeout};
use plimsoll_transport::codec::{Channel, Seen};
use plimsoll_transport::{
    AckPacket, Completed, Config, Counters, DataPacket, Ecn, Failure, Fate, Gathered, HopReader, Poll,
    Receiver, Sender, Stack,
};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use plimsoll_wire::compact_hop::UnitScale;
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::header::{ConnectionId, mark_congestion_in_place, set_circuit_up_in_place};
use plimsoll_wire::hop_records::HopStack;
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::telemetry::TelemetryKind;
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
    /// Packets go as bytes, and with this probability a bit of theirs is turned over.
    pub(crate) corruption: Option<f64>,
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
        corruption: None,
    };

    pub(crate) const STORM: Self = Self {
        delay: Span::from_us(5),
        jitter: Span::from_us(8),
        data_loss: 0.05,
        ack_loss: 0.05,
        duplication: 0.02,
        marking: 0.1,
        reverse_marking: 0.01,
        corruption: None,
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

/// What passes through the network.
enum Event {
    Data(DataPacket<Gathered>),
    Ack(AckPacket<Gathered>),
    DataBytes(Vec<u8>, Seen),
    AckBytes(Vec<u8>),
}

/// What the acks that reached the sender said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) acks: u64,
    /// The sum of all hop counts.
    pub(crate) hops: u64,
    pub(crate) circuit_up: u64,
    pub(crate) refused: u64,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) end: Time,
    pub(crate) failure: Option<Failure>,
    pub(crate) completed: Vec<Completed>,
    pub(crate) counters: Counters,
    pub(crate) acks: u64,
    pub(crate) heard: Heard,
    /// Packets that arrived damaged and were dropped.
    pub(crate) damaged: u64,
}

/// One connection in the weather.
pub(crate) struct Run<'a, L: CongestionControl> {
    stack: &'a Stack<L>,
    weather: Weather,
    dice: Dice,
    now: Time,
    sender: Sender<L>,
    receiver: Receiver<Gathered>,
    channel: Channel,
    reader: HopReader,
    /// Arrivals in order of time; the second number breaks ties and finds the event.
    arrivals: BinaryHeap<Reverse<(Time, u64)>>,
    events: Vec<Option<Event>>,
    /// How often each byte of the stream was handed to the application.
    handed_over: Vec<u8>,
    checked_to: usize,
    port_sent: Bytes,
    acks: u64,
    heard: Heard,
    damaged: u64,
}

impl<'a, L: CongestionControl> Run<'a, L> {
    pub(crate) fn new(stack: &'a Stack<L>, weather: Weather, seed: u64) -> Self {
        let telemetry = match stack.law().needs().has(Signals::HOP_RECORDS) {
            true => TelemetryKind::ExactHops,
            false => TelemetryKind::MaxHopDelay,
        };
        Self {
            stack,
            weather,
            channel: Channel { connection: ConnectionId(9), telemetry },
            reader: HopReader::new(UnitScale::ONE),
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
            heard: Heard::default(),
            damaged: 0,
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
                return Outcome {
                    end: self.now,
                    failure,
                    completed,
                    counters: *self.sender.counters(),
                    acks: self.acks,
                    heard: self.heard,
                    damaged: self.damaged,
                };
            }
            self.step(pace);
        }
    }

    /// Sends what may go; gives the time of the next slot.
    fn send(&mut self) -> Time {
        loop {
            match self.sender.poll_send::<Gathered>(self.stack, self.now) {
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
            if let Some(event) = self.events[index as usize].take() {
                self.arrive(event);
            }
        }
        if self.now >= self.sender.next_timer() {
            self.sender.on_timer(self.stack, self.now);
        }
        if let Some(ack) = self.receiver.on_timer(self.now) {
            self.carry_ack(ack);
        }
    }

    fn arrive(&mut self, event: Event) {
        match event {
            Event::Data(packet) => self.deliver(&packet),
            Event::Ack(ack) => self.hear(&ack),
            Event::DataBytes(bytes, seen) => match self.channel.decode_data(&bytes, seen) {
                Ok((packet, payload)) => {
                    assert_eq!(payload, payload_of(packet.offset, packet.length), "wrong bytes got through");
                    self.deliver(&packet);
                }
                Err(_) => self.damaged += 1,
            },
            Event::AckBytes(bytes) => match self.channel.decode_ack(&self.sender, &bytes) {
                Ok(ack) => self.hear(&ack),
                Err(_) => self.damaged += 1,
            },
        }
    }

    fn hear(&mut self, ack: &AckPacket<Gathered>) {
        self.heard.acks += 1;
        self.heard.hops += u64::from(ack.hops);
        self.heard.circuit_up += u64::from(ack.circuit_up);
        self.heard.refused += u64::from(ack.refused);
        let telemetry = self.reader.read(&ack.reflected, ack.reverse_delay);
        self.sender.on_ack(self.stack, self.now, ack, telemetry);
    }

    fn deliver(&mut self, packet: &DataPacket<Gathered>) {
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
            Fate::Refused(refusal) => unreachable!("{refusal}"),
        }
        let delivered_to = self.receiver.delivered_to().get() as usize;
        assert!(delivered_to >= self.checked_to, "the stream went back");
        assert!(self.handed_over[self.checked_to..delivered_to].iter().all(|count| *count == 1));
        self.checked_to = delivered_to;
        for ack in [arrival.earlier, arrival.ack].into_iter().flatten() {
            self.carry_ack(ack);
        }
    }

    fn carry_data(&mut self, mut packet: DataPacket<Gathered>) {
        let wait = self.dice.up_to(self.weather.jitter);
        self.port_sent += Bytes::new(1048);
        let hop = ExactHop {
            time: self.now + wait,
            sent: self.port_sent,
            queue: host().nic_rate.bytes_in(wait),
            rate: host().nic_rate,
        };
        if packet.ecn == Ecn::Capable && self.dice.happens(self.weather.marking) {
            packet.ecn = Ecn::Marked;
        }
        let circuit_up = circuit_is_up(self.now);
        let hops = if circuit_up { HOPS_WITH_CIRCUIT } else { HOPS };
        let mut bytes = [0; 2000];
        let mut size = 0;
        if self.weather.corruption.is_some() {
            let payload = payload_of(packet.offset, packet.length);
            size = self.channel.encode_data(&packet, &payload, &mut bytes).expect("there is room");
            match self.channel.telemetry {
                TelemetryKind::ExactHops => HopStack::push(&mut bytes, hop).expect("the first hop"),
                _ => drop(MaxHopDelay::update_in_place(&mut bytes, wait, Rounding::Down)),
            }
            if circuit_up {
                let front = self.channel.telemetry.travelling_size();
                set_circuit_up_in_place(&mut bytes[front..]).expect("a data packet");
            }
        } else {
            packet.circuit_up = circuit_up;
            packet.hops = hops;
            packet.telemetry = match self.channel.telemetry {
                TelemetryKind::ExactHops => Gathered::ExactHops([hop].into_iter().collect()),
                _ => Gathered::MaxHopDelay(MaxHopDelay::quantise(wait, Rounding::Down)),
            };
        }
        let copies = 1 + u32::from(self.dice.happens(self.weather.duplication));
        for _ in 0..copies {
            if !self.dice.happens(self.weather.data_loss) {
                let late = self.dice.up_to(self.weather.jitter);
                let damaged = self.damaged_bytes(&bytes[..size]);
                let event = match self.weather.corruption {
                    Some(_) => Event::DataBytes(damaged, Seen { ecn: packet.ecn, hops }),
                    None => Event::Data(packet),
                };
                self.arrive_after(wait + late, event);
            }
        }
    }

    fn carry_ack(&mut self, mut ack: AckPacket<Gathered>) {
        self.acks += 1;
        let wait = self.dice.up_to(self.weather.jitter);
        let echo = self.dice.happens(self.weather.reverse_marking);
        let event = if self.weather.corruption.is_some() {
            let mut bytes = [0; 500];
            let size = self.channel.encode_ack(&ack, &self.receiver, &mut bytes).expect("there is room");
            if self.channel.telemetry == TelemetryKind::MaxHopDelay {
                MaxHopDelay::update_in_place(&mut bytes, wait, Rounding::Down).expect("there is room");
            }
            if echo {
                let front = if self.channel.telemetry == TelemetryKind::MaxHopDelay { 2 } else { 0 };
                mark_congestion_in_place(&mut bytes[front..]).expect("an ack");
            }
            Event::AckBytes(self.damaged_bytes(&bytes[..size]))
        } else {
            self.damaged_bytes(&[]);
            // As the wire has it: in units of 256 ns, and only where acks are stamped.
            if self.channel.telemetry == TelemetryKind::MaxHopDelay {
                ack.reverse_delay = MaxHopDelay::quantise(wait, Rounding::Down).delay();
            }
            ack.congestion_echo |= echo;
            Event::Ack(ack)
        };
        if !self.dice.happens(self.weather.ack_loss) {
            self.arrive_after(wait, event);
        }
    }

    /// Rolls the dice in the same way whether packets go as bytes or not.
    fn damaged_bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        if self.dice.happens(self.weather.corruption.unwrap_or_default()) {
            let bit = self.dice.roll() as usize % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        bytes
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
            assert!(message.acked_at >= message.enqueued_at);
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

/// Switches on the way, without and with the circuit.
pub(crate) const HOPS: u8 = 5;
pub(crate) const HOPS_WITH_CIRCUIT: u8 = 2;

/// A circuit joins the racks for 30 µs of every 100 µs and spares three switches.
fn circuit_is_up(now: Time) -> bool {
    now.as_ps() % Span::from_us(100).as_ps() >= Span::from_us(70).as_ps()
}

/// The application's bytes: a pattern without a short period.
fn payload_of(offset: Bytes, length: u32) -> Vec<u8> {
    (offset.get()..offset.get() + u64::from(length))
        .map(|position| (position.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
        .collect()
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
