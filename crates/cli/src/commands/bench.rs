//! `plimsoll bench`.

use super::near;
use crate::bench::{self, Bare, CASES, Case, Measured, PANELS, Panel, Point};
use crate::error::{Error, Verdict};
use crate::progress::Progress;
use crate::{files, human, watched};
use clap::Args;
use plimsoll_units::Bytes;
use serde_json::json;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Measure the simulator on fixed scenarios, beside a bare loop in the same minute.
///
/// HPCC with its telemetry, nothing recorded but flows. Each run is a process of its own; of several runs the
/// fastest counts. The bare loop forwards packets on a 320-host fat-tree without law, telemetry or records: what
/// is lost to a busy machine is lost to both, so that the ratio can be compared between machines.
///
/// Columns: ns per packet-hop on one thread (on Linux: time on the processor, without what other processes take)
/// and in real time on N (`-` if the network is one rack, which cannot be cut); the bare loop's, and ours over it; seconds from reading the
/// scenario to the first event; the most memory; what start-up adds per host, and what the run adds per flow when
/// most are under way. Memory is known on Linux only.
#[derive(Args)]
#[command(after_help = "Names (the first five if none is given):\n  \
    incast16        16:1 staggered incast on one switch\n  \
    fattree320      320 hosts, Hadoop at 50 %, 1 ms of arrivals: 22 million packet-hops\n  \
    fattree320-5ms  the same, 5 ms: 106 million\n  \
    fattree1024     1024 hosts, Hadoop at 50 %\n  \
    fattree8192     8192 hosts, Hadoop at 50 %\n  \
    powertcp256     PowerTCP's 256 hosts, web search at 60 %, 1 s of arrivals: 1.3 billion packet-hops, minutes\n  \
    growth          how cost grows with hosts, load and flows: three pictures\n  \
    powertcp-growth the same of PowerTCP's cluster, from 64 to 1024 hosts and from 0.1 to 1 s: minutes\n\n\
    Examples:\n  \
    plimsoll bench\n  \
    plimsoll bench fattree320 --repeat 5\n  \
    plimsoll bench fattree1024 --threads 4 --json | jq '.cases[] | [.name, .speed_up]'\n  \
    plimsoll bench powertcp256 --repeat 1\n  \
    plimsoll bench growth --out results/growth")]
pub(crate) struct Bench {
    /// What to run.
    names: Vec<String>,
    /// Threads to compare with one [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How often each is run; the fastest counts.
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// The folder for the pictures of `growth` and `powertcp-growth`.
    #[arg(long, value_name = "DIR", default_value = "results/bench")]
    out: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Packet-hops of the bare loop.
    #[arg(long, value_name = "N", default_value_t = 10_000_000, hide = true)]
    hops: u64,
    /// Measure this once, in this process; `-` reads a scenario from standard input.
    #[arg(long, value_name = "NAME", hide = true)]
    measure: Option<String>,
}

/// A panel and its points.
type Curve = (&'static Panel, Vec<Point>);

/// The fastest of several runs of a case.
struct Best {
    case: &'static Case,
    bare: Bare,
    one: Measured,
    many: Option<Measured>,
}

impl Bench {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        if let Some(name) = &self.measure {
            return self.measure(name, out);
        }
        let mut cases = Vec::new();
        let mut panels: Vec<&'static Panel> = Vec::new();
        for name in &self.names {
            match CASES.iter().find(|case| case.name == name) {
                Some(case) => cases.push(case),
                None if PANELS.iter().any(|panel| panel.group == name) => {
                    panels.extend(PANELS.iter().filter(|panel| panel.group == name));
                }
                None => {
                    let groups = PANELS.iter().map(|panel| panel.group);
                    let known = CASES.iter().map(|case| case.name).chain(groups);
                    let near = near(name, known);
                    return Err(Error::Unknown {
                        what: "benchmark",
                        name: name.clone(),
                        near,
                        all: "plimsoll bench --help",
                    });
                }
            }
        }
        if self.names.is_empty() {
            cases = CASES.iter().filter(|case| !case.long).collect();
        }
        watched::listen();
        let points: usize = panels.iter().map(|panel| panel.values.len()).sum();
        let progress = Progress::new((cases.len() + points) * usize::from(self.repeat));
        let results =
            cases.into_iter().map(|case| self.case(case, &progress)).collect::<Result<Vec<_>, _>>()?;
        let curves =
            panels.into_iter().map(|panel| self.panel(panel, &progress)).collect::<Result<Vec<_>, _>>()?;
        drop(progress);
        for (panel, points) in &curves {
            self.draw(panel, points)?;
        }
        if self.json {
            write_json(out, &results, &curves)?;
        } else {
            if !results.is_empty() {
                write!(out, "{}", table(&results, self.threads()))?;
            }
            if !curves.is_empty() {
                write!(out, "{}", growth_table(&curves))?;
                writeln!(out, "Pictures (.svg and .png): {}", self.out.join("growth-*").display())?;
            }
        }
        Ok(Verdict::Good)
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }

    /// What a child process does.
    fn measure(&self, name: &str, out: &mut dyn Write) -> Result<Verdict, Error> {
        if name == "bare" {
            serde_json::to_writer(&mut *out, &Bare::measure(self.hops))?;
            return Ok(Verdict::Good);
        }
        let measured = match CASES.iter().find(|case| case.name == name) {
            Some(case) => Measured::of(|| case.scenario(), self.threads())?,
            None => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).map_err(Error::file("-"))?;
                Measured::of_text(name, &text, self.threads())?
            }
        };
        serde_json::to_writer(&mut *out, &measured)?;
        Ok(Verdict::Good)
    }

    /// Bare loop, one thread and many, one after the other and again, so that all see the same minutes.
    fn case(&self, case: &'static Case, progress: &Progress) -> Result<Best, Error> {
        let threads = self.threads();
        let mut best: Option<Best> = None;
        for _ in 0..self.repeat {
            progress.begin(case.name);
            let bare = bench::bare(self.hops)?;
            let one = bench::engine(case.name, None, 1)?;
            let many = if threads > 1 { Some(bench::engine(case.name, None, threads)?) } else { None };
            if many.as_ref().is_some_and(|many| many.trace_hash != one.trace_hash) {
                let message =
                    "one thread and many do not give the same run: this is a bug of ours, please report it";
                return Err(Error::Refused(format!("{}: {message}", case.name)));
            }
            // A network of one rack cannot be cut: there is nothing to compare.
            let many = many.filter(|many| many.threads > 1);
            progress.end();
            match &mut best {
                None => best = Some(Best { case, bare, one, many }),
                Some(best) => {
                    if bare.seconds < best.bare.seconds {
                        best.bare = bare;
                    }
                    best.one.keep_better(one);
                    if let (Some(best), Some(many)) = (&mut best.many, many) {
                        best.keep_better(many);
                    }
                }
            }
            if watched::interrupted() {
                break;
            }
        }
        best.ok_or_else(|| Error::Refused(format!("{} was not run", case.name)))
    }

    /// Each point of a panel; of several runs the fastest counts.
    fn panel(&self, panel: &'static Panel, progress: &Progress) -> Result<Curve, Error> {
        let mut points = Vec::new();
        for value in panel.values {
            let text = panel.scenario(*value);
            let mut best: Option<Point> = None;
            for _ in 0..self.repeat {
                progress.begin(&format!("{} {value}", panel.name));
                let bare = bench::bare(self.hops)?.ns_per_packet_hop();
                let run = bench::engine("-", Some(&text), 1)?;
                let known = best.unwrap_or(Point {
                    value: *value,
                    ours: f64::INFINITY,
                    bare: f64::INFINITY,
                    packet_hops: run.packet_hops,
                    seconds: f64::INFINITY,
                    peak_bytes: run.peak_bytes,
                });
                best = Some(Point {
                    ours: known.ours.min(run.ns_per_packet_hop()),
                    bare: known.bare.min(bare),
                    seconds: known.seconds.min(run.seconds),
                    ..known
                });
                progress.end();
                if watched::interrupted() {
                    break;
                }
            }
            points.extend(best);
        }
        Ok((panel, points))
    }

    fn draw(&self, panel: &Panel, points: &[Point]) -> Result<(), Error> {
        let chart = bench::chart(panel, points);
        let path = self.out.join(format!("growth-{}.svg", panel.name));
        files::write(&path, chart.svg().as_bytes())?;
        let path = path.with_extension("png");
        let bytes = chart.png().map_err(|error| Error::Refused(format!("{}: {error}", path.display())))?;
        files::write(&path, &bytes)
    }
}

impl Best {
    fn ratio(&self) -> f64 {
        self.one.ns_per_packet_hop() / self.bare.ns_per_packet_hop()
    }

    fn speed_up(&self) -> Option<f64> {
        self.many.as_ref().map(|many| self.one.seconds / many.seconds)
    }
}

fn table(results: &[Best], threads: usize) -> String {
    let many = format!("{threads} threads");
    let head = [
        "",
        "packet-hops",
        "ns/hop",
        "hops/s",
        "bare",
        "ratio",
        &many,
        "speed-up",
        "start-up",
        "peak",
        "B/host",
        "B/flow",
        "others, ns/hop*",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    let bytes =
        |bytes: Option<f64>| bytes.map_or("-".to_owned(), |bytes| human::bytes(Bytes::new(bytes as u64)));
    for result in results {
        let Best { case, bare, one, many } = result;
        lines.push([
            case.name.to_owned(),
            human::count(one.packet_hops),
            format!("{:.0}", one.ns_per_packet_hop()),
            human::count((one.packet_hops as f64 / one.seconds.max(1e-9)) as u64),
            format!("{:.0}", bare.ns_per_packet_hop()),
            format!("{:.2}", result.ratio()),
            many.as_ref().map_or("-".to_owned(), |many| format!("{:.0}", many.ns_per_packet_hop())),
            result.speed_up().map_or("-".to_owned(), |speed_up| format!("{speed_up:.2}")),
            human::seconds(one.startup_seconds),
            bytes(one.peak_bytes.map(|bytes| bytes as f64)),
            bytes(one.bytes_per_host),
            bytes(one.bytes_per_flow),
            case.peers.to_owned(),
        ]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = format!("{:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            row.push_str(&format!("  {cell:>width$}"));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text.push_str(
        "\n* Measured elsewhere, on a quiet 2-core machine: the HPCC authors' ns-3 on the same flows. There too:\n  \
         csg-htsim 240-2,150 ns, Debian's ns-3.37 with DCTCP about 13,000 ns, a bare loop 61-72 ns.\n",
    );
    text
}

fn growth_table(curves: &[Curve]) -> String {
    let mut text = String::new();
    for (panel, points) in curves {
        text.push_str(&format!("{:>14}  ns/hop  bare  packet-hops  seconds     peak\n", panel.name));
        for Point { value, ours, bare, packet_hops, seconds, peak_bytes } in points {
            let hops = human::count(*packet_hops);
            let peak = peak_bytes.map_or("-".to_owned(), |bytes| human::bytes(Bytes::new(bytes)));
            text.push_str(&format!(
                "{value:>14}  {ours:>6.0}  {bare:>4.0}  {hops:>11}  {seconds:>7.1}  {peak:>7}\n"
            ));
        }
        if let Some(spread) = spread(points) {
            text.push_str(&format!("{:>14}  largest over smallest: {spread:.2}\n\n", ""));
        }
    }
    text
}

/// The dearest point over the cheapest.
fn spread(points: &[Point]) -> Option<f64> {
    let costs = || points.iter().map(|point| point.ours);
    let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    (least > 0.0 && most > 0.0).then(|| most / least)
}

fn write_json(out: &mut dyn Write, results: &[Best], curves: &[Curve]) -> Result<(), Error> {
    let cases: Vec<_> = results
        .iter()
        .map(|result| {
            json!({
                "name": result.case.name,
                "about": result.case.about,
                "ns_per_packet_hop": result.one.ns_per_packet_hop(),
                "bare_ns_per_packet_hop": result.bare.ns_per_packet_hop(),
                "ratio": result.ratio(),
                "speed_up": result.speed_up(),
                "one_thread": result.one,
                "many_threads": result.many,
                "measured_elsewhere": result.case.peers,
            })
        })
        .collect();
    let growth: serde_json::Map<String, serde_json::Value> = curves
        .iter()
        .map(|(panel, points)| {
            let point = |point: &Point| {
                json!({
                    "value": point.value, "ns_per_packet_hop": point.ours, "bare_ns_per_packet_hop": point.bare,
                    "packet_hops": point.packet_hops, "seconds": point.seconds, "peak_bytes": point.peak_bytes,
                })
            };
            (panel.name.to_owned(), json!(points.iter().map(point).collect::<Vec<_>>()))
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &json!({ "cases": cases, "growth": growth }))?;
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_dearest_point_over_the_cheapest() {
        let point =
            |ours| Point { value: 64.0, ours, bare: 70.0, packet_hops: 1, seconds: 1.0, peak_bytes: None };
        assert_eq!(spread(&[100.0, 150.0, 120.0].map(point)), Some(1.5));
        assert_eq!(spread(&[]), None);
    }
}
