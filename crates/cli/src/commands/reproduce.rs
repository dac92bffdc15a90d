//! `plimsoll reproduce [PAPER[/FIGURE]]`.

use super::near;
use crate::catalogue::{self, FIGURES, State};
use crate::error::{Error, Verdict};
use crate::figures::runs::{self, Needed};
use crate::figures::{Effort, RUNNABLE, Reproduced, Runnable};
use crate::progress::Progress;
use crate::{files, watched};
use clap::Args;
use plimsoll_report::claims::{summary, text_table};
use plimsoll_report::{Claim, Page, Ruling};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reproduce the papers' figures and check their claims.
///
/// Does the runs that figures need, one per core, computes each figure, holds its numbers against what the
/// paper says, and writes the pictures and one page with everything. Runs are kept, so that the next call goes on
/// where this one ended or was ended by Ctrl-C. Edited scenarios and claims in `papers/` are used. A claim that `differs` is one that we find false as printed: the
/// folder of its figure says why. The exit code is 1 if a claim fails, i.e. if one of our numbers is
/// not what it should be.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll reproduce                   every figure that can be reproduced\n  \
    plimsoll reproduce --quick           the same with shorter runs and fewer random draws\n  \
    plimsoll reproduce poseidon          one paper\n  \
    plimsoll reproduce poseidon/fig14b   one figure; its scenario is papers/poseidon/fig14b/scenario.toml\n  \
    plimsoll reproduce --json | jq '.[] | select(.pass | not)'")]
pub(crate) struct Reproduce {
    /// A paper (`poseidon`) or a figure (`poseidon/fig7a`); all if absent.
    #[arg(value_name = "PAPER[/FIGURE]")]
    which: Option<String>,
    /// Shorter runs and fewer random draws; for a first look.
    #[arg(long)]
    quick: bool,
    /// Do all runs again, also those that are there.
    #[arg(long)]
    fresh: bool,
    /// The folder for pictures and the page; files in it are replaced, none is deleted.
    #[arg(long, value_name = "DIR", default_value = "results/reproduce")]
    out: PathBuf,
    /// Print the claims as JSON instead of tables.
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let chosen = choose(self.which.as_deref())?;
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let folder = self.out.join("runs");
        let plan = |figure: &&'static Runnable| Ok((*figure, Needed::of(figure, effort, &folder)?));
        let plan: Vec<(&Runnable, Vec<Needed>)> = chosen.iter().map(plan).collect::<Result<_, Error>>()?;
        let needed = || plan.iter().flat_map(|(_, needed)| needed);
        if self.fresh {
            runs::forget(needed())?;
        }
        runs::work(needed(), &folder)?;

        let progress = Progress::new(plan.len());
        let mut figures = Vec::new();
        let mut pictures = Vec::new();
        for (runnable, needed) in &plan {
            progress.begin(runnable.id);
            // After Ctrl-C, figures whose runs are there are shown nevertheless.
            if let Some(reproduced) = runnable.reproduce(effort, needed)? {
                pictures.extend(write_pictures(&self.out, runnable.id, &reproduced)?);
                figures.push(reproduced.figure);
            }
            progress.end();
        }
        drop(progress);
        let missing = plan.len() - figures.len();

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
        // A part of the figures has a page of its own, so that the page of all of them stays.
        let page_path = self.out.join(self.which.as_deref().unwrap_or_default()).join("report.html");
        files::write(&page_path, page.html().as_bytes())?;
        if self.json {
            write_json(out, &claims)?;
        } else {
            write_text(out, &claims, &pictures, &page_path)?;
            if self.which.is_none() {
                write_missing(out)?;
            }
            writeln!(out, "\n{}", summary(&claims))?;
        }
        if missing > 0 {
            let mut err = std::io::stderr();
            writeln!(err, "{missing} figures are not done; the same command goes on from here")?;
            return Ok(Verdict::Interrupted);
        }
        Ok(verdict(&claims))
    }

    fn command(&self) -> String {
        let which = self.which.as_deref().map(|which| format!(" {which}")).unwrap_or_default();
        format!("plimsoll reproduce{which}{}", if self.quick { " --quick" } else { "" })
    }
}

/// One claim that fails is enough; a known disagreement with the paper is no failure.
fn verdict(claims: &[Claim]) -> Verdict {
    let fails = claims.iter().any(|claim| claim.ruling == Ruling::Fails);
    if fails { Verdict::ClaimFailed } else { Verdict::Good }
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
        .map(|Claim { id, claim, paper, paper_number, ours, ours_number, ours_range, unit, ruling, note }| {
            let (pass, verdict) = (*ruling == Ruling::Holds, ruling.word().to_lowercase());
            let number = |number: &Option<f64>, text: &String| number.map_or(json!(text), |it| json!(it));
            json!({
                "id": id, "claim": claim,
                "paper": number(paper_number, paper), "ours": number(ours_number, ours),
                "paper_text": paper, "ours_text": ours, "unit": unit,
                "ours_least": ours_range.as_ref().map(|range| range.least).or(*ours_number),
                "ours_most": ours_range.as_ref().map(|range| range.most).or(*ours_number),
                "pass": pass, "verdict": verdict, "note": note,
            })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &rows)?;
    writeln!(out)?;
    Ok(())
}

fn write_text(out: &mut dyn Write, claims: &[Claim], pictures: &[PathBuf], page: &Path) -> Result<(), Error> {
    let width = text_width();
    write!(out, "{}", text_table(claims, width))?;
    for Claim { id, claim, paper, ours, ruling, note, .. } in claims {
        let reason = match ruling {
            Ruling::Holds => continue,
            Ruling::Differs => format!("paper: {paper}; ours: {ours}. {note}"),
            Ruling::Fails => format!("paper: {paper}; ours: {ours}; allowed: {note}"),
        };
        writeln!(out, "\n{} {id}: {claim}", ruling.word())?;
        for line in wrap(reason.split_whitespace(), " ", width - 5) {
            writeln!(out, "     {line}")?;
        }
    }
    if !pictures.is_empty() {
        writeln!(out, "\nPictures (each also as .svg)")?;
        for picture in pictures {
            writeln!(out, "  {}", picture.display())?;
        }
    }
    writeln!(out, "Everything on one page: {}", page.display())?;
    Ok(())
}

/// What a user may miss.
fn write_missing(out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "\nNot reproduced yet; they need runs of the packet simulator:")?;
    let missing: Vec<&str> = catalogue::ids(State::Simulator).collect();
    for line in wrap(missing, ", ", text_width() - 4) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// On a terminal as wide as it is, elsewhere as wide as most.
fn text_width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(80, 160)
}

/// Words in lines of at most `width` letters, with `between` between two on a line.
fn wrap<'w>(words: impl IntoIterator<Item = &'w str>, between: &str, width: usize) -> Vec<String> {
    let letters = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if letters(line) + letters(between) + letters(word) <= width => {
                line.push_str(between);
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(ruling: Ruling) -> Claim {
        let text = String::new;
        Claim {
            id: text(),
            claim: text(),
            paper: text(),
            paper_number: None,
            ours: text(),
            ours_number: Some(1.5),
            ours_range: None,
            unit: text(),
            ruling,
            note: "why".to_owned(),
        }
    }

    fn printed(claims: &[Claim]) -> String {
        let mut out = Vec::new();
        write_text(&mut out, claims, &[], Path::new("report.html")).unwrap();
        writeln!(out, "\n{}", summary(claims)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_failed_claim_fails_the_run_and_is_shown_with_what_is_allowed() {
        assert_eq!(verdict(&[claim(Ruling::Holds), claim(Ruling::Holds)]), Verdict::Good);
        let claims = [claim(Ruling::Holds), claim(Ruling::Fails)];
        assert_eq!(verdict(&claims), Verdict::ClaimFailed);
        let text = printed(&claims);
        assert!(text.contains("FAIL") && text.contains("allowed: why"), "{text}");
        assert!(text.ends_with("1 of 2 claims hold, 1 FAIL.\n"), "{text}");
    }

    #[test]
    fn a_known_disagreement_is_shown_with_its_reason_and_fails_nothing() {
        let claims = [claim(Ruling::Holds), claim(Ruling::Differs)];
        assert_eq!(verdict(&claims), Verdict::Good);
        let text = printed(&claims);
        assert!(text.contains("\ndiffers ") && text.contains("why") && !text.contains("FAIL"), "{text}");
    }

    #[test]
    fn json_calls_a_disagreement_neither_pass_nor_failure() {
        let mut out = Vec::new();
        write_json(&mut out, &[Ruling::Holds, Ruling::Differs, Ruling::Fails].map(claim)).unwrap();
        let rows: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let row = |index: usize| (rows[index]["pass"].clone(), rows[index]["verdict"].clone());
        assert_eq!(row(0), (true.into(), "pass".into()));
        assert_eq!(row(1), (false.into(), "differs".into()));
        assert_eq!(row(2), (false.into(), "fail".into()));
    }
}
