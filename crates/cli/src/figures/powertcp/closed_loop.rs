//! PowerTCP's law itself at one bottleneck: a fluid link that leaves telemetry, acks a round trip later.

use super::{BASE_RTT, LINK, host};
use plimsoll_cc::powertcp::{Flow, Params, PowerTcp};
use plimsoll_cc::{Ack, Configure, CongestionControl, HopRecord, Path, Telemetry};
use plimsoll_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// Steps per base round trip.
const STEPS: u32 = 100;

/// What stands at the bottleneck, in bytes.
pub(super) struct Rest {
    /// Each flow's window.
    pub(super) windows: Vec<f64>,
    pub(super) queue: f64,
}

/// An ack on its way: when it arrives, what it carries, and what each flow had sent up to it.
struct Pending {
    due: f64,
    record: HopRecord,
    sent: Vec<f64>,
}

/// Where flows with these additive increases are after so many base round trips, if all start at line rate.
pub(super) fn settle(betas: &[Bytes], round_trips: u32) -> Result<Rest, String> {
    let laws = betas.iter().map(|&beta| law(beta)).collect::<Result<Vec<_>, _>>()?;
    let path = Path { base_rtt: BASE_RTT, hops: 1, seed: 0 };
    let mut flows: Vec<Flow> = laws.iter().map(|law| law.start(&path).0).collect();
    let (bandwidth, tau) = (LINK.as_bytes_per_second_f64(), BASE_RTT.as_secs_f64());
    let step = tau / f64::from(STEPS);
    let (mut queue, mut served, mut now) = (0.0, 0.0, 0.0);
    let mut sent = vec![0.0; flows.len()];
    let mut acks: VecDeque<Pending> = VecDeque::new();
    for _ in 0..round_trips * STEPS {
        let round_trip = queue / bandwidth + tau;
        let mut waiting = queue;
        for (flow, sent) in flows.iter().zip(&mut sent) {
            let bytes = flow.window() / round_trip * step;
            *sent += bytes;
            waiting += bytes;
        }
        let leaving = waiting.min(bandwidth * step);
        (queue, served, now) = (waiting - leaving, served + leaving, now + step);
        let record = HopRecord {
            time: Time::after_start(Span::saturating_from_secs_f64(now)),
            sent: Bytes::saturating_from_f64(served),
            queue: Bytes::saturating_from_f64(queue),
            rate: LINK,
        };
        acks.push_back(Pending { due: now + queue / bandwidth + tau, record, sent: sent.clone() });
        while acks.front().is_some_and(|ack| ack.due <= now) {
            let Some(arrived) = acks.pop_front() else { break };
            let hops = [arrived.record];
            for (index, (law, flow)) in laws.iter().zip(&mut flows).enumerate() {
                let ack = Ack {
                    acked_to: Bytes::saturating_from_f64(arrived.sent[index]),
                    sent_to: Bytes::saturating_from_f64(sent[index]),
                    hops: 1,
                    telemetry: Telemetry::Hops(&hops),
                    ..Ack::default()
                };
                law.on_ack(flow, &ack);
            }
        }
    }
    Ok(Rest { windows: flows.iter().map(Flow::window).collect(), queue })
}

/// The paper's law. Its own bound of one product and β would hold a flow alone just where Theorem 1 says
/// that it rests, so the bound is far away.
fn law(beta: Bytes) -> Result<PowerTcp, String> {
    let params = Params { beta: Some(beta), max_bdp: Some(10.0), ..Params::nsdi22() };
    PowerTcp::new(&params, &host()).map_err(|error| error.to_string())
}
