//! `bpf/poseidon.bpf.c`.

use super::{bytes_per_second, not_in_kernel, reaches};
use crate::Error;
use crate::fixed::{q32, signed_q32};
use plimsoll_cc::poseidon::{Increase, Pace, Params, Poseidon, Signal, TargetShape, Update};
use plimsoll_cc::{CongestionControl, Host, Path};
use plimsoll_units::{Rate, Span};

const TARGET_POINTS: u32 = 1025;
const POINTS_PER_OCTAVE: u32 = 16;
const RATIO_STEPS: u64 = 1024;

pub(super) fn constants(params: &Params, law: &Poseidon, host: &Host) -> Result<Vec<u64>, Error> {
    if params.update != Update::Distance {
        return Err(not_in_kernel("update", &"ratio", "it has \"distance\""));
    }
    if params.target == TargetShape::SqrtCwnd {
        return Err(not_in_kernel(
            "target",
            &"sqrt-cwnd",
            "it has \"log-rate\", \"sqrt-rate\" and \"fixed\"",
        ));
    }
    // Beyond these the table of U would be too coarse, or its numbers too large for the program.
    if params.min_md < 0.01 {
        return Err(not_in_kernel("min_md", &params.min_md, "it has 0.01 and more"));
    }
    if params.max_mi > 100.0 {
        return Err(not_in_kernel("max_mi", &params.max_mi, "it has at most 100"));
    }
    let (fastest, slowest) = law.rate_range();
    let (smallest, largest) = law.window_bounds();
    let start = law.start(&Path { base_rtt: host.base_rtt, hops: 1, seed: 0 }).0.cwnd();
    // Gaps between packets in picoseconds, on a log scale.
    let gap = |rate: f64| libm::log2(host.mtu.as_f64() * 8.0 / rate * 1e12);
    let fastest_gap = gap(fastest.as_bps_f64());
    let octaves = gap(slowest.as_bps_f64()) - fastest_gap;
    if octaves > f64::from((TARGET_POINTS - 1) / POINTS_PER_OCTAVE) {
        return Err(Error::Refused(format!(
            "`min_rate = \"{slowest}\"` is too far below `max_rate = \"{fastest}\"` for the kernel's table"
        )));
    }
    let additive = match params.increase {
        Increase::Adaptive => 0,
        Increase::Additive => q32("additive_step", params.additive_step)?,
    };
    let ratios = Ratios::of(law);
    let mut words = vec![
        match params.signal {
            Signal::MaxHopDelay => 0,
            Signal::RoundTrip => 1,
            Signal::Brownfield => 2,
        },
        q32("start_cwnd", start)?,
        q32("min_cwnd", smallest)?,
        q32("max_cwnd", largest.min(MOST_PACKETS))?,
        q32("min_md", params.min_md)?,
        u64::from(params.retx_reset),
        host.mtu.get(),
        bytes_per_second(host),
        u64::from(params.pace == Pace::Always),
        signed_q32(fastest_gap),
        signed_q32(octaves),
        additive,
        ratios.first.wrapping_neg(),
        ratios.first + ratios.last,
        ratios.points_per_ps_q60,
    ];
    words.extend((0..TARGET_POINTS).map(|point| {
        // The law brings rates into its range; the last cell may end beyond it.
        let slower = libm::exp2(f64::from(point) / f64::from(POINTS_PER_OCTAVE));
        law.target(Rate::saturating_from_bps_f64(fastest.as_bps_f64() / slower)).as_ps()
    }));
    words.extend(ratios.table);
    Ok(words)
}

/// Windows beyond a million packets do not fit the program's arithmetic, nor any card of today.
pub(super) const MOST_PACKETS: f64 = 1_000_000.0;

/// U by the distance from the target, between the distances at which it reaches its bounds.
struct Ratios {
    /// So far above the target is the delay at the first point.
    first: u64,
    /// So far below it is the delay at the last.
    last: u64,
    points_per_ps_q60: u64,
    table: Vec<u64>,
}

impl Ratios {
    fn of(law: &Poseidon) -> Self {
        let at = |above: u64, below: u64| law.update_ratio(Span::from_ps(below), Span::from_ps(above));
        let (lowest, highest) = (at(u64::MAX >> 1, 0), at(0, u64::MAX >> 1));
        let first = reaches(|above| -at(above, 0), -lowest).max(1_000);
        let last = reaches(|below| at(0, below), highest).max(1_000);
        let range = (first + last) as f64;
        // The last entry is there twice, so that its cell ends somewhere.
        let table = (0..=RATIO_STEPS + 1).map(|step| {
            let from_first = libm::round(step.min(RATIO_STEPS) as f64 / RATIO_STEPS as f64 * range) as u64;
            let ratio = at(first.saturating_sub(from_first), from_first.saturating_sub(first));
            libm::round(ratio * 4_294_967_296.0) as u64
        });
        Self {
            first,
            last,
            points_per_ps_q60: libm::round(RATIO_STEPS as f64 / range * 2_f64.powi(60)) as u64,
            table: table.collect(),
        }
    }
}
