//! See `papers/powertcp/`.

pub(super) mod buffers;
mod closed_loop;
pub(super) mod fig2;
pub(super) mod fig3;
pub(super) mod fig4;
pub(super) mod fig5;
pub(super) mod fig6;
pub(super) mod fig7;
pub(super) mod fig8a;
pub(super) mod fig8b;
pub(super) mod homa_own;
pub(super) mod overcommitment;
pub(super) mod property1;
mod schemes;
mod tails;
pub(super) mod thm1_3;
pub(super) mod thm1_3_packets;

use super::Outcome;
use plimsoll_cc::powertcp::{Params, PowerTcp};
use plimsoll_cc::{Configure, Host};
use plimsoll_units::{Bytes, Rate, Span};

/// The link of Figs. 2 and 3.
const LINK: Rate = Rate::from_gbps(100);
const BASE_RTT: Span = Span::from_us(20);
/// LINK · BASE_RTT, in kB.
const BDP_KB: f64 = 250.0;
/// γ, and δt in base round trips.
const GAMMA: f64 = 0.9;
const INTERVAL: f64 = 1.0;
/// Σβ in bandwidth-delay products.
const ADDITIVE: f64 = 0.05;

fn host() -> Host {
    Host { nic_rate: LINK, base_rtt: BASE_RTT, mtu: Bytes::new(1_048), mss: Bytes::new(1_000) }
}

fn law() -> Result<PowerTcp, String> {
    PowerTcp::new(&Params::nsdi22(), &host()).map_err(|error| error.to_string())
}

fn settings(outcome: &mut Outcome) {
    outcome.setting("link", LINK);
    outcome.setting("base round trip τ", BASE_RTT);
    outcome.setting("bandwidth-delay product", format!("{BDP_KB} kB"));
}

/// What the differential equations were told.
fn model_settings(outcome: &mut Outcome) {
    settings(outcome);
    outcome.setting("γ", GAMMA);
    outcome.setting("δt", format!("{INTERVAL} τ"));
    outcome.setting("Σβ", format!("{ADDITIVE} bandwidth-delay products"));
}
