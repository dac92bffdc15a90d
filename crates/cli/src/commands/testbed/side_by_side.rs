//! The simulator's numbers and those of real packets, side by side.

use crate::error::Error;
use crate::figures::observed::{Observed, mean, mean_within};
use crate::figures::pictures::over_time;
use crate::plots;
use plimsoll_report::bars::{Bar, BarSeries, Bars, Whose};
use plimsoll_scenario::Scenario;
use plimsoll_testbed::Run;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One quantity in both worlds.
struct Pair {
    name: String,
    unit: &'static str,
    simulated: f64,
    real: f64,
}

/// Both worlds.
pub(super) struct Sides {
    title: String,
    groups: Vec<String>,
    ports: Vec<String>,
    simulated: Observed,
    real: Observed,
    pairs: Vec<Pair>,
}

impl Sides {
    pub(super) fn read(scenario: &Scenario, simulated: &Path, packets: &Path) -> Result<Self, Error> {
        let network = scenario.network().map_err(|refusal| Error::Refused(refusal.to_string()))?;
        let workload = scenario.workload(&network, scenario.seed);
        let groups = workload.map_err(|refusal| Error::Refused(refusal.to_string()))?.groups;
        let ports = scenario.record.queues.resolve(&network).unwrap_or_default();
        let name = |port: &u32| {
            format!("{}>{}", network.name(network.near_end(*port)), network.name(network.far_end(*port)))
        };
        let ports: Vec<String> = ports.iter().map(name).collect();
        let simulated = Observed::read(scenario, simulated)?;
        let real = Observed::read(scenario, packets)?;
        let title = format!("{}, {}", scenario.name, scenario.cc.entry().name);
        let mut sides = Self { title, groups, ports, simulated, real, pairs: Vec::new() };
        sides.measure();
        Ok(sides)
    }

    /// What both have: means over the second half of the run.
    fn measure(&mut self) {
        let mut pairs = Vec::new();
        let mut put = |name: String, unit, of: &dyn Fn(&Observed) -> f64| {
            let (simulated, real) = (of(&self.simulated), of(&self.real));
            if simulated.is_finite() && real.is_finite() {
                pairs.push(Pair { name, unit, simulated, real });
            }
        };
        let half = Observed::second_half;
        for group in &self.groups {
            put(format!("rate of a flow, {group}"), "Mb/s", &|run| 1e3 * run.rate(group, half(run)));
            put(format!("round trip, {group}"), "µs", &|run| run.mean("rtt", group, half(run)));
            put(format!("longest wait at a hop, {group}"), "µs", &|run| {
                run.mean("max-hop-delay", group, half(run))
            });
            put(format!("completion time, {group}"), "µs", &|run| {
                let times = run.flows(group).into_iter().filter_map(|flow| flow.completion_time());
                mean(times.map(|time| time.as_us_f64()))
            });
        }
        for port in &self.ports {
            put(format!("queue of {port}"), "µs", &|run| mean_within(&run.wait(port), half(run)));
        }
        let groups: Vec<&str> = self.groups.iter().map(String::as_str).collect();
        put("fairness (Jain's index of all flows)".to_owned(), "", &|run| run.jain(&groups, half(run)));
        self.pairs = pairs;
    }

    pub(super) fn table(&self, out: &mut dyn Write) -> Result<(), Error> {
        let width = self.pairs.iter().map(|pair| pair.name.chars().count()).max().unwrap_or(0);
        writeln!(
            out,
            "{:<width$}  {:>12}  {:>12}  {:>9}",
            "second half of the run", "simulated", "real", "ratio"
        )?;
        for Pair { name, unit, simulated, real } in &self.pairs {
            writeln!(
                out,
                "{name:<width$}  {:>12}  {:>12}  {:>9}",
                number(*simulated, unit),
                number(*real, unit),
                if *simulated > 0.0 { format!("{:.3}", real / simulated) } else { "-".to_owned() }
            )?;
        }
        Ok(())
    }

    pub(super) fn json(&self, run: &Run) -> Value {
        let pair = |pair: &Pair| json!({ "what": pair.name, "unit": pair.unit, "simulated": pair.simulated, "real": pair.real });
        json!({
            "pairs": self.pairs.iter().map(pair).collect::<Vec<_>>(),
            "disturbed_percent": run.noise.disturbed_percent,
            "left_out_percent": run.noise.left_out_percent,
            "lateness_p99_us": run.noise.lateness.1.as_us_f64(),
        })
    }

    /// The pairs as bars, and rates over time; gives the PNGs.
    pub(super) fn draw(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let bars = |value: &dyn Fn(&Pair) -> f64| -> Vec<Option<Bar>> {
            let bar = |pair: &Pair| {
                let share = 100.0 * value(pair) / pair.simulated;
                share.is_finite().then(|| Bar {
                    value: share,
                    range: None,
                    text: number(value(pair), pair.unit),
                })
            };
            self.pairs.iter().map(bar).collect()
        };
        let both = Bars {
            title: format!("{}: the simulator and real packets", self.title),
            axis: "Share of the simulator's (%)".to_owned(),
            groups: self.pairs.iter().map(|pair| pair.name.clone()).collect(),
            series: vec![
                BarSeries {
                    name: "simulated".to_owned(),
                    whose: Whose::Ours,
                    bars: bars(&|pair| pair.simulated),
                },
                BarSeries { name: "real".to_owned(), whose: Whose::Ours, bars: bars(&|pair| pair.real) },
            ],
            notes: vec!["Means over the second half of the run.".to_owned()],
        };
        plots::write_bars(&folder.join("compare"), &both)?;
        let mut drawn = vec![folder.join("compare.png")];
        let mut chart = over_time(&format!("{}: rates of flows", self.title), "Rate (Gb/s)");
        for group in &self.groups {
            for (world, run) in [("simulated", &self.simulated), ("real", &self.real)] {
                let series = run.mean_series(&format!("{group}, {world}"), "goodput", group);
                if series.curves.iter().any(|curve| !curve.is_empty()) {
                    chart.series.push(series);
                }
            }
        }
        if !chart.series.is_empty() {
            plots::write(&folder.join("rates"), &chart)?;
            drawn.push(folder.join("rates.png"));
        }
        Ok(drawn)
    }
}

/// Four digits and the unit.
fn number(value: f64, unit: &str) -> String {
    let digits = if value.abs() >= 1000.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        3
    };
    format!("{value:.digits$} {unit}").trim_end().to_owned()
}
