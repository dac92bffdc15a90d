//! Hosts by number, range, rack or name.

use super::Refusal;
use super::names::{nodes_called, unknown};
use super::texts::{read_texts, write_texts};
use crate::network::{Network, Racks};
use crate::problem::Kind;
use crate::read::Reader;
use crate::table::{Cell, Shape};
use toml::Spanned;
use toml::de::DeValue;

/// Hosts: `"all"`, numbers (`7`), ranges (`"0-15"`, both ends included), racks (`"rack3"`), names,
/// or an array of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

impl Hosts {
    /// Every host.
    #[must_use]
    pub fn all() -> Self {
        Self(vec!["all".to_owned()])
    }

    /// One host, by number.
    #[must_use]
    pub fn one(host: u32) -> Self {
        Self(vec![host.to_string()])
    }

    /// Hosts by number, from the first to the last.
    #[must_use]
    pub fn range(first: u32, last: u32) -> Self {
        Self(vec![format!("{first}-{last}")])
    }

    /// Their numbers in the order in which they are written, each once.
    ///
    /// # Errors
    /// If there is no such host, or none at all.
    pub fn resolve(&self, network: &Network, racks: &Racks) -> Result<Vec<u32>, Refusal> {
        let mut seen = vec![false; network.hosts as usize];
        let mut chosen = Vec::new();
        for text in &self.0 {
            for host in hosts_called(network, racks, text.trim())? {
                if !std::mem::replace(&mut seen[host as usize], true) {
                    chosen.push(host);
                }
            }
        }
        if chosen.is_empty() {
            return Err(Refusal::new(
                Kind::Missing,
                "",
                "names no host; e.g. \"all\", 7, \"0-15\" or \"rack0\"",
            ));
        }
        Ok(chosen)
    }
}

fn hosts_called(network: &Network, racks: &Racks, text: &str) -> Result<Vec<u32>, Refusal> {
    let hosts = network.hosts;
    if text == "all" {
        return Ok((0..hosts).collect());
    }
    let range = match text.split_once('-') {
        Some((first, last)) => first.trim().parse::<u32>().ok().zip(last.trim().parse::<u32>().ok()),
        None => text.parse().ok().map(|number: u32| (number, number)),
    };
    if let Some((first, last)) = range {
        if first > last {
            let message = format!("the range \"{text}\" is empty: it must be \"{last}-{first}\"");
            return Err(Refusal::new(Kind::OutOfBounds, "", message));
        }
        if last >= hosts {
            let message =
                format!("there is no host {last}: the {hosts} hosts of this topology are 0-{}", hosts - 1);
            return Err(Refusal::new(Kind::OutOfBounds, "", message));
        }
        return Ok((first..=last).collect());
    }
    let nodes = nodes_called(network, text);
    if !nodes.is_empty() && nodes.iter().all(|&node| node < hosts) {
        return Ok(nodes);
    }
    let rack = text.strip_prefix("rack").and_then(|number| number.parse::<usize>().ok());
    match rack {
        Some(rack) => racks.hosts.get(rack).cloned().ok_or_else(|| {
            let last = racks.hosts.len() - 1;
            let message =
                format!("there is no rack {rack}: the racks of this topology are rack0 to rack{last}");
            Refusal::new(Kind::OutOfBounds, "", message)
        }),
        None => Err(unknown(network, "host", text)),
    }
}

impl Cell for Hosts {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "hosts: \"all\", a number, a range (\"0-15\", both ends included), a rack (\"rack3\"), \
                   a name, or an array of these",
            schema: r#"{"anyOf":[{"type":"string"},{"type":"integer","minimum":0},{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer","minimum":0}]}}]}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let what = "hosts: \"all\", 7, \"0-15\", \"rack3\", a name, or an array of these";
        read_texts(reader, key, value, what).map(Self)
    }
    fn write(&self, text: &mut String) {
        write_texts(&self.0, text);
    }
}
