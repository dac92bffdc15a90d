//! From a scenario to records: what a run is made of, the run, and what it yields.

use crate::packet::MOST_HOSTS;
use crate::record::{Ended, Outcome};
use crate::routes::{Routes, pinned_labels};
use crate::run::{Control, run};
use crate::sample::{ConnectionReadings, Sampling};
use crate::setup::{Setup, Spreading};
use crate::timeline::changes;
use plimsoll_cc::registry::Visitor;
use plimsoll_cc::{CongestionControl, Host, ParamError, Signals};
use plimsoll_metrics::{
    Discard, Drops, Failure, MessageRecord, Reason, Sample, Sink, Summary, Tally, TraceHash,
};
use plimsoll_scenario::select::Switches;
use plimsoll_scenario::{Kind, Message, Network, Paths, Refusal, Scenario, Workload};
use plimsoll_transport::{Stack, StackError};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::fmt;
use std::io;

/// How a run is done; the result does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads to run on, at least one.
    pub threads: usize,
    /// Another seed than the scenario's.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 1, seed: None }
    }
}

/// What a run yields.
#[derive(Clone, Debug)]
pub struct Run {
    /// The network that was run.
    pub network: Network,
    /// What hosts sent.
    pub workload: Workload,
    /// What became of each message, by number.
    pub messages: Vec<MessageRecord>,
    /// The run in one page, real time included.
    pub summary: Summary,
    /// What the engine counted.
    pub outcome: Outcome,
}

/// Why a scenario cannot be run.
#[derive(Debug)]
pub enum SimError {
    /// Two parts of it do not fit together.
    Refused(Refusal),
    /// A parameter is out of bounds, or a law lacks its signal.
    Stack(StackError),
    /// A parameter of the switches is out of bounds.
    Param(ParamError<'static>),
    /// What was read while the run went on could not be stored.
    Samples(io::Error),
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => write!(f, "{refusal}"),
            Self::Stack(error) => write!(f, "{error}"),
            Self::Param(error) => write!(f, "{error}"),
            Self::Samples(error) => write!(f, "samples cannot be stored: {error}"),
        }
    }
}

impl std::error::Error for SimError {}

impl From<Refusal> for SimError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StackError> for SimError {
    fn from(error: StackError) -> Self {
        Self::Stack(error)
    }
}

impl From<ParamError<'static>> for SimError {
    fn from(error: ParamError<'static>) -> Self {
        Self::Param(error)
    }
}

/// Runs a scenario; `control` watches it and can stop it. What its `[record]` table asks for is not
/// sampled: [`simulate_recorded`] does that.
///
/// # Errors
/// If the scenario cannot be run; one that was read from a text can.
pub fn simulate(scenario: &Scenario, options: &Options, control: &Control) -> Result<Run, SimError> {
    simulate_with(scenario, options, control, None)
}

/// Runs a scenario and puts what its `[record]` table asks for into `sink`, by time, then reading,
/// then subject. The run is the same as without, and the readings are the same on any number of threads.
///
/// # Errors
/// If the scenario cannot be run, or if the sink takes no more.
pub fn simulate_recorded(
    scenario: &Scenario,
    options: &Options,
    control: &Control,
    sink: &mut (dyn Sink<Sample> + Send),
) -> Result<Run, SimError> {
    simulate_with(scenario, options, control, Some(sink))
}

fn simulate_with(
    scenario: &Scenario,
    options: &Options,
    control: &Control,
    sink: Option<&mut (dyn Sink<Sample> + Send)>,
) -> Result<Run, SimError> {
    let seed = options.seed.unwrap_or(scenario.seed);
    let network = scenario.network()?;
    check_size(&network)?;
    let workload = scenario.workload(&network, seed)?;
    let host = scenario.host.host();
    let mut setup = setup(scenario, &host, network.clone(), workload.clone(), seed)?;
    if sink.is_some() {
        setup.sampling = sampling(scenario, &setup)?;
    }
    let mut discard = Discard;
    let sink = sink.unwrap_or(&mut discard);
    let law = scenario.cc.build(&host)?;
    let name = law.name();
    let began = clock();
    let (outcome, parts) =
        law.visit(Job { name, setup, host, threads: options.threads.max(1), control, sink })?;
    let wall_seconds = began.map_or(0.0, |began| began.elapsed().as_secs_f64());
    let messages = records(scenario, &host, &network, &workload, &outcome, seed);

    let mut tally = Tally::default();
    for message in &messages {
        tally.count(message);
    }
    // Messages on one connection share its counters, so the records cannot tell them all.
    let senders = || outcome.ended.iter().chain(&outcome.open);
    tally.retransmitted = senders().map(|sender| sender.counters.repeated).sum();
    tally.timeouts = senders().map(|sender| sender.counters.timeouts).sum();
    let mut summary = Summary {
        scenario: scenario.name.clone(),
        law: name.to_owned(),
        seed,
        threads: parts as u32,
        partial: outcome.partial,
        trace_hash: TraceHash(outcome.totals.trace_hash),
        simulated: outcome.now.since_start(),
        packet_hops: outcome.totals.packet_hops,
        max_queue_bytes: longest_queue(&network, &outcome),
        marks: outcome.totals.marks,
        pfc_pauses: outcome.totals.pauses,
        ..Summary::default()
    };
    summary.set_messages(&tally);
    summary.set_wall_time(wall_seconds);
    summary.set_drops(Drops {
        buffer: outcome.totals.buffer_drops,
        early: outcome.totals.codel_drops,
        loss: outcome.totals.link_losses,
        corruption: outcome.totals.damaged,
        down: outcome.totals.broken,
        no_route: outcome.totals.unroutable,
    });
    Ok(Run { network, workload, messages, summary, outcome })
}

/// Hosts, and the ports of a switch, are numbered in 16 bits.
fn check_size(network: &Network) -> Result<(), Refusal> {
    let mut links = vec![0_u32; network.nodes() as usize];
    for end in network.links.iter().flat_map(|link| link.ends) {
        links[end as usize] += 1;
    }
    let most = links.into_iter().max().unwrap_or(0).max(network.hosts);
    if most <= MOST_HOSTS {
        return Ok(());
    }
    Err(Refusal {
        kind: Kind::OutOfBounds,
        key: "topology",
        message: format!("{most} hosts, or links at one switch: the simulator can take {MOST_HOSTS}"),
    })
}

/// The real time, where there is a clock: not in a browser.
fn clock() -> Option<std::time::Instant> {
    if cfg!(target_family = "wasm") { None } else { Some(std::time::Instant::now()) }
}

/// A run, to be compiled for its law.
struct Job<'a> {
    name: &'static str,
    setup: Setup,
    host: Host,
    threads: usize,
    control: &'a Control,
    sink: &'a mut (dyn Sink<Sample> + Send),
}

impl Visitor for Job<'_> {
    type Output = Result<(Outcome, usize), SimError>;

    fn visit<L>(self, law: L) -> Self::Output
    where
        L: CongestionControl + Send + Sync,
        L::Flow: Send,
    {
        // The scenario was checked against what its switches and hosts offer when it was read.
        let stack = Stack::new(self.name, law, &self.host, self.setup.transport, Signals::EVERY)?;
        run(self.setup, stack, self.threads, self.control, self.sink)
    }
}

fn setup(
    scenario: &Scenario,
    host: &Host,
    network: Network,
    workload: Workload,
    seed: u64,
) -> Result<Setup, SimError> {
    let chosen = |switches: &Switches| -> Result<Vec<bool>, SimError> {
        let nodes = switches.resolve(&network).map_err(SimError::Refused)?;
        Ok((0..network.switches).map(|switch| nodes.contains(&(network.hosts + switch))).collect())
    };
    let mut stamping = chosen(&scenario.switch.int_switches)?;
    for (switch, stamps) in (0..).zip(&mut stamping) {
        *stamps &= !network.is_packet_core(network.hosts + switch);
    }
    let managing = chosen(&scenario.switch.aqm_switches)?;
    let changes = changes(scenario, &network)?;
    let pinned = pinned_labels(&network, &workload, seed)?;
    Ok(Setup {
        pinned,
        network,
        workload,
        transport: scenario.transport,
        mss: host.mss,
        header: host.mtu.saturating_sub(host.mss),
        base_rtt: host.base_rtt,
        ack_size: scenario.host.ack_size.unwrap_or(Bytes::new(60)),
        receive_delay: scenario.host.receive_delay,
        reports_delay: scenario.host.endpoint_delay,
        stamps_acks: scenario.host.stamp_acks && !scenario.switch.int_reflected,
        ack_class: scenario.host.ack_class.map(|class| class as u8),
        switch: scenario.switch.clone(),
        stamping,
        managing,
        spreading: match scenario.routing.paths {
            Paths::Ecmp => Spreading::PerFlow,
            Paths::Plb(params) => Spreading::Plb(params),
            Paths::Spray => Spreading::PerPacket,
        },
        same_way_back: scenario.routing.same_way_back,
        changes,
        tick: scenario.transport.tick,
        sampling: None,
        end: scenario.end(),
        seed,
    })
}

/// What the `[record]` table asks for.
fn sampling(scenario: &Scenario, setup: &Setup) -> Result<Option<Sampling>, SimError> {
    let record = &scenario.record;
    let wanted = |name: &String| record.groups.0.iter().any(|chosen| chosen == "all" || chosen == name);
    let sampling = Sampling {
        start: Time::after_start(record.start),
        interval: record.interval,
        stop: record.stop.map_or(Time::NEVER, Time::after_start),
        queues: record.queues.resolve(&setup.network)?,
        throughput: record.throughput.resolve(&setup.network)?,
        buffers: record.buffers.resolve(&setup.network)?,
        connections: ConnectionReadings {
            goodput: record.rates,
            windows: record.windows,
            rtt: record.rtt,
            in_flight: record.in_flight,
            hop_delay: record.hop_delay,
            marks: record.marks,
        },
        groups: setup.workload.groups.iter().map(wanted).collect(),
    };
    Ok(if sampling.is_empty() { None } else { Some(sampling) })
}

/// What became of each message that was to begin.
fn records(
    scenario: &Scenario,
    host: &Host,
    network: &Network,
    workload: &Workload,
    outcome: &Outcome,
    seed: u64,
) -> Vec<MessageRecord> {
    let routes = Routes::new(network, |_| true, seed);
    let mut messages: Vec<MessageRecord> = workload
        .messages
        .iter()
        .enumerate()
        .map(|(index, message)| {
            let connection = &workload.connections[message.connection as usize];
            let packets = message.bytes.get().div_ceil(host.mss.get());
            MessageRecord {
                message: index as u32,
                connection: message.connection,
                group: connection.group,
                from: connection.from,
                to: connection.to,
                bytes: message.bytes,
                packets: u32::try_from(packets).unwrap_or(u32::MAX),
                start: match message.start {
                    plimsoll_scenario::Start::At(time) => time,
                    _ => Time::NEVER,
                },
                finish: None,
                delivered: None,
                ideal: if message.bytes == Message::UNBOUNDED {
                    Span::ZERO
                } else {
                    ideal(scenario, host, network, &routes, connection.from, connection.to, message.bytes)
                },
                retransmitted: 0,
                timeouts: 0,
                failure: None,
            }
        })
        .collect();
    for sent in &outcome.sent {
        let record = &mut messages[sent.message as usize];
        (record.start, record.finish) = (sent.begin, Some(sent.acked));
    }
    for delivered in &outcome.delivered {
        messages[delivered.message as usize].delivered = Some(delivered.at);
    }
    let single: Vec<bool> = {
        let mut count = vec![0_u32; workload.connections.len()];
        workload.messages.iter().for_each(|message| count[message.connection as usize] += 1);
        count.into_iter().map(|count| count == 1).collect()
    };
    let find = |all: &[Ended], connection: u32| {
        all.binary_search_by_key(&connection, |ended| ended.connection).ok().map(|at| all[at])
    };
    for record in &mut messages {
        let ended = find(&outcome.ended, record.connection);
        let Some(ended) = ended.or_else(|| find(&outcome.open, record.connection)) else { continue };
        if single[record.connection as usize] {
            record.retransmitted = u32::try_from(ended.counters.repeated).unwrap_or(u32::MAX);
            record.timeouts = u32::try_from(ended.counters.timeouts).unwrap_or(u32::MAX);
        }
        if let (Some(plimsoll_transport::Failure::TimedOut { at, .. }), None) = (ended.failure, record.finish)
        {
            record.failure = Some(Failure { reason: Reason::TimedOut, at });
        }
    }
    pass_on_failures(workload, &mut messages);
    messages
}

/// What waits for a message that was given up never begins.
fn pass_on_failures(workload: &Workload, messages: &mut [MessageRecord]) {
    let mut waiting: Vec<usize> =
        (0..messages.len()).filter(|index| !workload.dependencies(*index).is_empty()).collect();
    loop {
        let before = waiting.len();
        waiting.retain(|&index| {
            let given_up = |other: &u32| messages[*other as usize].failure.map(|failure| failure.at);
            let first = workload.dependencies(index).iter().filter_map(given_up).min();
            if let (Some(at), None, None) = (first, messages[index].finish, messages[index].failure) {
                messages[index].failure = Some(Failure { reason: Reason::PredecessorFailed, at });
            }
            messages[index].finish.is_none() && messages[index].failure.is_none()
        });
        if waiting.len() == before {
            return;
        }
    }
}

/// Completion time alone in the network, as HPCC's simulator has it: the pair's base round trip, and all bytes
/// with their headers (without telemetry) at the slowest link of the way.
fn ideal(
    scenario: &Scenario,
    host: &Host,
    network: &Network,
    routes: &Routes,
    from: u32,
    to: u32,
    bytes: Bytes,
) -> Span {
    let mut port = routes.first_port(from);
    let mut base = Span::ZERO;
    let mut slowest = Rate::MAX;
    loop {
        let link = &network.links[port as usize / 2];
        let time = link.rate.checked_serialize(host.mss, plimsoll_units::Rounding::Up).unwrap_or(Span::ZERO);
        base = base.saturating_add(link.delay.saturating_mul(2)).saturating_add(time);
        slowest = slowest.min(link.rate);
        let node = network.far_end(port);
        if node < network.hosts {
            break;
        }
        base = base.saturating_add(scenario.switch.pipeline.saturating_mul(2));
        match routes.next_port(node, to, 0) {
            Some(next) => port = next,
            None => return Span::ZERO,
        }
    }
    let packets = bytes.get().div_ceil(host.mss.get());
    let header = host.mtu.saturating_sub(host.mss).saturating_sub(scenario.switch.int.bytes());
    let wire = Bytes::new(bytes.get().saturating_add(packets.saturating_mul(header.get())));
    let time = slowest.checked_serialize(wire, plimsoll_units::Rounding::Up).unwrap_or(Span::ZERO);
    base.saturating_add(time)
}

/// The longest queue of any port of a switch.
fn longest_queue(network: &Network, outcome: &Outcome) -> Bytes {
    let of_switch = |(port, _): &(usize, &Bytes)| network.near_end(*port as u32) >= network.hosts;
    let queues = outcome.longest_queues.iter().enumerate().filter(of_switch);
    queues.map(|(_, queue)| *queue).max().unwrap_or(Bytes::ZERO)
}
