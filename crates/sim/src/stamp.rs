//! What switches write on packets when they leave a queue: telemetry and marks.

use crate::packet::{Packet, WAIT_SHIFT};
use crate::partition::Partition;
use crate::port::Departure;
use crate::shared::Stamp;
use plimsoll_cc::rpm::{FiveTuple, Passing, Way};
use plimsoll_cc::verdict::Verdict;
use plimsoll_cc::{CongestionControl, HopRecord, MAX_HOPS};
use plimsoll_units::{Bytes, Time};
use std::net::{IpAddr, Ipv4Addr};

/// A hop record in 16 bytes, so that those of a path are two cache lines.
///
/// Of the time only the low 32 bits are kept, in its unit; the rest follows from the clock when the
/// ack is read. Of the bytes sent 40 bits are kept, in their unit (a terabyte if that is one byte).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hop {
    port_and_sent: u64,
    time: u32,
    queue: u32,
}

const SENT_BITS: u32 = 40;

/// What the switches wrote on a packet. The packet's own count of hops says how many are valid, so
/// that a switch only writes here and never waits for memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct HopList(pub(crate) [Hop; MAX_HOPS]);

impl<L: CongestionControl> Partition<'_, L> {
    /// Writes on a packet that left `port` in these circumstances.
    #[inline(always)]
    pub(crate) fn stamp(&mut self, port: u32, packet: &mut Packet, departure: &Departure) {
        let shared = self.shared;
        packet.hops = packet.hops.saturating_add(1);
        match shared.stamp {
            Stamp::Nothing => {}
            Stamp::LongestWait => {
                // Acks that gather what their data would meet have no room for what they meet themselves.
                let taken = packet.has(Packet::ACK) && shared.setup.switch.int_reflected;
                if self.ports[port as usize].stamps && !taken {
                    let wait = shared.units.wait.floor(departure.wait) >> WAIT_SHIFT;
                    packet.longest_wait = packet.longest_wait.max(wait.min(shared.units.longest_wait) as u32);
                }
            }
            Stamp::HopRecords => {
                if !packet.has(Packet::ACK)
                    && self.ports[port as usize].stamps
                    && let Some(place) = self.hop_lists[packet.body as usize].0.get_mut(packet.records())
                {
                    packet.add_record();
                    let sent = shared.units.sent.count(departure.sent) & ((1 << SENT_BITS) - 1);
                    *place = Hop {
                        port_and_sent: u64::from(port) << SENT_BITS | sent,
                        time: shared.units.time.count(departure.time) as u32,
                        queue: shared.units.queue.floor(departure.queue) as u32,
                    };
                }
            }
        }
        if !shared.marking.is_empty() {
            packet.flags |= self.mark_by_queue(port, packet, departure);
        }
    }

    /// Writes on all packets that have left a queue by the end of the run, so that the sums do not depend
    /// on who has looked at them.
    pub(crate) fn stamp_departed(&mut self) {
        let end = self.shared.setup.end.as_ps();
        for port in 0..self.ports.len() as u32 {
            let pipe = &self.ports[port as usize];
            if pipe.from_switch && self.shared.counts_departures && pipe.queue.is_none() {
                self.stamp_departed_of(end, port);
            }
        }
    }

    /// Writes on the packets that have left `port` by `now` and on which nothing is written yet.
    pub(crate) fn stamp_departed_of(&mut self, now: u64, port: u32) {
        while self.ports[port as usize].has_departure_by(now) {
            let departure = self.ports[port as usize].next_departure();
            let mut packet = *self.ports[port as usize].last_stamped();
            self.stamp(port, &mut packet, &departure);
            *self.ports[port as usize].last_stamped() = packet;
        }
    }

    /// The flags that a switch sets that marks by the length of its queue.
    #[inline(always)]
    fn mark_by_queue(&mut self, port: u32, packet: &Packet, departure: &Departure) -> u8 {
        let red = &self.shared.marking[port as usize];
        let queue = Bytes::new(departure.class_queue);
        let eligible = packet.has(Packet::ECN_CAPABLE) && self.shared.marks_class[packet.class()];
        if !eligible {
            return 0;
        }
        let coin = if red.needs_coin(queue) { roll(&mut self.coins[port as usize]) } else { 0.0 };
        if red.verdict(queue, coin) == Verdict::Mark {
            self.mark(port, packet, departure.time, departure.wait)
        } else {
            0
        }
    }

    /// Marks the packet that left at `now` after this wait, or owes its sender an echo (RPM); gives the flags
    /// to set.
    #[inline(never)]
    pub(crate) fn mark(&mut self, port: u32, packet: &Packet, now: u64, wait: u64) -> u8 {
        self.totals.marks += 1;
        if self.sampler.is_some() {
            self.saw_mark(now, self.bodies.get(packet.body).connection, wait);
        }
        if self.shared.rpm.is_none() {
            return Packet::MARKED;
        }
        let passing = self.passing(packet.body, packet.has(Packet::ACK), port);
        let network = &self.shared.setup.network;
        let switch = (network.near_end(port) - network.hosts) as usize;
        match self.switches[switch].register.as_mut().map(|register| register.on_congestion(&passing)) {
            Some(Way::Back) => 0,
            Some(Way::Forward) | None => Packet::MARKED,
        }
    }

    /// A packet as RPM sees it: `port` is the one by which data leaves and acks enter.
    pub(crate) fn passing(&self, body: u32, is_ack: bool, port: u32) -> Passing {
        let connection = self.bodies.get(body).connection;
        let plan = &self.shared.connections[connection as usize];
        let address = |host: u32| IpAddr::V4(Ipv4Addr::from_bits(0x0A00_0000 | host));
        let data = FiveTuple {
            source: address(plan.from),
            destination: address(plan.to),
            protocol: 17,
            source_port: (connection >> 16) as u16 | 0x8000,
            destination_port: connection as u16,
        };
        let tuple = if is_ack { data.reversed() } else { data };
        Passing { tuple, flow: connection, port: self.shared.places[port as usize] }
    }

    /// The records that switches wrote on the packet in slot `slot`.
    pub(crate) fn read_hops(&self, now: u64, slot: u32, hops: &mut [HopRecord]) {
        let units = &self.shared.units;
        let Some(list) = self.hop_lists.get(slot as usize) else { return };
        let latest = units.time.count(now);
        for (hop, raw) in hops.iter_mut().zip(&list.0) {
            let port = (raw.port_and_sent >> SENT_BITS) as usize;
            *hop = HopRecord {
                time: Time::from_ps(
                    units.time.size(latest - u64::from((latest as u32).wrapping_sub(raw.time))),
                ),
                sent: Bytes::new(units.sent.size(raw.port_and_sent & ((1 << SENT_BITS) - 1))),
                queue: Bytes::new(u64::from(raw.queue)),
                rate: self.ports[port].rate,
            };
        }
    }
}

/// A random number in [0, 1).
pub(crate) fn roll(state: &mut u64) -> f64 {
    // xorshift64*: fast, and good enough for coins.
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
}
