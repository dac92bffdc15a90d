//! The keys in front of all tables.

use super::reader::Reader;
use crate::problem::Kind;
use crate::select::Text;
use crate::table::{Cell, Shape, table};
use plimsoll_units::Span;
use toml::Spanned;
use toml::de::DeValue;

table! {
    /// The keys in front of all tables.
    pub(crate) struct Front in "scenario" {
        /// Its name, for results; "" = the file's.
        name: Text = Text(String::new()),
        /// What it is about.
        description: Text = Text(String::new()),
        /// Every random number comes from it: the same seed gives the same run.
        seed: Seed = Seed(1),
        /// How long the run lasts; "auto" = until all messages are delivered or given up, or, if flows are
        /// endless, 10 ms from the last start on.
        duration: Option<Span> where [Span::from_ps(1), Span::from_s(100_000)] = None,
    }
}

/// A number that random numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(pub(crate) u64);

impl Cell for Seed {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "a whole number from 0 to 9223372036854775807",
            schema: r#"{"type":"integer","minimum":0,"maximum":9223372036854775807}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        if let DeValue::Integer(number) = value.get_ref()
            && let Ok(seed) = i64::from_str_radix(number.as_str(), number.radix())
            && let Ok(seed) = u64::try_from(seed)
        {
            return Some(Self(seed));
        }
        let message = format!("`{key}` must be a whole number from 0 to {}", i64::MAX);
        reader.report(Kind::OutOfBounds, value.span(), message);
        None
    }
    fn write(&self, text: &mut String) {
        text.push_str(&self.0.to_string());
    }
}
