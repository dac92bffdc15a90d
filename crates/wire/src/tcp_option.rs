//! PowerTCP's records in a TCP option (PowerTCP, NSDI'22, §3.6: a 32-bit base and 64 bits a hop).
//!
//! ```text
//!  | kind 254 | length 4 + 8n | experiment identifier (2) | n compact records (8 each) |
//! ```
//! The 32 bits of the base are those of a shared experimental option (RFC 6994): kind 253 or 254
//! (RFC 4727), length, and a 16-bit experiment identifier, so that other experiments on the same
//! kind are told apart. We write kind [`KIND`] and read both kinds. The number of hops needs no
//! field: it follows from the length. The identifier also says the direction: a data segment
//! gathers records, an ack reflects them.
//!
//! TCP has room for 40 bytes of options: [`hops_that_fit`] gives four hops (36 bytes), or three
//! beside the timestamp option, whose padded 12 bytes leave 28. A longer path must be told by
//! another format.

use crate::compact_hop::CompactHop;
use crate::error::{Format, WireError};
use crate::field;
use crate::hop_records::Record;

const FORMAT: Format = Format::TcpOption;
const BASE_SIZE: usize = 4;
const HOP_SIZE: usize = 8;

pub(crate) const END_OF_LIST: u8 = 0;
pub(crate) const NO_OPERATION: u8 = 1;
const EXPERIMENT_1: u8 = 253;
const EXPERIMENT_2: u8 = 254;

/// The option kind that we write: the second experimental one (RFC 4727).
pub const KIND: u8 = EXPERIMENT_2;

/// Bytes of options that a TCP header has room for.
pub const OPTION_SPACE: usize = 40;

/// The most hops in one option.
pub const MAX_HOPS: usize = hops_that_fit(OPTION_SPACE);

/// How many hops an option of at most so many bytes can carry; an option of no hop takes 4 bytes.
#[must_use]
pub const fn hops_that_fit(bytes: usize) -> usize {
    let bytes = if bytes > OPTION_SPACE { OPTION_SPACE } else { bytes };
    bytes.saturating_sub(BASE_SIZE) / HOP_SIZE
}

/// What the records are there for; the value is the experiment identifier (not registered).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Switches add theirs: a data segment. "PG".
    Gathering = 0x5047,
    /// The receiver returns them: an ack. "PR".
    Reflecting = 0x5052,
}

impl Direction {
    const fn from_identifier(identifier: u16) -> Option<Self> {
        match identifier {
            0x5047 => Some(Self::Gathering),
            0x5052 => Some(Self::Reflecting),
            _ => None,
        }
    }
}

/// The option, where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopsOption<'a> {
    direction: Direction,
    /// At most [`MAX_HOPS`].
    records: &'a [[u8; HOP_SIZE]],
}

impl<'a> HopsOption<'a> {
    /// Looks for the option among all options of a TCP header; other options are passed over.
    pub fn find(options: &'a [u8]) -> Result<Option<Self>, WireError> {
        if options.len() > OPTION_SPACE {
            return Err(FORMAT.above_limit("option bytes", options.len() as u64, OPTION_SPACE as u64));
        }
        let mut rest = options;
        while let Some((&kind, after_kind)) = rest.split_first() {
            match kind {
                END_OF_LIST => return Ok(None),
                NO_OPERATION => rest = after_kind,
                EXPERIMENT_1 | EXPERIMENT_2 => {
                    let (option, after) = split_option(rest)?;
                    if let Some(found) = Self::read(option)? {
                        return Ok(Some(found));
                    }
                    rest = after;
                }
                _ => rest = split_option(rest)?.1,
            }
        }
        Ok(None)
    }

    /// Reads one experimental option; `None` if it is another experiment's.
    fn read(option: &'a [u8]) -> Result<Option<Self>, WireError> {
        let Some((base, records)) = option.split_first_chunk::<BASE_SIZE>() else { return Ok(None) };
        let identifier = u16::from_be_bytes(field::get::<2, 2, _>(base));
        let Some(direction) = Direction::from_identifier(identifier) else { return Ok(None) };
        let (records, part) = records.as_chunks();
        if !part.is_empty() {
            let whole = option.len() - part.len();
            return Err(FORMAT.bad_value("option length", option.len() as u64, whole as u64));
        }
        Ok(Some(Self { direction, records }))
    }

    /// Writes an option; gives the number of bytes written.
    pub fn encode(direction: Direction, hops: &[CompactHop], output: &mut [u8]) -> Result<usize, WireError> {
        if hops.len() > MAX_HOPS {
            return Err(FORMAT.above_limit("hop count", hops.len() as u64, MAX_HOPS as u64));
        }
        let size = BASE_SIZE + HOP_SIZE * hops.len();
        let (base, records) = field::split_mut::<BASE_SIZE>(FORMAT, field::room(FORMAT, output, size)?)?;
        let [high, low] = (direction as u16).to_be_bytes();
        *base = [KIND, size as u8, high, low];
        for (place, hop) in records.as_chunks_mut().0.iter_mut().zip(hops) {
            *place = hop.to_raw();
        }
        Ok(size)
    }

    /// What the records are there for.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// The records, the hop next to the sender first.
    pub fn hops(&self) -> impl ExactSizeIterator<Item = CompactHop> + 'a {
        self.records.iter().map(CompactHop::from_raw)
    }
}

/// The option at the front, kind and length included, and the bytes behind it.
pub(crate) fn split_option(options: &[u8]) -> Result<(&[u8], &[u8]), WireError> {
    let Some(&length) = options.get(1) else { return Err(FORMAT.truncated(2, options.len())) };
    if length < 2 {
        // A length that does not even cover kind and length would never come to an end.
        return Err(FORMAT.bad_value("option length", u64::from(length), 2));
    }
    let length = usize::from(length);
    options.split_at_checked(length).ok_or(FORMAT.truncated(length, options.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::WireErrorKind;

    fn hop(byte: u8) -> CompactHop {
        CompactHop::from_raw(&[byte; 8])
    }

    #[test]
    fn four_hops_fit_alone_and_three_beside_timestamps() {
        // 40 = 4 + 4.5 * 8; the timestamp option takes 10 bytes and 2 of padding: 28 = 4 + 3 * 8.
        assert_eq!(hops_that_fit(40), 4);
        assert_eq!(hops_that_fit(28), 3);
        assert_eq!(hops_that_fit(27), 2);
        assert_eq!(hops_that_fit(3), 0);
        assert_eq!(hops_that_fit(1_000), 4, "TCP has no more room, whatever the packet has");
    }

    #[test]
    fn golden_option_of_two_hops() {
        let mut option = [0; 20];
        let size = HopsOption::encode(Direction::Gathering, &[hop(0x11), hop(0x22)], &mut option);
        assert_eq!(size, Ok(20));
        // kind 254, length 20, "PG", then the two records
        assert_eq!(option[..4], [254, 20, 0x50, 0x47]);
        assert_eq!(option[4..12], [0x11; 8]);
        assert_eq!(option[12..], [0x22; 8]);
    }

    #[test]
    fn the_option_is_found_behind_timestamps_and_another_experiment() {
        let mut options = [0; 40];
        options[..12].copy_from_slice(&[1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]); // NOP NOP timestamps
        options[12..16].copy_from_slice(&[253, 4, 0xF9, 0x89]); // someone else's experiment
        HopsOption::encode(Direction::Reflecting, &[hop(7), hop(8)], &mut options[16..36]).unwrap();
        let found = HopsOption::find(&options).unwrap().unwrap();
        assert_eq!(found.direction(), Direction::Reflecting);
        assert!(found.hops().eq([hop(7), hop(8)]));
    }

    #[test]
    fn options_without_ours_give_none() {
        assert_eq!(HopsOption::find(&[]), Ok(None));
        assert_eq!(HopsOption::find(&[1, 1, 0, 254, 99]), Ok(None), "nothing counts after the end of list");
        assert_eq!(HopsOption::find(&[254, 2]), Ok(None), "too short for an identifier");
    }

    #[test]
    fn a_damaged_option_list_is_refused() {
        let kind = |bytes: &[u8]| HopsOption::find(bytes).unwrap_err().kind;
        assert_eq!(kind(&[8]), WireErrorKind::Truncated { need: 2, have: 1 });
        assert_eq!(kind(&[8, 10, 0]), WireErrorKind::Truncated { need: 10, have: 3 });
        for found in [0, 1] {
            let short = WireErrorKind::BadValue { field: "option length", found, expected: 2 };
            assert_eq!(kind(&[8, found as u8, 0, 0]), short);
        }
        let odd = WireErrorKind::BadValue { field: "option length", found: 7, expected: 4 };
        assert_eq!(kind(&[254, 7, 0x50, 0x47, 1, 2, 3]), odd);
    }

    #[test]
    fn five_hops_do_not_fit() {
        let error = HopsOption::encode(Direction::Gathering, &[hop(0); 5], &mut [0; 64]).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::AboveLimit { field: "hop count", found: 5, limit: 4 });
    }
}
