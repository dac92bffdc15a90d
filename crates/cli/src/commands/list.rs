//! `plimsoll list {cc,figures}`.

use crate::catalogue::{FIGURES, State};
use crate::error::{Error, Verdict};
use crate::figures;
use clap::{Args, ValueEnum};
use plimsoll_cc::registry::LAWS;
use serde_json::json;
use std::io::Write;

/// List the congestion control laws or the papers' figures.
#[derive(Args)]
#[command(after_help = "Examples:\n  plimsoll list cc\n  plimsoll list figures --json")]
pub(crate) struct List {
    /// Of what.
    what: What,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Congestion control laws.
    Cc,
    /// Figures, tables and claims of the papers.
    Figures,
}

impl List {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match (self.what, self.json) {
            (What::Cc, false) => laws(out)?,
            (What::Cc, true) => laws_json(out)?,
            (What::Figures, false) => figures(out)?,
            (What::Figures, true) => figures_json(out)?,
        }
        Ok(Verdict::Good)
    }
}

fn presets(law: &plimsoll_cc::registry::Entry) -> Vec<&'static str> {
    let mut names = Vec::new();
    (law.presets)(&mut |name, _| names.push(name));
    names
}

fn laws(out: &mut dyn Write) -> Result<(), Error> {
    let width = LAWS.iter().map(|law| law.name.len()).max().unwrap_or(0);
    for law in LAWS {
        writeln!(out, "{:<width$}  {}", law.name, law.summary)?;
        writeln!(out, "{:<width$}  presets: {}", "", presets(law).join(", "))?;
    }
    Ok(())
}

fn laws_json(out: &mut dyn Write) -> Result<(), Error> {
    let laws: Vec<_> = LAWS
        .iter()
        .map(|law| json!({ "name": law.name, "summary": law.summary, "presets": presets(law) }))
        .collect();
    serde_json::to_writer_pretty(&mut *out, &laws)?;
    writeln!(out)?;
    Ok(())
}

fn figures(out: &mut dyn Write) -> Result<(), Error> {
    let width = FIGURES.iter().map(|figure| figure.id.len()).max().unwrap_or(0);
    for figure in FIGURES {
        let state = match figures::find(figure.id) {
            Some(_) => "reproduced",
            None => figure.state.word(),
        };
        writeln!(out, "{:<width$}  {state:<13}  {}", figure.id, figure.about)?;
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
