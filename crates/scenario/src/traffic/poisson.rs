//! Flows that arrive at random.

use super::choice::Choice;
use super::demand::{Demand, Targets};
use super::{Ground, Plan, Source};
use crate::problem::Kind;
use crate::random::Random;
use crate::select::{Hosts, Refusal};
use crate::sizes::Sizes;
use crate::table::table;
use plimsoll_cc::choice;
use plimsoll_units::Span;

choice! {
    /// What a load is a share of.
    pub enum LoadOf {
        /// Of each host's link.
        Hosts = "hosts",
        /// Of what a rack can send to others.
        RackUplinks = "rack-uplinks",
    }
}

choice! {
    /// Whom a host sends to.
    pub enum Destinations {
        /// Any other host.
        Any = "any",
        /// Any host of another rack.
        OtherRacks = "other-racks",
    }
}

table! {
    /// Flows that arrive at random: each sender is an independent Poisson process, each flow goes to a host
    /// drawn uniformly and has a size drawn from a distribution.
    pub struct Poisson in "traffic.poisson" {
        /// The senders.
        from: Hosts = Hosts::all(),
        /// The receivers to draw from.
        to: Hosts = Hosts::all(),
        /// How large flows are.
        size: Sizes = Sizes::Named(&crate::sizes::NAMED_SIZES[0]),
        /// The load: average bytes that are sent, over what could be.
        load: f64 where [0.000_001, 1.0] = 0.5,
        /// What the load is a share of: each of the "hosts" links, or the "rack-uplinks", the links of a rack
        /// to others, over which it is spread evenly over the rack's senders (PowerTCP's definition).
        load_of: LoadOf = LoadOf::Hosts,
        /// Whom a host sends to: "any" other host, or only hosts of "other-racks".
        destinations: Destinations = Destinations::Any,
        /// When arrivals begin.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When arrivals end; "auto" = with the scenario's `duration`, or 1 ms after the start if that is
        /// "auto" too.
        stop: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

/// One sender: the host, and how many bits it sends per second.
struct Sender {
    host: u32,
    bits: f64,
}

impl Poisson {
    fn other_racks(&self) -> bool {
        self.destinations == Destinations::OtherRacks
    }

    fn senders(&self, ground: &Ground<'_>) -> Result<Vec<Sender>, Refusal> {
        let from = ground.hosts("from", &self.from)?;
        let mut senders_of_rack = vec![0_u32; ground.racks.node.len()];
        for &host in &from {
            senders_of_rack[ground.racks.of_host[host as usize] as usize] += 1;
        }
        let bits = |host: u32| match self.load_of {
            LoadOf::Hosts => Ok(self.load * ground.host_rates[host as usize].as_bps_f64()),
            LoadOf::RackUplinks => {
                let rack = ground.racks.of_host[host as usize] as usize;
                let uplinks = ground.rack_rates[rack].as_bps_f64();
                if uplinks == 0.0 {
                    let message =
                        format!("rack{rack} has no links to other racks; use `load_of = \"hosts\"`");
                    return Err(Refusal::new(Kind::Contradiction, "load_of", message));
                }
                Ok(self.load * uplinks / f64::from(senders_of_rack[rack]))
            }
        };
        from.into_iter().map(|host| Ok(Sender { host, bits: bits(host)? })).collect()
    }

    fn prepare(&self, ground: &Ground<'_>) -> Result<(Vec<Sender>, Choice, Span), Refusal> {
        let senders = self.senders(ground)?;
        let to = ground.hosts("to", &self.to)?;
        let choice = Choice::new(ground, &to);
        let from: Vec<u32> = senders.iter().map(|sender| sender.host).collect();
        choice.check(ground, &from, self.other_racks())?;
        let stop = ground.stop(self.start, self.stop)?;
        let seconds = stop.saturating_sub(self.start).as_secs_f64();
        let bits: f64 = senders.iter().map(|sender| sender.bits).sum();
        ground.refuse_too_many(bits * seconds / 8.0 / self.size.distribution().mean(), "stop")?;
        Ok((senders, choice, stop))
    }
}

impl Source for Poisson {
    fn plan(
        &self,
        ground: &Ground<'_>,
        random: &dyn Fn(u64) -> Random,
        plan: &mut Plan,
    ) -> Result<(), Refusal> {
        let (senders, choice, stop) = self.prepare(ground)?;
        let sizes = self.size.distribution();
        let mean = sizes.mean();
        for Sender { host, bits } in senders {
            let mut random = random(u64::from(host));
            let mut now = self.start;
            loop {
                now = now.saturating_add(random.exponential(mean * 8.0 / bits));
                if now >= stop {
                    break;
                }
                let to = choice.draw(ground, &mut random, host, self.other_racks());
                let size = sizes.at(random.unit());
                plan.flow(host, to, size, now);
            }
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.prepare(ground).map(|_| ())
    }

    fn demand(&self, ground: &Ground<'_>, demand: &mut Demand<'_>) -> Result<(), Refusal> {
        let mut targets = Targets::new(ground, &ground.hosts("to", &self.to)?);
        for Sender { host, bits } in self.senders(ground)? {
            demand.spread(host, &mut targets, bits, self.other_racks());
        }
        demand.settle(&targets, self.other_racks());
        demand.check("load")
    }
}
