//! `plimsoll import hpcc`.

use crate::error::{Error, Verdict};
use crate::{files, scenario_file};
use clap::{Args, Subcommand};
use plimsoll_scenario::Overrides;
use plimsoll_scenario::hpcc::{self, Files};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Turn files of another simulator into a scenario.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll import hpcc --topology fat.txt --flows flow.txt --out hadoop.toml\n  \
    plimsoll import hpcc --topology fat.txt --flows flow.txt --config config.txt --out hadoop.toml && \
    plimsoll run hadoop.toml")]
pub(crate) struct Import {
    #[command(subcommand)]
    from: From,
}

#[derive(Subcommand)]
enum From {
    Hpcc(Hpcc),
}

/// From files of the HPCC authors' ns-3 simulator, which stay where they are.
#[derive(Args)]
#[command(after_help = "What of the configuration the scenario does not do is told, and noted in it.\n\n\
    Examples:\n  \
    plimsoll import hpcc --topology fat.txt --flows flow.txt --out hadoop.toml")]
struct Hpcc {
    /// The topology (TOPOLOGY_FILE).
    #[arg(long, value_name = "T")]
    topology: PathBuf,
    /// The flows (FLOW_FILE).
    #[arg(long, value_name = "F")]
    flows: PathBuf,
    /// The configuration; without one it is HPCC as published.
    #[arg(long, value_name = "C")]
    config: Option<PathBuf>,
    /// The scenario to write; a file there is replaced.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Import {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.from {
            From::Hpcc(hpcc) => hpcc.run(out),
        }
    }
}

impl Hpcc {
    fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let topology = fs::read_to_string(&self.topology).map_err(Error::file(&self.topology))?;
        let flows = fs::read_to_string(&self.flows).map_err(Error::file(&self.flows))?;
        let config = match &self.config {
            Some(path) => Some((path, fs::read_to_string(path).map_err(Error::file(path))?)),
            None => None,
        };
        let folder = self.out.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(if folder == Path::new("") { Path::new(".") } else { folder })
            .map_err(Error::file(folder))?;
        let names = [seen_from(folder, &self.topology)?, seen_from(folder, &self.flows)?];
        let config = config.as_ref().map(|(path, text)| (path.display().to_string(), text));
        let files = Files {
            topology: (&names[0], &topology),
            flows: (&names[1], &flows),
            config: config.as_ref().map(|(path, text)| (path.as_str(), text.as_str())),
        };
        let import = hpcc::import(&files).map_err(|mut error| {
            // The scenario has the paths that it needs, whoever reads this has those that were given.
            for (name, given) in names.iter().zip([&self.topology, &self.flows]) {
                if error.file == *name {
                    error.file = given.display().to_string();
                }
            }
            Error::Text(error.to_string())
        })?;
        let scenario = scenario_file::parse(&self.out, &import.text, &Overrides::default())?;
        files::write(&self.out, import.text.as_bytes())?;
        writeln!(out, "{}: {}", self.out.display(), scenario.description)?;
        for note in &import.notes {
            writeln!(out, "  not kept: {note}")?;
        }
        Ok(Verdict::Good)
    }
}

/// The path of a file as a scenario in `folder` names it: relative if it is in or below the folder, so that both
/// can move together.
fn seen_from(folder: &Path, file: &Path) -> Result<String, Error> {
    let whole = |path: &Path| {
        let path = if path == Path::new("") { Path::new(".") } else { path };
        path.canonicalize().map_err(Error::file(path))
    };
    let (folder, file) = (whole(folder)?, whole(file)?);
    Ok(file.strip_prefix(&folder).unwrap_or(&file).display().to_string())
}
