//! What goes from one part of the network to another.

use crate::capture::Counts;
use crate::packet::{Body, Packet};
use crate::partition::{Frame, Partition};
use crate::shared::Stamp;
use crate::stamp::HopList;
use plimsoll_cc::CongestionControl;

/// A packet on the link of `port`, with what it carries.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    port: u32,
    packet: Packet,
    body: Body,
}

/// What one part of the network hands over to another after a window. Two of them go back and forth
/// between two parts, so that no memory is asked for on the way.
#[derive(Debug, Default)]
pub(crate) struct Parcel {
    packets: Vec<Crossing>,
    /// For each packet its records, if switches write them.
    hops: Vec<HopList>,
    /// For each packet what its receiver had counted, if packets are captured.
    counts: Vec<Counts>,
    /// PFC frames for the owners of ports.
    frames: Vec<(u32, Frame)>,
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
        let to = self.ports[port as usize].to;
        if self.is_mine(to) {
            return;
        }
        let part = usize::from(self.part_of[to as usize]);
        while self.ports[port as usize].head_leaves().is_some_and(|time| time <= until) {
            let packet = self.take_head(port);
            let parcel = &mut self.outboxes[part];
            parcel.packets.push(Crossing { port, packet, body: *self.bodies.get(packet.body) });
            if self.shared.stamp == Stamp::HopRecords {
                parcel.hops.push(self.hop_lists[packet.body as usize]);
            }
            if let Some(capture) = &self.capture {
                parcel.counts.push(capture.counts(packet.body));
            }
            self.bodies.release(packet.body);
        }
    }

    /// Hands over a PFC frame for the owner of `port`.
    pub(crate) fn export_frame(&mut self, port: u32, owner: u32, frame: Frame) {
        self.outboxes[usize::from(self.part_of[owner as usize])].frames.push((port, frame));
    }

    /// Takes in what another part handed over.
    pub(crate) fn import(&mut self, parcel: &mut Parcel) {
        let mut hops = parcel.hops.drain(..);
        let mut counts = parcel.counts.drain(..);
        for Crossing { port, mut packet, body } in parcel.packets.drain(..) {
            packet.body = self.bodies.put(body);
            if let Some(hops) = hops.next() {
                *self.hop_list_mut(packet.body) = hops;
            }
            if let (Some(capture), Some(counts)) = (&mut self.capture, counts.next()) {
                capture.set_counts(packet.body, counts);
            }
            if let Some(time) = self.ports[port as usize].push_stamped(packet) {
                let source = self.source_of_arrival(port);
                self.wheel.set(source, time);
            }
        }
        for (port, frame) in parcel.frames.drain(..) {
            self.frame_comes(port, frame);
        }
    }
}
