//! [`BitRing`]: one bit per packet number, over a moving span of numbers.

/// A ring of bits. Numbers inside the span that was reserved never share a bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitRing {
    words: Vec<u64>,
    set: u32,
}

impl BitRing {
    /// How many bits are set.
    pub(crate) fn count(&self) -> u32 {
        self.set
    }

    /// Makes room for all numbers of `low..=high`; the bits that are set lie there.
    pub(crate) fn reserve(&mut self, low: u64, high: u64) {
        // 64 · words ≥ high − low + 65: a window of 64 bits that begins below `low` ends before the
        // ring comes round to `high`.
        let words = (((high - low) >> 6) as usize + 2).next_power_of_two();
        if words <= self.words.len() {
            return;
        }
        let mut larger = Self { words: vec![0; words], set: 0 };
        if self.set > 0 {
            let old_end = low + (self.words.len() as u64) * 64;
            (low..old_end.min(high + 1)).filter(|number| self.get(*number)).for_each(|n| larger.insert(n));
        }
        *self = larger;
    }

    fn word(&self, number: u64) -> usize {
        (number >> 6) as usize & (self.words.len() - 1)
    }

    pub(crate) fn get(&self, number: u64) -> bool {
        !self.words.is_empty() && self.words[self.word(number)] >> (number & 63) & 1 != 0
    }

    /// Sets a bit that is not set.
    pub(crate) fn insert(&mut self, number: u64) {
        debug_assert!(!self.get(number));
        let word = self.word(number);
        self.words[word] |= 1 << (number & 63);
        self.set += 1;
    }

    /// Clears a bit; says whether it was set.
    pub(crate) fn take(&mut self, number: u64) -> bool {
        let was_set = self.get(number);
        if was_set {
            let word = self.word(number);
            self.words[word] &= !(1 << (number & 63));
            self.set -= 1;
        }
        was_set
    }

    /// The 64 bits up to `number`, which is the top bit.
    #[inline]
    pub(crate) fn up_to(&self, number: u64) -> u64 {
        if self.set == 0 {
            return 0;
        }
        let place = number & 63;
        let upper = self.words[self.word(number)] << (63 - place);
        match place {
            63 => upper,
            _ => upper | self.words[self.word(number.wrapping_sub(64))] >> (place + 1),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
        self.set = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_window_that_begins_below_the_span_does_not_see_its_other_end() {
        let mut ring = BitRing::default();
        ring.reserve(10, 70);
        ring.insert(70);
        ring.insert(12);
        assert_eq!(ring.up_to(12), 1 << 63);
    }

    proptest! {
        #[test]
        fn a_ring_holds_what_a_set_holds_while_its_span_moves(
            start in 0_u64..1 << 40,
            steps in prop::collection::vec((0_u64..200, 0_u64..20), 1..200),
        ) {
            let (mut ring, mut set) = (BitRing::default(), BTreeSet::new());
            let mut low = start;
            for (ahead, forward) in steps {
                let number = low + ahead;
                ring.reserve(low, number);
                if set.insert(number) {
                    ring.insert(number);
                }
                let expected = (0..64)
                    .filter(|back| number.checked_sub(*back).is_some_and(|n| set.contains(&n)))
                    .fold(0, |bits, back| bits | 1 << (63 - back));
                prop_assert_eq!(ring.up_to(number), expected);
                for passed in low..low + forward {
                    prop_assert_eq!(ring.take(passed), set.remove(&passed));
                }
                low += forward;
                prop_assert_eq!(ring.count() as usize, set.len());
            }
        }
    }
}
