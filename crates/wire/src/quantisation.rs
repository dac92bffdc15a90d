//! How wrong a queueing delay may be after it went through a packet: [`DelayFormat`].
//!
//! | format | step | largest error below saturation | saturates at |
//! |---|---|---|---|
//! | Poseidon, IFA, P4-INT | 256 ns | 256 ns rounded down or up, 128 ns to nearest | 16.8 ms |
//! | CSIG, default buckets | 512 ns to 32.8 µs | 256 ns, or an eighth of the delay from 2 µs on | 229 µs |
//! | HPCC's queue, 80 B × multi | 6.4 ns × multi at 100 Gb/s | one step | 839 µs × multi at 100 Gb/s |
//! | exact record | 1 B of queue | 80 ps at 100 Gb/s | never |
//!
//! What it means: Poseidon multiplies its window by exp((T − D)·α·m/p), so an *absolute* error of
//! the delay D becomes a *relative* error of the window: with α = ln 10⁴, m = 0.25 and p = 40 µs, 1 µs
//! is 5.9 %, Poseidon's own step 1.5 %.

use crate::compact_hop::{LARGEST_QUEUE, UnitScale, quantise_queue};
use crate::csig::Buckets;
use crate::max_hop_delay::{MaxHopDelay, UNIT};
use plimsoll_units::{Bytes, Rate, Rounding, Span};

/// A format that carries a queueing delay, with what decides its rounding.
#[derive(Clone, Copy, Debug)]
pub enum DelayFormat<'a> {
    /// Poseidon's 2 bytes, and how the switch rounds.
    Poseidon(Rounding),
    /// The same 2 bytes in an IFA frame.
    Ifa(Rounding),
    /// The same 2 bytes in a P4-INT frame.
    P4Int(Rounding),
    /// The compact CSIG tag.
    CsigCompact(&'a Buckets),
    /// The queue length in HPCC's compact record, over the link's rate.
    HpccQueue {
        /// The rate of the link that drains the queue.
        rate: Rate,
        /// The network's factor on the units.
        scale: UnitScale,
    },
    /// The queue length in an exact record, over the link's rate.
    ExactQueue {
        /// The rate of the link that drains the queue.
        rate: Rate,
    },
}

/// How wrong a delay may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayError {
    /// The largest difference between the delay and what is read.
    pub absolute: Span,
    /// The same over the delay; infinite for an error on no delay at all.
    pub relative: f64,
}

impl DelayFormat<'_> {
    /// The delay that a reader finds when a switch wrote `delay`.
    #[must_use]
    pub fn encode_decode(&self, delay: Span) -> Span {
        match *self {
            Self::Poseidon(rounding) | Self::Ifa(rounding) | Self::P4Int(rounding) => {
                MaxHopDelay::quantise(delay, rounding).delay()
            }
            Self::CsigCompact(buckets) => buckets.delay_of(buckets.bucket_of(delay)),
            Self::HpccQueue { rate, scale } => {
                let units = quantise_queue(rate.bytes_in(delay), scale);
                drain_time(Bytes::new(units * scale.queue_unit().get()), rate)
            }
            Self::ExactQueue { rate } => drain_time(rate.bytes_in(delay), rate),
        }
    }

    /// A bound: no delay that shares its code in the packet with `delay` is read with a larger error.
    /// The last code has no end; there the error of `delay` itself counts, if it is larger.
    #[must_use]
    pub fn worst_error(&self, delay: Span) -> DelayError {
        let read = self.encode_decode(delay);
        let own = Span::from_ps(read.as_ps().abs_diff(delay.as_ps()));
        let absolute = self.step_error(delay).max(own);
        let relative = if absolute == Span::ZERO { 0.0 } else { absolute / delay };
        DelayError { absolute, relative }
    }

    /// The shortest delay that is written with the last code: from here on, all look alike.
    /// [`Span::MAX`] if the format has no end that a delay can reach.
    #[must_use]
    pub fn saturation(&self) -> Span {
        match *self {
            Self::Poseidon(rounding) | Self::Ifa(rounding) | Self::P4Int(rounding) => {
                let last = MaxHopDelay::SATURATED.delay();
                match rounding {
                    Rounding::Down => last,
                    Rounding::Nearest => last.saturating_sub(UNIT / 2),
                    Rounding::Up => last.saturating_sub(UNIT).saturating_add(Span::from_ps(1)),
                }
            }
            Self::CsigCompact(buckets) => buckets.saturation(),
            Self::HpccQueue { rate, scale } => {
                let last = Bytes::new(LARGEST_QUEUE * scale.queue_unit().get());
                rate.checked_serialize(last, Rounding::Up).unwrap_or(Span::MAX)
            }
            Self::ExactQueue { .. } => Span::MAX,
        }
    }

    /// The largest error among the delays with the code of `delay`, if the code is not the last.
    fn step_error(&self, delay: Span) -> Span {
        match *self {
            Self::Poseidon(rounding) | Self::Ifa(rounding) | Self::P4Int(rounding) => match rounding {
                Rounding::Down | Rounding::Up => UNIT.saturating_sub(Span::from_ps(1)),
                Rounding::Nearest => UNIT / 2,
            },
            Self::CsigCompact(buckets) => buckets.worst_error(buckets.bucket_of(delay)).unwrap_or(Span::ZERO),
            // A queue just short of the next step; a rate of zero tells nothing about delays.
            Self::HpccQueue { rate, scale } => drain_time_up(scale.queue_unit(), rate),
            Self::ExactQueue { rate } => drain_time_up(Bytes::new(1), rate),
        }
    }
}

/// How long a queue takes to drain; a link that does not move says nothing, which reads as zero.
fn drain_time(queue: Bytes, rate: Rate) -> Span {
    rate.checked_serialize(queue, Rounding::Down).unwrap_or(Span::ZERO)
}

fn drain_time_up(queue: Bytes, rate: Rate) -> Span {
    rate.checked_serialize(queue, Rounding::Up).unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSEIDON: DelayFormat<'static> = DelayFormat::Poseidon(Rounding::Down);

    #[test]
    fn poseidon_reads_10_us_as_9984_ns() {
        // 39 units of 256 ns
        assert_eq!(POSEIDON.encode_decode(Span::from_us(10)), Span::from_ns(9_984));
        let error = POSEIDON.worst_error(Span::from_us(10));
        // One picosecond short of a unit: 255.999 ns of 10 us is 2.56 %.
        assert_eq!(error.absolute, Span::from_ps(255_999));
        assert!((error.relative - 0.025_599_9).abs() < 1e-12);
    }

    #[test]
    fn rounding_to_nearest_halves_the_error() {
        let error = DelayFormat::P4Int(Rounding::Nearest).worst_error(Span::from_us(10));
        assert_eq!(error.absolute, Span::from_ns(128));
    }

    #[test]
    fn beyond_saturation_the_error_grows_with_the_delay() {
        assert_eq!(POSEIDON.saturation(), Span::from_ns(16_776_960));
        // 20 ms read as 16.77696 ms
        let error = POSEIDON.worst_error(Span::from_ms(20));
        assert_eq!(error.absolute, Span::from_ns(20_000_000 - 16_776_960));
    }

    #[test]
    fn the_default_csig_error_is_an_eighth_at_most_from_four_units_on() {
        let buckets = Buckets::default();
        let format = DelayFormat::CsigCompact(&buckets);
        // 2048 ns = 4 units: bucket of one unit, half of it is 256 ns, an eighth of 2048.
        assert!((format.worst_error(Span::from_ns(2_048)).relative - 0.125).abs() < 1e-12);
        // 42 us: bucket 80 to 96 units, half of 16 units = 4096 ns = 9.75 %.
        let error = format.worst_error(Span::from_us(42));
        assert_eq!(error.absolute, Span::from_ns(4_096));
        assert_eq!(format.saturation(), Span::from_ns(229_376));
    }

    #[test]
    fn hpccs_queue_at_100_gbps_steps_by_6400_ps_for_one_unit() {
        // 80 B * 8 / 100 Gb/s = 6.4 ns; multi 4: 25.6 ns. Largest: 131 071 * 6.4 ns = 838.8544 us.
        let rate = Rate::from_gbps(100);
        let format = DelayFormat::HpccQueue { rate, scale: UnitScale::ONE };
        assert_eq!(format.worst_error(Span::from_us(10)).absolute, Span::from_ps(6_400));
        assert_eq!(format.saturation(), Span::from_ps(838_854_400));
        let format = DelayFormat::HpccQueue { rate, scale: UnitScale::for_nic(rate) };
        assert_eq!(format.worst_error(Span::from_us(10)).absolute, Span::from_ps(25_600));
        // 10 us = 125 000 B = 390.6 steps of 320 B -> 390 * 25.6 ns
        assert_eq!(format.encode_decode(Span::from_us(10)), Span::from_ns(9_984));
    }

    #[test]
    fn a_rate_that_does_not_divide_costs_hpcc_one_picosecond_more() {
        // 80 B at 7 Gb/s = 91 428.57 ps. A delay of 182 857 ps is 159.999 B, one unit, read as 91 428 ps.
        let format = DelayFormat::HpccQueue { rate: Rate::from_gbps(7), scale: UnitScale::ONE };
        let delay = Span::from_ps(182_857);
        assert_eq!(format.encode_decode(delay), Span::from_ps(91_428));
        assert_eq!(format.worst_error(delay).absolute, Span::from_ps(91_429));
        assert_eq!(format.worst_error(Span::from_ps(10)).absolute, Span::from_ps(91_429));
    }

    #[test]
    fn the_table_of_the_readme_holds() {
        let buckets = Buckets::default();
        let rate = Rate::from_gbps(100);
        let hpcc = DelayFormat::HpccQueue { rate, scale: UnitScale::for_nic(rate) };
        let rows = [
            (POSEIDON, 9_984_000, 255_999, 16_776_960_000),
            (DelayFormat::Ifa(Rounding::Down), 9_984_000, 255_999, 16_776_960_000),
            (DelayFormat::P4Int(Rounding::Down), 9_984_000, 255_999, 16_776_960_000),
            // 10 us = 19.5 units of 512 ns: read as 18, wrong by 2 units at most.
            (DelayFormat::CsigCompact(&buckets), 9_216_000, 1_024_000, 229_376_000),
            // 131 071 * 320 B at 12.5 B/ns = 3 355 417.6 ns
            (hpcc, 9_984_000, 25_600, 3_355_417_600),
        ];
        for (format, read, error, saturation) in rows {
            assert_eq!(format.encode_decode(Span::from_us(10)), Span::from_ps(read), "{format:?}");
            assert_eq!(format.worst_error(Span::from_us(10)).absolute, Span::from_ps(error), "{format:?}");
            assert_eq!(format.saturation(), Span::from_ps(saturation), "{format:?}");
        }
    }

    #[test]
    fn no_delay_is_read_as_none_by_every_format_that_rounds_down() {
        let exact = DelayFormat::ExactQueue { rate: Rate::from_gbps(100) };
        for format in [POSEIDON, exact] {
            assert_eq!(format.encode_decode(Span::ZERO), Span::ZERO);
        }
        assert!(POSEIDON.worst_error(Span::ZERO).relative.is_infinite());
    }

    #[test]
    fn a_link_that_stands_still_gives_no_delay_and_no_panic() {
        let format = DelayFormat::HpccQueue { rate: Rate::ZERO, scale: UnitScale::ONE };
        assert_eq!(format.encode_decode(Span::from_us(10)), Span::ZERO);
        assert_eq!(format.worst_error(Span::from_us(10)).absolute, Span::from_us(10));
        assert_eq!(format.saturation(), Span::MAX);
    }
}
