//! `plimsoll reproduce [PAPER[/FIGURE]]`.

use super::near;
use crate::catalogue::{self, FIGURES, State};
use crate::error::{Error, Verdict};
use crate::figures::{Effort, RUNNABLE, Reproduced, Runnable};
use crate::files;
use crate::progress::Progress;
use clap::Args;
use plimsoll_report::claims::text_table;
use plimsoll_report::{Claim, Page};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reproduce the papers' figures and check their claims.
///
/// Computes each figure, holds its numbers against what the paper says, and writes the pictures
/// and one page with everything. The exit code is 1 if a claim does not hold.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll reproduce                   every figure that can be reproduced\n  \
    plimsoll reproduce --quick           the same with fewer random draws\n  \
    plimsoll reproduce poseidon          one paper\n  \
    plimsoll reproduce poseidon/fig7a    one figure\n  \
    plimsoll reproduce --json | jq '.[] | select(.pass | not)'")]
pub(crate) struct Reproduce {
    /// A paper (`poseidon`) or a figure (`poseidon/fig7a`); all if absent.
    #[arg(value_name = "PAPER[/FIGURE]")]
    which: Option<String>,
    /// Fewer random draws; for a first look.
    #[arg(long)]
    quick: bool,
    /// The folder for pictures and the page; files in it are replaced, none is deleted.
    #[arg(long, value_name = "DIR", default_value = "results/reproduce")]
    out: PathBuf,
    /// Print the claims as JSON instead of tables.
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let chosen = choose(self.which.as_deref())?;
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let progress = Progress::new(chosen.len());
        let mut figures = Vec::new();
        let mut pictures = Vec::new();
        for runnable in chosen {
            progress.begin(runnable.id);
            let reproduced = runnable.reproduce(effort)?;
            pictures.extend(write_pictures(&self.out, runnable.id, &reproduced)?);
            figures.push(reproduced.figure);
            progress.end();
        }
        drop(progress);

        let claims: Vec<Claim> = figures.iter().flat_map(|figure| figure.claims.clone()).collect();
        let page = Page {
            title: "Plimsoll: the papers' claims and ours".to_owned(),
            introduction: format!(
                "Written by `{}`, version {}. Each figure stands beside what its paper says; how it was set up \
                 and which choices are ours is in the folder of the same name in `papers/`.",
                self.command(),
                env!("CARGO_PKG_VERSION")
            ),
            figures,
            lists: absent(),
        };
        let page_path = self.out.join("report.html");
        files::write(&page_path, page.html().as_bytes())?;
        if self.json {
            write_json(out, &claims)?;
        } else {
            write_text(out, &claims, &pictures, &page_path)?;
        }
        Ok(verdict(&claims))
    }

    fn command(&self) -> String {
        let which = self.which.as_deref().map(|which| format!(" {which}")).unwrap_or_default();
        format!("plimsoll reproduce{which}{}", if self.quick { " --quick" } else { "" })
    }
}

/// One claim that does not hold is enough to fail.
fn verdict(claims: &[Claim]) -> Verdict {
    if claims.iter().all(|claim| claim.pass) { Verdict::Good } else { Verdict::ClaimFailed }
}

/// The figures that the argument means.
fn choose(which: Option<&str>) -> Result<Vec<&'static Runnable>, Error> {
    let Some(which) = which else { return Ok(RUNNABLE.iter().collect()) };
    let prefix = format!("{which}/");
    let chosen: Vec<_> =
        RUNNABLE.iter().filter(|figure| figure.id == which || figure.id.starts_with(&prefix)).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    if let Some(known) = FIGURES.iter().find(|figure| figure.id == which) {
        return Err(Error::NotYet { id: known.id, why: known.state.meaning() });
    }
    let papers = ["poseidon", "powertcp", "vai-sf", "rpm"];
    let near = near(which, FIGURES.iter().map(|figure| figure.id).chain(papers));
    Err(Error::Unknown { what: "figure", name: which.to_owned(), near, all: "plimsoll list figures" })
}

/// SVG and PNG of each chart; the PNGs' paths come back.
fn write_pictures(out: &Path, id: &'static str, reproduced: &Reproduced) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for (name, chart) in reproduced.chart_names.iter().zip(&reproduced.figure.charts) {
        let path = out.join(id).join(name);
        files::write(&path.with_extension("svg"), chart.svg().as_bytes())?;
        let png = chart.png().map_err(|error| Error::Figure { id, reason: error.to_string() })?;
        files::write(&path.with_extension("png"), &png)?;
        paths.push(path.with_extension("png"));
    }
    Ok(paths)
}

/// What is not reproduced, by reason.
fn absent() -> Vec<(String, Vec<String>)> {
    [State::Simulator, State::Library, State::Document, State::Hardware]
        .into_iter()
        .map(|state| {
            let heading = format!("Not here: {}", state.meaning());
            let entries = FIGURES.iter().filter(|figure| figure.state == state);
            (heading, entries.map(|figure| format!("`{}` {}", figure.id, figure.about)).collect())
        })
        .collect()
}

fn write_json(out: &mut dyn Write, claims: &[Claim]) -> Result<(), Error> {
    let rows: Vec<_> = claims
        .iter()
        .map(|Claim { id, claim, paper, ours, pass, note }| {
            json!({ "id": id, "claim": claim, "paper": paper, "ours": ours, "pass": pass, "note": note })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &rows)?;
    writeln!(out)?;
    Ok(())
}

fn write_text(out: &mut dyn Write, claims: &[Claim], pictures: &[PathBuf], page: &Path) -> Result<(), Error> {
    // On a terminal as wide as it is, elsewhere as wide as most.
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(80, 160);
    write!(out, "{}", text_table(claims, width))?;
    for claim in claims.iter().filter(|claim| !claim.pass) {
        writeln!(
            out,
            "\nFAIL {}: {}\n     paper {}, ours {}; allowed {}",
            claim.id, claim.claim, claim.paper, claim.ours, claim.note
        )?;
    }
    writeln!(out, "\nPictures (each also as .svg)")?;
    for picture in pictures {
        writeln!(out, "  {}", picture.display())?;
    }
    writeln!(out, "Everything on one page: {}", page.display())?;
    writeln!(out, "\nNot reproduced yet, because there is no packet simulator yet:")?;
    let missing: Vec<&str> = catalogue::ids(State::Simulator).collect();
    for line in wrap(&missing, width) {
        writeln!(out, "  {line}")?;
    }
    let held = claims.iter().filter(|claim| claim.pass).count();
    writeln!(out, "\n{held} of {} claims hold.", claims.len())?;
    Ok(())
}

/// Words with commas in lines that fit.
fn wrap(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() + 4 <= width => {
                line.push_str(", ");
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(pass: bool) -> Claim {
        let text = String::new;
        Claim { id: text(), claim: text(), paper: text(), ours: text(), pass, note: "why".to_owned() }
    }

    #[test]
    fn one_failed_claim_fails_the_run_and_is_shown_with_what_is_allowed() {
        assert_eq!(verdict(&[claim(true), claim(true)]), Verdict::Good);
        let claims = [claim(true), claim(false)];
        assert_eq!(verdict(&claims), Verdict::ClaimFailed);
        let mut out = Vec::new();
        write_text(&mut out, &claims, &[], Path::new("report.html")).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("FAIL") && text.contains("allowed why"), "{text}");
        assert!(text.ends_with("1 of 2 claims hold.\n"), "{text}");
    }
}
