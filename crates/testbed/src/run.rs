//! A run: namespaces, the two loops, and what they saw as the simulator would say it.

use crate::Error;
use crate::cards::Cards;
use crate::clock::Clock;
use crate::fabric::Fabric;
use crate::hosts::{self, Hosts, Setting};
use crate::namespace::Namespaces;
use crate::noise::{Stall, disturbed, is_disturbed, merge};
use crate::packet::FIRST_PORT;
use crate::ports::SendingPorts;
use crate::programs::{Program, Running};
use crate::routes::Routes;
use crate::switch::{self, Readings, Switch};
use crate::way::{Ends, Way};
use plimsoll_cc::rpm::Index;
use plimsoll_cc::{CongestionControl, Path, Signals};
use plimsoll_metrics::{Failure, MessageRecord, Reason, Sample, Summary, Tally};
use plimsoll_scenario::{IntMode, Message, Network, Paths, Scenario, Start, Topology, Workload};
use plimsoll_transport::Stack;
use plimsoll_units::{Bytes, Rate, Span, Time};
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::frame::HEADER_SIZE;
use plimsoll_wire::header::Data;
use plimsoll_wire::hop_records::{MAX_HOPS, packed_size};
use plimsoll_wire::telemetry::TelemetryKind;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Watches a run and can stop it.
#[derive(Debug, Default)]
pub struct Control {
    /// Set it, and the run ends with what it has.
    pub stop: AtomicBool,
    /// How far the run is, in picoseconds.
    pub now: AtomicU64,
    /// The hosts have ended.
    pub(crate) over: AtomicBool,
    /// Programs of the user are still at work.
    pub(crate) busy: AtomicBool,
}

/// Sets a flag if its thread panics: a loop that died must not leave the others waiting for it.
struct Farewell<'a>(&'a AtomicBool);

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// What a run yields.
#[derive(Debug)]
pub struct Run {
    /// What hosts sent.
    pub workload: Workload,
    /// What became of each message.
    pub messages: Vec<MessageRecord>,
    /// What the `[record]` table asks for, by time; without what was disturbed.
    pub samples: Vec<Sample>,
    /// The run in one page.
    pub summary: Summary,
    /// How far it can be believed.
    pub noise: Noise,
    /// How each program of the user ended; `None` if it was still running at the end.
    pub programs: Vec<Option<ExitStatus>>,
}

/// How quiet the machine was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// The share of the time that was disturbed, in per cent; readings of it are left out.
    pub disturbed_percent: f64,
    /// The share of the readings that were left out, in per cent: one goes if any part of its interval was disturbed.
    pub left_out_percent: f64,
    /// How often a loop was away for longer than allowed.
    pub stalls: usize,
    /// The longest turn of the hosts' and of the switch's loop.
    pub longest_turns: (Span, Span),
    /// How late the switch let frames out: the median and the 99th percentile.
    pub lateness: (Span, Span),
    /// Datagrams that no host could read: damaged, forged, or of no connection.
    pub refused: u64,
    /// Frames of which no switch knew where they go.
    pub foreign: u64,
    /// Frames that the kernel did not take.
    pub unsent: u64,
}

/// The most hosts: each has a namespace.
const MOST_HOSTS: u32 = 64;
/// The fastest link: beyond it a packet takes less time than the kernel needs for it.
const FASTEST: Rate = Rate::from_gbps(5);
/// The longest run, whatever the scenario says.
const LONGEST: Span = Span::from_s(600);

/// Runs a scenario on real packets, and programs of the user beside it. Above `limit` per cent of disturbed time the run
/// fails; how programs ended is in [`Run::programs`].
///
/// # Errors
/// If the machine lacks something, the scenario cannot be run here, or the machine was too busy.
pub fn run(scenario: &Scenario, programs: &[Program], control: &Control, limit: f64) -> Result<Run, Error> {
    let network = scenario.network().map_err(|refusal| Error::Refused(refusal.to_string()))?;
    let workload =
        scenario.workload(&network, scenario.seed).map_err(|refusal| Error::Refused(refusal.to_string()))?;
    check(scenario, &network, &workload)?;
    if let Some(program) = programs.iter().find(|program| program.host >= network.hosts) {
        return Err(Error::Refused(format!(
            "there is no host {} for `{}`: the network has {}",
            program.host, program.command, network.hosts
        )));
    }
    let host = scenario.host.host();
    let law = scenario.cc.build(&host).map_err(|error| Error::Refused(error.to_string()))?;
    if law.grants().is_some() {
        let text = format!(
            "{} is run by receivers, which hosts of the testbed cannot; use `plimsoll run`",
            law.name()
        );
        return Err(Error::Refused(text));
    }
    let name = scenario.cc.entry().name;
    signals_are_there(name, law.needs())?;
    // The scenario was checked against what its switches and hosts offer when it was read.
    let stack = Stack::new(name, law, &host, scenario.transport, Signals::EVERY)
        .map_err(|error| Error::Refused(error.to_string()))?;
    let ports = SendingPorts::of(&workload, network.hosts);
    let ways = ways(scenario, &network, &workload, &ports);
    let paths: Vec<Path> = ways.iter().map(|way| way.path).collect();
    let rate_of =
        |node: u32| network.links.iter().find(|link| link.ends.contains(&node)).map(|link| link.rate);
    let rates: Vec<Rate> = (0..network.hosts).map(|node| rate_of(node).unwrap_or(FASTEST)).collect();
    let fabric = Fabric::new(scenario, network.clone()).map_err(|error| Error::Refused(error.to_string()))?;
    // Programs of the user send packets as large as the scenario's, and not larger.
    let mtu = sizes(scenario).0.get() + host.mss.get() - ETHERNET;
    let namespaces = Namespaces::make(network.hosts, mtu)?;
    let switch = Switch::open(&namespaces, fabric, network.hosts)?;
    let cards = Cards::new(network.hosts);
    let end = scenario.duration.unwrap_or(LONGEST).min(LONGEST);
    let setting = Setting {
        stack: &stack,
        workload: &workload,
        paths: &paths,
        ports: &ports,
        rates: &rates,
        cards: &cards,
        kind: kind(scenario),
        scale: UnitScale::for_nic(rates.iter().copied().max().unwrap_or(FASTEST)),
        record: &scenario.record,
        front: HEADER_SIZE,
        end: Time::after_start(end),
    };
    let hosts = Hosts::open(&namespaces, setting)?;
    let readings = Readings {
        queues: scenario.record.queues.resolve(&network).unwrap_or_default(),
        throughput: scenario.record.throughput.resolve(&network).unwrap_or_default(),
        interval: scenario.record.interval,
    };
    // Until here the clock has not begun, so that setting up costs no simulated time.
    let clock = Clock::start();
    control.busy.store(!programs.is_empty(), Ordering::Relaxed);
    let (hosts, switch, ended_programs) = thread::scope(|scope| {
        let switch = scope.spawn(|| {
            let _farewell = Farewell(&control.stop);
            pin(1);
            switch.run(clock, control, &cards, &readings)
        });
        let hosts = scope.spawn(|| {
            let _farewell = Farewell(&control.over);
            pin(0);
            let seeing = hosts.run(clock, control);
            // What is under way comes to its end, so that nothing arrives in a namespace that is gone.
            thread::sleep(Duration::from_millis(1));
            control.over.store(true, Ordering::Relaxed);
            seeing
        });
        let _farewell = Farewell(&control.stop);
        // Programs want a switch that works.
        let ended_programs = Running::start(&namespaces, network.hosts, programs).map(|mut running| {
            while !control.over.load(Ordering::Relaxed) {
                control.busy.store(running.are_busy(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(10));
            }
            running.finish()
        });
        if ended_programs.is_err() {
            control.stop.store(true, Ordering::Relaxed);
        }
        (hosts.join(), switch.join(), ended_programs)
    });
    drop(namespaces);
    let broken = || Error::Refused("a loop of the testbed failed: this is a bug of ours".to_owned());
    let (hosts, switch) = (hosts.map_err(|_| broken())??, switch.map_err(|_| broken())?);
    let ended = Time::from_ps(control.now.load(Ordering::Relaxed)).min(Time::after_start(end));
    let mut run = yielded(scenario, workload, &ways, hosts, switch, ended, limit, control)?;
    run.programs = ended_programs?;
    Ok(run)
}

/// Refuses a law that lives on what real hosts cannot tell it.
fn signals_are_there(law: &str, needs: Signals) -> Result<(), Error> {
    let refuse = |what: &str, fix: &str| {
        Err(Error::Refused(format!("{law} needs {what}, which the testbed does not have: {fix}")))
    };
    if needs.has(Signals::ENDPOINT_DELAY) {
        return refuse(
            "the receiver's own delay",
            "its hosts are one loop, whose delay is the machine's; set `windows = \"fabric\"`, or use `plimsoll run`",
        );
    }
    if needs.has(Signals::CIRCUIT) {
        return refuse("the state of circuits", "rotors are not emulated; use `plimsoll run`");
    }
    Ok(())
}

/// The way of each connection.
fn ways(scenario: &Scenario, network: &Network, workload: &Workload, ports: &SendingPorts) -> Vec<Way> {
    let routes = Routes::new(network);
    let receivers = FIRST_PORT + kind(scenario) as u16;
    let way = |(plan, index): (&plimsoll_scenario::Connection, u32)| {
        let ends = Ends { from: plan.from, to: plan.to, ports: (ports.port(index), receivers) };
        let seed = scenario.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(index));
        Way::new(scenario, network, &routes, ends, seed)
    };
    workload.connections.iter().zip(0..).map(way).collect()
}

/// Keeps a loop on its core, if there are two.
fn pin(core: usize) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut set = nix::sched::CpuSet::new();
    if cores > core && core > 0 || cores > 1 {
        // Without it the loop works too, less quietly.
        let _ = set.set(core.min(cores - 1));
        let _ = nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &set);
    }
}

/// What packets gather.
fn kind(scenario: &Scenario) -> TelemetryKind {
    match scenario.switch.int {
        IntMode::None => TelemetryKind::None,
        IntMode::MaxHopDelay { .. } => TelemetryKind::MaxHopDelay,
        // Never compact: HPCC's three bits know none of the rates that real packets can have here.
        IntMode::HopRecords { .. } => TelemetryKind::ExactHops,
    }
}

/// The bytes that a packet has beside its payload, and those of an ack, as they are on these links: a scenario that says
/// so is the same in the simulator.
#[must_use]
pub fn sizes(scenario: &Scenario) -> (Bytes, Bytes) {
    let kind = kind(scenario);
    let header = HEADER_SIZE + kind.travelling_size() + Data::HEADER_SIZE;
    let switches = scenario
        .network()
        .ok()
        .and_then(|network| network.longest(Bytes::ZERO, Span::ZERO).ok())
        .map_or(1, |longest| longest.switches as usize);
    let ack = HEADER_SIZE
        + SMALLEST_ACK
        + match kind {
            TelemetryKind::None => 0,
            // Its own, and the data's.
            TelemetryKind::MaxHopDelay => 2 * kind.travelling_size(),
            TelemetryKind::CompactHops => packed_size::<CompactHop>(switches.min(MAX_HOPS)),
            TelemetryKind::ExactHops => packed_size::<ExactHop>(switches.min(MAX_HOPS)),
        };
    (Bytes::new(header as u64), Bytes::new(ack as u64))
}

/// The part of a frame that is no IP packet.
const ETHERNET: u64 = 14;
/// An ack without telemetry and without holes to tell of.
const SMALLEST_ACK: usize = 68;

/// What cannot be had on real packets is refused before anything is made.
fn check(scenario: &Scenario, network: &Network, workload: &Workload) -> Result<(), Error> {
    let refuse = |text: String| Err(Error::Refused(text));
    if network.hosts > MOST_HOSTS {
        return refuse(format!(
            "{} hosts are too many: each is a namespace, at most {MOST_HOSTS}",
            network.hosts
        ));
    }
    if let Some(link) = network.links.iter().find(|link| link.rate > FASTEST) {
        return refuse(format!(
            "a link of {} is faster than real packets can be timed here; lower the topology's rates to {FASTEST} at most",
            link.rate
        ));
    }
    let things = [
        (scenario.switch.pfc.is_some(), "PFC is not emulated: set `switch.pfc.enabled = false`"),
        (scenario.switch.classes.len() > 1, "classes are not emulated: leave [[switch.class]] out"),
        (
            scenario.cc.entry().name == "homa",
            "HOMA is a transport of its own, which real hosts do not speak yet",
        ),
        (matches!(scenario.topology, Topology::Rotor(_)), "a rotor's circuits are not emulated"),
        (!scenario.faults.is_empty(), "faults are not emulated: leave [[fault]] out"),
        (scenario.routing.paths != Paths::Ecmp, "only `routing.spreading = \"ecmp\"` is emulated"),
        (scenario.routing.same_way_back, "`routing.same_way_back` is not emulated"),
        (
            scenario.switch.rpm.as_ref().is_some_and(|rpm| rpm.index == Index::Exact),
            "switches know real flows by hashes only, so RPM cannot give each a slot of its own: set `index = \"flow-hash\"`",
        ),
        (
            scenario.host.receive_delay > Span::ZERO,
            "real hosts take the time that they take: leave `host.receive_delay` out",
        ),
        (scenario.record.marks, "single marks are not recorded here: set `record.marks = false`"),
        (
            scenario.record.buffers.resolve(network).is_ok_and(|chosen| !chosen.is_empty()),
            "whole buffers are not recorded here: leave `record.buffers` out, `record.queues` has single queues",
        ),
        (scenario.switch.int_reflected, "`switch.int_reflected` is not emulated"),
        (
            kind(scenario) == TelemetryKind::MaxHopDelay && !scenario.host.stamp_acks,
            "real switches stamp acks as they stamp data: leave `host.stamp_acks` out",
        ),
        (workload.waypoints.iter().any(|points| !points.is_empty()), "pinned paths (`via`) are not emulated"),
        (
            workload.messages.iter().any(|message| !matches!(message.start, Start::At(_))),
            "messages that wait for others are not emulated",
        ),
        (
            scenario.duration.is_none()
                && workload.messages.iter().any(|one| one.bytes == Message::UNBOUNDED),
            "flows are endless: set `duration`",
        ),
    ];
    if let Some((_, text)) = things.into_iter().find(|(found, _)| *found) {
        return refuse(text.to_owned());
    }
    let largest = HEADER_SIZE + kind(scenario).travelling_size() + Data::HEADER_SIZE;
    let packet = scenario.host.host().mss.get() + largest as u64;
    if packet > 65_000 {
        return refuse(format!("packets of {packet} B are too large: lower `host.mss`"));
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "everything that was seen, once")]
fn yielded(
    scenario: &Scenario,
    workload: Workload,
    ways: &[Way],
    hosts: hosts::Seeing,
    switch: switch::Seeing,
    ended: Time,
    limit: f64,
    control: &Control,
) -> Result<Run, Error> {
    let base_rtt = scenario.host.host().base_rtt;
    let felt = |stall: &Stall| stall.with_aftermath(base_rtt);
    let stalls = merge(hosts.stalls.iter().chain(&switch.stalls).map(felt).collect());
    let whole = ended.since_start().as_secs_f64().max(1e-9);
    let disturbed_percent = 100.0 * disturbed(&stalls, ended).as_secs_f64() / whole;
    if disturbed_percent > limit {
        return Err(Error::Disturbed { percent: disturbed_percent, limit });
    }
    let mut samples: Vec<Sample> = hosts.samples.into_iter().chain(switch.samples).collect();
    let interval = scenario.record.interval;
    samples.retain(|sample| sample.at >= Time::after_start(scenario.record.start));
    let taken = samples.len();
    samples.retain(|sample| {
        let from = Time::from_ps(sample.at.as_ps().saturating_sub(interval.as_ps()));
        !is_disturbed(&stalls, from, sample.at)
    });
    let left_out_percent = 100.0 * (taken - samples.len()) as f64 / taken.max(1) as f64;
    samples.sort_by_key(|sample| (sample.at, sample.reading.rank(), sample.subject));
    let mss = scenario.host.host().mss;
    let record = |((number, message), ended): ((u32, &Message), &hosts::Ended)| {
        let connection = &workload.connections[message.connection as usize];
        let begun = ended.begun.unwrap_or(Time::NEVER);
        let failed = hosts.failed.get(message.connection as usize).copied().unwrap_or(false);
        MessageRecord {
            message: number,
            connection: message.connection,
            group: connection.group,
            from: connection.from,
            to: connection.to,
            bytes: message.bytes,
            packets: u32::try_from(message.bytes.get().div_ceil(mss.get().max(1))).unwrap_or(u32::MAX),
            start: begun,
            finish: ended.acked,
            delivered: ended.delivered,
            ideal: ways[message.connection as usize].ideal(message.bytes),
            retransmitted: 0,
            timeouts: 0,
            failure: (failed && ended.acked.is_none())
                .then_some(Failure { reason: Reason::TimedOut, at: control_time(control) }),
        }
    };
    let messages: Vec<MessageRecord> =
        (0..).zip(&workload.messages).zip(&hosts.messages).map(record).collect();
    let mut summary = Summary {
        scenario: scenario.name.clone(),
        law: scenario.cc.entry().name.to_owned(),
        seed: scenario.seed,
        threads: 2,
        partial: control.stop.load(Ordering::Relaxed),
        simulated: ended.since_start(),
        packet_hops: switch.counted.hops,
        max_queue_bytes: switch.longest_queue,
        marks: switch.counted.marks,
        ..Summary::default()
    };
    summary.set_messages(&Tally::of(&messages));
    summary.retransmitted = hosts.retransmitted;
    summary.timeouts = hosts.timeouts;
    summary.set_drops(switch.counted.drops);
    summary.set_wall_time(whole);
    let noise = Noise {
        disturbed_percent,
        left_out_percent,
        stalls: stalls.len(),
        longest_turns: (hosts.longest_turn, switch.longest_turn),
        lateness: switch.lateness,
        refused: hosts.refused,
        foreign: switch.counted.foreign,
        unsent: hosts.unsent + switch.unsent,
    };
    Ok(Run { workload, messages, samples, summary, noise, programs: Vec::new() })
}

fn control_time(control: &Control) -> Time {
    Time::from_ps(control.now.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_thread_that_panics_says_farewell() {
        let says = |action: fn()| {
            let flag = AtomicBool::new(false);
            thread::scope(|scope| {
                let loop_of_it = scope.spawn(|| {
                    let _farewell = Farewell(&flag);
                    action();
                });
                let _ = loop_of_it.join();
            });
            flag.into_inner()
        };
        assert!(!says(|| {}));
        assert!(says(|| panic!("this is a test")));
    }

    #[test]
    fn a_law_whose_signals_are_not_there_is_refused_with_the_reason() {
        let refusal = |law: &str| {
            let text = format!("[topology]\nkind = \"single-switch\"\nhosts = 3\n[cc]\nlaw = \"{law}\"\n");
            let scenario =
                Scenario::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
            let law = scenario.cc.build(&scenario.host.host()).unwrap();
            signals_are_there(law.name(), law.needs())
                .map_err(|error| error.to_string())
                .err()
                .unwrap_or_default()
        };
        for law in
            ["poseidon", "swift:poseidon-nsdi23", "dctcp", "hpcc", "powertcp", "theta-powertcp", "cubic"]
        {
            assert_eq!(refusal(law), "", "{law}");
        }
        let text = refusal("swift:sigcomm20");
        assert!(text.contains("the receiver's own delay") && text.contains("windows = \"fabric\""), "{text}");
        assert!(signals_are_there("retcp", Signals::CIRCUIT).is_err());
    }

    #[test]
    fn what_real_packets_cannot_do_is_refused_with_the_fix() {
        let refusal = |more: &str| {
            let text = format!(
                "duration = \"1s\"\n[topology]\nkind = \"single-switch\"\nhosts = 3\nrate = \"50Mbps\"\n\
                 [switch.pfc]\nenabled = false\n[cc]\nlaw = \"dctcp\"\n\
                 [[traffic]]\nkind = \"flows\"\nfrom = \"0-1\"\nto = 2\n{more}"
            );
            let scenario =
                Scenario::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
            let network = scenario.network().unwrap();
            let workload = scenario.workload(&network, 1).unwrap();
            check(&scenario, &network, &workload).map_err(|error| error.to_string()).err().unwrap_or_default()
        };
        assert_eq!(refusal(""), "");
        assert!(refusal("[host]\nreceive_delay = \"1us\"\n").contains("host.receive_delay"));
        assert!(
            refusal("[host]\nstamp_acks = false\n").is_empty(),
            "without telemetry there is nothing to stamp"
        );
        assert!(
            refusal("[host]\nstamp_acks = false\n[switch]\nint = \"max-hop-delay\"\n").contains("stamp_acks")
        );
        assert!(refusal("[record]\nmarks = true\n").contains("record.marks = false"));
        assert!(refusal("[record]\nbuffers = \"all\"\n").contains("record.buffers"));
        let marking = |index: &str| {
            refusal(&format!("[switch]\nreverse_marking = true\n[switch.rpm]\nindex = \"{index}\"\n"))
        };
        assert!(marking("exact").contains("index = \"flow-hash\""));
        assert_eq!(marking("flow-hash"), "");
    }
}
