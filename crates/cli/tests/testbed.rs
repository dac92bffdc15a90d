//! Real packets from outside. Without root these tests say so and check the refusal instead.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One run at a time: each wants both cores.
static ALONE: Mutex<()> = Mutex::new(());

/// Two hosts send to a third, slowly, for a moment.
const SCENARIO: &str = r#"
name = "real"
duration = "400ms"
[topology]
kind = "single-switch"
hosts = 3
rate = "50Mbps"
delay = "50us"
[transport]
min_rto = "50ms"
initial_rto = "50ms"
[switch.buffer]
size = "1MB"
[switch.pfc]
enabled = false
[cc]
law = "poseidon:nsdi23"
p = "20ms"
k = "2ms"
[[traffic]]
name = "flows"
kind = "flows"
from = "0-1"
to = 2
[[traffic]]
name = "short"
kind = "flows"
from = 0
to = 2
size = "20KB"
start = "100ms"
[record]
interval = "20ms"
rates = true
rtt = true
queues = "s0>h2"
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-testbed-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("real.toml"), SCENARIO).unwrap();
        Self(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.arg("testbed").args(arguments).current_dir(&self.0);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Namespaces that this test's own child left or has.
fn namespaces(process: u32) -> usize {
    let Ok(entries) = fs::read_dir("/run/netns") else { return 0 };
    let ours = format!("plimsoll-{process}-");
    entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count()
}

/// Whether real packets can be had here; says so loudly if not, after a look at how the program says it.
fn can_run(folder: &Folder) -> bool {
    let output = folder.run(&["clean"]);
    if output.status.code() == Some(3) {
        let why = text(&output.stderr);
        assert!(why.contains("root") || why.contains("kernel"), "{why}");
        eprintln!("SKIPPED: NO REAL PACKETS ON THIS MACHINE: {why}");
        return false;
    }
    true
}

#[test]
fn every_law_with_its_signals_fills_a_link_of_real_packets() {
    let folder = Folder::new("laws");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    // Marks, records, the maximum, round trips and losses.
    for law in
        ["poseidon:nsdi23", "dctcp", "hpcc", "powertcp", "theta-powertcp", "timely", "cubic", "newreno"]
    {
        let output =
            folder.run(&["run", "real.toml", "--cc", law, "--limit", "100", "--out", "out", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{law}: {}", text(&output.stderr));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        // Behind a queue of half a megabyte, 80 ms, and a timeout, a short flow may not be through in time.
        let waits = matches!(law, "cubic" | "newreno");
        assert!(waits || summary["completed"] == 1, "{law}: {summary}");
        assert_eq!(summary["failed"], 0, "{law}: {summary}");
        let left_out = summary["noise"]["left_out_percent"].as_f64().unwrap();
        assert!((0.0..=100.0).contains(&left_out), "{law}: {summary}");
        // 50 Mb/s carry 2,344 packets of 1066 B in 400 ms, over two links each, and their acks; a machine that is
        // busy with other tests reaches little of it. The short flow alone takes 84.
        let hops = summary["packet_hops"].as_u64().unwrap();
        assert!(hops > 200, "{law}: {summary}");
        // Laws that live on losses fill the buffer of 1 MB once in their slow start.
        assert!(summary["drops"].as_u64().unwrap() < hops / 10, "{law}: {summary}");
    }
    for file in ["run.toml", "flows.parquet", "series.parquet", "summary.json", "report.html"] {
        assert!(folder.0.join("out").join(file).exists(), "{file}");
    }
}

#[test]
fn simulator_and_real_packets_lie_side_by_side() {
    let folder = Folder::new("compare");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    let output = folder.run(&["compare", "real.toml", "--limit", "100", "--out", "both", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let sides: Value = serde_json::from_slice(&output.stdout).unwrap();
    let disturbed = sides["disturbed_percent"].as_f64().unwrap();
    let pairs = sides["pairs"].as_array().unwrap();
    let rate = pairs.iter().find(|pair| pair["what"] == "rate of a flow, flows");
    // Readings of a second half that was disturbed throughout are all left out.
    if let Some(rate) = rate.filter(|_| disturbed < 30.0) {
        let (simulated, real) = (rate["simulated"].as_f64().unwrap(), rate["real"].as_f64().unwrap());
        // Half of the link, less headers.
        assert!((20.0..25.0).contains(&simulated), "{rate}");
        assert!((0.5..1.1).contains(&(real / simulated)), "{rate}");
    } else {
        eprintln!("NOT COMPARED: the machine was busy with other things for {disturbed:.0} % of the time");
    }
    for file in ["compare.png", "rates.png", "simulated/summary.json", "real/summary.json"] {
        assert!(folder.0.join("both").join(file).exists(), "{file}");
    }
}

#[test]
fn a_run_that_is_stopped_or_killed_leaves_no_namespace() {
    let folder = Folder::new("killed");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    let begin = || {
        let arguments = ["run", "real.toml", "--set", "duration=60s", "--limit", "100", "--out", "long"];
        let child = folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while namespaces(child.id()) < 4 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(namespaces(child.id()), 4);
        std::thread::sleep(Duration::from_millis(200));
        child
    };
    let mut child = begin();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(namespaces(child.id()), 0);
    let mut child = begin();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(namespaces(child.id()), 4, "nobody could remove them");
    let output = folder.run(&["clean"]);
    let said = text(&output.stdout);
    let front = format!("plimsoll-{}-", child.id());
    let removed = said.split([' ', ',', '\n']).filter(|word| word.starts_with(&front));
    assert_eq!(removed.filter(|word| word.ends_with("-0-switch")).count(), 1, "{said}");
    assert_eq!(namespaces(child.id()), 0);
}

/// TCP of the kernel between two hosts: a megabyte from one to the other, counted at its end.
#[test]
fn ordinary_programs_talk_through_the_switch() {
    let folder = Folder::new("programs");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    let server = "h1: python3 -c 'import socket\ns = socket.create_server((\"0.0.0.0\", 7777))\nc = s.accept()[0]\n\
                  print(sum(iter(lambda: len(c.recv(65536)), 0)))'";
    let client = "h0: sleep 0.3; python3 -c 'import socket\nc = socket.create_connection((\"{h1}\", 7777))\n\
                  c.sendall(bytes(1000000))'";
    let arguments = [
        "run",
        "real.toml",
        "--set",
        "duration=5s",
        "--set",
        "traffic=[]",
        "--limit",
        "100",
        "--out",
        "out",
        "--program",
        server,
        "--program",
        client,
    ];
    let output = folder.run(&arguments);
    let said = fs::read_to_string(folder.0.join("out/program-0.txt")).unwrap_or_default();
    if said.contains("not found") {
        eprintln!("SKIPPED: NO PYTHON ON THIS MACHINE");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(said.trim(), "1000000", "{}", text(&output.stdout));
    let wrong = folder.run(&["run", "real.toml", "--program", "iperf3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("e.g. 'h1: iperf3 -s'"), "{}", text(&wrong.stderr));
}

/// A host that is no part of any flow sends rubbish to both ends of them: noise of all lengths, and copies of what looks
/// like the transport's header with every byte wrong in turn.
#[test]
fn rubbish_neither_crashes_nor_stalls_a_live_run() {
    let folder = Folder::new("rubbish");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    let rubbish = "h2: python3 -c 'import os, socket, random\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n\
                   for n in range(4000):\n  b = bytearray(os.urandom(random.choice([0, 1, 2, 43, 70, 200, 900])))\n  \
                   b[0:2] = b\"\\xff\\xff\"[:len(b)]\n  s.sendto(b, (\"{h0}\", 57344))\n  s.sendto(b, (\"{h1}\", 50001))\n\
                   print(\"done\")'";
    let arguments = [
        "run",
        "real.toml",
        "--set",
        "duration=1s",
        "--set",
        "traffic.0.from=0",
        "--set",
        "traffic.0.to=1",
        "--set",
        "traffic.1.to=1",
        "--limit",
        "100",
        "--out",
        "out",
        "--json",
        "--program",
        rubbish,
    ];
    let output = folder.run(&arguments);
    let said = fs::read_to_string(folder.0.join("out/program-0.txt")).unwrap_or_default();
    if said.contains("not found") {
        eprintln!("SKIPPED: NO PYTHON ON THIS MACHINE");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(said.trim(), "done");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&summary["completed"], &summary["failed"]), (&1.into(), &0.into()), "{summary}");
    assert!(summary["packet_hops"].as_u64().unwrap() > 4_000, "{summary}");
}

#[test]
fn what_cannot_be_run_on_real_packets_is_refused_before_anything_is_made() {
    let folder = Folder::new("refused");
    let _alone = ALONE.lock();
    if !can_run(&folder) {
        return;
    }
    let refused = |set: &str, why: &str| {
        let output = folder.run(&["run", "real.toml", "--set", set]);
        assert_eq!(output.status.code(), Some(2), "{set}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    };
    refused("topology.rate=100Gbps", "lower the topology's rates to 5Gbps");
    refused("topology.hosts=65", "at most 64");
    refused("routing.spreading=spray", "only `routing.spreading = \"ecmp\"`");
    refused("switch.pfc.enabled=true", "PFC is not emulated");
    refused("host.receive_delay=1us", "leave `host.receive_delay` out");
    refused("record.marks=true", "`record.marks = false`");
    refused("record.buffers=all", "leave `record.buffers` out");
}
