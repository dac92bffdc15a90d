//! Fig. 6, Eqs. 1 and 2: what one step does to two flows.

use super::{gbps, law, settings, unbounded};
use crate::draws::Draws;
use crate::figures::{Effort, Outcome, logarithmic};
use plimsoll_cc::poseidon::Params;
use plimsoll_fluid::fairness::{Fairness, fairness, fills_the_line};
use plimsoll_report::{Axis, Chart, Marks, Series};
use plimsoll_units::Span;

pub(crate) fn compute(effort: Effort) -> Result<Outcome, String> {
    let draws = effort.pick(10_000, 100_000);
    let mut outcome = Outcome::default();
    settings(&mut outcome, &unbounded());
    outcome.setting("random draws of two rates, a delay and m", draws);
    outcome.measure("eq1_percent", percent(draws, (0.01, 1.99), |draw| draw.fills)?);
    outcome.measure("eq2_percent", percent(draws, (0.01, 1.99), |draw| draw.fairness == Fairness::Improves)?);
    let overshoots = |draw: &Draw| draw.fairness == Fairness::Overshoots;
    outcome.measure("overshoot_percent", percent(draws, (2.01, 2.8), overshoots)?);
    outcome.chart("steps", steps()?);
    outcome.chart("condition", condition()?);
    Ok(outcome)
}

struct Draw {
    fills: bool,
    fairness: Fairness,
}

/// How many of the draws with m between two bounds are as asked, in percent.
fn percent(draws: usize, m: (f64, f64), good: impl Fn(&Draw) -> bool) -> Result<f64, String> {
    let mut random = Draws::seeded(6);
    let mut count = 0_usize;
    for _ in 0..draws {
        let slower = random.log_between(0.02, 190.0);
        // At least 1 % apart: targets are whole picoseconds, and closer rates share one.
        let faster = random.log_between(slower * 1.01, 200.0);
        let law = law(&Params { m: random.between(m.0, m.1), ..unbounded() })?;
        // Around the slower flow's target: both grow, both back off, or they meet. Up to 20 µs below
        // it U stays within its bound of a million for every m here: 20 µs · α/p · 2.8 < ln 10⁶.
        let around = law.target(gbps(slower)).as_secs_f64();
        let delay = Span::saturating_from_secs_f64(around + random.between(-20e-6, 20e-6));
        let draw = Draw {
            fills: fills_the_line(&law, gbps(slower), delay) && fills_the_line(&law, gbps(faster), delay),
            fairness: fairness(&law, gbps(slower), gbps(faster), delay),
        };
        count += usize::from(good(&draw));
    }
    Ok(100.0 * count as f64 / draws as f64)
}

/// One step of two flows from the same rates at three delays.
fn steps() -> Result<Chart, String> {
    let law = law(&Params { m: 0.5, ..unbounded() })?;
    let (slower, faster) = (30.0, 110.0);
    let step = |name: &str, delay_us: u64| {
        let after = |rate: f64| rate * law.update_ratio(law.target(gbps(rate)), Span::from_us(delay_us));
        let curve = vec![(slower, faster), (after(slower), after(faster))];
        Series::curves(name, vec![curve]).marked(Marks::Ends)
    };
    Ok(Chart {
        title: "One step of two flows at the same delay, m = 0.5".into(),
        x: Axis::linear("Rate of the slower flow (Gb/s)").from_to(0.0, 160.0),
        y: Axis::linear("Rate of the faster flow (Gb/s)").from_to(0.0, 160.0),
        series: vec![
            step("delay 2 µs: both grow", 2),
            step("7 µs: they come closer", 7),
            step("18 µs: both back off", 18),
            Series::guide("fair share, and line of 200 Gb/s", [(0.0, 0.0), (160.0, 160.0)]),
            Series::guide("", [(40.0, 160.0), (160.0, 40.0)]),
        ],
        notes: vec![
            "Circle: before; triangle: after. Targets: 10.2 µs at 30 Gb/s, 4.6 µs at 110 Gb/s.".into(),
        ],
    })
}

/// U(b)/U(a) between its two bounds, for several m.
fn condition() -> Result<Chart, String> {
    let ratios = logarithmic(1.0, 100.0, 60);
    let slower = 2.0;
    let curve = |m: f64| -> Result<Vec<(f64, f64)>, String> {
        let law = law(&Params { m, ..unbounded() })?;
        let delay = law.target(gbps(slower));
        let update = |rate: f64| law.update_ratio(law.target(gbps(rate)), delay);
        Ok(ratios.clone().map(|ratio| (ratio, update(slower * ratio) / update(slower))).collect())
    };
    Ok(Chart {
        title: "Eq. 2: the faster flow must gain less, but not too much less".into(),
        x: Axis::log("How many times faster, b/a"),
        y: Axis::log("U(b) / U(a)").from_to(1e-5, 2.0),
        series: vec![
            Series::line("m = 0.25 (paper)", curve(0.25)?),
            Series::line("m = 1", curve(1.0)?),
            Series::line("m = 2.5 (overshoots)", curve(2.5)?),
            Series::guide("bounds of Eq. 2: 1 and (a/b)²", [(1.0, 1.0), (100.0, 1.0)]),
            Series::guide("", ratios.map(|ratio| (ratio, 1.0 / (ratio * ratio)))),
        ],
        notes: vec![],
    })
}
