//! `plimsoll explain NAME`.

use super::near;
use crate::error::{Error, Verdict};
use crate::subjects::{self, Parameter, Subject};
use clap::Args;
use plimsoll_scenario::Sweep;
use plimsoll_scenario::explain::{self as scenario, tables};
use plimsoll_scenario::table::TableInfo;
use serde_json::json;
use std::io::Write;

/// Explain a law, a table of scenarios, or one of their keys: meaning, unit, bounds, published values.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll explain poseidon           the law, its presets and all its parameters\n  \
    plimsoll explain poseidon.m         one parameter, with its value in every preset\n  \
    plimsoll explain swift --json       the same for scripts\n  \
    plimsoll explain scenario           all tables of a scenario file\n  \
    plimsoll explain topology.leaf-spine    one kind of table with its keys; also: explain switch.buffer.alpha\n  \
    plimsoll explain sweep              all keys of a plan of many runs, with an example\n  \
    plimsoll explain codel              laws of queues, marks and paths: codel, red, rpm, plb\n  \
    plimsoll explain transport          reliability, pacing, timers, acks")]
pub(crate) struct Explain {
    /// A law (`poseidon`), a parameter (`poseidon.m`), another name of `plimsoll list cc`, a table
    /// (`topology.leaf-spine`), a key of it, or `scenario`.
    name: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let subjects = subjects::all();
        let (name, key) = match self.name.split_once('.') {
            Some((name, key)) => (name, Some(key)),
            None => (self.name.as_str(), None),
        };
        let Some(subject) = subjects.iter().find(|subject| subject.name == name) else {
            return self.table(&subjects, out);
        };
        match key {
            None if self.json => whole_json(subject, out)?,
            None => whole(subject, out)?,
            Some(key) => {
                let keys = subject.parameters.iter().map(|parameter| parameter.key);
                let index = keys.clone().position(|known| known == key).ok_or_else(|| Error::Unknown {
                    what: "parameter",
                    name: self.name.clone(),
                    near: near(key, keys).into_iter().map(|key| format!("{name}.{key}")).collect(),
                    all: "plimsoll explain LAW",
                })?;
                if self.json { one_json(subject, index, out)? } else { one(subject, index, out)? }
            }
        }
        Ok(Verdict::Good)
    }

    /// What is no law may be a table of a scenario or a key of one.
    fn table(&self, subjects: &[Subject], out: &mut dyn Write) -> Result<Verdict, Error> {
        let Ok(text) = scenario::explain(&self.name) else {
            let paths: Vec<String> = tables().into_iter().map(|table| table.path).collect();
            let names = subjects.iter().map(|subject| subject.name);
            return Err(Error::Unknown {
                what: "law or table",
                name: self.name.clone(),
                near: near(&self.name, names.chain(paths.iter().map(String::as_str))),
                all: "plimsoll list cc` or `plimsoll explain scenario",
            });
        };
        if !self.json {
            write!(out, "{text}")?;
            return Ok(Verdict::Good);
        }
        let of_plan = self.name == "sweep" || self.name.starts_with("sweep.");
        let tables = if of_plan { Sweep::tables() } else { tables() };
        let below = format!("{}.", self.name);
        let key = self.name.rsplit_once('.');
        // A whole plan, as a whole scenario, is all its tables.
        let all = ["scenario", "sweep"].contains(&self.name.as_str());
        let one = tables.iter().find(|table| table.path == self.name && !all);
        let value = match one {
            Some(table) => table_json(table),
            None => {
                match key.and_then(|(table, key)| Some((tables.iter().find(|t| t.path == table)?, key))) {
                    Some((table, key)) => {
                        table.keys.iter().find(|info| info.key == key).map_or(json!(text), key_json)
                    }
                    None => {
                        let chosen = tables.iter().filter(|table| all || table.path.starts_with(&below));
                        chosen.map(table_json).collect()
                    }
                }
            }
        };
        serde_json::to_writer_pretty(&mut *out, &value)?;
        writeln!(out)?;
        Ok(Verdict::Good)
    }
}

fn table_json(table: &TableInfo) -> serde_json::Value {
    let keys: Vec<_> = table.keys.iter().map(key_json).collect();
    json!({ "table": table.path, "doc": table.doc, "keys": keys })
}

fn key_json(info: &plimsoll_scenario::table::KeyInfo) -> serde_json::Value {
    json!({ "key": info.key, "doc": info.doc, "default": info.default })
}

fn whole(subject: &Subject, out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "{}: {}", subject.name, subject.summary)?;
    if let Some(needs) = &subject.needs {
        writeln!(out, "needs: {needs}")?;
    }
    writeln!(out, "\nPresets (the first is the default)")?;
    let width = subject.presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    for preset in &subject.presets {
        writeln!(out, "  {:<width$}  {}", preset.name, preset.source)?;
    }
    writeln!(out, "\nParameters (with their defaults)")?;
    for (index, parameter) in subject.parameters.iter().enumerate() {
        let default = subject.presets.first().map_or("", |preset| preset.values[index].as_str());
        writeln!(out, "  {} = {default}", parameter.key)?;
        writeln!(out, "      {}", parameter.doc)?;
        writeln!(out, "      {}", parameter.allowed())?;
    }
    Ok(())
}

fn one(subject: &Subject, index: usize, out: &mut dyn Write) -> Result<(), Error> {
    let parameter = &subject.parameters[index];
    writeln!(out, "{}.{}: {}", subject.name, parameter.key, parameter.doc)?;
    writeln!(out, "must be: {}", parameter.allowed())?;
    writeln!(out, "\nPresets (the first is the default)")?;
    let names = subject.presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let values = subject.presets.iter().map(|preset| preset.values[index].len()).max().unwrap_or(0);
    for preset in &subject.presets {
        writeln!(out, "  {:<names$}  {:<values$}  {}", preset.name, preset.values[index], preset.source)?;
    }
    Ok(())
}

fn whole_json(subject: &Subject, out: &mut dyn Write) -> Result<(), Error> {
    let parameters: Vec<_> =
        (0..subject.parameters.len()).map(|index| parameter_json(subject, index)).collect();
    let presets: Vec<_> = subject
        .presets
        .iter()
        .map(|preset| json!({ "name": preset.name, "source": preset.source }))
        .collect();
    let whole = json!({
        "name": subject.name,
        "summary": subject.summary,
        "needs": subject.needs,
        "presets": presets,
        "parameters": parameters,
    });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)?;
    Ok(())
}

fn one_json(subject: &Subject, index: usize, out: &mut dyn Write) -> Result<(), Error> {
    serde_json::to_writer_pretty(&mut *out, &parameter_json(subject, index))?;
    writeln!(out)?;
    Ok(())
}

/// Values are as a scenario writes them, quotes of texts included.
fn parameter_json(subject: &Subject, index: usize) -> serde_json::Value {
    let Parameter { key, doc, auto, .. } = &subject.parameters[index];
    let values: serde_json::Map<String, serde_json::Value> = subject
        .presets
        .iter()
        .map(|preset| (preset.name.to_owned(), preset.values[index].clone().into()))
        .collect();
    let must_be = subject.parameters[index].allowed();
    json!({ "key": key, "doc": doc, "must_be": must_be, "auto": auto, "values": values })
}
