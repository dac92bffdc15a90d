//! Fig. 8a: throughput and queue of a pair of racks with a circuit.

use crate::figures::Outcome;
use crate::figures::observed::{Curve, Observed, Window, mean, mean_within, reaches, within};
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_report::{Chart, Series};

/// The names of variants, and in pictures.
pub(super) const SCHEMES: [(&str, &str); 4] =
    [("powertcp", "PowerTCP"), ("hpcc", "HPCC"), ("retcp 600", "reTCP-600"), ("retcp 1800", "reTCP-1800")];

/// The calendar of the pair, in milliseconds: 24 slots of 245 µs, and its day is the first of each week.
const WEEK: f64 = 5.88;
const DAY: f64 = 0.225;
/// The first weeks, in which flows start, do not count.
const WARM_UP_WEEKS: f64 = 2.0;
/// Of the circuit, in Gb/s; nine tenths count as full.
const CIRCUIT: f64 = 100.0;
const FULL: f64 = 90.0;
/// The base round trip that laws are told, in microseconds.
const ROUND_TRIP: f64 = 24.0;

/// What counts.
pub(super) fn measured(run: &Observed) -> Window {
    Window { from: WARM_UP_WEEKS * WEEK, to: run.end }
}

/// The days of the pair that count.
fn days(run: &Observed) -> Vec<Window> {
    let Window { from, to } = measured(run);
    let dawns = (0..).map(|week| from + f64::from(week) * WEEK);
    dawns.take_while(|dawn| dawn + DAY <= to).map(|from| Window { from, to: from + DAY }).collect()
}

/// The share of its days in which the circuit carries packets.
fn utilisation(run: &Observed) -> f64 {
    mean(days(run).into_iter().map(|day| run.throughput("tor0>tor1", day))) / CIRCUIT
}

/// From dawn until the circuit is full, in microseconds; NaN if it never is.
fn time_to_fill(run: &Observed) -> f64 {
    let throughput = run.port("throughput", "tor0>tor1");
    let times =
        days(run).into_iter().map(|day| reaches(throughput, day, FULL).map_or(f64::NAN, |at| at - day.from));
    1e3 * mean(times)
}

fn mean_queue(run: &Observed) -> f64 {
    mean_within(run.port("queue", "tor0>tor1"), measured(run))
}

/// What the pair sends, by the circuit and by the packet network, which nobody else uses.
fn sent(run: &Observed) -> Curve {
    let ways = run.port("throughput", "tor0>tor1").iter().zip(run.port("throughput", "tor0>core0"));
    ways.map(|(circuit, packets)| (circuit.0, circuit.1 + packets.1)).collect()
}

/// A picture of a time around the first day that counts, which begins at zero.
fn around_dawn(title: &str, y: &str, shown: Window) -> Chart {
    let mut chart = over(title, "Time from the beginning of the day (ms)", y);
    chart.x = chart.x.from_to(shown.from, shown.to);
    chart.series.push(Series::stripes("circuit up", [(0.0, DAY)]));
    chart
}

fn shifted(curve: &[(f64, f64)], shown: Window) -> Curve {
    let dawn = WARM_UP_WEEKS * WEEK;
    let window = Window { from: dawn + shown.from, to: dawn + shown.to };
    within(curve, window).map(|(at, value)| (at - dawn, value)).collect()
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let [powertcp, hpcc, retcp_600, retcp_1800] =
        [runs.get("powertcp")?, runs.get("hpcc")?, runs.get("retcp 600")?, runs.get("retcp 1800")?];
    outcome.measure("powertcp", 100.0 * utilisation(powertcp));
    outcome.measure("fill", time_to_fill(powertcp) / ROUND_TRIP);
    outcome.measure("over_hpcc", 100.0 * (utilisation(powertcp) - utilisation(hpcc)));
    outcome.measure("retcp_600", 100.0 * utilisation(retcp_600));
    outcome.measure("retcp_1800", 100.0 * utilisation(retcp_1800));
    outcome.measure("queue", mean_queue(retcp_1800) / mean_queue(powertcp));

    let (near, before) = (Window { from: -0.1, to: 0.4 }, Window { from: -2.0, to: 0.5 });
    let week = Window { from: -WEEK / 2.0, to: WEEK / 2.0 };
    let mut throughput = around_dawn("What rack 0 sends to rack 1", "Throughput (Gb/s)", near);
    let mut queue = around_dawn("What waits at rack 0 for rack 1", "VOQ (kB)", before);
    let mut whole = around_dawn("What rack 0 sends to rack 1 in a week", "Throughput (Gb/s)", week);
    for (variant, name) in SCHEMES {
        let run = runs.get(variant)?;
        throughput.series.push(Series::line(name, shifted(&sent(run), near)).fine());
        whole.series.push(Series::line(name, shifted(&sent(run), week)).fine());
        queue.series.push(Series::line(name, shifted(run.port("queue", "tor0>tor1"), before)).fine());
        outcome.setting(&format!("{name}: circuit in use"), format!("{:.1} %", 100.0 * utilisation(run)));
        outcome.setting(&format!("{name}: mean VOQ"), format!("{:.2} kB", mean_queue(run)));
        let time = time_to_fill(run);
        let time = if time.is_nan() { "not in every day".to_owned() } else { format!("{time:.0} µs") };
        outcome.setting(&format!("{name}: circuit 90 % full after"), time);
    }
    outcome.chart("throughput", throughput);
    outcome.chart("queue", queue);
    outcome.chart("week", whole);
    Ok(outcome)
}
