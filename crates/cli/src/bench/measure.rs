//! One case, measured in this process.

use super::{cases, process};
use crate::error::Error;
use plimsoll_metrics::MessageRecord;
use plimsoll_scenario::Scenario;
use plimsoll_sim::bare::{BareLoop, HOSTS, LARGEST_WINDOW};
use plimsoll_sim::{Control, Options, Phase, PhaseHook, simulate};
use plimsoll_units::Time;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a run of the engine cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) threads: usize,
    pub(crate) hosts: u32,
    pub(crate) flows: u64,
    pub(crate) packet_hops: u64,
    /// Real time of the events alone.
    pub(crate) seconds: f64,
    /// Time on the processor, if there is one thread and the system tells.
    pub(crate) processor_seconds: Option<f64>,
    /// From the scenario's text to the first event, counted likewise.
    pub(crate) startup_seconds: f64,
    /// The most memory from start-up to the last event.
    pub(crate) peak_bytes: Option<u64>,
    /// What start-up added, per host.
    pub(crate) bytes_per_host: Option<f64>,
    /// What the run added, per flow when most were under way.
    pub(crate) bytes_per_flow: Option<f64>,
    /// The most flows that were under way at one time.
    pub(crate) most_flows: usize,
    pub(crate) trace_hash: String,
}

impl Measured {
    /// Runs the scenario whose text is given.
    pub(crate) fn of_text(name: &str, text: &str, threads: usize) -> Result<Self, Error> {
        Self::of(|| cases::read(name, text), threads)
    }

    /// Keeps the less of each cost.
    pub(crate) fn keep_better(&mut self, other: Self) {
        self.seconds = self.seconds.min(other.seconds);
        if let (Some(best), Some(other)) = (&mut self.processor_seconds, other.processor_seconds) {
            *best = best.min(other);
        }
        self.startup_seconds = self.startup_seconds.min(other.startup_seconds);
        self.peak_bytes = self.peak_bytes.min(other.peak_bytes);
    }

    /// Reads a scenario and runs it.
    pub(crate) fn of(read: impl FnOnce() -> Result<Scenario, Error>, threads: usize) -> Result<Self, Error> {
        let begin = Moment::now();
        let phases: Arc<Mutex<Vec<Moment>>> = Arc::default();
        let hook = {
            let phases = Arc::clone(&phases);
            move |_: Phase| phases.lock().unwrap_or_else(PoisonError::into_inner).push(Moment::now())
        };
        let control = Control { on_phase: Some(PhaseHook(Box::new(hook))), ..Control::default() };
        let scenario = read()?;
        let run = simulate(&scenario, &Options { threads, seed: None }, &control)
            .map_err(|error| Error::Refused(format!("{}: {error}", scenario.name)))?;
        let phases = phases.lock().unwrap_or_else(PoisonError::into_inner);
        let [ready, ended] = phases[..] else {
            return Err(Error::Refused(format!("{}: the run did not tell when it began", scenario.name)));
        };
        let most_flows = most_at_once(&run.messages, run.outcome.now);
        let more = |after: Option<u64>, before: Option<u64>, count: f64| {
            Some(after?.saturating_sub(before?) as f64 / count.max(1.0))
        };
        // A network that cannot be cut runs on fewer threads than were asked for.
        let threads = run.summary.threads as usize;
        Ok(Self {
            threads,
            hosts: run.network.hosts,
            flows: run.summary.flows,
            packet_hops: run.summary.packet_hops,
            seconds: (ended.at - ready.at).as_secs_f64(),
            processor_seconds: ended.processor_seconds_since(&ready).filter(|_| threads == 1),
            startup_seconds: ready
                .processor_seconds_since(&begin)
                .filter(|_| threads == 1)
                .unwrap_or((ready.at - begin.at).as_secs_f64()),
            peak_bytes: ended.peak,
            bytes_per_host: more(ready.resident, begin.resident, f64::from(run.network.hosts)),
            bytes_per_flow: more(ended.peak, ready.resident, most_flows as f64),
            most_flows,
            trace_hash: run.summary.trace_hash.to_string(),
        })
    }

    /// Of one thread on the processor, of many in real time.
    pub(crate) fn ns_per_packet_hop(&self) -> f64 {
        self.processor_seconds.unwrap_or(self.seconds) * 1e9 / self.packet_hops.max(1) as f64
    }
}

/// What the bare loop cost.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Bare {
    pub(crate) packet_hops: u64,
    /// On the processor, or in real time if the system does not tell.
    pub(crate) seconds: f64,
}

impl Bare {
    /// The bare loop once; the first turn around its memory is not counted.
    pub(crate) fn measure(packet_hops: u64) -> Self {
        let mut bare = BareLoop::new(HOSTS, LARGEST_WINDOW);
        let warm = packet_hops / 10;
        bare.run(warm);
        let begin = Moment::now();
        bare.run(warm + packet_hops);
        let end = Moment::now();
        let seconds = end.processor_seconds_since(&begin).unwrap_or((end.at - begin.at).as_secs_f64());
        // Whoever reads the signal makes the compiler compute it.
        std::hint::black_box(bare.done.signal);
        Self { packet_hops: bare.done.packet_hops - warm, seconds }
    }

    pub(crate) fn ns_per_packet_hop(&self) -> f64 {
        self.seconds * 1e9 / self.packet_hops.max(1) as f64
    }
}

/// A moment of the run: when, how much memory is in use, how much was at most.
#[derive(Clone, Copy)]
struct Moment {
    at: Instant,
    processor: Option<f64>,
    resident: Option<u64>,
    peak: Option<u64>,
}

impl Moment {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            processor: process::processor_seconds(),
            resident: process::resident(),
            peak: process::peak(),
        }
    }

    /// Time on the processor, if both moments are of the same thread.
    fn processor_seconds_since(&self, earlier: &Self) -> Option<f64> {
        Some(self.processor? - earlier.processor?).filter(|seconds| *seconds > 0.0)
    }
}

/// The most messages that were under way at one time.
fn most_at_once(messages: &[MessageRecord], end: Time) -> usize {
    let mut changes: Vec<(u64, i64)> = Vec::new();
    for message in messages.iter().filter(|message| message.start <= end) {
        changes.push((message.start.as_ps(), 1));
        if let Some(finish) = message.finish {
            changes.push((finish.as_ps(), -1));
        }
    }
    // At equal times who ends makes room first.
    changes.sort_unstable();
    let mut now = 0_i64;
    let mut most = 0;
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    usize::try_from(most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows of 10 packets each over one switch: 2 links, and 2 for each ack: 2 · 10 · 4 hops.
    const TWO_FLOWS: &str = "[topology]\nkind = \"single-switch\"\nhosts = 3\n[cc]\nlaw = \"hpcc\"\n\
        [[traffic]]\nkind = \"incast\"\nto = 2\nsize = \"10KB\"\n";

    #[test]
    fn a_run_is_measured_on_any_number_of_threads() {
        for threads in [1, 2] {
            let measured = Measured::of_text("two", TWO_FLOWS, threads).unwrap();
            assert_eq!((measured.hosts, measured.flows, measured.packet_hops), (3, 2, 80));
            assert_eq!(measured.most_flows, 2);
            assert_eq!(measured.threads, 1, "one rack cannot be cut");
            assert!(measured.seconds > 0.0 && measured.startup_seconds > 0.0);
        }
    }

    #[test]
    fn the_bare_loop_counts_what_it_ran() {
        let bare = Bare::measure(10_000);
        assert_eq!(bare.packet_hops, 10_000);
        assert!(bare.ns_per_packet_hop() > 0.0);
    }
}
