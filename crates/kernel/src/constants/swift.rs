//! `bpf/swift.bpf.c`.

use super::poseidon::MOST_PACKETS;
use super::{bytes_per_second, not_in_kernel};
use crate::Error;
use crate::fixed::{q32, signed_q32};
use plimsoll_cc::coin::Decrease;
use plimsoll_cc::swift::{Pacing, Params, Swift, Windows};
use plimsoll_cc::{CongestionControl, Host, Path};
use plimsoll_units::Span;

const TARGET_POINTS: u32 = 1601;
const TARGET_POINTS_PER_OCTAVE: u32 = 32;
const DECREASE_POINTS: u32 = 1025;
const DECREASE_POINTS_PER_OCTAVE: u32 = 64;

pub(super) fn constants(params: &Params, law: &Swift, host: &Host, hops: u32) -> Result<Vec<u64>, Error> {
    if params.windows != Windows::Fabric {
        let instead = "TCP's acks do not tell the receiver's delay: it has \"fabric\"";
        return Err(not_in_kernel("windows", &"fabric-and-endpoint", instead));
    }
    if params.decrease != Decrease::Always {
        return Err(not_in_kernel("decrease", &"probabilistic", "it has \"always\""));
    }
    let (smallest, largest) = law.window_bounds();
    let largest = largest.min(MOST_PACKETS);
    let octaves = libm::log2(largest / smallest);
    if octaves > f64::from((TARGET_POINTS - 1) / TARGET_POINTS_PER_OCTAVE) {
        return Err(Error::Refused(format!("`min_cwnd = {smallest:?}` is too small for the kernel's table")));
    }
    let start = law.start(&Path { base_rtt: host.base_rtt, hops, seed: 0 }).0.cwnd();
    let mut words = vec![
        q32("start_cwnd", start)?,
        q32("min_cwnd", smallest)?,
        q32("max_cwnd", largest)?,
        q32("ai", law.additive_increase())?,
        q32("max_mdf", 1.0 - params.max_mdf)?,
        u64::from(params.retx_reset),
        host.mtu.get(),
        bytes_per_second(host),
        u64::from(params.pacing == Pacing::Always),
        signed_q32(libm::log2(smallest)),
    ];
    words.extend((0..TARGET_POINTS).map(|point| {
        let times = libm::exp2(f64::from(point) / f64::from(TARGET_POINTS_PER_OCTAVE));
        law.target(hops, smallest * times).as_ps()
    }));
    // What counts is the quotient, so one target stands for all.
    let target = Span::from_us(1_000);
    for point in 0..DECREASE_POINTS {
        let times = libm::exp2(f64::from(point) / f64::from(DECREASE_POINTS_PER_OCTAVE));
        let delay = Span::from_ps(libm::round(target.as_ps() as f64 * times) as u64);
        words.push(q32("beta", law.decrease_factor(delay, target))?);
    }
    Ok(words)
}
