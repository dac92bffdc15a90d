//! `plimsoll compare SCENARIO --cc a,b,c`.

use super::scenario_options::ScenarioOptions;
use crate::error::{Error, Verdict};
use crate::plots::Story;
use crate::{human, plots, results, scenario_file, watched};
use clap::Args;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Summary};
use plimsoll_report::run::{by_size_of_laws, queues_of_laws, slowdowns_of_laws};
use plimsoll_scenario::Scenario;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run one scenario under several laws: one table, pictures with a line per law.
///
/// Each law runs the same flows. Its results are in a folder of its own. Beside them, as SVG and PNG:
/// slowdown, the distribution of the flows' slowdown; slowdown-by-size, its 99th percentile, if flows
/// are of several sizes; queue, the longest of the queues that the scenario's `[record]` table asks for.
///
/// Ctrl-C ends the comparison early: the law under way is marked as partial, those after it are left
/// out.
#[derive(Args)]
#[command(after_help = "Exit codes:\n  \
    0    all runs reached their ends and no flow failed\n  \
    1    a flow failed\n  \
    2    the scenario does not go with a law, or a file cannot be read or written\n  \
    130  stopped by Ctrl-C or SIGTERM\n\n\
    Examples:\n  \
    plimsoll compare scenarios/incast16.toml --cc hpcc,dctcp,swift\n  \
    plimsoll compare scenarios/incast16.toml --cc poseidon:nsdi23,hpcc:artifact --set topology.rate=400Gbps\n  \
    plimsoll compare scenarios/incast16.toml --cc hpcc,swift --json | jq '.[] | [.cc, .slowdown.p99]'")]
pub(crate) struct Compare {
    #[command(flatten)]
    options: ScenarioOptions,
    /// The laws, each `name` or `name:preset` (`plimsoll list cc`).
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    cc: Vec<String>,
    /// The folder for results and picture, which are replaced if they exist
    /// [default: results/NAME-compare-SEED].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print an array of summaries instead of a table.
    #[arg(long)]
    json: bool,
}

/// A law's row.
struct Row {
    law: String,
    summary: Summary,
    mean_fct: Option<f64>,
    slowdowns: Sorted,
    folder: PathBuf,
}

impl Compare {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let path = &self.options.scenario;
        let text = scenario_file::text(path)?;
        // All are read before the first is run: what is wrong is told before anybody waits.
        let read = |law: &String| {
            let scenario = scenario_file::parse(path, &text, &self.options.overrides(Some(law.clone())))?;
            Ok((law.clone(), scenario))
        };
        let scenarios = self.cc.iter().map(read).collect::<Result<Vec<(String, Scenario)>, Error>>()?;
        let folder = self.out.clone().unwrap_or_else(|| {
            let (name, seed) = scenarios.first().map_or_else(Default::default, |(_, scenario)| {
                (scenario_file::plain(&scenario.name), scenario.seed)
            });
            Path::new("results").join(format!("{name}-compare-{seed}"))
        });
        let mut rows = Vec::new();
        for (law, scenario) in &scenarios {
            if watched::interrupted() {
                break;
            }
            rows.push(self.row(law, scenario, &folder)?);
        }
        let name = scenarios.first().map_or("", |(_, scenario)| &scenario.name);
        let pictures = draw(&rows, name, &folder)?;
        if self.json {
            write_json(out, &rows)?;
        } else {
            write!(out, "{}", table(&rows))?;
            writeln!(out, "\nPictures (also as .svg):")?;
            for picture in pictures {
                writeln!(out, "  {}", picture.with_extension("png").display())?;
            }
        }
        if rows.len() < scenarios.len() {
            return Ok(Verdict::Interrupted);
        }
        let verdicts = rows.iter().map(|row| results::verdict(&row.summary));
        Ok(verdicts.max_by_key(|verdict| verdict.number()).unwrap_or(Verdict::Good))
    }

    fn row(&self, law: &str, scenario: &Scenario, folder: &Path) -> Result<Row, Error> {
        let folder = folder.join(scenario_file::plain(law));
        let mut results = results::Folder::begin(&folder, scenario)?;
        let run = results.run(scenario, self.options.threads(), law)?;
        results.finish(&run)?;
        Ok(Row {
            law: law.to_owned(),
            mean_fct: results::mean_fct(&run.messages),
            slowdowns: Sorted::new(run.messages.iter().filter_map(MessageRecord::slowdown)),
            summary: run.summary,
            folder,
        })
    }
}

const HEADINGS: [&str; 11] =
    ["law", "p50", "p95", "p99", "p99.9", "mean FCT", "max queue", "drops", "pauses", "completed", "wall"];

/// Slowdown's percentiles and the rest, a line per law; numbers to the right.
fn table(rows: &[Row]) -> String {
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(rows.iter().map(cells));
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = "Slowdown (p50 to p99.9): completion time over that in an empty network.\n\n".to_owned();
    for line in &lines {
        let mut row = format!("{:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(widths).skip(1) {
            row.push_str(&format!("  {cell:>width$}"));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn cells(row: &Row) -> [String; HEADINGS.len()] {
    let Row { law, summary, mean_fct, .. } = row;
    let percentile = |pick: fn(&plimsoll_metrics::slowdown::Distribution) -> f64| {
        summary.slowdown.as_ref().map_or("-".to_owned(), |slowdown| format!("{:.3}", pick(slowdown)))
    };
    [
        if summary.partial { format!("{law} (partial)") } else { law.clone() },
        percentile(|slowdown| slowdown.p50),
        percentile(|slowdown| slowdown.p95),
        percentile(|slowdown| slowdown.p99),
        percentile(|slowdown| slowdown.p999),
        mean_fct.map_or("-".to_owned(), human::seconds),
        human::bytes(summary.max_queue_bytes),
        human::count(summary.drops),
        human::count(summary.pfc_pauses),
        format!("{}/{}", summary.completed, summary.flows),
        human::seconds(summary.wall_seconds),
    ]
}

/// Each is summary.json with the law as the command line names it, and the mean completion time.
fn write_json(out: &mut dyn Write, rows: &[Row]) -> Result<(), Error> {
    let mut summaries = Vec::new();
    for Row { law, summary, mean_fct, .. } in rows {
        let mut value = serde_json::to_value(summary)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("cc".to_owned(), json!(law));
            object.insert("mean_fct_seconds".to_owned(), json!(mean_fct));
        }
        summaries.push(value);
    }
    serde_json::to_writer_pretty(&mut *out, &summaries)?;
    writeln!(out)?;
    Ok(())
}

/// The pictures, with a line per law: the slowdown's distribution, its tail by size and the longest recorded
/// queue, where there is something to show. Gives the paths without their endings.
fn draw(rows: &[Row], scenario: &str, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let slowdowns: Vec<_> = rows.iter().map(|row| (row.law.clone(), row.slowdowns.clone())).collect();
    let mut charts = vec![("slowdown", Some(slowdowns_of_laws(scenario, &slowdowns)))];
    let stories = rows.iter().map(|row| Story::read(&row.folder)).collect::<Result<Vec<_>, Error>>()?;
    let named = || rows.iter().map(|row| row.law.as_str()).zip(&stories);
    let messages: Vec<_> = named().map(|(law, story)| (law, story.messages.as_slice())).collect();
    charts.push(("slowdown-by-size", by_size_of_laws(scenario, &messages)));
    let series: Vec<_> = named().map(|(law, story)| (law, &story.series)).collect();
    charts.push(("queue", queues_of_laws(scenario, &series)));
    let mut paths = Vec::new();
    for (name, chart) in charts {
        let path = folder.join(name);
        match chart {
            Some(chart) => plots::write(&path, &chart)?,
            None => {
                // Pictures of an earlier comparison in the same folder would lie.
                for ending in ["svg", "png"] {
                    let _ = std::fs::remove_file(path.with_extension(ending));
                }
                continue;
            }
        }
        paths.push(path);
    }
    Ok(paths)
}
