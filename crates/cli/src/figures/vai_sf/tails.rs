//! Figs. 10 and 11: the slowest flows of each size.

use super::fat_tree::Pools;
use crate::figures::Outcome;
use crate::figures::runs::Runs;

pub(super) fn compute(runs: &Runs, workload: &str) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let pools = Pools::of(runs);
    outcome.measure("hpcc_long", pools.hpcc.long_ratio(0.99));
    outcome.measure("swift_long", pools.swift.long_ratio(0.99));
    outcome.measure("hpcc_points", pools.hpcc.tail_of_long_points());
    outcome.measure("swift_points", pools.swift.tail_of_long_points());
    outcome.measure("hpcc_small", pools.hpcc.tail_of_small_points());
    outcome.measure("swift_small", pools.swift.tail_of_small_points());
    pools.describe(&mut outcome, 0.99);
    pools.describe(&mut outcome, 0.999);
    let y = "99.9th percentile of the slowdown";
    outcome.chart("tail", pools.chart(&format!("{workload}: slowest flows by size"), y, 0.999));
    let y = "99th percentile of the slowdown";
    outcome.chart("decades", pools.decades(&format!("{workload}: slow flows by decade"), y, 0.99));
    Ok(outcome)
}
