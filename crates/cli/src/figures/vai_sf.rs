//! See `papers/vai-sf/`.

pub(super) mod alg1_2;
pub(super) mod eq1;
pub(super) mod example_iv;
pub(super) mod fig4;
pub(super) mod sf_condition;

use plimsoll_cc::Configure;
use plimsoll_cc::swift::{Params, Swift};
use plimsoll_scenario::HostParams;
use plimsoll_units::Span;

/// Swift as the paper runs it, on the paper's hosts.
fn law() -> Result<Swift, String> {
    Swift::new(&Params::vai_sf(), &HostParams::hpcc().host()).map_err(|error| error.to_string())
}

fn us(us: f64) -> Span {
    Span::saturating_from_secs_f64(us * 1e-6)
}
