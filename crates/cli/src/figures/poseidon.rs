//! See `papers/poseidon/`.

pub(super) mod app_b3;
pub(super) mod claim_brownfield;
pub(super) mod claim_converge;
pub(super) mod claim_op;
pub(super) mod claim_rtt;
pub(super) mod claim_variation;
pub(super) mod fig12b;
pub(super) mod fig13b;
pub(super) mod fig14_text;
pub(super) mod fig14b;
pub(super) mod fig14c;
pub(super) mod fig14d;
pub(super) mod fig15a;
pub(super) mod fig15b;
pub(super) mod fig16ab;
pub(super) mod fig17a;
pub(super) mod fig17b;
pub(super) mod fig18a;
pub(super) mod fig18b;
pub(super) mod fig19a;
pub(super) mod fig19b;
pub(super) mod fig1abc;
pub(super) mod fig2;
pub(super) mod fig20a;
pub(super) mod fig20b;
pub(super) mod fig21a;
pub(super) mod fig21b;
pub(super) mod fig21c;
pub(super) mod fig21d;
pub(super) mod fig22;
pub(super) mod fig23ab;
pub(super) mod fig3;
pub(super) mod fig5;
pub(super) mod fig6;
pub(super) mod fig7a;
pub(super) mod fig7b;
pub(super) mod fig8_9;
pub(super) mod multihop;
pub(super) mod operations;
mod sensitivity;
pub(super) mod text_aimd;
pub(super) mod thm1;

use super::Outcome;
use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_cc::{Configure, Host};
use plimsoll_scenario::HostParams;
use plimsoll_units::Rate;

/// The paper's hosts.
fn host() -> Host {
    HostParams::poseidon().host()
}

fn law(params: &Params) -> Result<Poseidon, String> {
    Poseidon::new(params, &host()).map_err(|error| error.to_string())
}

/// The paper's Eqs. 3–5 have no bounds on a step, so neither has the law in their figures.
fn unbounded() -> Params {
    Params { max_mi: 1e6, min_md: 0.0, ..Params::nsdi23() }
}

fn gbps(rate: f64) -> Rate {
    Rate::saturating_from_bps_f64(rate * 1e9)
}

/// What the law was told.
fn settings(outcome: &mut Outcome, params: &Params) {
    outcome.setting("p", params.p);
    outcome.setting("k", params.k);
    outcome.setting("m", params.m);
    outcome.setting("line rate = max_rate", host().nic_rate);
    outcome.setting("min_rate", "20Mbps");
    outcome.setting("bounds of a step", format!("{} to {}", params.min_md, params.max_mi));
}
