//! `plimsoll list {cc,figures}`.

use crate::catalogue::{FIGURES, State};
use crate::error::{Error, Verdict};
use crate::figures;
use crate::subjects::{self, Place, Subject};
use clap::{Args, ValueEnum};
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
    /// Congestion control laws, and what stands in the network and at hosts beside them.
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
