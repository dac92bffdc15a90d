//! Names of nodes and of groups of traffic.

use super::Refusal;
use super::texts::list_of_texts;
use crate::network::Network;
use crate::problem::Kind;
use crate::read::Reader;
use crate::table::{Cell, Shape, quoted};
use plimsoll_cc::params::nearest;
use toml::Spanned;
use toml::de::DeValue;

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
        None if what == "host" => {
            format!(
                "nodes are called {}; several hosts are \"0-15\", \"rack0\" or an array",
                examples(network)
            )
        }
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

list_of_texts! {
    Switches: "switches: \"all\", \"none\", or names (\"leaf3\", or \"leaf\" for all leaves), or an array of them",
    must be "names of switches, e.g. [\"leaf0\", \"leaf1\"], or \"all\""
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

list_of_texts! {
    Names: "names, or \"all\"",
    must be "a name, or an array of names"
}
