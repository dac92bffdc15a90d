//! `plimsoll sweep PLAN`.

use crate::error::{Error, Verdict};
use crate::sweep::{Collected, Prepared, State, draw, work};
use crate::{files, results, watched};
use clap::Args;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run a grid of keys, laws and seeds on all cores; goes on where it was interrupted.
///
/// A plan is a TOML file: a scenario, keys of it with lists of values, laws, seeds (`plimsoll explain sweep`).
/// Each point runs on one thread and has its folder with run.toml, flows.parquet and summary.json. Beside them
/// are sweep.csv and sweep.parquet, a row per point, and the plan's picture, plot.svg and plot.png.
///
/// Points whose results are there are not run again, unless what they would run has changed. Ctrl-C, or even
/// kill -9, costs only the points under way. One sweep at a time may use a folder.
#[derive(Args)]
#[command(after_help = "Exit codes:\n  \
    0    all points have results and no flow failed\n  \
    1    a point could not be run, or a flow failed; the list is at the end\n  \
    2    the plan is wrong, or a file cannot be read or written; nothing was run\n  \
    130  stopped by Ctrl-C or SIGTERM; the same command goes on\n\n\
    Examples:\n  \
    plimsoll sweep scenarios/sweeps/incast-laws.toml\n  \
    plimsoll sweep scenarios/sweeps/load.toml --out results/load --jobs 4\n  \
    plimsoll sweep scenarios/sweeps/load.toml --json | jq '.points[] | [.cc, .\"slowdown.p99\"]'")]
pub(crate) struct Sweep {
    /// The plan's file.
    plan: PathBuf,
    /// The folder for results [default: results/sweep-PLAN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Points that run at the same time [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Print points, means over seeds and failures as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

impl Sweep {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let prepared = Prepared::read(&self.plan)?;
        let folder =
            self.out.clone().unwrap_or_else(|| Path::new("results").join(format!("sweep-{}", prepared.name)));
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let states = work(&prepared, &folder, self.jobs.map_or(cores, usize::from))?;
        let with_results = |index: &usize| matches!(states[*index], State::Found | State::Ran);
        let collected = Collected::read(&prepared, &folder, (0..states.len()).filter(with_results))?;
        write_sheet(&collected, &folder)?;
        let picture = match &prepared.sweep.plot {
            Some(plot) => {
                let png = folder.join("plot.png");
                draw(&collected, plot, &prepared.sweep.keys, &png)?;
                Some(png)
            }
            None => None,
        };
        let failures = failures(&prepared, &states, &collected);
        if self.json {
            write_json(out, &prepared, &collected, &failures)?;
        } else {
            write!(out, "{}", table(&prepared, &collected))?;
            summary(out, &states, &folder, picture.as_deref())?;
            write_failures(out, &failures)?;
        }
        Ok(if states.contains(&State::NotRun) {
            Verdict::Interrupted
        } else if failures.is_empty() {
            Verdict::Good
        } else {
            Verdict::PointFailed
        })
    }
}

/// Points that failed or in which flows failed, each with its reason.
fn failures(prepared: &Prepared, states: &[State], collected: &Collected<'_>) -> Vec<(String, String)> {
    let failed = states.iter().zip(&prepared.jobs).filter_map(|(state, job)| match state {
        State::Failed(reason) => Some((job.folder.clone(), reason.clone())),
        _ => None,
    });
    let flows = collected.failed_flows().map(|(point, flows)| {
        let text = if flows == 1 { "1 flow failed".to_owned() } else { format!("{flows} flows failed") };
        (point.to_owned(), text)
    });
    failed.chain(flows).collect()
}

fn write_sheet(collected: &Collected<'_>, folder: &Path) -> Result<(), Error> {
    let sheet = collected.sheet();
    files::write(&folder.join("sweep.csv"), sheet.to_csv().as_bytes())?;
    let path = folder.join("sweep.parquet");
    let part = folder.join(format!(".sweep.parquet.{}.part", std::process::id()));
    sheet.write_parquet(&part).map_err(results::problem(&part))?;
    fs::rename(&part, &path).map_err(Error::file(&path))
}

/// Means over seeds, a line per combination of law and values.
fn table(prepared: &Prepared, collected: &Collected<'_>) -> String {
    let sweep = &prepared.sweep;
    let mut columns: Vec<&str> = sweep.columns.iter().map(|column| column.value.as_str()).collect();
    if let Some(plot) = sweep.plot.as_ref().filter(|plot| !columns.contains(&plot.y.value.as_str())) {
        columns.push(&plot.y.value);
    }
    let groups = collected.groups();
    let mut head = vec!["cc".to_owned()];
    head.extend(sweep.keys.iter().cloned());
    head.push("seeds".to_owned());
    let words = head.len() - 1;
    head.extend(columns.iter().map(|column| (*column).to_owned()));
    let mut lines = vec![head];
    for group in &groups {
        let mut line = vec![group.law.clone()];
        line.extend(
            group.values.iter().map(|value| if value.is_empty() { "-".to_owned() } else { value.clone() }),
        );
        line.push(group.seeds().to_string());
        for column in &columns {
            line.push(match collected.mean(group, column) {
                Some((mean, Some(interval))) => {
                    format!("{} ± {}", digits(mean), digits((interval.high - interval.low) / 2.0))
                }
                Some((mean, None)) => digits(mean),
                None => "-".to_owned(),
            });
        }
        lines.push(line);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let cell = if column < words { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            row.push_str(if column == 0 { "" } else { "  " });
            row.push_str(&cell);
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

/// Four digits, or all before the point.
fn digits(number: f64) -> String {
    let magnitude = number.abs();
    let decimals = match magnitude {
        m if m >= 999.95 || m == 0.0 => 0,
        m if m >= 99.995 => 1,
        m if m >= 9.9995 => 2,
        m if m >= 0.001 => 3,
        _ => return format!("{number:.2e}"),
    };
    format!("{number:.decimals$}")
}

fn summary(
    out: &mut dyn Write,
    states: &[State],
    folder: &Path,
    picture: Option<&Path>,
) -> Result<(), Error> {
    let count = |wanted: State| states.iter().filter(|state| **state == wanted).count();
    let (ran, found, left) = (count(State::Ran), count(State::Found), count(State::NotRun));
    write!(out, "\n± is half the 95 % confidence interval of the mean over seeds.\n{ran} points run")?;
    if found > 0 {
        write!(out, ", {found} were there")?;
    }
    if left > 0 {
        write!(out, ", {left} not run (the same command goes on)")?;
    }
    writeln!(out, ": {}", folder.join("sweep.csv").display())?;
    if let Some(picture) = picture {
        writeln!(out, "Picture (also as .svg): {}", picture.display())?;
    }
    Ok(())
}

fn write_failures(out: &mut dyn Write, failures: &[(String, String)]) -> Result<(), Error> {
    if !failures.is_empty() {
        writeln!(out, "\nFailed:")?;
    }
    for (point, reason) in failures {
        writeln!(out, "  {point}: {reason}")?;
    }
    Ok(())
}

fn write_json(
    out: &mut dyn Write,
    prepared: &Prepared,
    collected: &Collected<'_>,
    failures: &[(String, String)],
) -> Result<(), Error> {
    let means: Vec<_> = collected
        .groups()
        .iter()
        .map(|group| {
            let mut object = serde_json::Map::new();
            object.insert("cc".to_owned(), json!(group.law));
            for (key, value) in prepared.sweep.keys.iter().zip(&group.values) {
                object.insert(key.clone(), json!(value));
            }
            object.insert("seeds".to_owned(), json!(group.seeds()));
            let plotted = prepared.sweep.plot.iter().map(|plot| &plot.y.value);
            for column in prepared.sweep.columns.iter().map(|column| &column.value).chain(plotted) {
                let mean = collected.mean(group, column).map(|(mean, interval)| {
                    json!({ "mean": mean, "low": interval.map(|i| i.low), "high": interval.map(|i| i.high) })
                });
                object.insert(column.clone(), json!(mean));
            }
            serde_json::Value::Object(object)
        })
        .collect();
    let failed: Vec<_> =
        failures.iter().map(|(point, reason)| json!({ "point": point, "reason": reason })).collect();
    let all = json!({ "points": collected.json(), "means": means, "failed": failed });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_or_all_before_the_point() {
        let shown = [1.23456, 12.3456, 123.456, 123456.7, 0.0, 0.5, 0.00012].map(digits);
        assert_eq!(shown, ["1.235", "12.35", "123.5", "123457", "0", "0.500", "1.20e-4"]);
    }
}
