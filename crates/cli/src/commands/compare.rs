//! `plimsoll compare SCENARIO --cc a,b,c`.

use super::scenario_options::ScenarioOptions;
use crate::error::{Error, Verdict};
use crate::{files, human, results, scenario_file, watched};
use clap::Args;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Summary};
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_scenario::Scenario;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run one scenario under several laws: one table, one picture.
///
/// Each law runs the same flows. Its results are in a folder of its own, the distribution of the
/// flows' slowdown under all laws in slowdown.svg and slowdown.png beside them.
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
                (scenario_file::folder_name(scenario, path), scenario.seed)
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
        let picture = folder.join("slowdown.png");
        let name = scenarios.first().map_or("", |(_, scenario)| &scenario.name);
        draw(&rows, name, &picture)?;
        if self.json {
            write_json(out, &rows)?;
        } else {
            write!(out, "{}", table(&rows))?;
            writeln!(out, "\nPicture (also as .svg): {}", picture.display())?;
        }
        if rows.len() < scenarios.len() {
            return Ok(Verdict::Interrupted);
        }
        let verdicts = rows.iter().map(|row| results::verdict(&row.summary));
        Ok(verdicts.max_by_key(|verdict| verdict.number()).unwrap_or(Verdict::Good))
    }

    fn row(&self, law: &str, scenario: &Scenario, folder: &Path) -> Result<Row, Error> {
        let mut results = results::Folder::begin(&folder.join(scenario_file::plain(law)), scenario)?;
        let run = results.run(scenario, self.options.threads(), law)?;
        results.finish(&run)?;
        Ok(Row {
            law: law.to_owned(),
            mean_fct: results::mean_fct(&run.messages),
            slowdowns: Sorted::new(run.messages.iter().filter_map(MessageRecord::slowdown)),
            summary: run.summary,
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

fn draw(rows: &[Row], scenario: &str, png: &Path) -> Result<(), Error> {
    let series = rows.iter().map(|row| Series::line(&row.law, cumulative(row.slowdowns.values())));
    let largest = rows.iter().filter_map(|row| row.slowdowns.percentile(1.0)).fold(1.0, f64::max);
    // Tails over more than a decade are lost on a linear axis.
    let label = "FCT slowdown (times that in an empty network)";
    let x = if largest > 10.0 { Axis::log(label) } else { Axis::linear(label) };
    let chart = Chart {
        title: format!("{scenario}: slowdown of flows"),
        x,
        y: Axis::linear("Fraction of flows").from_to(0.0, 1.0),
        series: series.collect(),
        notes: Vec::new(),
    };
    files::write(&png.with_extension("svg"), chart.svg().as_bytes())?;
    let bytes = chart.png().map_err(|error| Error::Refused(format!("{}: {error}", png.display())))?;
    files::write(png, &bytes)
}

/// The cumulative distribution of sorted values as steps. More values than a picture has places for are thinned
/// out evenly; the ends stay.
fn cumulative(values: &[f64]) -> Vec<(f64, f64)> {
    const MOST: usize = 2_000;
    let n = values.len();
    let stride = n.div_ceil(MOST).max(1);
    let mut points = Vec::new();
    let mut below = 0.0;
    for (index, value) in values.iter().enumerate() {
        if index % stride != 0 && index + 1 != n {
            continue;
        }
        let up_to = (index + 1) as f64 / n as f64;
        points.extend([(*value, below), (*value, up_to)]);
        below = up_to;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_rises_at_each_value_by_its_share() {
        let points = cumulative(&[1.0, 1.0, 2.0, 4.0]);
        let expected = [
            (1.0, 0.0),
            (1.0, 0.25),
            (1.0, 0.25),
            (1.0, 0.5),
            (2.0, 0.5),
            (2.0, 0.75),
            (4.0, 0.75),
            (4.0, 1.0),
        ];
        assert_eq!(points, expected);
        assert!(cumulative(&[]).is_empty());
    }

    #[test]
    fn many_values_are_thinned_out_and_the_ends_stay() {
        let values: Vec<f64> = (0..100_001).map(f64::from).collect();
        let points = cumulative(&values);
        assert!(points.len() < 5_000, "{}", points.len());
        assert_eq!(points.last(), Some(&(100_000.0, 1.0)));
        assert_eq!(points.first(), Some(&(0.0, 0.0)));
    }
}
