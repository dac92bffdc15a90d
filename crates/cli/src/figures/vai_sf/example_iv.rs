//! The example of §IV: halving everybody keeps unfairness.

use super::law;
use crate::figures::{Effort, Outcome};
use plimsoll_cc::swift::{Flow, Params, Swift};
use plimsoll_cc::{Ack, CongestionControl, Path};
use plimsoll_scenario::HostParams;
use plimsoll_units::{Bytes, Span, Time};

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let law = law()?;
    let path = Path { base_rtt: HostParams::hpcc().host().base_rtt, hops: 1, seed: 0 };
    let mut new = law.start(&path).0;
    // B is the window with which a flow starts; the old flows have been halved once.
    let line = new.cwnd();
    let mut old = new;
    congest(&law, &mut old, Time::ZERO);
    let before = old.cwnd() / line;
    let later = Time::after_start(Span::from_ms(10));
    congest(&law, &mut old, later);
    congest(&law, &mut new, later);
    let mut outcome = Outcome::default();
    outcome.setting("rates before", "B/2, B/2 and, new, B");
    outcome.setting("max_mdf", Params::vai_sf().max_mdf);
    outcome.measure("before", before);
    outcome.measure("old", old.cwnd() / line);
    outcome.measure("new", new.cwnd() / line);
    outcome.measure("ratio", new.cwnd() / old.cwnd());
    Ok(outcome)
}

/// An ack whose delay is far above the target, as when a new flow doubles the load: the largest
/// decrease that Swift allows.
fn congest(law: &Swift, flow: &mut Flow, now: Time) {
    let rtt = law.target(1, flow.cwnd()).saturating_mul(20);
    law.on_ack(flow, &Ack { now, rtt, acked: Bytes::new(1_000), hops: 1, ..Ack::default() });
}
