//! An incast that wanders from host to host.

use super::demand::{Demand, Targets};
use super::{Ground, Plan, Source};
use crate::problem::Kind;
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::table::table;
use crate::workload::Start;
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};

table! {
    /// All senders send to the same host; when each has sent one message, all turn to the next (Poseidon,
    /// §5.5). Senders begin at random moments of the first round and keep their distance; each pair has one
    /// connection.
    pub struct RotatingIncast in "traffic.rotating-incast" {
        /// The senders.
        from: Hosts,
        /// The receivers, in the order in which they take their turns; none may be a sender.
        to: Hosts,
        /// Bytes of each message.
        size: Bytes where [Bytes::new(1), Bytes::from_mb(1_000_000_000)] = Bytes::new(131_072),
        /// What each sender sends on average: it sets the time between two rounds.
        rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)] = Rate::from_mbps(500),
        /// When the first round begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When messages end; "auto" = with the scenario's `duration`, or 1 ms after the start if that is
        /// "auto" too.
        stop: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

impl RotatingIncast {
    fn round(&self) -> Span {
        self.rate.checked_serialize(self.size, Rounding::Up).unwrap_or(Span::MAX).max(Span::from_ps(1))
    }

    fn prepare(&self, ground: &Ground<'_>) -> Result<(Vec<u32>, Vec<u32>, Span), Refusal> {
        let from = ground.hosts("from", &self.from)?;
        let to = ground.hosts("to", &self.to)?;
        if let Some(both) = from.iter().find(|host| to.contains(host)) {
            let message = format!(
                "{} is a sender as well; senders and receivers must differ",
                ground.network.name(*both)
            );
            return Err(Refusal::new(Kind::Contradiction, "to", message));
        }
        let stop = ground.stop(self.start, self.stop)?;
        let rounds = stop.saturating_sub(self.start) / self.round();
        ground.refuse_too_many(rounds * from.len() as f64, "stop")?;
        Ok((from, to, stop))
    }
}

impl Source for RotatingIncast {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let (from, to, stop) = self.prepare(ground)?;
        let round = self.round();
        for sender in from {
            let mut now = self.start.saturating_add(round.saturating_scale(random(u64::from(sender)).unit()));
            let mut connections = vec![None; to.len()];
            for turn in (0..to.len()).cycle() {
                if now >= stop {
                    break;
                }
                let connection =
                    *connections[turn].get_or_insert_with(|| plan.connection(sender, to[turn], Time::NEVER));
                plan.message(connection, self.size, Start::At(Time::after_start(now)));
                now = now.saturating_add(round);
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }

    fn demand(&self, ground: &Ground<'_>, demand: &mut Demand<'_>) -> Result<(), Refusal> {
        let mut targets = Targets::new(ground, &ground.hosts("to", &self.to)?);
        for host in ground.hosts("from", &self.from)? {
            demand.spread(host, &mut targets, self.rate.as_bps_f64(), false);
        }
        demand.settle(&targets, false);
        demand.check("rate")
    }
}
