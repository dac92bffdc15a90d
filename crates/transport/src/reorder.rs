//! [`Waiting`]: packets that arrived and wait behind a hole.

use crate::bits::BitRing;
use plimsoll_units::Bytes;

/// Where a packet's bytes lie in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: Bytes,
    pub(crate) length: u32,
    pub(crate) ends_message: bool,
}

impl Place {
    pub(crate) fn end(&self) -> Bytes {
        self.start.saturating_add(Bytes::new(u64::from(self.length)))
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    bits: BitRing,
    /// Valid where the bit is set.
    places: Vec<Place>,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.count() == 0
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.bits.get(number)
    }

    /// Which of the 64 packets up to `number`, the top bit, wait here.
    #[inline]
    pub(crate) fn up_to(&self, number: u64) -> u64 {
        self.bits.up_to(number)
    }

    /// Keeps a packet that is not kept yet; `low` is the first that is missing.
    pub(crate) fn insert(&mut self, low: u64, number: u64, place: Place) {
        self.bits.reserve(low, number);
        let needed = ((number - low) as usize + 1).next_power_of_two().max(64);
        if needed > self.places.len() {
            self.grow(low, needed);
        }
        self.bits.insert(number);
        let mask = self.places.len() - 1;
        self.places[number as usize & mask] = place;
    }

    #[cold]
    fn grow(&mut self, low: u64, size: usize) {
        let mut larger = vec![Place::default(); size];
        for number in low..low + self.places.len() as u64 {
            larger[number as usize & (size - 1)] = self.places[number as usize & (self.places.len() - 1)];
        }
        self.places = larger;
    }

    /// Takes a packet out.
    pub(crate) fn take(&mut self, number: u64) -> Option<Place> {
        self.bits.take(number).then(|| self.places[number as usize & (self.places.len() - 1)])
    }

    /// Where a packet that waits here lies.
    pub(crate) fn place(&self, number: u64) -> Option<Place> {
        self.bits.get(number).then(|| self.places[number as usize & (self.places.len() - 1)])
    }

    pub(crate) fn clear(&mut self) {
        self.bits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_growth_and_the_turn_of_the_ring() {
        let place = |number: u64| Place { start: Bytes::new(number * 10), length: 10, ends_message: false };
        let mut waiting = Waiting::default();
        let mut low = 0;
        for round in 0..20_u64 {
            // Keep every second packet of a span that grows from 20 to 400.
            let numbers: Vec<u64> = (0..=round * 10).map(|step| low + 1 + 2 * step).collect();
            for number in &numbers {
                waiting.insert(low, *number, place(*number));
            }
            for number in low..=numbers[numbers.len() - 1] {
                let expected = numbers.contains(&number).then(|| place(number));
                assert_eq!(waiting.place(number), expected);
                assert_eq!(waiting.take(number), expected);
            }
            low = numbers[numbers.len() - 1] + 1;
            assert!(waiting.is_empty());
        }
    }
}
