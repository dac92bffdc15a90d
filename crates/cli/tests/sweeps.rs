//! Sweeps from outside: whole, killed and gone on with, edited, wrong.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-sweeps-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("base.toml"), BASE).unwrap();
        Self(path)
    }

    fn plan(&self, text: &str) {
        fs::write(self.0.join("plan.toml"), text).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(["sweep", "plan.toml", "--out", "out"]).current_dir(&self.0);
        command
    }

    fn sweep(&self, more: &[&str]) -> Output {
        self.command().args(more).output().unwrap()
    }

    /// The points that have results, each with the time of its summary.
    fn finished(&self) -> Vec<(String, SystemTime)> {
        let Ok(entries) = fs::read_dir(self.0.join("out")) else { return Vec::new() };
        let mut finished: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let time = fs::metadata(entry.path().join("summary.json")).ok()?.modified().unwrap();
                (!name.starts_with('.')).then_some((name, time))
            })
            .collect();
        finished.sort();
        finished
    }

    fn hidden(&self) -> usize {
        let entries = fs::read_dir(self.0.join("out")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with('.')).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Three flows to one host.
const BASE: &str = r#"
name = "base"
[topology]
kind = "single-switch"
hosts = 4
[cc]
law = "hpcc"
[[traffic]]
kind = "incast"
to = 3
size = "100KB"
"#;

const PLAN: &str = r#"
scenario = "base.toml"
seeds = 2
[grid]
traffic.0.size = ["50KB", "100KB"]
[[cc]]
law = "hpcc"
[[cc]]
law = "swift"
[plot]
x = "traffic.0.size"
y = "max_queue_bytes"
"#;

#[test]
fn every_combination_is_run_and_stands_in_the_table() {
    let folder = Folder::new("whole");
    folder.plan(PLAN);
    let output = folder.sweep(&[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    // 2 sizes, 2 laws, 2 seeds.
    let names: Vec<String> = folder.finished().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[0], "hpcc_size-100KB_seed-1");
    let csv = fs::read_to_string(folder.0.join("out/sweep.csv")).unwrap();
    assert!(csv.starts_with("point,cc,traffic.0.size,seed,"), "{csv}");
    assert_eq!(csv.lines().count(), 9);
    // 4 lines for the combinations of law and size, each over 2 seeds.
    let text = out(&output);
    assert_eq!(text.lines().filter(|line| line.starts_with("hpcc") || line.starts_with("swift")).count(), 4);
    assert!(text.contains("8 points run"), "{text}");
    for file in ["sweep.parquet", "plot.svg", "plot.png", "hpcc_size-50KB_seed-2/flows.parquet"] {
        assert!(folder.0.join("out").join(file).exists(), "{file} is missing");
    }
}

#[test]
fn a_point_is_the_run_with_the_same_values() {
    let folder = Folder::new("same");
    folder.plan("scenario = \"base.toml\"\nseeds = [7]\n[grid]\ntopology.rate = [\"25Gbps\"]\n");
    let output = folder.sweep(&["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["run", "base.toml", "--set", "topology.rate=25Gbps", "--seed", "7", "--json"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let run: Value = serde_json::from_slice(&run.stdout).unwrap();
    let point = &json["points"][0];
    assert_eq!(point["trace_hash"], run["trace_hash"]);
    assert_eq!(point["slowdown.p99"], run["slowdown"]["p99"]);
    assert_eq!(json["means"][0]["slowdown.p99"]["mean"], run["slowdown"]["p99"]);
    assert_eq!(json["failed"], Value::Array(Vec::new()));
}

#[test]
fn a_killed_sweep_goes_on_with_the_points_that_are_missing() {
    let folder = Folder::new("killed");
    // Each point takes a good part of a second, so that the kill hits one under way.
    folder.plan("scenario = \"base.toml\"\nseeds = 6\n[grid]\ntraffic.0.size = [\"20MB\"]\n");
    let mut child =
        folder.command().args(["--jobs", "1"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while folder.finished().len() < 2 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    let before = folder.finished();
    assert!((2..6).contains(&before.len()), "{before:?}");
    fs::create_dir_all(folder.0.join("out/.gone_seed-1.unfinished-1-0")).unwrap();
    let output = folder.sweep(&[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let after = folder.finished();
    assert_eq!(after.len(), 6);
    assert!(before.iter().all(|point| after.contains(point)), "a finished point was run again");
    assert_eq!(folder.hidden(), 0, "something unfinished stayed");
    assert!(out(&output).contains(&format!("{} were there", before.len())), "{}", out(&output));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_finished_points_and_nothing_half_done() {
    let folder = Folder::new("interrupted");
    folder.plan("scenario = \"base.toml\"\nseeds = 50\n[grid]\ntraffic.0.size = [\"20MB\"]\n");
    let child = folder.command().stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while folder.finished().is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", out(&output));
    let finished = folder.finished().len();
    assert!((1..50).contains(&finished), "{finished}");
    assert_eq!(folder.hidden(), 0, "something unfinished stayed");
    let csv = fs::read_to_string(folder.0.join("out/sweep.csv")).unwrap();
    assert_eq!(csv.lines().count(), finished + 1);
    assert!(out(&output).contains("the same command goes on"), "{}", out(&output));
}

#[test]
fn an_edited_plan_runs_only_what_changed() {
    let folder = Folder::new("edited");
    folder.plan(PLAN);
    assert_eq!(folder.sweep(&[]).status.code(), Some(0));
    let before = folder.finished();
    folder.plan(&PLAN.replace("\"100KB\"", "\"200KB\""));
    assert!(out(&folder.sweep(&[])).contains("4 points run, 4 were there"));
    // The same folders, but the scenario behind them is another one.
    fs::write(folder.0.join("base.toml"), BASE.replace("hosts = 4", "hosts = 4\ndelay = \"2us\"")).unwrap();
    folder.plan(PLAN);
    assert!(out(&folder.sweep(&[])).contains("8 points run:"));
    let after = folder.finished();
    assert!(before.iter().all(|point| !after.contains(point)), "an old result was taken for a new one");
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_nothing_runs() {
    let grid = "scenario = \"base.toml\"\n[grid]\n";
    for (plan, place, says) in [
        (format!("{grid}topology.rat = [\"1Gbps\"]\n"), "plan.toml:3:", "did you mean `rate`?"),
        (format!("{grid}topology.rate = [\"1Gbps\", \"fast\"]\n"), "plan.toml:3:27: ", "`rate"),
        (format!("{grid}topology.rate = []\n"), "plan.toml:3:17: ", "has no values"),
        (grid.to_owned(), "plan.toml:2:", "[grid] is empty"),
        ("scenario = \"base.toml\"\n".to_owned(), "plan.toml:1:1: ", "varies nothing"),
        ("scenario = \"base.toml\"\n[[cc]]\nlaw = \"swfit\"\n".to_owned(), "plan.toml:3:7: ", "swift"),
        ("scenario = \"base.toml\"\n[[cc]]\nlaw = \"swift\"\nm = 1\n".to_owned(), "plan.toml:4:1: ", "`m`"),
        ("scenario = \"bass.toml\"\nseeds = 2\n".to_owned(), "plan.toml:1:12: ", "cannot read `bass.toml`"),
        ("scenario = \"base.toml\"\nseeds = -2\n".to_owned(), "plan.toml:2:9: ", "how many"),
        ("scenario = \"base.toml\"\nseed = 2\n".to_owned(), "plan.toml:2:1: ", "did you mean `seeds`?"),
        (format!("{grid}seed = [1]\n[plot]\nx = \"rate\"\n"), "plan.toml:5:5: ", "is no key of [grid]"),
        (
            format!("{grid}seed = [1]\n[plot]\nx = \"seed\"\ny = \"slowdown.p9\"\n"),
            "plan.toml:6:5: ",
            "did you mean `slowdown.p95`?",
        ),
        (format!("{grid}name = [\"a\"]\n[plot]\nx = \"name\"\n"), "plan.toml:5:5: ", "cannot be an axis"),
        (format!("{grid}seed = [1\n"), "plan.toml:3:", "not TOML"),
    ] {
        let folder = Folder::new("wrong");
        folder.plan(&plan);
        let output = folder.sweep(&[]);
        let text = err(&output);
        assert_eq!(output.status.code(), Some(2), "{plan}\n{text}");
        assert!(text.contains(place) && text.contains(says), "{plan}\nwants {place} {says}\n{text}");
        assert!(folder.finished().is_empty());
    }
}

#[test]
fn packets_are_refused_because_a_sweep_would_not_write_them() {
    let folder = Folder::new("packets");
    folder.plan("scenario = \"base.toml\"\nseeds = 2\n");
    let base = fs::read_to_string(folder.0.join("base.toml")).unwrap();
    fs::write(folder.0.join("base.toml"), format!("{base}\n[record]\npackets = \"all\"\n")).unwrap();
    let output = folder.sweep(&[]);
    let text = err(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("plan.toml:1:12: `[record] packets`") && text.contains("export pcapng"), "{text}");
    assert_eq!(text.matches("[record] packets").count(), 1, "the points share one problem: {text}");
    assert!(folder.finished().is_empty());
}

#[test]
fn a_point_that_cannot_be_run_is_listed_and_the_others_are_run() {
    let folder = Folder::new("failed");
    folder.plan("scenario = \"base.toml\"\nseeds = 3\n");
    // Somebody's files have the name of the second point.
    fs::create_dir_all(folder.0.join("out/hpcc_seed-2")).unwrap();
    fs::write(folder.0.join("out/hpcc_seed-2/thesis.tex"), "years").unwrap();
    let output = folder.sweep(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(folder.finished().len(), 2);
    let text = out(&output);
    assert!(text.contains("Failed:\n  hpcc_seed-2: ") && text.contains("holds no results"), "{text}");
    assert!(folder.0.join("out/hpcc_seed-2/thesis.tex").exists());
}

#[test]
fn single_points_and_laws_with_lists_of_their_own_are_points_too() {
    let folder = Folder::new("points");
    folder.plan(
        "scenario = \"base.toml\"\n[[cc]]\nlaw = \"poseidon\"\nm = [0.25, 0.5]\n\
         [[point]]\ncc.law = \"dctcp\"\ntopology.rate = \"10Gbps\"\n",
    );
    let output = folder.sweep(&[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let names: Vec<String> = folder.finished().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["dctcp_rate-10Gbps_seed-1", "poseidon_m-0.25_seed-1", "poseidon_m-0.5_seed-1"]);
}

#[test]
fn shipped_plans_can_be_run() {
    let plans = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/sweeps");
    let mut seen = 0;
    for entry in fs::read_dir(plans).unwrap() {
        let path = entry.unwrap().path();
        let folder = Folder::new("shipped");
        // With a file in place of the folder, a plan without problems ends right before the first run.
        fs::write(folder.0.join("file"), "").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.arg("sweep").arg(&path).args(["--out", "file/out"]).current_dir(&folder.0);
        let output = command.output().unwrap();
        assert!(err(&output).starts_with("plimsoll: file/out: "), "{}: {}", path.display(), err(&output));
        seen += 1;
    }
    assert!(seen >= 2);
}
