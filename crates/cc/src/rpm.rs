//! RPM, Reverse Path Congestion Marking: the switch echoes congestion itself.
//!
//! ```text
//! the AQM says "mark" for a packet of flow f:   R[h(f)] += 1       (the packet stays unmarked)
//! a packet of the reversed flow passes, R[h(f)] ≥ 1:   set ECE, R[h(f)] −= 1
//!
//! with patience P > 0, T = 0 at the start:
//! a packet of the reversed flow passes:   T[h(f)] = P
//! the AQM says "mark", T[h(f)] ≥ 1:       T[h(f)] −= 1, and owe as above
//! the AQM says "mark", T[h(f)] = 0:       mark the packet: its acks do not come this way
//! ```
//!
//! A mark normally travels on to the receiver and back before the sender hears of it. RPM hands it
//! to the next packet that passes the switch in the other direction: the sender hears of congestion
//! after the part of the round trip that lies before the switch, whatever lies behind it.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | f | five-tuple of the data packets | |
//! | h | hash of a five-tuple to a slot | |
//! | R | marks owed, per slot | marks |
//! | P | how many marks a flow may be owed between two of its acks | marks |
//! | T | how many more it may be owed before one passes, per slot | marks |
//!
//! Source: Baganal-Krishna et al., "Accelerating End-host Congestion Response using P4 Programmable
//! Switches", Algorithm 1 (§V.A), aggregation (§III.C).
//!
//! # Deviations
//! - *Counter or bit*: the paper speaks of one bit per flow and increments a counter. We count;
//!   `most_owed = 1` makes it a bit. The counter has 16 bits and stays at its largest value.
//! - *Collisions*: "uniquely identifies each flow" holds for no hash. With `index = "flow-hash"`
//!   flows that share a slot pay each other's marks; `index = "exact"` numbers flows instead.
//! - *Per port*: one slot per port, as the paper's discussion suggests and calls aggressive.
//! - *Which packets*: every packet of the reversed tuple, with data or without, as in the paper.
//! - *Where on its way an ack is marked*, at the switch's entry or exit, is for the caller.
//! - *Asymmetric routes*: both directions must pass the switch, and the paper says only that a switch
//!   can check it and turn RPM off for flows that do not comply (§III.C). Ours trusts a flow for
//!   `patience` marks after each of its acks, and marks the data itself when trust is used up: a flow
//!   whose acks never come this way is marked forward from its first mark on, and one whose acks move
//!   away loses `patience` marks at most. Algorithm 1 checks nothing, which is `patience = 0`.

use crate::params::{ParamError, Parameters, Scalar};
use core::net::IpAddr;

crate::choice! {
    /// How a packet finds its slot.
    pub enum Index {
        /// By a hash of the five-tuple: collisions.
        FlowHash = "flow-hash",
        /// By the flow's number: none, as long as there is a slot for each.
        Exact = "exact",
        /// By the port: all flows of a port share a slot.
        Port = "port",
    }
}

crate::parameters! {
    /// RPM's parameters.
    pub struct Params {
        /// How a packet finds its slot.
        index: Index,
        /// How many slots the register has.
        slots: u32 where [1, 16_777_216],
        /// The most marks that a slot owes; further ones are forgotten.
        most_owed: u32 where [1, 65_535],
        /// How many marks a flow may be owed without one of its acks passing; then its marks go
        /// forward, since its acks take another way. 0 = any number: nothing is checked.
        patience: u32 where [0, 255],
        /// Seed of the hash.
        seed: u32 where [0, u32::MAX],
    }
    presets {
        "paper" => paper, "RPM, Algorithm 1: counters behind a hash of the five-tuple (65,536 slots are ours)",
        "one-bit" => one_bit, "RPM, §III.C: one bit per flow",
        "exact" => exact, "RPM, Algorithm 1, if the hash were unique",
        "per-port" => per_port, "RPM, §III.C: aggregated per port",
        "checked" => checked, "RPM, §III.C: off for flows whose acks take another way (patience 1 is ours)",
    }
}

impl Params {
    /// Algorithm 1.
    #[must_use]
    pub fn paper() -> Self {
        Self { index: Index::FlowHash, slots: 65_536, most_owed: 65_535, patience: 0, seed: 0 }
    }

    /// A flow owes a mark or none.
    #[must_use]
    pub fn one_bit() -> Self {
        Self { most_owed: 1, ..Self::paper() }
    }

    /// No collisions.
    #[must_use]
    pub fn exact() -> Self {
        Self { index: Index::Exact, ..Self::paper() }
    }

    /// One slot per port; 256 ports.
    #[must_use]
    pub fn per_port() -> Self {
        Self { index: Index::Port, slots: 256, ..Self::paper() }
    }

    /// Forward marks for flows whose acks do not pass.
    #[must_use]
    pub fn checked() -> Self {
        Self { patience: 1, ..Self::paper() }
    }
}

/// What identifies a flow in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FiveTuple {
    /// Where the packet comes from.
    pub source: IpAddr,
    /// Where it goes.
    pub destination: IpAddr,
    /// IP protocol number.
    pub protocol: u8,
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
}

impl FiveTuple {
    /// The tuple of packets in the other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            protocol: self.protocol,
            source_port: self.destination_port,
            destination_port: self.source_port,
        }
    }

    /// A hash that depends on every bit and on the direction.
    #[must_use]
    pub fn hash(&self, seed: u32) -> u64 {
        let ports = (u64::from(self.source_port) << 16) | u64::from(self.destination_port);
        let rest = ports | (u64::from(self.protocol) << 32);
        let mut hash = mix(u64::from(seed).wrapping_add(0x9E37_79B9_7F4A_7C15));
        for address in [self.source, self.destination] {
            let bits = match address {
                IpAddr::V4(address) => u128::from(address.to_bits()),
                IpAddr::V6(address) => address.to_bits(),
            };
            hash = mix(hash ^ (bits as u64));
            hash = mix(hash ^ ((bits >> 64) as u64));
        }
        mix(hash ^ rest)
    }
}

/// A one-to-one scrambling of 64 bits (the finalizer of SplitMix64).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// What the switch knows of a passing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The packet's own five-tuple.
    pub tuple: FiveTuple,
    /// Used if `index = "exact"`: the number of the flow whose data this is when it is marked, and of the flow
    /// whose acks it could be when it passes. Data that is nobody's ack has a number beyond the register; with its
    /// own it would pay the mark that it has just earned.
    pub flow: u32,
    /// The port by which data leaves and acks enter, counted at this switch; used if `index = "port"`.
    pub port: u32,
}

/// What to do with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Send it as it is.
    Pass,
    /// Set its echo of congestion (ECE).
    Set,
}

/// What to do with a data packet for which the AQM found congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Way {
    /// Send it as it is: an ack will bring the news.
    Back,
    /// Mark it: none of its acks come this way.
    Forward,
}

/// What a register remembers of the flows of one slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Marks owed.
    pub owed: u16,
    /// How many more may be owed before an ack passes; only if there is a `patience`.
    pub trust: u8,
}

/// RPM with its constants: finds slots and changes their values, wherever those are stored. A
/// switch that keeps its slots in memory uses [`Register`]; one that keeps them in a map of its own
/// (eBPF, P4) reads a slot, lets [`Rpm::owe`] or [`Rpm::pay`] change it, and writes it back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rpm {
    index: Index,
    slots: u32,
    most_owed: u16,
    patience: u8,
    seed: u32,
}

impl Rpm {
    /// RPM with these parameters.
    ///
    /// # Errors
    /// If a parameter is out of bounds.
    pub fn new(params: &Params) -> Result<Self, ParamError<'static>> {
        params.check()?;
        let most_owed = u16::try_from(params.most_owed).unwrap_or(u16::MAX);
        let patience = u8::try_from(params.patience).unwrap_or(u8::MAX);
        Ok(Self { index: params.index, slots: params.slots, most_owed, patience, seed: params.seed })
    }

    /// The slot of a data packet.
    #[must_use]
    pub fn slot(&self, packet: &Passing) -> u32 {
        match self.index {
            Index::FlowHash => self.hashed(&packet.tuple),
            Index::Exact => packet.flow,
            Index::Port => packet.port,
        }
    }

    /// The slot of the flow whose acks this packet could be.
    #[must_use]
    pub fn slot_of_reversed(&self, packet: &Passing) -> u32 {
        self.slot(&Passing { tuple: packet.tuple.reversed(), ..*packet })
    }

    /// The AQM found congestion: the slot owes one mark more, unless its acks take another way.
    pub fn owe(&self, slot: &mut Slot) -> Way {
        if self.patience > 0 {
            let Some(trust) = slot.trust.checked_sub(1) else { return Way::Forward };
            slot.trust = trust;
        }
        slot.owed = slot.owed.saturating_add(1).min(self.most_owed);
        Way::Back
    }

    /// A packet of the reversed flow passes: it pays one of the slot's marks, if any is owed.
    pub fn pay(&self, slot: &mut Slot) -> Echo {
        slot.trust = self.patience;
        match slot.owed.checked_sub(1) {
            Some(left) => {
                slot.owed = left;
                Echo::Set
            }
            None => Echo::Pass,
        }
    }

    /// The upper bits of hash × slots spread hashes evenly over any number of slots.
    fn hashed(&self, tuple: &FiveTuple) -> u32 {
        ((u128::from(tuple.hash(self.seed)) * u128::from(self.slots)) >> 64) as u32
    }
}

/// RPM with its slots in memory: a `Vec<Slot>`, an array, or a borrowed slice.
#[derive(Clone, Debug)]
pub struct Register<S> {
    rpm: Rpm,
    slots: S,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Register<S> {
    /// A register in `storage`, which has at least as many slots as the parameters say. What it
    /// holds stays owed.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn new(rpm: Rpm, storage: S) -> Result<Self, ParamError<'static>> {
        let given = u32::try_from(storage.as_ref().len()).unwrap_or(u32::MAX);
        if given < rpm.slots {
            return Err(ParamError::Contradiction {
                key: "slots",
                value: Scalar::Count(rpm.slots),
                relation: "must not exceed",
                other_key: "storage",
                other_value: Scalar::Count(given),
            });
        }
        Ok(Self { rpm, slots: storage })
    }

    /// The AQM found congestion for a data packet: one mark is owed. A flow or port number beyond
    /// the register has no slot, and its mark goes forward.
    pub fn on_congestion(&mut self, packet: &Passing) -> Way {
        let slot = self.rpm.slot(packet);
        match self.slots.as_mut().get_mut(slot as usize) {
            Some(slot) => self.rpm.owe(slot),
            None => Way::Forward,
        }
    }

    /// A packet passes; if the flow in the other direction is owed a mark, this packet pays it.
    pub fn on_reverse_packet(&mut self, packet: &Passing) -> Echo {
        let slot = self.rpm.slot_of_reversed(packet);
        self.slots.as_mut().get_mut(slot as usize).map_or(Echo::Pass, |slot| self.rpm.pay(slot))
    }

    /// Marks owed to the flow of this data packet.
    #[must_use]
    pub fn owed(&self, packet: &Passing) -> u16 {
        self.slots.as_ref().get(self.rpm.slot(packet) as usize).map_or(0, |slot| slot.owed)
    }
}

#[cfg(test)]
mod tests;
