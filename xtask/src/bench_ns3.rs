//! `cargo xtask bench-ns3`: the same flows through Debian's ns-3 and through ours, side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::agreement::{Agreement, Spread};
use crate::child;

/// What Debian calls ns-3, what its headers need, and the compiler.
const PACKAGES: [&str; 3] = ["libns3-dev", "libgsl-dev", "g++"];
/// A header that is there if ns-3 is.
const HEADER: &str = "/usr/include/ns3/core-module.h";
/// Ours takes a second: the median of so many runs stands beside one of ns-3.
const OUR_RUNS: usize = 3;

/// A network that both build, and how ns-3's program is told of it.
struct Case {
    name: &'static str,
    scenario: &'static str,
    arguments: &'static [&'static str],
}

const CASES: [Case; 2] = [
    Case {
        name: "dumbbell",
        scenario: "xtask/ns3/dumbbell.toml",
        arguments: &["--topology=dumbbell", "--hosts=8", "--host-gbps=40", "--core-gbps=10", "--delay=5us"],
    },
    Case {
        name: "leaf-spine",
        scenario: "xtask/ns3/leaf-spine.toml",
        arguments: &[
            "--topology=leaf-spine",
            "--hosts=8",
            "--leaves=4",
            "--spines=2",
            "--core-gbps=40",
            "--delay=5us",
        ],
    },
];

const DIFFERENCES: &str = "\
Made equal: payload 1000 B, headers 42 B, acks 42 B, one ack per packet, no delayed acks, first window of ten
packets, g = 1/16, α from 1, the window stands after a cut, marks when a packet leaves and more than 30 KB per
10 Gb/s stay behind it, hosts that send acks first and let connections take turns, endless buffers, times in
whole nanoseconds, at most 128 kB outstanding, completion from the first byte handed over to the ack of the last.
Still different: ns-3 opens and closes connections (those packets count as its packet-hops; the handshake is
over before the flow begins), keeps one packet in the device behind the queue that marks, counts the window's
growth in whole segments, and chooses the spine by the receiver where ours hashes the flow.
";

/// What one simulator took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    packet_hops: u64,
    wall_seconds: f64,
    /// Processor time of the whole program: what counts if others use the machine at the same time.
    cpu_seconds: f64,
}

impl Cost {
    fn read(text: &str, cpu_seconds: f64) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("{error} in {text}"))?;
        let number = |key: &str| value.get(key).ok_or(format!("`{key}` is missing in {text}"));
        let (flows, completed) = (number("flows")?, number("completed")?);
        if flows != completed {
            return Err(format!("{completed} of {flows} flows completed"));
        }
        Ok(Self {
            packet_hops: number("packet_hops")?.as_u64().ok_or("`packet_hops` is no count")?,
            wall_seconds: number("wall_seconds")?.as_f64().ok_or("`wall_seconds` is no number")?,
            cpu_seconds,
        })
    }

    /// Processor time per packet-hop, in nanoseconds.
    fn ns_per_hop(self) -> f64 {
        self.cpu_seconds * 1e9 / self.packet_hops as f64
    }

    fn to_json(self) -> Value {
        json!({
            "packet_hops": self.packet_hops,
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "ns_per_packet_hop": self.ns_per_hop(),
        })
    }
}

/// A flow as `plimsoll export fct` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flow {
    start_ns: u64,
    from: u32,
    to: u32,
    bytes: u64,
    completion_ns: u64,
}

/// Two simulators on one network.
struct Compared {
    name: &'static str,
    flows: usize,
    ours: Cost,
    theirs: Cost,
    agreement: Agreement,
}

/// Runs the comparison; what it prints is for people, or JSON.
pub(crate) fn run(root: &Path, as_json: bool) -> Result<(), String> {
    install()?;
    let folder = root.join("target").join("bench-ns3");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let peer = compile(root, &folder)?;
    let plimsoll = build(root)?;
    let compared = CASES.iter().map(|case| compare(root, &folder, &plimsoll, &peer, case));
    let compared = compared.collect::<Result<Vec<_>, String>>()?;
    if as_json {
        println!("{:#}", Value::Array(compared.iter().map(Compared::to_json).collect()));
    } else {
        print!("{}", table(&compared));
    }
    Ok(())
}

/// Progress goes to standard error, so that JSON stays alone.
fn note(what: &str) {
    eprintln!("bench-ns3: {what} …");
}

/// Makes sure that ns-3 and a compiler are there.
fn install() -> Result<(), String> {
    let is_there = || {
        let mut compiler = Command::new("g++");
        compiler.arg("--version");
        Path::new(HEADER).exists() && child::succeeds(compiler)
    };
    if is_there() {
        return Ok(());
    }
    let by_hand = format!("apt-get install --no-install-recommends {}", PACKAGES.join(" "));
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(format!(
            "ns-3 is not installed ({HEADER}), and this is no Debian or Ubuntu, whose packages {} have it",
            PACKAGES.join(", ")
        ));
    }
    let mut id = Command::new("id");
    id.arg("-u");
    if child::read(id)?.trim() != "0" {
        return Err(format!(
            "ns-3 or g++ is not installed, and only root may install it: `sudo {by_hand}`, then again"
        ));
    }
    note(&by_hand);
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends"]).args(PACKAGES);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    child::read(apt).map_err(|error| format!("{error}\n`apt-get update` may help"))?;
    if is_there() { Ok(()) } else { Err(format!("`{by_hand}` succeeded, and still there is no {HEADER}")) }
}

/// Builds ours and gives the path of the program.
fn build(root: &Path) -> Result<PathBuf, String> {
    note("building plimsoll");
    child::read(child::cargo(root, &["build", "--release", "--quiet", "--package", "plimsoll"]))?;
    let metadata = child::read(child::cargo(root, &["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let target = metadata.get("target_directory").and_then(Value::as_str);
    let target = target.ok_or("cargo metadata names no target_directory")?;
    Ok(Path::new(target).join("release").join("plimsoll"))
}

/// Runs a program; gives what it prints and its processor time in seconds, by the shell's own clock.
fn timed(program: &Command) -> Result<(String, f64), String> {
    let mut shell = Command::new("bash");
    shell.args(["-c", "TIMEFORMAT='%U %S'; time \"$0\" \"$@\""]);
    shell.arg(program.get_program()).args(program.get_args());
    if let Some(folder) = program.get_current_dir() {
        shell.current_dir(folder);
    }
    let output = shell.output().map_err(|error| format!("bash could not be started: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{} failed:\n{}", child::describe(program), errors.trim_end()));
    }
    let seconds = cpu_seconds(&errors).ok_or(format!("no processor time in {errors}"))?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), seconds))
}

/// The sum of user and system time, which is the last line.
fn cpu_seconds(errors: &str) -> Option<f64> {
    let (user, system) = errors.trim_end().lines().last()?.split_once(' ')?;
    Some(user.parse::<f64>().ok()? + system.parse::<f64>().ok()?)
}

fn compile(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    note("compiling plimsoll_peer.cc against ns-3");
    let program = folder.join("plimsoll_peer");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-o"]).arg(&program).arg(root.join("xtask/ns3/plimsoll_peer.cc"));
    for module in ["internet", "point-to-point", "traffic-control", "network", "core", "bridge", "stats"] {
        compiler.arg(format!("-lns3-{module}"));
    }
    child::read(compiler)?;
    Ok(program)
}

fn compare(
    root: &Path,
    folder: &Path,
    plimsoll: &Path,
    peer: &Path,
    case: &Case,
) -> Result<Compared, String> {
    let inside = |ending: &str| folder.join(format!("{}{ending}", case.name));
    let in_case = |error: String| format!("{}: {error}", case.name);
    note(&format!("{}: ours", case.name));
    let results = inside("");
    let mut costs = Vec::new();
    for _ in 0..OUR_RUNS {
        let mut ours = Command::new(plimsoll);
        ours.current_dir(root).args([
            "run",
            case.scenario,
            "--threads",
            "1",
            "--no-plots",
            "--json",
            "--out",
        ]);
        let (summary, seconds) = timed(ours.arg(&results))?;
        costs.push(Cost::read(&summary, seconds).map_err(in_case)?);
    }
    costs.sort_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds));
    let ours = costs.get(OUR_RUNS / 2).copied().ok_or("no run of ours")?;
    let mut export = Command::new(plimsoll);
    export.args(["export", "fct"]).arg(&results);
    let flows = read_flows(&child::read(export)?).map_err(in_case)?;

    note(&format!("{}: ns-3, {} flows", case.name, flows.len()));
    let (flow_file, fct_file) = (inside("-flows.txt"), inside("-ns3-fct.txt"));
    let lines: String =
        flows.iter().map(|f| format!("{} {} {} {}\n", f.from, f.to, f.bytes, f.start_ns)).collect();
    fs::write(&flow_file, lines).map_err(|error| format!("{}: {error}", flow_file.display()))?;
    let mut theirs = Command::new(peer);
    theirs.args(case.arguments).arg(format!("--flows={}", flow_file.display()));
    theirs.arg(format!("--results={}", fct_file.display()));
    let (summary, seconds) = timed(&theirs)?;
    let theirs = Cost::read(&summary, seconds).map_err(in_case)?;
    let text = fs::read_to_string(&fct_file).map_err(|error| format!("{}: {error}", fct_file.display()))?;
    let seconds = |ns: &str| ns.parse::<f64>().map(|ns| ns * 1e-9).map_err(|error| format!("{ns}: {error}"));
    let their_times = text.lines().map(seconds).collect::<Result<Vec<f64>, _>>()?;
    let our_times: Vec<f64> = flows.iter().map(|flow| flow.completion_ns as f64 * 1e-9).collect();
    let agreement = Agreement::between(&our_times, &their_times).map_err(in_case)?;
    Ok(Compared { name: case.name, flows: flows.len(), ours, theirs, agreement })
}

/// The flows of `fct.txt` (addresses are 11.x.y.1 for host 256·x + y), by start.
fn read_flows(text: &str) -> Result<Vec<Flow>, String> {
    let read = |line: &str| -> Option<Flow> {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let &[from, to, _, _, bytes, start, completion, _] = columns.as_slice() else { return None };
        let host = |address| u32::from_str_radix(address, 16).ok().map(|address| address >> 8 & 0xFFFF);
        Some(Flow {
            start_ns: start.parse().ok()?,
            from: host(from)?,
            to: host(to)?,
            bytes: bytes.parse().ok()?,
            completion_ns: completion.parse().ok()?,
        })
    };
    let read = |line: &str| read(line).ok_or_else(|| format!("not a line of fct.txt: {line}"));
    let mut flows = text.lines().map(read).collect::<Result<Vec<Flow>, String>>()?;
    flows.sort();
    Ok(flows)
}

impl Compared {
    fn ratio(&self) -> f64 {
        self.theirs.ns_per_hop() / self.ours.ns_per_hop()
    }

    fn to_json(&self) -> Value {
        json!({
            "network": self.name,
            "flows": self.flows,
            "plimsoll": self.ours.to_json(),
            "ns3": self.theirs.to_json(),
            "ratio": self.ratio(),
            "fct_seconds": {
                "plimsoll": self.agreement.ours.to_json(),
                "ns3": self.agreement.theirs.to_json(),
                "median_difference": self.agreement.median_difference,
                "within_a_hundredth": self.agreement.within_a_hundredth,
            },
        })
    }
}

/// The comparison as Markdown: what README shows.
fn table(compared: &[Compared]) -> String {
    let mut text = String::from(
        "| network, simulator | packet-hops | wall time | processor time | per packet-hop | FCT mean | p50 | p99 |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for case in compared {
        let Compared { name, flows, ours, theirs, agreement, .. } = case;
        let row = |label: String, cost: &Cost, spread: &Spread| {
            format!(
                "| {label} | {:.2} M | {:.2} s | {:.2} s | {:.0} ns | {:.1} µs | {:.1} µs | {:.1} µs |\n",
                cost.packet_hops as f64 / 1e6,
                cost.wall_seconds,
                cost.cpu_seconds,
                cost.ns_per_hop(),
                spread.mean * 1e6,
                spread.p50 * 1e6,
                spread.p99 * 1e6
            )
        };
        text.push_str(&row(format!("{name}, {flows} flows: Plimsoll, one thread"), ours, &agreement.ours));
        text.push_str(&row(format!("{name}: ns-3"), theirs, &agreement.theirs));
        let away = |ours: f64, theirs: f64| 100.0 * (ours / theirs - 1.0);
        let (a, b) = (agreement.ours, agreement.theirs);
        text.push_str(&format!(
            "| **{name}: ratio, difference** | | | | **{:.0} ×** | {:+.1} % | {:+.1} % | {:+.1} % |\n",
            case.ratio(),
            away(a.mean, b.mean),
            away(a.p50, b.p50),
            away(a.p99, b.p99)
        ));
    }
    text.push('\n');
    for case in compared {
        text.push_str(&format!(
            "{}: flow by flow the median difference is {:.2} %; {:.0} % of the flows differ by less than 1 %.\n",
            case.name,
            100.0 * case.agreement.median_difference,
            100.0 * case.agreement.within_a_hundredth
        ));
    }
    format!("{text}\n{DIFFERENCES}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_read_with_their_hosts_and_ordered_by_start() {
        let text = "0b000301 0b010001 10000 100 1423 2000 900 800\n0b000001 0b000101 10000 100 7 10 20 15\n";
        let flows = read_flows(text).unwrap();
        assert_eq!(flows[0], Flow { start_ns: 10, from: 0, to: 1, bytes: 7, completion_ns: 20 });
        // 11.0.3.1 is host 3, 11.1.0.1 host 256.
        assert_eq!(flows[1], Flow { start_ns: 2000, from: 3, to: 256, bytes: 1423, completion_ns: 900 });
        assert!(read_flows("1 2 3").unwrap_err().contains("1 2 3"));
    }

    #[test]
    fn a_run_with_unfinished_flows_is_no_comparison() {
        let text = r#"{"packet_hops": 500, "wall_seconds": 0.001, "flows": 3, "completed": 3}"#;
        let cost = Cost::read(text, 1e-3).unwrap();
        // 1 ms over 500 hops.
        assert!((cost.ns_per_hop() - 2_000.0).abs() < 1e-9);
        let unfinished = text.replace("\"completed\": 3", "\"completed\": 2");
        assert_eq!(Cost::read(&unfinished, 1.0).unwrap_err(), "2 of 3 flows completed");
        assert!(Cost::read("{}", 1.0).is_err());
    }

    #[test]
    fn processor_time_is_that_of_the_program_and_of_the_system_for_it() {
        assert_eq!(cpu_seconds("a warning\n1.250 0.500\n"), Some(1.75));
        assert_eq!(cpu_seconds("bash: no such file"), None);
        assert_eq!(cpu_seconds(""), None);
    }

    #[test]
    fn the_ratio_is_of_times_per_packet_hop() {
        let agreement = Agreement::between(&[1e-3], &[2e-3]).unwrap();
        let compared = Compared {
            name: "x",
            flows: 1,
            ours: Cost { packet_hops: 1_000, wall_seconds: 5.0, cpu_seconds: 1e-4 },
            theirs: Cost { packet_hops: 2_000, wall_seconds: 5.0, cpu_seconds: 2e-2 },
            agreement,
        };
        // 10 µs against 100 ns a hop; 1 ms is half of 2 ms.
        assert!((compared.ratio() - 100.0).abs() < 1e-9);
        let table = table(&[compared]);
        assert!(table.contains("**100 ×** | -50.0 %"), "{table}");
    }
}
