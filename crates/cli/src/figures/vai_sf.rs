//! See `papers/vai-sf/`.

pub(super) mod alg1_2;
pub(super) mod claim_2x;
pub(super) mod eq1;
pub(super) mod example_iv;
mod fat_tree;
pub(super) mod fig10;
pub(super) mod fig11;
pub(super) mod fig12;
pub(super) mod fig13;
pub(super) mod fig1ac;
pub(super) mod fig1bd;
pub(super) mod fig2;
pub(super) mod fig3;
pub(super) mod fig4;
pub(super) mod fig5ab;
pub(super) mod fig5cd;
pub(super) mod fig6ab;
pub(super) mod fig6cd;
pub(super) mod fig7;
pub(super) mod fig8_9;
mod finishes;
mod incast;
mod medians;
pub(super) mod powertcp;
pub(super) mod sf_condition;
mod tails;
mod with_mechanisms;

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
