//! A part of the network and the loop that runs it.

use crate::buffer::SwitchState;
use crate::capture::Capture;
use crate::crossing::Parcel;
use crate::endpoint::{Incoming, Outgoing};
use crate::homa::HomaHosts;
use crate::host::Host;
use crate::packet::{Body, NONE};
use crate::port::{Port, Sizes};
use crate::queue::{CLASSES, Queue};
use crate::record::{Delivered, Ended, Outcome, Sent, Totals};
use crate::routes::{Routes, mix};
use crate::sample::Sampler;
use crate::shared::Shared;
use crate::slab::Slab;
use crate::stamp::HopList;
use crate::wheel::Wheel;
use plimsoll_cc::CongestionControl;
use plimsoll_units::{Span, Time};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// A PFC frame on its way to the sender of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) at: u64,
    pub(crate) class: u8,
    pub(crate) pause: bool,
}

/// A part of the network: its ports, hosts and connections. Ports and hosts of other parts have
/// their places too, so that a number means the same everywhere; those places stay empty.
pub(crate) struct Partition<'a, L: CongestionControl> {
    pub(crate) shared: &'a Shared<L>,
    /// Which part each node belongs to, and which this is.
    pub(crate) part_of: &'a [u16],
    pub(crate) part: u16,
    pub(crate) wheel: Wheel,
    pub(crate) ports: Vec<Port>,
    /// Ports of this part whose far end is in another.
    pub(crate) outward: Vec<u32>,
    /// A generator of random numbers for what each port's link does, which the far end's part decides.
    pub(crate) dice: Vec<u64>,
    /// Another for what each port's switch does, which the near end's part decides.
    pub(crate) coins: Vec<u64>,
    /// The probability of loss and of damage, by link.
    pub(crate) harm: Vec<(f64, f64)>,
    /// Arrivals are looked at one by one: links harm packets, or some are captured.
    pub(crate) inspects: bool,
    pub(crate) capture: Option<Box<Capture>>,
    pub(crate) routes: Arc<Routes>,
    pub(crate) epoch: usize,
    pub(crate) next_change: usize,
    pub(crate) switches: Vec<SwitchState>,
    /// How many bytes may enter each switch before its buffer must be looked at.
    pub(crate) budgets: Vec<i64>,
    /// Switches whose buffers are counted.
    pub(crate) counting: u32,
    /// Bytes in a switch's buffer, by the port that they wait for and class.
    pub(crate) egress: Vec<[u64; CLASSES]>,
    /// Bytes in a switch's buffer, by the port that they came through and class.
    pub(crate) ingress: Vec<[u64; CLASSES]>,
    /// Bit c: the sender of this port was told to pause class c.
    pub(crate) pausing: Vec<u8>,
    pub(crate) frames: Vec<VecDeque<Frame>>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) outgoing: Slab<Outgoing<L>>,
    /// Slot of each connection's sending end.
    pub(crate) slot_of: Vec<u32>,
    /// Connections that ended before all their messages were acked: no more messages begin on them.
    pub(crate) given_up: HashSet<u32>,
    pub(crate) incoming: Vec<Incoming>,
    /// For each connection the label of its data and that of the way back, where acks take the same way.
    pub(crate) ways_back: Vec<Option<(u16, u16)>>,
    /// What hosts that speak HOMA have in place of sending and receiving ends.
    pub(crate) homa: Option<Box<HomaHosts>>,
    /// How many messages each message still waits for.
    pub(crate) waits_for: Vec<u32>,
    pub(crate) bodies: Slab<Body>,
    /// Hop records by body, if switches write them.
    pub(crate) hop_lists: Vec<HopList>,
    /// What goes to each of the other parts.
    pub(crate) outboxes: Vec<Parcel>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) delivered: Vec<Delivered>,
    pub(crate) ended: Vec<Ended>,
    pub(crate) totals: Totals,
    pub(crate) sampler: Option<Box<Sampler>>,
    pub(crate) now: u64,
}

/// What an event's number means; at equal times lower numbers come first.
enum Source {
    /// A packet can leave this port's queue. It leaves before others arrive at that moment, as it does
    /// where leaving is no event.
    Departure(u32),
    /// A packet reaches the far end of this port's link.
    Arrival(u32),
    /// A PFC frame reaches the owner of this port.
    Frame(u32),
    /// This host can do something.
    Host(u32),
    /// The network changes.
    Change,
}

impl<'a, L: CongestionControl> Partition<'a, L> {
    pub(crate) fn new(shared: &'a Shared<L>, part_of: &'a [u16], part: u16) -> Self {
        let setup = &shared.setup;
        let network = &setup.network;
        let mine = |node: u32| part_of[node as usize] == part;
        let ports = make_ports(shared, mine);
        let outward = (0..ports.len() as u32)
            .filter(|port| mine(network.near_end(*port)) && !mine(network.far_end(*port)))
            .collect();
        let mut hosts: Vec<Host> = (0..network.hosts).map(|_| Host::default()).collect();
        for (index, host) in hosts.iter_mut().enumerate() {
            host.port = shared.routes[0].1.first_port(index as u32);
        }
        for (index, message) in setup.workload.messages.iter().enumerate().rev() {
            let from = shared.connections[message.connection as usize].from;
            if let (plimsoll_scenario::Start::At(time), true) = (message.start, mine(from)) {
                hosts[from as usize].coming.push((time.as_ps(), index as u32));
            }
        }
        let usual = ports.iter().map(|port| port.delay + port.serialize(u16::MAX / 8)).max().unwrap_or(1);
        let connections = shared.connections.len();
        let limited = if shared.buffer.is_some() { ports.len() } else { 0 };
        let mut partition = Self {
            wheel: Wheel::new(3 * ports.len() + hosts.len() + 1, usual),
            dice: (0..ports.len() as u64).map(|port| mix(setup.seed ^ mix(port)) | 1).collect(),
            coins: (0..ports.len() as u64).map(|port| mix(setup.seed ^ mix(port | 1 << 40)) | 1).collect(),
            harm: network.links.iter().map(|link| (link.loss, link.corruption)).collect(),
            inspects: network.links.iter().any(|link| link.loss > 0.0 || link.corruption > 0.0),
            capture: None,
            routes: Arc::clone(&shared.routes[0].1),
            epoch: 0,
            next_change: 0,
            budgets: vec![if shared.buffer.is_some() { 0 } else { i64::MAX }; network.switches as usize],
            counting: 0,
            switches: SwitchState::all(shared),
            egress: vec![[0; CLASSES]; limited],
            ingress: vec![[0; CLASSES]; if shared.pfc.is_empty() { 0 } else { ports.len() }],
            pausing: vec![0; limited],
            frames: (0..if shared.pfc.is_empty() { 0 } else { ports.len() })
                .map(|_| VecDeque::new())
                .collect(),
            ports,
            outward,
            hosts,
            outgoing: Slab::default(),
            slot_of: vec![NONE; connections],
            given_up: HashSet::new(),
            incoming: (0..connections).map(|_| Incoming::NotYet).collect(),
            ways_back: Vec::new(),
            homa: HomaHosts::new(shared),
            waits_for: shared.messages.iter().map(|message| message.waits_for).collect(),
            bodies: Slab::default(),
            hop_lists: Vec::new(),
            outboxes: (0..=part_of.iter().copied().max().unwrap_or(0)).map(|_| Parcel::default()).collect(),
            sent: Vec::new(),
            delivered: Vec::new(),
            ended: Vec::new(),
            totals: Totals::default(),
            sampler: Sampler::new(shared, mine),
            now: 0,
            shared,
            part_of,
            part,
        };
        for host in 0..network.hosts {
            partition.set_host_event(host);
        }
        if let Some(change) = setup.changes.first() {
            let source = partition.source_of_change();
            partition.wheel.set(source, change.at.as_ps());
        }
        partition
    }

    /// Whether a node belongs to this part.
    #[inline]
    pub(crate) fn is_mine(&self, node: u32) -> bool {
        self.part_of[node as usize] == self.part
    }

    /// Runs all events up to `until`, in picoseconds.
    pub(crate) fn run_until(&mut self, until: u64) {
        while let Some((now, source)) = self.wheel.pop(until) {
            self.now = now;
            match self.source(source) {
                Source::Arrival(port) => self.arrive(now, port),
                Source::Departure(port) => self.depart(now, port),
                Source::Frame(port) => self.frame_arrives(now, port),
                Source::Host(host) => self.host_event(now, host),
                Source::Change => self.change(now),
            }
        }
    }

    /// When the next thing happens here; `u64::MAX` = never. A packet that will leave for another
    /// part is no event of this one, but time must not pass it by.
    pub(crate) fn next_event(&self) -> u64 {
        let departures = self.outward.iter().filter_map(|port| self.ports[*port as usize].head_leaves());
        departures.chain(self.wheel.peek()).min().unwrap_or(u64::MAX)
    }

    /// The number of the switch that a port belongs to; of a host's port, no switch's.
    pub(crate) fn switch_of(&self, port: u32) -> usize {
        let network = &self.shared.setup.network;
        network.near_end(port).wrapping_sub(network.hosts) as usize
    }

    #[inline(always)]
    fn source(&self, number: u32) -> Source {
        let ports = self.ports.len() as u32;
        if number < ports {
            Source::Departure(number)
        } else if number < 2 * ports {
            Source::Arrival(number - ports)
        } else if number < 3 * ports {
            Source::Frame(number - 2 * ports)
        } else if number < 3 * ports + self.hosts.len() as u32 {
            Source::Host(number - 3 * ports)
        } else {
            Source::Change
        }
    }

    pub(crate) fn source_of_departure(&self, port: u32) -> u32 {
        port
    }

    #[inline(always)]
    pub(crate) fn source_of_arrival(&self, port: u32) -> u32 {
        self.ports.len() as u32 + port
    }

    pub(crate) fn source_of_frame(&self, port: u32) -> u32 {
        2 * self.ports.len() as u32 + port
    }

    pub(crate) fn source_of_change(&self) -> u32 {
        3 * self.ports.len() as u32 + self.hosts.len() as u32
    }

    pub(crate) fn set_host_event(&mut self, host: u32) {
        let state = &self.hosts[host as usize];
        let next = state.next_event(self.ports[state.port as usize].free_at);
        let source = 3 * self.ports.len() as u32 + host;
        if next < u64::MAX { self.wheel.set(source, next.max(self.now)) } else { self.wheel.clear(source) }
    }

    /// What the part yields.
    pub(crate) fn finish(mut self) -> Outcome {
        self.stamp_departed();
        let waiting = |port: &mut Port| {
            let queued = port.queue.as_ref().map_or(0, |queue| queue.bytes());
            queued + port.drain().iter().map(|packet| u64::from(packet.size)).sum::<u64>()
        };
        let remaining: u64 = self.ports.iter_mut().map(waiting).sum();
        let is_open = |(connection, slot): (u32, &u32)| {
            let sender = (*slot != NONE).then(|| self.outgoing.get(*slot).sender())?;
            Some(Ended { connection, counters: *sender.counters(), failure: sender.failure() })
        };
        let mut open: Vec<Ended> = (0..).zip(&self.slot_of).filter_map(is_open).collect();
        open.extend(self.homa.iter().flat_map(|homa| homa.open()));
        // Acks that wait for their host's card were not sent yet.
        self.totals.remaining_bytes = remaining;
        Outcome {
            sent: self.sent,
            delivered: self.delivered,
            ended: self.ended,
            open,
            longest_queues: self.ports.iter().map(Port::longest_queue).collect(),
            totals: self.totals,
            now: Time::from_ps(self.now),
            partial: false,
        }
    }
}

fn make_ports<L>(shared: &Shared<L>, mine: impl Fn(u32) -> bool) -> Vec<Port> {
    let setup = &shared.setup;
    let network = &setup.network;
    let sizes = Sizes {
        full: (setup.mss.get() + setup.header.get()) as u16,
        ack: setup.ack_size.get() as u16,
        tick: u32::try_from(setup.tick.as_ps().max(1)).unwrap_or(u32::MAX),
    };
    let mut places = vec![0; network.switches as usize];
    let mut ports: Vec<Port> = (0..2 * network.links.len() as u32)
        .map(|port| {
            let link = &network.links[port as usize / 2];
            let (near, far) = (network.near_end(port), network.far_end(port));
            let from_switch = near >= network.hosts;
            let pipeline = if far >= network.hosts { setup.switch.pipeline } else { Span::ZERO };
            let mut port = Port::new(from_switch, far, link.rate, link.delay.saturating_add(pipeline), sizes);
            if from_switch && shared.needs_queues() {
                port.queue = Some(Box::new(Queue::permanent()));
            }
            port.leads_within = mine(far);
            let switch = near.checked_sub(network.hosts);
            let stamping = |switch: u32| setup.stamping.get(switch as usize).copied().unwrap_or(true);
            port.stamps = switch.is_some_and(stamping);
            port
        })
        .collect();
    // In the order of `SwitchState::ports`.
    for port in 0..ports.len() {
        if let Some(switch) = network.near_end(port as u32).checked_sub(network.hosts) {
            ports[port ^ 1].entry = places[switch as usize];
            places[switch as usize] += 1;
        }
    }
    ports
}
