//! The papers' claims on real packets: runs in real time, one after the other, then as `plimsoll reproduce` does it.

use super::super::Reproduce as Options;
use super::{parse, real};
use crate::commands::near;
use crate::commands::reproduce::{is_meant, readme, verdict, write_json, write_pictures, write_text};
use crate::error::{Error, Verdict};
use crate::figures::runs::{Kept, Needed, forget};
use crate::figures::{Effort, ON_REAL_PACKETS, Reproduced, Runnable};
use crate::{files, human, noise, results, watched};
use plimsoll_metrics::files::remove_leftovers_in;
use plimsoll_report::claims::summary;
use plimsoll_report::{Claim, Figure, Page};
use plimsoll_units::Span;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the figures of real packets are in `papers/`, and with what their names begin.
const FRONT: &str = "testbed/";
/// How often a run is tried whose machine was busy. Only noise decides whether it counts, never its result.
const ATTEMPTS: u32 = 3;

/// A figure with the runs that it needs.
type Planned = (&'static Runnable, Vec<Needed>);

pub(in crate::commands::testbed) fn reproduce(
    options: &Options,
    out: &mut dyn Write,
) -> Result<Verdict, Error> {
    watched::listen();
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let kept = Kept { folder: options.out.join("runs"), any_build: options.any_build };
    let plan = |figure: &'static Runnable| Ok((figure, Needed::read_by(parse, figure, effort, &kept)?));
    let plan: Vec<Planned> =
        choose(options.which.as_deref())?.into_iter().map(plan).collect::<Result<_, Error>>()?;
    if options.fresh {
        forget(plan.iter().flat_map(|(_, needed)| needed))?;
    }
    if kept.folder.exists() {
        remove_leftovers_in(&kept.folder).map_err(results::problem(&kept.folder))?;
    }
    let busy = run_missing(&plan, options.limit)?;

    let mut figures = Vec::new();
    let mut pictures = Vec::new();
    for (runnable, needed) in &plan {
        if let Some(mut reproduced) = runnable.reproduce(effort, needed)? {
            say_noise(&mut reproduced, needed);
            let name = runnable.id.strip_prefix(FRONT).unwrap_or(runnable.id);
            pictures.extend(write_pictures(&options.out, name, &reproduced)?);
            figures.push(reproduced.figure);
        }
    }
    let missing = plan.len() - figures.len();
    let claims: Vec<Claim> = figures.iter().flat_map(|figure| figure.claims.clone()).collect();
    let noises: Vec<String> = figures.iter().map(noise_of).collect();
    let page = write_page(options, figures, missing)?;
    if options.update_readmes {
        readme::update(Path::new("papers"), &claims)?;
    }
    if options.json {
        write_json(out, &claims)?;
    } else if !claims.is_empty() {
        write_text(out, &claims, &pictures)?;
        writeln!(out)?;
        for line in noises {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "\n{}\nEverything on one page: {}", summary(&claims), page.display())?;
    }
    out.flush()?;
    match (missing, busy) {
        (0, _) => Ok(verdict(&claims)),
        (_, Some(why)) if !watched::interrupted() => {
            let are = if missing == 1 { "figure has" } else { "figures have" };
            Err(Error::Disturbed(format!(
                "{missing} {are} no verdict: {why}; the same command goes on from here"
            )))
        }
        _ => {
            let are = if missing == 1 { "figure is" } else { "figures are" };
            writeln!(std::io::stderr(), "{missing} {are} not done; the same command goes on from here")?;
            Ok(Verdict::Interrupted)
        }
    }
}

/// The figures that the argument means.
fn choose(which: Option<&str>) -> Result<Vec<&'static Runnable>, Error> {
    let Some(which) = which else { return Ok(ON_REAL_PACKETS.iter().collect()) };
    let wanted = format!("{FRONT}{which}");
    let chosen: Vec<_> = ON_REAL_PACKETS.iter().filter(|figure| is_meant(&wanted, figure.id)).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let names: Vec<&str> =
        ON_REAL_PACKETS.iter().filter_map(|figure| figure.id.strip_prefix(FRONT)).collect();
    let near = match near(which, names.iter().copied()) {
        none if none.is_empty() => names.iter().map(|name| (*name).to_owned()).collect(),
        some => some,
    };
    let all = "plimsoll testbed reproduce --help";
    Err(Error::Unknown { what: "figure on real packets", name: which.to_owned(), near, all })
}

/// Does the runs that are not there; says why if one could not be had because the machine was busy. Its figure has no
/// verdict then and is left; others are done nevertheless.
fn run_missing(plan: &[Planned], limit: f64) -> Result<Option<String>, Error> {
    let mut busy = None;
    for (runnable, needed) in plan {
        for (number, run) in needed.iter().enumerate() {
            let label = format!("{}, {} of {}, {}: ", runnable.id, number + 1, needed.len(), run.label());
            if let Some(why) = run_quietly(run, limit, &label)? {
                busy.get_or_insert(why);
                break;
            }
        }
    }
    Ok(busy)
}

/// Whether a run is there that was disturbed no more than is allowed now; one of an earlier call may have been allowed more.
fn is_quiet(needed: &Needed, limit: f64) -> bool {
    needed.is_done() && noise::number(needed.folder(), "disturbed_percent") <= limit
}

/// Does a run if it is not there, again if it was disturbed; gives why it is still not there if that was so each time.
fn run_quietly(needed: &Needed, limit: f64, label: &str) -> Result<Option<String>, Error> {
    let mut disturbed = None;
    for _ in 0..ATTEMPTS {
        if watched::interrupted() || is_quiet(needed, limit) {
            return Ok(None);
        }
        forget(std::iter::once(needed))?;
        let folder = results::Folder::begin(needed.folder(), needed.scenario())?;
        match real(needed.scenario(), &[], limit, label) {
            Ok(run) if run.summary.partial => return Ok(None),
            Ok(run) => return folder.finish_real(&run).map(|()| None),
            Err(Error::Disturbed(why)) => {
                disturbed = Some(format!("{}, {ATTEMPTS} times: {why}", needed.label()));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(disturbed)
}

/// Tells in the report how far the runs of a figure can be believed.
fn say_noise(reproduced: &mut Reproduced, needed: &[Needed]) {
    let most = |name| {
        let values = needed.iter().map(|run| noise::number(run.folder(), name));
        values.fold(f64::NAN, f64::max)
    };
    let late = |name| human::time(Span::from_ps((most(name) * 1e6) as u64));
    let text = format!(
        "at most {:.1} % of a run's time disturbed and {:.1} % of its readings left out; frames late by at most {} (p50) and \
         {} (p99)",
        most("disturbed_percent"),
        most("left_out_percent"),
        late("lateness_p50_us"),
        late("lateness_p99_us")
    );
    reproduced.figure.settings.push((NOISE.to_owned(), text));
}

/// The name of the setting.
const NOISE: &str = "Noise of the machine";

/// `testbed/poseidon/fig12: at most 2.1 % …`
fn noise_of(figure: &Figure) -> String {
    let noise = figure.settings.iter().find(|(name, _)| name == NOISE).map_or("", |(_, text)| text);
    format!("{}: {noise}", figure.id)
}

fn write_page(options: &Options, figures: Vec<Figure>, missing: usize) -> Result<PathBuf, Error> {
    let partial =
        if missing > 0 { format!("Partial: {missing} figures have no verdict. ") } else { String::new() };
    let introduction = format!(
        "{partial}Written by `plimsoll testbed reproduce`, version {}. Real packets between network namespaces of one \
         machine, through a software switch: rates and times are scaled to what that can do, and each figure's folder in \
         `papers/testbed/` says how. Our numbers are medians over seeds, from the least to the most in parentheses; pictures \
         show the first seed.",
        env!("CARGO_PKG_VERSION")
    );
    let title = "Real packets: the papers' claims and ours".to_owned();
    let page = Page { title, introduction, figures, lists: Vec::new() };
    let path = options.out.join("report.html");
    files::write(&path, page.html().as_bytes())?;
    Ok(path)
}
