//! The runs themselves.

use super::Scenario as Options;
use crate::error::{Error, Verdict};
use crate::{human, noise, plots, results, scenario_file, watched};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plimsoll_scenario::{Overrides, Scenario};
use plimsoll_testbed::{Control, Program, Run};
use plimsoll_units::{Span, Time};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[path = "claims.rs"]
mod claims;
#[path = "side_by_side.rs"]
mod side_by_side;

pub(super) use claims::reproduce;

/// How often the user is looked at.
const GLANCE: Duration = Duration::from_millis(100);

fn problem(error: plimsoll_testbed::Error) -> Error {
    let text = error.to_string();
    match error {
        plimsoll_testbed::Error::Missing(_) => Error::Missing(text),
        plimsoll_testbed::Error::Disturbed { .. } => Error::Disturbed(text),
        plimsoll_testbed::Error::Refused(_) => Error::Refused(text),
    }
}

/// Reads a scenario, with packets as large as they are on real links.
fn parse(path: &Path, text: &str, overrides: &Overrides) -> Result<Scenario, Error> {
    let scenario = scenario_file::parse(path, text, overrides)?;
    let (header, ack) = plimsoll_testbed::sizes(&scenario);
    let sizes = [format!("host.header={header}"), format!("host.ack_size={ack}")];
    let set = overrides.set.iter().cloned().chain(sizes).collect();
    scenario_file::parse(path, text, &Overrides { set, ..overrides.clone() })
}

impl Options {
    /// The scenario, with packets as large as they are on real links.
    fn read(&self) -> Result<Scenario, Error> {
        let text = scenario_file::text(&self.scenario)?;
        let overrides = Overrides { law: self.cc.clone(), seed: self.seed, set: self.set.clone() };
        parse(&self.scenario, &text, &overrides)
    }

    fn folder(&self, scenario: &Scenario) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let (name, law) = (scenario_file::plain(&scenario.name), scenario.cc.entry().name);
            Path::new("results").join(format!("{name}-{law}-{}-testbed", scenario.seed))
        })
    }
}

pub(super) fn clean(out: &mut dyn Write) -> Result<Verdict, Error> {
    let removed = plimsoll_testbed::clean().map_err(problem)?;
    match removed.len() {
        0 => writeln!(out, "Nothing was left.")?,
        count => writeln!(out, "{count} namespaces removed: {}", removed.join(", "))?,
    }
    Ok(Verdict::Good)
}

pub(super) fn run(options: &Options, programs: &[String], out: &mut dyn Write) -> Result<Verdict, Error> {
    watched::listen();
    let scenario = options.read()?;
    let folder = options.folder(&scenario);
    let results = results::Folder::begin(&folder, &scenario)?;
    let programs: Vec<Program> = programs
        .iter()
        .enumerate()
        .map(|(index, text)| program(text, &results.path().join(format!("program-{index}.txt"))))
        .collect::<Result<_, _>>()?;
    let run = real(&scenario, &programs, options.limit, "")?;
    results.finish_real(&run)?;
    let drawn = plots::draw(&folder)?;
    if options.json {
        let told = Told { summary: &run.summary, noise: noise::json(&run.noise) };
        serde_json::to_writer_pretty(&mut *out, &told)?;
        writeln!(out)?;
    } else {
        table(out, &run)?;
        for (index, (program, ended)) in programs.iter().zip(&run.programs).enumerate() {
            let how = ended.map_or("killed at the end".to_owned(), |status| status.to_string());
            let output = folder.join(format!("program-{index}.txt"));
            writeln!(
                out,
                "  {:<15}`{}`: {how}; {}",
                format!("h{}", program.host),
                program.command,
                output.display()
            )?;
        }
        writeln!(out, "  {:<15}{}", "results", folder.display())?;
        writeln!(out, "  {:<15}{}", "page", drawn.page.display())?;
    }
    Ok(results::verdict(&run.summary))
}

/// `h1: iperf3 -s`, and where its output goes.
fn program(text: &str, output: &Path) -> Result<Program, Error> {
    let parts = text.split_once(':').and_then(|(host, command)| {
        let host: u32 = host.trim().strip_prefix('h')?.parse().ok()?;
        Some((host, command.trim())).filter(|(_, command)| !command.is_empty())
    });
    let (host, command) = parts.ok_or_else(|| {
        Error::Refused(format!("--program: `{text}` is no host with a command; e.g. 'h1: iperf3 -s'"))
    })?;
    Ok(Program { host, command: command.to_owned(), output: output.to_owned() })
}

/// Runs it with somebody who watches; `label` stands before how far it is.
fn real(scenario: &Scenario, programs: &[Program], limit: f64, label: &str) -> Result<Run, Error> {
    let control = Control::default();
    let done = AtomicBool::new(false);
    let end = scenario.duration;
    thread::scope(|scope| {
        scope.spawn(|| watch(&control, &done, end, label));
        let run = plimsoll_testbed::run(scenario, programs, &control, limit);
        done.store(true, Ordering::Relaxed);
        run
    })
    .map_err(problem)
}

fn watch(control: &Control, done: &AtomicBool, end: Option<Span>, label: &str) {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(end.map(Span::as_ps), target);
    if let Ok(style) =
        ProgressStyle::with_template(if end.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" })
    {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        if watched::interrupted() {
            control.stop.store(true, Ordering::Relaxed);
        }
        let now = Time::from_ps(control.now.load(Ordering::Relaxed)).since_start();
        bar.set_position(now.as_ps());
        bar.set_message(match end {
            Some(end) => format!("{label}{} of {}", human::time(now), human::time(end)),
            None => format!("{label}{}", human::time(now)),
        });
        thread::sleep(GLANCE);
    }
    bar.finish_and_clear();
}

fn table(out: &mut dyn Write, run: &Run) -> Result<(), Error> {
    let Run { summary, noise: seen, .. } = run;
    let partial = if summary.partial { " (partial: it was stopped)" } else { "" };
    writeln!(out, "{}: {}, on real packets{partial}", summary.scenario, summary.law)?;
    let mut row = |name: &str, text: String| writeln!(out, "  {name:<15}{text}");
    row("flows", format!("{} of {} completed, {} failed", summary.completed, summary.flows, summary.failed))?;
    row("longest queue", human::bytes(summary.max_queue_bytes))?;
    row(
        "packets",
        format!(
            "{} over links in {}, {} dropped, {} marked, {} sent again",
            human::count(summary.packet_hops),
            human::time(summary.simulated),
            human::count(summary.drops),
            human::count(summary.marks),
            human::count(summary.retransmitted)
        ),
    )?;
    row("noise", noise::text(seen))?;
    if seen.refused + seen.unsent + seen.foreign > 0 {
        row(
            "strange",
            format!(
                "{} datagrams unreadable, {} frames for nobody here, {} not taken by the kernel",
                seen.refused, seen.foreign, seen.unsent
            ),
        )?;
    }
    Ok(())
}

/// The summary of a run, with how far it can be believed.
#[derive(serde::Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    summary: &'a plimsoll_metrics::Summary,
    noise: serde_json::Value,
}

/// Runs both, the simulator first, which is sooner done.
pub(super) fn compare(options: &Options, out: &mut dyn Write) -> Result<Verdict, Error> {
    watched::listen();
    let scenario = options.read()?;
    let folder = options.out.clone().unwrap_or_else(|| {
        let (name, law) = (scenario_file::plain(&scenario.name), scenario.cc.entry().name);
        Path::new("results").join(format!("{name}-{law}-{}-both", scenario.seed))
    });
    let (simulated, packets) = (folder.join("simulated"), folder.join("real"));
    let mut results = results::Folder::begin(&simulated, &scenario)?;
    let run = results.run(&scenario, 1, "simulated")?;
    results.finish(&run)?;
    let results = results::Folder::begin(&packets, &scenario)?;
    let run = real(&scenario, &[], options.limit, "")?;
    results.finish_real(&run)?;
    let sides = side_by_side::Sides::read(&scenario, &simulated, &packets)?;
    if options.json {
        serde_json::to_writer_pretty(&mut *out, &sides.json(&run))?;
        writeln!(out)?;
    } else {
        table(out, &run)?;
        writeln!(out)?;
        sides.table(out)?;
    }
    let pictures = sides.draw(&folder)?;
    if !options.json {
        writeln!(out, "\nPictures (also as .svg):")?;
        for picture in pictures {
            writeln!(out, "  {}", picture.display())?;
        }
        writeln!(out, "Results: {} and {}", simulated.display(), packets.display())?;
    }
    Ok(results::verdict(&run.summary))
}
