//! [`Gathered`]: telemetry in the forms in which real packets carry it, and [`HopReader`], which
//! shows it to a law.

use plimsoll_cc::{HopRecord, Telemetry as LawTelemetry};
use plimsoll_units::Span;
use plimsoll_wire::WireError;
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::hop_records::{HopStack, MAX_HOPS, Record, packed_size};
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::telemetry::Telemetry;

use crate::telemetry::HopRecords;

/// What a packet gathered, copied out of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gathered {
    /// Nothing.
    #[default]
    None,
    /// The longest wait.
    MaxHopDelay(MaxHopDelay),
    /// A record per switch, in HPCC's 64 bits.
    CompactHops(Few<CompactHop>),
    /// A record per switch, unrounded.
    ExactHops(Few<ExactHop>),
}

/// As many records as a packet has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Few<R> {
    records: [R; MAX_HOPS],
    count: usize,
}

impl<R: Copy> Few<R> {
    /// Adds a record; beyond the fifth it is dropped, as a full packet would.
    pub fn push(&mut self, record: R) {
        if let Some(place) = self.records.get_mut(self.count) {
            *place = record;
            self.count += 1;
        }
    }

    /// The records, from sender to receiver.
    #[must_use]
    pub fn as_slice(&self) -> &[R] {
        self.records.get(..self.count).unwrap_or(&self.records)
    }
}

impl<R: Copy + Default> FromIterator<R> for Few<R> {
    fn from_iter<I: IntoIterator<Item = R>>(records: I) -> Self {
        let mut few = Self { records: [R::default(); MAX_HOPS], count: 0 };
        records.into_iter().for_each(|record| few.push(record));
        few
    }
}

impl From<Telemetry<'_>> for Gathered {
    fn from(telemetry: Telemetry<'_>) -> Self {
        match telemetry {
            Telemetry::None => Self::None,
            Telemetry::MaxHopDelay(delay) => Self::MaxHopDelay(delay),
            Telemetry::CompactHops(hops) => Self::CompactHops(hops.iter().collect()),
            Telemetry::ExactHops(hops) => Self::ExactHops(hops.iter().collect()),
        }
    }
}

/// Room for the largest reflection.
pub(crate) type Buffer = [u8; packed_size::<ExactHop>(MAX_HOPS)];
pub(crate) const BUFFER: Buffer = [0; size_of::<Buffer>()];

impl Gathered {
    /// As the wire's own type, which borrows its records from `buffer`.
    pub(crate) fn lay_out<'b>(&self, buffer: &'b mut Buffer) -> Result<Telemetry<'b>, WireError> {
        fn stack<'b, R: Record>(hops: &[R], buffer: &'b mut [u8]) -> Result<HopStack<'b, R>, WireError> {
            HopStack::encode_packed(hops, buffer)?;
            Ok(HopStack::parse_packed(buffer)?.0)
        }
        Ok(match self {
            Self::None => Telemetry::None,
            Self::MaxHopDelay(delay) => Telemetry::MaxHopDelay(*delay),
            Self::CompactHops(hops) => Telemetry::CompactHops(stack(hops.as_slice(), buffer)?),
            Self::ExactHops(hops) => Telemetry::ExactHops(stack(hops.as_slice(), buffer)?),
        })
    }
}

/// Turns what acks reflect into what a law reads. Compact records wrap around, so each needs the
/// one before it of the same switch: one reader per connection.
#[derive(Clone, Debug)]
pub struct HopReader {
    scale: UnitScale,
    previous: [ExactHop; MAX_HOPS],
    records: HopRecords,
}

impl HopReader {
    /// A reader for a network with this scale of compact records.
    #[must_use]
    pub fn new(scale: UnitScale) -> Self {
        Self { scale, previous: [ExactHop::default(); MAX_HOPS], records: HopRecords::default() }
    }

    /// What the law is shown; `reverse` is the ack's own longest wait.
    pub fn read(&mut self, gathered: &Gathered, reverse: Span) -> LawTelemetry<'_> {
        self.records = HopRecords::default();
        match gathered {
            Gathered::None => return LawTelemetry::None,
            Gathered::MaxHopDelay(delay) => {
                return LawTelemetry::MaxHop { forward: delay.delay(), reverse };
            }
            Gathered::CompactHops(hops) => {
                for (previous, hop) in self.previous.iter_mut().zip(hops.as_slice()) {
                    *previous = hop.after(previous, self.scale);
                    self.records.push(record(previous));
                }
            }
            Gathered::ExactHops(hops) => {
                hops.as_slice().iter().for_each(|hop| self.records.push(record(hop)));
            }
        }
        LawTelemetry::Hops(self.records.as_slice())
    }
}

fn record(hop: &ExactHop) -> HopRecord {
    HopRecord { time: hop.time, sent: hop.sent, queue: hop.queue, rate: hop.rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::{Bytes, Rate, Time};

    #[test]
    fn compact_records_are_unwrapped_with_the_ones_before_them() {
        let scale = UnitScale::for_nic(Rate::from_gbps(25));
        let mut reader = HopReader::new(scale);
        // 24 bits of nanoseconds wrap after 16.78 ms: the second record's time is smaller on the
        // wire.
        for ms in [16, 18] {
            let exact = ExactHop {
                time: Time::ZERO + Span::from_ms(ms),
                sent: Bytes::new(ms * 128_000),
                queue: Bytes::new(800),
                rate: Rate::from_gbps(25),
            };
            let hops = [CompactHop::quantise(&exact, scale).unwrap()].into_iter().collect();
            let LawTelemetry::Hops(seen) = reader.read(&Gathered::CompactHops(hops), Span::ZERO) else {
                panic!()
            };
            assert_eq!(seen, [record(&exact)]);
        }
    }
}
