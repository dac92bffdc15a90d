//! Theorems 1 to 3 with packets.

use super::{BASE_RTT, BDP_KB, GAMMA};
use crate::figures::Outcome;
use crate::figures::observed::{Observed, Window, mean_within, within};
use crate::figures::pictures::{over_time, thin};
use crate::figures::runs::Runs;
use plimsoll_fluid::power::time_constant;
use plimsoll_report::{Chart, Series};

/// β of the seven connections together, in KB: 250/140 each.
const TOGETHER: f64 = 7.0 * BDP_KB / 140.0;
const PORT: &str = "s0>h4";
const ALL: [&str; 4] = ["one", "two", "four", "guest"];
/// All seven are there and have settled.
const SETTLED: Window = Window { from: 4.0, to: 6.0 };
/// Seven more have left at 8 ms.
const LEFT: f64 = 8.0;

/// Names of the numbers of a run: queue, queue after the guests have left, windows, time constant and the two shares.
type Names = [&'static str; 6];
const COMMITTED: Names = ["queue", "queue_later", "window", "time_constant", "second", "third"];
const PRINTED: Names = [
    "printed_queue",
    "printed_queue_later",
    "printed_window",
    "printed_time_constant",
    "printed_second",
    "printed_third",
];

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.setting("Σβ", format!("{TOGETHER:.2} KB"));
    for (variant, name, names, [windows, rates]) in [
        ("committed", "One reference a round trip", COMMITTED, ["windows", "rates"]),
        ("printed", "As printed", PRINTED, ["windows-printed", "rates-printed"]),
    ] {
        let run = runs.get(variant)?;
        measure(&mut outcome, run, name, names);
        outcome.chart(windows, windows_over_time(run, name));
        outcome.chart(rates, rates_over_time(run, name));
    }
    Ok(outcome)
}

fn measure(outcome: &mut Outcome, run: &Observed, variant: &str, names: Names) {
    let [queue, later, window, constant, second, third] = names;
    // The seven alone again, as long after the last change as in SETTLED.
    let alone_again = Window { from: run.end - 2.0, to: run.end };
    outcome.measure(queue, mean_within(run.port("queue", PORT), SETTLED) / TOGETHER);
    outcome.measure(later, mean_within(run.port("queue", PORT), alone_again) / TOGETHER);
    outcome.measure(window, mean_within(&run.sum("window", &ALL), SETTLED) / (BDP_KB + TOGETHER));
    let rate = |group: &str| mean_within(&run.sum("goodput", &[group]), SETTLED);
    outcome.measure(second, rate("two") / rate("one"));
    outcome.measure(third, rate("four") / rate("one"));

    // The seven take what the guests leave: from half of it to all.
    let tau = BASE_RTT.as_secs_f64() * 1e3;
    let stayed = run.sum("window", &ALL[..3]);
    let rest = mean_within(&stayed, alone_again);
    let after = Window { from: LEFT, to: LEFT + 8.0 * tau };
    let way: Vec<(f64, f64)> =
        within(&stayed, after).map(|(at, window)| ((at - LEFT) / tau, window / rest)).collect();
    let first = way.first().map_or(f64::NAN, |point| point.1);
    // From when a tenth of the way is gone to when nine tenths are, for the first time: outside, delay and noise
    // decide.
    let reached = |part: f64| way.iter().position(|(_, value)| (value - first) / (1.0 - first) >= part);
    let fitted = reached(0.1).zip(reached(0.9)).and_then(|(from, to)| way.get(from..=to)).unwrap_or_default();
    outcome.measure(constant, time_constant(fitted, 1.0).unwrap_or(f64::NAN) * GAMMA);
    let ends = fitted.first().zip(fitted.last());
    let text = ends.map_or("never".to_owned(), |(from, to)| format!("{:.2} to {:.2}", from.0, to.0));
    outcome.setting(&format!("{variant}: from a tenth to nine tenths of the way, in round trips"), text);
}

fn windows_over_time(run: &Observed, name: &str) -> Chart {
    let mut chart = over_time(&format!("{name}: windows and queue"), "Bytes (KB)");
    chart.series.push(Series::line("windows together", run.sum("window", &ALL)).fine());
    chart.series.push(Series::line("queue", run.port("queue", PORT).to_vec()).fine());
    chart.y = chart.y.from_to(0.0, 800.0);
    let rest = BDP_KB + TOGETHER;
    chart.series.push(Series::guide("bτ + Σβ of seven connections", [(0.0, rest), (run.end, rest)]));
    chart
}

fn rates_over_time(run: &Observed, name: &str) -> Chart {
    let mut chart = over_time(&format!("{name}: rates of one, two and four connections"), "Rate (Gb/s)");
    for (group, label) in ALL.into_iter().zip(["one", "two", "four", "seven guests"]) {
        chart.series.push(Series::line(label, thin(&run.sum("goodput", &[group]))).fine());
    }
    chart
}
