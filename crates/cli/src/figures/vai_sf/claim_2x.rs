//! The abstract's number: the tail of long flows, Hadoop.

use super::fat_tree::Pools;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let pools = Pools::of(runs);
    outcome.measure("hpcc", pools.hpcc.long_ratio(0.999));
    outcome.measure("swift", pools.swift.long_ratio(0.999));
    pools.describe(&mut outcome, 0.999);
    let y = "99.9th percentile of the slowdown";
    outcome.chart("decades", pools.decades("Hadoop: slowest flows by decade", y, 0.999));
    Ok(outcome)
}
