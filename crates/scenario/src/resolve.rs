//! What is left open follows from the rest; then everything must fit together.

mod checks;

use crate::fault::FaultTable;
use crate::network::Network;
use crate::problem::Kind;
use crate::read::{Reader, Section, SwitchDraft, kind_of};
use crate::select::Refusal;
use crate::switch::{Aqm, Buffer, Class, Ecn, IntMode, IntWord, Pfc, Sharing};
use crate::traffic::Ground;
use crate::{HostParams, Record, Routing, Scenario, SwitchSettings, Topology, Traffic};
use plimsoll_cc::registry::{AnyLaw, AnyParams};
use plimsoll_cc::{CongestionControl, Signals, red};
use plimsoll_transport::{Config, Reliability};
use plimsoll_units::{Bytes, Rate, Span};

/// How long endless flows run if nothing says so.
const ENDLESS: Span = Span::from_ms(10);
/// An ack without telemetry: Ethernet, IP, UDP and 4 B of the transport's, as in HPCC's simulator.
const ACK_HEADERS: Bytes = Bytes::new(46);
/// The smallest frame of Ethernet without its checksum.
const SMALLEST_FRAME: Bytes = Bytes::new(60);

/// A scenario as its text says it.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) seed: u64,
    pub(crate) duration: Option<Span>,
    pub(crate) topology: Topology,
    pub(crate) host: HostParams,
    pub(crate) transport: Config,
    pub(crate) switch: SwitchDraft,
    pub(crate) routing: Routing,
    pub(crate) cc: AnyParams,
    pub(crate) traffic: Vec<Traffic>,
    pub(crate) faults: Vec<FaultTable>,
    pub(crate) record: Record,
}

/// Where the tables stand, for messages.
pub(crate) struct Places<'a, 't> {
    pub(crate) topology: Option<Section<'a, 't>>,
    pub(crate) host: Option<Section<'a, 't>>,
    pub(crate) switch: Option<Section<'a, 't>>,
    pub(crate) cc: Option<Section<'a, 't>>,
    pub(crate) traffic: Vec<Section<'a, 't>>,
    pub(crate) faults: Vec<Section<'a, 't>>,
    pub(crate) record: Option<Section<'a, 't>>,
}

impl Reader<'_> {
    /// The scenario, or `None` after a report.
    pub(crate) fn resolve(&mut self, draft: Draft, places: &Places<'_, '_>) -> Option<Scenario> {
        let network = match draft.topology.network() {
            Ok(network) => network,
            Err(refusal) => {
                self.refuse(places.topology.as_ref(), refusal);
                return None;
            }
        };
        let longest = match network.longest(draft.host.payload(), draft.switch.table.pipeline) {
            Ok(longest) => longest,
            Err(error) => {
                self.refuse(
                    places.topology.as_ref(),
                    Refusal::new(Kind::Contradiction, "links", error.to_string()),
                );
                return None;
            }
        };
        let mut host = draft.host;
        let nic_rate = *host.nic_rate.get_or_insert_with(|| fastest_host_link(&network));
        host.base_rtt.get_or_insert(longest.base_rtt.clamp(Span::from_ns(1), Span::from_s(1_000)));
        let law = self.law(&draft.cc, &host, places)?;
        let size_is_given = draft.switch.buffer.size.is_some();
        let mut switch = switch_settings(draft.switch, &law, nic_rate, &draft.transport);
        let telemetry = switch.int.bytes();
        let headers = host.mtu.saturating_sub(host.payload());
        host.header.get_or_insert(headers.saturating_add(telemetry));
        host.ack_size.get_or_insert(ACK_HEADERS.saturating_add(telemetry).max(SMALLEST_FRAME));
        // The packet that laws know has grown by the telemetry.
        self.law(&draft.cc, &host, places)?;
        self.check_host(&host, places);
        let kept = switch.pfc.as_ref().map_or(Bytes::ZERO, |pfc| most_kept(pfc, &network, host.host().mtu));
        if !size_is_given {
            // Half is shared at least.
            let twice = Bytes::new(kept.get().saturating_mul(2));
            switch.buffer.size = switch.buffer.size.map(|size| size.max(twice));
        }
        let mut scenario = Scenario {
            name: draft.name,
            description: draft.description,
            seed: draft.seed,
            duration: draft.duration,
            topology: draft.topology,
            host,
            transport: draft.transport,
            switch,
            routing: draft.routing,
            cc: draft.cc,
            traffic: draft.traffic,
            faults: draft.faults,
            record: draft.record,
        };
        name_groups(&mut scenario.traffic);
        self.check_pauses(&scenario, kept, places);
        self.check_switches(&scenario, &network, places);
        self.check_law(&scenario, &network, &law, longest, places);
        self.check_traffic(&scenario, &network, places);
        self.check_faults_and_record(&scenario, &network, places);
        if self.problems.is_empty() {
            let ground = Ground::new(&network, scenario.duration);
            let endless = scenario
                .traffic
                .iter()
                .filter_map(|traffic| traffic.pattern.source().last_endless_start(&ground));
            let end = endless.max().map(|start| start.saturating_add(ENDLESS));
            scenario.duration = scenario.duration.or(end);
        }
        Some(scenario)
    }

    /// The law on this host.
    fn law(&mut self, cc: &AnyParams, host: &HostParams, places: &Places<'_, '_>) -> Option<AnyLaw> {
        let host = host.host();
        let (error, section) = match (host.check(), cc.build(&host)) {
            (Err(error), _) => (error, places.host.as_ref().or(places.cc.as_ref())),
            (Ok(()), Err(error)) => (error, places.cc.as_ref()),
            (Ok(()), Ok(law)) => return Some(law),
        };
        let place = section.map_or(0..0, |section| section.place(error.key()));
        self.report(kind_of(&error), place, error.to_string());
        None
    }

    /// Reports a refusal at its key.
    fn refuse(&mut self, section: Option<&Section<'_, '_>>, refusal: Refusal) {
        let place = section.map_or(0..0, |section| section.place(refusal.key));
        self.report(refusal.kind, place, refusal.message);
    }
}

fn fastest_host_link(network: &Network) -> Rate {
    let rates = network.host_links().into_iter().map(|link| network.links[link as usize].rate);
    rates.max().unwrap_or(Rate::from_gbps(100))
}

/// What PFC keeps back for headroom and reserve in the switch where that is most.
fn most_kept(pfc: &Pfc, network: &Network, packet: Bytes) -> Bytes {
    let mut kept = vec![Bytes::ZERO; network.nodes() as usize];
    for link in &network.links {
        let room = pfc.headroom_for(link.rate, link.delay, packet).saturating_add(pfc.reserve);
        for end in link.ends.into_iter().filter(|end| *end >= network.hosts) {
            kept[end as usize] = kept[end as usize].saturating_add(room);
        }
    }
    kept.into_iter().max().unwrap_or(Bytes::ZERO)
}

fn switch_settings(draft: SwitchDraft, law: &AnyLaw, nic_rate: Rate, transport: &Config) -> SwitchSettings {
    let SwitchDraft { table, mut buffer, pfc, mut red, rule_is_given, codel, rpm, mut classes } = draft;
    let needs = law.needs();
    buffer.size.get_or_insert(Buffer::size_for(nic_rate));
    let fills = buffer.sharing != Sharing::Unlimited;
    // Whoever asked for pauses is told if they cannot be had, so what is automatic stays so.
    let pauses = pfc.enabled.unwrap_or(fills && transport.reliability == Reliability::GoBackN);
    // HOMA's levels are classes; it was made for switches that drop.
    let levels = law.grants().map_or(0, |homa| homa.levels());
    let pauses = pauses && (levels == 0 || pfc.enabled.is_some());
    if levels > 1 && classes.len() == 1 {
        classes = (0..levels).map(|priority| Class { priority, ..classes[0].clone() }).collect();
    }
    let codel = (table.aqm == Aqm::CoDel).then_some(codel);
    let by_law = if law.name() == "dcqcn" { Ecn::Red } else { Ecn::Step };
    let ecn = match table.ecn {
        Ecn::Auto if needs.has(Signals::ECN) && codel.is_none() => by_law,
        Ecn::Auto => Ecn::None,
        given => given,
    };
    if !rule_is_given {
        red.rule = if ecn == Ecn::Step { red::Rule::Dctcp } else { red::Rule::Dcqcn };
    }
    let encoding = table.int_encoding;
    let multiple = table.int_multiple.unwrap_or_else(|| IntMode::multiple_for(nic_rate));
    let records = IntMode::HopRecords { encoding, multiple };
    let int = match table.int {
        IntWord::HopRecords => records,
        IntWord::MaxHopDelay => IntMode::MaxHopDelay { encoding },
        IntWord::Auto if needs.has(Signals::HOP_RECORDS) => records,
        IntWord::Auto if needs.has(Signals::MAX_HOP_DELAY) => IntMode::MaxHopDelay { encoding },
        IntWord::Auto | IntWord::None => IntMode::None,
    };
    SwitchSettings {
        pipeline: table.pipeline,
        buffer,
        pfc: pauses.then_some(pfc),
        classes,
        marking: (ecn != Ecn::None).then_some(red),
        codel,
        rpm: table.reverse_marking.then_some(rpm),
        int,
        int_switches: table.int_switches,
        int_reflected: table.int_reflected,
    }
}

/// Groups without a name get that of their kind; a number keeps names apart.
fn name_groups(traffic: &mut [Traffic]) {
    for index in 0..traffic.len() {
        if traffic[index].name.is_empty() {
            let kind = traffic[index].pattern.kind();
            let taken = |name: &str| traffic.iter().any(|other| other.name == name);
            let numbered = (2..).map(|number| format!("{kind}-{number}"));
            let name = std::iter::once(kind.to_owned()).chain(numbered).find(|name| !taken(name));
            traffic[index].name = name.unwrap_or_default();
        }
    }
}
