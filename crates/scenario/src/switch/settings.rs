//! The `[switch]` table, as it is written and as it is meant.

use super::{Buffer, Class, Encoding, IntMode, IntWord, Pfc};
use crate::select::Switches;
use crate::table::table;
use plimsoll_cc::{choice, codel, red, rpm};
use plimsoll_units::Span;

choice! {
    /// What marks packets by the length of their queue.
    pub enum Ecn {
        /// What the law needs.
        Auto = "auto",
        /// Nothing.
        None = "none",
        /// RED: a probability that grows with the queue.
        Red = "red",
        /// A step: every packet beyond a threshold.
        Step = "step",
    }
}

choice! {
    /// What manages queues by the time that packets spend in them.
    pub enum Aqm {
        /// Nothing.
        None = "none",
        /// CoDel.
        CoDel = "codel",
    }
}

table! {
    /// What all switches have in common. Inner tables: `[switch.buffer]`, `[switch.pfc]`, `[switch.red]`,
    /// `[switch.codel]`, `[switch.rpm]`, `[[switch.class]]`.
    pub struct SwitchTable in "switch" {
        /// Time from a packet's arrival to its queue.
        pipeline: Span where [Span::ZERO, Span::from_s(1)] = Span::ZERO,
        /// What marks packets by the length of their queue: "red", "step" (both by `[switch.red]`, whose
        /// thresholds follow the rate of the link), "none", or "auto" = what the law needs.
        ecn: Ecn = Ecn::Auto,
        /// What manages queues by the time that packets spend in them: "codel" (by `[switch.codel]`) or
        /// "none".
        aqm: Aqm = Aqm::None,
        /// Which switches have `aqm` and `reverse_marking`.
        aqm_switches: Switches = Switches::all(),
        /// Whether marks are sent back by the next ack (reverse path congestion marking, `[switch.rpm]`).
        reverse_marking: bool = false,
        /// What switches write on packets: "hop-records", "max-hop-delay", "none", or "auto" = what the law
        /// needs.
        int: IntWord = IntWord::Auto,
        /// How finely they write it: "wire" (HPCC's widths, or 16 bits of 256 ns) or "exact".
        int_encoding: Encoding = Encoding::Wire,
        /// HPCC's INT_MULTI, the unit of its hop records; "auto" = one per 25 Gb/s of the fastest host link.
        int_multiple: Option<u32> where [1, 64] = None,
        /// Which switches write telemetry.
        int_switches: Switches = Switches::all(),
        /// Whether a switch that an ack passes writes on it how long data would wait now in the port that the
        /// ack's data leaves by; the sender then hears of a queue sooner than a round trip after it was met.
        /// Wants "max-hop-delay"; an ack that takes another way than its data brings what the data met.
        int_reflected: bool = false,
    }
}

/// What all switches have in common, with nothing left to derive.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Time from a packet's arrival to its queue.
    pub pipeline: Span,
    /// The memory.
    pub buffer: Buffer,
    /// Priority flow control; `None` = off.
    pub pfc: Option<Pfc>,
    /// Classes, 1 to 8.
    pub classes: Vec<Class>,
    /// Marks by the length of the queue; each port builds [`red::Red`] for its rate.
    pub marking: Option<red::Params>,
    /// CoDel.
    pub codel: Option<codel::Params>,
    /// Reverse path congestion marking of what `marking` or `codel` would mark.
    pub rpm: Option<rpm::Params>,
    /// Which switches have CoDel and reverse path congestion marking.
    pub aqm_switches: Switches,
    /// What is written on packets.
    pub int: IntMode,
    /// Which switches write it.
    pub int_switches: Switches,
    /// Whether passing acks are told what their data would meet now.
    pub int_reflected: bool,
}
