//! From values to places on an axis, and the ticks in between.

use crate::chart::{Axis, Scale};

/// An axis with its final range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
}

/// A place with a line, and with a text unless it is a small tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: Option<Label>,
}

/// A number as text; `10` and an exponent for powers of ten that are long to write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    pub(crate) base: String,
    pub(crate) exponent: Option<String>,
}

impl Ruler {
    /// The range that the axis asks for, or one around the values.
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let has_place = |value: &f64| value.is_finite() && (axis.scale == Scale::Linear || *value > 0.0);
        let ends = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let asked = axis.range.filter(|(low, high)| has_place(low) && has_place(high) && low < high);
        let (low, high) =
            asked.unwrap_or_else(|| values.filter(has_place).fold((f64::INFINITY, f64::NEG_INFINITY), ends));
        let (low, high) = match axis.scale {
            _ if asked.is_some() => (low, high),
            Scale::Linear => around_linear(low, high),
            Scale::Log => around_log(low, high),
        };
        // Beyond these ends differences and ratios overflow.
        let (least, most) = if axis.scale == Scale::Log { (1e-150, 1e150) } else { (-1e300, 1e300) };
        let (low, high) = (low.clamp(least, most), high.clamp(least, most));
        let (low, high) = if low < high { (low, high) } else { (0.1, 10.0) };
        Self { scale: axis.scale, low, high }
    }

    /// From 0 at the low end to 1 at the high end; `None` without a place. Values outside the
    /// range have places outside 0…1.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => return None,
        };
        // Far outside is far outside: what is drawn stays finite.
        place.is_finite().then(|| place.clamp(-1e6, 1e6))
    }

    /// The ticks within the range.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let step = nice_step((self.high - self.low) / 5.0);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let decimals = usize::try_from(-(step.log10().floor() as i64)).unwrap_or(0).min(12);
        let count = ((last - first).clamp(0.0, 20.0)) as u32;
        (0..=count)
            .map(|index| {
                let value = (first + f64::from(index)) * step;
                Tick { value, label: Some(Label::number(value, step, decimals)) }
            })
            .collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let inside = |value: f64| value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9);
        let decades = (first..=last).filter(|&decade| inside(10_f64.powi(decade))).count();
        // Many decades: not every one has a text. Few: 2 and 5 have one too.
        let every = i32::try_from(decades.div_ceil(7)).unwrap_or(1).max(1);
        let mut ticks = Vec::new();
        for decade in first..=last {
            for digit in 1..10_u8 {
                let value = f64::from(digit) * 10_f64.powi(decade);
                if !inside(value) || (every > 1 && digit > 1) {
                    continue;
                }
                let labelled = match digit {
                    1 => decade.rem_euclid(every) == 0,
                    2 | 5 => decades <= 2,
                    _ => false,
                };
                let long = first < -4 || last > 5;
                ticks.push(Tick { value, label: labelled.then(|| Label::decade(digit, decade, long)) });
            }
        }
        ticks
    }
}

impl Label {
    fn number(value: f64, step: f64, decimals: usize) -> Self {
        if !(1e-6..1e6).contains(&step) {
            return Self::plain(format!("{value:.1e}").replace('-', "−"));
        }
        let text = format!("{:.decimals$}", if value.abs() < step * 1e-6 { 0.0 } else { value });
        Self::plain(text.replace('-', "−"))
    }

    /// `digit · 10^decade`; on an axis where some are long to write, all have exponents.
    fn decade(digit: u8, decade: i32, long: bool) -> Self {
        match usize::try_from(decade) {
            Ok(zeros) if zeros <= if long { 1 } else { 4 } => {
                Self::plain(format!("{digit}{}", "0".repeat(zeros)))
            }
            Err(_) if decade >= -3 && !long => {
                let zeros = usize::try_from(-decade - 1).unwrap_or(0);
                Self::plain(format!("0.{}{digit}", "0".repeat(zeros)))
            }
            _ => Self {
                base: if digit == 1 { "10".to_owned() } else { format!("{digit}·10") },
                exponent: Some(decade.to_string().replace('-', "−")),
            },
        }
    }

    fn plain(base: String) -> Self {
        Self { base, exponent: None }
    }
}

/// Around the data with a little air, and from zero if the data begin near it.
fn around_linear(low: f64, high: f64) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    let spread = high - low;
    if !spread.is_finite() {
        return (low, high);
    }
    if spread <= high.abs().max(low.abs()) * 1e-12 {
        let half = (high.abs() / 2.0).max(0.5);
        return (high - half, high + half);
    }
    let bottom = if low >= 0.0 && low < 0.3 * high { 0.0 } else { low - 0.05 * spread };
    let top = if high <= 0.0 && -high < -0.3 * low { 0.0 } else { high + 0.05 * spread };
    (bottom, top)
}

fn around_log(low: f64, high: f64) -> (f64, f64) {
    if low > high {
        return (0.1, 10.0);
    }
    let (low, high) = (low.clamp(1e-150, 1e150), high.clamp(1e-150, 1e150));
    let air = (high / low).powf(0.03).max(1.05);
    (low / air, high * air)
}

/// The largest of 1, 2, 5 times a power of ten that is not above `raw`, or the next.
fn nice_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let digit = raw / power;
    let nice = if digit < 1.5 {
        1.0
    } else if digit < 3.5 {
        2.0
    } else if digit < 7.5 {
        5.0
    } else {
        10.0
    };
    nice * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: Axis, values: &[f64]) -> Vec<String> {
        let ticks = Ruler::new(&axis, values.iter().copied()).ticks();
        ticks
            .into_iter()
            .filter_map(|tick| tick.label)
            .map(|label| match label.exponent {
                Some(exponent) => format!("{}^{exponent}", label.base),
                None => label.base,
            })
            .collect()
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        assert_eq!(texts(Axis::linear("x"), &[0.0, 50.0]), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(texts(Axis::linear("x").from_to(-0.2, 0.2), &[]), ["−0.2", "−0.1", "0.0", "0.1", "0.2"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_and_on_short_axes_2_and_5_too() {
        assert_eq!(texts(Axis::log("x").from_to(0.02, 200.0), &[]), ["0.1", "1", "10", "100"]);
        assert_eq!(texts(Axis::log("x").from_to(1.0, 20.0), &[]), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(Axis::log("x").from_to(1e5, 1e7), &[]), ["10^5", "10^6", "10^7"]);
    }

    #[test]
    fn an_axis_without_values_has_a_range_nevertheless() {
        for axis in [Axis::linear("x"), Axis::log("x")] {
            let ruler = Ruler::new(&axis, [f64::NAN, f64::INFINITY].into_iter());
            assert!(ruler.low < ruler.high);
        }
    }

    #[test]
    fn a_range_that_has_no_place_is_ignored() {
        let ruler = Ruler::new(&Axis::log("x").from_to(0.0, 10.0), [1.0, 10.0].into_iter());
        assert!(ruler.low > 0.0);
    }
}
