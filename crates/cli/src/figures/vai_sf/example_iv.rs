//! The example of §IV: halving everybody keeps unfairness.

use super::{law, us};
use crate::figures::{Effort, Outcome};
use plimsoll_cc::swift::Params;

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let law = law()?;
    let target = law.target(1, 1_000.0);
    // A new flow doubles the load: the delay is far above the target, and the decrease is the
    // largest that Swift allows.
    let factor = law.decrease_factor(us(20.0 * target.as_us_f64()), target);
    let (old, new) = (0.5 * factor, 1.0 * factor);
    let mut outcome = Outcome::default();
    outcome.setting("rates before", "B/2, B/2 and, new, B");
    outcome.setting("max_mdf", Params::vai_sf().max_mdf);
    outcome.measure("old", old);
    outcome.measure("new", new);
    outcome.measure("ratio", new / old);
    Ok(outcome)
}
