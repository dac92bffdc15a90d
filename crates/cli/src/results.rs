//! Runs as folders of results.

use crate::error::{Error, Verdict};
use crate::{packets, watched};
use plimsoll_metrics::files::{IfExists, Results, ResultsWriter};
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_metrics::{MessageRecord, Sink, Summary};
use plimsoll_scenario::Scenario;
use plimsoll_sim::{Control, Options, Run, simulate_recorded};
use std::io;
use std::path::{Path, PathBuf};

/// A folder that is begun before the run, so that a bad name is told before anybody waits.
pub(crate) struct Folder {
    writer: ResultsWriter,
    path: PathBuf,
}

impl Folder {
    /// Begins the folder; results under that name are replaced at the end, other files are not.
    pub(crate) fn begin(path: &Path, scenario: &Scenario) -> Result<Self, Error> {
        let writer = ResultsWriter::create(path, IfExists::Replace).map_err(problem(path))?;
        writer.write_run(&scenario.to_toml()).map_err(problem(path))?;
        Ok(Self { writer, path: path.to_owned() })
    }

    /// Where it is until it has its name.
    #[cfg(target_os = "linux")]
    pub(crate) fn path(&self) -> &Path {
        self.writer.path()
    }

    /// Asks for `flows.csv` and `series.csv` beside the Parquet files.
    pub(crate) fn ask_for_csv(&mut self) {
        self.writer.ask_for_csv();
    }

    /// Runs the scenario; what it records, and packets that it captures, go into the folder while it runs.
    pub(crate) fn run(&mut self, scenario: &Scenario, threads: usize, label: &str) -> Result<Run, Error> {
        let tap = packets::recorded(scenario, &self.writer.path().join(packets::FILE))?;
        watched::run(scenario, threads, label, &mut self.writer.series, tap)
    }

    /// The same on one thread, for somebody who watches many runs by their controls.
    pub(crate) fn run_alone(&mut self, scenario: &Scenario, control: &Control) -> Result<Run, Error> {
        let options = Options { threads: 1, seed: None };
        simulate_recorded(scenario, &options, control, &mut self.writer.series)
            .map_err(|error| Error::Refused(error.to_string()))
    }

    /// Writes what the run yielded, and gives the folder its name.
    pub(crate) fn finish(self, run: &Run) -> Result<(), Error> {
        self.finish_with(&run.messages, &run.summary)
    }

    /// The same of a run that was no simulation, and how far it can be believed; `samples` come by time.
    #[cfg(target_os = "linux")]
    pub(crate) fn finish_real(mut self, run: &plimsoll_testbed::Run) -> Result<(), Error> {
        for sample in &run.samples {
            self.writer.series.put(*sample).map_err(problem(&self.path))?;
        }
        crate::noise::write(self.writer.path(), &run.noise)?;
        self.finish_with(&run.messages, &run.summary)
    }

    fn finish_with(mut self, messages: &[MessageRecord], summary: &Summary) -> Result<(), Error> {
        for message in messages {
            self.writer.flows.put(*message).map_err(problem(&self.path))?;
        }
        self.writer.finish(summary).map_err(problem(&self.path))?;
        Ok(())
    }
}

/// Opens a folder that a run wrote; what else it may be is told instead of what the system says.
pub(crate) fn open(path: &Path) -> Result<Results, Error> {
    let is = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => "is not there",
        Ok(found) if !found.is_dir() => "is a file",
        Ok(_) if !path.join("summary.json").exists() => "has no summary.json, so no run ended there",
        _ => return Results::open(path).map_err(problem(path)),
    };
    let how = "`plimsoll run SCENARIO --out DIR` writes one, and `plimsoll sweep` one for each point";
    Err(Error::Refused(format!("{} is no folder of results: it {is}; {how}", path.display())))
}

/// An error that names the folder once.
pub(crate) fn problem(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| {
        let text = error.to_string();
        if text.contains(&path.display().to_string()) {
            Error::Refused(text)
        } else {
            Error::file(path)(error)
        }
    }
}

/// How a command ends after this run.
pub(crate) fn verdict(summary: &Summary) -> Verdict {
    match summary {
        Summary { partial: true, .. } => Verdict::Interrupted,
        Summary { failed: 1.., .. } => Verdict::FlowFailed,
        _ => Verdict::Good,
    }
}

/// The mean completion time of what completed, in seconds.
pub(crate) fn mean_fct(messages: &[MessageRecord]) -> Option<f64> {
    let times = messages.iter().filter_map(MessageRecord::completion_time);
    Sorted::new(times.map(|time| time.as_secs_f64())).mean()
}
