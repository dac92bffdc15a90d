//! The pictures and the page of a folder of results.

use crate::error::Error;
use crate::{files, human, results, scenario_file};
use plimsoll_metrics::files::Results;
use plimsoll_metrics::{MessageRecord, Summary};
use plimsoll_report::run::{Gathered, Labels, Picture, Recorded, RunPage};
use plimsoll_report::{Chart, PngError};
use plimsoll_scenario::{Overrides, Scenario};
use std::path::{Path, PathBuf};

/// A folder of results, as pictures need it.
pub(crate) struct Story {
    pub(crate) messages: Vec<MessageRecord>,
    pub(crate) series: Gathered,
    results: Results,
}

impl Story {
    /// Reads the folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let results = results::open(folder)?;
        let mut messages = Vec::new();
        results.flows(&mut messages).map_err(results::problem(folder))?;
        let mut series = Gathered::new(&messages);
        results.series(&mut series).map_err(results::problem(folder))?;
        series.finish();
        Ok(Self { messages, series, results })
    }
}

/// What was drawn.
pub(crate) struct Drawn {
    /// The folder of pictures.
    pub(crate) plots: PathBuf,
    /// How many there are, each as SVG and PNG.
    pub(crate) count: usize,
    /// The page.
    pub(crate) page: PathBuf,
}

/// Draws everything that the folder has into `plots/` and `report.html` there.
pub(crate) fn draw(folder: &Path) -> Result<Drawn, Error> {
    let story = Story::read(folder)?;
    let summary = story.results.summary();
    let settings = story.results.run().map_err(results::problem(folder))?;
    let path = folder.join("run.toml");
    // Names make pictures readable; a folder whose scenario cannot be read any more has numbers instead.
    let scenario = scenario_file::parse(&path, &settings, &Overrides::default()).ok();
    let labels = scenario.as_ref().and_then(labels).unwrap_or_default();
    let law = scenario.as_ref().map_or(summary.law.as_str(), |scenario| scenario.cc.entry().name);
    let title = format!("{}, {law}", if summary.scenario.is_empty() { "run" } else { &summary.scenario });
    let recorded =
        Recorded { title: &title, messages: &story.messages, series: &story.series, labels: &labels };
    let pictures = recorded.pictures();
    let plots = folder.join("plots");
    for Picture { name, chart } in &pictures {
        write(&plots.join(name), chart)?;
    }
    let page = folder.join("report.html");
    let html = RunPage {
        title: &title,
        introduction: scenario.as_ref().map_or("", |scenario| &scenario.description),
        summary: &rows(summary, &story.messages),
        pictures: &pictures,
        settings: &settings,
    };
    files::write(&page, html.html().as_bytes())?;
    Ok(Drawn { plots, count: pictures.len(), page })
}

/// Writes a picture as `stem.svg` and `stem.png`.
pub(crate) fn write(stem: &Path, chart: &Chart) -> Result<(), Error> {
    write_both(stem, &chart.svg(), chart.png())
}

/// The same of bars.
#[cfg(target_os = "linux")]
pub(crate) fn write_bars(stem: &Path, bars: &plimsoll_report::Bars) -> Result<(), Error> {
    write_both(stem, &bars.svg(), bars.png())
}

fn write_both(stem: &Path, svg: &str, png: Result<Vec<u8>, PngError>) -> Result<(), Error> {
    let with = |ending: &str| {
        let mut name = stem.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    files::write(&with(".svg"), svg.as_bytes())?;
    let path = with(".png");
    let bytes = png.map_err(|error| Error::Refused(format!("{}: {error}", path.display())))?;
    files::write(&path, &bytes)
}

fn labels(scenario: &Scenario) -> Option<Labels> {
    let network = scenario.network().ok()?;
    let port = |port: u32| {
        format!("{}→{}", network.name(network.near_end(port)), network.name(network.far_end(port)))
    };
    Some(Labels {
        ports: (0..2 * network.links.len() as u32).map(port).collect(),
        groups: scenario.traffic.iter().map(|traffic| traffic.name.clone()).collect(),
        nodes: network.names,
    })
}

/// The run's numbers for people.
fn rows(summary: &Summary, messages: &[MessageRecord]) -> Vec<(String, String)> {
    let mut rows = vec![
        ("law, seed", format!("{}, {}", summary.law, summary.seed)),
        (
            "flows",
            format!(
                "{} of {} completed, {} failed, {} unfinished at the end",
                summary.completed, summary.flows, summary.failed, summary.unfinished
            ),
        ),
    ];
    if let Some(slowdown) = summary.slowdown {
        let text = format!(
            "p50 {:.3}, p95 {:.3}, p99 {:.3}, p99.9 {:.3}, max {:.3}",
            slowdown.p50, slowdown.p95, slowdown.p99, slowdown.p999, slowdown.max
        );
        rows.push(("slowdown", text));
    }
    if let Some(mean) = results::mean_fct(messages) {
        rows.push(("mean FCT", human::seconds(mean)));
    }
    rows.extend([
        ("longest queue", human::bytes(summary.max_queue_bytes)),
        (
            "packets",
            format!(
                "{} dropped, {} marked, {} sent again; {} PFC pauses",
                human::count(summary.drops),
                human::count(summary.marks),
                human::count(summary.retransmitted),
                human::count(summary.pfc_pauses)
            ),
        ),
        (
            "time",
            format!(
                "{} simulated in {}",
                human::time(summary.simulated),
                human::seconds(summary.wall_seconds)
            ),
        ),
        ("trace hash", summary.trace_hash.to_string()),
    ]);
    if summary.partial {
        rows.push(("partial", "the run was stopped before its end".to_owned()));
    }
    rows.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}
