//! How series differ: by colour, by dashes and by marker, so that each survives black-and-white
//! print and colour blindness alone.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

pub(crate) const INK: Colour = Colour(0x22, 0x22, 0x22);
pub(crate) const FAINT: Colour = Colour(0x59, 0x59, 0x59);
pub(crate) const GRID: Colour = Colour(0xe4, 0xe4, 0xe4);
pub(crate) const GUIDE: Colour = Colour(0x80, 0x80, 0x80);
pub(crate) const PALE: Colour = Colour(0xb4, 0xb4, 0xb4);
/// A stripe behind everything.
pub(crate) const SHADE: Colour = Colour(0xd9, 0xe4, 0xee);
pub(crate) const PAPER: Colour = Colour(0xff, 0xff, 0xff);

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// How one series looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    pub(crate) colour: Colour,
    /// Lengths of dashes and gaps; none for a solid line.
    pub(crate) dashes: &'static [f64],
    pub(crate) marker: Marker,
}

/// Okabe and Ito's colours without their yellow, which white paper swallows; dark ones first.
const COLOURS: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x00, 0x00, 0x00),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x56, 0xb4, 0xe9),
];

const DASHES: [&[f64]; 5] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[8.0, 3.0, 2.0, 3.0], &[4.0, 2.5]];

const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];

/// The look of the n-th series. Seven colours and five dashes have no common factor, so that 35
/// series differ from each other.
pub(crate) fn look(index: usize) -> Look {
    Look {
        colour: COLOURS[index % COLOURS.len()],
        dashes: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

/// The look of the n-th series among thin ones: solid until the colours are used up.
pub(crate) fn fine_look(index: usize) -> Look {
    const DASHES: [&[f64]; 3] = [&[], &[6.0, 2.0], &[2.0, 1.5]];
    let dashes = DASHES[index / COLOURS.len() % DASHES.len()];
    Look { dashes, ..look(index) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_five_series_look_different() {
        let looks: Vec<Look> = (0..35).map(look).collect();
        for (index, one) in looks.iter().enumerate() {
            assert!(looks[..index].iter().all(|other| other != one), "{index}");
        }
    }

    #[test]
    fn twenty_one_thin_series_look_different_and_the_first_seven_are_solid() {
        let looks: Vec<Look> = (0..21).map(fine_look).collect();
        for (index, one) in looks.iter().enumerate() {
            let same = |other: &&Look| other.colour == one.colour && other.dashes == one.dashes;
            assert_eq!(looks[..index].iter().find(same), None, "{index}");
            assert_eq!(one.dashes.is_empty(), index < 7);
        }
    }

    /// WCAG's contrast of a graphical object: at least 3 to 1 for the first five, which is what a
    /// plot should have at most.
    #[test]
    fn the_first_colours_stand_out_from_white_paper() {
        let linear = |byte: u8| {
            let part = f64::from(byte) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        for Colour(red, green, blue) in [COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[3], COLOURS[4]] {
            let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
            assert!(1.05 / (luminance + 0.05) >= 2.9, "{red:x}{green:x}{blue:x}");
        }
    }
}
