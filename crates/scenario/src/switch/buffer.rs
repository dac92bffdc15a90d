//! The memory of a switch, and how it keeps from running over.

use crate::table::table;
use plimsoll_cc::choice;
use plimsoll_units::{Bytes, Rate, Span};

choice! {
    /// Who may use how much of the buffer.
    pub enum Sharing {
        /// A queue may grow while it is shorter than α times what is free (Dynamic Thresholds).
        Dynamic = "dynamic",
        /// A queue may grow while anything is free.
        Complete = "complete",
        /// Each queue has `size` to itself.
        PerQueue = "per-queue",
        /// No packet is ever dropped for want of space.
        Unlimited = "unlimited",
    }
}

table! {
    /// The memory of each switch, shared by its queues.
    pub struct Buffer in "switch.buffer" {
        /// Who may use how much: "dynamic" thresholds (Choudhury and Hahne: a queue may grow while it
        /// is shorter than alpha times what is free), "complete" sharing, "per-queue" (each has
        /// `size`), or "unlimited".
        sharing: Sharing = Sharing::Dynamic,
        /// Its size, packets with their headers; "auto" = 16 MiB per 50 Gb/s of the fastest host link, as in
        /// HPCC's simulator (32 MiB at 100 Gb/s), and at least twice what PFC keeps back.
        size: Option<Bytes> where [Bytes::new(1), Bytes::from_mb(1_000_000)] = None,
        /// The factor alpha of dynamic thresholds, for queues of classes that may be dropped.
        alpha: f64 where [0.000_001, 1_000_000.0] = 1.0,
    }
}

impl Buffer {
    /// The size that `"auto"` means on this network card.
    #[must_use]
    pub fn size_for(nic_rate: Rate) -> Bytes {
        const PER_50G: f64 = (16 << 20) as f64;
        Bytes::saturating_from_f64(PER_50G * (nic_rate / Rate::from_gbps(50))).max(Bytes::from_mb(1))
    }

    /// How many bytes a switch, or a queue if [`Sharing::PerQueue`], can hold; `None` = any number.
    #[must_use]
    pub fn limit(&self) -> Option<Bytes> {
        if self.sharing == Sharing::Unlimited { None } else { self.size }
    }
}

table! {
    /// Priority flow control: a switch whose memory fills up pauses the class at the other end of a link.
    pub struct Pfc in "switch.pfc" {
        /// Whether switches pause; "auto" = if the transport goes back to the hole on loss
        /// (`transport.reliability = "go-back-n"`), which is made for networks without loss, and the buffer is
        /// not unlimited.
        enabled: Option<bool> = None,
        /// Pause when what entered by a port exceeds alpha times what is free; "auto" = 1/8 on host
        /// links, twice that on links of twice the rate and so on, as in HPCC's simulator.
        alpha: Option<f64> where [0.000_001, 1_000_000.0] = None,
        /// What each port and class may always use.
        reserve: Bytes where [Bytes::ZERO, Bytes::from_mb(1_000)] = Bytes::new(4_096),
        /// Resume when the use is this much below the threshold.
        resume_offset: Bytes where [Bytes::ZERO, Bytes::from_mb(1_000)] = Bytes::new(3_072),
        /// Room for what still arrives after a pause, per port and class; "auto" = 3 × rate × delay of the
        /// link (37,500 B at 100 Gb/s and 1 us), at least two packets. If it or `enabled` is given, the buffer
        /// must have room for it at all ports. What is left of the buffer is shared, and half of it in any case.
        headroom: Option<Bytes> where [Bytes::ZERO, Bytes::from_mb(1_000)] = None,
    }
}

impl Pfc {
    /// The threshold's factor for a port of this rate.
    #[must_use]
    pub fn alpha_for(&self, port: Rate, nic_rate: Rate) -> f64 {
        self.alpha.unwrap_or_else(|| {
            // HPCC's simulator shifts by 3, and by one less for each doubling of the rate.
            let mut shift = 3_i32;
            let mut rate = nic_rate.as_bps().max(1);
            while rate < port.as_bps() && shift > 0 {
                rate = rate.saturating_mul(2);
                shift -= 1;
            }
            1.0 / f64::from(1 << shift)
        })
    }

    /// The headroom of a port with this link, for packets of up to `mtu`.
    #[must_use]
    pub fn headroom_for(&self, rate: Rate, delay: Span, mtu: Bytes) -> Bytes {
        let two_packets = Bytes::new(mtu.get().saturating_mul(2));
        self.headroom.unwrap_or_else(|| rate.bytes_in(delay.saturating_mul(3)).max(two_packets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    fn pfc() -> Pfc {
        Pfc {
            enabled: Some(true),
            alpha: None,
            reserve: Bytes::new(4_096),
            resume_offset: Bytes::new(3_072),
            headroom: None,
        }
    }

    #[test]
    fn automatic_values_are_those_of_hpccs_simulator() {
        // 16 MiB · 100 / 50 = 32 MiB.
        assert_eq!(Buffer::size_for(Rate::from_gbps(100)), Bytes::new(32 << 20));
        // 1/8 at the host's rate, 1/2 at four times that; never above 1.
        let at = |gbps| pfc().alpha_for(Rate::from_gbps(gbps), Rate::from_gbps(100));
        assert_eq!(
            [at(25), at(100), at(200), at(400), at(800), at(1_600)],
            [0.125, 0.125, 0.25, 0.5, 1.0, 1.0]
        );
        // 3 · 100 Gb/s · 1 µs = 37,500 B, 3 · 400 Gb/s · 1 µs = 150,000 B.
        let room =
            |gbps| pfc().headroom_for(Rate::from_gbps(gbps), Span::from_us(1), Bytes::new(1_048)).get();
        assert_eq!([room(100), room(400)], [37_500, 150_000]);
    }

    #[test]
    fn headroom_on_a_link_without_delay_still_holds_two_packets() {
        let room = pfc().headroom_for(Rate::from_gbps(100), Span::ZERO, Bytes::new(1_048));
        assert_eq!(room, Bytes::new(2_096));
    }

    #[test]
    fn every_key_has_a_default() {
        for info in [Buffer::info(), Pfc::info()] {
            assert!(info.keys.iter().all(|key| key.default.is_some()), "{}", info.path);
        }
    }
}
