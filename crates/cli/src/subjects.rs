//! What `list cc` lists and `explain` explains: the laws of the registry, and what stands in the network
//! and at hosts beside them.

use plimsoll_cc::params::{Domain, Field};
use plimsoll_cc::registry::{AnyParams, LAWS};
use plimsoll_cc::{CongestionControl, Parameters, codel, plb, red, rpm};
use plimsoll_scenario::HostParams;
use plimsoll_transport::Config;

/// Something with parameters.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) place: Place,
    /// The signals that it needs with its default parameters; laws have them, the others do not.
    pub(crate) needs: Option<String>,
    /// Its parameters.
    pub(crate) parameters: Vec<Parameter>,
    /// Its published sets; the first is the default.
    pub(crate) presets: Vec<Preset>,
}

/// Where a subject stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A congestion control law of the registry.
    Sender,
    /// A switch's or a host's own rules.
    Beside,
}

impl Place {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Beside => "beside",
        }
    }
}

pub(crate) struct Parameter {
    pub(crate) key: &'static str,
    pub(crate) doc: String,
    pub(crate) domain: Domain,
    pub(crate) auto: bool,
}

pub(crate) struct Preset {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    /// The values, in the order of the parameters.
    pub(crate) values: Vec<String>,
}

/// All subjects: first the laws, in the registry's order.
pub(crate) fn all() -> Vec<Subject> {
    let laws = LAWS.iter().map(|law| law_subject(law.name, law.summary));
    let others = [
        other::<codel::Params>("codel", "congestion is a queue that has not been short (RFC 8289)"),
        other::<red::Params>("red", "marks by the length of the queue, by a ramp or a step"),
        other::<rpm::Params>("rpm", "the switch echoes congestion itself, on passing acks"),
        other::<plb::Params>("plb", "the host moves a flow to another path where congestion stays"),
        other::<HostParams>("host", "the [host] table of a scenario"),
        other::<Config>("transport", "both ends of a connection: reliability, pacing, timers, acks"),
    ];
    laws.chain(others).collect()
}

fn law_subject(name: &'static str, summary: &'static str) -> Subject {
    let mut parameters = Vec::new();
    let mut presets = Vec::new();
    let mut needs = None;
    for law in LAWS.iter().filter(|law| law.name == name) {
        (law.presets)(&mut |preset, source| {
            let Ok(params) = AnyParams::named(&format!("{name}:{preset}")) else { return };
            let mut values = Vec::new();
            let mut fields = Vec::new();
            params.each(&mut |field, value| {
                fields.push(parameter(field));
                values.push(value.to_string());
            });
            if presets.is_empty() {
                let law = params.build(&HostParams::poseidon().host());
                needs = law.ok().map(|law| law.needs().to_string());
                parameters = fields;
            }
            presets.push(Preset { name: preset, source, values });
        });
    }
    Subject { name, summary, place: Place::Sender, needs, parameters, presets }
}

fn other<P: Parameters>(name: &'static str, summary: &'static str) -> Subject {
    let mut parameters = Vec::new();
    let mut presets = Vec::new();
    for preset in P::PRESETS {
        let mut values = Vec::new();
        let mut fields = Vec::new();
        (preset.make)().each(&mut |field, value| {
            fields.push(parameter(field));
            values.push(value.to_string());
        });
        parameters = fields;
        presets.push(Preset { name: preset.name, source: preset.source, values });
    }
    Subject { name, summary, place: Place::Beside, needs: None, parameters, presets }
}

fn parameter(field: &Field) -> Parameter {
    let doc = field.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    Parameter { key: field.key, doc, domain: (field.domain)(), auto: field.auto }
}

impl Parameter {
    /// What it may be, `"auto"` included.
    pub(crate) fn allowed(&self) -> String {
        if self.auto { format!("{}, or \"auto\"", self.domain) } else { self.domain.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_of_the_registry_has_parameters_presets_and_documentation() {
        let subjects = all();
        for law in LAWS {
            assert!(subjects.iter().any(|subject| subject.name == law.name), "{}", law.name);
        }
        for subject in subjects {
            assert!(!subject.presets.is_empty(), "{}", subject.name);
            for parameter in &subject.parameters {
                assert!(!parameter.doc.is_empty(), "{}.{}", subject.name, parameter.key);
            }
            for preset in &subject.presets {
                assert_eq!(preset.values.len(), subject.parameters.len(), "{}", subject.name);
                assert!(!preset.source.is_empty(), "{}:{}", subject.name, preset.name);
            }
        }
    }
}
