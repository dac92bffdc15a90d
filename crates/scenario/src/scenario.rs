//! What a scenario text says.

use crate::fault::{Fault, FaultTable};
use crate::load::{Loader, NoFiles};
use crate::network::Network;
use crate::problem::Problems;
use crate::random::Random;
use crate::traffic::{Ground, Plan};
use crate::{HostParams, Record, Refusal, Routing, SwitchSettings, Topology, Traffic, Workload, read, write};
use plimsoll_cc::registry::AnyParams;
use plimsoll_units::{Span, Time};

/// What a scenario text says, with nothing left to derive.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Every random number comes from it.
    pub seed: u64,
    /// How long it runs; `None` = until all messages are delivered or given up.
    pub duration: Option<Span>,
    /// How hosts and switches are joined.
    pub topology: Topology,
    /// The hosts.
    pub host: HostParams,
    /// The transport of all hosts.
    pub transport: plimsoll_transport::Config,
    /// The switches.
    pub switch: SwitchSettings,
    /// How packets are spread over equal paths.
    pub routing: Routing,
    /// The law that the hosts run, with its parameters.
    pub cc: AnyParams,
    /// Who sends what to whom.
    pub traffic: Vec<Traffic>,
    /// What goes wrong.
    pub faults: Vec<FaultTable>,
    /// What is sampled while the run goes on.
    pub record: Record,
}

/// What the command line changes about a scenario before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Another law, `name` or `name:preset`. Unless the text names the same law, the text's `[cc]` is left
    /// out.
    pub law: Option<String>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Other values, each `key=value`, e.g. `switch.buffer.size=4MB` or `traffic.0.load=0.8`.
    pub set: Vec<String>,
}

impl Scenario {
    /// Reads and checks a text that names no files; `name` stands in front of messages, usually the
    /// file's path.
    ///
    /// # Errors
    /// All problems of the text, in the order of their place.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        Self::parse_with(name, text, &Overrides::default(), &NoFiles)
    }

    /// Reads and checks a text with some values changed; `loader` gives the files that it names.
    ///
    /// # Errors
    /// All problems of the text, in the order of their place.
    pub fn parse_with(
        name: &str,
        text: &str,
        overrides: &Overrides,
        loader: &dyn Loader,
    ) -> Result<Self, Problems> {
        read::scenario(name, text, overrides, loader)
    }

    /// The scenario as text with every parameter written out, files included: reads back to the very same.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write::scenario(self)
    }

    /// The hosts, switches and links.
    ///
    /// # Errors
    /// If the topology contradicts itself; that of a scenario that was read does not.
    pub fn network(&self) -> Result<Network, Refusal> {
        self.topology.network()
    }

    /// All that hosts send: the same for the same seed, on every platform.
    ///
    /// # Errors
    /// If traffic does not fit the network; that of a scenario that was read does.
    pub fn workload(&self, network: &Network, seed: u64) -> Result<Workload, Refusal> {
        let ground = Ground::new(network, self.duration);
        let mut plan = Plan::default();
        for (table, traffic) in self.traffic.iter().enumerate() {
            plan.group(&traffic.name, traffic.class);
            let random = |stream| Random::new(seed, table as u64, stream);
            traffic.pattern.source().plan(&ground, &random, &mut plan)?;
        }
        let mut workload = plan.finish();
        for traffic in &self.traffic {
            workload.waypoints.push(traffic.via.resolve(network).map_err(|refusal| refusal.at("via"))?);
        }
        Ok(workload)
    }

    /// What goes wrong with each link or switch, by time.
    ///
    /// # Errors
    /// If faults do not fit the network; those of a scenario that was read do.
    pub fn faults(&self, network: &Network) -> Result<Vec<Fault>, Refusal> {
        let mut faults = Vec::new();
        for table in &self.faults {
            faults.extend(table.resolve(network)?);
        }
        faults.sort_by_key(|fault| fault.start);
        Ok(faults)
    }

    /// When the run ends; [`Time::NEVER`] = when all messages are delivered or given up.
    #[must_use]
    pub fn end(&self) -> Time {
        self.duration.map_or(Time::NEVER, Time::after_start)
    }
}
