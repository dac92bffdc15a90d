//! What must fit together.

use super::Places;
use crate::host::LARGEST_PACKET;
use crate::network::{Longest, Network};
use crate::problem::Kind;
use crate::random::Random;
use crate::read::{Reader, kind_of};
use crate::select::{Ports, Refusal};
use crate::switch::{Encoding, IntMode};
use crate::traffic::{Demand, Ground, Plan};
use crate::{HostParams, Scenario, SwitchSettings};
use plimsoll_cc::registry::AnyLaw;
use plimsoll_cc::{CongestionControl, MAX_HOPS, Parameters, Signals, codel, red};
use plimsoll_transport::EcnEcho;
use plimsoll_units::{Bytes, Rate};

/// How many hops HPCC's header has room for.
const WIRE_HOPS: u32 = 5;

impl Reader<'_> {
    /// A full packet, payload with headers and telemetry, must not be larger than a packet can be.
    pub(super) fn check_host(&mut self, host: &HostParams, places: &Places<'_, '_>) {
        let packet = host.host().mtu;
        if packet <= LARGEST_PACKET {
            return;
        }
        let (payload, header) = (host.payload(), packet.saturating_sub(host.payload()));
        let message = format!(
            "a full packet has \"{payload}\" of payload (`host.mss`) and \"{header}\" of headers and telemetry \
             (`host.header`), \"{packet}\" together: at most \"{LARGEST_PACKET}\"; lower `host.mss`"
        );
        let given =
            |key: &&&str| places.host.as_ref().is_some_and(|section| section.keys.contains_key(**key));
        let key = ["mss", "mtu", "header"].iter().find(given).copied().unwrap_or("mss");
        self.refuse(places.host.as_ref(), Refusal::new(Kind::OutOfBounds, key, message));
    }

    /// Pauses need a buffer that can fill up, and room for what arrives after them.
    pub(super) fn check_pauses(&mut self, scenario: &Scenario, kept: Bytes, places: &Places<'_, '_>) {
        let SwitchSettings { buffer, pfc, .. } = &scenario.switch;
        let Some(pfc) = pfc else { return };
        let is_asked_for = pfc.enabled.is_some() || pfc.headroom.is_some();
        let message = match buffer.limit() {
            None => {
                "PFC pauses when the buffer fills up, which one with `switch.buffer.sharing = \"unlimited\"` \
                     never does; choose another sharing, or set `switch.pfc.enabled = false`"
                    .to_owned()
            }
            Some(size) if is_asked_for && kept > size => format!(
                "PFC keeps up to \"{kept}\" of a switch for headroom and reserve, but the buffer has \"{size}\"; raise \
                 `switch.buffer.size`, lower `switch.pfc.headroom`, or set `switch.pfc.enabled = false`"
            ),
            Some(_) => return,
        };
        let key = if buffer.limit().is_none() { "pfc" } else { "buffer" };
        self.refuse(places.switch.as_ref(), Refusal::new(Kind::Contradiction, key, message));
    }

    pub(super) fn check_switches(&mut self, scenario: &Scenario, network: &Network, places: &Places<'_, '_>) {
        let SwitchSettings { marking, codel, rpm, classes, int_switches, .. } = &scenario.switch;
        // Thresholds grow with the rate; if they fit one link, they fit all.
        let red = marking.map_or(Ok(()), |params| red::Red::new(&params, Rate::from_gbps(100)).map(|_| ()));
        let codel = codel.map_or(Ok(()), |params| codel::CoDel::new(&params).map(|_| ()));
        let rpm = rpm.map_or(Ok(()), |params| params.check());
        for (inner, result) in [("red", red), ("codel", codel), ("rpm", rpm)] {
            let Err(error) = result else { continue };
            let place = places.switch.as_ref().map_or(0..0, |section| section.place(inner));
            self.report(kind_of(&error), place, format!("[switch.{inner}]: {error}"));
        }
        if scenario.switch.rpm.is_some()
            && scenario.switch.marking.is_none()
            && scenario.switch.codel.is_none()
        {
            let message = "nothing marks packets, so there is nothing to send back; set `switch.aqm = \"codel\"` or \
                           `switch.ecn`";
            self.refuse(
                places.switch.as_ref(),
                Refusal::new(Kind::Contradiction, "reverse_marking", message),
            );
        }
        if let Err(refusal) = int_switches.resolve(network) {
            self.refuse(places.switch.as_ref(), refusal.at("int_switches"));
        }
        let count = classes.len() as u32;
        if let Some(class) = scenario.host.ack_class.filter(|class| *class >= count) {
            let refusal = Refusal::new(Kind::OutOfBounds, "ack_class", no_class(class, count));
            self.refuse(places.host.as_ref(), refusal);
        }
    }

    pub(super) fn check_law(
        &mut self,
        scenario: &Scenario,
        network: &Network,
        law: &AnyLaw,
        longest: Longest,
        places: &Places<'_, '_>,
    ) {
        let needs = law.needs();
        if let Err(missing) = needs.check(law.name(), offered(scenario, network)) {
            self.refuse(places.cc.as_ref(), Refusal::new(Kind::Contradiction, "law", missing.to_string()));
        }
        if scenario.switch.int_reflected && !needs.has(Signals::MAX_HOP_DELAY) {
            let message = format!(
                "{} as it is set does not read the maximum per-hop delay that switches write on acks; leave \
                 `int_reflected` out, or use `poseidon`",
                law.name()
            );
            self.refuse(places.switch.as_ref(), Refusal::new(Kind::Contradiction, "int_reflected", message));
        }
        let (classes, levels) =
            (scenario.switch.classes.len() as u32, law.grants().map_or(0, |homa| homa.levels()));
        if levels > classes {
            let message = format!(
                "{} sends at {levels} levels of priority, but the switches have {classes} classes; leave \
                 [[switch.class]] out, or set `cc.levels = {classes}`",
                law.name()
            );
            self.refuse(places.cc.as_ref(), Refusal::new(Kind::Contradiction, "levels", message));
        }
        let room = match scenario.switch.int {
            IntMode::HopRecords { encoding: Encoding::Wire, .. } => WIRE_HOPS,
            _ => MAX_HOPS as u32,
        };
        if needs.has(Signals::HOP_RECORDS) && longest.switches > room {
            let fix = if longest.switches <= MAX_HOPS as u32 {
                "set `switch.int_encoding = \"exact\"`"
            } else {
                "use another law or a flatter topology"
            };
            let message = format!(
                "{} reads a record of every switch, but paths have up to {} switches and there is room for {room}; \
                 {fix}",
                law.name(),
                longest.switches
            );
            self.refuse(places.cc.as_ref(), Refusal::new(Kind::Contradiction, "law", message));
        }
    }

    pub(super) fn check_traffic(&mut self, scenario: &Scenario, network: &Network, places: &Places<'_, '_>) {
        let ground = Ground::new(network, scenario.duration);
        let mut demand = Demand::new(&ground);
        let classes = scenario.switch.classes.len() as u32;
        for (index, traffic) in scenario.traffic.iter().enumerate() {
            let section = places.traffic.get(index);
            if u32::from(traffic.class) >= classes {
                let refusal =
                    Refusal::new(Kind::OutOfBounds, "class", no_class(u32::from(traffic.class), classes));
                self.refuse(section, refusal);
            }
            if scenario.traffic[..index].iter().any(|other| other.name == traffic.name) {
                let message = format!("another [[traffic]] is called `{}` already", traffic.name);
                self.refuse(section, Refusal::new(Kind::Contradiction, "name", message));
            }
            let source = traffic.pattern.source();
            let checked = source.check(&ground).and_then(|()| source.demand(&ground, &mut demand));
            if let Err(refusal) = checked.and_then(|()| check_via(scenario, index, &ground)) {
                self.refuse(section, refusal);
            }
        }
        if scenario.traffic.len() > usize::from(u16::MAX) {
            let message = format!(
                "there are {} [[traffic]] tables; at most 65535 can be told apart",
                scenario.traffic.len()
            );
            self.refuse(places.traffic.last(), Refusal::new(Kind::OutOfBounds, "kind", message));
        }
    }

    pub(super) fn check_faults_and_record(
        &mut self,
        scenario: &Scenario,
        network: &Network,
        places: &Places<'_, '_>,
    ) {
        for (fault, section) in scenario.faults.iter().zip(&places.faults) {
            if let Err(refusal) = fault.resolve(network) {
                self.refuse(Some(section), refusal);
            }
        }
        let record = &scenario.record;
        let ports: [(&'static str, &Ports); 3] =
            [("queues", &record.queues), ("throughput", &record.throughput), ("packets", &record.packets)];
        for (key, ports) in ports {
            if let Err(refusal) = ports.resolve(network) {
                self.refuse(places.record.as_ref(), refusal.at(key));
            }
        }
        if let Err(refusal) = record.buffers.resolve(network) {
            self.refuse(places.record.as_ref(), refusal.at("buffers"));
        }
        for name in record.groups.0.iter().filter(|name| *name != "all") {
            if !scenario.traffic.iter().any(|traffic| traffic.name == *name) {
                let message = format!("no [[traffic]] is called `{name}`");
                self.refuse(places.record.as_ref(), Refusal::new(Kind::Unknown, "groups", message));
            }
        }
    }
}

/// Refuses waypoints that a pair of the table's hosts has no shortest path through.
fn check_via(scenario: &Scenario, table: usize, ground: &Ground<'_>) -> Result<(), Refusal> {
    let traffic = &scenario.traffic[table];
    if traffic.via.0.is_empty() {
        return Ok(());
    }
    let network = ground.network;
    let waypoints = traffic.via.resolve(network).map_err(|refusal| refusal.at("via"))?;
    let mut plan = Plan::default();
    plan.group(&traffic.name, traffic.class);
    let random = |stream| Random::new(scenario.seed, table as u64, stream);
    traffic.pattern.source().plan(ground, &random, &mut plan)?;
    let pairs: Vec<(u32, u32)> =
        plan.finish().connections.iter().map(|connection| (connection.from, connection.to)).collect();
    match network.unpinnable(&pairs, &waypoints) {
        None => Ok(()),
        Some((from, to)) => {
            let message = format!(
                "no shortest path from `{}` to `{}` leads through {}; packets take shortest paths only",
                network.name(from),
                network.name(to),
                traffic.via.0.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
            );
            Err(Refusal::new(Kind::Contradiction, "via", message))
        }
    }
}

fn no_class(class: u32, count: u32) -> String {
    let classes =
        if count == 1 { "is one class, 0".to_owned() } else { format!("are classes 0 to {}", count - 1) };
    format!("there is no class {class}: there {classes}; add a [[switch.class]]")
}

/// The signals that hosts and switches give to laws.
fn offered(scenario: &Scenario, network: &Network) -> Signals {
    let SwitchSettings { marking, codel, int, int_switches, int_reflected, .. } = &scenario.switch;
    let host = &scenario.host;
    let everywhere = int_switches.resolve(network).is_ok_and(|nodes| nodes.len() as u32 == network.switches);
    let marks = marking.is_some() || codel.is_some_and(|codel| codel.signal == codel::Signal::Mark);
    let maxima = matches!(int, IntMode::MaxHopDelay { .. });
    let records = matches!(int, IntMode::HopRecords { .. });
    let gives = [
        (host.timestamps, Signals::RTT),
        (host.endpoint_delay, Signals::ENDPOINT_DELAY),
        (host.hop_count, Signals::HOP_COUNT),
        (records && everywhere, Signals::HOP_RECORDS),
        (maxima && everywhere, Signals::MAX_HOP_DELAY),
        (maxima && host.stamp_acks && !int_reflected, Signals::REVERSE_MAX_HOP_DELAY),
        (marks && scenario.transport.ecn != EcnEcho::Off, Signals::ECN),
    ];
    gives.into_iter().filter(|(given, _)| *given).fold(Signals::NONE, |all, (_, signal)| all | signal)
}
