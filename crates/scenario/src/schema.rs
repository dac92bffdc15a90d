//! The JSON schema of scenarios, for editors. All of it comes from the declarations of the tables.

use crate::explain::tables;
use crate::table::{KeyInfo, Shape, TableInfo};
use plimsoll_cc::params::Domain;
use plimsoll_cc::registry::LAWS;
use std::fmt::Write;

/// A JSON schema (draft 2020-12) of scenarios.
#[must_use]
pub fn json_schema() -> String {
    let tables = tables();
    let mut definitions = Vec::new();
    for table in tables.iter().filter(|table| table.path != "scenario") {
        definitions.push(format!("{}:{}", text(&table.path), definition(table)));
    }
    let mut properties = Vec::new();
    if let Some(front) = tables.iter().find(|table| table.path == "scenario") {
        properties.extend(front.keys.iter().map(property));
    }
    for name in ["host", "transport", "switch", "routing", "record"] {
        properties.push(format!("{}:{}", text(name), reference(name)));
    }
    properties.push(format!("\"topology\":{}", by_kind(&tables, "topology")));
    for name in ["traffic", "fault"] {
        properties.push(format!(
            "{}:{{\"type\":\"array\",\"items\":{}}}",
            text(name),
            by_kind(&tables, name)
        ));
    }
    properties.push(format!("\"cc\":{}", by_law()));
    format!(
        "{{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Plimsoll scenario\",\"type\":\"object\",\
         \"required\":[\"cc\"],\"properties\":{{{}}},\"additionalProperties\":false,\"$defs\":{{{}}}}}\n",
        properties.join(","),
        definitions.join(",")
    )
}

fn reference(path: &str) -> String {
    format!("{{\"$ref\":{}}}", text(&format!("#/$defs/{path}")))
}

/// The keys that come with a table's place besides its own.
fn further_keys(path: &str) -> Vec<String> {
    let inner = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("{}:{}", text(name), reference(&format!("{path}.{name}"))))
            .collect::<Vec<_>>()
    };
    let mut keys = match path {
        "switch" => inner(&["buffer", "pfc", "red", "codel", "rpm"]),
        "routing" => inner(&["plb"]),
        _ => Vec::new(),
    };
    if path == "switch" {
        keys.push(format!(
            "\"class\":{{\"type\":\"array\",\"maxItems\":8,\"items\":{}}}",
            reference("switch.class")
        ));
    }
    match path.split_once('.') {
        Some(("topology" | "fault", kind)) if kind != "graph.links" => keys.push("\"kind\":{}".to_owned()),
        Some(("traffic", _)) => {
            keys.push("\"kind\":{}".to_owned());
            keys.push("\"name\":{\"type\":\"string\",\"description\":\"What results call it.\"}".to_owned());
            let class = r#""class":{"type":"integer","minimum":0,"maximum":7,"description":"The class of its packets."}"#;
            keys.push(class.to_owned());
            let via = r#""via":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}],"description":"Switches and links that its packets must pass."}"#;
            keys.push(via.to_owned());
        }
        Some(("cc", _)) => keys.push("\"law\":{}".to_owned()),
        _ => {}
    }
    keys
}

fn definition(table: &TableInfo) -> String {
    let mut properties: Vec<String> = table.keys.iter().map(property).collect();
    properties.extend(further_keys(&table.path));
    if !table.presets.is_empty() {
        let names: Vec<String> = table.presets.iter().map(|(name, _)| text(name)).collect();
        properties.push(format!("\"preset\":{{\"enum\":[{}]}}", names.join(",")));
    }
    let required: Vec<String> =
        table.keys.iter().filter(|key| key.default.is_none()).map(|key| text(key.key)).collect();
    format!(
        "{{\"type\":\"object\",\"description\":{},\"properties\":{{{}}},\"required\":[{}],\"additionalProperties\":false}}",
        text(&table.doc),
        properties.join(","),
        required.join(",")
    )
}

/// A table whose `kind` says which definition it follows.
fn by_kind(tables: &[TableInfo], name: &str) -> String {
    let prefix = format!("{name}.");
    let kinds =
        tables.iter().filter_map(|table| table.path.strip_prefix(&prefix)).filter(|kind| !kind.contains('.'));
    let kinds: Vec<&str> = kinds.collect();
    let words: Vec<String> = kinds.iter().map(|kind| text(kind)).collect();
    let rules: Vec<String> = kinds
        .iter()
        .map(|kind| {
            let condition = format!("{{\"properties\":{{\"kind\":{{\"const\":{}}}}}}}", text(kind));
            format!("{{\"if\":{condition},\"then\":{}}}", reference(&format!("{name}.{kind}")))
        })
        .collect();
    format!(
        "{{\"type\":\"object\",\"required\":[\"kind\"],\"properties\":{{\"kind\":{{\"enum\":[{}]}}}},\"allOf\":[{}]}}",
        words.join(","),
        rules.join(",")
    )
}

/// A table whose `law`, with or without a preset behind a colon, says which definition it follows.
fn by_law() -> String {
    let mut names = Vec::new();
    let mut rules = Vec::new();
    for law in LAWS {
        let mut of_law = vec![text(law.name)];
        (law.presets)(&mut |preset, _| of_law.push(text(&format!("{}:{preset}", law.name))));
        let condition = format!("{{\"properties\":{{\"law\":{{\"enum\":[{}]}}}}}}", of_law.join(","));
        rules.push(format!("{{\"if\":{condition},\"then\":{}}}", reference(&format!("cc.{}", law.name))));
        names.extend(of_law);
    }
    format!(
        "{{\"type\":\"object\",\"required\":[\"law\"],\"properties\":{{\"law\":{{\"enum\":[{}]}}}},\"allOf\":[{}]}}",
        names.join(","),
        rules.join(",")
    )
}

/// `"key": schema` with its description and, if JSON can say it, its default.
fn property(key: &KeyInfo) -> String {
    let schema = match &key.shape {
        Shape::Value { domain, auto: false } => of_domain(domain),
        Shape::Value { domain, auto: true } => {
            format!("{{\"anyOf\":[{{\"const\":\"auto\"}},{}]}}", of_domain(domain))
        }
        Shape::Other { schema, .. } => (*schema).to_owned(),
    };
    let description = match &key.default {
        Some(default) => format!("{} Default: {default}", key.doc),
        None => key.doc.clone(),
    };
    // Next to a reference and to anyOf, a description may stand as well.
    format!("{}:{{\"description\":{},\"allOf\":[{schema}]}}", text(key.key), text(&description))
}

fn of_domain(domain: &Domain) -> String {
    let quantity = |units: &str| {
        format!(
            "{{\"type\":\"string\",\"pattern\":{}}}",
            text(&format!("^\\s*[0-9_]*\\.?[0-9_]*\\s*({units})\\s*$"))
        )
    };
    match domain {
        Domain::Time(..) => quantity("ps|ns|us|µs|ms|s"),
        Domain::Rate(..) => quantity("[KMGT]?bps|[KMGT]?b/s"),
        Domain::Size(..) => quantity("B|[KMGT]B|[KMGT]iB"),
        Domain::Number(low, high) => {
            format!("{{\"type\":\"number\",\"minimum\":{low:?},\"maximum\":{high:?}}}")
        }
        Domain::Count(low, high) => format!("{{\"type\":\"integer\",\"minimum\":{low},\"maximum\":{high}}}"),
        Domain::Switch => "{\"type\":\"boolean\"}".to_owned(),
        Domain::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| text(word)).collect();
            format!("{{\"enum\":[{}]}}", words.join(","))
        }
    }
}

/// A JSON string.
fn text(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            _ if character.is_control() => {
                let _ = write!(json, "\\u{:04x}", character as u32);
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}
