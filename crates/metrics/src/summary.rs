//! [`Summary`]: a run in one page of JSON.

use crate::slowdown::Distribution;
use crate::tally::Tally;
use core::fmt;
use core::str::FromStr;
use plimsoll_units::{Bytes, Span};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A run in one page. What a run does not measure stays at its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The name of the scenario.
    pub scenario: String,
    /// The name of the control law.
    pub law: String,
    /// The seed of every random number.
    pub seed: u64,
    /// Threads that ran it.
    pub threads: u32,
    /// Whether it was stopped before its end: everything below is then true of the part that was run.
    pub partial: bool,
    /// Two runs with equal hashes went through the same events.
    pub trace_hash: TraceHash,
    /// Simulated time.
    #[serde(rename = "simulated_seconds", with = "seconds")]
    pub simulated: Span,
    /// Real time, in seconds, start-up excluded.
    pub wall_seconds: f64,
    /// Packets that reached the far end of a link.
    pub packet_hops: u64,
    /// Real time per packet-hop, in nanoseconds, over all threads together.
    pub ns_per_packet_hop: f64,
    /// Messages of the workload that began or were to begin.
    pub flows: u64,
    /// Those whose last ack came.
    pub completed: u64,
    /// Those that were given up.
    pub failed: u64,
    /// Those that were neither completed nor had failed at the end; some may not have begun.
    pub unfinished: u64,
    /// Slowdown of the completed ones; nothing if none completed or no ideal time is known.
    pub slowdown: Option<Distribution>,
    /// Packets that were sent again.
    pub retransmitted: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// The longest queue of any port.
    #[serde(with = "bytes")]
    pub max_queue_bytes: Bytes,
    /// Packets that were lost on the way, for any cause.
    pub drops: u64,
    /// The same, by cause.
    pub drops_by_cause: Drops,
    /// Packets that a switch marked.
    pub marks: u64,
    /// Pause frames sent by priority flow control.
    pub pfc_pauses: u64,
}

/// Lost packets by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drops {
    /// The buffer had no room.
    pub buffer: u64,
    /// A control law of the switch dropped them.
    pub early: u64,
    /// The link lost them at random.
    pub loss: u64,
    /// They were damaged on the link.
    pub corruption: u64,
    /// The link or the switch was down.
    pub down: u64,
    /// No path led on.
    pub no_route: u64,
}

impl Drops {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.buffer + self.early + self.loss + self.corruption + self.down + self.no_route
    }
}

impl Summary {
    /// Sets what is counted over messages.
    pub fn set_messages(&mut self, tally: &Tally) {
        self.flows = tally.completed + tally.failed + tally.unfinished;
        self.completed = tally.completed;
        self.failed = tally.failed;
        self.unfinished = tally.unfinished;
        self.retransmitted = tally.retransmitted;
        self.timeouts = tally.timeouts;
        self.slowdown = Distribution::of(tally.slowdowns.iter().map(|message| message.slowdown));
    }

    /// Sets the real time and what follows from it.
    pub fn set_wall_time(&mut self, wall_seconds: f64) {
        self.wall_seconds = wall_seconds;
        self.ns_per_packet_hop =
            if self.packet_hops > 0 { wall_seconds * 1e9 / self.packet_hops as f64 } else { 0.0 };
    }

    /// Sets the lost packets and their sum.
    pub fn set_drops(&mut self, drops: Drops) {
        self.drops = drops.total();
        self.drops_by_cause = drops;
    }

    /// As JSON, a key per line, the same text for the same summary.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// From JSON. Keys that are not known are passed over and missing ones stay at their default, so that
    /// summaries of other versions can be read.
    ///
    /// # Errors
    /// If it is not JSON, or a key has another type than here.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

/// A hash of everything that happened in a run. In JSON it is text, because numbers of 64 bits do not survive
/// readers that take every number for a double.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TraceHash(pub u64);

impl fmt::Display for TraceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for TraceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for TraceHash {
    type Err = core::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

impl Serialize for TraceHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TraceHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A span as seconds, exact for runs of up to a quarter of an hour (2⁵⁰ ps: the error of the two roundings is below half a
/// picosecond).
mod seconds {
    use super::*;

    pub(super) fn serialize<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
        span.as_secs_f64().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        f64::deserialize(deserializer).map(Span::saturating_from_secs_f64)
    }
}

/// A size as a plain number: the key says that it is bytes.
mod bytes {
    use super::*;

    pub(super) fn serialize<S: Serializer>(size: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        size.get().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        u64::deserialize(deserializer).map(Bytes::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::made_up::{completed, failed, never_started};
    use proptest::prelude::*;

    fn example() -> Summary {
        let mut summary = Summary {
            scenario: "incast".to_owned(),
            law: "hpcc".to_owned(),
            seed: u64::MAX,
            threads: 2,
            trace_hash: TraceHash(0xfedc_ba98_7654_3210),
            simulated: Span::from_us(1_538),
            packet_hops: 64_000,
            max_queue_bytes: Bytes::new(111_180),
            ..Summary::default()
        };
        summary.set_messages(&Tally::of(&[completed(), failed(), never_started()]));
        summary.set_wall_time(0.0064);
        summary.set_drops(Drops { buffer: 1, early: 2, loss: 3, corruption: 4, down: 5, no_route: 6 });
        summary
    }

    #[test]
    fn flows_are_all_messages_however_they_ended() {
        let mut summary = Summary { flows: 99, ..Summary::default() };
        summary.set_messages(&Tally::of(&[completed(), failed(), never_started(), completed()]));
        assert_eq!((summary.flows, summary.completed, summary.failed, summary.unfinished), (4, 2, 1, 1));
        assert_eq!((summary.retransmitted, summary.timeouts), (12, 4));
        assert_eq!(summary.slowdown.unwrap().count, 2);
    }

    #[test]
    fn cost_and_drops_follow_from_what_is_set() {
        // 6.4 ms / 64,000 = 100 ns; 1 + 2 + … + 6 = 21.
        assert!((example().ns_per_packet_hop - 100.0).abs() < 1e-9);
        assert_eq!(example().drops, 21);
        let mut empty = Summary::default();
        empty.set_wall_time(1.0);
        assert_eq!(empty.ns_per_packet_hop, 0.0);
    }

    #[test]
    fn json_has_the_keys_that_scripts_read() {
        let text = example().to_json().unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["trace_hash"], "fedcba9876543210");
        assert_eq!(json["simulated_seconds"], 0.001538);
        assert_eq!(json["max_queue_bytes"], 111_180);
        assert_eq!(json["slowdown"]["p999"], 1.5);
        let keys = "packet_hops wall_seconds flows completed failed drops pfc_pauses partial seed law threads \
                    ns_per_packet_hop";
        for key in keys.split_whitespace() {
            assert!(!json[key].is_null(), "{key} is missing in {text}");
        }
        for key in ["p50", "p95", "p99", "mean"] {
            assert!(json["slowdown"][key].is_f64(), "slowdown.{key} is missing in {text}");
        }
    }

    #[test]
    fn a_run_without_completed_flows_has_a_summary_too() {
        let mut summary = Summary::default();
        summary.set_messages(&Tally::of(&[failed()]));
        let text = summary.to_json().unwrap();
        assert!(text.contains("\"slowdown\": null"), "{text}");
        assert_eq!(Summary::from_json(&text).unwrap(), summary);
    }

    #[test]
    fn summaries_of_other_versions_can_be_read() {
        let summary = Summary::from_json(r#"{"flows": 3, "colour": "red"}"#).unwrap();
        assert_eq!(summary, Summary { flows: 3, ..Summary::default() });
        assert!(Summary::from_json(r#"{"flows": "three"}"#).is_err());
        assert!(Summary::from_json(r#"{"trace_hash": "xyz"}"#).is_err());
        assert!(Summary::from_json("").is_err());
    }

    proptest! {
        #[test]
        fn a_summary_survives_json_to_the_last_bit(
            seed: u64, hash: u64, picoseconds in 0_u64..1 << 50, wall in 0.0..1e9_f64, queue: u64, mean in 1.0..1e6_f64
        ) {
            let mut summary = example();
            summary.seed = seed;
            summary.trace_hash = TraceHash(hash);
            summary.simulated = Span::from_ps(picoseconds);
            summary.max_queue_bytes = Bytes::new(queue);
            summary.set_wall_time(wall);
            summary.slowdown.as_mut().unwrap().mean = mean;
            prop_assert_eq!(Summary::from_json(&summary.to_json().unwrap()).unwrap(), summary);
        }
    }
}
