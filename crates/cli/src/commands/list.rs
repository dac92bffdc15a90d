//! `plimsoll list {cc,scenarios,topologies,traffic,figures}`.

use crate::catalogue::{FIGURES, State};
use crate::error::{Error, Verdict};
use crate::subjects::{self, Place, Subject};
use crate::{figures, scenario_file};
use clap::{Args, ValueEnum};
use plimsoll_scenario::{Overrides, explain};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// List laws, scenarios, topologies, patterns of traffic, or the papers' figures.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll list cc\n  \
    plimsoll list scenarios --dir my-scenarios\n  \
    plimsoll list topologies            then: plimsoll explain topology.leaf-spine\n  \
    plimsoll list figures --json")]
pub(crate) struct List {
    /// Of what; absent, what can be listed.
    what: Option<What>,
    /// Where scenarios are.
    #[arg(long, value_name = "DIR", default_value = "scenarios")]
    dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Congestion control laws, and what stands in the network and at hosts beside them.
    Cc,
    /// Scenario files in a folder.
    Scenarios,
    /// Kinds of `[topology]`.
    Topologies,
    /// Kinds of `[[traffic]]`.
    Traffic,
    /// Figures, tables and claims of the papers.
    Figures,
}

impl List {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let Some(what) = self.what else { return choices(out, self.json).map(|()| Verdict::Good) };
        match (what, self.json) {
            (What::Cc, false) => laws(out)?,
            (What::Cc, true) => laws_json(out)?,
            (What::Scenarios, json) => pairs(out, ("file", "description"), &scenarios(&self.dir)?, json)?,
            (What::Topologies, json) => pairs(out, ("kind", "about"), &kinds("topology."), json)?,
            (What::Traffic, json) => pairs(out, ("kind", "about"), &kinds("traffic."), json)?,
            (What::Figures, false) => figures(out)?,
            (What::Figures, true) => figures_json(out)?,
        }
        Ok(Verdict::Good)
    }
}

/// What can be listed.
fn choices(out: &mut dyn Write, json: bool) -> Result<(), Error> {
    let choice = |what: &What| {
        let value = what.to_possible_value();
        let help = value.as_ref().and_then(|value| value.get_help()).map(ToString::to_string);
        (value.map_or(String::new(), |value| value.get_name().to_owned()), help.unwrap_or_default())
    };
    let choices: Vec<(String, String)> = What::value_variants().iter().map(choice).collect();
    pairs(out, ("list", "about"), &choices, json)
}

fn presets(subject: &Subject) -> Vec<&'static str> {
    subject.presets.iter().map(|preset| preset.name).collect()
}

fn laws(out: &mut dyn Write) -> Result<(), Error> {
    let subjects = subjects::all();
    let width = subjects.iter().map(|subject| subject.name.len()).max().unwrap_or(0);
    for (place, heading) in
        [(Place::Sender, "Laws of the sender"), (Place::Beside, "\nIn the network and at hosts")]
    {
        writeln!(out, "{heading}")?;
        for subject in subjects.iter().filter(|subject| subject.place == place) {
            writeln!(out, "  {:<width$}  {}", subject.name, subject.summary)?;
            writeln!(out, "  {:<width$}  presets: {}", "", presets(subject).join(", "))?;
        }
    }
    writeln!(out, "\n`plimsoll explain NAME` shows the parameters of each.")?;
    Ok(())
}

fn laws_json(out: &mut dyn Write) -> Result<(), Error> {
    let laws: Vec<_> = subjects::all()
        .iter()
        .map(|subject| {
            let Subject { name, summary, place, .. } = subject;
            json!({ "name": name, "summary": summary, "place": place.word(), "presets": presets(subject) })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &laws)?;
    writeln!(out)?;
    Ok(())
}

/// The scenarios of a folder with what they are about, by name. One that is wrong is listed with its problem.
fn scenarios(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    let mut scenarios = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scenario = scenario_file::text(&path)
            .and_then(|text| scenario_file::parse(&path, &text, &Overrides::default()));
        let about = match scenario {
            Ok(scenario) => scenario.description,
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        scenarios.push((path.display().to_string(), about));
    }
    scenarios.sort();
    Ok(scenarios)
}

/// The tables `topology.*` or `traffic.*`, by what stands behind the dot.
fn kinds(prefix: &str) -> Vec<(String, String)> {
    let tables = explain::tables();
    let kinds = tables.iter().filter_map(|table| {
        let kind = table.path.strip_prefix(prefix).filter(|kind| !kind.contains('.'))?;
        Some((kind.to_owned(), table.doc.clone()))
    });
    kinds.collect()
}

fn pairs(
    out: &mut dyn Write,
    (first, second): (&str, &str),
    pairs: &[(String, String)],
    json: bool,
) -> Result<(), Error> {
    if json {
        let rows: Vec<_> = pairs.iter().map(|(name, about)| json!({ first: name, second: about })).collect();
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in pairs {
        writeln!(out, "{name:<width$}  {about}")?;
    }
    Ok(())
}

fn figures(out: &mut dyn Write) -> Result<(), Error> {
    let width = FIGURES.iter().map(|figure| figure.id.len()).max().unwrap_or(0);
    for figure in FIGURES {
        writeln!(out, "{:<width$}  {:<10}  {}", figure.id, figure.state.word(), figure.about)?;
    }
    writeln!(out)?;
    for state in State::ALL {
        writeln!(out, "{}: {}", state.word(), state.meaning())?;
    }
    Ok(())
}

fn figures_json(out: &mut dyn Write) -> Result<(), Error> {
    let figures: Vec<_> = FIGURES
        .iter()
        .map(|figure| {
            let here = figures::find(figure.id).is_some();
            json!({ "id": figure.id, "about": figure.about, "state": figure.state.word(), "reproduced": here })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &figures)?;
    writeln!(out)?;
    Ok(())
}
