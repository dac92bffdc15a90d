//! What a law needs from the network and the hosts, and what gives it.

use core::fmt;
use core::ops::BitOr;

/// A set of signals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signals(u16);

/// One signal: its bit, its name, and the setting that provides it.
struct Signal {
    bit: Signals,
    name: &'static str,
    remedy: &'static str,
}

const ALL: [Signal; 8] = [
    Signal {
        bit: Signals::RTT,
        name: "round trip times",
        remedy: "let the host timestamp packets (`host.timestamps = true`)",
    },
    Signal {
        bit: Signals::ENDPOINT_DELAY,
        name: "the receiver's own delay",
        remedy: "let the receiver report it in its acks (`host.endpoint_delay = true`)",
    },
    Signal {
        bit: Signals::HOP_COUNT,
        name: "the number of switches passed",
        remedy: "let the receiver report the hop limit it saw (`host.hop_count = true`)",
    },
    Signal {
        bit: Signals::HOP_RECORDS,
        name: "a telemetry record from every switch",
        remedy: "set `switch.int = \"hop-records\"` on every switch",
    },
    Signal {
        bit: Signals::MAX_HOP_DELAY,
        name: "the maximum per-hop delay of data packets",
        remedy: "set `switch.int = \"max-hop-delay\"` on every switch, or use the brownfield \
                 signal (`signal = \"brownfield\"`) if only some switches can",
    },
    Signal {
        bit: Signals::REVERSE_MAX_HOP_DELAY,
        name: "the maximum per-hop delay of acks",
        remedy: "set `switch.int = \"max-hop-delay\"` on the switches that can and let them stamp \
                 acks too (`host.stamp_acks = true`)",
    },
    Signal {
        bit: Signals::ECN,
        name: "congestion marks",
        remedy: "set `switch.ecn` (\"red\" or \"step\") or `switch.aqm = \"codel\"`, and ECN-capable hosts",
    },
    Signal {
        bit: Signals::CIRCUIT,
        name: "the state of the circuit to the destination",
        remedy: "use a reconfigurable topology (`topology.kind = \"rotor\"`), whose ToR switches set the bit",
    },
];

impl Signals {
    /// Acks and losses, which every transport has.
    pub const NONE: Self = Self(0);
    /// Round trip times per packet.
    pub const RTT: Self = Self(1);
    /// The part of the round trip inside the receiver.
    pub const ENDPOINT_DELAY: Self = Self(1 << 1);
    /// How many switches the packet passed.
    pub const HOP_COUNT: Self = Self(1 << 2);
    /// One record per switch.
    pub const HOP_RECORDS: Self = Self(1 << 3);
    /// The longest wait of the data packet in any stamping switch.
    pub const MAX_HOP_DELAY: Self = Self(1 << 4);
    /// The longest wait of the ack in any stamping switch.
    pub const REVERSE_MAX_HOP_DELAY: Self = Self(1 << 5);
    /// Congestion marks, echoed by the receiver.
    pub const ECN: Self = Self(1 << 6);
    /// Circuit state, set by the ToR switch.
    pub const CIRCUIT: Self = Self(1 << 7);
    /// Everything.
    pub const EVERY: Self = Self((1 << 8) - 1);

    /// The signals of both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The signals of this set that `other` lacks.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether this set has all of `other`.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        other.without(self).0 == 0
    }

    /// Refuses a law that needs what `offered` lacks. This is checked before a run starts.
    ///
    /// # Errors
    /// Says which signal is missing and which setting gives it.
    pub fn check(self, law: &'static str, offered: Self) -> Result<(), MissingSignals> {
        let missing = self.without(offered);
        if missing == Self::NONE { Ok(()) } else { Err(MissingSignals { law, missing }) }
    }
}

impl BitOr for Signals {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.with(other)
    }
}

impl fmt::Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for signal in ALL.iter().filter(|signal| self.has(signal.bit)) {
            write!(f, "{separator}{}", signal.name)?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

impl fmt::Debug for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signals({self})")
    }
}

/// A law cannot run: the network does not offer what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSignals {
    /// The law's name.
    pub law: &'static str,
    /// What is missing.
    pub missing: Signals,
}

impl fmt::Display for MissingSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} needs", self.law)?;
        let mut separator = "";
        for signal in ALL.iter().filter(|signal| self.missing.has(signal.bit)) {
            write!(f, "{separator} {}, which is not offered: {}", signal.name, signal.remedy)?;
            separator = "; and";
        }
        Ok(())
    }
}

impl core::error::Error for MissingSignals {}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_missing_signal_is_refused_with_the_switch_setting_that_gives_it() {
        let error = Signals::MAX_HOP_DELAY.with(Signals::RTT).check("poseidon", Signals::RTT).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("poseidon needs the maximum per-hop delay of data packets"), "{text}");
        assert!(text.contains("switch.int = \"max-hop-delay\""), "{text}");
        assert!(!text.contains("timestamps"), "what is offered is not complained about: {text}");
    }

    #[test]
    fn every_signal_has_a_name_and_a_remedy() {
        for bit in 0..8 {
            let signal = Signals(1 << bit);
            assert_ne!(signal.to_string(), "none", "bit {bit}");
            assert!(signal.check("x", Signals::NONE).is_err());
        }
        assert!(Signals::EVERY.check("x", Signals::EVERY).is_ok());
    }
}
