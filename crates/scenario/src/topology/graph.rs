//! Any network, node by node and link by link; also from a file of HPCC's.

use crate::hpcc;
use crate::network::{Link, Network};
use crate::problem::Kind;
use crate::read::{Reader, Section, one_of};
use crate::select::Refusal;
use crate::table::{Cell, Shape, Table, quoted, table};
use plimsoll_cc::params::nearest;
use plimsoll_units::{Rate, Span};
use std::collections::HashMap;
use std::fmt::Write;
use toml::Spanned;
use toml::de::DeValue;

table! {
    /// Any network: its hosts, its switches, and its links one by one. A host has exactly one link.
    pub struct Graph in "topology.graph" {
        /// The hosts: names, or how many there are (then called `h0`, `h1` and so on).
        hosts: Nodes,
        /// The switches: names, or how many there are (then called `s0`, `s1` and so on).
        switches: Nodes,
        /// The links: an array of `{ between = ["h0", "s0"], rate = "100Gbps", delay = "1us" }`, or
        /// `[[topology.links]]`.
        links: GraphLinks,
    }
}

table! {
    /// One link of a graph.
    pub struct GraphLink in "topology.graph.links" {
        /// The names of the two nodes at its ends.
        between: Between,
        /// Its rate.
        rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)] = Rate::from_gbps(100),
        /// Its delay, one way.
        delay: Span where [Span::from_ps(1), Span::from_s(10)] = Span::from_us(1),
        /// The probability that it loses a packet.
        loss: f64 where [0.0, 1.0] = 0.0,
        /// The probability that it damages a packet.
        corruption: f64 where [0.0, 1.0] = 0.0,
    }
}

table! {
    /// A topology file of HPCC's simulator. Hosts are called `h` and switches `s` with the file's numbers.
    pub struct HpccFile in "topology.hpcc-file" {
        /// The path of the file, seen from the scenario's.
        file: FileGraph,
    }
}

/// Nodes of a graph: by name, or so many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// So many, with names made of a letter and a number.
    Count(u32),
    /// These.
    Named(Vec<String>),
}

impl Nodes {
    fn names(&self, letter: char) -> Vec<String> {
        match self {
            Self::Count(count) => (0..*count).map(|index| format!("{letter}{index}")).collect(),
            Self::Named(names) => names.clone(),
        }
    }
}

/// The links of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLinks(pub Vec<GraphLink>);

/// The ends of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between(pub [String; 2]);

/// A graph that was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileGraph {
    /// The path of the file.
    pub path: String,
    /// What it says.
    pub graph: Graph,
}

impl Graph {
    pub(super) fn network(&self) -> Result<Network, Refusal> {
        let mut names = self.hosts.names('h');
        let hosts = names.len();
        names.extend(self.switches.names('s'));
        let switches = names.len() - hosts;
        if hosts < 2 {
            return Err(Refusal::new(Kind::Missing, "hosts", "a network needs at least two hosts"));
        }
        let mut numbers = HashMap::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            if let Some(problem) = bad_name(name) {
                let message = format!("`{name}` cannot be a node's name: {problem}");
                return Err(Refusal::new(
                    Kind::Contradiction,
                    if index < hosts { "hosts" } else { "switches" },
                    message,
                ));
            }
            if numbers.insert(name.as_str(), index as u32).is_some() {
                let message = format!("two nodes are called `{name}`");
                return Err(Refusal::new(
                    Kind::Contradiction,
                    if index < hosts { "hosts" } else { "switches" },
                    message,
                ));
            }
        }
        let mut links = Vec::with_capacity(self.links.0.len());
        for link in &self.links.0 {
            let mut ends = [0; 2];
            for (end, name) in ends.iter_mut().zip(&link.between.0) {
                *end = *numbers.get(name.as_str()).ok_or_else(|| {
                    let hint = match nearest(name, names.iter().map(String::as_str)) {
                        Some(near) => format!("; did you mean `{near}`?"),
                        None => String::new(),
                    };
                    Refusal::new(
                        Kind::Unknown,
                        "links",
                        format!("a link ends at `{name}`, which is no node{hint}"),
                    )
                })?;
            }
            links.push(Link {
                ends,
                rate: link.rate,
                delay: link.delay,
                loss: link.loss,
                corruption: link.corruption,
            });
        }
        Ok(Network { hosts: hosts as u32, switches: switches as u32, links, names, circuits: None })
    }
}

/// Why a name would make selections ambiguous.
fn bad_name(name: &str) -> Option<&'static str> {
    const WORDS: [&str; 4] = ["all", "none", "hosts", "fabric"];
    let fits = |c: char| c.is_alphanumeric() || "_.".contains(c);
    if !name.starts_with(|first: char| first.is_alphabetic()) {
        Some("it must begin with a letter")
    } else if !name.chars().all(fits) {
        Some("it may have letters, digits, `_` and `.` only")
    } else if WORDS.contains(&name) {
        Some("selections use this word")
    } else {
        None
    }
}

impl Cell for Nodes {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "a number of nodes, or an array of their names",
            schema: r#"{"anyOf":[{"type":"integer","minimum":0},{"type":"array","items":{"type":"string"}}]}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        const MOST: i64 = 1_000_000;
        let read = match value.get_ref() {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .ok()
                .filter(|count| (0..=MOST).contains(count))
                .map(|count| Self::Count(count as u32)),
            DeValue::Array(names) => names
                .iter()
                .map(|name| name.get_ref().as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .map(Self::Named),
            _ => None,
        };
        if read.is_none() {
            let message = format!("`{key}` must be a whole number from 0 to {MOST}, or an array of names");
            reader.report(Kind::WrongType, value.span(), message);
        }
        read
    }
    fn write(&self, text: &mut String) {
        match self {
            Self::Count(count) => {
                let _ = write!(text, "{count}");
            }
            Self::Named(names) => {
                let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
                let _ = write!(text, "[{}]", names.join(", "));
            }
        }
    }
}

impl Cell for Between {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "the names of two nodes, e.g. [\"h0\", \"s0\"]",
            schema: r#"{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        if let DeValue::Array(names) = value.get_ref()
            && let [a, b] = &names[..]
            && let (Some(a), Some(b)) = (a.get_ref().as_str(), b.get_ref().as_str())
        {
            return Some(Self([a.to_owned(), b.to_owned()]));
        }
        reader.report(
            Kind::WrongType,
            value.span(),
            format!("`{key}` must be two names, e.g. [\"h0\", \"s0\"]"),
        );
        None
    }
    fn write(&self, text: &mut String) {
        let [a, b] = &self.0;
        let _ = write!(text, "[{}, {}]", quoted(a), quoted(b));
    }
}

impl Cell for GraphLinks {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "an array of links, or [[topology.links]]; see topology.graph.links",
            schema: r##"{"type":"array","items":{"$ref":"#/$defs/topology.graph.links"}}"##,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let DeValue::Array(items) = value.get_ref() else {
            reader.report(Kind::WrongType, value.span(), format!("`{key}` must be an array of links"));
            return None;
        };
        let mut links = Vec::with_capacity(items.len());
        let mut complete = true;
        for item in items.iter() {
            let DeValue::Table(keys) = item.get_ref() else {
                let message =
                    format!("each of `{key}` must be a link, e.g. {}", one_of(&["{ between = [..] }"]));
                reader.report(Kind::WrongType, item.span(), message);
                complete = false;
                continue;
            };
            let section = Section { name: "[[topology.links]]".to_owned(), span: item.span(), keys };
            match GraphLink::read(reader, &section, &[]) {
                Some(link) => links.push(link),
                None => complete = false,
            }
        }
        complete.then_some(Self(links))
    }
    fn write(&self, text: &mut String) {
        text.push_str("[\n");
        for GraphLink { between, rate, delay, loss, corruption } in &self.0 {
            text.push_str("    { between = ");
            between.write(text);
            let _ = write!(text, ", rate = \"{rate}\", delay = \"{delay}\"");
            for (key, probability) in [("loss", loss), ("corruption", corruption)] {
                if *probability != 0.0 {
                    let _ = write!(text, ", {key} = {probability:?}");
                }
            }
            text.push_str(" },\n");
        }
        text.push(']');
    }
}

impl Cell for FileGraph {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other { says: "the path of a file", schema: r#"{"type":"string"}"# }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let (path, text) = reader.file(key, value)?;
        match hpcc::topology(&text) {
            Ok(graph) => Some(Self { path, graph }),
            Err(error) => {
                reader.report(Kind::Syntax, value.span(), format!("{path}:{error}"));
                None
            }
        }
    }
    fn write(&self, text: &mut String) {
        text.push_str(&quoted(&self.path));
    }
}
