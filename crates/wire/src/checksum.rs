//! CRC-32C (Castagnoli), which finds every error burst of up to 32 bits and every odd number of
//! flipped bits (RFC 3720 §12.1, and its test vectors in appendix B.4).
//!
//! Eight tables let eight bytes go through at a time: the transport sums every payload byte, so this
//! is the one loop of this crate that is worth 8 KiB.

/// The polynomial 0x1EDC6F41, bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// `TABLES[n][byte]` is what `byte` does to the sum when `n` zero bytes follow it.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut byte = 0;
        while byte < 256 {
            let sum = tables[zeros - 1][byte];
            tables[zeros][byte] = sum >> 8 ^ tables[0][(sum & 0xFF) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// A sum over bytes that need not lie together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crc32c(u32);

impl Crc32c {
    pub(crate) const fn new() -> Self {
        Self(!0)
    }

    pub(crate) fn add(mut self, bytes: &[u8]) -> Self {
        let (eights, rest) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in eights {
            let [p, q, r, s] = (self.0 ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
            let places = [p, q, r, s, e, f, g, h];
            self.0 = 0;
            for (table, byte) in TABLES.iter().rev().zip(places) {
                self.0 ^= table[usize::from(byte)];
            }
        }
        for &byte in rest {
            let [low, ..] = self.0.to_le_bytes();
            self.0 = self.0 >> 8 ^ TABLES[0][usize::from(low ^ byte)];
        }
        self
    }

    pub(crate) const fn finish(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crc32c(bytes: &[u8]) -> u32 {
        Crc32c::new().add(bytes).finish()
    }

    #[test]
    fn the_test_vectors_of_rfc_3720_hold() {
        // Appendix B.4 prints the four bytes in the order of transmission, lowest first.
        assert_eq!(crc32c(&[0; 32]), 0x8A91_36AA);
        assert_eq!(crc32c(&[0xFF; 32]), 0x62A8_AB43);
        let ascending: [u8; 32] = core::array::from_fn(|index| index as u8);
        assert_eq!(crc32c(&ascending), 0x46DD_794E);
        let mut descending = ascending;
        descending.reverse();
        assert_eq!(crc32c(&descending), 0x113F_DB5C);
    }

    #[test]
    fn the_check_value_of_the_catalogue_holds_for_a_length_that_is_not_a_multiple_of_eight() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    }

    #[test]
    fn the_sum_does_not_depend_on_where_the_bytes_are_cut() {
        let bytes: [u8; 37] = core::array::from_fn(|index| (index * 7) as u8);
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(Crc32c::new().add(head).add(tail).finish(), crc32c(&bytes), "cut at {cut}");
        }
    }
}
