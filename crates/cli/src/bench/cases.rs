//! The fixed scenarios of the benchmark. They are part of the program, so that it can be run anywhere.

use crate::error::Error;
use plimsoll_scenario::hpcc::{Files, import};
use plimsoll_scenario::{Overrides, Scenario};
use std::io::Read;

/// A fixed scenario.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What others need per packet-hop on the same sort of traffic, and who; measured elsewhere.
    pub(crate) peers: &'static str,
    /// Run only if it is asked for by name: it takes minutes.
    pub(crate) long: bool,
    source: Source,
}

enum Source {
    /// A scenario's text.
    Text(&'static str),
    /// The HPCC authors' files, with these flows.
    Hpcc(Flows),
}

enum Flows {
    Plain(&'static str),
    Gzip(&'static [u8]),
}

const TOPOLOGY: &str = include_str!("../../../sim/tests/data/fattree320/topology.txt");
const CONFIG: &str = include_str!("../../../sim/tests/data/fattree320/config_1ms_hpcc.txt");

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "incast16",
        about: "16:1 staggered incast on one switch, HPCC",
        peers: "HPCC's ns-3 1,560-1,860",
        long: false,
        source: Source::Text(include_str!("../../../../scenarios/incast16.toml")),
    },
    Case {
        name: "fattree320",
        about: "320 hosts, Hadoop at 50 %, HPCC, 1 ms of arrivals",
        peers: "HPCC's ns-3 3,100",
        long: false,
        source: Source::Hpcc(Flows::Plain(include_str!(
            "../../../sim/tests/data/fattree320/flow_hadoop50_1ms.txt"
        ))),
    },
    Case {
        name: "fattree320-5ms",
        about: "the same, 5 ms of arrivals",
        peers: "HPCC's ns-3 4,030",
        long: false,
        source: Source::Hpcc(Flows::Gzip(include_bytes!("../../bench/flow_hadoop50_5ms.txt.gz"))),
    },
    Case {
        name: "fattree1024",
        about: "1024 hosts, Hadoop at 50 %, HPCC",
        peers: "",
        long: false,
        source: Source::Text(include_str!("../../../../scenarios/fat-tree-1024.toml")),
    },
    Case {
        name: "fattree8192",
        about: "8192 hosts, Hadoop at 50 %, HPCC",
        peers: "",
        long: false,
        source: Source::Text(include_str!("../../../../scenarios/fat-tree-8192.toml")),
    },
    Case {
        name: "powertcp256",
        about: "256 hosts, 4:1 oversubscribed, web search at 60 %, PowerTCP, 1 s of arrivals",
        peers: "",
        long: true,
        source: Source::Text(include_str!("../../../../papers/powertcp/fig6b/scenario.toml")),
    },
];

impl Case {
    /// Reads the scenario. Nothing but flows is recorded, whatever the text asks for.
    pub(crate) fn scenario(&self) -> Result<Scenario, Error> {
        match &self.source {
            Source::Text(text) => read(self.name, text),
            Source::Hpcc(Flows::Plain(flows)) => hpcc(self.name, flows),
            Source::Hpcc(Flows::Gzip(bytes)) => {
                let mut flows = String::new();
                let read = flate2::read::GzDecoder::new(*bytes).read_to_string(&mut flows);
                read.map_err(Error::file(self.name))?;
                hpcc(self.name, &flows)
            }
        }
    }
}

/// A scenario from its text, with nothing recorded.
pub(crate) fn read(name: &str, text: &str) -> Result<Scenario, Error> {
    let scenario = Scenario::parse(name, text).map_err(Error::Scenario)?;
    Ok(Scenario { record: plimsoll_scenario::Record::nothing(), ..scenario })
}

fn hpcc(name: &str, flows: &str) -> Result<Scenario, Error> {
    let files = Files {
        topology: ("topology.txt", TOPOLOGY),
        flows: ("flows.txt", flows),
        config: Some(("config.txt", CONFIG)),
    };
    let text = import(&files).map_err(|error| Error::Text(error.to_string()))?.text;
    let loader = |path: &str| match path {
        "topology.txt" => Ok(TOPOLOGY.to_owned()),
        "flows.txt" => Ok(flows.to_owned()),
        other => Err(format!("there is no {other} here")),
    };
    Scenario::parse_with(name, &text, &Overrides::default(), &loader).map_err(Error::Scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_scenario_with_its_law_and_its_hosts() {
        let hosts: Vec<u32> = CASES
            .iter()
            .map(|case| {
                let scenario = case.scenario().unwrap();
                let law = if case.name.starts_with("powertcp") { "powertcp" } else { "hpcc" };
                assert_eq!(scenario.cc.entry().name, law, "{}", case.name);
                scenario.network().unwrap().hosts
            })
            .collect();
        assert_eq!(hosts, [17, 320, 320, 1_024, 8_192, 256]);
    }
}
