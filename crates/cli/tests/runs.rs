//! Scenarios from outside: run, compare, import, export.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-runs-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Runs plimsoll in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// The same with JSON out of it.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
        serde_json::from_slice(&output.stdout).unwrap()
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

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    path.canonicalize().unwrap().display().to_string()
}

/// Four hosts under two leaves, all to all: small, and with something to cut between threads.
const LEAF_SPINE: &str = r#"
name = "small"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
[cc]
law = "hpcc"
[[traffic]]
kind = "all-to-all"
size = "50KB"
"#;

#[test]
fn tables_are_written_as_csv_on_request() {
    let folder = Folder::new("csv");
    let record = "[record]\ninterval = \"1us\"\nqueues = \"leaf0>h0\"\n";
    folder.file("small.toml", &format!("{LEAF_SPINE}{record}"));
    let output = folder.run(&["run", "small.toml", "--out", "r", "--no-plots", "--csv"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let flows = fs::read_to_string(folder.0.join("r/flows.csv")).unwrap();
    // A line of names, and one for each pair of four hosts.
    assert_eq!(flows.lines().count(), 1 + 4 * 3, "{flows}");
    assert!(fs::read_to_string(folder.0.join("r/series.csv")).unwrap().lines().count() > 10);
}

#[test]
fn fewer_threads_than_were_asked_for_are_told_with_the_reason() {
    let folder = Folder::new("threads");
    folder.file("small.toml", LEAF_SPINE);
    for (asked, used) in [("2", 2), ("8", 2)] {
        let output =
            folder.run(&["run", "small.toml", "--out", "r", "--no-plots", "--json", "--threads", asked]);
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["threads"], used);
        let told = err(&output).contains("note: 2 of 8 threads used: a network is cut between racks");
        assert_eq!(told, asked == "8", "{}", err(&output));
    }
}

mod pictures {
    use super::*;

    const RECORD: &str =
        "[record]\ninterval = \"1us\"\nqueues = \"leaf0>h0\"\nrates = true\nwindows = true\nrtt = true\n";

    /// What lies in a folder, by name.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_run_draws_what_it_recorded_and_plot_draws_the_same_again() {
        let folder = Folder::new("pictures");
        folder.file("small.toml", &format!("{LEAF_SPINE}{RECORD}"));
        let output = folder.run(&["run", "small.toml", "--out", "r"]);
        let text = out(&output);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(text.contains("r/plots") && text.contains("r/report.html"), "{text}");
        let plots = folder.0.join("r/plots");
        let drawn = names(&plots);
        for name in
            ["queue", "rates", "windows", "rtt", "jain", "slowdown-cdf", "latency-cdf", "start-finish"]
        {
            assert!(
                drawn.contains(&format!("{name}.svg")) && drawn.contains(&format!("{name}.png")),
                "{name}"
            );
        }
        let read = |name: &str| fs::read(plots.join(name)).unwrap();
        assert!(String::from_utf8(read("queue.svg")).unwrap().contains("leaf0→h0"), "ports have names");
        assert!(String::from_utf8(read("rates.svg")).unwrap().contains("h0→h1"), "flows have names");
        assert!(read("queue.png").starts_with(b"\x89PNG"));
        let page = fs::read_to_string(folder.0.join("r/report.html")).unwrap();
        assert!(page.contains("12 of 12 completed") && page.matches("<svg").count() == drawn.len() / 2);
        assert!(page.contains("[cc]") && !page.contains("<script"), "settings are there, scripts are not");

        let before: Vec<Vec<u8>> = drawn.iter().map(|name| read(name)).collect();
        fs::remove_dir_all(&plots).unwrap();
        let output = folder.run(&["plot", "r"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let after: Vec<Vec<u8>> = drawn.iter().map(|name| read(name)).collect();
        assert!(before == after && names(&plots) == drawn);
    }

    #[test]
    fn nothing_is_drawn_if_nobody_wants_it() {
        let folder = Folder::new("no-pictures");
        folder.file("small.toml", LEAF_SPINE);
        let output = folder.run(&["run", "small.toml", "--out", "r", "--no-plots"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert_eq!(
            names(&folder.0.join("r")),
            ["flows.parquet", "run.toml", "series.parquet", "summary.json"]
        );
    }

    #[test]
    fn a_folder_without_results_is_named() {
        let folder = Folder::new("no-results");
        let output = folder.run(&["plot", "nowhere"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("nowhere"), "{}", err(&output));
    }
}

mod running {
    use super::*;

    #[test]
    fn a_shipped_scenario_yields_a_folder_and_its_summary_on_the_screen() {
        let folder = Folder::new("incast16");
        let summary = folder.json(&["run", &shipped("incast16.toml"), "--json"]);
        for key in ["trace_hash", "packet_hops", "wall_seconds", "max_queue_bytes", "drops", "pfc_pauses"] {
            assert!(!summary[key].is_null(), "{key} in {summary}");
        }
        assert_eq!((&summary["flows"], &summary["completed"]), (&Value::from(16), &Value::from(16)));
        assert_eq!((&summary["law"], &summary["partial"]), (&Value::from("hpcc"), &Value::from(false)));
        let slowdown = ["p50", "p95", "p99", "p999"].map(|key| summary["slowdown"][key].as_f64().unwrap());
        // 16 flows share a link that one would have for itself, some of them in pairs: every flow is slowed
        // down, and none as if it waited for all others twice.
        assert!(slowdown[0] > 1.0 && slowdown.is_sorted() && slowdown[3] < 32.0, "{slowdown:?}");
        // 16 MB cross two links each in packets of at most 1000 B of payload, and the acks come back.
        assert!(summary["packet_hops"].as_u64().unwrap() >= 4 * 16_000, "{summary}");

        let seed = &summary["seed"];
        let results = folder.0.join(format!("results/incast16-hpcc-{seed}"));
        let written: Value =
            serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
        assert_eq!(written, summary);
        assert!(fs::read(results.join("flows.parquet")).unwrap().starts_with(b"PAR1"));
        let again = folder.json(&["run", &results.join("run.toml").display().to_string(), "--json"]);
        assert_eq!(again["trace_hash"], summary["trace_hash"], "run.toml repeats the run");
    }

    #[test]
    fn the_table_names_what_matters() {
        let folder = Folder::new("table");
        folder.file("small.toml", LEAF_SPINE);
        let output = folder.run(&["run", "small.toml", "--out", "here"]);
        let text = out(&output);
        assert_eq!(code(&output), 0, "{}", err(&output));
        for wanted in ["small: hpcc", "12 of 12 completed", "p99.9", "longest queue", "trace hash", "here"] {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn the_trace_does_not_depend_on_threads_but_on_the_law() {
        let folder = Folder::new("threads");
        folder.file("small.toml", LEAF_SPINE);
        let hash = |more: &[&str]| {
            folder.json(&[&["run", "small.toml", "--json"][..], more].concat())["trace_hash"].clone()
        };
        let one = hash(&["--threads", "1"]);
        assert_eq!(one, hash(&["--threads", "2"]));
        assert_ne!(one, hash(&["--cc", "dctcp"]));
        assert_ne!(one, hash(&["--set", "traffic.0.size=60KB"]));
    }

    #[test]
    fn problems_are_told_with_file_line_and_column_before_anything_is_written() {
        let folder = Folder::new("problems");
        folder.file("bad.toml", &LEAF_SPINE.replace("spines = 2", "spins = 2"));
        let output = folder.run(&["run", "bad.toml"]);
        assert_eq!(code(&output), 2);
        // The text begins with an empty line: `spins` is on line 6.
        assert!(err(&output).contains("bad.toml:6:1: "), "{}", err(&output));
        assert!(!folder.0.join("results").exists());

        folder.file("small.toml", LEAF_SPINE);
        let output = folder.run(&["run", "small.toml", "--set", "switch.bufer=1"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("--set:1:"), "{}", err(&output));
        assert_eq!(code(&folder.run(&["run", "nowhere.toml"])), 2);
    }

    #[test]
    fn a_folder_with_other_files_is_not_replaced() {
        let folder = Folder::new("precious");
        folder.file("small.toml", LEAF_SPINE);
        fs::create_dir(folder.0.join("mine")).unwrap();
        folder.file("mine/precious.txt", "years of work");
        let output = folder.run(&["run", "small.toml", "--out", "mine"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("mine exists and holds no results"), "{}", err(&output));
        assert!(folder.0.join("mine/precious.txt").exists());
    }

    #[test]
    #[cfg(unix)]
    fn an_interrupted_run_leaves_a_partial_result() {
        use std::process::Stdio;
        use std::time::Duration;
        let folder = Folder::new("interrupted");
        // Ten seconds of four hosts at full speed take much longer than the test waits.
        let endless = LEAF_SPINE.replace("name = \"small\"", "name = \"small\"\nduration = \"10s\"");
        folder.file("long.toml", &endless.replace("\"50KB\"", "\"1000GB\""));
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["run", "long.toml", "--out", "part"])
            .current_dir(&folder.0)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Plimsoll listens before it begins the folder, which is the second entry beside the scenario.
        while fs::read_dir(&folder.0).unwrap().count() < 2 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(300));
        // Twice at once is one request, as `timeout` makes it.
        for signal in ["-INT", "-TERM"] {
            let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(kill.success());
        }
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let summary: Value =
            serde_json::from_str(&fs::read_to_string(folder.0.join("part/summary.json")).unwrap()).unwrap();
        assert_eq!(summary["partial"], true);
        assert!(summary["packet_hops"].as_u64().unwrap() > 0);
        assert_eq!(summary["unfinished"], 12);
    }
}

mod comparing {
    use super::*;

    #[test]
    fn laws_stand_in_one_table_and_in_the_same_pictures() {
        let folder = Folder::new("compare");
        folder.file("small.toml", &format!("{LEAF_SPINE}[record]\nqueues = \"all\"\n"));
        let output =
            folder.run(&["compare", "small.toml", "--cc", "hpcc:artifact,dctcp,swift", "--out", "c"]);
        let text = out(&output);
        assert_eq!(code(&output), 0, "{text}{}", err(&output));
        let line = |law: &str| text.lines().find(|line| line.starts_with(law)).unwrap().to_owned();
        for law in ["hpcc:artifact", "dctcp", "swift"] {
            assert!(line(law).contains("12/12"), "{text}");
        }
        assert!(line("law").contains("p99.9") && line("law").contains("mean FCT"), "{text}");
        assert!(fs::read(folder.0.join("c/slowdown.png")).unwrap().starts_with(b"\x89PNG"));
        let svg = fs::read_to_string(folder.0.join("c/slowdown.svg")).unwrap();
        assert!(svg.starts_with("<svg"), "{svg}");
        let queue = fs::read_to_string(folder.0.join("c/queue.svg")).unwrap();
        for law in ["hpcc:artifact", "dctcp", "swift"] {
            assert!(svg.contains(law) && queue.contains(law), "{law}");
        }
        // Flows of one size have no slowdown by size.
        assert!(!folder.0.join("c/slowdown-by-size.svg").exists());
        assert!(folder.0.join("c/hpcc-artifact/flows.parquet").exists());
    }

    #[test]
    fn json_is_an_array_of_summaries_that_say_which_law() {
        let folder = Folder::new("compare-json");
        folder.file("small.toml", LEAF_SPINE);
        let rows = folder.json(&["compare", "small.toml", "--cc", "hpcc,dctcp", "--json"]);
        let laws: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["cc"].clone()).collect();
        assert_eq!(laws, ["hpcc", "dctcp"]);
        for row in rows.as_array().unwrap() {
            assert!(row["slowdown"]["p999"].as_f64().unwrap() >= 1.0, "{row}");
            assert!(row["mean_fct_seconds"].as_f64().unwrap() > 0.0, "{row}");
        }
    }

    #[test]
    fn an_unknown_law_is_told_before_any_runs() {
        let folder = Folder::new("compare-unknown");
        folder.file("small.toml", LEAF_SPINE);
        let output = folder.run(&["compare", "small.toml", "--cc", "hpcc,dctpc"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("dctcp"), "the nearest is named: {}", err(&output));
        assert!(!folder.0.join("results").exists());
    }
}

mod other_simulators {
    use super::*;

    /// Two hosts and a switch, 100 Gb/s and 1 us; a flow of 10 kB each way, the second 50 us later.
    fn files(folder: &Folder) {
        folder.file("topology.txt", "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n");
        folder.file("flows.txt", "2\n0 1 3 100 10000 2.000000000\n1 0 3 100 10000 2.000050000\n");
    }

    #[test]
    fn files_of_hpcc_are_imported_run_and_exported() {
        let folder = Folder::new("hpcc");
        files(&folder);
        let imported = ["import", "hpcc", "--topology", "topology.txt", "--flows", "flows.txt"];
        let output = folder.run(&[&imported[..], &["--out", "two.toml"]].concat());
        assert_eq!(code(&output), 0, "{}", err(&output));
        let summary = folder.json(&["run", "two.toml", "--out", "two", "--json"]);
        assert_eq!(summary["completed"], 2);

        let output = folder.run(&["export", "fct", "two", "--origin", "2s"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let text = out(&output);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
        assert_eq!(lines.len(), 2, "{text}");
        // Host 0 is 11.0.0.1, host 1 is 11.0.1.1.
        assert_eq!(lines[0][..5], ["0b000001", "0b000101", "10000", "100", "10000"]);
        assert_eq!(lines[1][..5], ["0b000101", "0b000001", "10000", "100", "10000"]);
        // 2.00005 s lies between two doubles; HPCC's simulator cuts off at whole nanoseconds.
        let number = |line: usize, column: usize| lines[line][column].parse::<u64>().unwrap();
        assert_eq!(number(0, 5), 2_000_000_000);
        assert!((2_000_049_999..=2_000_050_000).contains(&number(1, 5)), "{text}");
        for line in [0, 1] {
            // Alone: a round trip of 4 x 1 us and 10 packets of at least 1000 B in 80 ns each.
            assert!(number(line, 7) >= 4_800 && number(line, 7) < 6_000, "{text}");
            // The flows do not meet, so that each takes about that time.
            assert!(number(line, 6) >= 4_800 && number(line, 6) < 6_000, "{text}");
        }
    }

    #[test]
    fn an_imported_scenario_finds_its_files_from_another_folder() {
        let folder = Folder::new("elsewhere");
        files(&folder);
        let imported = ["import", "hpcc", "--topology", "topology.txt", "--flows", "flows.txt"];
        let output = folder.run(&[&imported[..], &["--out", "deep/er/two.toml"]].concat());
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert_eq!(code(&folder.run(&["check", "deep/er/two.toml"])), 0);
    }

    #[test]
    fn a_wrong_file_is_told_with_its_line() {
        let folder = Folder::new("wrong");
        files(&folder);
        folder.file("flows.txt", "1\n0 1 3 100 many 2.0\n");
        let imported = ["import", "hpcc", "--topology", "topology.txt", "--flows", "flows.txt"];
        let output = folder.run(&[&imported[..], &["--out", "two.toml"]].concat());
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("flows.txt:2: `many`"), "{}", err(&output));
        assert!(!folder.0.join("two.toml").exists());
        assert_eq!(code(&folder.run(&["export", "fct", "nowhere"])), 2);
    }
}

mod describing {
    use super::*;

    #[test]
    fn tables_and_keys_of_scenarios_are_explained() {
        let folder = Folder::new("explain");
        for (name, wanted) in [
            ("topology.leaf-spine", "hosts_per_leaf"),
            ("switch.buffer.alpha", "alpha"),
            ("scenario", "topology.fat-tree"),
            ("traffic", "all-to-all"),
        ] {
            let output = folder.run(&["explain", name]);
            assert_eq!(code(&output), 0, "{}", err(&output));
            assert!(out(&output).contains(wanted), "{name}: {}", out(&output));
            folder.json(&["explain", name, "--json"]);
        }
        let output = folder.run(&["explain", "topology.leaf-spin"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("topology.leaf-spine"), "{}", err(&output));
    }

    #[test]
    fn every_listed_topology_and_pattern_can_be_explained() {
        let folder = Folder::new("kinds");
        for (what, table) in [("topologies", "topology"), ("traffic", "traffic")] {
            let kinds = folder.json(&["list", what, "--json"]);
            assert!(kinds.as_array().unwrap().len() >= 5, "{kinds}");
            for kind in kinds.as_array().unwrap() {
                let name = format!("{table}.{}", kind["kind"].as_str().unwrap());
                assert_eq!(code(&folder.run(&["explain", &name])), 0, "{name}");
            }
        }
    }

    #[test]
    fn shipped_scenarios_are_listed_with_what_they_are_about() {
        let folder = Folder::new("list");
        let dir = Path::new(&shipped("incast16.toml")).parent().unwrap().display().to_string();
        let text = out(&folder.run(&["list", "scenarios", "--dir", &dir]));
        assert!(text.contains("incast16.toml") && text.contains("16:1 staggered incast"), "{text}");
        assert_eq!(code(&folder.run(&["list", "scenarios"])), 2, "there is no such folder here");
    }

    #[test]
    fn the_schema_is_json() {
        let schema = Folder::new("schema").json(&["schema"]);
        assert!(schema["properties"]["topology"].is_object(), "{schema}");
    }
}

mod packets {
    use super::*;
    use pcap_parser::traits::PcapNGPacketBlock;
    use pcap_parser::{Block, parse_block_le, parse_sectionheaderblock_le};

    /// Names of interfaces, and the interface and picoseconds of each packet, read by somebody else's parser.
    fn read(file: &[u8]) -> (Vec<String>, Vec<(u32, u64)>) {
        let (mut rest, _) = parse_sectionheaderblock_le(file).unwrap();
        let (mut interfaces, mut packets) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let (behind, block) = parse_block_le(rest).unwrap();
            match block {
                Block::InterfaceDescription(interface) => {
                    assert_eq!(interface.if_tsresol, 12, "picoseconds");
                    interfaces.push(interface.if_name().unwrap().unwrap().to_owned());
                }
                Block::EnhancedPacket(packet) => {
                    assert!(packet.truncated() == (packet.caplen < packet.origlen));
                    let time = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                    packets.push((packet.if_id, time));
                }
                other => assert!(rest.is_empty(), "a block of another kind: {other:?}"),
            }
            rest = behind;
        }
        (interfaces, packets)
    }

    #[test]
    fn what_is_captured_during_a_run_is_what_export_finds_later() {
        let folder = Folder::new("pcapng");
        folder.file("plain.toml", LEAF_SPINE);
        folder.file(
            "recorded.toml",
            &format!("{LEAF_SPINE}[record]\npackets = [\"leaf0>h1\", \"leaf1>h2\"]\n"),
        );
        folder.json(&["run", "plain.toml", "--out", "plain", "--json"]);
        folder.json(&["run", "recorded.toml", "--out", "recorded", "--json", "--threads", "2"]);
        let during = fs::read(folder.0.join("recorded/packets.pcapng")).unwrap();
        let ports = "leaf0>h1,leaf1>h2";
        let later = folder.run(&["export", "pcapng", "plain", "--ports", ports]);
        assert_eq!(code(&later), 0, "{}", err(&later));
        assert!(later.stdout == during, "{} and {} bytes", later.stdout.len(), during.len());
        let copied = folder.run(&["export", "pcapng", "recorded", "--out", "copied/packets.pcapng"]);
        assert_eq!(code(&copied), 0, "{}", err(&copied));
        assert!(fs::read(folder.0.join("copied/packets.pcapng")).unwrap() == during);
        let (interfaces, packets) = read(&during);
        assert_eq!(interfaces, ["leaf0>h1", "leaf1>h2"]);
        // Each host receives three flows of 50 packets and sends three, whose acks come back: 300 packets.
        assert_eq!(packets.len(), 600);
        assert!(packets.is_sorted_by_key(|(_, time)| *time));
    }

    #[test]
    fn without_a_word_about_ports_those_to_hosts_are_exported() {
        let folder = Folder::new("pcapng-hosts");
        folder.file("small.toml", LEAF_SPINE);
        folder.json(&["run", "small.toml", "--out", "small", "--json"]);
        let output = folder.run(&["export", "pcapng", "small", "--threads", "2"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let (interfaces, packets) = read(&output.stdout);
        assert_eq!(interfaces, ["leaf0>h0", "leaf0>h1", "leaf1>h2", "leaf1>h3"]);
        // Twelve flows of 50 packets, each acked.
        assert_eq!(packets.len(), 1_200);
        let early = folder.run(&["export", "pcapng", "small", "--stop", "10us"]);
        let until = packets.iter().filter(|(_, time)| *time <= 10_000_000).count();
        assert!(until > 0 && until < 1_200);
        assert_eq!(read(&early.stdout).1.len(), until);
    }

    #[test]
    fn a_port_that_does_not_exist_and_results_that_were_changed_are_refused() {
        let folder = Folder::new("pcapng-refused");
        folder.file("small.toml", LEAF_SPINE);
        folder.json(&["run", "small.toml", "--out", "small", "--json"]);
        let output = folder.run(&["export", "pcapng", "small", "--ports", "leaf0>h3", "--out", "x.pcapng"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("no link joins `leaf0` and `h3`"), "{}", err(&output));
        let run = fs::read_to_string(folder.0.join("small/run.toml")).unwrap();
        folder.file("small/run.toml", &run.replace("50KB", "51KB"));
        let output = folder.run(&["export", "pcapng", "small", "--out", "x.pcapng"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("trace hash"), "{}", err(&output));
        let left: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "nothing half written stays: {left:?}");
    }

    /// Where tshark is installed.
    #[test]
    fn tshark_reads_the_packets_and_with_the_script_their_fields() {
        if Command::new("tshark").arg("--version").output().is_err() {
            return;
        }
        let folder = Folder::new("pcapng-tshark");
        folder.file("small.toml", LEAF_SPINE);
        folder.json(&["run", "small.toml", "--out", "small", "--json"]);
        let output = folder.run(&["export", "pcapng", "small", "--out", "small.pcapng"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plimsoll.lua");
        let tshark = |arguments: &[&str]| {
            let mut command = Command::new("tshark");
            command.arg("-X").arg(format!("lua_script:{}", script.display())).args(["-r", "small.pcapng"]);
            let output = command.args(arguments).current_dir(&folder.0).output().unwrap();
            assert!(output.status.success(), "{}", err(&output));
            out(&output)
        };
        let checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
        let wrong = "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || _ws.lua.error";
        assert_eq!(tshark(&[&checks[..], &["-Y", wrong]].concat()), "", "nothing is malformed");
        let data = tshark(&["-Y", "plimsoll.type == 1", "-T", "fields", "-e", "plimsoll.hop_count"]);
        assert_eq!(data.lines().count(), 600);
        // Within a rack one switch, between racks three.
        assert!(data.lines().all(|line| line == "1" || line == "3"), "{data}");
        let acks = tshark(&["-Y", "plimsoll.next_expected == 50000", "-T", "fields", "-e", "plimsoll.hops"]);
        assert_eq!(acks.lines().count(), 12, "a last ack for each flow");
    }

    #[test]
    fn tshark_reads_homas_packets() {
        if Command::new("tshark").arg("--version").output().is_err() {
            return;
        }
        let folder = Folder::new("pcapng-homa");
        folder.file("small.toml", LEAF_SPINE);
        folder.json(&[
            "run",
            "small.toml",
            "--cc",
            "homa",
            "--set",
            "cc.rtt_bytes=\"10KB\"",
            "--out",
            "small",
            "--json",
        ]);
        let output = folder.run(&["export", "pcapng", "small", "--out", "small.pcapng"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plimsoll.lua");
        let tshark = |arguments: &[&str]| {
            let mut command = Command::new("tshark");
            command.arg("-X").arg(format!("lua_script:{}", script.display())).args(["-r", "small.pcapng"]);
            let output = command.args(arguments).current_dir(&folder.0).output().unwrap();
            assert!(output.status.success(), "{}", err(&output));
            out(&output)
        };
        assert_eq!(tshark(&["-Y", "_ws.malformed || _ws.lua.error"]), "", "nothing is malformed");
        // Twelve messages of 50 kB in packets of 1 kB.
        let data = tshark(&["-Y", "plimsoll_homa.kind == 1", "-T", "fields", "-e", "plimsoll_homa.total"]);
        assert_eq!(data.lines().filter(|line| *line == "50000").count(), 600);
        assert_eq!(tshark(&["-Y", "plimsoll_homa.kind == 6"]).lines().count(), 12, "DONE of each");
        // The last grant of each goes up to its end.
        assert_eq!(tshark(&["-Y", "plimsoll_homa.granted == 50000"]).lines().count(), 12);
    }
}
