//! See `papers/poseidon/`.

pub(super) mod app_b3;
pub(super) mod fig6;
pub(super) mod fig7a;
pub(super) mod fig7b;
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
