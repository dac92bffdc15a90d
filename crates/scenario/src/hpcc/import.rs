//! Files of HPCC's simulator as a scenario.

use super::config::{Config, CongestionMode};
use super::lines::FileError;
use super::{flows, topology};
use crate::table::quoted;
use crate::topology::Nodes;
use plimsoll_cc::red;
use plimsoll_units::{Bytes, Rate, Span};
use std::fmt::Write;

/// What is imported: the text of each file, and how the scenario shall call it.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// Path and text of the topology.
    pub topology: (&'a str, &'a str),
    /// Path and text of the flows.
    pub flows: (&'a str, &'a str),
    /// Path and text of the configuration; without one it is HPCC as published.
    pub config: Option<(&'a str, &'a str)>,
}

/// A scenario that does what the files say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The scenario's text. It names the topology's and the flows' paths.
    pub text: String,
    /// What of the configuration it does not do.
    pub notes: Vec<String>,
}

/// What is wrong with which file. Prints as `file:line: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file's path.
    pub file: String,
    /// What is wrong with it.
    pub error: FileError,
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.error)
    }
}

impl std::error::Error for ImportError {}

/// Turns files of HPCC's simulator into a scenario.
///
/// # Errors
/// Names the file, the line and what should be there.
pub fn import(files: &Files<'_>) -> Result<Import, ImportError> {
    let at = |file: &str| {
        let file = file.to_owned();
        move |error| ImportError { file, error }
    };
    let graph = topology(files.topology.1).map_err(at(files.topology.0))?;
    let flows = flows(files.flows.1).map_err(at(files.flows.0))?;
    let (name, text) = files.config.unwrap_or(("", ""));
    let config = Config::parse(text).map_err(at(name))?;
    let earliest = flows.iter().map(|flow| flow.start.as_secs_f64()).fold(f64::INFINITY, f64::min);
    let origin = if earliest.is_finite() { earliest as u64 } else { 0 };
    let mut writer = Writer { config: &config, hosts: &graph.hosts, text: String::new(), notes: Vec::new() };
    writer.scenario(files, origin).map_err(at(name))?;
    writer.note_the_rest();
    Ok(Import { text: writer.text, notes: writer.notes })
}

/// Keys that say what is written down, or that matter only with others that are off. `TRACE_FILE`, which names nodes
/// whose packets are wanted, is told apart.
const WITHOUT_EFFECT: &[&str] = &[
    "ENABLE_TRACE",
    "TRACE_FILE",
    "TRACE_OUTPUT_FILE",
    "FCT_OUTPUT_FILE",
    "PFC_OUTPUT_FILE",
    "QLEN_MON_FILE",
    "QLEN_MON_START",
    "QLEN_MON_END",
    "TOPOLOGY_FILE",
    "FLOW_FILE",
    "PINT_LOG_BASE",
    "PINT_PROB",
    "L2_CHUNK_SIZE",
];
/// Keys with the one value that is meant here.
const ASSUMED: &[(&str, f64, &str)] = &[
    ("GLOBAL_T", 1.0, "each pair's own base round trip time"),
    ("MULTI_RATE", 0.0, "a rate per hop"),
    ("SAMPLE_FEEDBACK", 0.0, "telemetry on some packets only"),
    ("RATE_BOUND", 1.0, "packets sent without pacing"),
    ("L2_BACK_TO_ZERO", 0.0, "repeating a flow from its beginning"),
    ("L2_ACK_INTERVAL", 1.0, "fewer acks than packets"),
    ("ENABLE_QCN", 1.0, "no congestion control"),
    ("USE_DYNAMIC_PFC_THRESHOLD", 1.0, "fixed thresholds of PFC"),
];
/// Keys that become something.
const TRANSLATED: &[&str] = &[
    "CC_MODE",
    "PACKET_PAYLOAD_SIZE",
    "SIMULATOR_STOP_TIME",
    "ALPHA_RESUME_INTERVAL",
    "RATE_DECREASE_INTERVAL",
    "CLAMP_TARGET_RATE",
    "RP_TIMER",
    "EWMA_GAIN",
    "FAST_RECOVERY_TIMES",
    "RATE_AI",
    "RATE_HAI",
    "MIN_RATE",
    "DCTCP_RATE_AI",
    "ERROR_RATE_PER_LINK",
    "HAS_WIN",
    "VAR_WIN",
    "FAST_REACT",
    "U_TARGET",
    "MI_THRESH",
    "INT_MULTI",
    "ACK_HIGH_PRIO",
    "LINK_DOWN",
    "KMAX_MAP",
    "KMIN_MAP",
    "PMAX_MAP",
    "BUFFER_SIZE",
];

struct Writer<'c> {
    config: &'c Config,
    hosts: &'c Nodes,
    text: String,
    notes: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn scenario(&mut self, files: &Files<'_>, origin: u64) -> Result<(), FileError> {
        let mode = self.config.mode()?;
        self.line(format!("name = {}", quoted(stem(files.flows.0))));
        self.line(format!("description = {}", quoted(&format!("{mode:?} on {}", files.topology.0))));
        if let Some(stop) = self.config.get::<f64>("SIMULATOR_STOP_TIME", "a time in seconds")? {
            let lasts = Span::saturating_from_secs_f64(stop - origin as f64);
            // The difference of two doubles, back to the nanosecond that was meant.
            let lasts = Span::from_ns((lasts.as_ps() + 500) / 1_000);
            if lasts > Span::ZERO {
                self.line(format!("duration = \"{lasts}\""));
            }
        }
        self.line(format!("\n[topology]\nkind = \"hpcc-file\"\nfile = {}", quoted(files.topology.0)));
        self.host_and_transport(mode)?;
        self.switch(mode)?;
        self.law(mode)?;
        self.line(format!(
            "\n[[traffic]]\nkind = \"trace\"\nflows = {}\norigin = \"{origin}s\"",
            quoted(files.flows.0)
        ));
        self.faults()
    }

    fn host_and_transport(&mut self, mode: CongestionMode) -> Result<(), FileError> {
        let payload = self.config.get::<u32>("PACKET_PAYLOAD_SIZE", "a number of bytes")?.unwrap_or(1_000);
        // 14 + 20 + 8 + 6 B; TIMELY's packets carry a timestamp of 8 B as well.
        let headers = if mode == CongestionMode::Timely { 56 } else { 48 };
        self.line(format!("\n[host]\nmtu = \"{}B\"\nmss = \"{payload}B\"", payload.saturating_add(headers)));
        if self.acks_first()? {
            self.line("ack_class = 1");
        }
        self.line("\n[transport]\npreset = \"rdma\"\ntick = \"1ns\"      # ns-3's clock");
        if mode != CongestionMode::Hpcc {
            self.line("pending_slot = \"keep\"");
        }
        if mode == CongestionMode::Dcqcn {
            self.line("ecn = \"cnp\"\ncnp_interval = \"0ps\"      # the ack of each marked packet says so");
        }
        Ok(())
    }

    fn acks_first(&self) -> Result<bool, FileError> {
        Ok(self.config.on("ACK_HIGH_PRIO")?.unwrap_or(false))
    }

    fn switch(&mut self, mode: CongestionMode) -> Result<(), FileError> {
        self.line("\n[switch]");
        let marks = matches!(mode, CongestionMode::Dcqcn | CongestionMode::Dctcp);
        if !marks {
            self.line("ecn = \"none\"");
        }
        if mode == CongestionMode::Hpcc
            && let Some(multiple) = self.config.get::<u32>("INT_MULTI", "a whole number")?
        {
            self.line(format!("int_multiple = {multiple}"));
        }
        if let Some(mebibytes) = self.config.get::<u32>("BUFFER_SIZE", "a size in MiB")? {
            self.line(format!("\n[switch.buffer]\nsize = \"{}B\"", u64::from(mebibytes) << 20));
        }
        if marks {
            self.thresholds(mode)?;
        }
        if self.acks_first()? {
            self.line(
                "\n[[switch.class]]      # data\n\n[[switch.class]]      # acks\npriority = 7\nmarks = false",
            );
        }
        Ok(())
    }

    /// Thresholds per rate: a rule if they follow one, else a fixed pair.
    fn thresholds(&mut self, mode: CongestionMode) -> Result<(), FileError> {
        let maps = (self.config.map("KMIN_MAP")?, self.config.map("KMAX_MAP")?, self.config.map("PMAX_MAP")?);
        let (Some(kmin), Some(kmax), Some(pmax)) = maps else { return Ok(()) };
        let (rule, word) = match mode {
            CongestionMode::Dctcp => (red::Rule::Dctcp, "dctcp"),
            _ => (red::Rule::Dcqcn, "dcqcn"),
        };
        let params = red::Params { rule, kmin: None, kmax: None, pmax: None };
        let follows = |rate: Rate, low: f64, high: f64, most: f64| {
            let Ok(by_rule) = red::Red::new(&params, rate) else { return false };
            let given = red::Params {
                rule,
                kmin: Some(kilobytes(low)),
                kmax: Some(kilobytes(high)),
                pmax: Some(most),
            };
            red::Red::new(&given, rate).is_ok_and(|given| given == by_rule)
        };
        let alike = kmin.len() == kmax.len() && kmax.len() == pmax.len();
        let mut rows =
            kmin.iter().zip(&kmax).zip(&pmax).map(|((low, high), most)| (low.0, low.1, high.1, most.1));
        if alike && rows.clone().all(|(rate, low, high, most)| follows(rate, low, high, most)) {
            self.line(format!("\n[switch.red]\nrule = \"{word}\""));
        } else if let Some((rate, low, high, most)) = rows.next() {
            self.line(format!(
                "\n[switch.red]\nrule = \"{word}\"\nkmin = \"{}\"\nkmax = \"{}\"\npmax = {most:?}",
                kilobytes(low),
                kilobytes(high)
            ));
            if rows.next().is_some() {
                self.notes.push(format!(
                    "KMIN_MAP, KMAX_MAP, PMAX_MAP: the values for \"{rate}\" are used on all links"
                ));
            }
        }
        Ok(())
    }

    fn law(&mut self, mode: CongestionMode) -> Result<(), FileError> {
        let config = self.config;
        let rate = |key: &str, ours: &str| -> Result<Option<String>, FileError> {
            Ok(config.get::<Rate>(key, "a rate such as 50Mb/s")?.map(|rate| format!("{ours} = \"{rate}\"")))
        };
        let micros = |key: &str, ours: &str| -> Result<Option<String>, FileError> {
            Ok(config
                .get::<f64>(key, "a time in us")?
                .map(|us| format!("{ours} = \"{}\"", Span::saturating_from_secs_f64(us / 1e6))))
        };
        let number = |key: &str, ours: &str| -> Result<Option<String>, FileError> {
            Ok(config.get::<f64>(key, "a number")?.map(|number| format!("{ours} = {number:?}")))
        };
        let count = |key: &str, ours: &str| -> Result<Option<String>, FileError> {
            Ok(config.get::<u32>(key, "a whole number")?.map(|number| format!("{ours} = {number}")))
        };
        let window = if config.on("HAS_WIN")?.unwrap_or(false) { "rate" } else { "none" };
        let lines = match mode {
            CongestionMode::Hpcc => vec![
                Some("law = \"hpcc:artifact\"".to_owned()),
                number("U_TARGET", "eta")?,
                count("MI_THRESH", "max_stage")?,
                rate("RATE_AI", "r_ai")?,
                rate("MIN_RATE", "min_rate")?,
            ],
            CongestionMode::Dctcp => vec![
                Some("law = \"dctcp:hpcc-sim\"".to_owned()),
                number("EWMA_GAIN", "gain")?,
                rate("DCTCP_RATE_AI", "rate_increase")?,
                rate("MIN_RATE", "min_rate")?,
            ],
            CongestionMode::Dcqcn => vec![
                Some("law = \"dcqcn:hpcc-artifact\"".to_owned()),
                micros("ALPHA_RESUME_INTERVAL", "alpha_period")?,
                micros("RATE_DECREASE_INTERVAL", "decrease_period")?,
                micros("RP_TIMER", "increase_period")?,
                number("EWMA_GAIN", "gain")?,
                count("FAST_RECOVERY_TIMES", "fast_recovery")?,
                rate("RATE_AI", "ai_rate")?,
                rate("RATE_HAI", "hai_rate")?,
                rate("MIN_RATE", "min_rate")?,
                config.on("CLAMP_TARGET_RATE")?.map(|on| format!("clamp_target = {on}")),
                Some(format!("window = \"{window}\"")),
            ],
            CongestionMode::Timely => vec![
                Some("law = \"timely:hpcc-artifact\"".to_owned()),
                rate("RATE_AI", "delta")?,
                rate("RATE_HAI", "hai_step")?,
                rate("MIN_RATE", "min_rate")?,
                Some(format!("window = \"{window}\"")),
            ],
        };
        self.line("\n[cc]");
        lines.into_iter().flatten().for_each(|line| self.line(line));
        Ok(())
    }

    fn faults(&mut self) -> Result<(), FileError> {
        if let Some(probability) = self.config.get::<f64>("ERROR_RATE_PER_LINK", "a probability")?
            && probability > 0.0
        {
            self.line(format!(
                "\n[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = {probability:?}"
            ));
        }
        let Some((line, words)) = self.config.words("LINK_DOWN") else { return Ok(()) };
        let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let [at, a, b] = numbers[..] else {
            return Err(FileError {
                line,
                message: "`LINK_DOWN` should be a time in us and two nodes".to_owned(),
            });
        };
        if at > 0 {
            let (a, b) = (self.node(a), self.node(b));
            self.line(format!("\n[[fault]]\nkind = \"link-down\"\nlinks = \"{a}:{b}\"\nstart = \"{at}us\""));
        }
        Ok(())
    }

    /// The name of the node with this number.
    fn node(&self, number: u64) -> String {
        let host = format!("h{number}");
        match self.hosts {
            Nodes::Named(hosts) if hosts.contains(&host) => host,
            _ => format!("s{number}"),
        }
    }

    /// Names what has been left out.
    fn note_the_rest(&mut self) {
        // Packets of these nodes are written unless tracing is switched off.
        if let (Some((_, words)), Ok(None | Some(true))) =
            (self.config.words("TRACE_FILE"), self.config.on("ENABLE_TRACE"))
        {
            self.notes.push(format!(
                "TRACE_FILE {}: packets of the nodes that it lists are not captured; name their ports in \
                 `[record] packets`, such as \"s20>s30\"",
                words.join(" ")
            ));
        }
        for key in self.config.keys() {
            if let Some((_, assumed, otherwise)) = ASSUMED.iter().find(|(name, ..)| *name == key) {
                let given = self.config.get::<f64>(key, "a number");
                if given != Ok(Some(*assumed)) {
                    let words = self.config.words(key).map_or(String::new(), |(_, words)| words.join(" "));
                    self.notes.push(format!("{key} {words}: {otherwise} is not done"));
                }
            } else if !TRANSLATED.contains(&key) && !WITHOUT_EFFECT.contains(&key) {
                self.notes.push(format!("{key} is not known"));
            }
        }
        let mut comment = String::new();
        for note in &self.notes {
            let _ = writeln!(comment, "# Not kept: {note}");
        }
        self.text.insert_str(0, &comment);
    }
}

/// KB are 1000 B in these files.
fn kilobytes(value: f64) -> Bytes {
    Bytes::saturating_from_f64(value * 1_000.0)
}

/// A path's last part without its ending.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
