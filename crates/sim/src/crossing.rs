//! What goes from one part of the network to another.

use crate::capture::Counts;
use crate::packet::{Body, Packet};
use crate::partition::{Frame, Partition};
use crate::shared::Stamp;
use crate::stamp::HopList;
use plimsoll_cc::CongestionControl;

/// Something that another part of the network will receive.
#[allow(clippy::large_enum_variant, reason = "nearly all are packets, and boxes would cost more")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crossing {
    /// A packet on the link of `port`, with all that it carries.
    Packet { port: u32, packet: Packet, body: Body, hops: HopList },
    /// What the receiver had counted when it sent the ack that came just before, on the same link; only if
    /// packets are captured.
    Counts { port: u32, counts: Counts },
    /// A PFC frame for the owner of `port`.
    Frame { port: u32, frame: Frame },
}

impl Crossing {
    /// The node that receives it.
    pub(crate) fn node(&self, network: &plimsoll_scenario::Network) -> u32 {
        match self {
            Self::Packet { port, .. } | Self::Counts { port, .. } => network.far_end(*port),
            Self::Frame { port, .. } => network.near_end(*port),
        }
    }
}

impl<L: CongestionControl> Partition<'_, L> {
    /// Hands over all packets that have left a queue by `until` towards another part. They arrive
    /// later than that by the delay of a link at least, which is how far parts run apart.
    pub(crate) fn export(&mut self, until: u64) {
        for index in 0..self.outward.len() {
            self.export_from(self.outward[index], until);
        }
    }

    /// The same for one port, if its far end is in another part.
    pub(crate) fn export_from(&mut self, port: u32, until: u64) {
        if self.is_mine(self.ports[port as usize].to) {
            return;
        }
        while self.ports[port as usize].head_leaves().is_some_and(|time| time <= until) {
            let packet = self.take_head(port);
            let body = *self.bodies.get(packet.body);
            let hops = self.hop_lists.get(packet.body as usize).copied().unwrap_or_default();
            self.bodies.release(packet.body);
            self.outbox.push(Crossing::Packet { port, packet, body, hops });
            if let (Some(capture), true) = (&self.capture, packet.has(Packet::ACK)) {
                self.outbox.push(Crossing::Counts { port, counts: capture.counts(packet.body) });
            }
        }
    }

    /// Takes in what another part handed over.
    pub(crate) fn import(&mut self, crossing: Crossing) {
        match crossing {
            Crossing::Frame { port, frame } => self.frame_comes(port, frame),
            Crossing::Counts { counts, .. } => {
                if let Some(capture) = &mut self.capture {
                    capture.import_counts(counts);
                }
            }
            Crossing::Packet { port, mut packet, body, hops } => {
                packet.body = self.bodies.put(body);
                if let Some(capture) = &mut self.capture {
                    capture.note_import(packet.body);
                }
                if self.shared.stamp == Stamp::HopRecords {
                    *self.hop_list_mut(packet.body) = hops;
                }
                if let Some(time) = self.ports[port as usize].push_stamped(packet) {
                    self.wheel.set(port, time);
                }
            }
        }
    }
}
