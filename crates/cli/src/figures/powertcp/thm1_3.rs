//! Theorems 1 to 3: equilibrium, time constant and shares of the power law.

use super::closed_loop::settle;
use super::{ADDITIVE, BDP_KB, GAMMA, INTERVAL, model_settings};
use crate::figures::{Effort, Outcome};
use plimsoll_fluid::power::{Bottleneck, Family, State, time_constant};
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_units::Bytes;

/// Additive increases in the ratio 1 : 2 : 4.
const SHARES: [f64; 3] = [1.0, 2.0, 4.0];
/// The same of the law itself, in bytes: together 12,500, which is ADDITIVE of 250 kB.
const BETAS: [u64; 3] = [1_786, 3_571, 7_143];
/// Shares settle with e^(−0.043 t), Σβ/(bτ + Σβ) of γ: by now to 4·10⁻⁸.
const UNTIL_SHARED: usize = 400;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let one = link(vec![ADDITIVE]);
    let way = |window: f64, queue: f64| one.trajectory(State { time: 0.0, windows: vec![window], queue }, 20);
    let (above, below) = (way(3.0, 1.0), way(0.3, 0.0));
    let rest = 1.0 + ADDITIVE;
    let mut outcome = Outcome::default();
    model_settings(&mut outcome);
    outcome.setting("β of three flows", "1 : 2 : 4");
    let end = |way: &[State]| way.last().map_or((f64::NAN, f64::NAN), |state| (state.window(), state.queue));
    outcome.measure("window", end(&above).0);
    outcome.measure("queue", end(&above).1);
    // The first four round trips, before rounding takes over.
    let early: Vec<(f64, f64)> = above.iter().take(400).map(|state| (state.time, state.window())).collect();
    outcome.measure("time_constant", time_constant(&early, rest).unwrap_or(f64::NAN));
    let after_five = above.iter().find(|state| state.time >= 5.0 * INTERVAL / GAMMA);
    let gone = after_five.map_or(f64::NAN, |state| 100.0 * (3.0 - state.window()) / (3.0 - rest));
    outcome.measure("after_five_constants", gone);

    let unit = ADDITIVE / SHARES.iter().sum::<f64>();
    let three = link(SHARES.map(|share| share * unit).to_vec());
    // The flow with the smallest share begins with the largest window.
    let together =
        three.trajectory(State { time: 0.0, windows: vec![0.8, 0.15, 0.05], queue: 0.0 }, UNTIL_SHARED);
    let windows = together.last().map(|state| state.windows.clone()).unwrap_or_default();
    let ratio =
        |flow: usize| windows.get(flow).zip(windows.first()).map_or(f64::NAN, |(own, first)| own / first);
    outcome.measure("share_of_second", ratio(1));
    outcome.measure("share_of_third", ratio(2));
    law_itself(&mut outcome)?;
    outcome.chart("approach", approach(&above, &below, rest));
    outcome.chart("shares", shares(&together));
    Ok(outcome)
}

/// The same three flows, run by PowerTCP's law on telemetry instead of by the equation.
fn law_itself(outcome: &mut Outcome) -> Result<(), String> {
    let rest = settle(&BETAS.map(Bytes::new), UNTIL_SHARED as u32)?;
    let [first, second, third] = rest.windows.as_slice() else { return Err("three flows".into()) };
    let bdp = 1e3 * BDP_KB;
    outcome.setting("β of three flows that run the law", "1786, 3571 and 7143 B");
    outcome.measure("law_window", (first + second + third) / bdp);
    outcome.measure("law_queue", rest.queue / bdp);
    outcome.measure("law_share_of_second", second / first);
    outcome.measure("law_share_of_third", third / first);
    Ok(())
}

fn link(additive: Vec<f64>) -> Bottleneck {
    Bottleneck { family: Family::Power, gamma: GAMMA, interval: INTERVAL, additive }
}

fn approach(above: &[State], below: &[State], rest: f64) -> Chart {
    let distance = |way: &[State]| -> Vec<(f64, f64)> {
        way.iter().map(|state| (state.time, (state.window() - rest).abs())).collect()
    };
    let theory =
        (0..=100).map(|step| f64::from(step) / 10.0).map(|t| (t, 3.0 * libm::exp(-t * GAMMA / INTERVAL)));
    Chart {
        title: "Theorem 2: the way to equilibrium is exponential".into(),
        x: Axis::linear("Time (base round trips)").from_to(0.0, 8.0),
        y: Axis::log("Distance of the window (BDP)").from_to(1e-3, 5.0),
        series: vec![
            Series::line("from 3 BDP, with a queue", distance(above)),
            Series::line("from 0.3 BDP", distance(below)),
            Series::guide("slope of the time constant δt/γ", theory),
        ],
        notes: vec!["BDP: bandwidth-delay product.".into()],
    }
}

/// How many base round trips the picture of the shares has.
const SHOWN: f64 = 120.0;

fn shares(together: &[State]) -> Chart {
    let flow = |index: usize| -> Vec<(f64, f64)> {
        together.iter().take_while(|state| state.time <= SHOWN).map(|s| (s.time, s.windows[index])).collect()
    };
    Chart {
        title: "Theorem 3: windows in the ratio of the additive increases".into(),
        x: Axis::linear("Time (base round trips)").from_to(0.0, SHOWN),
        y: Axis::linear("Window (bandwidth-delay products)").from_to(0.0, 0.9),
        series: vec![Series::line("β", flow(0)), Series::line("2 β", flow(1)), Series::line("4 β", flow(2))],
        notes: vec![],
    }
}
