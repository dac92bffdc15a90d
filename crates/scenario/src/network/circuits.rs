//! The calendar of a network whose racks are joined by circuits in turn.
//!
//! Time is divided into slots of a day and a night, from time zero on. In the day of slot k the circuit switch
//! joins rack i to rack (i + k + 1) mod racks, one way; in the night it turns and joins nobody. After as many slots
//! as there are matchings the week is over and begins anew.

use super::Network;
use plimsoll_units::{Bytes, Span};

/// Racks joined by circuits in turn and by a packet network always. A rack is the switch that its hosts' links lead
/// to, a ToR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuits {
    /// The node of the first ToR; the others follow.
    pub first_tor: u32,
    /// How many ToRs.
    pub tors: u32,
    /// The switch that is the packet network.
    pub core: u32,
    /// The link from the first ToR to the packet network; those of the others follow.
    pub first_uplink: u32,
    /// The first link between two ToRs; all from here on are such.
    pub first_circuit: u32,
    /// Slots of a week.
    pub matchings: u32,
    /// How long circuits are up in each slot.
    pub day: Span,
    /// How long the circuit switch takes to turn.
    pub night: Span,
    /// How long before its day a pair is told of its circuit.
    pub prebuffer: Span,
    /// The most bytes that wait for one rack; `None` = any number.
    pub voq_capacity: Option<Bytes>,
    /// The same for a pair that was told of its circuit.
    pub voq_capacity_circuit: Option<Bytes>,
}

/// A pair of racks in its week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The circuit is up, still for this long.
    Day(Span),
    /// It will be, after this long.
    Before(Span),
    /// It never is: no matching joins the two.
    Never,
}

impl Circuits {
    /// A day and a night.
    #[must_use]
    pub fn slot(&self) -> Span {
        self.day.saturating_add(self.night)
    }

    /// All slots.
    #[must_use]
    pub fn week(&self) -> Span {
        self.slot().saturating_mul(u64::from(self.matchings))
    }

    /// The slot whose matching joins ToR `from` to ToR `to`, both counted from the first; there is none for the same
    /// ToR twice, and none if there are too few matchings.
    #[must_use]
    pub fn slot_of(&self, from: u32, to: u32) -> Option<u32> {
        let ahead = (to + self.tors - from) % self.tors;
        ahead.checked_sub(1).filter(|slot| *slot < self.matchings)
    }

    /// Where in its week the pair that is joined in slot `slot` is, this long after the start.
    #[must_use]
    pub fn moment(&self, slot: u32, since_start: Span) -> Moment {
        if slot >= self.matchings {
            return Moment::Never;
        }
        let week = self.week().as_ps();
        let begin = self.slot().as_ps() * u64::from(slot);
        let since_begin = (since_start.as_ps() % week + week - begin) % week;
        match self.day.as_ps().checked_sub(since_begin) {
            Some(left) if left > 0 => Moment::Day(Span::from_ps(left)),
            _ => Moment::Before(Span::from_ps(week - since_begin)),
        }
    }

    /// Whether the pair that is joined in slot `slot` has its circuit, or is told that it soon will.
    #[must_use]
    pub fn is_announced(&self, slot: u32, since_start: Span) -> bool {
        match self.moment(slot, since_start) {
            Moment::Day(_) => true,
            Moment::Before(wait) => wait <= self.prebuffer,
            Moment::Never => false,
        }
    }

    /// Whether a link joins two ToRs.
    #[must_use]
    pub fn is_circuit(&self, link: u32) -> bool {
        link >= self.first_circuit
    }

    /// Whether a link joins a ToR to the packet network.
    #[must_use]
    pub fn is_uplink(&self, link: u32) -> bool {
        (self.first_uplink..self.first_uplink + self.tors).contains(&link)
    }

    /// The port by which ToR `from` sends to ToR `to` through the circuit switch; its queue is what waits at the one
    /// for the other.
    #[must_use]
    pub fn port(&self, from: u32, to: u32) -> u32 {
        let (low, high) = (from.min(to), from.max(to));
        // Pairs are in the order (0, 1), (0, 2) … (1, 2) and so on.
        let pair = low * (2 * self.tors - low - 1) / 2 + (high - low - 1);
        2 * (self.first_circuit + pair) + u32::from(from > to)
    }
}

impl Network {
    /// Whether a switch is the packet network between racks that circuits join as well. It writes no telemetry, so
    /// that the records of a packet tell of the same queues whichever way it went.
    #[must_use]
    pub fn is_packet_core(&self, node: u32) -> bool {
        self.circuits.as_ref().is_some_and(|circuits| circuits.core == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PowerTCP's: 25 ToRs, 24 matchings, 225 µs and 20 µs.
    fn powertcp() -> Circuits {
        Circuits {
            first_tor: 250,
            tors: 25,
            core: 275,
            first_uplink: 250,
            first_circuit: 275,
            matchings: 24,
            day: Span::from_us(225),
            night: Span::from_us(20),
            prebuffer: Span::from_us(600),
            voq_capacity: None,
            voq_capacity_circuit: None,
        }
    }

    #[test]
    fn a_week_is_24_slots_of_245_us() {
        assert_eq!(powertcp().week(), Span::from_us(5_880));
    }

    #[test]
    fn every_pair_has_its_own_slot_and_every_slot_joins_each_rack_to_one_and_from_one() {
        let circuits = powertcp();
        for slot in 0..24 {
            let mut reached = vec![0; 25];
            for from in 0..25 {
                let joined: Vec<u32> =
                    (0..25).filter(|to| circuits.slot_of(from, *to) == Some(slot)).collect();
                assert_eq!(joined, [(from + slot + 1) % 25]);
                reached[joined[0] as usize] += 1;
            }
            assert_eq!(reached, vec![1; 25]);
        }
        assert_eq!(circuits.slot_of(7, 7), None);
        // With three matchings only the next three racks are ever reached.
        let few = Circuits { matchings: 3, ..circuits };
        assert_eq!((few.slot_of(24, 2), few.slot_of(24, 3)), (Some(2), None));
    }

    #[test]
    fn a_pair_is_in_its_day_or_waits_for_it() {
        let circuits = powertcp();
        let us = Span::from_us;
        // Slot 2 begins at 490 µs and its day ends at 715 µs; the week is 5880 µs.
        assert_eq!(circuits.moment(2, us(489)), Moment::Before(us(1)));
        assert_eq!(circuits.moment(2, us(490)), Moment::Day(us(225)));
        assert_eq!(circuits.moment(2, us(714)), Moment::Day(us(1)));
        assert_eq!(circuits.moment(2, us(715)), Moment::Before(us(5_655)));
        assert_eq!(circuits.moment(2, us(3 * 5_880 + 500)), Moment::Day(us(215)));
        assert_eq!(circuits.moment(0, us(0)), Moment::Day(us(225)));
        assert_eq!(circuits.moment(24, us(0)), Moment::Never);
    }

    #[test]
    fn a_circuit_is_announced_as_long_before_its_day_as_prebuffering_says() {
        let circuits = powertcp();
        // Slot 3 begins at 735 µs; 600 µs before is 135 µs.
        let announced = |us| circuits.is_announced(3, Span::from_us(us));
        assert_eq!([134, 135, 735, 959, 960].map(announced), [false, true, true, true, false]);
    }

    #[test]
    fn pairs_are_numbered_by_the_lower_rack_and_then_by_the_higher() {
        let circuits = powertcp();
        let mut ports = Vec::new();
        for low in 0..25 {
            for high in low + 1..25 {
                ports.extend([circuits.port(low, high), circuits.port(high, low)]);
            }
        }
        assert_eq!(ports, (2 * 275..2 * (275 + 300)).collect::<Vec<u32>>());
    }
}
