//! The commands that need no packets, and upgrades, from outside.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, scenario: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-fluid-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("base.toml"), scenario).unwrap();
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Refused, with this in the message.
    fn refused(&self, arguments: &[&str], message: &str) {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(message), "{}", err(&output));
        assert!(!self.0.join("results").exists(), "{arguments:?} left results");
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

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Two flows from one host of 100 Gb/s, one of which meets a third, from a host of its own, at a receiver of
/// 40 Gb/s.
const TWO_BOTTLENECKS: &str = r#"
name = "two"
duration = "1ms"
[topology]
kind = "graph"
hosts = 4
switches = 1
links = [
  { between = ["h0", "s0"], rate = "100Gbps" },
  { between = ["h1", "s0"], rate = "100Gbps" },
  { between = ["h2", "s0"], rate = "40Gbps" },
  { between = ["h3", "s0"], rate = "100Gbps" },
]
[host]
mtu = "1000B"
mss = "800B"
header = "200B"
[cc]
law = "poseidon"
[[traffic]]
kind = "flows"
from = 0
to = [2, 3]
[[traffic]]
kind = "flows"
from = 1
to = 2
"#;

/// 40 / 2 = 20 Gb/s for the two at h2; the other has what is left of h0's 100: 80 Gb/s. Payload is 800 of 1000 B.
#[test]
fn water_filling_names_each_flows_bottleneck() {
    let folder = Folder::new("maxmin", TWO_BOTTLENECKS);
    let flows = &folder.json(&["fluid", "maxmin", "base.toml", "--json"])["flows"];
    let expected = [("s0>h2", 20e9, 16e9), ("h0>s0", 80e9, 64e9), ("s0>h2", 20e9, 16e9)];
    assert_eq!(flows.as_array().unwrap().len(), expected.len());
    for (flow, (bottleneck, rate, goodput)) in flows.as_array().unwrap().iter().zip(expected) {
        assert_eq!(flow["bottleneck"], bottleneck);
        assert_eq!((flow["rate_bps"].as_f64(), flow["goodput_bps"].as_f64()), (Some(rate), Some(goodput)));
    }
    let text = out(&folder.run(&["fluid", "maxmin", "base.toml"]));
    assert!(text.contains("3 flows (all endless ones), 2 bottlenecks"), "{text}");
}

/// Flows of 1 MB on the wire begin 100 µs apart on 40 Gb/s (5 KB/µs): the first is alone for 100 µs (500 KB), then
/// has half: its other 500 KB take 200 µs, until 300 µs. The second is then alone with 500 KB: until 400 µs.
#[test]
fn the_flows_of_a_moment_are_those_that_are_not_through() {
    let traffic = "kind = \"flows\"\nfrom = [0, 1]\nto = 2\nsize = \"800KB\"\ngap = \"100us\"\n";
    let (front, _) = TWO_BOTTLENECKS.split_once("kind = \"flows\"").unwrap();
    let folder = Folder::new("moment", &format!("{front}{traffic}"));
    let flows_at = |at: &str| {
        let json = folder.json(&["fluid", "maxmin", "base.toml", "--at", at, "--json"]);
        let flows = json["flows"].as_array().unwrap().iter();
        flows
            .map(|flow| (flow["flow"].as_u64().unwrap(), flow["rate_bps"].as_f64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(flows_at("99us"), [(0, 40e9)]);
    assert_eq!(flows_at("299us"), [(0, 20e9), (1, 20e9)]);
    assert_eq!(flows_at("301us"), [(1, 40e9)]);
    assert_eq!(flows_at("401us"), []);
}

#[test]
fn a_fluid_poseidon_settles_on_the_fair_rates() {
    let folder = Folder::new("poseidon", TWO_BOTTLENECKS);
    let json = folder.json(&["fluid", "poseidon", "base.toml", "--settle", "5ms", "--json"]);
    assert!(json["worst_percent"].as_f64().unwrap() < 2.0, "{json}");
    assert_eq!(json["flows"][1]["bottleneck"], "h0>s0");
}

#[test]
fn a_fluid_of_what_cannot_be_one_is_refused() {
    let folder = Folder::new("refused", TWO_BOTTLENECKS);
    let spray = ["fluid", "maxmin", "base.toml", "--set", "routing.spreading=spray"];
    folder.refused(&spray, "packets are sprayed, so a flow has no path of its own");
    let rotor = ["fluid", "maxmin", "rotor.toml"];
    let text = "[topology]\nkind = \"rotor\"\n[cc]\nlaw = \"swift\"\n[[traffic]]\nkind = \"permutation\"\n";
    fs::write(folder.0.join("rotor.toml"), text).unwrap();
    folder.refused(&rotor, "racks are joined by circuits in turn, so a flow has no path of its own");
    folder.refused(&["fluid", "maxmin", "base.toml", "--at", "soon"], "soon");
    folder.refused(&["fluid", "poseidon", "base.toml", "--settle", "0s"], "from 1us to 10s");
    folder.refused(&["fluid", "maxmin", "missing.toml"], "missing.toml");
}

/// Two racks of four hosts below two spines, half a millisecond of messages.
const RACKS: &str = r#"
name = "racks"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
oversubscription = 2
[cc]
law = "poseidon"
[[traffic]]
kind = "messages"
from = "rack0"
to = "rack1"
size = "64KB"
rate = "120Gbps"
stop = "200us"
"#;

#[test]
fn an_upgrade_is_shown_step_by_step_and_goes_on_where_it_was() {
    let folder = Folder::new("upgrade", RACKS);
    let arguments =
        ["brownfield", "base.toml", "--order", "leaf0,leaf1,spine", "--seeds", "2", "--out", "out"];
    let first = folder.run(&arguments);
    assert_eq!(first.status.code(), Some(0), "{}{}", out(&first), err(&first));
    // None, three steps of which the last is everywhere; two seeds each.
    let text = out(&first);
    assert!(text.contains("8 runs: "), "{text}");
    assert!(text.contains("2/4") && text.contains("4/4"), "{text}");
    for file in ["brownfield.csv", "brownfield.png", "brownfield.svg", "gain.png", "slowdown.png"] {
        assert!(folder.0.join("out").join(file).exists(), "{file} is missing");
    }
    assert_eq!(fs::read_to_string(folder.0.join("out/brownfield.csv")).unwrap().lines().count(), 5);
    // The same set of switches by another order, and as a search: two of the six sets are new.
    let again = [&arguments[..2], &["--search", "greedy", "--unit", "tier"], &arguments[4..]].concat();
    let second = folder.run(&again);
    let text = out(&second);
    // none, all and {leaf0, leaf1} are there; {spine0, spine1} is new.
    assert!(text.contains("2 runs, 6 were there"), "{text}{}", err(&second));
    let json = folder.json(&[&again[..], &["--json"]].concat());
    let steps = json["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    let value = |step: &Value| step["slowdown"]["p99"]["mean"].as_f64().unwrap();
    assert_eq!(steps[0]["gain_percent"]["mean"], 0.0);
    let gain = 100.0 * (1.0 - value(&steps[2]) / value(&steps[0]));
    assert!((steps[2]["gain_percent"]["mean"].as_f64().unwrap() - gain).abs() < 1e-9);
    // Of the two ways to begin, the search took the better one.
    let other = if steps[1]["upgraded"] == "leaf" { "spine" } else { "leaf" };
    let alone = [&arguments[..3], &[other], &arguments[4..], &["--json"]].concat();
    let alone = folder.json(&alone);
    assert!(value(&alone["steps"][1]) >= value(&steps[1]), "{other} is better");
}

#[cfg(unix)]
#[test]
fn a_search_that_is_stopped_shows_what_it_has_and_goes_on() {
    // Of four switches the search tries 4 + 3 + 2 + 1 sets, and none before; each run takes a while.
    let folder = Folder::new("stopped", &RACKS.replace("200us", "3ms"));
    let arguments = ["brownfield", "base.toml", "--search", "greedy", "--seeds", "2", "--out", "out"];
    let child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(arguments)
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let finished = || {
        let entries = fs::read_dir(folder.0.join("out")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().join("summary.json").exists()).count()
    };
    let start = Instant::now();
    while finished() < 5 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", out(&output));
    assert!(out(&output).contains("stopped, the same command goes on"), "{}", out(&output));
    let before = finished();
    assert!((5..22).contains(&before), "{before}");
    // The set of all is reached twice, at the beginning and at the end: 11 sets of 2 seeds.
    let again = folder.run(&arguments);
    assert_eq!(again.status.code(), Some(0), "{}", err(&again));
    assert!(out(&again).contains(&format!("{} runs, {before} were there", 22 - before)), "{}", out(&again));
}

#[test]
fn endless_flows_are_compared_by_fairness() {
    let traffic = "kind = \"flows\"\nfrom = [0, 1]\nto = 4\n";
    let (front, _) = RACKS.split_once("kind = \"messages\"").unwrap();
    let folder = Folder::new("endless", &format!("duration = \"500us\"{front}{traffic}"));
    let json = folder.json(&["brownfield", "base.toml", "--seeds", "1", "--json", "--out", "out"]);
    assert_eq!(json["metric"], "fairness (Jain's index)");
    let last = json["steps"].as_array().unwrap().last().unwrap();
    assert!(last["fairness"]["mean"].as_f64().unwrap() > 0.9, "{last}");
    assert!(last["slowdown"]["p99"].is_null());
    folder.refused(&["brownfield", "base.toml", "--metric", "p99"], "all flows are endless");
}

#[test]
fn an_upgrade_that_cannot_be_is_refused_before_anything_runs() {
    let folder = Folder::new("wrong", RACKS);
    let with = |more: &[&'static str]| [&["brownfield", "base.toml"][..], more].concat();
    folder.refused(&with(&["--order", "leaf0,spin1"]), "no switch `spin1`; did you mean `spine1`?");
    folder.refused(&with(&["--order", "h0"]), "it is a host");
    folder.refused(&with(&["--order", "leaf,leaf1"]), "nothing is left of `leaf1`");
    folder.refused(&with(&["--cc", "hpcc"]), "`hpcc` has no brownfield mode");
    folder.refused(&with(&["--order", "leaf", "--search", "greedy"]), "cannot be used with");
    folder.refused(&with(&["--metric", "mean"]), "p999");
    folder.refused(&with(&["--seeds", "0"]), "0 is not in 1..=1000");
}
