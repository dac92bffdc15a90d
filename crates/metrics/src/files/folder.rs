//! [`ResultsWriter`] makes a folder of results, [`Results`] reads one.
//!
//! The files are written into a hidden folder beside the target, which gets the target's name when everything
//! is in it. A run that is killed therefore leaves a folder under another name, and never a half result.

use crate::csv::CsvWriter;
use crate::files::parquet::{TableWriter, read_table};
use crate::record::MessageRecord;
use crate::series::Sample;
use crate::sink::Sink;
use crate::summary::Summary;
use crate::table::Row;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

const RUN: &str = "run.toml";
const FLOWS: &str = "flows.parquet";
const SERIES: &str = "series.parquet";
const SUMMARY: &str = "summary.json";

/// What is between the target's name and the number of the process in the name of an unfinished folder.
const UNFINISHED: &str = ".unfinished-";

/// What ends the name of the file beside an unfinished folder that is locked by the process that writes there; if
/// nobody holds it, that process was killed.
const LOCK: &str = ".lock";

/// What ends the name of a folder that is put aside while another takes its place.
const REPLACED: &str = "-replaced";

/// What to do if the target exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// An error, before anything is run.
    Refuse,
    /// Put the new folder in its place when it is complete. If the target holds anything but results, an error:
    /// a mistyped name must not cost somebody's files.
    Replace,
}

/// Makes a folder of results.
#[derive(Debug)]
pub struct ResultsWriter {
    /// The messages.
    pub flows: TableWriter<MessageRecord>,
    /// The readings.
    pub series: TableWriter<Sample>,
    folder: Unfinished,
    target: PathBuf,
    if_exists: IfExists,
    csv: bool,
}

impl ResultsWriter {
    /// Begins a folder that will be `target`; folders above it are made.
    ///
    /// # Errors
    /// If the target exists and may not be replaced, or if files cannot be made there.
    pub fn create(target: &Path, if_exists: IfExists) -> io::Result<Self> {
        check_target(target, if_exists)?;
        let folder = Unfinished::create(target)?;
        Ok(Self {
            flows: TableWriter::create(&folder.path.join(FLOWS))?,
            series: TableWriter::create(&folder.path.join(SERIES))?,
            folder,
            target: target.to_owned(),
            if_exists,
            csv: false,
        })
    }

    /// Asks for `flows.csv` and `series.csv` beside the Parquet files.
    pub fn ask_for_csv(&mut self) {
        self.csv = true;
    }

    /// Where the files are until the folder is complete: more files, such as plots, may be put there.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Writes `run.toml`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_run(&self, toml: &str) -> io::Result<()> {
        write_file(&self.folder.path.join(RUN), toml)
    }

    /// Completes the files, writes `summary.json`, and gives the folder its name.
    ///
    /// # Errors
    /// If a file cannot be written, or if something came into being under that name in the meantime; there is
    /// no result then.
    pub fn finish(self, summary: &Summary) -> io::Result<Results> {
        self.flows.finish()?;
        self.series.finish()?;
        if self.csv {
            write_csv::<MessageRecord>(&self.folder.path.join(FLOWS))?;
            write_csv::<Sample>(&self.folder.path.join(SERIES))?;
        }
        write_file(&self.folder.path.join(SUMMARY), &summary.to_json()?)?;
        check_target(&self.target, self.if_exists)?;
        match self.if_exists {
            IfExists::Refuse => self.folder.rename(&self.target)?,
            IfExists::Replace => self.folder.replace(&self.target)?,
        }
        Ok(Results { folder: self.target, summary: summary.clone() })
    }
}

fn check_target(target: &Path, if_exists: IfExists) -> io::Result<()> {
    if fs::symlink_metadata(target).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(());
    }
    let problem = match if_exists {
        IfExists::Replace if target.join(SUMMARY).is_file() => return Ok(()),
        IfExists::Replace => "exists and holds no results: it is not replaced",
        IfExists::Refuse => "exists already",
    };
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} {problem}", target.display())))
}

/// Writes a Parquet file again as CSV, under the same name with another ending.
fn write_csv<R: Row>(parquet: &Path) -> io::Result<()> {
    let mut csv = CsvWriter::<_, R>::new(BufWriter::new(File::create(parquet.with_extension("csv"))?))?;
    read_table(parquet, &mut csv)?;
    csv.finish()?.get_ref().sync_all()
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A folder under a name that says that it is not finished. Removed when dropped.
#[derive(Debug)]
struct Unfinished {
    path: PathBuf,
    /// Keeps others from taking the folder for one that a killed run left behind; dropped after the folder.
    _lock: Option<Lock>,
}

impl Unfinished {
    fn create(target: &Path) -> io::Result<Self> {
        let (parent, name) = hidden_name(target)?;
        fs::create_dir_all(parent)?;
        let (path, lock) = Self::reserve(parent, &name)?;
        // A process of the same number that was killed may have left it behind.
        remove_folder(&path)?;
        fs::create_dir(&path)?;
        Ok(Self { path, _lock: Some(lock) })
    }

    /// A name that nobody else has.
    fn reserve(parent: &Path, name: &OsStr) -> io::Result<(PathBuf, Lock)> {
        // Two runs in one process must not share a folder, nor two processes, nor two of the same number on two
        // machines.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let mut name = name.to_owned();
            name.push(format!("{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let path = parent.join(name);
            if let Some(lock) = Lock::take(lock_of(&path))? {
                return Ok((path, lock));
            }
        }
    }

    /// Gives the folder its name; fails if there are files under that name.
    fn rename(self, target: &Path) -> io::Result<()> {
        // Drop finds nothing under the old name.
        fs::rename(&self.path, target)
    }

    /// Gives the folder its name and removes what had it. Killed in between, it leaves both folders whole
    /// under hidden names.
    fn replace(self, target: &Path) -> io::Result<()> {
        let mut aside = self.path.clone().into_os_string();
        aside.push(REPLACED);
        let aside = Self { path: PathBuf::from(aside), _lock: None };
        match fs::rename(target, &aside.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            // Drop removes what was put aside.
            _ => self.rename(target),
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Whoever drops it cannot be told; what stays is hidden and found by `remove_leftovers`.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A locked file, which is removed when dropped.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// `None` if somebody else has it.
    fn take(path: PathBuf) -> io::Result<Option<Self>> {
        let file = File::create(&path)?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            // Where files cannot be locked, on some network drives, one command at a time must do.
            Ok(()) | Err(fs::TryLockError::Error(_)) => {}
        }
        // If it is gone, somebody held and removed it in the meantime; what is there by then is not ours to drop.
        if path.exists() { Ok(Some(Self { path, _file: file })) } else { Ok(None) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked: whoever opened it before will find that it is gone.
        let _ = fs::remove_file(&self.path);
    }
}

/// The lock of an unfinished folder, or of what that one put aside.
fn lock_of(folder: &Path) -> PathBuf {
    let owner = folder.to_str().and_then(|path| path.strip_suffix(REPLACED));
    let mut path = owner.map_or_else(|| folder.as_os_str().to_owned(), OsString::from);
    path.push(LOCK);
    PathBuf::from(path)
}

/// The folder above the target, and the beginning of the names of unfinished folders of this target.
fn hidden_name(target: &Path) -> io::Result<(&Path, OsString)> {
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        let message = format!("\"{}\" is no name for a folder", target.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    };
    let parent = if parent == Path::new("") { Path::new(".") } else { parent };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(UNFINISHED);
    Ok((parent, hidden))
}

/// Removes what killed runs with this target left behind, and says how many folders. What another command is just
/// writing stays.
///
/// # Errors
/// If the folder above the target cannot be read or something in it cannot be removed.
pub fn remove_leftovers(target: &Path) -> io::Result<usize> {
    let (parent, beginning) = hidden_name(target)?;
    remove_unused(parent, |name| begins_with(name, &beginning))
}

/// Removes what killed runs left behind in this folder, whatever their targets, and says how many folders. What
/// another command is just writing there stays.
///
/// # Errors
/// If the folder cannot be read or something in it cannot be removed.
pub fn remove_leftovers_in(folder: &Path) -> io::Result<usize> {
    let is_unfinished = |name: &str| name.starts_with('.') && name.contains(UNFINISHED);
    remove_unused(folder, |name| name.to_str().is_some_and(is_unfinished))
}

/// Removes unfinished folders with such names, and their locks, unless somebody holds these.
fn remove_unused(folder: &Path, is_meant: impl Fn(&OsStr) -> bool) -> io::Result<usize> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut removed = 0;
    for entry in entries {
        let entry = entry?;
        if !is_meant(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        // A lock alone is what a run leaves that is killed after its folder got its name.
        let lock = if path.is_dir() { lock_of(&path) } else { path.clone() };
        let Some(_held) = Lock::take(lock)? else { continue };
        if path.is_dir() {
            remove_folder(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Removes a folder that may not be there.
fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn begins_with(name: &OsStr, beginning: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(beginning.as_encoded_bytes())
}

/// A folder of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    folder: PathBuf,
    summary: Summary,
}

impl Results {
    /// Opens a folder and reads its summary.
    ///
    /// # Errors
    /// If there is no summary or it makes no sense; the error names the file.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let text = read_text(&folder.join(SUMMARY))?;
        let summary = Summary::from_json(&text).map_err(|error| {
            let message = format!("{}: {error}", folder.join(SUMMARY).display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        Ok(Self { folder: folder.to_owned(), summary })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The run in one page.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The text of `run.toml`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn run(&self) -> io::Result<String> {
        read_text(&self.folder.join(RUN))
    }

    /// Reads the messages, in the order in which they were written, into a sink: a `Vec`, or a
    /// [`CsvWriter`](crate::csv::CsvWriter).
    ///
    /// # Errors
    /// If they cannot be read, or the sink takes no more.
    pub fn flows(&self, sink: &mut dyn Sink<MessageRecord>) -> io::Result<()> {
        read_table(&self.folder.join(FLOWS), sink)
    }

    /// Reads the readings likewise.
    ///
    /// # Errors
    /// If they cannot be read, or the sink takes no more.
    pub fn series(&self, sink: &mut dyn Sink<Sample>) -> io::Result<()> {
        read_table(&self.folder.join(SERIES), sink)
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::read_to_string(path).map_err(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::made_up::{completed, failed, never_started};
    use crate::series::Reading;
    use plimsoll_units::{Bytes, Time};

    /// A folder of its own for a test, removed at its end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("plimsoll-metrics-{name}-{}", process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        /// What is there, hidden folders included.
        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
            names.map(|name| name.into_string().unwrap()).collect()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn sample(at: u64) -> Sample {
        Sample { at: Time::from_ps(at), subject: 3, reading: Reading::Queue(Bytes::new(at * 7)) }
    }

    /// Writes a folder with three flows and three readings.
    fn write(target: &Path, if_exists: IfExists, seed: u64) -> io::Result<Results> {
        let mut writer = ResultsWriter::create(target, if_exists)?;
        writer.write_run(&format!("seed = {seed}\n"))?;
        for record in [failed(), completed(), never_started()] {
            writer.flows.put(record)?;
        }
        for at in [1, 2, 3] {
            writer.series.put(sample(at))?;
        }
        writer.finish(&Summary { seed, partial: true, ..Summary::default() })
    }

    #[test]
    fn what_is_written_is_read_back() {
        let place = Place::new("back");
        let target = place.0.join("deep/er/run");
        let written = write(&target, IfExists::Refuse, 4).unwrap();
        let results = Results::open(&target).unwrap();
        assert_eq!(results, written);
        assert_eq!(results.summary(), &Summary { seed: 4, partial: true, ..Summary::default() });
        assert_eq!(results.run().unwrap(), "seed = 4\n");
        let (mut flows, mut series) = (Vec::new(), Vec::new());
        results.flows(&mut flows).unwrap();
        results.series(&mut series).unwrap();
        assert_eq!(flows, [failed(), completed(), never_started()]);
        assert_eq!(series, [sample(1), sample(2), sample(3)]);
    }

    #[test]
    fn csv_is_written_if_asked_for() {
        let place = Place::new("csv");
        let mut writer = ResultsWriter::create(&place.0.join("run"), IfExists::Refuse).unwrap();
        writer.ask_for_csv();
        writer.series.put(sample(2)).unwrap();
        let results = writer.finish(&Summary::default()).unwrap();
        let text = |name| fs::read_to_string(results.path().join(name)).unwrap();
        assert_eq!(text("series.csv"), "time_ps,reading,subject,value\n2,queue,3,14\n");
        assert_eq!(text("flows.csv").lines().count(), 1);
        let without = write(&place.0.join("other"), IfExists::Refuse, 1).unwrap();
        assert!(!without.path().join("series.csv").exists());
    }

    #[test]
    fn equal_runs_give_equal_files() {
        let place = Place::new("equal");
        let runs = ["a", "b"].map(|name| write(&place.0.join(name), IfExists::Refuse, 1).unwrap());
        for file in [RUN, FLOWS, SERIES, SUMMARY] {
            let [a, b] = runs.each_ref().map(|run| fs::read(run.path().join(file)).unwrap());
            assert!(a == b, "{file} differs");
        }
    }

    #[test]
    fn the_target_is_not_there_until_the_folder_is_complete_and_nothing_stays_if_it_never_is() {
        let place = Place::new("dropped");
        let target = place.0.join("run");
        let mut writer = ResultsWriter::create(&target, IfExists::Refuse).unwrap();
        writer.flows.put(completed()).unwrap();
        assert!(!target.exists() && writer.path().join(FLOWS).exists());
        drop(writer);
        assert_eq!(place.names(), Vec::<String>::new());
    }

    #[test]
    fn an_existing_target_is_refused_before_the_run_and_after_it() {
        let place = Place::new("refused");
        let target = place.0.join("run");
        let late = ResultsWriter::create(&target, IfExists::Refuse).unwrap();
        write(&target, IfExists::Refuse, 1).unwrap();
        let kind = |result: io::Result<Results>| result.unwrap_err().kind();
        assert_eq!(kind(late.finish(&Summary::default())), io::ErrorKind::AlreadyExists);
        assert_eq!(kind(write(&target, IfExists::Refuse, 2)), io::ErrorKind::AlreadyExists);
        assert_eq!(Results::open(&target).unwrap().summary().seed, 1);
        assert_eq!(place.names(), ["run"]);
    }

    #[test]
    fn results_are_replaced_if_asked_but_other_files_never() {
        let place = Place::new("replaced");
        let target = place.0.join("run");
        for seed in [1, 2] {
            write(&target, IfExists::Replace, seed).unwrap();
            assert_eq!(Results::open(&target).unwrap().summary().seed, seed);
        }
        assert_eq!(place.names(), ["run"]);
        let home = place.0.join("home");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("thesis.tex"), "years").unwrap();
        let error = write(&home, IfExists::Replace, 3).unwrap_err();
        assert!(
            error.kind() == io::ErrorKind::AlreadyExists && error.to_string().contains("home"),
            "{error}"
        );
        assert!(home.join("thesis.tex").exists());
    }

    #[test]
    fn two_runs_with_one_target_do_not_share_a_folder() {
        let place = Place::new("two");
        let target = place.0.join("run");
        let [first, second] = [(); 2].map(|()| ResultsWriter::create(&target, IfExists::Replace).unwrap());
        assert_ne!(first.path(), second.path());
        first.finish(&Summary { seed: 1, ..Summary::default() }).unwrap();
        second.finish(&Summary { seed: 2, ..Summary::default() }).unwrap();
        assert_eq!(Results::open(&target).unwrap().summary().seed, 2);
        assert_eq!(place.names(), ["run"]);
    }

    #[test]
    fn leftovers_are_those_of_this_target_only() {
        let place = Place::new("leftovers");
        for name in [".run.unfinished-77-0", ".run.unfinished-77-0-replaced", ".run2.unfinished-77-0", "run"]
        {
            fs::create_dir(place.0.join(name)).unwrap();
        }
        assert_eq!(remove_leftovers(&place.0.join("run")).unwrap(), 2);
        let mut names = place.names();
        names.sort();
        assert_eq!(names, [".run2.unfinished-77-0", "run"]);
        assert_eq!(remove_leftovers(&place.0.join("nowhere/run")).unwrap(), 0);
        assert_eq!(remove_leftovers_in(&place.0).unwrap(), 1);
        assert_eq!(remove_leftovers_in(&place.0.join("nowhere")).unwrap(), 0);
        assert_eq!(place.names(), ["run"]);
    }

    #[test]
    fn what_is_being_written_is_no_leftover() {
        let place = Place::new("in-use");
        let target = place.0.join("run");
        let writer = ResultsWriter::create(&target, IfExists::Replace).unwrap();
        assert_eq!(remove_leftovers_in(&place.0).unwrap(), 0);
        assert_eq!(remove_leftovers(&target).unwrap(), 0);
        writer.finish(&Summary::default()).unwrap();
        assert_eq!(place.names(), ["run"]);
        // One whose writer is gone has the file, but nobody's lock on it.
        fs::create_dir(place.0.join(".run.unfinished-77-0")).unwrap();
        for lock in [".run.unfinished-77-0.lock", ".run.unfinished-78-0.lock"] {
            fs::write(place.0.join(lock), "").unwrap();
        }
        assert_eq!(remove_leftovers_in(&place.0).unwrap(), 1);
        assert_eq!(place.names(), ["run"]);
    }

    #[test]
    fn a_name_that_somebody_holds_is_not_taken() {
        let place = Place::new("held");
        let path = place.0.join(".run.unfinished-77-0.lock");
        let held = Lock::take(path.clone()).unwrap();
        assert!(held.is_some() && Lock::take(path.clone()).unwrap().is_none());
        drop(held);
        assert!(!path.exists() && Lock::take(path).unwrap().is_some());
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for target in ["/", "..", ""] {
            assert!(ResultsWriter::create(Path::new(target), IfExists::Replace).is_err(), "{target:?}");
        }
    }

    #[test]
    fn errors_name_the_file() {
        let place = Place::new("errors");
        let error = Results::open(&place.0).unwrap_err();
        assert!(error.kind() == io::ErrorKind::NotFound && error.to_string().contains(SUMMARY), "{error}");
        fs::write(place.0.join(SUMMARY), "{").unwrap();
        assert!(Results::open(&place.0).unwrap_err().to_string().contains(SUMMARY));
        fs::write(place.0.join(SUMMARY), "{}").unwrap();
        fs::write(place.0.join(FLOWS), "PAR1 or so").unwrap();
        let results = Results::open(&place.0).unwrap();
        let error = results.flows(&mut Vec::new()).unwrap_err();
        assert!(error.kind() == io::ErrorKind::InvalidData && error.to_string().contains(FLOWS), "{error}");
        assert_eq!(results.series(&mut Vec::new()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
