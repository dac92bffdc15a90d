//! The order of upgrades: as given, or the best next one each time.

use super::deployment::{Set, Unit};
use super::measure::{Metric, Row};
use super::study::Study;
use crate::error::Error;

/// Steps in order; those that the user did not wait for are not there.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
}

/// One upgrade, and what the network is worth after it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// What is upgraded; empty for the network as it was.
    pub(crate) upgraded: String,
    /// The switches that have INT now.
    pub(crate) set: Set,
    pub(crate) row: Row,
}

/// The units in the order in which they come.
pub(crate) fn follow(study: &mut Study, units: &[Unit]) -> Result<Plan, Error> {
    let mut sets = vec![(String::new(), study.none())];
    let mut so_far = study.none();
    for unit in units {
        so_far.extend(&unit.switches);
        sets.push((unit.name.clone(), so_far.clone()));
    }
    // All at once, so that all cores have work to the end.
    let mut all: Vec<Set> = sets.iter().map(|(_, set)| set.clone()).collect();
    all.push(study.full());
    study.run(&all)?;
    let step = |(upgraded, set): (String, Set)| {
        let row = study.row(&set)?.clone();
        Some(Step { upgraded, set, row })
    };
    Ok(Plan { steps: sets.into_iter().map_while(step).collect() })
}

/// Each time the unit with which the metric is best; of equals the first. At most `most` steps.
pub(crate) fn search(study: &mut Study, units: &[Unit], metric: Metric, most: usize) -> Result<Plan, Error> {
    let none = study.none();
    study.run(&[none.clone(), study.full()])?;
    let mut plan = Plan::default();
    let Some(row) = study.row(&none).cloned() else { return Ok(plan) };
    plan.steps.push(Step { upgraded: String::new(), set: none.clone(), row });
    let mut left: Vec<&Unit> = units.iter().collect();
    let mut so_far = none;
    while !left.is_empty() && plan.steps.len() <= most {
        let with = |unit: &Unit| -> Set { so_far.union(&unit.switches).copied().collect() };
        let candidates: Vec<Set> = left.iter().map(|unit| with(unit)).collect();
        study.run(&candidates)?;
        if study.tally.interrupted {
            break;
        }
        let Some(best) = best(study, &candidates, metric) else { break };
        let unit = left.remove(best);
        so_far.clone_from(&candidates[best]);
        let Some(row) = study.row(&so_far).cloned() else { break };
        plan.steps.push(Step { upgraded: unit.name.clone(), set: so_far.clone(), row });
    }
    Ok(plan)
}

/// The place of the deployment whose metric is best; one without the metric is worst, one that failed is none.
fn best(study: &Study, candidates: &[Set], metric: Metric) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, set) in candidates.iter().enumerate() {
        let Some(row) = study.row(set) else { continue };
        let value = row
            .metric(metric)
            .map_or(f64::INFINITY, |mean| if metric == Metric::Fairness { -mean.mean } else { mean.mean });
        if best.is_none_or(|(_, least)| value < least) {
            best = Some((place, value));
        }
    }
    best.map(|(place, _)| place)
}
