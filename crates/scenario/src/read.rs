//! From text to a scenario.

use crate::problem::{Kind, Problem, Problems};
use crate::source::Source;
use crate::{HostParams, Scenario};
use plimsoll_cc::params::nearest;
use plimsoll_cc::registry::AnyParams;
use plimsoll_cc::{ParamError, Parameters, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The tables that a scenario may have.
const TABLES: [&str; 2] = ["host", "cc"];

pub(crate) fn scenario(name: &str, text: &str) -> Result<Scenario, Problems> {
    let mut reader = Reader { source: Source { name, text }, problems: Vec::new() };
    let scenario = reader.scenario();
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    match scenario {
        Some(scenario) if reader.problems.is_empty() => Ok(scenario),
        _ => Err(Problems(reader.problems)),
    }
}

struct Reader<'t> {
    source: Source<'t>,
    problems: Vec<Problem>,
}

/// One table of the text with the place of its name.
struct Section<'a, 't> {
    name: &'static str,
    span: Range<usize>,
    keys: &'a DeTable<'t>,
}

impl<'t> Reader<'t> {
    /// The scenario, or `None` if a problem stands in its way. Whoever gives up reports why.
    fn scenario(&mut self) -> Option<Scenario> {
        let (document, errors) = DeTable::parse_recoverable(self.source.text);
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            self.report(Kind::Syntax, span, format!("not TOML: {}", error.message()));
        }
        if !errors.is_empty() {
            return None;
        }
        let document = document.get_ref();
        self.refuse_unknown_tables(document);
        let host = self.section(document, "host");
        let host_params = self.host(host.as_ref());
        let Some(cc) = self.section(document, "cc") else {
            if !document.contains_key("cc") {
                let message = "there is no [cc] table; it names the law, e.g. `law = \"poseidon\"`";
                self.report(Kind::Missing, 0..0, message.to_owned());
            }
            return None;
        };
        let cc_params = self.cc(&cc)?;
        if self.problems.is_empty() {
            self.build(&host_params, host.as_ref(), &cc_params, &cc);
        }
        Some(Scenario { host: host_params, cc: cc_params })
    }

    fn refuse_unknown_tables(&mut self, document: &DeTable<'_>) {
        for key in document.keys().filter(|key| !TABLES.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let hint = match nearest(name, TABLES.into_iter()) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => {
                    format!("; a scenario has {}", TABLES.map(|table| format!("[{table}]")).join(" and "))
                }
            };
            self.report(Kind::Unknown, key.span(), format!("unknown table `{name}`{hint}"));
        }
    }

    fn section<'a, 'd>(&mut self, document: &'a DeTable<'d>, name: &'static str) -> Option<Section<'a, 'd>> {
        let (key, value) = document.iter().find(|(key, _)| key.get_ref() == name)?;
        match value.get_ref() {
            DeValue::Table(keys) => Some(Section { name, span: key.span(), keys }),
            _ => {
                self.report(Kind::WrongType, value.span(), format!("`{name}` must be a table, [{name}]"));
                None
            }
        }
    }

    fn host(&mut self, section: Option<&Section<'_, '_>>) -> HostParams {
        let mut params = HostParams::poseidon();
        let Some(section) = section else { return params };
        if let Some((name, span)) = self.word(section, "preset") {
            let presets = HostParams::PRESETS;
            match presets.iter().find(|preset| preset.name == name) {
                Some(preset) => params = (preset.make)(),
                None => {
                    let hint = match nearest(name, presets.iter().map(|preset| preset.name)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "`plimsoll explain host` shows all".to_owned(),
                    };
                    self.report(Kind::Unknown, span, format!("[host] has no preset `{name}`; {hint}"));
                }
            }
        }
        self.parameters(section, &["preset"], |key, value| params.set(key, value));
        params
    }

    fn cc(&mut self, section: &Section<'_, '_>) -> Option<AnyParams> {
        let Some((law, law_span)) = self.word(section, "law") else {
            if !section.keys.contains_key("law") {
                let message = "[cc] does not name its law; e.g. `law = \"poseidon\"`";
                self.report(Kind::Missing, section.span.clone(), message.to_owned());
            }
            return None;
        };
        let mut params = match AnyParams::named(law) {
            Ok(params) => params,
            Err(unknown) => {
                self.report(Kind::Unknown, law_span, unknown.to_string());
                return None;
            }
        };
        if let Some((preset, span)) = self.word(section, "preset") {
            if law.contains(':') {
                let message = format!("`law = \"{law}\"` already names a preset; keep one of the two");
                self.report(Kind::Contradiction, span.clone(), message);
            }
            match AnyParams::named(&format!("{}:{preset}", params.entry().name)) {
                Ok(preset) => params = preset,
                Err(unknown) => self.report(Kind::Unknown, span, unknown.to_string()),
            }
        }
        self.parameters(section, &["law", "preset"], |key, value| params.set(key, value));
        Some(params)
    }

    /// Hands every key but `not` to `set` and reports what it refuses.
    fn parameters(
        &mut self,
        section: &Section<'_, '_>,
        not: &[&str],
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
                let span = if kind(&error) == Kind::Unknown { key.span() } else { value.span() };
                let hint = match error {
                    ParamError::UnknownKey { nearest: None, .. } => self.all_keys(section),
                    _ => String::new(),
                };
                self.report(kind(&error), span, format!("{error}{hint}"));
            }
        }
    }

    /// Where to look when no key is similar.
    fn all_keys(&self, section: &Section<'_, '_>) -> String {
        let subject = match section.name {
            "cc" => section.keys.get("law").and_then(|law| law.get_ref().as_str()).unwrap_or("cc"),
            name => name,
        };
        format!("; `plimsoll explain {subject}` shows all")
    }

    /// What only shows when law and host come together: parameters that contradict each other.
    fn build(
        &mut self,
        host: &HostParams,
        host_section: Option<&Section<'_, '_>>,
        cc: &AnyParams,
        cc_section: &Section<'_, '_>,
    ) {
        let host = host.host();
        let (error, section) = match (host.check(), cc.build(&host)) {
            (Err(error), _) => (error, host_section.unwrap_or(cc_section)),
            (Ok(()), Err(error)) => (error, cc_section),
            (Ok(()), Ok(_)) => return,
        };
        let place = section.keys.get(error.key()).map_or(section.span.clone(), Spanned::span);
        self.report(kind(&error), place, error.to_string());
    }

    /// The text of `key`, if it is there and a text.
    fn word<'a>(&mut self, section: &Section<'a, '_>, key: &str) -> Option<(&'a str, Range<usize>)> {
        let value = section.keys.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some((text.as_ref(), value.span())),
            _ => {
                self.report(Kind::WrongType, value.span(), format!("`{key}` must be a text in quotes"));
                None
            }
        }
    }

    fn report(&mut self, kind: Kind, span: Range<usize>, message: String) {
        self.problems.push(self.source.problem(kind, span, message));
    }
}

/// A value without inner structure. Whole numbers beyond 64 bits are read as floating point: they
/// are out of every parameter's bounds, and the message then says so.
fn simple<'v>(value: &'v DeValue<'_>) -> Option<Value<'v>> {
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

fn kind(error: &ParamError<'_>) -> Kind {
    match error {
        ParamError::UnknownKey { .. } => Kind::Unknown,
        ParamError::WrongType { .. } => Kind::WrongType,
        ParamError::WrongUnit { .. } => Kind::WrongUnit,
        ParamError::OutOfBounds { .. } => Kind::OutOfBounds,
        ParamError::Contradiction { .. } => Kind::Contradiction,
    }
}
