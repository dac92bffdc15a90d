//! What is read while a run goes on: queues, rates, windows, round trips.
//!
//! Sampling is no event: the run stops at each moment of sampling when everything up to it has
//! happened, and looks. So a run is the same with and without it, and a packet-hop costs the same.
//! Each part looks at what is its own; the readings of a moment are put in order and handed over
//! before the run goes on, so that nothing is kept.

use crate::packet::NONE;
use crate::partition::Partition;
use crate::port::Port;
use crate::shared::Shared;
use plimsoll_cc::{CongestionControl, Telemetry};
use plimsoll_metrics::{Reading, Sample, Sink};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use std::io;

/// What is sampled, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The first moment.
    pub start: Time,
    /// Between two moments; not zero.
    pub interval: Span,
    /// No moment after this one.
    pub stop: Time,
    /// Ports whose queue is read.
    pub queues: Vec<u32>,
    /// Ports whose throughput is read.
    pub throughput: Vec<u32>,
    /// Switches whose buffer is read, by node.
    pub buffers: Vec<u32>,
    /// What is read of connections.
    pub connections: ConnectionReadings,
    /// Which groups' connections are read, by number of the group.
    pub groups: Vec<bool>,
}

/// What is read of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionReadings {
    /// What reached the receiver.
    pub goodput: bool,
    /// Window and pace.
    pub windows: bool,
    /// The last round trip.
    pub rtt: bool,
    /// What is in flight.
    pub in_flight: bool,
    /// The longest wait at a hop.
    pub hop_delay: bool,
    /// Marks by switches and the reductions that follow, at their own moments.
    pub marks: bool,
}

impl ConnectionReadings {
    /// Whether anything is read of sending ends.
    fn of_senders(self) -> bool {
        self.windows || self.rtt || self.in_flight || self.hop_delay
    }

    /// Whether anything is read of acks.
    fn of_acks(self) -> bool {
        self.rtt || self.hop_delay
    }
}

impl Sampling {
    /// Whether nothing is read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ports = self.queues.is_empty() && self.throughput.is_empty() && self.buffers.is_empty();
        let events = self.connections.goodput || self.connections.marks;
        ports && !events && !self.connections.of_senders()
    }
}

/// What the last ack of a sending end told, in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct LastAck {
    rtt: Option<u64>,
    hop_delay: Option<u64>,
}

/// Whether the ack that moved a window told of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Mark,
    NoMark,
}

/// A part's own share of sampling.
#[derive(Debug)]
pub(crate) struct Sampler {
    plan: Sampling,
    next: u64,
    /// The moment before.
    last: Option<u64>,
    /// What each port of `plan.throughput` had sent then, in bits times picoseconds per second.
    sent: Vec<u128>,
    /// Connections that have received something and not all, and what they had then.
    receiving: Vec<(u32, u64)>,
    /// Connections that have begun; some may have ended.
    sending: Vec<u32>,
    /// By slot of the sending end.
    acks: Vec<LastAck>,
    samples: Vec<Sample>,
}

impl Sampler {
    /// The share of the part that owns the nodes that are `mine`, if anything is sampled.
    pub(crate) fn new<L>(shared: &Shared<L>, mine: impl Fn(u32) -> bool) -> Option<Box<Self>> {
        let mut plan = shared.setup.sampling.clone()?;
        let network = &shared.setup.network;
        plan.queues.retain(|port| mine(network.near_end(*port)));
        plan.throughput.retain(|port| mine(network.near_end(*port)));
        plan.buffers.retain(|node| mine(*node));
        Some(Box::new(Self {
            next: plan.start.as_ps(),
            last: None,
            sent: vec![0; plan.throughput.len()],
            receiving: Vec::new(),
            sending: Vec::new(),
            acks: Vec::new(),
            samples: Vec::new(),
            plan,
        }))
    }

    /// The next moment; `u64::MAX` = none.
    fn due(&self) -> u64 {
        if self.next <= self.plan.stop.as_ps() { self.next } else { u64::MAX }
    }

    fn reads(&self, group: u16) -> bool {
        self.plan.groups.get(usize::from(group)).copied().unwrap_or(false)
    }

    fn put(&mut self, at: u64, subject: u32, reading: Reading) {
        self.samples.push(Sample { at: Time::from_ps(at), subject, reading });
    }
}

impl<L: CongestionControl> Partition<'_, L> {
    /// The next moment of sampling; `u64::MAX` = none.
    pub(crate) fn next_sample(&self) -> u64 {
        self.sampler.as_ref().map_or(u64::MAX, |sampler| sampler.due())
    }

    /// The first bytes of a connection have arrived.
    pub(crate) fn receives(&mut self, connection: u32) {
        let group = self.shared.setup.workload.connections[connection as usize].group;
        if let Some(sampler) = &mut self.sampler
            && sampler.plan.connections.goodput
            && sampler.reads(group)
        {
            sampler.receiving.push((connection, 0));
        }
    }

    /// A sending end begins in `slot`.
    pub(crate) fn sends(&mut self, connection: u32, slot: u32) {
        let group = self.shared.setup.workload.connections[connection as usize].group;
        let Some(sampler) = &mut self.sampler else { return };
        if sampler.plan.connections.of_acks() {
            if sampler.acks.len() <= slot as usize {
                sampler.acks.resize(slot as usize + 1, LastAck::default());
            }
            sampler.acks[slot as usize] = LastAck::default();
        }
        if sampler.plan.connections.of_senders() && sampler.reads(group) {
            sampler.sending.push(connection);
        }
    }

    /// The sending end in `slot` had an ack.
    pub(crate) fn hears(&mut self, slot: u32, rtt: Option<Span>, telemetry: &Telemetry<'_>) {
        let Some(sampler) = &mut self.sampler else { return };
        let Some(ack) = sampler.acks.get_mut(slot as usize) else { return };
        ack.rtt = rtt.map(Span::as_ps).or(ack.rtt);
        ack.hop_delay = match telemetry {
            Telemetry::MaxHop { forward, .. } => Some(forward.as_ps()),
            Telemetry::Hops(hops) => hops
                .iter()
                .map(|hop| hop.rate.checked_serialize(hop.queue, Rounding::Up).map_or(0, Span::as_ps))
                .max(),
            _ => None,
        };
    }

    /// A switch decides at `now` to mark a packet of a connection, which has waited so long.
    #[cold]
    pub(crate) fn saw_mark(&mut self, now: u64, connection: u32, wait: u64) {
        self.note(now, connection, Reading::Mark(Span::from_ps(wait)));
    }

    /// A switch hands at `now` a mark that is owed to a passing packet of a connection.
    #[cold]
    pub(crate) fn saw_echo(&mut self, now: u64, connection: u32, size: Bytes) {
        self.note(now, connection, Reading::Echo(size));
    }

    /// An ack makes the sender of a connection reduce its window at `now`.
    #[cold]
    pub(crate) fn window_fell(&mut self, now: u64, connection: u32, heard: Heard, after: Bytes) {
        let reading = match heard {
            Heard::Mark => Reading::Reduction(after),
            Heard::NoMark => Reading::Decrease(after),
        };
        self.note(now, connection, reading);
    }

    /// Something happened at its own moment. It is handed over with the readings of the next moment of sampling,
    /// so that everything leaves by time.
    fn note(&mut self, now: u64, connection: u32, reading: Reading) {
        let group = self.shared.setup.workload.connections[connection as usize].group;
        let Some(sampler) = &mut self.sampler else { return };
        let plan = &sampler.plan;
        let within = plan.start.as_ps() <= now && now <= plan.stop.as_ps();
        if plan.connections.marks && within && sampler.reads(group) {
            sampler.put(now, connection, reading);
        }
    }

    /// Reads everything at `at`: all events up to then have happened, and none after it.
    pub(crate) fn sample(&mut self, at: u64) {
        let Some(mut sampler) = self.sampler.take() else { return };
        self.read_ports(&mut sampler, at);
        self.read_receivers(&mut sampler, at);
        self.read_senders(&mut sampler, at);
        sampler.last = Some(at);
        sampler.next = sampler.next.saturating_add(sampler.plan.interval.as_ps().max(1));
        self.sampler = Some(sampler);
    }

    /// The run ends at `at`: what happened since the last moment is read as well.
    pub(crate) fn sample_rest(&mut self, at: u64) {
        let Some(sampler) = &self.sampler else { return };
        let wanted = sampler.last.is_some_and(|last| last < at) && at <= sampler.plan.stop.as_ps();
        if wanted {
            self.sample(at);
        }
    }

    /// What was read since the last call.
    pub(crate) fn take_samples(&mut self) -> Vec<Sample> {
        self.sampler.as_mut().map_or_else(Vec::new, |sampler| std::mem::take(&mut sampler.samples))
    }

    fn read_ports(&self, sampler: &mut Sampler, at: u64) {
        let network = &self.shared.setup.network;
        for index in 0..sampler.plan.queues.len() {
            let port = sampler.plan.queues[index];
            sampler.put(at, port, Reading::Queue(self.queue_of(port, at)));
        }
        for index in 0..sampler.plan.throughput.len() {
            let port = sampler.plan.throughput[index];
            let sent = sent_by(&self.ports[port as usize], at);
            let since = sent.saturating_sub(std::mem::replace(&mut sampler.sent[index], sent));
            if let Some(last) = sampler.last {
                let rate = since / u128::from((at - last).max(1));
                let rate = Rate::from_bps(u64::try_from(rate).unwrap_or(u64::MAX));
                sampler.put(at, port, Reading::Throughput(rate));
            }
        }
        for index in 0..sampler.plan.buffers.len() {
            let node = sampler.plan.buffers[index];
            let ports = &self.switches[(node - network.hosts) as usize].ports;
            let held = ports.iter().map(|port| self.queue_of(*port, at).get()).sum();
            sampler.put(at, node, Reading::Buffer(Bytes::new(held)));
        }
    }

    /// What waits for a port: of a host, acks do.
    fn queue_of(&self, port: u32, at: u64) -> Bytes {
        let pipe = &self.ports[port as usize];
        let near = self.shared.setup.network.near_end(port);
        let acks: u64 = match self.hosts.get(near as usize) {
            Some(host) => host.acks.iter().map(|ack| u64::from(ack.size)).sum(),
            None => 0,
        };
        Bytes::new(pipe.waiting(at).bytes + acks)
    }

    fn read_receivers(&self, sampler: &mut Sampler, at: u64) {
        let mut receiving = std::mem::take(&mut sampler.receiving);
        receiving.retain_mut(|(connection, before)| {
            let plan = &self.shared.connections[*connection as usize];
            let progress = match &self.homa {
                None => self.incoming[*connection as usize].delivered_to(),
                Some(homa) => homa.delivered(*connection, plan.bytes),
            };
            let delivered = progress.unwrap_or(plan.bytes).get();
            let bytes = delivered - std::mem::replace(before, delivered);
            // A connection that was stopped has no goodput of zero: it has none.
            let over = bytes == 0 && plan.stop <= at;
            if let (Some(last), false) = (sampler.last, over) {
                let rate = Rate::saturating_from(Bytes::new(bytes), Span::from_ps((at - last).max(1)));
                sampler.put(at, *connection, Reading::Goodput(rate));
            }
            progress.is_some()
        });
        sampler.receiving = receiving;
    }

    fn read_senders(&self, sampler: &mut Sampler, at: u64) {
        let wanted = sampler.plan.connections;
        let mut sending = std::mem::take(&mut sampler.sending);
        // A connection can end and begin again between two moments.
        sending.sort_unstable();
        sending.dedup();
        sending.retain(|connection| self.slot_of[*connection as usize] != NONE);
        for connection in &sending {
            let slot = self.slot_of[*connection as usize];
            let sender = self.outgoing.get(slot).sender();
            let ack = sampler.acks.get(slot as usize).copied().unwrap_or_default();
            if wanted.windows {
                // A law that sets no window, or no pace, says that everything is allowed.
                if sender.window() < Bytes::MAX {
                    sampler.put(at, *connection, Reading::Window(sender.window()));
                }
                if sender.pacing() < Rate::MAX {
                    sampler.put(at, *connection, Reading::PacingRate(sender.pacing()));
                }
            }
            if let (true, Some(rtt)) = (wanted.rtt, ack.rtt) {
                sampler.put(at, *connection, Reading::RoundTrip(Span::from_ps(rtt)));
            }
            if wanted.in_flight {
                sampler.put(at, *connection, Reading::InFlight(sender.in_flight()));
            }
            if let (true, Some(delay)) = (wanted.hop_delay, ack.hop_delay) {
                sampler.put(at, *connection, Reading::MaxHopDelay(Span::from_ps(delay)));
            }
        }
        sampler.sending = sending;
    }
}

/// What the port had sent by `at`, to the bit, in bits times picoseconds per second.
fn sent_by(port: &Port, at: u64) -> u128 {
    let waiting = port.waiting(at);
    let started = port.left_bytes + waiting.just_left;
    // What of the packet on the wire is still to come.
    let rest = port.free_at.saturating_sub(at).saturating_sub(waiting.time);
    let bits = u128::from(started) * 8 * 1_000_000_000_000;
    bits.saturating_sub(u128::from(rest) * u128::from(port.rate.as_bps()))
}

/// Takes the readings of all parts, moment by moment.
pub(crate) struct Recorder<'a> {
    sink: &'a mut (dyn Sink<Sample> + Send),
    gathered: Vec<Sample>,
    error: Option<io::Error>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(sink: &'a mut (dyn Sink<Sample> + Send)) -> Self {
        Self { sink, gathered: Vec::new(), error: None }
    }

    /// Takes a part's readings of one moment.
    pub(crate) fn gather(&mut self, samples: Vec<Sample>) {
        if self.gathered.is_empty() { self.gathered = samples } else { self.gathered.extend(samples) }
    }

    /// All parts have handed over theirs. Says whether more are wanted.
    pub(crate) fn hand_over(&mut self) -> bool {
        // Two switches can mark packets of a connection at the same moment: the values tell them apart.
        let key =
            |sample: &Sample| (sample.at, sample.reading.rank(), sample.subject, sample.reading.value());
        self.gathered.sort_unstable_by_key(key);
        for sample in self.gathered.drain(..) {
            if self.error.is_none() {
                self.error = self.sink.put(sample).err();
            }
        }
        self.error.is_none()
    }

    /// Why readings could not be stored, if so.
    pub(crate) fn into_error(self) -> Option<io::Error> {
        self.error
    }
}
