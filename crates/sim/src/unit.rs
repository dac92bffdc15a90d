//! Division by a fixed number, without dividing.

/// A unit in which numbers are counted, rounded down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    size: u64,
    /// ⌈2⁶⁴ / size⌉: the high half of its product with x is ⌊x / size⌋ while x · size < 2⁶⁴.
    reciprocal: u64,
}

impl Unit {
    /// A unit of `size`; zero counts as one.
    pub(crate) fn new(size: u64) -> Self {
        let size = size.max(1);
        Self { size, reciprocal: (u64::MAX / size).wrapping_add(1) }
    }

    /// How many whole units are in `x`.
    #[inline]
    pub(crate) fn count(&self, x: u64) -> u64 {
        if self.size == 1 {
            return x;
        }
        if x.checked_mul(self.size).is_none() {
            return x / self.size;
        }
        ((u128::from(x) * u128::from(self.reciprocal)) >> 64) as u64
    }

    /// So many units.
    #[inline]
    pub(crate) fn size(&self, count: u64) -> u64 {
        count.wrapping_mul(self.size)
    }

    /// `x` rounded down to a whole number of units.
    #[inline]
    pub(crate) fn floor(&self, x: u64) -> u64 {
        self.size(self.count(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_is_division(x in any::<u64>(), shift in 0_u32..64, size in prop_oneof![1_u64..5_000, Just(256_000), any::<u64>()]) {
            let (x, unit) = (x >> shift, Unit::new(size));
            prop_assert_eq!(unit.count(x), x / size.max(1));
            prop_assert_eq!(unit.floor(x), x - x % size.max(1));
        }
    }
}
