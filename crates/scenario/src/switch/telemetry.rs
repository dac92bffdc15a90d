//! What switches write on packets.

use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Rate, Span};

choice! {
    /// What switches write on packets, as a scenario says it.
    pub enum IntWord {
        /// What the law needs.
        Auto = "auto",
        /// Nothing.
        None = "none",
        /// The longest wait in any queue so far (Poseidon).
        MaxHopDelay = "max-hop-delay",
        /// A record per hop (HPCC, PowerTCP).
        HopRecords = "hop-records",
    }
}

choice! {
    /// How finely telemetry is written.
    pub enum Encoding {
        /// As in packets: 16 bits of 256 ns, or HPCC's widths.
        Wire = "wire",
        /// Without rounding.
        Exact = "exact",
    }
}

/// What switches write on packets when they leave a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntMode {
    /// Nothing.
    None,
    /// The longest wait so far, on data packets and, if hosts let them, on acks.
    MaxHopDelay {
        /// Exact, or 16 bits of 256 ns.
        encoding: Encoding,
    },
    /// A record per hop.
    HopRecords {
        /// Exact, or with HPCC's widths: 24 bits of 1 ns, 20 bits of 128 B · `multiple` sent, 17 bits of
        /// 80 B · `multiple` queued.
        encoding: Encoding,
        /// HPCC's INT_MULTI.
        multiple: u32,
    },
}

impl IntMode {
    /// Bytes that telemetry adds to each data packet: HPCC's field has room for five hops of 8 B and a count
    /// of 2 B whatever the path; Poseidon's has 2 B.
    #[must_use]
    pub fn bytes(self) -> Bytes {
        match self {
            Self::None => Bytes::ZERO,
            Self::MaxHopDelay { .. } => Bytes::new(2),
            Self::HopRecords { .. } => Bytes::new(42),
        }
    }

    /// HPCC's INT_MULTI for cards of this rate: one per 25 Gb/s.
    #[must_use]
    pub fn multiple_for(nic_rate: Rate) -> u32 {
        u32::try_from(nic_rate.as_bps() / Rate::from_gbps(25).as_bps()).unwrap_or(64).clamp(1, 64)
    }

    /// Unit and largest value of a maximum per-hop delay.
    #[must_use]
    pub fn delay_steps(encoding: Encoding) -> (Span, Span) {
        match encoding {
            Encoding::Wire => (Span::from_ns(256), Span::from_ns(256).saturating_mul(65_535)),
            Encoding::Exact => (Span::from_ps(1), Span::MAX),
        }
    }
}
