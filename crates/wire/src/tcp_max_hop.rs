//! Poseidon's max-hop delay in a TCP option: the same two values as behind UDP, with how many switches wrote them.
//!
//! ```text
//!  | kind 254 | length 10 | "PM" (2) | gathered (2) | reflected (2) | switches: gathered (1) | reflected (1) |
//! ```
//! An experimental option as in [`crate::tcp_option`]. Every segment of a connection carries both: a switch writes the
//! longest wait of the segment's own way into *gathered* and counts itself, and no switch touches what is *reflected*,
//! which is what the last segment of the other direction had gathered. No switch counted means that none on that way
//! stamps: the value then says nothing, and a law falls back to what it does without telemetry.

use crate::error::{Format, WireError};
use crate::field;
use crate::max_hop_delay::MaxHopDelay;
use crate::tcp_option::{self, OPTION_SPACE};
use plimsoll_units::{Rounding, Span};

const FORMAT: Format = Format::TcpOption;

/// Bytes of the option.
pub const SIZE: usize = 10;
/// "PM"; not registered.
pub const IDENTIFIER: u16 = 0x504D;

/// A delay with the number of switches that had a say in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The longest wait.
    pub delay: MaxHopDelay,
    /// How many switches wrote; 255 are at least so many.
    pub switches: u8,
}

/// The option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxHopOption {
    /// Of the way of this segment.
    pub gathered: Counted,
    /// Of the way of the other direction's last segment.
    pub reflected: Counted,
}

impl MaxHopOption {
    /// The bytes of the option.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; SIZE] {
        let [high, low] = IDENTIFIER.to_be_bytes();
        let (gathered, reflected) = (self.gathered.delay.to_bytes(), self.reflected.delay.to_bytes());
        [
            tcp_option::KIND,
            SIZE as u8,
            high,
            low,
            gathered[0],
            gathered[1],
            reflected[0],
            reflected[1],
            self.gathered.switches,
            self.reflected.switches,
        ]
    }

    /// Reads the bytes of one option; `None` if it is another one.
    #[must_use]
    pub fn from_bytes(option: &[u8; SIZE]) -> Option<Self> {
        let [high, low] = IDENTIFIER.to_be_bytes();
        if option[..4] != [tcp_option::KIND, SIZE as u8, high, low] {
            return None;
        }
        let delay = |bytes| MaxHopDelay::from_bytes(bytes);
        Some(Self {
            gathered: Counted { delay: delay(field::get::<4, 2, _>(option)), switches: option[8] },
            reflected: Counted { delay: delay(field::get::<6, 2, _>(option)), switches: option[9] },
        })
    }

    /// Where the option begins among all options of a TCP header.
    ///
    /// # Errors
    /// If the list of options is damaged.
    pub fn place(options: &[u8]) -> Result<Option<usize>, WireError> {
        if options.len() > OPTION_SPACE {
            return Err(FORMAT.above_limit("option bytes", options.len() as u64, OPTION_SPACE as u64));
        }
        let mut at = 0;
        while let Some(&kind) = options.get(at) {
            match kind {
                tcp_option::END_OF_LIST => return Ok(None),
                tcp_option::NO_OPERATION => at += 1,
                _ => {
                    let rest = options.get(at..).unwrap_or_default();
                    let (option, _) = tcp_option::split_option(rest)?;
                    if option.try_into().is_ok_and(|option| Self::from_bytes(option).is_some()) {
                        return Ok(Some(at));
                    }
                    at += option.len();
                }
            }
        }
        Ok(None)
    }

    /// What a switch writes when a segment with this option leaves its queue after `wait`.
    #[must_use]
    pub const fn update(self, wait: Span, rounding: Rounding) -> Self {
        let gathered = Counted {
            delay: self.gathered.delay.update(wait, rounding),
            switches: self.gathered.switches.saturating_add(1),
        };
        Self { gathered, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::WireErrorKind;

    fn counted(units: u16, switches: u8) -> Counted {
        Counted { delay: MaxHopDelay::from_units(units), switches }
    }

    #[test]
    fn golden_option() {
        let option = MaxHopOption { gathered: counted(0x0102, 3), reflected: counted(0x0405, 6) };
        // kind 254, length 10, "PM", the two delays, the two counts
        let bytes = [254, 10, 0x50, 0x4D, 1, 2, 4, 5, 3, 6];
        assert_eq!(option.to_bytes(), bytes);
        assert_eq!(MaxHopOption::from_bytes(&bytes), Some(option));
    }

    #[test]
    fn a_switch_keeps_the_larger_delay_and_counts_itself() {
        let fresh = MaxHopOption { reflected: counted(7, 1), ..MaxHopOption::default() };
        // 5 us are 19.5 units of 256 ns, 1 us is 3.9.
        let once = fresh.update(Span::from_us(5), Rounding::Down);
        assert_eq!(once, MaxHopOption { gathered: counted(19, 1), reflected: counted(7, 1) });
        let twice = once.update(Span::from_us(1), Rounding::Down);
        assert_eq!(twice.gathered, counted(19, 2));
        let many = MaxHopOption { gathered: counted(0, 255), ..fresh };
        assert_eq!(many.update(Span::ZERO, Rounding::Down).gathered.switches, 255);
    }

    #[test]
    fn the_option_is_found_behind_timestamps_and_others_are_passed_over() {
        let mut options = [1; 24];
        options[2..12].copy_from_slice(&[8, 10, 1, 2, 3, 4, 5, 6, 7, 8]);
        options[12..22].copy_from_slice(&MaxHopOption::default().to_bytes());
        assert_eq!(MaxHopOption::place(&options), Ok(Some(12)));
        options[15] = 0;
        assert_eq!(MaxHopOption::place(&options), Ok(None), "another experiment's");
        options[12] = 0;
        assert_eq!(MaxHopOption::place(&options), Ok(None), "nothing counts after the end of list");
    }

    #[test]
    fn a_damaged_list_is_refused() {
        let kind = |bytes: &[u8]| MaxHopOption::place(bytes).unwrap_err().kind;
        assert_eq!(kind(&[254]), WireErrorKind::Truncated { need: 2, have: 1 });
        assert_eq!(kind(&[254, 10, 0x50]), WireErrorKind::Truncated { need: 10, have: 3 });
        assert_eq!(
            kind(&[0xFF; 41]),
            WireErrorKind::AboveLimit { field: "option bytes", found: 41, limit: 40 }
        );
    }
}
