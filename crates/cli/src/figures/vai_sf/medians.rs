//! Figs. 12 and 13: the median flow of each size.

use super::fat_tree::Pools;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(super) fn compute(runs: &Runs, workload: &str) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let pools = Pools::of(runs);
    outcome.measure("hpcc_small", 100.0 * pools.hpcc.change_of_small_medians());
    outcome.measure("swift_small", 100.0 * pools.swift.change_of_small_medians());
    let long = |pool: &super::fat_tree::Pool| pool.long_percentile(0.5);
    outcome.measure("swift_long", long(&pools.swift.default) / long(&pools.hpcc.default));
    pools.describe(&mut outcome, 0.5);
    let title = format!("{workload}: median by size");
    outcome.chart("median", pools.chart(&title, "Median of the slowdown", 0.5));
    Ok(outcome)
}
