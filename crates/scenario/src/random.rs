//! Random numbers that are the same on every platform.
//!
//! xoshiro256++ (Blackman and Vigna), its state filled by SplitMix64 from a key. Each traffic table
//! and each host in it has a generator of its own, so that a table added below, or a host added at
//! the end, changes nothing for the others. Logarithms are `libm`'s, not the platform's.

use plimsoll_cc::coin::Coin;
use plimsoll_units::Span;

/// A generator.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator for this table and this stream of it. Different arguments give independent numbers.
    pub(crate) fn new(seed: u64, table: u64, stream: u64) -> Self {
        // Each argument passes SplitMix64's mixing before the next joins, so that (1, 2) and (2, 1) differ.
        let mut key = 0;
        for part in [seed, table, stream] {
            key = Coin::new(key ^ part).bits();
        }
        let mut coin = Coin::new(key);
        Self { state: [coin.bits(), coin.bits(), coin.bits(), coin.bits()] }
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number from 0 up to, not including, 1, in steps of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A whole number below `count`; all are equally likely (Lemire's multiplication, with rejection).
    /// `count` of zero gives zero.
    pub(crate) fn below(&mut self, count: u32) -> u32 {
        let mut product = u64::from(self.bits() as u32) * u64::from(count);
        if (product as u32) < count {
            let threshold = count.wrapping_neg() % count;
            while (product as u32) < threshold {
                product = u64::from(self.bits() as u32) * u64::from(count);
            }
        }
        (product >> 32) as u32
    }

    /// A time until the next event of a Poisson process with this mean.
    pub(crate) fn exponential(&mut self, mean_seconds: f64) -> Span {
        // 1 − u is never zero.
        Span::saturating_from_secs_f64(-libm::log(1.0 - self.unit()) * mean_seconds)
    }

    /// Puts items into a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xoshiro_gives_its_published_first_numbers() {
        // The reference implementation (xoshiro256plusplus.c) from the state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        let published =
            [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386, 9_228_616_714_210_784_205];
        assert_eq!(published.map(|_| random.bits()), published);
    }

    #[test]
    fn whole_numbers_are_equally_likely() {
        // 60,000 rolls of a die: each side 10,000 times, standard deviation √(60,000 · 1/6 · 5/6) = 91.
        let mut random = Random::new(1, 2, 3);
        let mut sides = [0_u32; 6];
        (0..60_000).for_each(|_| sides[random.below(6) as usize] += 1);
        assert!(sides.iter().all(|side| (9_600..10_400).contains(side)), "{sides:?}");
        assert_eq!([random.below(0), random.below(1)], [0, 0]);
    }

    #[test]
    fn exponential_times_have_their_mean_and_their_variance() {
        let mut random = Random::new(7, 0, 0);
        let times: Vec<f64> = (0..100_000).map(|_| random.exponential(1e-3).as_secs_f64() * 1e3).collect();
        let mean = times.iter().sum::<f64>() / 1e5;
        let variance = times.iter().map(|time| (time - mean) * (time - mean)).sum::<f64>() / 1e5;
        // Standard error of the mean 1/√100,000 = 0.003, of the variance √(8/100,000) = 0.009.
        assert!((mean - 1.0).abs() < 0.015 && (variance - 1.0).abs() < 0.045, "{mean} {variance}");
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, table, stream| Random::new(seed, table, stream).bits();
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let all =
            [first(1, 2, 3), first(1, 3, 2), first(2, 1, 3), first(3, 2, 1), first(0, 0, 0), first(1, 0, 0)];
        for (index, value) in all.iter().enumerate() {
            assert!(!all[..index].contains(value), "{all:?}");
        }
    }

    #[test]
    fn a_shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(1, 1, 1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
