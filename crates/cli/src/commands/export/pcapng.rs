//! `plimsoll export pcapng DIR`.

use crate::error::{Error, Verdict};
use crate::packets::{self, During};
use crate::{results, scenario_file, watched};
use clap::Args;
use plimsoll_metrics::files::Results;
use plimsoll_metrics::{Discard, Summary};
use plimsoll_scenario::select::Ports;
use plimsoll_scenario::{Overrides, Record, Scenario};
use plimsoll_units::Span;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Packets in Wireshark's format: Ethernet, IPv4, UDP, telemetry and the transport's header.
///
/// What `[record] packets` asked for was captured during the run and is copied. Otherwise the run is repeated
/// from its run.toml, which gives the same packets to the picosecond (the trace hash is compared), and what
/// crosses the ports is captured. Each port is an interface; a packet's time is that at which its last bit
/// left the port. Payloads are zeros and left out.
///
/// `docs/plimsoll.lua` teaches tshark and Wireshark the transport's fields and the telemetry.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll export pcapng results/incast16-hpcc-1 --out incast.pcapng\n  \
    plimsoll export pcapng results/incast16-hpcc-1 --ports 's0>h16' --stop 100us --out incast.pcapng\n  \
    plimsoll export pcapng results/incast16-hpcc-1 | tshark -X lua_script:docs/plimsoll.lua -r - -c 20")]
pub(super) struct Pcapng {
    /// The folder of results.
    dir: PathBuf,
    /// The file to write instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Ports to capture, as in `[record] packets`: `s0>h3` (s0 sends to h3), `leaf>spine`, `all` (of
    /// switches), `hosts` (those that lead to hosts) [default: what the scenario says, or else hosts].
    #[arg(long, value_name = "PORT", value_delimiter = ',')]
    ports: Vec<String>,
    /// Capture from this time on.
    #[arg(long, value_name = "TIME")]
    start: Option<Span>,
    /// Capture up to this time.
    #[arg(long, value_name = "TIME")]
    stop: Option<Span>,
    /// Threads to repeat the run on; the packets are the same with any number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// A file that is gone when nobody needs it any more.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It has its final name by now, or was left half written.
        let _ = fs::remove_file(&self.0);
    }
}

impl Pcapng {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        if self.out.is_none() && io::stdout().is_terminal() {
            let why = "packets are not for the screen: say `--out FILE`, or pipe them to `tshark -r -`";
            return Err(Error::Refused(why.to_owned()));
        }
        watched::listen();
        let results = Results::open(&self.dir).map_err(results::problem(&self.dir))?;
        let recorded = self.dir.join(packets::FILE);
        let asks = !self.ports.is_empty() || self.start.is_some() || self.stop.is_some();
        let part = self.part();
        if let Some(folder) = part.0.parent() {
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        if asks || !recorded.is_file() {
            eprintln!("the run is repeated: it recorded no packets, or others ([record] packets)");
        }
        let verdict = if !asks && recorded.is_file() {
            fs::copy(&recorded, &part.0).map_err(Error::file(&recorded))?;
            Verdict::Good
        } else {
            self.repeat(&results, &part.0)?
        };
        self.hand_out(&part.0, out)?;
        Ok(verdict)
    }

    /// Where packets lie until all are there: beside the goal, so that they can be moved, or where
    /// temporary files are.
    fn part(&self) -> Temporary {
        let goal = self.out.clone().unwrap_or_else(|| std::env::temp_dir().join("plimsoll.pcapng"));
        let mut name = goal.into_os_string();
        name.push(format!(".{}.part", std::process::id()));
        Temporary(PathBuf::from(name))
    }

    fn repeat(&self, results: &Results, part: &Path) -> Result<Verdict, Error> {
        let text = results.run().map_err(results::problem(&self.dir))?;
        let scenario = scenario_file::parse(&self.dir.join("run.toml"), &text, &Overrides::default())?;
        let during = During {
            start: self.start.unwrap_or(scenario.record.start),
            stop: self.stop.or(scenario.record.stop),
        };
        let tap = packets::tap(&scenario, &self.chosen(&scenario), during, part)?;
        let tap = tap.ok_or_else(|| Error::Refused("`--ports none` leaves nothing to capture".to_owned()))?;
        // Series were recorded the first time.
        let bare = Scenario { record: Record::nothing(), ..scenario };
        let threads = usize::from(self.threads);
        let run = watched::run(&bare, threads, &bare.name, &mut Discard, Some(tap))?;
        if run.summary.partial {
            return Ok(Verdict::Interrupted);
        }
        compare(results.summary(), &run.summary, &self.dir)?;
        Ok(Verdict::Good)
    }

    /// The ports to capture: those that were named, those of the scenario, or those that lead to hosts, where
    /// each packet is seen once, with all that switches wrote on it.
    fn chosen(&self, scenario: &Scenario) -> Ports {
        if !self.ports.is_empty() {
            Ports(self.ports.clone())
        } else if scenario.record.packets != Ports::none() {
            scenario.record.packets.clone()
        } else {
            Ports(vec!["hosts".to_owned()])
        }
    }

    fn hand_out(&self, from: &Path, out: &mut dyn Write) -> Result<(), Error> {
        match &self.out {
            Some(path) => {
                fs::rename(from, path).map_err(Error::file(path))?;
                writeln!(out, "packets: {}", path.display())?;
                Ok(())
            }
            None => {
                let mut file = fs::File::open(from).map_err(Error::file(from))?;
                io::copy(&mut file, out)?;
                Ok(())
            }
        }
    }
}

/// Whether the repeated run is the one in the folder. One that was stopped early cannot be compared.
fn compare(before: &Summary, now: &Summary, dir: &Path) -> Result<(), Error> {
    if before.partial || before.trace_hash == now.trace_hash {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{}: the trace hash of the results is {}, repeating their run.toml gives {}: they are of another version of \
         plimsoll, or run.toml was changed; run the scenario again",
        dir.display(),
        before.trace_hash,
        now.trace_hash
    )))
}
