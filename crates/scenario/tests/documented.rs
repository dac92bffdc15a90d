//! Everything is documented in one place, and the JSON schema says the same as the reader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use plimsoll_scenario::explain::tables;
use plimsoll_scenario::{Scenario, Topology, explain, json_schema, traffic};
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn every_table_and_every_key_is_explained() {
    let overview = explain("scenario").unwrap();
    for table in tables() {
        assert!(table.doc.len() > 10, "{}", table.path);
        if table.path != "scenario" {
            assert!(overview.contains(&table.path), "{}", table.path);
            let text = explain(&table.path).unwrap();
            for key in &table.keys {
                assert!(text.contains(&format!("\n{} ", key.key)), "{}.{}\n{text}", table.path, key.key);
            }
        }
        for key in &table.keys {
            assert!(key.doc.len() > 3, "{}.{}", table.path, key.key);
            assert!(explain(&format!("{}.{}", table.path, key.key)).is_ok() || table.path == "scenario");
        }
    }
}

#[test]
fn every_kind_of_topology_and_traffic_is_explained() {
    for kind in Topology::KINDS {
        assert!(explain(&format!("topology.{kind}")).unwrap().starts_with("[topology]\nkind = "), "{kind}");
    }
    for kind in traffic::Pattern::KINDS {
        assert!(explain(&format!("traffic.{kind}")).unwrap().starts_with("[[traffic]]\nkind = "), "{kind}");
    }
    assert!(explain("topology").unwrap().contains("leaf-spine"));
    assert!(explain("cc").unwrap().contains("poseidon"));
    assert!(explain("sizes").unwrap().contains("websearch-powertcp"));
}

#[test]
fn an_explanation_has_meaning_bounds_and_default() {
    assert_eq!(
        explain("switch.buffer.alpha").unwrap(),
        "alpha = 1.0\n    The factor alpha of dynamic thresholds, for queues of classes that may be dropped.\n    \
         a number from 1e-6 to 1000000.0\n"
    );
    assert!(explain("poseidon").unwrap().contains("nsdi23"));
    assert_eq!(explain("cc.poseidon").unwrap(), explain("poseidon").unwrap());
    assert!(explain("topology.fat-tree").unwrap().contains("hpcc-320"));
}

#[test]
fn a_misspelt_path_suggests_the_nearest() {
    let wrong = |path: &str| explain(path).unwrap_err().to_string();
    assert_eq!(
        wrong("topology.leafspine"),
        "there is nothing to explain about `topology.leafspine`; did you mean `topology.leaf-spine`?"
    );
    assert_eq!(wrong("posiedon"), "there is nothing to explain about `posiedon`; did you mean `poseidon`?");
    assert_eq!(
        wrong("switch.bufer.size"),
        "there is nothing to explain about `switch.bufer.size`; did you mean `switch.buffer.size`?"
    );
}

#[test]
fn defaults_as_explained_are_values_that_the_reader_takes() {
    // A scenario in which every key with a default is written out as it is explained.
    for table in tables() {
        let header = match table.path.split_once('.') {
            _ if table.path == "scenario" => String::new(),
            Some(("cc", law)) => format!("[cc]\nlaw = \"{law}\"\n"),
            Some(("topology" | "traffic" | "fault", _)) => continue,
            _ if table.path == "switch.class" => "[[switch.class]]\n".to_owned(),
            _ => format!("[{}]\n", table.path),
        };
        let lines: String = table
            .keys
            .iter()
            .map(|key| format!("{} = {}\n", key.key, key.default.as_ref().unwrap()))
            .collect();
        let law = if table.path.starts_with("cc.") { "" } else { "[cc]\nlaw = \"swift\"\n" };
        let circuits = if table.path == "cc.retcp" { "[topology]\nkind = \"rotor\"\n" } else { "" };
        let text = format!("{header}{lines}{law}{circuits}");
        Scenario::parse("x", &text).unwrap_or_else(|problems| panic!("{text}{problems}"));
    }
}

/// Whether a value follows a schema; enough of JSON schema for ours.
fn follows(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Some(rules) = schema.as_object() else { return Ok(()) };
    for (rule, argument) in rules {
        let holds = match rule.as_str() {
            "$ref" => {
                let name = argument.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                follows(
                    root,
                    root["$defs"].get(name).unwrap_or_else(|| panic!("no definition {name}")),
                    value,
                )?;
                true
            }
            "type" => match argument.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            },
            "enum" => argument.as_array().unwrap().contains(value),
            "const" => argument == value,
            "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= argument.as_f64().unwrap()),
            "minItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 >= argument.as_u64().unwrap())
            }
            "maxItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 <= argument.as_u64().unwrap())
            }
            "required" => value.as_object().is_none_or(|object| {
                argument.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
            }),
            "properties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    if let Some(rule) = argument.get(key) {
                        follows(root, rule, inner).map_err(|problem| format!("{key}.{problem}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(argument, &Value::Bool(false));
                let known = rules["properties"].as_object().unwrap();
                value.as_object().is_none_or(|object| object.keys().all(|key| known.contains_key(key)))
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    follows(root, argument, item)?;
                }
                true
            }
            "anyOf" => argument.as_array().unwrap().iter().any(|schema| follows(root, schema, value).is_ok()),
            "allOf" => {
                for schema in argument.as_array().unwrap() {
                    follows(root, schema, value)?;
                }
                true
            }
            "if" => {
                if follows(root, argument, value).is_ok() {
                    follows(root, &rules["then"], value)?;
                }
                true
            }
            "then" | "description" | "default" | "title" | "$schema" | "$defs" | "pattern" => true,
            other => panic!("rule {other}"),
        };
        if !holds {
            return Err(format!(": {rule} {argument} does not hold for {value}"));
        }
    }
    Ok(())
}

fn valid(schema: &Value, text: &str) -> Result<(), String> {
    let table: toml::Table = text.parse().unwrap();
    follows(schema, schema, &serde_json::to_value(table).unwrap())
}

#[test]
fn examples_follow_the_schema_as_they_are_and_written_out() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Plans of sweeps have a folder and keys of their own.
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        valid(&schema, &text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        let written = Scenario::parse("x", &text).unwrap().to_toml();
        valid(&schema, &written).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let cc = "[cc]\nlaw = \"swift\"\n";
    assert_eq!(valid(&schema, cc), Ok(()));
    for wrong in [
        "".to_owned(),
        "[cc]\nlaw = \"swif\"\n".to_owned(),
        "[cc]\nlaw = \"swift\"\nbeta = 3.0\n".to_owned(),
        "[cc]\nlaw = \"swift\"\nbetta = 0.3\n".to_owned(),
        format!("{cc}[topology]\nkind = \"ring\"\n"),
        format!("{cc}[topology]\nhosts = 3\n"),
        format!("{cc}[topology]\nkind = \"single-switch\"\nhosts = \"three\"\n"),
        format!("{cc}[topology]\nkind = \"single-switch\"\nleaves = 3\n"),
        format!("{cc}[[traffic]]\nkind = \"incast\"\n"),
        format!("{cc}[switch.buffer]\nsharing = \"fair\"\n"),
        format!("{cc}[record]\nrates = 1\n"),
        format!("{cc}[hots]\n"),
    ] {
        assert!(valid(&schema, &wrong).is_err(), "{wrong}");
        assert!(Scenario::parse("x", &wrong).is_err(), "{wrong}");
    }
}
