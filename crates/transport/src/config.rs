//! What a user may set about the transport, apart from the law.

use plimsoll_units::Span;

plimsoll_cc::choice! {
    /// What happens to packets behind a hole.
    pub enum Reliability {
        /// The receiver keeps them and says so; the sender repeats only what is missing.
        SelectiveRepeat = "selective-repeat",
        /// The receiver drops them and refuses them with a NACK; the sender repeats all from the
        /// hole on (RDMA).
        GoBackN = "go-back-n",
    }
}

plimsoll_cc::choice! {
    /// When the window lets the next packet go.
    pub enum WindowRule {
        /// If it fits: in flight + packet ≤ window.
        Strict = "strict",
        /// If there is any room: in flight < window, as in HPCC's simulator. The last packet may
        /// overshoot.
        Overshoot = "overshoot",
    }
}

plimsoll_cc::choice! {
    /// What a new pacing rate means for the slot that the next packet already waits for.
    pub enum PendingSlot {
        /// It is moved to where the new rate would have put it (HPCC's simulator).
        Retime = "retime",
        /// It stays; the new rate counts from the next packet on.
        Keep = "keep",
    }
}

plimsoll_cc::choice! {
    /// How the receiver tells the sender of congestion marks.
    pub enum EcnEcho {
        /// Not at all; data packets are sent as not ECN-capable.
        Off = "off",
        /// Exactly which bytes were marked (RFC 8257, and counted since the start, so that lost
        /// acks lose nothing).
        Accurate = "accurate",
        /// ECE on every ack from the first mark until the sender's CWR (RFC 3168).
        Classic = "classic",
        /// One ack with ECE, at most every `cnp_interval` (DCQCN's congestion notification).
        Cnp = "cnp",
    }
}

plimsoll_cc::choice! {
    /// Whether the law hears of losses.
    pub enum LossReport {
        /// Once per episode, and of timeouts.
        Tell = "tell",
        /// Never: losses are repaired without slowing down (RDMA simulators).
        Silent = "silent",
    }
}

plimsoll_cc::parameters! {
    /// The settings of both ends of a connection.
    pub struct Config {
        /// What happens to packets behind a hole.
        reliability: Reliability,
        /// When the window lets the next packet go.
        window_rule: WindowRule,
        /// What a new pacing rate means for the slot that is already waited for.
        pending_slot: PendingSlot,
        /// By how much a late sender may catch up with its pace; "0ps" = not at all.
        pacing_credit: Span where [Span::ZERO, Span::from_s(1)],
        /// Times that the host computes for pacing are cut to whole multiples of this; "1ns" is what
        /// ns-3 does. A gap shorter than this is none. "1ps" = exact, rounded up.
        tick: Span where [Span::from_ps(1), Span::from_ms(1)],
        /// A packet is lost when one sent this many packets later has arrived (RFC 9002: 3).
        reordering: u32 where [1, 1_000_000],
        /// Up to here `reordering` grows when packets thought lost arrive after all.
        max_reordering: u32 where [1, 1_000_000],
        /// Retransmission timeout before the first round trip was measured.
        initial_rto: Span where [Span::from_ns(1), Span::from_s(1_000)],
        /// Shortest retransmission timeout.
        min_rto: Span where [Span::from_ns(1), Span::from_s(1_000)],
        /// Longest retransmission timeout, backed off.
        max_rto: Span where [Span::from_ns(1), Span::from_s(1_000)],
        /// Granularity G of the clock in RFC 6298.
        clock_granularity: Span where [Span::ZERO, Span::from_s(1)],
        /// After this many timeouts in a row, without anything delivered between, the next one is
        /// the end of the connection.
        max_timeouts: u32 where [0, 1_000],
        /// One ack per this many packets.
        ack_every: u32 where [1, 64],
        /// The longest time for which an ack waits for more packets.
        ack_delay: Span where [Span::ZERO, Span::from_s(1)],
        /// How the receiver tells the sender of congestion marks.
        ecn: EcnEcho,
        /// Shortest time between two congestion notifications.
        cnp_interval: Span where [Span::ZERO, Span::from_s(1)],
        /// Shortest time between two NACKs for the same hole.
        nack_interval: Span where [Span::ZERO, Span::from_s(1)],
        /// Whether the law hears of losses.
        loss_report: LossReport,
        /// The most packets between the oldest that is not acked and the newest that was sent.
        /// Bounds the memory of both ends, and the window of laws that have only a rate.
        max_outstanding: u32 where [1, 16_777_216],
    }
    presets {
        "selective-repeat" => selective_repeat, "TCP-like: RFC 6298, RFC 9002's threshold, RFC 8257's echo; data centre timers",
        "rdma" => rdma, "HPCC's simulator (alibaba-edu at 9f4be2a): go-back-N, NACK every 500 µs, no reaction to loss",
    }
}

impl Config {
    /// Selective repeat with an ack for every packet.
    ///
    /// The timers are for data centres: RFC 6298 asks for at least a second, Linux for 200 ms, and
    /// a round trip here is some ten microseconds.
    #[must_use]
    pub fn selective_repeat() -> Self {
        Self {
            reliability: Reliability::SelectiveRepeat,
            window_rule: WindowRule::Strict,
            pending_slot: PendingSlot::Retime,
            pacing_credit: Span::ZERO,
            tick: Span::from_ps(1),
            reordering: 3,
            max_reordering: 300,
            initial_rto: Span::from_ms(1),
            min_rto: Span::from_ms(1),
            max_rto: Span::from_s(1),
            clock_granularity: Span::ZERO,
            max_timeouts: 15,
            ack_every: 1,
            ack_delay: Span::from_us(50),
            ecn: EcnEcho::Accurate,
            cnp_interval: Span::from_us(50),
            nack_interval: Span::from_us(500),
            loss_report: LossReport::Tell,
            max_outstanding: 1 << 20,
        }
    }

    /// As network cards for RDMA do it, in the way of HPCC's simulator.
    #[must_use]
    pub fn rdma() -> Self {
        Self {
            reliability: Reliability::GoBackN,
            window_rule: WindowRule::Overshoot,
            loss_report: LossReport::Silent,
            ..Self::selective_repeat()
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::selective_repeat()
    }
}
