//! Flows from a file of HPCC's, or one by one.

use super::{Ground, Plan, Source};
use crate::hpcc::{self, TraceFlow};
use crate::problem::Kind;
use crate::random::Random;
use crate::read::Reader;
use crate::select::Refusal;
use crate::table::{Cell, Shape, table};
use plimsoll_units::{Bytes, Span, Time};
use std::fmt::Write;
use toml::Spanned;
use toml::de::DeValue;

table! {
    /// Flows one by one, usually from a flow file of HPCC's simulator. Host n is the host called `hn`; its
    /// priorities and ports are not used.
    pub struct Trace in "traffic.trace" {
        /// The path of a flow file, seen from the scenario's; or an array of [from, to, bytes, "start"].
        flows: TraceFlows,
        /// What is subtracted from all starts; "auto" = the whole seconds of the earliest (HPCC's flows begin
        /// at 2 s).
        origin: Option<Span> where [Span::ZERO, Span::from_s(1_000_000)] = None,
    }
}

/// The flows of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFlows(pub Vec<TraceFlow>);

impl Trace {
    /// What is subtracted from all starts.
    #[must_use]
    pub fn origin(&self) -> Span {
        self.origin.unwrap_or_else(|| {
            let earliest = self.flows.0.iter().map(|flow| flow.start.as_ps()).min().unwrap_or(0);
            Span::from_ps(earliest - earliest % Span::from_s(1).as_ps())
        })
    }

    /// The flows with the numbers of hosts, and starts from the origin on.
    fn resolve(&self, ground: &Ground<'_>) -> Result<Vec<TraceFlow>, Refusal> {
        let numbers = HostNumbers::new(ground);
        let origin = Time::after_start(self.origin());
        let resolve = |(index, flow): (usize, &TraceFlow)| {
            let refuse =
                |kind, message: String| Refusal::new(kind, "flows", format!("flow {index}: {message}"));
            let host = |number: u32| {
                numbers
                    .host(number)
                    .ok_or_else(|| refuse(Kind::OutOfBounds, format!("there is no host {number}")))
            };
            let (from, to) = (host(flow.from)?, host(flow.to)?);
            if from == to {
                return Err(refuse(Kind::Contradiction, format!("host {} would send to itself", flow.from)));
            }
            let start = flow.start.checked_since(origin).ok_or_else(|| {
                refuse(
                    Kind::OutOfBounds,
                    format!(
                        "it begins at \"{}\", before `origin = \"{}\"`",
                        flow.start.since_start(),
                        self.origin()
                    ),
                )
            })?;
            let bytes = flow.bytes.max(Bytes::new(1));
            Ok(TraceFlow { from, to, bytes, start: Time::after_start(start) })
        };
        self.flows.0.iter().enumerate().map(resolve).collect()
    }
}

/// Which host a trace means by a number.
struct HostNumbers {
    /// Hosts by the number in their names, if these are not simply in order.
    by_name: Option<std::collections::HashMap<u32, u32>>,
    hosts: u32,
}

impl HostNumbers {
    fn new(ground: &Ground<'_>) -> Self {
        let hosts = ground.network.hosts;
        let number = |host: u32| {
            ground.network.name(host).strip_prefix('h').and_then(|number| number.parse::<u32>().ok())
        };
        let in_order = (0..hosts).all(|host| number(host).is_none_or(|number| number == host));
        let by_name =
            (!in_order).then(|| (0..hosts).filter_map(|host| Some((number(host)?, host))).collect());
        Self { by_name, hosts }
    }

    fn host(&self, number: u32) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => by_name.get(&number).copied(),
            None => (number < self.hosts).then_some(number),
        }
    }
}

impl Source for Trace {
    fn plan(&self, ground: &Ground<'_>, _: &dyn Fn(u64) -> Random, plan: &mut Plan) -> Result<(), Refusal> {
        for flow in self.resolve(ground)? {
            plan.flow(flow.from, flow.to, flow.bytes, flow.start.since_start());
        }
        Ok(())
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        self.resolve(ground).map(|_| ())
    }
}

impl Cell for TraceFlows {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "the path of a flow file, or an array of flows, each [from, to, bytes, \"start\"]",
            schema: r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"array","minItems":4,"maxItems":4}}]}"#,
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let DeValue::Array(items) = value.get_ref() else {
            let (path, text) = reader.file(key, value)?;
            return match hpcc::flows(&text) {
                Ok(flows) => Some(Self(flows)),
                Err(error) => {
                    reader.report(Kind::Syntax, value.span(), format!("{path}:{error}"));
                    None
                }
            };
        };
        let mut flows = Vec::with_capacity(items.len());
        for item in items.iter() {
            let Some(flow) = flow(item.get_ref()) else {
                let message = format!(
                    "each of `{key}` must be [from, to, bytes, \"start\"], e.g. [0, 16, 1000000, \"20us\"]"
                );
                reader.report(Kind::WrongType, item.span(), message);
                return None;
            };
            flows.push(flow);
        }
        Some(Self(flows))
    }
    fn write(&self, text: &mut String) {
        text.push_str("[\n");
        for TraceFlow { from, to, bytes, start } in &self.0 {
            let _ = writeln!(text, "    [{from}, {to}, {}, \"{}\"],", bytes.get(), start.since_start());
        }
        text.push(']');
    }
}

fn flow(value: &DeValue<'_>) -> Option<TraceFlow> {
    let DeValue::Array(parts) = value else { return None };
    let [from, to, bytes, start] = &parts[..] else { return None };
    let whole = |part: &Spanned<DeValue<'_>>| match part.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    Some(TraceFlow {
        from: u32::try_from(whole(from)?).ok()?,
        to: u32::try_from(whole(to)?).ok()?,
        bytes: Bytes::new(whole(bytes).filter(|bytes| *bytes < i64::MAX as u64)?),
        start: Time::after_start(start.get_ref().as_str()?.parse().ok()?),
    })
}
