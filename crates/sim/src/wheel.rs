//! The event queue: a wheel of time buckets with an overflow heap.
//!
//! Every source of events (a link's pipe, a host) has one number and at most one pending event,
//! so the queue's size is the network's, not the traffic's. Events come out by time and, at equal
//! times, by number: an order that does not depend on when they were put in.
//!
//! A bucket is a list without order, threaded through an array indexed by source, so that putting in
//! and taking out never search, however many events share a moment. A bucket is sorted once, when its
//! time has come. Two levels of bitmaps skip empty buckets. What lies beyond the wheel's horizon waits
//! in a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source of events.
pub(crate) type SourceId = u32;

const NONE: u32 = u32::MAX;

/// `Event::before` of the first in a bucket.
const FIRST: u32 = u32::MAX;
/// `Event::before` of an event in the open bucket.
const OPEN: u32 = u32::MAX - 1;
/// `Event::before` of an event in the heap.
const HEAP: u32 = u32::MAX - 2;
/// `Event::before` of a source without event.
const NOWHERE: u32 = u32::MAX - 3;

/// A source's event; side by side, because they are used together.
#[derive(Clone, Copy)]
struct Event {
    time: u64,
    /// The next in the same bucket.
    next: u32,
    /// The one before it in the same bucket, or where else it is.
    before: u32,
}

/// An event of the open bucket, to be sorted.
#[inline(always)]
fn key(since: u64, source: SourceId) -> u64 {
    since << 32 | u64::from(source)
}

/// The queue. Times are picoseconds.
pub(crate) struct Wheel {
    /// Bucket width is 2^shift picoseconds.
    shift: u32,
    buckets: u64,
    /// The open bucket, counted from time zero; nothing is pending before it.
    current: u64,
    /// The events of the open bucket, the first last: time since the bucket's beginning, above 32 bits
    /// of the source.
    open: Vec<u64>,
    first: Vec<u32>,
    events: Vec<Event>,
    occupied: Vec<u64>,
    occupied_words: Vec<u64>,
    /// Events in buckets that are not open.
    in_wheel: usize,
    heap: BinaryHeap<Reverse<(u64, SourceId)>>,
    /// Bucket of the heap's first event, or `u64::MAX`.
    heap_bucket: u64,
}

impl Wheel {
    /// A queue for `sources` sources whose events usually lie less than `usual` picoseconds ahead.
    pub(crate) fn new(sources: usize, usual: u64) -> Self {
        // About as many buckets as sources: more would not fit in cache, fewer would be long to
        // sort. Twice the usual distance fits in one turn.
        let buckets = (sources as u64).next_power_of_two().clamp(1 << 12, 1 << 20);
        let width = (usual.saturating_mul(2) / buckets).max(1).checked_next_power_of_two();
        let words = (buckets / 64) as usize;
        Self {
            // A time within a bucket fits in 32 bits.
            shift: width.map_or(32, u64::trailing_zeros).min(32),
            buckets,
            current: 0,
            open: Vec::new(),
            first: vec![NONE; buckets as usize],
            events: vec![Event { time: 0, next: NONE, before: NOWHERE }; sources],
            occupied: vec![0; words],
            occupied_words: vec![0; words.div_ceil(64)],
            in_wheel: 0,
            heap: BinaryHeap::new(),
            heap_bucket: u64::MAX,
        }
    }

    /// Sets the source's event to `time`, replacing the one it may have. A time before the last
    /// event taken, or before the `until` of a [`Wheel::pop`] that found nothing, is an error of the caller's.
    #[inline(always)]
    pub(crate) fn set(&mut self, source: SourceId, time: u64) {
        let event = self.events[source as usize];
        if event.before != NOWHERE {
            if event.time == time {
                return;
            }
            self.clear(source);
        }
        let bucket = time >> self.shift;
        debug_assert!(bucket >= self.current, "an event in the past");
        if bucket < self.current + self.buckets {
            self.insert(source, time, bucket);
        } else {
            self.events[source as usize] = Event { time, next: NONE, before: HEAP };
            self.heap.push(Reverse((time, source)));
            self.heap_bucket = self.heap_bucket.min(bucket);
        }
    }

    /// Removes the source's event, if it has one.
    pub(crate) fn clear(&mut self, source: SourceId) {
        let event = self.events[source as usize];
        match event.before {
            NOWHERE => return,
            HEAP => {
                // Seldom: timers beyond the horizon that are withdrawn.
                self.heap.retain(|Reverse((_, pending))| *pending != source);
                self.heap_bucket = self.heap.peek().map_or(u64::MAX, |Reverse((time, _))| time >> self.shift);
            }
            OPEN => {
                if let Ok(place) = self.place_in_open(event.time, source) {
                    self.open.remove(place);
                }
            }
            before => {
                let index = (event.time >> self.shift & (self.buckets - 1)) as usize;
                if before == FIRST {
                    self.first[index] = event.next;
                    if event.next == NONE {
                        self.mark_empty(index);
                    }
                } else {
                    self.events[before as usize].next = event.next;
                }
                if event.next != NONE {
                    self.events[event.next as usize].before = before;
                }
                self.in_wheel -= 1;
            }
        }
        self.events[source as usize].before = NOWHERE;
    }

    /// Takes the first event if it is not later than `until`.
    #[inline(always)]
    pub(crate) fn pop(&mut self, until: u64) -> Option<(u64, SourceId)> {
        if self.open.is_empty() && !self.open_next(until) {
            return None;
        }
        let &key = self.open.last()?;
        let (time, source) = ((self.current << self.shift) + (key >> 32), key as u32);
        if time > until {
            return None;
        }
        self.open.pop();
        self.events[source as usize].before = NOWHERE;
        Some((time, source))
    }

    /// Opens the next bucket that has events, if it begins by `until`: not later ones, since nearer
    /// events may still come.
    #[inline(always)]
    fn open_next(&mut self, until: u64) -> bool {
        if self.in_wheel == 0 {
            // Nothing near: turn the wheel to the heap's first event, if that is due.
            match self.heap.peek() {
                Some(Reverse((time, _))) if *time <= until => self.current = self.heap_bucket,
                _ => return false,
            }
        }
        if self.heap_bucket < self.current + self.buckets {
            self.refill();
            if !self.open.is_empty() {
                return true;
            }
        }
        let bucket = self.first_occupied();
        let start = bucket << self.shift;
        if start > until {
            return false;
        }
        self.current = bucket;
        let index = (bucket & (self.buckets - 1)) as usize;
        let mut source = self.first[index];
        self.first[index] = NONE;
        self.mark_empty(index);
        while source != NONE {
            let event = &mut self.events[source as usize];
            event.before = OPEN;
            self.open.push(key(event.time - start, source));
            source = event.next;
        }
        self.in_wheel -= self.open.len();
        if self.open.len() > 1 {
            self.open.sort_unstable_by_key(|key| Reverse(*key));
        }
        true
    }

    /// When the first event is due.
    pub(crate) fn peek(&self) -> Option<u64> {
        if let Some(key) = self.open.last() {
            return Some((self.current << self.shift) + (key >> 32));
        }
        let far = self.heap.peek().map(|Reverse((time, _))| *time);
        if self.in_wheel == 0 {
            return far;
        }
        let mut source = self.first[(self.first_occupied() & (self.buckets - 1)) as usize];
        let mut near = far.unwrap_or(u64::MAX);
        while source != NONE {
            near = near.min(self.events[source as usize].time);
            source = self.events[source as usize].next;
        }
        Some(near)
    }

    /// Where in the open bucket an event is, or belongs.
    fn place_in_open(&self, time: u64, source: SourceId) -> Result<usize, usize> {
        let wanted = key(time - (self.current << self.shift), source);
        self.open.binary_search_by(|key| wanted.cmp(key))
    }

    #[inline(always)]
    fn insert(&mut self, source: SourceId, time: u64, bucket: u64) {
        if bucket == self.current {
            self.insert_in_open(source, time);
            return;
        }
        let index = (bucket & (self.buckets - 1)) as usize;
        let next = self.first[index];
        if next == NONE {
            self.occupied[index >> 6] |= 1 << (index & 63);
            self.occupied_words[index >> 12] |= 1 << (index >> 6 & 63);
        } else {
            self.events[next as usize].before = source;
        }
        self.first[index] = source;
        self.events[source as usize] = Event { time, next, before: FIRST };
        self.in_wheel += 1;
    }

    fn insert_in_open(&mut self, source: SourceId, time: u64) {
        let place = self.place_in_open(time, source).unwrap_or_else(|place| place);
        self.open.insert(place, key(time - (self.current << self.shift), source));
        self.events[source as usize] = Event { time, next: NONE, before: OPEN };
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
            self.insert(source, time, bucket);
        }
        self.heap_bucket = u64::MAX;
    }

    #[inline(always)]
    fn mark_empty(&mut self, index: usize) {
        self.occupied[index >> 6] &= !(1 << (index & 63));
        if self.occupied[index >> 6] == 0 {
            self.occupied_words[index >> 12] &= !(1 << (index >> 6 & 63));
        }
    }

    /// The first occupied bucket from the current one on; there is one.
    #[inline(always)]
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
                        match expected {
                            Some((time, source)) => {
                                model.pop_first();
                                pending[source as usize] = None;
                                now = time;
                            }
                            None => now += ahead,
                        }
                    }
                }
            }
        }
    }
}
