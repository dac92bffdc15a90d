//! §IV: when sampling by acks is fairer at first.

use crate::draws::Draws;
use crate::figures::{Effort, Outcome, logarithmic};
use plimsoll_fluid::sampling::Pair;
use plimsoll_report::{Axis, Chart, Series};
use plimsoll_units::{Rate, Span};

pub(crate) fn compute(effort: Effort) -> Result<Outcome, String> {
    let draws = effort.pick(2_000, 10_000);
    let mut random = Draws::seeded(3);
    let (mut counted, mut agreeing) = (0_usize, 0_usize);
    while counted < draws {
        let faster = random.log_between(1e9, 400e9);
        let pair = Pair {
            faster: Rate::saturating_from_bps_f64(faster),
            slower: Rate::saturating_from_bps_f64(faster * random.between(0.01, 0.99)),
            round_trip: Span::saturating_from_secs_f64(random.log_between(1e-6, 1e-3)),
            acks: 1 + random.below(1_000) as u32,
            ..Pair::figure_4()
        };
        let balance = balance(&pair);
        // Close to equality the advantage is too small for floating point to see its sign.
        if (balance - 1.0).abs() < 0.01 {
            continue;
        }
        let soon = pair.round_trip.saturating_scale(1e-3 / balance.max(1.0));
        counted += 1;
        agreeing += usize::from(pair.condition() == (pair.advantage(soon) > 0.0));
    }
    let mut outcome = Outcome::default();
    outcome.setting("random draws", draws);
    outcome.setting("rates; round trips; acks", "1 to 400 Gb/s; 1 µs to 1 ms; 1 to 1000");
    outcome.measure("agreeing_percent", 100.0 * agreeing as f64 / draws as f64);
    let border = logarithmic(1e9, 400e9, 50).map(|sum| (sum / 1e9, 30.0 * 1_000.0 * 8.0 / sum * 1e6));
    outcome.chart(
        "border",
        Chart {
            title: "Sampling every 30 acks is fairer at first above the line".into(),
            x: Axis::log("Sum of the two rates (Gb/s)"),
            y: Axis::log("Round trip (µs)"),
            series: vec![Series::line("r = s · MTU / (C1 + C0)", border)],
            notes: vec!["s = 30, MTU = 1000 B.".into()],
        },
    );
    Ok(outcome)
}

/// r (C₁ + C₀) / (s · MTU): the condition is that this exceeds 1.
fn balance(pair: &Pair) -> f64 {
    let sum = pair.faster.as_bps_f64() + pair.slower.as_bps_f64();
    sum * pair.round_trip.as_secs_f64() / (f64::from(pair.acks) * pair.packet.as_f64() * 8.0)
}
