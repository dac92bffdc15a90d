//! `plimsoll reproduce [PAPER[/FIGURE]]`.

pub(super) mod readme;

use super::near;
use crate::catalogue::{FIGURES, State};
use crate::error::{Error, Verdict};
use crate::figures::runs::{self, Kept, Needed, Work};
use crate::figures::{Effort, RUNNABLE, Reproduced, Runnable};
use crate::progress::Share;
use crate::{files, watched};
use clap::Args;
use plimsoll_report::claims::{summary, text_table};
use plimsoll_report::page::Entry;
use plimsoll_report::{Claim, Figure, Index, Page, Ruling};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reproduce the papers' figures and check their claims.
///
/// Does the runs that figures need, one per core, computes each figure, holds its numbers against what the
/// paper says, and writes the pictures and one page with everything. Runs are kept, so that the next call goes on
/// where this one ended or was ended by Ctrl-C. Each run is done with three seeds (`seeds` in `claims.toml`); the
/// median counts. Edited scenarios and claims in `papers/` are used; all are checked before anything runs. A claim
/// that `differs` is one that we find false as printed: the folder of its figure says why. The exit code is 1 if a
/// claim fails, i.e. if one of our numbers is not what it should be, and 130 after Ctrl-C.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll reproduce                   every figure that can be reproduced\n  \
    plimsoll reproduce --quick           the same with shorter runs and fewer random draws\n  \
    plimsoll reproduce powertcp --middle minutes instead of hours for its 256-host runs\n  \
    plimsoll reproduce poseidon          one paper\n  \
    plimsoll reproduce poseidon/fig14    one figure with all its parts\n  \
    plimsoll reproduce poseidon/fig14b   one part; its scenario is papers/poseidon/fig14b/scenario.toml\n  \
    plimsoll reproduce --json | jq '.[] | select(.pass | not)'")]
pub(crate) struct Reproduce {
    /// A paper (`poseidon`) or a figure (`poseidon/fig7a`); all if absent.
    #[arg(value_name = "PAPER[/FIGURE]")]
    which: Option<String>,
    /// Shorter runs, one seed and fewer random draws; for a first look.
    #[arg(long)]
    quick: bool,
    /// Shorter runs only where full scale takes hours (PowerTCP's Figs. 6 and 7: 0.1 s of traffic instead of 1 s).
    #[arg(long, conflicts_with = "quick")]
    middle: bool,
    /// Do all runs again, also those that are there.
    #[arg(long)]
    fresh: bool,
    /// Take runs that are there although another build of plimsoll did them; the page says so.
    #[arg(long, conflicts_with = "fresh")]
    any_build: bool,
    /// The folder for pictures and the page; files in it are replaced, none is deleted.
    #[arg(long, value_name = "DIR", default_value = "results/reproduce")]
    out: PathBuf,
    /// Print the claims as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Write our numbers into the tables of `papers/*/*/README.md`: for those who work on Plimsoll.
    #[arg(long, hide = true, conflicts_with = "quick")]
    update_readmes: bool,
}

impl Reproduce {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        watched::listen();
        let chosen = choose(self.which.as_deref())?;
        let effort = match (self.quick, self.middle) {
            (true, _) => Effort::Quick,
            (false, true) => Effort::Middle,
            (false, false) => Effort::Full,
        };
        let kept = Kept { folder: self.out.join("runs"), any_build: self.any_build };
        let plan = |figure: &&'static Runnable| Ok((*figure, Needed::of(figure, effort, &kept)?));
        let plan: Vec<(&Runnable, Vec<Needed>)> = chosen.iter().map(plan).collect::<Result<_, Error>>()?;
        let needed = || plan.iter().flat_map(|(_, needed)| needed);
        if self.fresh {
            runs::forget(needed())?;
        }
        let progress = Share::new();
        let work = Work::missing(needed());
        let runs_part = if work.is_empty() { 0.0 } else { RUNS_PART };
        work.run(&kept.folder, |share, what| progress.show(runs_part * share, what))?;

        let mut figures = Vec::new();
        let mut pictures = Vec::new();
        for (index, (runnable, needed)) in plan.iter().enumerate() {
            let share = index as f64 / plan.len() as f64;
            progress.show(runs_part + (1.0 - runs_part) * share, runnable.id);
            // After Ctrl-C, figures whose runs are there are shown nevertheless; models would have to be computed.
            if watched::interrupted() && needed.is_empty() {
                continue;
            }
            if let Some(reproduced) = runnable.reproduce(effort, needed)? {
                pictures.extend(write_pictures(&self.out, runnable.id, &reproduced)?);
                figures.push(reproduced.figure);
            }
        }
        drop(progress);
        let missing = plan.len() - figures.len();

        let claims: Vec<Claim> = figures.iter().flat_map(|figure| figure.claims.clone()).collect();
        let page = self.write_pages(figures, missing)?;
        if self.update_readmes {
            readme::update(Path::new("papers"), &claims)?;
        }
        if self.json {
            write_json(out, &claims)?;
        } else {
            write_text(out, &claims, &pictures)?;
            writeln!(out, "\n{}\nEverything on one page: {}", summary(&claims), page.display())?;
        }
        if missing > 0 {
            let mut err = std::io::stderr();
            let are = if missing == 1 { "figure is" } else { "figures are" };
            writeln!(err, "{missing} {are} not done; the same command goes on from here")?;
            return Ok(Verdict::Interrupted);
        }
        Ok(verdict(&claims))
    }

    /// A page for the figure or paper that was asked for, or one for each paper and one that leads to them; the
    /// path of the page to look at.
    fn write_pages(&self, figures: Vec<Figure>, missing: usize) -> Result<PathBuf, Error> {
        let partial = if missing > 0 {
            format!("Partial: it was stopped, and {missing} figures are not done. ")
        } else {
            String::new()
        };
        let introduction = format!(
            "{partial}Written by `{}`, version {}. Each figure stands beside what its paper says; how it was set up and \
             which choices are ours is in the folder of the same name in `papers/`. Our numbers are medians over \
             seeds, from the least to the most in parentheses; pictures show the first seed.",
            self.command(),
            env!("CARGO_PKG_VERSION")
        );
        // A page of an earlier call that has everything is worth more than one of a call that was stopped.
        let file = if missing > 0 { "partial.html" } else { "report.html" };
        let path = |part: &str| self.out.join(part).join(file);
        let write = |part: &str, figures: Vec<Figure>| {
            let paper = part.split('/').next().unwrap_or(part);
            let title = format!("{}: the paper's claims and ours", paper_title(paper));
            let page =
                Page { title, introduction: introduction.clone(), figures, lists: absent(Some(paper)) };
            files::write(&path(part), page.html().as_bytes())
        };
        if let Some(which) = &self.which {
            write(which, figures)?;
            return Ok(path(which));
        }
        let mut pages = Vec::new();
        for paper in PAPERS {
            let of_paper = |figure: &&Figure| figure.id.split('/').next() == Some(paper);
            let figures: Vec<Figure> = figures.iter().filter(of_paper).cloned().collect();
            let claims = figures.iter().flat_map(|figure| figure.claims.clone()).collect();
            let (title, address) = (paper_title(paper).to_owned(), format!("{paper}/{file}"));
            pages.push(Entry { title, address, claims });
            write(paper, figures)?;
        }
        let title = "Plimsoll: the papers' claims and ours".to_owned();
        let index = Index { title, introduction, pages, lists: absent(None) };
        files::write(&path(""), index.html().as_bytes())?;
        Ok(path(""))
    }

    fn command(&self) -> String {
        let which = self.which.as_deref().map(|which| format!(" {which}")).unwrap_or_default();
        let effort = match (self.quick, self.middle) {
            (true, _) => " --quick",
            (false, true) => " --middle",
            (false, false) => "",
        };
        let any_build = if self.any_build { " --any-build" } else { "" };
        format!("plimsoll reproduce{which}{effort}{any_build}")
    }
}

/// How much of the time runs take where there are some; the rest is for reading them and drawing.
const RUNS_PART: f64 = 0.95;

const PAPERS: [&str; 4] = ["poseidon", "powertcp", "vai-sf", "rpm"];

fn paper_title(paper: &str) -> &str {
    match paper {
        "poseidon" => "Poseidon (NSDI'23)",
        "powertcp" => "PowerTCP (NSDI'22)",
        "vai-sf" => "VAI and SF (fast convergence)",
        "rpm" => "RPM",
        other => other,
    }
}

/// One claim that fails is enough; a known disagreement with the paper is no failure.
pub(super) fn verdict(claims: &[Claim]) -> Verdict {
    let fails = claims.iter().any(|claim| claim.ruling == Ruling::Fails);
    if fails { Verdict::ClaimFailed } else { Verdict::Good }
}

/// The figures that the argument means.
fn choose(which: Option<&str>) -> Result<Vec<&'static Runnable>, Error> {
    let Some(which) = which else { return Ok(RUNNABLE.iter().collect()) };
    let chosen: Vec<_> = RUNNABLE.iter().filter(|figure| is_meant(which, figure.id)).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    if let Some(known) = FIGURES.iter().find(|figure| figure.id == which) {
        return Err(Error::NotYet { id: known.id, why: known.state.meaning() });
    }
    let near = near(which, FIGURES.iter().map(|figure| figure.id).chain(PAPERS));
    Err(Error::Unknown { what: "figure", name: which.to_owned(), near, all: "plimsoll list figures" })
}

/// A figure is meant by its own name, by its paper's, and by what its parts have in common: `poseidon/fig14` is
/// 14b, 14c, 14d and the text about them.
pub(super) fn is_meant(which: &str, id: &str) -> bool {
    id.strip_prefix(which).is_some_and(|rest| match rest.chars().next() {
        None | Some('/') => true,
        Some(next) => {
            which.contains('/')
                && !next.is_ascii_digit()
                && which.ends_with(|last: char| last.is_ascii_digit())
        }
    })
}

/// SVG and PNG of each chart; the PNGs' paths come back.
pub(super) fn write_pictures(
    out: &Path,
    id: &'static str,
    reproduced: &Reproduced,
) -> Result<Vec<PathBuf>, Error> {
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

/// What is not reproduced, of one paper or all, by reason.
fn absent(paper: Option<&str>) -> Vec<(String, Vec<String>)> {
    let wanted = |id: &str| paper.is_none_or(|paper| id.split('/').next() == Some(paper));
    [State::Library, State::Document, State::Hardware]
        .into_iter()
        .map(|state| {
            let heading = format!("Not here: {}", state.meaning());
            let entries = FIGURES.iter().filter(|figure| figure.state == state && wanted(figure.id));
            (heading, entries.map(|figure| format!("`{}` {}", figure.id, figure.about)).collect())
        })
        .filter(|(_, entries): &(String, Vec<String>)| !entries.is_empty())
        .collect()
}

pub(super) fn write_json(out: &mut dyn Write, claims: &[Claim]) -> Result<(), Error> {
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

pub(super) fn write_text(out: &mut dyn Write, claims: &[Claim], pictures: &[PathBuf]) -> Result<(), Error> {
    let width = text_width();
    write!(out, "{}", text_table(claims, width))?;
    for one in claims {
        let Claim { id, claim, paper, ruling, note, .. } = one;
        let ours = one.ours_with_range();
        let reason = match ruling {
            Ruling::Holds => continue,
            Ruling::Differs => format!("paper: {paper}; ours: {ours}. {note}"),
            Ruling::Fails => format!("paper: {paper}; ours: {ours}; allowed: {note}"),
            Ruling::Open => format!("paper: {paper}; ours so far: {ours}. {note}"),
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
        write_text(&mut out, claims, &[]).unwrap();
        writeln!(out, "\n{}", summary(claims)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_figure_is_meant_by_its_name_its_paper_and_its_number() {
        for which in ["poseidon", "poseidon/fig14", "poseidon/fig14b"] {
            assert!(is_meant(which, "poseidon/fig14b"), "{which}");
        }
        for which in ["pose", "poseidon/fig1", "poseidon/fig", "poseidon/fig14c", "powertcp", ""] {
            assert!(!is_meant(which, "poseidon/fig14b"), "{which}");
        }
        assert!(
            is_meant("poseidon/fig14", "poseidon/fig14-text")
                && !is_meant("poseidon/fig1", "poseidon/fig16ab")
        );
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
