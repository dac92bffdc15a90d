//! What switches write on data packets, and how it reaches the law.
//!
//! Packets are generic over their telemetry. Pick the smallest type that the law needs; the
//! receiver copies it from the packet to the ack and knows nothing about it. [`Reflect`] then
//! shows it to the law. A simulator that keeps records elsewhere can let a handle ride along
//! instead and pass [`Telemetry`] to [`Sender::on_ack`](crate::Sender::on_ack) itself.

use core::fmt::Debug;
use plimsoll_cc::{HopRecord, MAX_HOPS, Telemetry};
use plimsoll_units::Span;

/// Telemetry that travels with packets.
pub trait Reflect: Copy + Default + Debug {
    /// What the law is shown; `reverse` is the ack's own longest wait.
    fn telemetry(&self, reverse: Span) -> Telemetry<'_>;
}

/// No telemetry.
impl Reflect for () {
    fn telemetry(&self, _reverse: Span) -> Telemetry<'_> {
        Telemetry::None
    }
}

/// The longest wait of a packet in any stamping switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxHopDelay(pub Span);

impl MaxHopDelay {
    /// A switch stamps its wait.
    pub fn stamp(&mut self, wait: Span) {
        self.0 = self.0.max(wait);
    }
}

impl Reflect for MaxHopDelay {
    fn telemetry(&self, reverse: Span) -> Telemetry<'_> {
        Telemetry::MaxHop { forward: self.0, reverse }
    }
}

/// One record per switch, at most [`MAX_HOPS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopRecords {
    records: [HopRecord; MAX_HOPS],
    count: u8,
}

impl HopRecords {
    /// A switch adds its record. Beyond [`MAX_HOPS`] the record is dropped, as a full header
    /// would.
    pub fn push(&mut self, record: HopRecord) {
        if let Some(place) = self.records.get_mut(usize::from(self.count)) {
            *place = record;
            self.count += 1;
        }
    }

    /// The records, from sender to receiver.
    #[must_use]
    pub fn as_slice(&self) -> &[HopRecord] {
        self.records.get(..usize::from(self.count)).unwrap_or(&self.records)
    }
}

impl Reflect for HopRecords {
    fn telemetry(&self, _reverse: Span) -> Telemetry<'_> {
        Telemetry::Hops(self.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::Bytes;

    #[test]
    fn the_longest_wait_wins() {
        let mut delay = MaxHopDelay::default();
        for wait in [3, 7, 5] {
            delay.stamp(Span::from_us(wait));
        }
        let Telemetry::MaxHop { forward, reverse } = delay.telemetry(Span::from_us(2)) else { panic!() };
        assert_eq!((forward, reverse), (Span::from_us(7), Span::from_us(2)));
    }

    #[test]
    fn a_ninth_record_is_dropped_and_the_first_eight_stay() {
        let mut records = HopRecords::default();
        for queue in 0..9 {
            records.push(HopRecord { queue: Bytes::new(queue), ..HopRecord::default() });
        }
        let queues: Vec<u64> = records.as_slice().iter().map(|record| record.queue.get()).collect();
        assert_eq!(queues, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
