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
///
/// Packets that overtook each other bring records older than the last. A compact record that seems
/// to lie more than half the range of its clock (8.4 ms) ahead is taken for an older one, and the law
/// is shown no telemetry with that ack: what it would say is known already. A flow that was silent
/// for longer than that looks the same; so after [`OLD_IN_A_ROW`] such acks the next is believed.
#[derive(Clone, Debug)]
pub struct HopReader {
    scale: UnitScale,
    previous: Few<ExactHop>,
    /// Acks in a row whose records were older.
    old: u32,
    records: HopRecords,
}

/// So many acks in a row may bring records older than the last; one more and it is the last that is
/// too old. More than packets of one flow overtake another in a row, less than a window's worth.
pub const OLD_IN_A_ROW: u32 = 16;

/// Half of the 2²⁴ ns after which a compact record's clock wraps around.
const HALF_RANGE: Span = Span::from_ns(1 << 23);

impl HopReader {
    /// A reader for a network with this scale of compact records.
    #[must_use]
    pub fn new(scale: UnitScale) -> Self {
        Self { scale, previous: Few::default(), old: 0, records: HopRecords::default() }
    }

    /// The flow takes another path: the records of the last one say nothing about the next.
    pub fn path_changed(&mut self) {
        self.previous = Few::default();
        self.old = 0;
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
                let Some(exact) = self.unwrap(hops.as_slice()) else {
                    return LawTelemetry::None;
                };
                exact.as_slice().iter().for_each(|hop| self.records.push(record(hop)));
            }
            Gathered::ExactHops(hops) => {
                hops.as_slice().iter().for_each(|hop| self.records.push(record(hop)));
            }
        }
        LawTelemetry::Hops(self.records.as_slice())
    }

    /// Exact records, if they are newer than the last ones; they are the last ones then.
    fn unwrap(&mut self, hops: &[CompactHop]) -> Option<Few<ExactHop>> {
        let previous = self.previous.as_slice();
        let exact: Few<ExactHop> = if previous.len() == hops.len() {
            previous.iter().zip(hops).map(|(before, hop)| hop.after(before, self.scale)).collect()
        } else {
            // Another number of switches is another path.
            hops.iter().map(|hop| hop.first(self.scale)).collect()
        };
        let is_older = previous.len() == hops.len()
            && previous
                .iter()
                .zip(exact.as_slice())
                .any(|(before, hop)| hop.time.saturating_since(before.time) > HALF_RANGE);
        if is_older && self.old < OLD_IN_A_ROW {
            self.old += 1;
            return None;
        }
        self.old = 0;
        self.previous = exact;
        Some(exact)
    }
}

fn record(hop: &ExactHop) -> HopRecord {
    HopRecord { time: hop.time, sent: hop.sent, queue: hop.queue, rate: hop.rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::{Bytes, Rate, Time};

    /// What the reader makes of the record of a switch that sends 6 bytes per nanosecond: its time
    /// in nanoseconds and its bytes.
    fn read(reader: &mut HopReader, ns: u64) -> Option<(u64, u64)> {
        let exact = ExactHop {
            time: Time::ZERO + Span::from_ns(ns),
            sent: Bytes::new(ns * 6),
            queue: Bytes::ZERO,
            rate: Rate::from_gbps(100),
        };
        let hops = [CompactHop::quantise(&exact, reader.scale).unwrap()].into_iter().collect();
        match reader.read(&Gathered::CompactHops(hops), Span::ZERO) {
            LawTelemetry::Hops([hop]) => Some((hop.time.as_ps() / 1_000, hop.sent.get())),
            _ => None,
        }
    }

    #[test]
    fn a_record_that_was_overtaken_is_left_out_and_the_next_ones_are_right() {
        let mut reader = HopReader::new(UnitScale::for_nic(Rate::from_gbps(100)));
        for ns in [1_000_000, 1_001_000, 1_002_000, 1_003_000] {
            assert_eq!(read(&mut reader, ns).unwrap().0, ns);
        }
        assert_eq!(read(&mut reader, 1_002_500), None, "older than the last");
        for ns in [1_004_000, 1_005_000] {
            let (time, sent) = read(&mut reader, ns).unwrap();
            assert_eq!(time, ns);
            // Rounded down to units of 4 · 128 bytes.
            assert_eq!(sent, ns * 6 / 512 * 512);
        }
    }

    #[test]
    fn a_flow_that_was_silent_for_more_than_half_the_range_is_heard_again() {
        let mut reader = HopReader::new(UnitScale::for_nic(Rate::from_gbps(100)));
        assert!(read(&mut reader, 0).is_some());
        // 8,388,608 ns are half the range.
        assert_eq!(read(&mut reader, 8_388_608).unwrap().0, 8_388_608);
        let later = 8_388_608 + 8_388_609;
        for ack in 0..u64::from(OLD_IN_A_ROW) {
            assert_eq!(read(&mut reader, later + ack), None);
        }
        assert_eq!(read(&mut reader, later + 100).unwrap().0, later + 100);
        assert_eq!(read(&mut reader, later + 200).unwrap().0, later + 200);
    }

    #[test]
    fn after_a_change_of_path_an_earlier_clock_is_as_good() {
        let mut reader = HopReader::new(UnitScale::for_nic(Rate::from_gbps(100)));
        assert!(read(&mut reader, 5_000_000).is_some());
        reader.path_changed();
        assert_eq!(read(&mut reader, 1_000_000).unwrap().0, 1_000_000);
    }

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
