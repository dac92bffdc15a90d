//! Numbers as the kernel's programs have them.

use crate::Error;

/// As in `bpf/tables.h`.
const LOG2_STEPS: u32 = 256;
const ONE: f64 = 4_294_967_296.0;

/// A number times 2³²; what is negative, too large or none is refused with the name of the parameter.
pub(crate) fn q32(name: &str, value: f64) -> Result<u64, Error> {
    let scaled = libm::round(value * ONE);
    // 2⁶³: a bit is left for the sums of the programs.
    if (0.0..9_223_372_036_854_775_808.0).contains(&scaled) {
        return Ok(scaled as u64);
    }
    Err(Error::Refused(format!("`{name} = {value:?}` cannot be expressed in the kernel: at most 2147483647")))
}

/// A number that may be negative times 2³², as the kernel's 64 bits have it.
pub(crate) fn signed_q32(value: f64) -> u64 {
    libm::round(value * ONE) as i64 as u64
}

/// log2(1 + i/256) · 2³² for `bpf/tables.h`.
pub(crate) fn log2_table() -> Vec<u64> {
    let point = |i: u32| libm::log2(1.0 + f64::from(i) / f64::from(LOG2_STEPS)) * ONE;
    (0..=LOG2_STEPS).map(|i| libm::round(point(i)) as u64).collect()
}

/// Words as they lie in the memory of this machine.
pub(crate) fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_have_known_words() {
        assert_eq!(q32("x", 0.0), Ok(0));
        assert_eq!(q32("x", 1.5), Ok(3 << 31));
        assert_eq!(signed_q32(-1.0), u64::MAX << 32);
        let table = log2_table();
        assert_eq!((table.len(), table[0], table[256]), (257, 0, 1 << 32));
        // log2(1.5) = 0.5849625007: · 2³² = 2 512 394 810.
        assert_eq!(table[128], 2_512_394_810);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        for value in [-1e-9, 2_147_483_648.0, f64::NAN, f64::INFINITY] {
            assert!(q32("max_cwnd", value).unwrap_err().to_string().contains("max_cwnd"), "{value}");
        }
    }
}
