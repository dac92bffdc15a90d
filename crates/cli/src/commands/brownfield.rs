//! `plimsoll brownfield SCENARIO`.

use crate::brownfield::{self, Mean, Metric, Plan, Row, Study, Unit};
use crate::error::{Error, Verdict};
use crate::fluid_scenario::FluidScenario;
use crate::{files, scenario_file, watched};
use clap::{Args, ValueEnum};
use plimsoll_metrics::confidence::Interval;
use plimsoll_scenario::{Message, Network, Overrides, Scenario};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Plan an upgrade: give switches INT one by one and see what each step is worth.
///
/// The scenario is run with no INT, after each step, and with INT everywhere, always under Poseidon's
/// brownfield signal: the largest per-hop delay where switches stamp it, the round trip for the rest. Steps
/// follow --order, or --search greedy takes the upgrade after which the metric is best, again and again.
/// Without either, tiers are upgraded one by one, those next to hosts first.
///
/// Shown are slowdown and op latency (completion time of messages) and fairness: Jain's index of the endless
/// flows' goodputs as shares of their max-min fair rates or, without endless flows, of 1 / slowdown. Runs have
/// folders as in a sweep: the same command goes on after an interruption and runs nothing twice.
#[derive(Args)]
#[command(after_help = "Exit codes:\n  \
    0    all steps have results and no flow failed\n  \
    1    a run could not be done, or a flow failed; the list is at the end\n  \
    2    the scenario, the order or the law is wrong, or a file cannot be read or written\n  \
    130  stopped by Ctrl-C or SIGTERM; the same command goes on\n\n\
    Examples:\n  \
    plimsoll brownfield scenarios/brownfield.toml\n  \
    plimsoll brownfield scenarios/brownfield.toml --order leaf0,leaf1,spine --metric p999 --seeds 5\n  \
    plimsoll brownfield scenarios/op-latency.toml --search greedy --unit tier --jobs 2\n  \
    plimsoll brownfield scenarios/incast16.toml --cc poseidon:brownfield\n  \
    plimsoll brownfield scenarios/brownfield.toml --json | jq '.steps[] | [.upgraded, .gain_percent.mean]'")]
pub(crate) struct Brownfield {
    /// The scenario's file; `-` reads standard input.
    scenario: PathBuf,
    /// Switches in the order of their upgrades; a name without number, such as `leaf`, is all of them at once.
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', conflicts_with = "search")]
    order: Vec<String>,
    /// Look for an order.
    #[arg(long, value_name = "HOW")]
    search: Option<Search>,
    /// What one step of a search upgrades [default: switch, or tier if there are more than 12 switches].
    #[arg(long, value_name = "WHAT", requires = "search")]
    unit: Option<Grain>,
    /// Steps after which a search ends [default: when all switches are upgraded].
    #[arg(long, value_name = "N", requires = "search", value_parser = clap::value_parser!(u16).range(1..))]
    steps: Option<u16>,
    /// What steps are compared by: a percentile of slowdown, or fairness [default: p99, or fairness if all
    /// flows are endless].
    #[arg(long, value_name = "METRIC")]
    metric: Option<Metric>,
    /// Runs of each step, with seeds that follow the scenario's.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    seeds: u16,
    /// Poseidon with other parameters than the scenario's: `poseidon:PRESET`; its signal becomes brownfield.
    #[arg(long, value_name = "NAME")]
    cc: Option<String>,
    /// Another value for a key of the scenario, as often as needed.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Runs at the same time [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder for results [default: results/NAME-brownfield].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Search {
    /// The best next upgrade each time.
    Greedy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Grain {
    /// One switch.
    Switch,
    /// All switches whose names differ in their numbers only.
    Tier,
}

/// More switches than this are searched by tier unless the user wants otherwise: a search by switch runs about
/// half the square of their number.
const MOST_SINGLE: u32 = 12;

impl Brownfield {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let (scenario, network, endless) = self.read()?;
        let units = self.units(&network)?;
        let metric = self.metric(&scenario, &network, endless)?;
        let folder = self.out.clone().unwrap_or_else(|| {
            let name = scenario_file::plain(&scenario.name);
            Path::new("results").join(format!("{name}-brownfield"))
        });
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let seeds = (0..u64::from(self.seeds)).map(|next| scenario.seed.saturating_add(next));
        let mut seeds: Vec<u64> = seeds.collect();
        seeds.dedup();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.map_or(cores, usize::from);
        let base = (self.scenario.clone(), scenario.to_toml());
        let mut study = Study::new(network, base, seeds, folder, jobs);
        let plan = match self.search {
            Some(Search::Greedy) => {
                let most = self.steps.map_or(usize::MAX, usize::from);
                brownfield::search(&mut study, &units, metric, most)?
            }
            None => brownfield::follow(&mut study, &units)?,
        };
        let shown = Shown { plan: &plan, study: &study, metric };
        files::write(&study.folder.join("brownfield.csv"), shown.csv().as_bytes())?;
        let pictures = if plan.steps.len() > 1 {
            let full = study.row(&study.full());
            brownfield::draw(&plan, full, metric, &scenario.name, &study.folder)?
        } else {
            Vec::new()
        };
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &shown.json())?;
            writeln!(out)?;
        } else {
            shown.table(out)?;
            shown.footer(out, &pictures)?;
        }
        Ok(match &study.tally {
            tally if tally.interrupted => Verdict::Interrupted,
            tally if tally.failures.is_empty() => Verdict::Good,
            _ => Verdict::PointFailed,
        })
    }

    /// The scenario under the brownfield signal, its network, and whether it has endless flows.
    fn read(&self) -> Result<(Scenario, Network, bool), Error> {
        let text = scenario_file::text(&self.scenario)?;
        let mut overrides = Overrides { law: self.cc.clone(), seed: None, set: self.set.clone() };
        let scenario = scenario_file::parse(&self.scenario, &text, &overrides)?;
        let law = scenario.cc.entry().name;
        if law != "poseidon" {
            return Err(Error::Refused(format!(
                "{}: `{law}` has no brownfield mode, it cannot run with INT in some switches only; \
                 `--cc poseidon:brownfield` can",
                self.scenario.display()
            )));
        }
        let endless = {
            let network = scenario.network().map_err(|refusal| Error::Refused(refusal.to_string()))?;
            let workload = scenario.workload(&network, scenario.seed);
            let workload = workload.map_err(|refusal| Error::Refused(refusal.to_string()))?;
            workload.messages.iter().any(|message| message.bytes == Message::UNBOUNDED)
        };
        // The header is the same in every step, so that a step changes what is known and nothing else.
        let mut changes = vec!["cc.signal = \"brownfield\"", "switch.int = \"max-hop-delay\""];
        if endless {
            changes.push("record.rates = true");
        }
        overrides.set.extend(changes.into_iter().map(str::to_owned));
        let scenario = scenario_file::parse(&self.scenario, &text, &overrides)?;
        let fluid = FluidScenario::new(&scenario)?;
        Ok((scenario, fluid.network, endless))
    }

    /// What is upgraded together, in the order in which it comes.
    fn units(&self, network: &Network) -> Result<Vec<Unit>, Error> {
        if network.switches == 0 {
            return Err(Error::Refused("the network has no switch that could be upgraded".to_owned()));
        }
        if self.search.is_some() {
            let usual = if network.switches > MOST_SINGLE { Grain::Tier } else { Grain::Switch };
            return Ok(match self.unit.unwrap_or(usual) {
                Grain::Switch => brownfield::switches(network),
                Grain::Tier => brownfield::tiers(network),
            });
        }
        if self.order.is_empty() {
            return Ok(brownfield::tiers(network));
        }
        let mut so_far: BTreeSet<u32> = BTreeSet::new();
        let mut units = Vec::new();
        for name in &self.order {
            let unit = brownfield::named(network, name.trim())?;
            if unit.switches.is_subset(&so_far) {
                return Err(Error::Refused(format!(
                    "--order: nothing is left of `{name}` to upgrade; leave it out"
                )));
            }
            so_far.extend(&unit.switches);
            units.push(unit);
        }
        Ok(units)
    }

    fn metric(&self, scenario: &Scenario, network: &Network, endless: bool) -> Result<Metric, Error> {
        let workload = scenario.workload(network, scenario.seed);
        let workload = workload.map_err(|refusal| Error::Refused(refusal.to_string()))?;
        let all_endless =
            endless && workload.messages.iter().all(|message| message.bytes == Message::UNBOUNDED);
        match self.metric {
            Some(metric) if all_endless && metric != Metric::Fairness => Err(Error::Refused(
                "all flows are endless, so none has a slowdown; `--metric fairness` compares their rates"
                    .to_owned(),
            )),
            Some(metric) => Ok(metric),
            None if all_endless => Ok(Metric::Fairness),
            None => Ok(Metric::P99),
        }
    }
}

/// A plan as table, CSV and JSON.
struct Shown<'s> {
    plan: &'s Plan,
    study: &'s Study,
    metric: Metric,
}

/// A line of them.
struct Line<'s> {
    step: Option<usize>,
    upgraded: &'s str,
    switches: usize,
    row: &'s Row,
}

impl Shown<'_> {
    /// The steps and, if they do not end there, INT everywhere.
    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = self
            .plan
            .steps
            .iter()
            .enumerate()
            .map(|(place, step)| Line {
                step: Some(place),
                upgraded: if step.upgraded.is_empty() { "-" } else { &step.upgraded },
                switches: step.set.len(),
                row: &step.row,
            })
            .collect();
        let full = self.study.full();
        let ends_full = self.plan.steps.last().is_some_and(|step| step.set == full);
        if let (false, Some(row)) = (ends_full, self.study.row(&full)) {
            lines.push(Line { step: None, upgraded: "all", switches: full.len(), row });
        }
        lines
    }

    /// How much better than without INT, and how much of what INT everywhere gains, both in per cent.
    fn gains(&self, row: &Row) -> (Option<Mean>, Option<f64>) {
        let gain = |row: &Row| row.gain_over(self.study.row(&self.study.none())?, self.metric);
        let full = self.study.row(&self.study.full()).and_then(gain);
        // Next to nothing, or a loss, is no measure of the steps.
        const NOTHING: f64 = 0.1;
        let of_full = match (gain(row), full) {
            (Some(this), Some(full)) if full.mean > NOTHING => Some(100.0 * this.mean / full.mean),
            _ => None,
        };
        (gain(row), of_full)
    }

    fn table(&self, out: &mut dyn Write) -> Result<(), Error> {
        let head = [
            "step",
            "upgraded",
            "INT",
            "slowdown p50",
            "p99",
            "p99.9",
            "latency p50",
            "p99",
            "p99.9",
            "fairness",
            "gain",
            "of full",
        ];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        let mean = |mean: Option<Mean>, decimals: usize, unit: &str| match mean {
            Some(Mean { mean, interval: Some(Interval { low, high }) }) => {
                format!("{mean:.decimals$} ± {:.decimals$}{unit}", (high - low) / 2.0)
            }
            Some(Mean { mean, interval: None }) => format!("{mean:.decimals$}{unit}"),
            None => "-".to_owned(),
        };
        let percent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1} %"));
        for line in self.lines() {
            let (gain, of_full) = self.gains(line.row);
            let mut cells = vec![
                line.step.map_or("-".to_owned(), |step| step.to_string()),
                line.upgraded.to_owned(),
                format!("{}/{}", line.switches, self.study.network.switches),
            ];
            cells.extend(line.row.slowdown.map(|value| mean(value, 3, "")));
            let latency =
                |value: Option<Mean>| value.map_or("-".to_owned(), |value| format!("{:.1} us", value.mean));
            cells.extend(line.row.latency.map(latency));
            cells.extend([mean(line.row.fairness, 3, ""), mean(gain, 1, " %"), percent(of_full)]);
            lines.push(cells);
        }
        let widths: Vec<usize> = (0..head.len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        for line in &lines {
            let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }

    fn footer(&self, out: &mut dyn Write, pictures: &[PathBuf]) -> Result<(), Error> {
        let tally = &self.study.tally;
        writeln!(
            out,
            "\nGain: how much better than without INT, by {}; of full: as a share of what INT everywhere gains.",
            self.metric.label()
        )?;
        if self.study.seeds.len() > 1 {
            writeln!(
                out,
                "± is half the 95 % confidence interval of the mean over {} seeds; that of the gain is over the \
                 differences of equal seeds. A gain smaller than its ± cannot be told from chance.",
                self.study.seeds.len()
            )?;
        }
        write!(out, "{} runs", tally.ran)?;
        if tally.found > 0 {
            write!(out, ", {} were there", tally.found)?;
        }
        if tally.interrupted {
            write!(out, "; stopped, the same command goes on")?;
        }
        writeln!(out, ": {}", self.study.folder.join("brownfield.csv").display())?;
        if !pictures.is_empty() {
            writeln!(out, "Pictures (also as .svg):")?;
        }
        for picture in pictures {
            writeln!(out, "  {}", picture.display())?;
        }
        if !tally.failures.is_empty() {
            writeln!(out, "\nFailed:")?;
        }
        for (run, reason) in &tally.failures {
            writeln!(out, "  {run}: {reason}")?;
        }
        Ok(())
    }

    fn csv(&self) -> String {
        let mut text = "step,upgraded,switches,seeds".to_owned();
        let columns = [
            "slowdown_p50",
            "slowdown_p99",
            "slowdown_p999",
            "latency_p50_us",
            "latency_p99_us",
            "latency_p999_us",
            "fairness",
        ];
        for column in columns {
            text.push_str(&format!(",{column},{column}_low,{column}_high"));
        }
        text.push_str(",gain_percent,gain_percent_low,gain_percent_high,of_full_percent\n");
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let write_mean = |text: &mut String, mean: Option<Mean>| {
            let interval = mean.and_then(|mean| mean.interval);
            let cells = [mean.map(|mean| mean.mean), interval.map(|i| i.low), interval.map(|i| i.high)];
            cells.into_iter().for_each(|cell| text.push_str(&format!(",{}", number(cell))));
        };
        for line in self.lines() {
            let step = line.step.map_or(String::new(), |step| step.to_string());
            text.push_str(&format!("{step},{},{},{}", line.upgraded, line.switches, line.row.seeds()));
            let means = line.row.slowdown.iter().chain(&line.row.latency).chain([&line.row.fairness]);
            means.for_each(|mean| write_mean(&mut text, *mean));
            let (gain, of_full) = self.gains(line.row);
            write_mean(&mut text, gain);
            text.push_str(&format!(",{}\n", number(of_full)));
        }
        text
    }

    fn json(&self) -> Value {
        let mean = |mean: &Option<Mean>| {
            mean.map(|mean| {
                let interval = mean.interval;
                json!({ "mean": mean.mean, "low": interval.map(|i| i.low), "high": interval.map(|i| i.high) })
            })
        };
        let three = |means: &[Option<Mean>; 3]| json!({ "p50": mean(&means[0]), "p99": mean(&means[1]), "p999": mean(&means[2]) });
        let object = |line: &Line<'_>| {
            let (gain, of_full) = self.gains(line.row);
            json!({
                "step": line.step,
                "upgraded": line.upgraded,
                "switches": line.switches,
                "seeds": line.row.seeds(),
                "slowdown": three(&line.row.slowdown),
                "latency_us": three(&line.row.latency),
                "fairness": mean(&line.row.fairness),
                "gain_percent": mean(&gain),
                "of_full_percent": of_full,
            })
        };
        let lines = self.lines();
        let steps: Vec<Value> = lines.iter().filter(|line| line.step.is_some()).map(object).collect();
        let network = &self.study.network;
        let full = self.study.row(&self.study.full()).map(|row| {
            object(&Line { step: None, upgraded: "all", switches: network.switches as usize, row })
        });
        let failed: Vec<Value> = self
            .study
            .tally
            .failures
            .iter()
            .map(|(run, reason)| json!({ "run": run, "reason": reason }))
            .collect();
        json!({
            "metric": self.metric.label(),
            "partial": self.study.tally.interrupted,
            "steps": steps,
            "full": full,
            "failed": failed,
        })
    }
}
