//! The tables of a scenario, one after the other.

use super::front::Front;
use super::reader::{Reader, Section};
use crate::fault::FaultTable;
use crate::problem::Kind;
use crate::resolve::{Draft, Places};
use crate::routing::{Paths, RoutingTable, Spreading};
use crate::select::{Text, Via};
use crate::switch::{Buffer, Class, Pfc, SwitchTable};
use crate::table::Table;
use crate::topology::SingleSwitch;
use crate::traffic::Pattern;
use crate::{HostParams, Record, Routing, Scenario, Topology, Traffic};
use plimsoll_cc::Parameters;
use plimsoll_cc::params::nearest;
use plimsoll_cc::registry::AnyParams;
use plimsoll_cc::{codel, plb, red, rpm};
use plimsoll_transport::{Config, EcnEcho};
use plimsoll_units::{Rate, Span};
use std::collections::HashSet;
use toml::de::{DeTable, DeValue};

/// The tables that a scenario may have.
pub(crate) const TABLES: [&str; 9] =
    ["topology", "host", "transport", "switch", "routing", "cc", "traffic", "fault", "record"];
/// Those that are an array.
const ARRAYS: [&str; 2] = ["traffic", "fault"];
/// The inner tables of `[switch]`.
const IN_SWITCH: [&str; 6] = ["buffer", "pfc", "red", "codel", "rpm", "class"];

impl Reader<'_> {
    /// The scenario, or `None` if a problem stands in its way. Whoever gives up reports why.
    pub(crate) fn scenario(&mut self, document: &DeTable<'_>) -> Option<Scenario> {
        self.refuse_unknown_tables(document);
        let front = Section { name: "the scenario".to_owned(), span: 0..0, keys: document };
        // What it does not know has been reported.
        let others: Vec<&str> = document.keys().map(|key| key.get_ref().as_ref()).collect();
        let front = Front::read(self, &front, &others);
        let sections = Places {
            topology: self.section(document, "topology"),
            host: self.section(document, "host"),
            switch: self.section(document, "switch"),
            cc: self.section(document, "cc"),
            traffic: self.sections(document, "traffic"),
            faults: self.sections(document, "fault"),
            record: self.section(document, "record"),
        };
        let host = self.host(sections.host.as_ref(), sections.topology.is_some());
        let topology = match &sections.topology {
            Some(section) => Topology::read(self, section, &[]).map(Topology::self_contained),
            None => Some(default_topology(&host)),
        };
        let Some(cc_section) = &sections.cc else {
            if !document.contains_key("cc") {
                let message = "there is no [cc] table; it names the law, e.g. `law = \"poseidon\"`";
                self.report(Kind::Missing, 0..0, message);
            }
            return None;
        };
        let cc = self.cc(cc_section);
        let transport = self.section(document, "transport");
        let transport = self.transport(transport.as_ref(), cc.as_ref());
        let switch = self.switch(sections.switch.as_ref());
        let routing = self.section(document, "routing");
        let routing = self.routing(routing.as_ref());
        let traffic: Option<Vec<_>> = sections.traffic.iter().map(|section| self.traffic(section)).collect();
        let faults: Option<Vec<_>> =
            sections.faults.iter().map(|section| FaultTable::read(self, section, &[])).collect();
        let record = match &sections.record {
            Some(section) => Record::read(self, section, &[]),
            None => Some(Record::nothing()),
        };
        let front = front?;
        let draft = Draft {
            name: front.name.0,
            description: front.description.0,
            seed: front.seed.0,
            duration: front.duration,
            topology: topology?,
            host,
            transport,
            switch: switch?,
            routing: routing?,
            cc: cc?,
            traffic: traffic?,
            faults: faults?,
            record: record?,
        };
        if !self.problems.is_empty() {
            return None;
        }
        self.resolve(draft, &sections)
    }

    fn refuse_unknown_tables(&mut self, document: &DeTable<'_>) {
        let known: HashSet<&str> =
            TABLES.into_iter().chain(["name", "description", "seed", "duration"]).collect();
        for (key, value) in document.iter().filter(|(key, _)| !known.contains(key.get_ref().as_ref())) {
            let name = key.get_ref();
            let is_table = matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_));
            let (what, hint) = match nearest(name, known.iter().copied()) {
                Some(near) => (if is_table { "table" } else { "key" }, format!("did you mean `{near}`?")),
                None => {
                    let tables = TABLES.map(|table| {
                        if ARRAYS.contains(&table) { format!("[[{table}]]") } else { format!("[{table}]") }
                    });
                    ("table", format!("a scenario has {}", tables.join(", ")))
                }
            };
            self.report(Kind::Unknown, key.span(), format!("unknown {what} `{name}`; {hint}"));
        }
    }

    /// Without a topology, as for models of a single law, hosts are Poseidon's.
    fn host(&mut self, section: Option<&Section<'_, '_>>, has_topology: bool) -> HostParams {
        let default = if has_topology { HostParams::rdma() } else { HostParams::poseidon() };
        let Some(section) = section else { return default };
        let presets: Vec<_> = HostParams::PRESETS.iter().map(|preset| (preset.name, preset.make)).collect();
        let preset = self.preset(section, &presets).unwrap_or(default);
        let mut host = preset;
        self.parameters(section, &["preset"], "host", |key, value| host.set(key, value));
        host.keep_headers(&preset, (section.keys.contains_key("mtu"), section.keys.contains_key("mss")));
        host
    }

    fn cc(&mut self, section: &Section<'_, '_>) -> Option<AnyParams> {
        let Some((law, law_span)) = self.word(section, "law") else {
            if !section.keys.contains_key("law") {
                let message = "[cc] does not name its law; e.g. `law = \"poseidon\"`";
                self.report(Kind::Missing, section.span.clone(), message);
            }
            return None;
        };
        let mut params = match AnyParams::named(law) {
            Ok(params) => params,
            Err(unknown) => {
                self.report(Kind::Unknown, law_span, unknown.to_string());
                return None;
            }
        };
        if let Some((preset, span)) = self.word(section, "preset") {
            if law.contains(':') {
                let message = format!("`law = \"{law}\"` already names a preset; keep one of the two");
                self.report(Kind::Contradiction, span.clone(), message);
            }
            match AnyParams::named(&format!("{}:{preset}", params.entry().name)) {
                Ok(preset) => params = preset,
                Err(unknown) => self.report(Kind::Unknown, span, unknown.to_string()),
            }
        }
        let name = params.entry().name;
        self.parameters(section, &["law", "preset"], name, |key, value| params.set(key, value));
        Some(params)
    }

    /// The echo of marks that is not set is the one that the law reads.
    fn transport(&mut self, section: Option<&Section<'_, '_>>, cc: Option<&AnyParams>) -> Config {
        let mut default = Config::selective_repeat();
        let echo = match cc.map(|cc| cc.entry().name) {
            Some("dcqcn") => EcnEcho::Cnp,
            Some("newreno" | "cubic" | "retcp") => EcnEcho::Classic,
            _ => EcnEcho::Accurate,
        };
        default.ecn = echo;
        let mut config = self.parameter_table(section, default, "transport");
        if !section.is_some_and(|section| section.keys.contains_key("ecn")) {
            config.ecn = echo;
        }
        config
    }

    fn switch(&mut self, section: Option<&Section<'_, '_>>) -> Option<SwitchDraft> {
        let empty = DeTable::new();
        let none = Section { name: "[switch]".to_owned(), span: 0..0, keys: &empty };
        let section = section.unwrap_or(&none);
        let table = SwitchTable::read(self, section, &IN_SWITCH);
        let mut inner = |name: &str| self.inner(section, name);
        let (buffer, pfc) = (inner("buffer"), inner("pfc"));
        let (red, codel, rpm) = (inner("red"), inner("codel"), inner("rpm"));
        let buffer = Buffer::read(self, buffer.as_ref().unwrap_or(&none.renamed("[switch.buffer]")), &[]);
        let pfc = Pfc::read(self, pfc.as_ref().unwrap_or(&none.renamed("[switch.pfc]")), &[]);
        // Which thresholds are meant follows from the law, so what is set waits for it.
        let rule_is_given =
            red.as_ref().is_some_and(|red| red.keys.contains_key("rule") || red.keys.contains_key("preset"));
        let red = self.parameter_table(red.as_ref(), red::Params::dcqcn(), "switch.red");
        let codel = self.parameter_table(codel.as_ref(), codel::Params::datacenter(), "switch.codel");
        let rpm = self.parameter_table(rpm.as_ref(), rpm::Params::paper(), "switch.rpm");
        let mut classes = Vec::new();
        for mut section in self.sections(section.keys, "class") {
            section.name = "[[switch.class]]".to_owned();
            classes.push(Class::read(self, &section, &[])?);
        }
        if classes.is_empty() {
            classes.push(Class::default());
        }
        if classes.len() > 8 {
            let message = format!("there are {} classes; a switch has at most 8", classes.len());
            self.report(Kind::OutOfBounds, section.place("class"), message);
        }
        Some(SwitchDraft {
            table: table?,
            buffer: buffer?,
            pfc: pfc?,
            red,
            rule_is_given,
            codel,
            rpm,
            classes,
        })
    }

    fn routing(&mut self, section: Option<&Section<'_, '_>>) -> Option<Routing> {
        let Some(section) = section else { return Some(Routing::default()) };
        let table = RoutingTable::read(self, section, &["plb"]);
        let plb = self.inner(section, "plb");
        let plb = self.parameter_table(plb.as_ref(), plb::Params::linux(), "routing.plb");
        let RoutingTable { spreading, same_way_back } = table?;
        let paths = match spreading {
            Spreading::Ecmp => Paths::Ecmp,
            Spreading::Plb => Paths::Plb(plb),
            Spreading::Spray if same_way_back => {
                let message = "packets that are sprayed have no way that acks could take back; set \
                               `routing.spreading = \"ecmp\"` or leave `same_way_back` out";
                self.report(Kind::Contradiction, section.place("same_way_back"), message);
                return None;
            }
            Spreading::Spray => Paths::Spray,
        };
        Some(Routing { paths, same_way_back })
    }

    fn traffic(&mut self, section: &Section<'_, '_>) -> Option<Traffic> {
        let pattern = Pattern::read(self, section, &["name", "class", "via"]);
        let name = self.cell(section, "name", ((), ()), Some(Text::default()), &[]);
        let class = self.cell(section, "class", (0_u32, 7), Some(0), &[]);
        let via = self.cell(section, "via", ((), ()), Some(Via::default()), &[]);
        Some(Traffic { name: name?.0, class: class? as u8, via: via?, pattern: pattern? })
    }
}

/// The `[switch]` table before the law has said what it needs.
pub(crate) struct SwitchDraft {
    pub(crate) table: SwitchTable,
    pub(crate) buffer: Buffer,
    pub(crate) pfc: Pfc,
    pub(crate) red: red::Params,
    /// Whether the text says which rule thresholds follow.
    pub(crate) rule_is_given: bool,
    pub(crate) codel: codel::Params,
    pub(crate) rpm: rpm::Params,
    pub(crate) classes: Vec<Class>,
}

/// One switch with hosts as they are; for texts that are about a law only.
fn default_topology(host: &HostParams) -> Topology {
    let rate = host.nic_rate.unwrap_or(Rate::from_gbps(100));
    Topology::SingleSwitch(SingleSwitch { hosts: 17, rate, delay: Span::from_us(1) })
}
