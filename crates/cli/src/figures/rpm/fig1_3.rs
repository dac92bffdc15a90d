//! Figs. 1 to 3: the loops that a mark travels.

use super::reaction::{extreme, reactions};
use crate::figures::Outcome;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Marks, Series};

/// From switch to sender, in milliseconds.
const NEAR: f64 = 5.0;
/// With receivers up to this far, in milliseconds, acks pass all the time when the first mark comes.
const FLOWING: f64 = 10.0;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut chart = over("From mark to sender", "Delay from switch to receiver (ms)", "First reaction (ms)");
    outcome.setting("sender to switch", "5 ms, 10 Gb/s");
    outcome.setting("switch to receiver", "1 to 40 ms, 1 Gb/s");
    let schemes = [("forward", "marked forward", 2.0), ("rpm", "marked on the way back (RPM)", 0.0)];
    for (scheme, name, trips) in schemes {
        let (mut excess, mut near): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut curve = Vec::new();
        for law in ["cubic", "newreno", "dctcp"] {
            for (far, run) in runs.family(&format!("{law} {scheme} ")) {
                let far: f64 = far.parse().map_err(|_| format!("`{far}` is no delay in milliseconds"))?;
                let first = reactions(run, 0).first().map_or(f64::NAN, |answer| answer.whole);
                excess.push(first - NEAR - trips * far);
                near.extend((far <= FLOWING).then_some(first - NEAR - trips * far));
                if law == "cubic" {
                    curve.push((far, first));
                }
            }
        }
        let moved = |(first, last): (&(f64, f64), &(f64, f64))| last.1 - first.1;
        let moved = curve.first().zip(curve.last()).map_or(f64::NAN, moved);
        let (over_way, downstream) =
            if scheme == "rpm" { ("back", "downstream") } else { ("forward", "downstream_forward") };
        outcome.measure(over_way, extreme(excess, f64::max));
        outcome.measure(downstream, moved);
        if scheme == "rpm" {
            outcome.measure("back_near", extreme(near, f64::max));
        }
        chart.series.push(Series::line(name, curve).marked(Marks::Points));
    }
    outcome.chart("loops", chart);
    Ok(outcome)
}
