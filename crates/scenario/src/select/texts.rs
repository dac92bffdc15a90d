//! Cells that hold a text or several.

use crate::problem::Kind;
use crate::read::Reader;
use crate::table::quoted;
use toml::Spanned;
use toml::de::DeValue;

/// The JSON schema of a text or an array of texts.
pub(super) const SCHEMA: &str = r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#;

/// Makes a `struct Name(pub Vec<String>)` a cell of a table: what the documentation says of it, and what a value
/// of another type is told.
macro_rules! list_of_texts {
    ($name:ident: $says:literal, must be $must:literal) => {
        impl $crate::table::Cell for $name {
            type Bound = ();
            fn shape(_: ((), ())) -> $crate::table::Shape {
                $crate::table::Shape::Other { says: $says, schema: $crate::select::texts::SCHEMA }
            }
            fn read(
                reader: &mut $crate::read::Reader<'_>,
                key: &'static str,
                value: &toml::Spanned<toml::de::DeValue<'_>>,
                _: ((), ()),
            ) -> Option<Self> {
                $crate::select::texts::read_texts(reader, key, value, $must).map(Self)
            }
            fn write(&self, text: &mut String) {
                $crate::select::texts::write_texts(&self.0, text);
            }
        }
    };
}
pub(super) use list_of_texts;

/// Reads a text or a whole number, or an array of them, as texts.
pub(super) fn read_texts(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    what: &str,
) -> Option<Vec<String>> {
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string())
        }
        _ => None,
    };
    let texts = match value.get_ref() {
        DeValue::Array(items) => items.iter().map(|item| one(item.get_ref())).collect(),
        single => one(single).map(|text| vec![text]),
    };
    if texts.is_none() {
        reader.report(Kind::WrongType, value.span(), format!("`{key}` must be {what}"));
    }
    texts
}

/// Writes texts so that [`read_texts`] reads them back.
pub(super) fn write_texts(texts: &[String], out: &mut String) {
    match texts {
        [only] => out.push_str(&quoted(only)),
        several => {
            let several: Vec<_> = several.iter().map(|text| quoted(text)).collect();
            out.push('[');
            out.push_str(&several.join(", "));
            out.push(']');
        }
    }
}
