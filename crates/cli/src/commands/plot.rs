//! `plimsoll plot DIR`.

use crate::error::{Error, Verdict};
use crate::plots;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Draw the pictures of a folder of results again.
///
/// Everything comes from the files of the folder: flows.parquet, series.parquet (what the scenario's
/// `[record]` table asked for), run.toml and summary.json. Pictures are in DIR/plots as SVG and PNG, and
/// together in DIR/report.html, one page that needs nothing else. With many flows or ports a picture
/// shows percentiles over all of them and a few flows in grey.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll run scenarios/incast16.toml --no-plots --out results/incast\n  \
    plimsoll plot results/incast\n  \
    plimsoll plot results/sweep-*/*")]
pub(crate) struct Plot {
    /// Folders of results.
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
}

impl Plot {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        for folder in &self.folders {
            let drawn = plots::draw(folder)?;
            writeln!(out, "{} pictures in {}", drawn.count, drawn.plots.display())?;
            writeln!(out, "{}", drawn.page.display())?;
        }
        Ok(Verdict::Good)
    }
}
