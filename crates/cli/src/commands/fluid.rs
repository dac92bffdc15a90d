//! `plimsoll fluid maxmin SCENARIO`, `plimsoll fluid poseidon SCENARIO`.

use crate::error::{Error, Verdict};
use crate::fluid_scenario::{Chosen, FluidScenario};
use crate::scenario_file;
use clap::{Args, Subcommand};
use plimsoll_cc::CongestionControl;
use plimsoll_cc::registry::Visitor;
use plimsoll_fluid::max_min::Allocation;
use plimsoll_fluid::network::{Network, Settled};
use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_units::{Rate, Span};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// A scenario as a fluid: the fair rates of its flows, and where Poseidon takes them.
///
/// Nothing is simulated packet by packet. Flows take the paths that `plimsoll run` would give them with the
/// same seed. Classes, faults, acks on the way back and later changes of paths (PLB) are left out.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll fluid maxmin scenarios/parking-lot.toml\n  \
    plimsoll fluid maxmin scenarios/leaf-spine-websearch.toml --at 1ms\n  \
    plimsoll fluid poseidon scenarios/parking-lot.toml --json | jq .worst_percent")]
pub(crate) struct Fluid {
    #[command(subcommand)]
    model: Model,
}

#[derive(Subcommand)]
enum Model {
    Maxmin(Maxmin),
    Poseidon(Poseidon),
}

/// The max-min fair rate of each flow, by water-filling, and the link that limits it.
///
/// Without --at, the flows are all endless ones of the scenario or, if there are none, all. With --at, they
/// are those that would be under way at that moment if every flow always had its fair rate.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll fluid maxmin scenarios/parking-lot.toml\n  \
    plimsoll fluid maxmin scenarios/fairness.toml --at 500us\n  \
    plimsoll fluid maxmin scenarios/parking-lot.toml --json | jq '.flows[] | [.bottleneck, .rate_bps]'")]
struct Maxmin {
    #[command(flatten)]
    options: Options,
}

/// Where a fluid Poseidon takes the flows, beside their max-min fair rates.
///
/// The law is the one that runs in the simulator, asked after every small step of time; rates and queues
/// follow without packets. A scenario whose law is not Poseidon is taken with Poseidon's usual parameters.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll fluid poseidon scenarios/parking-lot.toml\n  \
    plimsoll fluid poseidon scenarios/parking-lot.toml --set cc.m=0.5 --settle 5ms")]
struct Poseidon {
    #[command(flatten)]
    options: Options,
    /// How long flows run; rates are means over the last quarter.
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = settling_time)]
    settle: Span,
}

#[derive(Args)]
struct Options {
    /// The scenario's file; `-` reads standard input.
    scenario: PathBuf,
    /// The moment whose flows are taken, such as `1ms`.
    #[arg(long, value_name = "TIME")]
    at: Option<Span>,
    /// Another value for a key of the scenario, as often as needed.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Another seed than the scenario's.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

fn settling_time(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error| format!("{error}"))?;
    if (Span::from_us(1)..=Span::from_s(10)).contains(&span) {
        return Ok(span);
    }
    Err("it must be from 1us to 10s".to_owned())
}

impl Fluid {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.model {
            Model::Maxmin(maxmin) => maxmin.run(out),
            Model::Poseidon(poseidon) => poseidon.run(out),
        }
    }
}

impl Options {
    fn read(&self, law: Option<&str>) -> Result<(Scenario, FluidScenario, Chosen), Error> {
        let text = scenario_file::text(&self.scenario)?;
        let overrides = Overrides { law: law.map(str::to_owned), seed: self.seed, set: self.set.clone() };
        let scenario = scenario_file::parse(&self.scenario, &text, &overrides)?;
        let fluid = FluidScenario::new(&scenario)?;
        let chosen = fluid.choose(self.at)?;
        Ok((scenario, fluid, chosen))
    }
}

impl Maxmin {
    fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let (scenario, fluid, chosen) = self.options.read(None)?;
        let fair = fluid.allocate(&chosen.connections)?;
        if self.options.json {
            let all = json!({ "scenario": scenario.name, "seed": scenario.seed, "chosen": chosen.how,
                "flows": json_flows(&fluid, &chosen, &fair) });
            serde_json::to_writer_pretty(&mut *out, &all)?;
            writeln!(out)?;
            return Ok(Verdict::Good);
        }
        headline(out, &scenario, &chosen, &fair)?;
        let mut lines = vec![head(&["rate (Gb/s)", "goodput (Gb/s)"])];
        for (place, &rate) in fair.rates.iter().enumerate() {
            let numbers = [gbps(rate), gbps(fluid.goodput(rate))];
            lines.push(line(&fluid, &chosen, &fair, place, numbers.to_vec()));
        }
        write_lines(out, &lines)?;
        Ok(Verdict::Good)
    }
}

impl Poseidon {
    fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let (scenario, fluid, chosen) = self.options.read(Some("poseidon"))?;
        let fair = fluid.allocate(&chosen.connections)?;
        let law =
            scenario.cc.build(&scenario.host.host()).map_err(|error| Error::Refused(error.to_string()))?;
        let network = fluid.fluid(&chosen.connections);
        let settled = law.visit(Settling { network: &network, time: self.settle });
        let offs: Vec<f64> = settled
            .rates
            .iter()
            .zip(&fair.rates)
            .map(|(&ours, &fair)| 100.0 * (ours / fluid.goodput(fair) - 1.0))
            .collect();
        let worst = offs.iter().fold(0.0_f64, |worst, off| worst.max(off.abs()));
        if self.options.json {
            let mut flows = json_flows(&fluid, &chosen, &fair);
            for ((flow, rate), off) in flows.iter_mut().zip(&settled.rates).zip(&offs) {
                flow["settled_goodput_bps"] = json!(rate.as_bps());
                flow["off_percent"] = json!(off);
            }
            let all = json!({ "scenario": scenario.name, "seed": scenario.seed, "chosen": chosen.how,
                "worst_percent": worst, "flows": flows });
            serde_json::to_writer_pretty(&mut *out, &all)?;
            writeln!(out)?;
            return Ok(Verdict::Good);
        }
        headline(out, &scenario, &chosen, &fair)?;
        let mut lines = vec![head(&["fair goodput (Gb/s)", "settled (Gb/s)", "off (%)", "delay there (us)"])];
        for (place, off) in offs.iter().enumerate() {
            let delay = settled.delays.get(fair.bottlenecks[place]).copied().unwrap_or(Span::ZERO);
            let numbers = vec![
                gbps(fluid.goodput(fair.rates[place])),
                gbps(settled.rates[place]),
                format!("{off:+.2}"),
                format!("{:.2}", delay.as_us_f64()),
            ];
            lines.push(line(&fluid, &chosen, &fair, place, numbers));
        }
        write_lines(out, &lines)?;
        writeln!(out, "\nThe flow furthest from its fair rate is {worst:.2} % off.")?;
        Ok(Verdict::Good)
    }
}

/// A network to be settled by whatever law.
struct Settling<'n> {
    network: &'n Network,
    time: Span,
}

impl Visitor for Settling<'_> {
    type Output = Settled;

    fn visit<L>(self, law: L) -> Settled
    where
        L: CongestionControl + Send + Sync,
        L::Flow: Send,
    {
        self.network.settle(&law, self.time)
    }
}

fn headline(
    out: &mut dyn Write,
    scenario: &Scenario,
    chosen: &Chosen,
    fair: &Allocation,
) -> Result<(), Error> {
    let bottlenecks: BTreeSet<_> = fair.bottlenecks.iter().collect();
    writeln!(
        out,
        "{}: {} flows ({}), {} bottlenecks\n",
        scenario.name,
        chosen.connections.len(),
        chosen.how,
        bottlenecks.len()
    )?;
    Ok(())
}

fn head(numbers: &[&str]) -> Vec<String> {
    ["flow", "traffic", "from", "to", "bottleneck"]
        .iter()
        .chain(numbers)
        .map(|&cell| cell.to_owned())
        .collect()
}

/// How many columns are words.
const WORDS: usize = 5;

fn line(
    fluid: &FluidScenario,
    chosen: &Chosen,
    fair: &Allocation,
    place: usize,
    numbers: Vec<String>,
) -> Vec<String> {
    let index = chosen.connections[place];
    let connection = fluid.connection(index);
    let group = fluid.workload.groups.get(usize::from(connection.group)).cloned().unwrap_or_default();
    let name = |host: u32| fluid.network.name(host).to_owned();
    let port = fluid.port_name(fair.bottlenecks[place]);
    let mut cells = vec![index.to_string(), group, name(connection.from), name(connection.to), port];
    cells.extend(numbers);
    cells
}

/// Columns as wide as they need to be, numbers to the right.
fn write_lines(out: &mut dyn Write, lines: &[Vec<String>]) -> Result<(), Error> {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < WORDS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn gbps(rate: Rate) -> String {
    format!("{:.3}", rate.as_gbps_f64())
}

fn json_flows(fluid: &FluidScenario, chosen: &Chosen, fair: &Allocation) -> Vec<Value> {
    let flow = |(place, &rate): (usize, &Rate)| {
        let index = chosen.connections[place];
        let connection = fluid.connection(index);
        json!({
            "flow": index,
            "traffic": fluid.workload.groups.get(usize::from(connection.group)),
            "from": fluid.network.name(connection.from),
            "to": fluid.network.name(connection.to),
            "bottleneck": fluid.port_name(fair.bottlenecks[place]),
            "rate_bps": rate.as_bps(),
            "goodput_bps": fluid.goodput(rate).as_bps(),
        })
    };
    fair.rates.iter().enumerate().map(flow).collect()
}
