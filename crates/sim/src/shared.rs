//! What all parts of a run share and nobody changes.

use crate::packet::WAIT_SHIFT;
use crate::queue::CLASSES;
use crate::routes::{Routes, label, mix};
use crate::setup::{ChangeKind, Setup, Spreading};
use crate::unit::Unit;
use plimsoll_cc::codel::CoDel;
use plimsoll_cc::plb::Plb;
use plimsoll_cc::red::Red;
use plimsoll_cc::rpm::Rpm;
use plimsoll_cc::{ParamError, Path};
use plimsoll_scenario::switch::{Encoding, Sharing};
use plimsoll_scenario::{IntMode, Network, Start};
use plimsoll_transport::Stack;
use plimsoll_units::{Bytes, Rate, Span};
use std::sync::Arc;

/// What switches write when a packet leaves a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    Nothing,
    LongestWait,
    HopRecords,
}

/// The units of what switches write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    pub(crate) wait: Unit,
    pub(crate) time: Unit,
    pub(crate) sent: Unit,
    pub(crate) queue: Unit,
    /// The largest wait that a stamp holds, in 2^[`WAIT_SHIFT`] picoseconds.
    pub(crate) longest_wait: u64,
}

/// How a switch's buffer is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferRule {
    pub(crate) sharing: Sharing,
    pub(crate) size: u64,
    /// Dynamic thresholds' α by class.
    pub(crate) alpha: [f64; CLASSES],
    /// Whether PFC protects the class.
    pub(crate) lossless: [bool; CLASSES],
}

/// PFC of the packets that enter a switch by one port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PfcRule {
    pub(crate) alpha: f64,
    pub(crate) reserve: u64,
    pub(crate) resume_offset: u64,
    pub(crate) headroom: u64,
}

/// A message as the engine sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessagePlan {
    pub(crate) connection: u32,
    pub(crate) bytes: Bytes,
    /// How many messages it waits for, and how long after the last of them it begins.
    pub(crate) waits_for: u32,
    pub(crate) delay: u64,
}

/// A connection as the engine sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionPlan {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) class: u8,
    pub(crate) label: u16,
    /// It keeps its label, which leads it through its waypoints.
    pub(crate) pinned: bool,
    pub(crate) stop: u64,
    /// All bytes that it will ever carry.
    pub(crate) bytes: Bytes,
    /// Its messages: a range of [`Shared::messages_of`].
    pub(crate) first_message: u32,
    pub(crate) messages: u32,
}

/// What all parts of a run share.
#[derive(Debug)]
pub(crate) struct Shared<L> {
    pub(crate) setup: Setup,
    pub(crate) stack: Stack<L>,
    pub(crate) connections: Vec<ConnectionPlan>,
    pub(crate) messages: Vec<MessagePlan>,
    /// Messages grouped by connection, in the order in which they are sent.
    pub(crate) messages_of: Vec<u32>,
    /// Messages that wait for each message: a range of `followers` from `first_follower[m]` on.
    pub(crate) first_follower: Vec<u32>,
    pub(crate) followers: Vec<u32>,
    /// Routes from each moment on at which links break or return.
    pub(crate) routes: Vec<(u64, Arc<Routes>)>,
    pub(crate) stamp: Stamp,
    /// Whether anybody wants to know what a queue was like when a packet left it.
    pub(crate) counts_departures: bool,
    pub(crate) units: Units,
    /// Marking by port, if switches mark.
    pub(crate) marking: Vec<Red>,
    pub(crate) marks_class: [bool; CLASSES],
    pub(crate) codel: Option<CoDel>,
    pub(crate) rpm: Option<Rpm>,
    pub(crate) rpm_slots: usize,
    /// The place of each port among those of its switch, if there is RPM.
    pub(crate) places: Vec<u32>,
    pub(crate) plb: Option<Plb>,
    /// The network's base round trip.
    pub(crate) base_rtt: Span,
    pub(crate) priorities: [u8; CLASSES],
    pub(crate) buffer: Option<BufferRule>,
    /// PFC by the port that leads into the switch; empty if off.
    pub(crate) pfc: Vec<PfcRule>,
}

/// Counts the ports of each node from 0.
fn places(network: &Network) -> Vec<u32> {
    let mut next = vec![0; (network.hosts + network.switches) as usize];
    let place = |port: u32| {
        let next = &mut next[network.near_end(port) as usize];
        *next += 1;
        *next - 1
    };
    (0..2 * network.links.len() as u32).map(place).collect()
}

impl<L> Shared<L> {
    pub(crate) fn new(setup: Setup, stack: Stack<L>) -> Result<Self, ParamError<'static>> {
        let network = &setup.network;
        let switch = &setup.switch;
        let rates: Vec<Rate> = network.links.iter().flat_map(|link| [link.rate, link.rate]).collect();
        let marking = match &switch.marking {
            Some(params) => rates.iter().map(|rate| Red::new(params, *rate)).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let (stamp, units) = telemetry(switch.int);
        let rpm_slots = switch.rpm.map_or(0, |params| params.slots as usize);
        let by_class = |read: &dyn Fn(usize) -> bool| std::array::from_fn(read);
        let class = |index: usize| switch.classes.get(index).cloned().unwrap_or_default();
        Ok(Self {
            routes: route_epochs(&setup),
            stamp,
            counts_departures: stamp != Stamp::Nothing
                || !marking.is_empty()
                || setup.sampling.as_ref().is_some_and(|sampling| !sampling.throughput.is_empty()),
            units,
            marking,
            marks_class: by_class(&|index| class(index).marks),
            codel: switch.codel.as_ref().map(CoDel::new).transpose()?,
            rpm: switch.rpm.as_ref().map(Rpm::new).transpose()?,
            rpm_slots,
            places: if switch.rpm.is_some() { places(network) } else { Vec::new() },
            plb: match &setup.spreading {
                Spreading::Plb(params) => Some(Plb::new(params)?),
                _ => None,
            },
            base_rtt: setup.base_rtt,
            priorities: std::array::from_fn(|index| class(index).priority as u8),
            buffer: buffer_rule(&setup),
            pfc: pfc_rules(&setup),
            connections: connection_plans(&setup),
            messages_of: messages_by_connection(&setup),
            messages: message_plans(&setup),
            first_follower: first_followers(&setup),
            followers: followers(&setup),
            stack,
            setup,
        })
    }

    /// Whether this switch has CoDel and reverse path congestion marking, if any has.
    pub(crate) fn manages(&self, switch: u32) -> bool {
        self.setup.managing.get(switch as usize).copied().unwrap_or(true)
    }

    /// Whether departures from this switch's ports must be events from the start.
    pub(crate) fn needs_queues(&self, switch: u32) -> bool {
        // Marks by the length of a queue are worked out later where leaving is no event: too late to be recorded.
        let recorded = self.setup.sampling.as_ref().is_some_and(|sampling| sampling.connections.marks);
        let marks = recorded && !self.marking.is_empty();
        let managed = (self.codel.is_some() || self.rpm.is_some()) && self.manages(switch);
        managed || marks || self.setup.switch.classes.len() > 1
    }

    /// The `n`-th message of a connection.
    pub(crate) fn message_of(&self, connection: u32, n: u64) -> u32 {
        let plan = &self.connections[connection as usize];
        self.messages_of[(u64::from(plan.first_message) + n) as usize]
    }

    pub(crate) fn followers_of(&self, message: u32) -> &[u32] {
        let (first, end) = (
            self.first_follower[message as usize] as usize,
            self.first_follower[message as usize + 1] as usize,
        );
        &self.followers[first..end]
    }

    /// The path of a connection: its base round trip and its switches.
    pub(crate) fn path(&self, routes: &Routes, connection: u32, label: u16) -> Path {
        let network = &self.setup.network;
        let plan = &self.connections[connection as usize];
        let mut base_rtt = Span::ZERO;
        let mut hops = 0;
        let mut port = routes.first_port(plan.from);
        loop {
            let link = &network.links[port as usize / 2];
            let time = link.rate.checked_serialize(self.setup.mss, plimsoll_units::Rounding::Up);
            base_rtt = base_rtt
                .saturating_add(link.delay.saturating_mul(2))
                .saturating_add(time.unwrap_or(Span::ZERO));
            let node = network.far_end(port);
            if node < network.hosts {
                break;
            }
            hops += 1;
            base_rtt = base_rtt.saturating_add(self.setup.switch.pipeline.saturating_mul(2));
            match routes.next_port(node, plan.to, label) {
                Some(next) => port = next,
                None => break,
            }
        }
        Path { base_rtt, hops, seed: mix(self.setup.seed ^ mix(u64::from(connection) << 1)) }
    }
}

fn telemetry(mode: IntMode) -> (Stamp, Units) {
    let one = Unit::new(1);
    let exact = Units { wait: one, time: one, sent: one, queue: one, longest_wait: u64::from(u32::MAX) };
    match mode {
        IntMode::None => (Stamp::Nothing, exact),
        IntMode::MaxHopDelay { encoding } => {
            let (unit, limit) = IntMode::delay_steps(encoding);
            let longest_wait = (limit.as_ps() >> WAIT_SHIFT).min(u64::from(u32::MAX));
            (Stamp::LongestWait, Units { wait: Unit::new(unit.as_ps()), longest_wait, ..exact })
        }
        IntMode::HopRecords { encoding: Encoding::Exact, .. } => {
            // Low 32 bits of 256 ps reach back a second.
            (Stamp::HopRecords, Units { time: Unit::new(256), ..exact })
        }
        IntMode::HopRecords { encoding: Encoding::Wire, multiple } => {
            let (sent, queue) = (Unit::new(128 * u64::from(multiple)), Unit::new(80 * u64::from(multiple)));
            (Stamp::HopRecords, Units { time: Unit::new(1_000), sent, queue, ..exact })
        }
    }
}

fn buffer_rule(setup: &Setup) -> Option<BufferRule> {
    let buffer = &setup.switch.buffer;
    let class = |index: usize| setup.switch.classes.get(index).cloned().unwrap_or_default();
    Some(BufferRule {
        sharing: buffer.sharing,
        size: buffer.limit()?.get(),
        alpha: std::array::from_fn(|index| class(index).alpha.unwrap_or(buffer.alpha)),
        lossless: std::array::from_fn(|index| setup.switch.pfc.is_some() && class(index).lossless),
    })
}

fn pfc_rules(setup: &Setup) -> Vec<PfcRule> {
    let (Some(pfc), Some(_)) = (&setup.switch.pfc, setup.switch.buffer.limit()) else {
        return Vec::new();
    };
    let host_links =
        setup.network.links.iter().filter(|link| link.ends.iter().any(|end| *end < setup.network.hosts));
    let nic_rate = host_links.map(|link| link.rate).max().unwrap_or(Rate::from_gbps(1));
    let mtu = setup.mss.saturating_add(setup.header);
    let rule = |link: &plimsoll_scenario::Link| PfcRule {
        alpha: pfc.alpha_for(link.rate, nic_rate),
        reserve: pfc.reserve.get(),
        resume_offset: pfc.resume_offset.get(),
        headroom: pfc.headroom_for(link.rate, link.delay, mtu).get(),
    };
    setup.network.links.iter().flat_map(|link| [rule(link), rule(link)]).collect()
}

/// Routes at the start, and after each moment at which links break or return.
fn route_epochs(setup: &Setup) -> Vec<(u64, Arc<Routes>)> {
    let mut up = vec![true; setup.network.links.len()];
    let routes = |up: &[bool]| Arc::new(Routes::new(&setup.network, |link| up[link], setup.seed));
    let mut epochs = vec![(0, routes(&up))];
    let mut index = 0;
    while index < setup.changes.len() {
        let at = setup.changes[index].at;
        let mut changed = false;
        while let Some(change) = setup.changes.get(index).filter(|change| change.at == at) {
            match change.what {
                ChangeKind::LinkDown(link) => (up[link as usize], changed) = (false, true),
                ChangeKind::LinkUp(link) => (up[link as usize], changed) = (true, true),
                _ => {}
            }
            index += 1;
        }
        if changed {
            epochs.push((at.as_ps(), routes(&up)));
        }
    }
    epochs
}

fn connection_plans(setup: &Setup) -> Vec<ConnectionPlan> {
    let pinned = |index: usize| setup.pinned.get(index).copied().flatten();
    let mut plans: Vec<ConnectionPlan> = setup
        .workload
        .connections
        .iter()
        .enumerate()
        .map(|(index, connection)| ConnectionPlan {
            from: connection.from,
            to: connection.to,
            class: connection.class,
            label: pinned(index).unwrap_or_else(|| label(setup.seed, index as u32, 0)),
            pinned: pinned(index).is_some(),
            stop: connection.stop.as_ps(),
            bytes: Bytes::ZERO,
            first_message: 0,
            messages: 0,
        })
        .collect();
    for message in &setup.workload.messages {
        let plan = &mut plans[message.connection as usize];
        plan.messages += 1;
        plan.bytes = plan.bytes.saturating_add(message.bytes);
    }
    let mut first = 0;
    for plan in &mut plans {
        plan.first_message = first;
        first += plan.messages;
    }
    plans
}

fn messages_by_connection(setup: &Setup) -> Vec<u32> {
    let mut messages: Vec<u32> = (0..setup.workload.messages.len() as u32).collect();
    messages.sort_by_key(|message| setup.workload.messages[*message as usize].connection);
    messages
}

fn message_plans(setup: &Setup) -> Vec<MessagePlan> {
    let plan = |message: &plimsoll_scenario::Message| {
        let (waits_for, delay) = match message.start {
            Start::At(_) => (0, Span::ZERO),
            Start::After { delay, .. } => (1, delay),
            Start::AfterAll { count, delay, .. } => (count, delay),
        };
        MessagePlan { connection: message.connection, bytes: message.bytes, waits_for, delay: delay.as_ps() }
    };
    setup.workload.messages.iter().map(plan).collect()
}

/// Where each message's followers begin, and where the last one's end.
fn first_followers(setup: &Setup) -> Vec<u32> {
    let messages = setup.workload.messages.len();
    let mut first = vec![0; messages + 1];
    for message in 0..messages {
        for dependency in setup.workload.dependencies(message) {
            first[*dependency as usize + 1] += 1;
        }
    }
    for index in 0..messages {
        first[index + 1] += first[index];
    }
    first
}

fn followers(setup: &Setup) -> Vec<u32> {
    let mut next = first_followers(setup);
    let mut followers = vec![0; next.last().copied().unwrap_or(0) as usize];
    for message in 0..setup.workload.messages.len() {
        for dependency in setup.workload.dependencies(message) {
            let place = &mut next[*dependency as usize];
            followers[*place as usize] = message as u32;
            *place += 1;
        }
    }
    followers
}
