//! [`Ranges`]: which bytes of a message are there.

/// More pieces than this are not kept apart: a peer that sends every other byte cannot fill the memory.
const MOST: usize = 4096;

/// Ranges of bytes that neither touch nor overlap, by place. Nearly always there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds the bytes from `from` up to `to`, and gives how many of them are new.
    pub(super) fn insert(&mut self, from: u64, to: u64) -> u64 {
        if from >= to {
            return 0;
        }
        // The first that ends at `from` or later, and the first that begins behind `to`.
        let first = self.0.partition_point(|range| range.1 < from);
        let end = self.0.partition_point(|range| range.0 <= to);
        if first == end {
            if self.0.len() >= MOST {
                return 0;
            }
            self.0.insert(first, (from, to));
            return to - from;
        }
        let touched = &self.0[first..end];
        let known: u64 = touched.iter().map(|range| range.1.min(to).saturating_sub(range.0.max(from))).sum();
        let merged = (touched[0].0.min(from), touched[touched.len() - 1].1.max(to));
        self.0[first] = merged;
        self.0.drain(first + 1..end);
        to - from - known
    }

    /// The first bytes that are missing before `limit`.
    pub(super) fn first_gap(&self, limit: u64) -> Option<(u64, u64)> {
        let (from, to) = match self.0.as_slice() {
            [] => (0, limit),
            [first, ..] if first.0 > 0 => (0, first.0),
            [first] => (first.1, limit),
            [first, second, ..] => (first.1, second.0),
        };
        let to = to.min(limit);
        (from < to).then_some((from, to))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where its first bytes are, at most `most` of them.
    pub(super) fn front(&self, most: u64) -> Option<(u64, u64)> {
        let &(from, to) = self.0.first()?;
        Some((from, to.min(from.saturating_add(most))))
    }

    /// Removes its first bytes, up to `to`.
    pub(super) fn remove_front(&mut self, to: u64) {
        if let Some(first) = self.0.first_mut() {
            first.0 = first.0.max(to);
            if first.0 >= first.1 {
                self.0.remove(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_touches_becomes_one() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.insert(10, 20), 10);
        assert_eq!(ranges.insert(30, 40), 10);
        assert_eq!(ranges.first_gap(50), Some((0, 10)));
        assert_eq!(ranges.insert(0, 10), 10);
        assert_eq!(ranges.first_gap(50), Some((20, 30)));
        assert_eq!(ranges.first_gap(25), Some((20, 25)));
        // Of 15 … 35 the middle ten are new.
        assert_eq!(ranges.insert(15, 35), 10);
        assert_eq!(ranges, Ranges(vec![(0, 40)]));
        assert_eq!((ranges.first_gap(40), ranges.first_gap(41)), (None, Some((40, 41))));
    }

    #[test]
    fn the_front_is_taken_piece_by_piece() {
        let mut ranges = Ranges(vec![(5, 12), (20, 21)]);
        let mut pieces = Vec::new();
        while let Some(piece) = ranges.front(4) {
            pieces.push(piece);
            ranges.remove_front(piece.1);
        }
        assert_eq!(pieces, [(5, 9), (9, 12), (20, 21)]);
        assert!(ranges.is_empty());
    }

    proptest! {
        #[test]
        fn it_counts_like_a_set_of_bytes(pieces in proptest::collection::vec((0_u64..60, 0_u64..20), 0..40)) {
            let (mut ranges, mut set) = (Ranges::default(), [false; 100]);
            for (from, length) in pieces {
                let new = set[from as usize..(from + length) as usize].iter_mut();
                let new: u64 = new.map(|there| u64::from(!std::mem::replace(there, true))).sum();
                prop_assert_eq!(ranges.insert(from, from + length), new);
                let gap = set.iter().position(|there| !there).map(|at| at as u64);
                prop_assert_eq!(ranges.first_gap(100).map(|gap| gap.0), gap);
            }
        }
    }
}
