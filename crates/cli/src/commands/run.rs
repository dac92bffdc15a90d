//! `plimsoll run SCENARIO`.

use super::scenario_options::ScenarioOptions;
use crate::error::{Error, Verdict};
use crate::{human, plots, results, scenario_file, watched};
use clap::Args;
use plimsoll_metrics::{Outcome, Reason};
use plimsoll_sim::Run as Simulated;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run a scenario packet by packet and write what it yields.
///
/// The folder of results has run.toml (everything resolved: the run can be repeated from it alone),
/// flows.parquet (a row per flow), series.parquet (what the scenario's `[record]` table asks for, over
/// time), summary.json, packets.pcapng if `[record] packets` names ports, pictures in plots/ and all of
/// them on one page, report.html. The result depends on scenario and seed alone, not on the number of
/// threads.
///
/// Ctrl-C ends the run early: its results are written and marked as partial. A second Ctrl-C leaves
/// no results.
#[derive(Args)]
#[command(after_help = "Exit codes:\n  \
    0    the run reached its end and no flow failed\n  \
    1    a flow failed; the summary says how many, flows.parquet which and why\n  \
    2    the scenario is wrong, or a file cannot be read or written\n  \
    130  stopped by Ctrl-C or SIGTERM; the results are partial\n\n\
    Examples:\n  \
    plimsoll run scenarios/incast16.toml\n  \
    plimsoll run scenarios/incast16.toml --cc swift --out results/swift\n  \
    plimsoll run scenarios/leaf-spine-websearch.toml --set traffic.0.load=0.6 --seed 2 --threads 2\n  \
    plimsoll run scenarios/parking-lot.toml --csv --no-plots\n  \
    plimsoll run scenarios/incast16.toml --json | jq .slowdown.p99")]
pub(crate) struct Run {
    #[command(flatten)]
    options: ScenarioOptions,
    /// Another law than the scenario's: `name` or `name:preset` (`plimsoll list cc`).
    #[arg(long, value_name = "NAME")]
    cc: Option<String>,
    /// The folder for results, which are replaced if they exist [default: results/NAME-LAW-SEED].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw nothing; `plimsoll plot DIR` does it later.
    #[arg(long)]
    no_plots: bool,
    /// Write flows.csv and series.csv beside the Parquet files.
    #[arg(long)]
    csv: bool,
    /// Print summary.json instead of a table.
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let path = &self.options.scenario;
        let text = scenario_file::text(path)?;
        let scenario = scenario_file::parse(path, &text, &self.options.overrides(self.cc.clone()))?;
        let law = self.cc.as_deref().unwrap_or(scenario.cc.entry().name);
        let folder = self.out.clone().unwrap_or_else(|| {
            let name = scenario_file::plain(&scenario.name);
            Path::new("results").join(format!("{name}-{}-{}", scenario_file::plain(law), scenario.seed))
        });
        let mut results = results::Folder::begin(&folder, &scenario)?;
        if self.csv {
            results.ask_for_csv();
        }
        let run = results.run(&scenario, self.options.threads(), &scenario.name)?;
        if let Some(note) = fewer_threads(self.options.threads(), run.summary.threads as usize) {
            // Who does not read it has lost nothing but the reason.
            let _ = writeln!(std::io::stderr(), "{note}");
        }
        results.finish(&run)?;
        let drawn = if self.no_plots { None } else { Some(plots::draw(&folder)?) };
        if self.json {
            write!(out, "{}", run.summary.to_json()?)?;
        } else {
            table(out, &run, &folder)?;
            if let Some(drawn) = drawn {
                let count = drawn.count;
                writeln!(out, "  {:<15}{} ({count}, as SVG and PNG)", "plots", drawn.plots.display())?;
                writeln!(out, "  {:<15}{}", "page", drawn.page.display())?;
            }
        }
        Ok(results::verdict(&run.summary))
    }
}

/// Why fewer threads were used than were asked for, if so.
fn fewer_threads(asked: usize, used: usize) -> Option<String> {
    (used < asked).then(|| {
        format!(
            "note: {used} of {asked} threads used: a network is cut between racks (switches with their hosts), \
             across links with a delay, and this one cannot be cut into more parts"
        )
    })
}

fn table(out: &mut dyn Write, run: &Simulated, folder: &Path) -> Result<(), Error> {
    let summary = &run.summary;
    let threads = if summary.threads == 1 { "thread" } else { "threads" };
    let partial = if summary.partial { " (partial: it was stopped)" } else { "" };
    writeln!(
        out,
        "{}: {}, seed {}, {} {threads}{partial}",
        summary.scenario, summary.law, summary.seed, summary.threads
    )?;
    let mut row = |name: &str, text: String| writeln!(out, "  {name:<15}{text}");
    row("flows", flows(run))?;
    if let Some(slowdown) = summary.slowdown {
        row(
            "slowdown",
            format!(
                "p50 {:.3}  p95 {:.3}  p99 {:.3}  p99.9 {:.3}  max {:.3}",
                slowdown.p50, slowdown.p95, slowdown.p99, slowdown.p999, slowdown.max
            ),
        )?;
    }
    if let Some(mean) = results::mean_fct(&run.messages) {
        row("mean FCT", human::seconds(mean))?;
    }
    row("longest queue", human::bytes(summary.max_queue_bytes))?;
    row(
        "packets",
        format!(
            "{} dropped, {} marked, {} sent again; {} PFC pauses",
            human::count(summary.drops),
            human::count(summary.marks),
            human::count(summary.retransmitted),
            human::count(summary.pfc_pauses)
        ),
    )?;
    row(
        "time",
        format!(
            "{} simulated in {}: {} packet-hops, {:.0} ns each",
            human::time(summary.simulated),
            human::seconds(summary.wall_seconds),
            human::count(summary.packet_hops),
            summary.ns_per_packet_hop
        ),
    )?;
    row("trace hash", summary.trace_hash.to_string())?;
    row("results", folder.display().to_string())?;
    Ok(())
}

/// `14 of 16 completed, 2 failed (2 timed-out)`
fn flows(run: &Simulated) -> String {
    let summary = &run.summary;
    let mut text = format!("{} of {} completed", summary.completed, summary.flows);
    if summary.failed > 0 {
        let failures = |reason: Reason| {
            let failed = |outcome| matches!(outcome, Outcome::Failed(failure) if failure.reason == reason);
            run.messages.iter().filter(|message| failed(message.outcome())).count()
        };
        let counts = Reason::ALL.map(|reason| (failures(reason), reason));
        let reasons: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        text.push_str(&format!(", {} failed ({})", summary.failed, reasons.join(", ")));
    }
    let open = run.messages.iter().filter(|message| message.outcome() == Outcome::Unfinished);
    let endless =
        open.filter(|message| message.bytes == plimsoll_scenario::Message::UNBOUNDED).count() as u64;
    if endless > 0 {
        text.push_str(&format!(", {endless} without an end sent until the run's"));
    }
    if summary.unfinished > endless {
        text.push_str(&format!(", {} unfinished at the end", summary.unfinished - endless));
    }
    text
}
