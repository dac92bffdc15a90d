//! Fig. 4: how laws take an incast, of ten flows (top) and of 255 (bottom).

use super::schemes::present;
use crate::claims::number;
use crate::figures::Outcome;
use crate::figures::observed::{Curve, Observed, Window, binned, mean_within, within};
use crate::figures::pictures::over_time;
use crate::figures::runs::Runs;
use plimsoll_report::Series;

/// Where and when it happens.
#[derive(Clone, Copy)]
struct Incast {
    /// The port into the receiver.
    port: &'static str,
    /// How many times longer everything takes than in PowerTCP's cluster.
    slower: f64,
}

/// PowerTCP's cluster.
const CLUSTER: Incast = Incast { port: "tor0>h16", slower: 1.0 };
/// One switch with a hundredth of the cluster's rates.
#[cfg(target_os = "linux")]
const REAL: Incast = Incast { port: "s0>h11", slower: 100.0 };

impl Incast {
    /// When it begins, in milliseconds.
    fn start(self) -> f64 {
        2.0 * self.slower
    }

    /// The base round trip that laws are told, in milliseconds.
    fn tau(self) -> f64 {
        0.028_96 * self.slower
    }

    fn queue(self, run: &Observed) -> &[(f64, f64)] {
        run.port("queue", self.port)
    }

    fn after(self, run: &Observed) -> Window {
        Window { from: self.start(), to: run.end }
    }

    /// The longest queue after the incast, in KB.
    fn peak(self, run: &Observed) -> f64 {
        within(self.queue(run), self.after(run)).map(|(_, kilobytes)| kilobytes).fold(0.0, f64::max)
    }

    /// The time after the incast from which the queue stays below so many KB, in milliseconds; infinite if it is
    /// not below at the end.
    fn below(self, run: &Observed, kilobytes: f64) -> f64 {
        stays_below(within(self.queue(run), self.after(run)), kilobytes, self.start())
    }

    /// Throughput in bins of 100 µs, or of what that is here.
    fn throughput(self, run: &Observed) -> Curve {
        binned(run.port("throughput", self.port), 0.1 * self.slower)
    }

    /// The least throughput in such bins, from 0.2 ms after the incast to 4 ms after it, in Gb/s.
    fn least_throughput(self, run: &Observed) -> f64 {
        // A bin is named by its end; the first whole one ends 0.1 ms later.
        let from = self.start() + 0.25 * self.slower;
        let whole = Window { from, to: self.start() + 4.0 * self.slower };
        within(&self.throughput(run), whole).map(|(_, gbps)| gbps).fold(f64::INFINITY, f64::min)
    }

    fn mean_queue(self, run: &Observed) -> f64 {
        mean_within(self.queue(run), self.after(run))
    }
}

/// How long after `start` a curve is at `limit` or above for the last time; infinite if it is at its end, NaN if
/// there is no curve.
fn stays_below(curve: impl Iterator<Item = (f64, f64)>, limit: f64, start: f64) -> f64 {
    let mut since = f64::NAN;
    let mut above = None;
    for (at, value) in curve {
        above = (value >= limit).then_some(at);
        since = match above {
            Some(at) => at - start,
            None if since.is_nan() => 0.0,
            None => since,
        };
    }
    if above.is_some() { f64::INFINITY } else { since }
}

/// `0.605`, or that it is not.
fn moment(milliseconds: f64) -> String {
    if milliseconds.is_finite() { format!("{milliseconds:.3}") } else { "not by the end".to_owned() }
}

/// Numbers and pictures; an axis of queues that ends at `axis` KB.
fn common(runs: &Runs, incast: Incast, axis: f64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (name, run) in present(runs) {
        outcome.setting(
            &format!("{name}: longest and mean queue (KB), least throughput (Gb/s)"),
            format!(
                "{:.0}, {:.1}, {}",
                incast.peak(run),
                incast.mean_queue(run),
                number(incast.least_throughput(run))
            ),
        );
        outcome.setting(
            &format!("{name}: queue below 50 and below 100 KB from (ms)"),
            [50.0, 100.0].map(|kilobytes| moment(incast.below(run, kilobytes))).join(", "),
        );
    }
    let mut queues = over_time("Queue of the receiver's port", "Queue (KB)");
    let mut rates = over_time("Throughput of the receiver's port", "Throughput (Gb/s)");
    let shift = |curve: &[(f64, f64)]| -> Vec<(f64, f64)> {
        curve.iter().map(|(at, value)| (at - incast.start(), *value)).collect()
    };
    for (name, run) in present(runs) {
        queues.series.push(Series::line(name, shift(incast.queue(run))).fine());
        rates.series.push(Series::line(name, shift(&incast.throughput(run))).fine());
    }
    queues.y = queues.y.from_to(0.0, axis);
    queues.notes.push("The incast begins at 0.".to_owned());
    rates.notes.push(format!("Means over {} µs; the incast begins at 0.", 100.0 * incast.slower));
    outcome.chart("queue", queues);
    outcome.chart("throughput", rates);
    Ok(outcome)
}

/// Ten flows.
pub(crate) fn top(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = ten(runs, CLUSTER)?;
    let (homa, powertcp) = (runs.get("homa")?, runs.get("powertcp")?);
    outcome.measure("homa_queue", CLUSTER.mean_queue(homa) / CLUSTER.mean_queue(powertcp));
    Ok(outcome)
}

/// The same, slowly.
#[cfg(target_os = "linux")]
pub(crate) fn top_on_real_packets(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = ten(runs, REAL)?;
    let least = |variant| runs.get(variant).map(|run| REAL.least_throughput(run));
    outcome.measure("others_throughput", least("hpcc")?.min(least("timely")?) / least("powertcp")?);
    Ok(outcome)
}

fn ten(runs: &Runs, incast: Incast) -> Result<Outcome, String> {
    // The paper's axis; who leaves it at the top does not control the queue.
    let mut outcome = common(runs, incast, 600.0)?;
    let (powertcp, hpcc, timely) = (runs.get("powertcp")?, runs.get("hpcc")?, runs.get("timely")?);
    let least = |run| incast.least_throughput(run);
    outcome.measure("settled", incast.below(powertcp, 50.0) / incast.tau());
    outcome.measure("throughput", least(powertcp));
    outcome.measure("theta_throughput", least(runs.get("theta")?));
    outcome.measure("hpcc_peak", incast.peak(hpcc) / incast.peak(powertcp));
    outcome.measure("hpcc_throughput", least(hpcc) / least(powertcp));
    outcome.measure("timely_throughput", least(timely) / least(powertcp));
    outcome.measure("timely_queue", incast.mean_queue(timely) / incast.mean_queue(powertcp));
    Ok(outcome)
}

/// 255 flows.
pub(crate) fn bottom(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = common(runs, CLUSTER, 2_500.0)?;
    let (powertcp, theta) = (runs.get("powertcp")?, runs.get("theta")?);
    let share = |variant| -> Result<f64, String> {
        Ok(CLUSTER.least_throughput(runs.get(variant)?) / CLUSTER.least_throughput(powertcp))
    };
    outcome.measure("settled", CLUSTER.below(powertcp, 100.0));
    outcome.measure("theta_settled", CLUSTER.below(theta, 100.0));
    outcome.measure("hpcc_throughput", share("hpcc")?);
    outcome.measure("timely_throughput", share("timely")?);
    outcome.measure("homa_peak", CLUSTER.peak(runs.get("homa")?) - CLUSTER.peak(powertcp));
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_is_long_at_the_end_never_stays_short() {
        let curve = [(2.0, 0.0), (2.5, 90.0), (3.0, 40.0), (3.5, 60.0), (4.0, 10.0)];
        let below = |limit: f64| stays_below(curve.into_iter(), limit, 2.0);
        assert_eq!([100.0, 50.0, 5.0].map(below), [0.0, 1.5, f64::INFINITY]);
        assert!(stays_below([].into_iter(), 5.0, 2.0).is_nan());
        assert_eq!([1.5, f64::INFINITY].map(moment), ["1.500", "not by the end"]);
    }
}
