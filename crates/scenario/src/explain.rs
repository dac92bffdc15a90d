//! Every table and every key, for people. All of it comes from the declarations of the tables.

use crate::fault::FaultTable;
use crate::read::{Front, TABLES};
use crate::routing::RoutingTable;
use crate::sizes::NAMED_SIZES;
use crate::sweep::Sweep;
use crate::switch::{Buffer, Class, Pfc, SwitchTable};
use crate::table::{KeyInfo, Shape, Table, TableInfo, keys_of_parameters};
use crate::topology::GraphLink;
use crate::traffic::Pattern;
use crate::{HostParams, Record, Topology};
use plimsoll_cc::params::{Parameters, nearest};
use plimsoll_cc::registry::{AnyParams, Entry, LAWS};
use plimsoll_cc::{codel, plb, red, rpm};
use std::fmt::Write;

/// A path that leads to no table and no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPath {
    /// The path as given.
    pub path: String,
    /// The most similar path.
    pub nearest: Option<String>,
}

impl std::fmt::Display for UnknownPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is nothing to explain about `{}`; ", self.path)?;
        match &self.nearest {
            Some(nearest) => write!(f, "did you mean `{nearest}`?"),
            None => f.write_str("`plimsoll explain scenario` shows all tables"),
        }
    }
}

impl std::error::Error for UnknownPath {}

/// All tables, in the order of a scenario. A law's parameters are the table `cc.` and its name.
#[must_use]
pub fn tables() -> Vec<TableInfo> {
    let mut tables = vec![Front::info()];
    tables.extend(Topology::infos());
    tables.push(GraphLink::info());
    tables.push(of_parameters("host", "What all hosts have in common.", &HostParams::rdma()));
    let transport = plimsoll_transport::Config::selective_repeat();
    let echo = "What both ends of a connection do, apart from the law. The echo of marks that is not set is the \
                one that the law reads.";
    tables.push(of_parameters("transport", echo, &transport));
    tables.extend([SwitchTable::info(), Buffer::info(), Pfc::info(), Class::info()]);
    let red = "Marks by the length of the queue, if `switch.ecn` is \"red\" or \"step\". The rule that is not set \
               is \"dcqcn\" for \"red\" and \"dctcp\" for \"step\".";
    tables.push(of_parameters("switch.red", red, &red::Params::dcqcn()));
    let codel = "CoDel, if `switch.aqm` is \"codel\".";
    tables.push(of_parameters("switch.codel", codel, &codel::Params::datacenter()));
    let rpm = "Marks sent back by the next ack, if `switch.reverse_marking` is true.";
    tables.push(of_parameters("switch.rpm", rpm, &rpm::Params::paper()));
    tables.push(RoutingTable::info());
    let plb = "When a host draws another path for a flow, if `routing.spreading` is \"plb\".";
    tables.push(of_parameters("routing.plb", plb, &plb::Params::linux()));
    tables.extend(LAWS.iter().filter_map(law));
    tables.extend(Pattern::infos());
    tables.extend(FaultTable::infos());
    tables.push(Record::info());
    tables
}

fn of_parameters<P: Parameters>(path: &str, doc: &str, defaults: &P) -> TableInfo {
    TableInfo {
        path: path.to_owned(),
        doc: doc.to_owned(),
        keys: keys_of_parameters(defaults),
        presets: P::PRESETS.iter().map(|preset| (preset.name, preset.source)).collect(),
    }
}

fn law(entry: &Entry) -> Option<TableInfo> {
    let defaults = AnyParams::named(entry.name).ok()?;
    let mut keys = Vec::new();
    defaults.each(&mut |field, value| keys.push(crate::table::key_of_field(field, value.to_string())));
    let mut presets = Vec::new();
    (entry.presets)(&mut |name, source| presets.push((name, source)));
    let mut doc = entry.summary.to_owned();
    doc.push('.');
    Some(TableInfo { path: format!("cc.{}", entry.name), doc, keys, presets })
}

/// What a path of a scenario means: a table (`switch.buffer`), a kind (`topology.leaf-spine`), a key
/// (`switch.buffer.alpha`), a law (`poseidon`, `cc.poseidon`), or `sizes`; everything in short for
/// `scenario`.
///
/// # Errors
/// If there is no such table or key; the error suggests the nearest.
pub fn explain(path: &str) -> Result<String, UnknownPath> {
    let path = path.trim().trim_matches(['[', ']']);
    let tables = if path.starts_with("sweep.") { Sweep::tables() } else { tables() };
    if path.is_empty() || path == "scenario" {
        return Ok(overview(&tables));
    }
    if path == "sizes" {
        let lines = NAMED_SIZES.iter().map(|sizes| format!("  {:<20} {}\n", sizes.name, sizes.source));
        return Ok(format!(
            "Distributions of sizes, for `size` of [[traffic]]:\n\n{}",
            lines.collect::<String>()
        ));
    }
    if path == "sweep" {
        return Ok(Sweep::tables().iter().map(whole).collect::<Vec<_>>().join("\n") + SWEEP_EXAMPLE);
    }
    let find = |path: &str| tables.iter().find(|table| table.path == path);
    if let Some(table) = find(path).or_else(|| find(&format!("cc.{path}"))) {
        return Ok(whole(table));
    }
    let prefix = format!("{path}.");
    let kinds: Vec<&TableInfo> = tables.iter().filter(|table| table.path.starts_with(&prefix)).collect();
    if !kinds.is_empty() {
        return Ok(choices(path, &kinds));
    }
    if let Some((table, key)) = path.rsplit_once('.')
        && let Some(key) = find(table)
            .or_else(|| find(&format!("cc.{table}")))
            .and_then(|table| table.keys.iter().find(|info| info.key == key))
    {
        return Ok(one(key));
    }
    let mut known: Vec<String> = tables.iter().map(|table| table.path.clone()).collect();
    known.extend(LAWS.iter().map(|law| law.name.to_owned()));
    known.extend(TABLES.map(str::to_owned));
    let keys = tables
        .iter()
        .flat_map(|table| table.keys.iter().map(move |key| format!("{}.{}", table.path, key.key)));
    known.extend(keys);
    let nearest = nearest(path, known.iter().map(String::as_str)).map(str::to_owned);
    Err(UnknownPath { path: path.to_owned(), nearest })
}

fn overview(tables: &[TableInfo]) -> String {
    let mut text =
        "A scenario is a TOML file. It may have these keys and tables; only [cc] must be there.\n\n"
            .to_owned();
    for table in tables {
        if table.path == "scenario" {
            for key in &table.keys {
                let _ = writeln!(text, "  {:<28} {}", key.key, key.doc);
            }
        } else {
            let _ = writeln!(text, "  {:<28} {}", table.path, first_sentence(&table.doc));
        }
    }
    text.push_str(
        "\n`plimsoll explain topology.leaf-spine` shows one with all its keys, `plimsoll explain sizes` the \
         distributions, `plimsoll explain sweep` a plan of many runs.\n",
    );
    text
}

fn choices(path: &str, kinds: &[&TableInfo]) -> String {
    let key = if path == "cc" { "law" } else { "kind" };
    let brackets = if ["traffic", "fault"].contains(&path) { ("[[", "]]") } else { ("[", "]") };
    let mut text = format!("{}{path}{} is chosen by its `{key}`:\n\n", brackets.0, brackets.1);
    for table in kinds {
        let name = table.path.strip_prefix(path).unwrap_or(&table.path).trim_start_matches('.');
        let _ = writeln!(text, "  {name:<20} {}", first_sentence(&table.doc));
    }
    if path == "traffic" {
        text.push_str(OF_ALL_TRAFFIC);
    }
    text
}

/// The keys that every `[[traffic]]` has.
const OF_ALL_TRAFFIC: &str = "\nEach also has `name`, what results call it, `class`, the class of its packets in switches (0), and \
     `via`, switches and links that its packets must pass on the way there (acks may go another way), e.g. \
     [\"leaf0:spine1\"]; a name that several switches share (\"spine\") asks for one of them. While a link of that way \
     is down, packets take another.\n";

fn first_sentence(doc: &str) -> &str {
    doc.find(". ").map_or(doc, |end| &doc[..=end])
}

/// What a plan looks like.
const SWEEP_EXAMPLE: &str = "\
Example (3 loads, 3 laws, 3 seeds: 27 runs):

scenario = \"../leaf-spine-websearch.toml\"
seeds = 3

[grid]
traffic.0.load = [0.3, 0.5, 0.7]

[[cc]]
law = \"hpcc\"

[[cc]]
law = \"poseidon\"
m = [0.25, 0.5]

[plot]
x = \"traffic.0.load\"
y = \"slowdown.p99\"
";

/// How the table is written.
fn header(path: &str) -> String {
    match path.split_once('.') {
        _ if path == "switch.class" => "[[switch.class]]".to_owned(),
        _ if path == "topology.graph.links" => "[[topology.links]]".to_owned(),
        Some(("cc", law)) => format!("[cc]\nlaw = \"{law}\""),
        Some(("topology", kind)) => format!("[topology]\nkind = \"{kind}\""),
        Some((table @ ("traffic" | "fault"), kind)) => format!("[[{table}]]\nkind = \"{kind}\""),
        _ if path == "scenario" || path == "sweep" => String::new(),
        Some(("sweep", table @ ("cc" | "point"))) => format!("[[{table}]]"),
        Some(("sweep", table)) => format!("[{table}]"),
        _ => format!("[{path}]"),
    }
}

fn whole(table: &TableInfo) -> String {
    let mut text = format!("{}\n\n{}\n\n", header(&table.path), table.doc);
    for key in &table.keys {
        text.push_str(&one(key));
        text.push('\n');
    }
    if table.path.starts_with("traffic.") {
        text.push_str(OF_ALL_TRAFFIC.trim_start());
    }
    if !table.presets.is_empty() {
        text.push_str("Presets (`preset = \"...\"`), whose values the keys above replace:\n\n");
        for (name, source) in &table.presets {
            let _ = writeln!(text, "  {name:<20} {source}");
        }
    }
    text
}

fn one(key: &KeyInfo) -> String {
    let default = match &key.default {
        Some(default) => format!("= {default}"),
        None => "(must be given)".to_owned(),
    };
    format!("{} {default}\n    {}\n    {}\n", key.key, key.doc, may_be(&key.shape))
}

fn may_be(shape: &Shape) -> String {
    match shape {
        Shape::Value { domain, auto: false } => domain.to_string(),
        Shape::Value { domain, auto: true } => format!("{domain}, or \"auto\""),
        Shape::Other { says, .. } => (*says).to_owned(),
    }
}
