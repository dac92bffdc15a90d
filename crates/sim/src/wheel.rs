//! The event queue: a wheel of time buckets with an overflow heap.
//!
//! Every source of events (a link's pipe, a host) has one number and at most one pending event,
//! so the queue's size is the network's, not the traffic's. Events come out by time and, at equal
//! times, by number: an order that does not depend on when they were put in.
//!
//! A bucket holds its events as a sorted list threaded through arrays indexed by source; with
//! buckets as narrow as events are dense, lists have about one element. Two levels of bitmaps skip
//! empty buckets. What lies beyond the wheel's horizon waits in a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source of events.
pub(crate) type SourceId = u32;

const NONE: u32 = u32::MAX;

/// Where a source's event is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Wheel,
    Heap,
}

/// A source's event; side by side, because they are used together.
#[derive(Clone, Copy)]
struct Event {
    time: u64,
    /// The next in the same bucket.
    next: u32,
    place: Place,
}

/// The queue. Times are picoseconds.
pub(crate) struct Wheel {
    /// Bucket width is 2^shift picoseconds.
    shift: u32,
    buckets: u64,
    /// The bucket, counted from time zero, before which nothing is pending.
    current: u64,
    first: Vec<u32>,
    events: Vec<Event>,
    occupied: Vec<u64>,
    occupied_words: Vec<u64>,
    in_wheel: usize,
    heap: BinaryHeap<Reverse<(u64, SourceId)>>,
    /// Bucket of the heap's first event, or `u64::MAX`.
    heap_bucket: u64,
}

impl Wheel {
    /// A queue for `sources` sources whose events usually lie less than `usual` picoseconds ahead.
    pub(crate) fn new(sources: usize, usual: u64) -> Self {
        // A few buckets per source keep lists short and the wheel in cache; twice the usual
        // distance fits in one turn.
        let buckets = (sources as u64 * 4).next_power_of_two().clamp(1 << 16, 1 << 20);
        let width = (usual.saturating_mul(2) / buckets).max(1).checked_next_power_of_two();
        let words = (buckets / 64) as usize;
        Self {
            shift: width.map_or(63, u64::trailing_zeros),
            buckets,
            current: 0,
            first: vec![NONE; buckets as usize],
            events: vec![Event { time: 0, next: NONE, place: Place::Nowhere }; sources],
            occupied: vec![0; words],
            occupied_words: vec![0; words / 64],
            in_wheel: 0,
            heap: BinaryHeap::new(),
            heap_bucket: u64::MAX,
        }
    }

    /// Sets the source's event to `time`, replacing the one it may have. A time before the last
    /// event taken is an error of the caller's.
    #[inline]
    pub(crate) fn set(&mut self, source: SourceId, time: u64) {
        match self.events[source as usize].place {
            Place::Nowhere => {}
            _ if self.events[source as usize].time == time => return,
            _ => self.clear(source),
        }
        self.events[source as usize].time = time;
        let bucket = time >> self.shift;
        debug_assert!(bucket >= self.current, "an event in the past");
        if bucket < self.current + self.buckets {
            self.insert(source, bucket);
        } else {
            self.events[source as usize].place = Place::Heap;
            self.heap.push(Reverse((time, source)));
            self.heap_bucket = self.heap_bucket.min(bucket);
        }
    }

    /// Removes the source's event, if it has one.
    pub(crate) fn clear(&mut self, source: SourceId) {
        match self.events[source as usize].place {
            Place::Nowhere => return,
            Place::Heap => {
                // Seldom: timers beyond the horizon that are withdrawn.
                self.heap.retain(|Reverse((_, pending))| *pending != source);
                self.heap_bucket = self.heap.peek().map_or(u64::MAX, |Reverse((time, _))| time >> self.shift);
            }
            Place::Wheel => {
                let index = (self.events[source as usize].time >> self.shift & (self.buckets - 1)) as usize;
                let after = self.events[source as usize].next;
                if self.first[index] == source {
                    self.first[index] = after;
                    if after == NONE {
                        self.mark_empty(index);
                    }
                } else {
                    let mut previous = self.first[index];
                    while self.events[previous as usize].next != source {
                        previous = self.events[previous as usize].next;
                    }
                    self.events[previous as usize].next = after;
                }
                self.in_wheel -= 1;
            }
        }
        self.events[source as usize].place = Place::Nowhere;
    }

    /// Takes the first event if it is not later than `until`.
    #[inline]
    pub(crate) fn pop(&mut self, until: u64) -> Option<(u64, SourceId)> {
        if self.in_wheel == 0 {
            // Nothing near: turn the wheel to the heap's first event, if that is due. Not before:
            // nearer events may still come.
            match self.heap.peek() {
                Some(Reverse((time, _))) if *time <= until => self.current = self.heap_bucket,
                _ => return None,
            }
        }
        if self.heap_bucket < self.current + self.buckets {
            self.refill();
        }
        let bucket = self.first_occupied();
        let index = (bucket & (self.buckets - 1)) as usize;
        let source = self.first[index];
        let time = self.events[source as usize].time;
        if time > until {
            return None;
        }
        self.current = bucket;
        let after = self.events[source as usize].next;
        self.first[index] = after;
        if after == NONE {
            self.mark_empty(index);
        }
        self.events[source as usize].place = Place::Nowhere;
        self.in_wheel -= 1;
        Some((time, source))
    }

    /// When the first event is due.
    pub(crate) fn peek(&self) -> Option<u64> {
        if self.in_wheel == 0 {
            return self.heap.peek().map(|Reverse((time, _))| *time);
        }
        let source = self.first[(self.first_occupied() & (self.buckets - 1)) as usize];
        let near = self.events[source as usize].time;
        Some(self.heap.peek().map_or(near, |Reverse((time, _))| near.min(*time)))
    }

    #[inline]
    fn insert(&mut self, source: SourceId, bucket: u64) {
        let index = (bucket & (self.buckets - 1)) as usize;
        let key = (self.events[source as usize].time, source);
        let before = |wheel: &Self, other: u32| (wheel.events[other as usize].time, other) < key;
        let head = self.first[index];
        if head == NONE || !before(self, head) {
            self.events[source as usize].next = head;
            self.first[index] = source;
            self.occupied[index >> 6] |= 1 << (index & 63);
            self.occupied_words[index >> 12] |= 1 << (index >> 6 & 63);
        } else {
            let mut previous = head;
            loop {
                let next = self.events[previous as usize].next;
                if next == NONE || !before(self, next) {
                    self.events[source as usize].next = next;
                    self.events[previous as usize].next = source;
                    break;
                }
                previous = next;
            }
        }
        self.events[source as usize].place = Place::Wheel;
        self.in_wheel += 1;
    }

    /// Brings what the horizon has reached from the heap into the wheel.
    #[cold]
    fn refill(&mut self) {
        while let Some(&Reverse((time, source))) = self.heap.peek() {
            let bucket = time >> self.shift;
            if bucket >= self.current + self.buckets {
                self.heap_bucket = bucket;
                return;
            }
            self.heap.pop();
            self.insert(source, bucket);
        }
        self.heap_bucket = u64::MAX;
    }

    #[inline]
    fn mark_empty(&mut self, index: usize) {
        self.occupied[index >> 6] &= !(1 << (index & 63));
        if self.occupied[index >> 6] == 0 {
            self.occupied_words[index >> 12] &= !(1 << (index >> 6 & 63));
        }
    }

    /// The first occupied bucket from the current one on; there is one.
    #[inline]
    fn first_occupied(&self) -> u64 {
        let start = (self.current & (self.buckets - 1)) as usize;
        let here = self.occupied[start >> 6] >> (start & 63);
        if here != 0 {
            return self.current + u64::from(here.trailing_zeros());
        }
        let index = self.first_occupied_after(start >> 6);
        self.current + ((index as u64).wrapping_sub(self.current) & (self.buckets - 1))
    }

    /// The first occupied bucket in the words after `word`, around the wheel.
    fn first_occupied_after(&self, word: usize) -> usize {
        let group = word >> 6;
        let rest = if word & 63 == 63 {
            0
        } else {
            self.occupied_words[group] >> ((word & 63) + 1) << ((word & 63) + 1)
        };
        let groups = self.occupied_words.len();
        let mut found = (group, rest);
        for step in 1..=groups {
            if found.1 != 0 {
                break;
            }
            let group = (group + step) % groups;
            found = (group, self.occupied_words[group]);
        }
        let word = (found.0 << 6) + found.1.trailing_zeros() as usize;
        (word << 6) + self.occupied[word].trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[derive(Clone, Debug)]
    enum Step {
        Set(u32, u64),
        Clear(u32),
        Pop(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let distance = prop_oneof![0_u64..10, 0_u64..100_000, 0_u64..5_000_000, 0_u64..10_000_000_000];
        prop_oneof![
            4 => (0_u32..40, distance.clone()).prop_map(|(source, ahead)| Step::Set(source, ahead)),
            1 => (0_u32..40).prop_map(Step::Clear),
            4 => distance.prop_map(Step::Pop),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..Default::default() })]

        /// Against a sorted set: the same events, in the same order.
        #[test]
        fn events_come_by_time_and_then_by_source(
            usual in prop_oneof![Just(0_u64), Just(1_000_000), Just(10_000_000_000)],
            steps in proptest::collection::vec(step(), 1..300),
        ) {
            let mut wheel = Wheel::new(40, usual);
            let mut model = BTreeSet::new();
            let mut pending = [None; 40];
            let mut now = 0;
            for step in steps {
                match step {
                    Step::Set(source, ahead) => {
                        if let Some(time) = pending[source as usize].replace(now + ahead) {
                            model.remove(&(time, source));
                        }
                        model.insert((now + ahead, source));
                        wheel.set(source, now + ahead);
                    }
                    Step::Clear(source) => {
                        if let Some(time) = pending[source as usize].take() {
                            model.remove(&(time, source));
                        }
                        wheel.clear(source);
                    }
                    Step::Pop(ahead) => {
                        let expected = model.first().copied().filter(|(time, _)| *time <= now + ahead);
                        prop_assert_eq!(wheel.pop(now + ahead), expected);
                        if let Some((time, source)) = expected {
                            model.pop_first();
                            pending[source as usize] = None;
                            now = time;
                        }
                    }
                }
            }
        }
    }
}
