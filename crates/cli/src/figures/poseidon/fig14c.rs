//! Fig. 14c: signal of the victim.

use super::multihop::settled;
use crate::figures::Outcome;
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (poseidon, swift) = (runs.get("poseidon")?, runs.get("swift")?);
    let steps = settled(poseidon);
    let signal = |step: usize| poseidon.mean("max-hop-delay", "victim", steps[step]);
    outcome.measure("mpd_m", signal(2) / signal(1));
    outcome.measure("mpd_n", signal(3) / signal(2));
    let window = settled(swift)[2];
    outcome.measure("swift_rtt", swift.mean("rtt", "victim", window) / swift.mean("rtt", "blue", window));
    let mut chart = over_time("What the victim reacts to", "Delay (µs)");
    chart.series.push(poseidon.mean_series("Poseidon: max. per-hop delay", "max-hop-delay", "victim"));
    chart.series.push(swift.mean_series("Swift: round trip", "rtt", "victim"));
    chart.series.push(swift.mean_series("Swift: round trip of blue flows", "rtt", "blue"));
    outcome.chart("signal", chart);
    Ok(outcome)
}
