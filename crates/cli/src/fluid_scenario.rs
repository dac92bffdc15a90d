//! A scenario as a fluid: the links that a run would use, and the flows on them.

use crate::error::Error;
use plimsoll_fluid::flow_level::FlowLevel;
use plimsoll_fluid::max_min::{self, Allocation};
use plimsoll_fluid::network::{Feedback, Flow, Network as FluidNetwork};
use plimsoll_scenario::{Connection, Message, Network, Paths, Scenario, Workload};
use plimsoll_units::{Rate, Rounding, Span, Time};

/// Links and flows of a scenario. A link of the model is a port of the network.
pub(crate) struct FluidScenario {
    pub(crate) network: Network,
    pub(crate) workload: Workload,
    /// The ports that each connection leaves by.
    paths: Vec<Vec<usize>>,
    /// The rate of each port.
    rates: Vec<Rate>,
    /// What of each byte on a link is payload.
    payload_share: f64,
    /// The round trip of each connection without queues.
    base_rtts: Vec<Span>,
}

/// The flows that are looked at.
pub(crate) struct Chosen {
    /// By number of the connection, ascending.
    pub(crate) connections: Vec<usize>,
    /// How they were chosen, for people.
    pub(crate) how: String,
}

impl FluidScenario {
    pub(crate) fn new(scenario: &Scenario) -> Result<Self, Error> {
        if scenario.routing.paths == Paths::Spray {
            let why = "packets are sprayed, so a flow has no path of its own; `--set routing.spreading=ecmp` gives it one";
            return Err(Error::Refused(why.to_owned()));
        }
        let refused = |refusal: plimsoll_scenario::Refusal| Error::Refused(refusal.to_string());
        let network = scenario.network().map_err(refused)?;
        if network.circuits.is_some() {
            let why = "racks are joined by circuits in turn, so a flow has no path of its own";
            return Err(Error::Refused(why.to_owned()));
        }
        let workload = scenario.workload(&network, scenario.seed).map_err(refused)?;
        let paths = plimsoll_sim::paths(&network, &workload, scenario.seed).map_err(refused)?;
        let host = scenario.host.host();
        let base_rtt = |path: &Vec<u32>| {
            let links = path.iter().map(|&port| &network.links[port as usize / 2]);
            let costs = links.map(|link| {
                let time = link.rate.checked_serialize(host.mss, Rounding::Up).unwrap_or(Span::ZERO);
                link.delay.saturating_mul(2).saturating_add(time)
            });
            let switches = path.len().saturating_sub(1) as u64;
            costs.fold(scenario.switch.pipeline.saturating_mul(2 * switches), Span::saturating_add)
        };
        Ok(Self {
            base_rtts: paths.iter().map(base_rtt).collect(),
            paths: paths
                .into_iter()
                .map(|path| path.into_iter().map(|port| port as usize).collect())
                .collect(),
            rates: network.links.iter().flat_map(|link| [link.rate; 2]).collect(),
            payload_share: host.mss.as_f64() / host.mtu.as_f64(),
            network,
            workload,
        })
    }

    /// The flows under way at a moment or, if none is given, all endless ones, or all if there are none.
    pub(crate) fn choose(&self, at: Option<Span>) -> Result<Chosen, Error> {
        if let Some(at) = at {
            let wire_per_payload = 1.0 / self.payload_share;
            let Self { rates, paths, workload, .. } = self;
            let model = FlowLevel { capacities: rates, paths, workload, wire_per_payload };
            let connections = model.active_at(Time::after_start(at)).map_err(no_allocation)?;
            let how = format!("under way at {at} if every flow always had its fair rate");
            return Ok(Chosen { connections, how });
        }
        let endless = self.workload.messages.iter().filter(|message| message.bytes == Message::UNBOUNDED);
        let mut connections: Vec<usize> = endless.map(|message| message.connection as usize).collect();
        connections.sort_unstable();
        connections.dedup();
        if connections.is_empty() {
            let connections = (0..self.workload.connections.len()).collect();
            let how = "all, as if they sent at the same time; --at TIME takes those of a moment".to_owned();
            return Ok(Chosen { connections, how });
        }
        Ok(Chosen { connections, how: "all endless ones".to_owned() })
    }

    /// The max-min fair rates on the links, headers included, of these connections.
    pub(crate) fn allocate(&self, connections: &[usize]) -> Result<Allocation, Error> {
        let paths: Vec<Vec<usize>> = connections.iter().map(|&flow| self.paths[flow].clone()).collect();
        max_min::allocate(&self.rates, &paths).map_err(no_allocation)
    }

    /// What of a rate on a link is payload.
    pub(crate) fn goodput(&self, rate: Rate) -> Rate {
        Rate::saturating_from_bps_f64(rate.as_bps_f64() * self.payload_share)
    }

    /// These connections as a fluid of payload: links carry what headers leave. Endless, each from its first start.
    pub(crate) fn fluid(&self, connections: &[usize]) -> FluidNetwork {
        let mut starts = vec![Time::NEVER; self.workload.connections.len()];
        for message in &self.workload.messages {
            if let plimsoll_scenario::Start::At(time) = message.start {
                let start = &mut starts[message.connection as usize];
                *start = time.min(*start);
            }
        }
        let flow = |&connection: &usize| Flow {
            links: self.paths[connection].clone(),
            // What waits for others begins at once: where flows settle does not depend on it.
            start: if starts[connection] == Time::NEVER { Time::ZERO } else { starts[connection] },
            base_rtt: self.base_rtts[connection],
            acks_wait_in: Vec::new(),
        };
        FluidNetwork {
            capacities: self.rates.iter().map(|&rate| self.goodput(rate)).collect(),
            flows: connections.iter().map(flow).collect(),
            feedback: Feedback::AtOnce,
        }
    }

    pub(crate) fn connection(&self, index: usize) -> &Connection {
        &self.workload.connections[index]
    }

    /// How many links a connection's packets pass.
    pub(crate) fn links(&self, index: usize) -> usize {
        self.paths[index].len()
    }

    /// `s0>h1`
    pub(crate) fn port_name(&self, port: usize) -> String {
        let port = port as u32;
        let name = |node: u32| self.network.name(node);
        format!("{}>{}", name(self.network.near_end(port)), name(self.network.far_end(port)))
    }
}

fn no_allocation(error: max_min::Error) -> Error {
    Error::Refused(format!("there is no max-min allocation: {error}"))
}
