//! Names of nodes, and lists of texts in general.

use super::Refusal;
use crate::network::Network;
use crate::problem::Kind;
use crate::read::Reader;
use crate::table::{Cell, Shape, quoted};
use plimsoll_cc::params::nearest;
use toml::Spanned;
use toml::de::DeValue;

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

/// The nodes called `name`; a name without its number is all nodes that have one: `leaf` is
/// `leaf0`, `leaf1` and so on.
pub(super) fn nodes_called(network: &Network, name: &str) -> Vec<u32> {
    let called = |node: &str| match node.strip_prefix(name) {
        Some("") => true,
        Some(number) => {
            !name.ends_with(|last: char| last.is_ascii_digit())
                && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => false,
    };
    match network.names.iter().position(|node| node == name) {
        Some(exact) => vec![exact as u32],
        None => (0..network.nodes()).filter(|&node| called(network.name(node))).collect(),
    }
}

/// What to say of a name that no node has.
pub(super) fn unknown(network: &Network, what: &str, name: &str) -> Refusal {
    let names = network.names.iter().map(String::as_str);
    if let Some(node) = network.names.iter().position(|node| node == name) {
        let is = if (node as u32) < network.hosts { "a host" } else { "a switch" };
        return Refusal::new(Kind::Unknown, "", format!("there is no {what} `{name}`: it is {is}"));
    }
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("nodes are called {}", examples(network)),
    };
    Refusal::new(Kind::Unknown, "", format!("there is no {what} `{name}`; {hint}"))
}

/// The first and the last name of each kind of node.
fn examples(network: &Network) -> String {
    let hosts = network.hosts as usize;
    let ends = |names: &[String]| match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first, .., last] => format!("`{first}` to `{last}`"),
    };
    let hosts_end = hosts.min(network.names.len());
    format!("{} and {}", ends(&network.names[..hosts_end]), ends(&network.names[hosts_end..]))
}

/// Switches: `"all"`, `"none"`, or some by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switches(pub Vec<String>);

impl Switches {
    /// Every switch.
    #[must_use]
    pub fn all() -> Self {
        Self(vec!["all".to_owned()])
    }

    /// No switch.
    #[must_use]
    pub fn none() -> Self {
        Self(vec!["none".to_owned()])
    }

    /// Their nodes, in order, each once.
    ///
    /// # Errors
    /// If there is no such switch.
    pub fn resolve(&self, network: &Network) -> Result<Vec<u32>, Refusal> {
        let mut chosen = Vec::new();
        for name in &self.0 {
            match name.as_str() {
                "all" => {
                    chosen.extend(network.hosts..network.nodes());
                    continue;
                }
                "none" => continue,
                _ => {}
            }
            let nodes = nodes_called(network, name);
            if nodes.is_empty() || nodes.iter().any(|&node| node < network.hosts) {
                return Err(unknown(network, "switch", name));
            }
            chosen.extend(nodes);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

impl Cell for Switches {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "switches: \"all\", \"none\", or names (\"leaf3\", or \"leaf\" for all leaves), or an array of them",
            schema: r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        read_texts(reader, key, value, "names of switches, e.g. [\"leaf0\", \"leaf1\"], or \"all\"").map(Self)
    }
    fn write(&self, text: &mut String) {
        write_texts(&self.0, text);
    }
}

/// Any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub String);

impl Cell for Text {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other { says: "a text", schema: r#"{"type":"string"}"# }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(Self(text.to_string()));
        }
        reader.report(Kind::WrongType, value.span(), format!("`{key}` must be a text in quotes"));
        None
    }
    fn write(&self, text: &mut String) {
        text.push_str(&quoted(&self.0));
    }
}

/// Names of groups of traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl Cell for Names {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "names, or \"all\"",
            schema: r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        read_texts(reader, key, value, "a name, or an array of names").map(Self)
    }
    fn write(&self, text: &mut String) {
        write_texts(&self.0, text);
    }
}
