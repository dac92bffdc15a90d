//! How quiet the machine was during a run on real packets: in words, and beside the run's results.

use crate::error::Error;
use crate::{human, results};
use plimsoll_testbed::Noise;
use serde_json::Value;
use std::path::Path;

/// The file in a folder of results.
const FILE: &str = "noise.json";

/// What scripts may want to know of it.
pub(crate) fn json(noise: &Noise) -> Value {
    serde_json::json!({
        "disturbed_percent": noise.disturbed_percent,
        "left_out_percent": noise.left_out_percent,
        "stalls": noise.stalls,
        "longest_stall_us": noise.longest_turns.0.max(noise.longest_turns.1).as_us_f64(),
        "lateness_p50_us": noise.lateness.0.as_us_f64(),
        "lateness_p99_us": noise.lateness.1.as_us_f64(),
        "unreadable_datagrams": noise.refused,
        "frames_for_nobody": noise.foreign,
        "frames_not_taken": noise.unsent,
    })
}

/// `0.4 % of the time disturbed (3 stalls, the longest 1 ms), 2.1 % of the readings left out; frames late by 1.2 us (p50), 9.3 us (p99)`
pub(crate) fn text(noise: &Noise) -> String {
    format!(
        "{:.1} % of the time disturbed ({} stalls, the longest {}), {:.1} % of the readings left out; frames late by {} \
         (p50), {} (p99)",
        noise.disturbed_percent,
        noise.stalls,
        human::time(noise.longest_turns.0.max(noise.longest_turns.1)),
        noise.left_out_percent,
        human::time(noise.lateness.0),
        human::time(noise.lateness.1)
    )
}

/// Writes it into a folder of results.
pub(crate) fn write(folder: &Path, noise: &Noise) -> Result<(), Error> {
    let text = format!("{:#}\n", json(noise));
    std::fs::write(folder.join(FILE), text).map_err(results::problem(folder))
}

/// A number of it, as a run wrote it; NaN if there is none.
pub(crate) fn number(folder: &Path, name: &str) -> f64 {
    let text = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let value: Option<Value> = serde_json::from_str(&text).ok();
    value.and_then(|value| value[name].as_f64()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_wrote_can_be_read() {
        let folder = std::env::temp_dir().join(format!("plimsoll-noise-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let noise = Noise { disturbed_percent: 12.5, ..Noise::default() };
        write(&folder, &noise).unwrap();
        assert_eq!(number(&folder, "disturbed_percent"), 12.5);
        assert!(number(&folder, "no_such_number").is_nan());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(number(&folder, "disturbed_percent").is_nan());
    }
}
