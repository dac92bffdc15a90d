//! The fuzz target's entry on stable Rust: random bytes, and valid packets with damage.

#[path = "shared/feed_everything.rs"]
mod feed_everything;
#[path = "shared/valid_packets.rs"]
mod valid_packets;

use feed_everything::feed_everything;
use proptest::prelude::*;
use valid_packets::valid_packets;

/// xorshift64*: enough to scatter bytes, and the same on every machine.
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = (self.next() >> 56) as u8;
        }
    }

    /// Flips a bit, sets a byte, cuts, or repeats a part.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        match self.below(4) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = self.next() as u8),
            2 => bytes.truncate(at),
            _ => bytes.extend_from_within(at..),
        }
    }
}

#[test]
fn a_hundred_thousand_random_strings_panic_nowhere() {
    let mut scatter = Scatter(1);
    for _ in 0..100_000 {
        let mut bytes = vec![0; scatter.below(200)];
        scatter.fill(&mut bytes);
        feed_everything(&bytes);
    }
}

#[test]
fn a_hundred_thousand_damaged_packets_panic_nowhere() {
    let valid = valid_packets();
    let mut scatter = Scatter(2);
    for _ in 0..100_000 {
        let mut bytes = valid[scatter.below(valid.len())].1.clone();
        for _ in 0..=scatter.below(3) {
            scatter.damage(&mut bytes);
        }
        feed_everything(&bytes);
    }
}

#[test]
fn every_cut_of_every_valid_packet_panics_nowhere() {
    for (_, packet) in valid_packets() {
        for end in 0..=packet.len() {
            feed_everything(&packet[..end]);
        }
    }
}

#[test]
fn undamaged_packets_are_accepted_by_their_format() {
    for (format, packet) in valid_packets() {
        assert!(feed_everything(&packet).contains(&format), "{format}: {packet:02x?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_panic_nowhere(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        feed_everything(&bytes);
    }
}
