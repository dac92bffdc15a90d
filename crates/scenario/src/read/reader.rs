//! Reading values, with problems that point to their place.

use crate::load::Loader;
use crate::problem::{Kind, Problem, Problems};
use crate::source::Source;
use crate::table::{Cell, join_doc};
use plimsoll_cc::params::nearest;
use plimsoll_cc::{ParamError, Parameters, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is being read, and what is wrong with it so far.
pub(crate) struct Reader<'t> {
    pub(crate) source: Source<'t>,
    pub(crate) loader: &'t dyn Loader,
    pub(crate) problems: Vec<(usize, Problem)>,
}

/// A named set of values: its name, and what makes it.
pub(crate) type Preset<T> = (&'static str, fn() -> T);

/// One table of the text with the place of its name.
pub(crate) struct Section<'a, 't> {
    /// How messages call it, e.g. `[host]`.
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) keys: &'a DeTable<'t>,
}

impl<'a, 't> Section<'a, 't> {
    /// The same by another name.
    pub(crate) fn renamed(&self, name: &str) -> Self {
        Self { name: name.to_owned(), span: self.span.clone(), keys: self.keys }
    }

    /// Where `key` has its value; the section itself if it has none.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        self.keys.get(key).map_or(self.span.clone(), Spanned::span)
    }
}

impl<'t> Reader<'t> {
    pub(crate) fn new(source: Source<'t>, loader: &'t dyn Loader) -> Self {
        Self { source, loader, problems: Vec::new() }
    }

    /// What was read, unless there are problems.
    pub(crate) fn finish<T>(mut self, read: Option<T>) -> Result<T, Problems> {
        self.problems.sort_by_key(|(place, _)| *place);
        match read {
            Some(read) if self.problems.is_empty() => Ok(read),
            _ => Err(Problems(self.problems.into_iter().map(|(_, problem)| problem).collect())),
        }
    }

    pub(crate) fn report(&mut self, kind: Kind, span: Range<usize>, message: impl Into<String>) {
        self.problems.push((span.start, self.source.problem(kind, span, message.into())));
    }

    /// The table `name`, if it is there and a table.
    pub(crate) fn section<'a, 'd>(&mut self, table: &'a DeTable<'d>, name: &str) -> Option<Section<'a, 'd>> {
        let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
        match value.get_ref() {
            DeValue::Table(keys) => Some(Section { name: format!("[{name}]"), span: key.span(), keys }),
            _ => {
                self.report(Kind::WrongType, value.span(), format!("`{name}` must be a table, [{name}]"));
                None
            }
        }
    }

    /// The table `name` inside a section.
    pub(crate) fn inner<'a, 'd>(&mut self, outer: &Section<'a, 'd>, name: &str) -> Option<Section<'a, 'd>> {
        let mut section = self.section(outer.keys, name)?;
        section.name = format!("[{}.{name}]", outer.name.trim_matches(['[', ']']));
        Some(section)
    }

    /// The tables `name`, written as `[[name]]`.
    pub(crate) fn sections<'a, 'd>(&mut self, table: &'a DeTable<'d>, name: &str) -> Vec<Section<'a, 'd>> {
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else {
            return Vec::new();
        };
        let must = format!("`{name}` must be an array of tables, [[{name}]]");
        let DeValue::Array(items) = value.get_ref() else {
            let index = match value.get_ref() {
                DeValue::Table(keys) => {
                    keys.keys().next().filter(|key| key.get_ref().parse::<usize>().is_ok())
                }
                _ => None,
            };
            let why = match index {
                Some(index) => {
                    format!("there is no [[{name}]] number {}: they count from 0", index.get_ref())
                }
                None => must,
            };
            self.report(Kind::WrongType, value.span(), why);
            return Vec::new();
        };
        let mut sections = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                // The span of a [[table]] in an array is its header's, of an inline one its own.
                DeValue::Table(keys) => {
                    let span = if item.span().is_empty() { key.span() } else { item.span() };
                    sections.push(Section { name: format!("[[{name}]]"), span, keys });
                }
                _ => self.report(Kind::WrongType, item.span(), must.clone()),
            }
        }
        sections
    }

    /// The text of `key`, if it is there and a text.
    pub(crate) fn word<'a>(
        &mut self,
        section: &Section<'a, '_>,
        key: &str,
    ) -> Option<(&'a str, Range<usize>)> {
        let value = section.keys.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some((text.as_ref(), value.span())),
            _ => {
                self.report(Kind::WrongType, value.span(), format!("`{key}` must be a text in quotes"));
                None
            }
        }
    }

    /// The word of `kind`, one of `kinds`; `path` is what `explain` shows.
    pub(crate) fn kind(
        &mut self,
        section: &Section<'_, '_>,
        kinds: &'static [&'static str],
        path: &str,
    ) -> Option<&'static str> {
        let Some((word, span)) = self.word(section, "kind") else {
            if !section.keys.contains_key("kind") {
                let message = format!("{} does not say its `kind`; it is {}", section.name, one_of(kinds));
                self.report(Kind::Missing, section.span.clone(), message);
            }
            return None;
        };
        if let Some(kind) = kinds.iter().find(|kind| **kind == word) {
            return Some(kind);
        }
        let hint = match nearest(word, kinds.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is {}", one_of(kinds)),
        };
        self.report(Kind::Unknown, span, format!("there is no {path} of kind `{word}`; {hint}"));
        None
    }

    /// The preset that the section names.
    pub(crate) fn preset<T>(&mut self, section: &Section<'_, '_>, presets: &[Preset<T>]) -> Option<T> {
        if presets.is_empty() {
            return None;
        }
        let (name, span) = self.word(section, "preset")?;
        if let Some((_, make)) = presets.iter().find(|(preset, _)| *preset == name) {
            return Some(make());
        }
        let hint = match nearest(name, presets.iter().map(|preset| preset.0)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`plimsoll explain {}` shows all", section.name.trim_matches(['[', ']'])),
        };
        self.report(Kind::Unknown, span, format!("{} has no preset `{name}`; {hint}", section.name));
        None
    }

    /// The key's value, or its default.
    pub(crate) fn cell<T: Cell>(
        &mut self,
        section: &Section<'_, '_>,
        key: &'static str,
        bounds: (T::Bound, T::Bound),
        default: Option<T>,
        doc: &[&str],
    ) -> Option<T> {
        if let Some(value) = section.keys.get(key) {
            return T::read(self, key, value, bounds);
        }
        if default.is_none() {
            let doc = join_doc(doc);
            let what = doc.trim_end_matches('.');
            let message = format!("{} does not say `{key}`: {what}", section.name);
            self.report(Kind::Missing, section.span.clone(), message);
        }
        default
    }

    pub(crate) fn refuse_unknown_keys(&mut self, section: &Section<'_, '_>, known: &[&str], path: &str) {
        for key in section.keys.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("`plimsoll explain {path}` shows all"),
            };
            self.report(Kind::Unknown, key.span(), format!("unknown key `{name}`; {hint}"));
        }
    }

    /// Reads one value without inner structure by `read`.
    pub(crate) fn parameter<T>(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        read: impl for<'v> FnOnce(Value<'v>) -> Result<T, ParamError<'v>>,
    ) -> Option<T> {
        let Some(simple) = simple(value.get_ref()) else {
            let message = format!("`{key}` must be a text, a number, true or false");
            self.report(Kind::WrongType, value.span(), message);
            return None;
        };
        match read(simple) {
            Ok(read) => Some(read),
            Err(error) => {
                self.report(kind_of(&error), value.span(), error.to_string());
                None
            }
        }
    }

    /// Hands every key but `not` to `set` and reports what it refuses; `subject` is what `explain`
    /// shows all keys of.
    pub(crate) fn parameters(
        &mut self,
        section: &Section<'_, '_>,
        not: &[&str],
        subject: &str,
        mut set: impl for<'v> FnMut(&'v str, Value<'v>) -> Result<(), ParamError<'v>>,
    ) {
        for (key, value) in section.keys.iter().filter(|(key, _)| !not.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let Some(simple) = simple(value.get_ref()) else {
                let message = format!("`{name}` must be a text, a number, true or false");
                self.report(Kind::WrongType, value.span(), message);
                continue;
            };
            if let Err(error) = set(name, simple) {
                let span = if kind_of(&error) == Kind::Unknown { key.span() } else { value.span() };
                let hint = match error {
                    ParamError::UnknownKey { nearest: None, .. } => {
                        format!("; `plimsoll explain {subject}` shows all")
                    }
                    _ => String::new(),
                };
                self.report(kind_of(&error), span, format!("{error}{hint}"));
            }
        }
    }

    /// A table that is a parameter set of `plimsoll_cc`: its preset, then its keys.
    pub(crate) fn parameter_table<P: Parameters>(
        &mut self,
        section: Option<&Section<'_, '_>>,
        default: P,
        subject: &str,
    ) -> P {
        let Some(section) = section else { return default };
        let presets: Vec<_> = P::PRESETS.iter().map(|preset| (preset.name, preset.make)).collect();
        let mut params = self.preset(section, &presets).unwrap_or(default);
        self.parameters(section, &["preset"], subject, |key, value| params.set(key, value));
        params
    }

    /// The text of a file that the value names.
    pub(crate) fn file(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<(String, String)> {
        let DeValue::String(path) = value.get_ref() else {
            self.report(Kind::WrongType, value.span(), format!("`{key}` must be a path in quotes"));
            return None;
        };
        match self.loader.load(path) {
            Ok(text) => Some((path.to_string(), text)),
            Err(reason) => {
                self.report(Kind::Missing, value.span(), format!("cannot read `{path}`: {reason}"));
                None
            }
        }
    }
}

/// Words as a sentence has them.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("\"{only}\""),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|word| format!("\"{word}\"")).collect();
            format!("{} or \"{last}\"", first.join(", "))
        }
    }
}

/// A value without inner structure. Whole numbers beyond 64 bits are read as floating point: they
/// are out of every parameter's bounds, and the message then says so.
pub(crate) fn simple<'v>(value: &'v DeValue<'_>) -> Option<Value<'v>> {
    match value {
        DeValue::String(text) => Some(Value::Text(text)),
        DeValue::Boolean(on) => Some(Value::Bool(*on)),
        DeValue::Float(number) => number.as_str().parse().ok().map(Value::Float),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Some(Value::Integer(whole)),
            Err(_) => number.as_str().parse().ok().map(Value::Float),
        },
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

pub(crate) fn kind_of(error: &ParamError<'_>) -> Kind {
    match error {
        ParamError::UnknownKey { .. } => Kind::Unknown,
        ParamError::WrongType { .. } => Kind::WrongType,
        ParamError::WrongUnit { .. } => Kind::WrongUnit,
        ParamError::OutOfBounds { .. } => Kind::OutOfBounds,
        ParamError::Contradiction { .. } => Kind::Contradiction,
    }
}
