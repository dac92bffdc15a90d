//! Sizes as scenarios write them.

use super::{Distribution, NAMED_SIZES, Sizes};
use crate::problem::Kind;
use crate::read::{Reader, one_of};
use crate::table::{Cell, Shape};
use plimsoll_cc::params::nearest;
use plimsoll_units::Bytes;
use std::fmt::Write;
use toml::Spanned;
use toml::de::DeValue;

/// No message is larger: a petabyte.
const LARGEST: Bytes = Bytes::from_mb(1_000_000_000);

impl Cell for Sizes {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "a size (\"64KB\"), a distribution by name (\"websearch\", \"hadoop\", \"ali-storage\", \
                   \"google-rpc\", \"websearch-powertcp\"), the path of a CSV file of `bytes,share` lines, or an \
                   array of [bytes, share] points",
            schema: r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}}]}"#,
        }
    }

    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        match value.get_ref() {
            DeValue::String(text) if text.starts_with(|first: char| first.is_ascii_digit()) => reader
                .parameter(key, value, |simple| {
                    plimsoll_cc::params::read_bounded(key, simple, Bytes::new(1), LARGEST)
                })
                .map(Self::Fixed),
            DeValue::String(text) => match Self::named(text) {
                Some(named) => Some(named),
                None if text.contains(['.', '/']) => from_file(reader, key, value),
                None => {
                    let names: Vec<_> = NAMED_SIZES.iter().map(|sizes| sizes.name).collect();
                    let hint = match nearest(text, names.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!(
                            "it is {}, a size such as \"64KB\", or the path of a CSV file",
                            one_of(&names)
                        ),
                    };
                    reader.report(
                        Kind::Unknown,
                        value.span(),
                        format!("there is no distribution `{text}`; {hint}"),
                    );
                    None
                }
            },
            DeValue::Array(points) => {
                let point = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
                    DeValue::Array(pair) => match &pair[..] {
                        [bytes, share] => Some((whole(bytes.get_ref())?, number(share.get_ref())?)),
                        _ => None,
                    },
                    _ => None,
                };
                let read = points.iter().map(point).collect::<Option<Vec<_>>>();
                let Some(points) = read else {
                    let message = format!("`{key}` must have points, e.g. [[1000, 0.0], [2000, 1.0]]");
                    reader.report(Kind::WrongType, value.span(), message);
                    return None;
                };
                match Distribution::new(points) {
                    Ok(distribution) => Some(Self::Points(distribution)),
                    Err(error) => {
                        reader.report(Kind::OutOfBounds, value.span(), format!("`{key}`: point {error}"));
                        None
                    }
                }
            }
            _ => {
                let message = format!("`{key}` must be a size, the name of a distribution, a path or points");
                reader.report(Kind::WrongType, value.span(), message);
                None
            }
        }
    }

    fn write(&self, text: &mut String) {
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Fixed(bytes) => write!(text, "\"{bytes}\""),
            Self::Named(named) => write!(text, "\"{}\"", named.name),
            Self::Points(distribution) => {
                let points: Vec<_> = distribution
                    .points()
                    .iter()
                    .map(|(bytes, share)| format!("[{bytes}, {share:?}]"))
                    .collect();
                write!(text, "[{}]", points.join(", "))
            }
        };
    }
}

/// A CSV file, or a distribution file of HPCC's, whose columns are separated by blanks.
fn from_file(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sizes> {
    let (path, text) = reader.file(key, value)?;
    let read = if text.contains(',') {
        text.parse().map_err(|error: super::NotADistribution| error.to_string())
    } else {
        crate::hpcc::sizes(&text).map_err(|error| error.to_string())
    };
    match read {
        Ok(distribution) => Some(Sizes::Points(distribution)),
        Err(error) => {
            reader.report(Kind::Syntax, value.span(), format!("{path}:{error}"));
            None
        }
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    match value {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) => number.as_str().parse().ok(),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}
