//! The document: the text and what the command line sets, put together.

use super::reader::Reader;
use crate::load::Loader;
use crate::problem::{Kind, Problems};
use crate::source::Source;
use crate::{Overrides, Scenario};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key and a value of the command line, as TOML that can be read at its place behind the file.
struct Setting {
    name: String,
    /// What messages show.
    text: String,
    /// The same behind as many blanks as there is text before it, so that places fit.
    padded: String,
    /// Whether tables of the text with its key are left out.
    replaces: bool,
}

pub(crate) fn scenario(
    name: &str,
    text: &str,
    overrides: &Overrides,
    loader: &dyn Loader,
) -> Result<Scenario, Problems> {
    let mut begin = text.len() + 1;
    let settings: Vec<Setting> = settings(overrides)
        .into_iter()
        .map(|(name, text, replaces)| {
            let padded = " ".repeat(begin) + &text;
            begin = padded.len() + 1;
            Setting { name, text, padded, replaces }
        })
        .collect();
    let mut source = Source::new(name, text);
    for setting in &settings {
        source.add(&setting.name, &setting.text);
    }
    let mut reader = Reader::new(source, loader);
    let scenario = parse(&mut reader, text).and_then(|mut document| {
        for setting in &settings {
            let changes = parse(&mut reader, &setting.padded)?;
            if setting.replaces && !same_law(&document, &changes) {
                document.remove("cc");
            }
            merge(&mut document, changes);
        }
        reader.scenario(&document)
    });
    reader.finish(scenario)
}

/// The tables of a text, or `None` after a report.
pub(crate) fn parse<'t>(reader: &mut Reader<'_>, text: &'t str) -> Option<DeTable<'t>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        reader.report(Kind::Syntax, span, format!("not TOML: {}", error.message()));
    }
    errors.is_empty().then(|| document.into_inner())
}

/// What the command line sets, each with its name and whether it replaces a whole table.
fn settings(overrides: &Overrides) -> Vec<(String, String, bool)> {
    let mut settings = Vec::new();
    if let Some(law) = &overrides.law {
        let text = format!("cc.law = {}", crate::table::quoted(law));
        settings.push(("--cc".to_owned(), text, true));
    }
    for setting in &overrides.set {
        // A value that is no TOML as it stands is a text: `switch.ecn=red`, `host.mtu=1500B`.
        let text = match setting.split_once('=') {
            Some((key, value)) if DeTable::parse(setting).is_err() => {
                format!("{key}={}", crate::table::quoted(value.trim()))
            }
            _ => setting.clone(),
        };
        settings.push(("--set".to_owned(), text, false));
    }
    if let Some(seed) = overrides.seed {
        settings.push(("--seed".to_owned(), format!("seed = {seed}"), false));
    }
    settings
}

/// Whether both name the same law, so that its other parameters still make sense.
fn same_law(document: &DeTable<'_>, changes: &DeTable<'_>) -> bool {
    let law = |table: &DeTable<'_>| {
        let cc = table.get("cc")?.get_ref().as_table()?;
        Some(cc.get("law")?.get_ref().as_str()?.to_owned())
    };
    let base = law(document).map(|law| law.split(':').next().unwrap_or_default().to_owned());
    base.is_some() && base == law(changes)
}

/// Puts `changes` over `table`; inside of both are tables, entry by entry.
fn merge<'t>(table: &mut DeTable<'t>, changes: DeTable<'t>) {
    for (key, change) in changes {
        match (table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut), change) {
            (Some(old), change) if both_go_deeper(old, change.get_ref()) => {
                go_deeper(old, change.into_inner())
            }
            (_, change) => {
                // Removed first, so that the place of the key is the new one as well.
                table.remove(key.get_ref().as_ref());
                table.insert(key, change);
            }
        }
    }
}

fn both_go_deeper(old: &DeValue<'_>, change: &DeValue<'_>) -> bool {
    match (old, change) {
        (DeValue::Table(_), DeValue::Table(_)) => true,
        // `traffic.0.load`: the first [[traffic]].
        (DeValue::Array(items), DeValue::Table(changes)) => {
            changes.keys().all(|key| key.get_ref().parse::<usize>().is_ok_and(|index| index < items.len()))
        }
        _ => false,
    }
}

fn go_deeper<'t>(old: &mut DeValue<'t>, change: DeValue<'t>) {
    match (old, change) {
        (DeValue::Table(table), DeValue::Table(changes)) => merge(table, changes),
        (DeValue::Array(items), DeValue::Table(changes)) => {
            for (key, change) in changes {
                let item = key.get_ref().parse::<usize>().ok().and_then(|index| items.get_mut(index));
                let Some(item) = item.map(Spanned::get_mut) else { continue };
                if both_go_deeper(item, change.get_ref()) {
                    go_deeper(item, change.into_inner());
                } else {
                    *item = change.into_inner();
                }
            }
        }
        _ => {}
    }
}
