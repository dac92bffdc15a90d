//! What the figures of the multi-hop scenario (Fig. 14a) have in common.

use crate::figures::observed::{Observed, Window};

/// M green and N blue flows, step by step.
pub(in crate::figures) const STEPS: [(u32, u32); 5] = [(0, 0), (0, 2), (2, 2), (2, 9), (9, 9)];

/// When each step begins and ends.
pub(in crate::figures) fn steps(run: &Observed) -> Vec<Window> {
    let begins = ["blue", "green", "more-blue", "more-green"].map(|group| run.start(group));
    run.steps(&[0.0, begins[0], begins[1], begins[2], begins[3]])
}

/// The last third of each step.
pub(in crate::figures) fn settled(run: &Observed) -> Vec<Window> {
    steps(run).into_iter().map(|step| step.last(1.0 / 3.0)).collect()
}

/// The victim's max-min fair share of 200 Gb/s.
pub(in crate::figures) fn fair(step: (u32, u32)) -> f64 {
    200.0 / f64::from(step.0.max(step.1) + 1)
}

/// The fair share over time, as a curve with corners.
pub(in crate::figures) fn fair_curve(run: &Observed) -> Vec<(f64, f64)> {
    let corners = |(window, step): (Window, (u32, u32))| [(window.from, fair(step)), (window.to, fair(step))];
    steps(run).into_iter().zip(STEPS).flat_map(corners).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fair_share_is_that_of_the_fuller_hop() {
        assert_eq!(STEPS.map(fair), [200.0, 200.0 / 3.0, 200.0 / 3.0, 20.0, 20.0]);
    }
}
