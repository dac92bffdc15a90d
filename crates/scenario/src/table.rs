//! Tables of a scenario, each declared once.
//!
//! From a declaration with `table!` come the struct, its reader, its writer, what `explain` shows
//! and the JSON schema. Values without structure are the parameters of `plimsoll_cc`, with the
//! same bounds and messages; a `Cell` can also be a selection of hosts, a list, a file.

use crate::read::{Reader, Section};
use plimsoll_cc::params::{Domain, Field, ParamType};
use std::fmt::Write;
use toml::Spanned;
use toml::de::DeValue;

/// What a key may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A parameter with bounds; `auto` if `"auto"` is a value, too.
    Value {
        /// Its type and bounds.
        domain: Domain,
        /// Whether `"auto"` is a value.
        auto: bool,
    },
    /// Anything else.
    Other {
        /// What it is, for people.
        says: &'static str,
        /// What it is, as a JSON schema.
        schema: &'static str,
    },
}

/// One key of a table, for people and for editors.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyInfo {
    /// The key.
    pub key: &'static str,
    /// What it means.
    pub doc: String,
    /// What it may hold.
    pub shape: Shape,
    /// Its value if it is not given; `None` if it must be given.
    pub default: Option<String>,
}

/// A table, for people and for editors.
#[derive(Clone, Debug, PartialEq)]
pub struct TableInfo {
    /// Where it is: `topology.leaf-spine` is a `[topology]` with `kind = "leaf-spine"`.
    pub path: String,
    /// What it is.
    pub doc: String,
    /// Its keys.
    pub keys: Vec<KeyInfo>,
    /// Named sets of values: name and source.
    pub presets: Vec<(&'static str, &'static str)>,
}

/// The lines of a doc comment as one text.
pub(crate) fn join_doc(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// The keys of a parameter set of `plimsoll_cc`, with the values of `defaults`.
pub(crate) fn keys_of_parameters<P: plimsoll_cc::Parameters>(defaults: &P) -> Vec<KeyInfo> {
    let mut keys = Vec::new();
    defaults.each(&mut |field, value| keys.push(key_of_field(field, value.to_string())));
    keys
}

pub(crate) fn key_of_field(field: &'static Field, default: String) -> KeyInfo {
    KeyInfo {
        key: field.key,
        doc: join_doc(field.doc),
        shape: Shape::Value { domain: (field.domain)(), auto: field.auto },
        default: Some(default),
    }
}

/// A type that a key of a table can have.
pub(crate) trait Cell: Clone {
    /// The type that bounds have.
    type Bound: Copy;
    /// What it may hold.
    fn shape(bounds: (Self::Bound, Self::Bound)) -> Shape;
    /// Reads a value; reports what is wrong with it.
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        bounds: (Self::Bound, Self::Bound),
    ) -> Option<Self>;
    /// Writes the value as TOML that reads back to the same.
    fn write(&self, text: &mut String);
}

impl<T: ParamType> Cell for T {
    type Bound = T::Bound;
    fn shape((low, high): (T::Bound, T::Bound)) -> Shape {
        Shape::Value { domain: T::domain(low, high), auto: T::AUTO }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        (low, high): (T::Bound, T::Bound),
    ) -> Option<Self> {
        reader.parameter(key, value, |simple| plimsoll_cc::params::read_bounded(key, simple, low, high))
    }
    fn write(&self, text: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}", self.scalar());
    }
}

/// A table of a scenario.
pub(crate) trait Table: Sized {
    /// What it is, for people and for editors.
    fn info() -> TableInfo;
    /// Reads it; `also` are further keys that the section may have. Reports what is wrong.
    fn read(reader: &mut Reader<'_>, section: &Section<'_, '_>, also: &[&str]) -> Option<Self>;
    /// Writes its keys, a line each.
    fn write(&self, text: &mut String);
}

/// Writes `key = value` as a line.
pub(crate) fn write_line(text: &mut String, key: &str, value: &impl Cell) {
    text.push_str(key);
    text.push_str(" = ");
    value.write(text);
    text.push('\n');
}

/// `text` as a TOML string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            _ if character.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", character as u32);
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Declares a table: `path` is where `explain` finds it. A key without default must be given.
macro_rules! table {
    (
        $(#[doc = $table_doc:literal])+
        $vis:vis struct $name:ident in $path:literal {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty $(where [$low:expr, $high:expr])? $(= $default:expr)?,
            )+
        }
        $(presets { $($preset:literal => $make:ident, $source:literal,)+ })?
    ) => {
        $(#[doc = $table_doc])+
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name { $($(#[doc = $doc])+ $vis $field: $type,)+ }

        impl $crate::table::Table for $name {
            fn info() -> $crate::table::TableInfo {
                $crate::table::TableInfo {
                    path: $path.to_owned(),
                    doc: $crate::table::join_doc(&[$($table_doc),+]),
                    keys: vec![$({
                        let default: Option<$type> = $crate::table::table!(@default $($default)?);
                        $crate::table::KeyInfo {
                            key: stringify!($field),
                            doc: $crate::table::join_doc(&[$($doc),+]),
                            shape: <$type as $crate::table::Cell>::shape(
                                $crate::table::table!(@bounds $($low, $high)?)
                            ),
                            default: default.map(|value| {
                                let mut text = String::new();
                                $crate::table::Cell::write(&value, &mut text);
                                text
                            }),
                        }
                    }),+],
                    presets: vec![$($(($preset, $source)),+)?],
                }
            }

            fn read(
                reader: &mut $crate::read::Reader<'_>,
                section: &$crate::read::Section<'_, '_>,
                also: &[&str],
            ) -> Option<Self> {
                let presets: &[$crate::read::Preset<Self>] = &[$($(($preset, Self::$make)),+)?];
                let base = reader.preset(section, presets);
                let mut known = vec![$(stringify!($field)),+];
                if !presets.is_empty() {
                    known.push("preset");
                }
                known.extend(also);
                reader.refuse_unknown_keys(section, &known, $path);
                $(
                    let declared: Option<$type> = $crate::table::table!(@default $($default)?);
                    let default = base.as_ref().map(|base| base.$field.clone()).or(declared);
                    let $field = reader.cell::<$type>(
                        section,
                        stringify!($field),
                        $crate::table::table!(@bounds $($low, $high)?),
                        default,
                        &[$($doc),+],
                    );
                )+
                Some(Self { $($field: $field?),+ })
            }

            fn write(&self, text: &mut String) {
                $($crate::table::write_line(text, stringify!($field), &self.$field);)+
            }
        }
    };
    (@default $default:expr) => { Some($default) };
    (@default) => { None };
    (@bounds $low:expr, $high:expr) => { ($low, $high) };
    (@bounds) => { ((), ()) };
}
pub(crate) use table;

/// Declares what a table's `kind` chooses between: an enum of tables.
macro_rules! kinds {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident in $path:literal {
            $($variant:ident($table:ty) = $word:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $(#[doc = concat!("`kind = \"", $word, "\"`")] $variant($table),)+
        }

        impl $name {
            /// The words that `kind` may be.
            pub const KINDS: &'static [&'static str] = &[$($word),+];

            /// The word that `kind` is.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => $word,)+ }
            }

            /// What `explain` and the schema show of each kind.
            pub(crate) fn infos() -> Vec<$crate::table::TableInfo> {
                vec![$(<$table as $crate::table::Table>::info()),+]
            }

            pub(crate) fn read(
                reader: &mut $crate::read::Reader<'_>,
                section: &$crate::read::Section<'_, '_>,
                also: &[&str],
            ) -> Option<Self> {
                let mut also = also.to_vec();
                also.push("kind");
                match reader.kind(section, Self::KINDS, $path)? {
                    $($word => {
                        <$table as $crate::table::Table>::read(reader, section, &also).map(Self::$variant)
                    })+
                    _ => None,
                }
            }

            pub(crate) fn write(&self, text: &mut String) {
                text.push_str("kind = \"");
                text.push_str(self.kind());
                text.push_str("\"\n");
                match self { $(Self::$variant(table) => $crate::table::Table::write(table, text),)+ }
            }
        }
    };
}
pub(crate) use kinds;
