//! `plimsoll reproduce` from outside, where it is stopped and where it refuses.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

const SCENARIO: &str = include_str!("../../../papers/poseidon/fig2/scenario.toml");
/// What it claims, with a run of 2 ms.
const CLAIMS: &str = r#"title = "A victim"
text = "Is it one?"
quick = ['traffic.2.start="1ms"']

[[variant]]
name = "swift"
set = ['duration="2ms"']

[[claim]]
measure = "drop"
claim = "the victim's rate after and before"
paper = "lower"
from = 0.0
to = 10.0
why = "any"
"#;

/// A folder with `papers/poseidon/fig2` in it, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, scenario: &str, claims: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-reproduce-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let folder = Self(path);
        fs::create_dir_all(folder.paper()).unwrap();
        fs::write(folder.paper().join("scenario.toml"), scenario).unwrap();
        fs::write(folder.paper().join("claims.toml"), claims).unwrap();
        folder
    }

    fn paper(&self) -> PathBuf {
        self.0.join("papers/poseidon/fig2")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.arg("reproduce").args(arguments).current_dir(&self.0);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The summaries of the runs that are done, and when they were written. A run is done when its
    /// folder has its name; while it is written the folder is hidden, and the summary may be there.
    fn done(&self) -> Vec<(PathBuf, SystemTime)> {
        let Ok(runs) = fs::read_dir(self.0.join("results/reproduce/runs")) else { return Vec::new() };
        let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
        let finished = runs.map(|run| run.unwrap()).filter(|run| !hidden(&run.file_name()));
        let summaries = finished.map(|run| run.path().join("summary.json"));
        let written =
            |path: PathBuf| fs::metadata(&path).and_then(|it| it.modified()).ok().map(|at| (path, at));
        summaries.filter_map(written).collect()
    }

    fn no_run_began(&self) -> bool {
        !Path::new(&self.0.join("results")).exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

mod going_on {
    use super::*;

    /// Begins, waits until the short run is done, sends the signal; what the command then said.
    fn stopped_by(signal: &str, folder: &Folder) -> Output {
        let child = folder.command(&["poseidon/fig2", "--quick"]).spawn().unwrap();
        let start = Instant::now();
        while folder.done().is_empty() && start.elapsed() < Duration::from_secs(100) {
            sleep(Duration::from_millis(20));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        child.wait_with_output().unwrap()
    }

    fn the_next_call_goes_on_after(signal: &str) -> Output {
        let long = "[[variant]]\nname = \"long\"\nset = ['duration=\"100s\"']\n\n[[claim]]";
        let with_long = CLAIMS.replace("[[claim]]", long);
        let folder = Folder::new(signal, SCENARIO, &with_long);
        let output = stopped_by(signal, &folder);
        let before = folder.done();
        assert_eq!(before.len(), 1, "the short run is done and the long one is not: {}", err(&output));

        fs::write(folder.paper().join("claims.toml"), CLAIMS).unwrap();
        let again = folder.command(&["poseidon/fig2", "--quick"]).output().unwrap();
        assert!(folder.0.join("results/reproduce/poseidon/fig2/report.html").exists(), "{}", err(&again));
        assert_eq!(folder.done(), before, "what was done is not done again");
        let runs = fs::read_dir(folder.0.join("results/reproduce/runs")).unwrap();
        let names: Vec<_> = runs.map(|run| run.unwrap().file_name()).collect();
        assert_eq!(names.len(), 1, "nothing of the stopped run stays: {names:?}");
        output
    }

    #[test]
    fn ctrl_c_keeps_the_runs_that_are_done_and_ends_with_130() {
        let output = the_next_call_goes_on_after("-INT");
        assert_eq!(output.status.code(), Some(130));
        let said = err(&output);
        assert!(said.contains("1 figure is not done; the same command goes on from here"), "{said}");
    }

    #[test]
    fn a_killed_command_leaves_the_runs_that_are_done() {
        let output = the_next_call_goes_on_after("-KILL");
        assert_eq!(output.status.code(), None);
    }
}

mod refusing {
    use super::*;

    /// What is said when the scenario is changed so; nothing may have run.
    fn refused(name: &str, changes: &[(&str, &str)]) -> String {
        let change = |text: String, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        };
        let folder = Folder::new(name, &changes.iter().fold(SCENARIO.to_owned(), change), CLAIMS);
        // Of all figures of the paper only this one is edited; none may run.
        let output = folder.command(&["poseidon", "--quick"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(folder.no_run_began());
        let said = err(&output);
        assert!(said.starts_with("papers/poseidon/fig2/scenario.toml:"), "{said}");
        said
    }

    #[test]
    fn a_flow_between_hosts_that_no_path_joins() {
        let start = SCENARIO.find("[topology]").unwrap();
        let end = SCENARIO.find("[host]").unwrap();
        let link = |host: u32| {
            format!("[[topology.links]]\nbetween = [\"h{host}\", \"s{}\"]\nrate = \"10Gbps\"\n", host % 2)
        };
        let links: String = (0..200).map(link).collect();
        let islands = format!("[topology]\nkind = \"graph\"\nhosts = 200\nswitches = 2\n{links}\n");
        let said = refused("islands", &[(&SCENARIO[start..end], &islands)]);
        assert!(said.contains("no path"), "{said}");
    }

    #[test]
    fn more_load_than_links_carry() {
        // A rack's ten hosts send 190 of 199 parts to other racks: 0.2 · 2000 Gb/s · 190/199 = 382 Gb/s fit its
        // three uplinks of 200 Gb/s, twice that do not.
        let poisson = "[[traffic]]\nkind = \"poisson\"\nload = 0.2\nsize = \"hadoop\"\n\n";
        let said = refused("load", &[("[record]", &format!("{poisson}{poisson}[record]"))]);
        assert!(said.contains("763.819 Gb/s") && said.contains("`load`"), "{said}");
    }

    #[test]
    fn a_law_whose_signal_nobody_gives() {
        let hpcc = ("swift:poseidon-nsdi23", "hpcc:poseidon-nsdi23");
        let said = refused("signal", &[hpcc, ("[switch]\n", "[switch]\nint = \"none\"\n")]);
        assert!(said.contains("switch.int"), "{said}");
    }

    #[test]
    fn a_pinned_path_that_does_not_exist() {
        let said = refused("pinned", &[("via = \"spine0\"", "via = \"spine9\"")]);
        assert!(said.contains("spine9"), "{said}");
        let said = refused("detour", &[("via = \"spine0\"", "via = \"leaf7\"")]);
        assert!(said.contains("no shortest path"), "{said}");
    }

    #[test]
    fn a_variant_that_cannot_be_run_by_its_name() {
        let claims = CLAIMS.replace("name = \"swift\"", "name = \"other\"\ncc = \"hpcc:poseidon-nsdi23\"");
        let scenario = SCENARIO.replacen("[switch]\n", "[switch]\nint = \"none\"\n", 1);
        let folder = Folder::new("variant", &scenario, &claims);
        let output = folder.command(&["poseidon/fig2", "--quick"]).output().unwrap();
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("papers/poseidon/fig2/claims.toml, variant `other`:"), "{said}");
        assert!(said.contains("switch.int") && folder.no_run_began(), "{said}");
    }

    #[test]
    fn a_folder_whose_scenario_is_gone() {
        let folder = Folder::new("gone", SCENARIO, CLAIMS);
        fs::remove_file(folder.paper().join("scenario.toml")).unwrap();
        let output = folder.command(&["poseidon/fig2", "--quick"]).output().unwrap();
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("papers/poseidon/fig2/scenario.toml: there is no such file"), "{said}");
        assert!(folder.no_run_began());
    }
}
