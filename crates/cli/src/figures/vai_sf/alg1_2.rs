//! Algorithms 1 and 2: tokens and dampener, round by round.

use crate::figures::{Effort, Outcome};
use plimsoll_cc::reference::Congestion;
use plimsoll_cc::vai::{Tokens, VariableIncrease};
use plimsoll_report::{Axis, Chart, Marks, Series};

/// The paper's numbers for HPCC, in bytes.
const HPCC: VariableIncrease = VariableIncrease {
    token_threshold: 50_000.0,
    token_size: 1_000.0,
    bank_cap: 1_000.0,
    ai_cap: 100.0,
    dampener_constant: 8.0,
};

/// The largest queue of each round in bytes, and whether the round was congested: two surges, a
/// lesser one, and calm.
const ROUNDS: [(f64, bool); 6] =
    [(120e3, true), (60e3, true), (10e3, true), (10e3, true), (0.0, false), (0.0, false)];

/// After a round: before the increases are paid for.
struct Round {
    bank: f64,
    dampener: f64,
    increases: f64,
}

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let mut tokens = Tokens::default();
    let rounds: Vec<Round> = ROUNDS
        .iter()
        .map(|&(level, congested)| {
            tokens.observe(&Congestion { level, baseline: 0.0, congested });
            HPCC.close_round(&mut tokens);
            let (bank, dampener) = (tokens.bank(), tokens.dampener());
            let increases = HPCC.increases(&tokens);
            HPCC.pay(&mut tokens);
            Round { bank, dampener, increases }
        })
        .collect();
    let mut outcome = Outcome::default();
    outcome.setting("threshold; bytes per token", "50 kB; 1 kB");
    outcome.setting("bank_cap; ai_cap; damp_const", "1000; 100; 8");
    outcome.setting("largest queue of each round", "120, 60, 10, 10, 0, 0 kB");
    let [first, second, third, .., last] = rounds.as_slice() else { return Err("six rounds".into()) };
    outcome.measure("bank_1", first.bank);
    outcome.measure("increases_1", first.increases);
    outcome.measure("bank_2", second.bank);
    outcome.measure("increases_2", second.increases);
    outcome.measure("dampener_3", third.dampener);
    outcome.measure("increases_3", third.increases);
    outcome.measure("dampener_6", last.dampener);
    let curve = |pick: fn(&Round) -> f64| {
        rounds.iter().enumerate().map(|(index, round)| (index as f64 + 1.0, pick(round))).collect::<Vec<_>>()
    };
    outcome.chart(
        "tokens",
        Chart {
            title: "Two surges of the queue, and what follows".into(),
            x: Axis::linear("Round trip").from_to(0.5, 6.5),
            y: Axis::linear("Tokens, or additive increases").from_to(0.0, 130.0),
            series: vec![
                Series::line("bank before payment", curve(|round| round.bank)).marked(Marks::Points),
                Series::line("additive increases", curve(|round| round.increases)).marked(Marks::Points),
                Series::line("dampener", curve(|round| round.dampener)).marked(Marks::Points),
            ],
            notes: vec!["Largest queues: 120, 60, 10, 10, 0, 0 kB; the last two rounds are calm.".into()],
        },
    );
    Ok(outcome)
}
