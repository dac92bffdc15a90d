//! `bpf/theta_powertcp.bpf.c` and `bpf/powertcp.bpf.c`, which begin with the same constants.

use super::{bytes_per_second, not_in_kernel};
use crate::Error;
use crate::fixed::q32;
use plimsoll_cc::powertcp::{self, FirstPower, PowerTcp, RateChange, Reference};
use plimsoll_cc::round::Updates;
use plimsoll_cc::theta_powertcp::{self, BaseRtt, Cadence, ThetaPowerTcp};
use plimsoll_cc::{CongestionControl, Host, Path};
use plimsoll_wire::compact_hop::{RATES, UnitScale};

/// What both laws have.
struct Common {
    start: f64,
    bounds: (f64, f64),
    beta: f64,
    gamma: f64,
    boost_below: f64,
    boost_gamma: f64,
}

impl Common {
    fn words(&self, host: &Host) -> Result<Vec<u64>, Error> {
        Ok(vec![
            q24("start", self.start)?,
            q24("min_rate", self.bounds.0)?,
            q24("max_bdp", self.bounds.1)?,
            q24("beta", self.beta)?,
            q32("gamma", self.gamma)?,
            q32("boost_below", self.boost_below)?,
            q32("boost_gamma", self.boost_gamma)?,
            host.base_rtt.as_ns().max(1),
            q32("base_rtt", 1.0 / host.base_rtt.as_secs_f64())?,
            bytes_per_second(host),
        ])
    }
}

/// Bytes times 2²⁴; at most 32 GB, which four bandwidth-delay products of nobody reach.
fn q24(name: &str, bytes: f64) -> Result<u64, Error> {
    const MOST: f64 = 32e9;
    if bytes > MOST {
        return Err(Error::Refused(format!(
            "`{name}` asks for {bytes:.0} B in flight; the kernel's program ends at 32 GB"
        )));
    }
    Ok(libm::round(bytes * 16_777_216.0) as u64)
}

fn path(host: &Host) -> Path {
    Path { base_rtt: host.base_rtt, hops: 1, seed: 0 }
}

pub(super) fn theta(
    params: &theta_powertcp::Params,
    law: &ThetaPowerTcp,
    host: &Host,
) -> Result<Vec<u64>, Error> {
    let common = Common {
        start: law.start(&path(host)).0.window(),
        bounds: law.window_bounds(),
        beta: law.beta(),
        gamma: params.gamma,
        boost_below: params.boost_below,
        boost_gamma: params.boost_gamma,
    };
    let mut words = common.words(host)?;
    words.extend([
        q32("current_floor", params.current_floor)?,
        q32("margin", 1.0 / params.margin)?,
        u64::from(params.base_rtt == BaseRtt::SmallestSeen),
        match params.cadence {
            Cadence::Round => 0,
            Cadence::Ack => 1,
            Cadence::RoundSample => 2,
        },
    ]);
    Ok(words)
}

pub(super) fn power(params: &powertcp::Params, law: &PowerTcp, host: &Host) -> Result<Vec<u64>, Error> {
    if params.rate_change != RateChange::Smooth {
        return Err(not_in_kernel("rate_change", &"adopt", "it has \"smooth\""));
    }
    let common = Common {
        start: law.start(&path(host)).0.window(),
        bounds: law.window_bounds(),
        beta: law.beta(),
        gamma: params.gamma,
        boost_below: params.boost_below,
        boost_gamma: params.boost_gamma,
    };
    let scale = UnitScale::ONE;
    let mut words = common.words(host)?;
    words.extend([
        q32("eta", 1.0 / params.eta)?,
        q32("lambda_floor", params.lambda_floor)?,
        u64::from(params.reference == Reference::Committed),
        u64::from(params.first_power == FirstPower::Measured),
        u64::from(params.updates == Updates::EveryRound),
        libm::round(law.slack()) as u64,
        scale.sent_unit().get(),
        scale.queue_unit().get(),
    ]);
    for rate in RATES {
        words.push(q32("rate", rate.as_bytes_per_second_f64() / 1e9)?);
    }
    Ok(words)
}
