//! What holds for every law of the registry, with every preset, with parameters at the edges of
//! their bounds, and with events that are absurd but legal: nothing panics, nothing becomes NaN,
//! infinite or negative, and time always moves on.
#![allow(clippy::unwrap_used, reason = "a test helper that fails is a failed test")]

use plimsoll_cc::params::{Domain, Field};
use plimsoll_cc::registry::{AnyFlow, AnyLaw, AnyParams, LAWS};
use plimsoll_cc::{
    Ack, CongestionControl, Decision, HopRecord, Host, Loss, ParamError, Path, Signals, Telemetry, Timeout,
    Value,
};
use plimsoll_units::{Bytes, Rate, Span, Time};
use proptest::prelude::*;
use proptest::sample::Index;

/// `law` and `law:preset` for the whole registry.
fn all_names() -> Vec<String> {
    let mut names = Vec::new();
    for entry in LAWS {
        names.push(entry.name.to_owned());
        (entry.presets)(&mut |preset, _| names.push(format!("{}:{preset}", entry.name)));
    }
    names
}

fn usual_host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(12),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

/// Numbers as they come, and the edges.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0_u64..100_000, 0_u64..100_000_000, any::<u64>(),]
}

fn span() -> impl Strategy<Value = Span> {
    number().prop_map(Span::from_ps)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    number().prop_map(Bytes::new)
}

fn host() -> impl Strategy<Value = Host> {
    let edge = Host {
        nic_rate: Rate::from_bps(1_000),
        base_rtt: Span::from_ns(1),
        mtu: Bytes::new(1),
        mss: Bytes::new(1),
    };
    let huge = Host {
        nic_rate: Rate::from_gbps(100_000),
        base_rtt: Span::from_s(1_000),
        mtu: Bytes::from_mb(1),
        mss: Bytes::new(1),
    };
    prop_oneof![4 => Just(usual_host()), 1 => Just(edge), 1 => Just(huge)]
}

#[derive(Clone, Debug)]
enum Event {
    Ack { ack: Ack<'static>, telemetry: OwnedTelemetry, wait: Span },
    Loss { in_flight: Bytes, sent_to: Bytes, wait: Span },
    Timeout { in_flight: Bytes, sent_to: Bytes, wait: Span },
    Timer { late: Span },
}

#[derive(Clone, Debug)]
enum OwnedTelemetry {
    None,
    MaxHop(Span, Span),
    Hops(Vec<HopRecord>),
}

fn record() -> impl Strategy<Value = HopRecord> {
    (span(), bytes(), bytes(), number()).prop_map(|(time, sent, queue, rate)| HopRecord {
        time: Time::after_start(time),
        sent,
        queue,
        rate: Rate::from_bps(rate),
    })
}

fn telemetry() -> impl Strategy<Value = OwnedTelemetry> {
    prop_oneof![
        Just(OwnedTelemetry::None),
        (span(), span()).prop_map(|(forward, reverse)| OwnedTelemetry::MaxHop(forward, reverse)),
        proptest::collection::vec(record(), 0..12).prop_map(OwnedTelemetry::Hops),
    ]
}

fn ack() -> impl Strategy<Value = Ack<'static>> {
    let times = (span(), span());
    let amounts = (bytes(), bytes(), bytes(), bytes(), bytes());
    let flags = (any::<bool>(), any::<bool>(), prop_oneof![0_u32..8, Just(1_000_000), any::<u32>()]);
    (times, amounts, flags).prop_map(
        |((rtt, endpoint_delay), (acked, marked, in_flight, acked_to, sent_to), (ece, circuit_up, hops))| {
            Ack {
                now: Time::ZERO,
                rtt,
                endpoint_delay,
                acked,
                marked: marked.min(acked),
                ece,
                circuit_up,
                in_flight,
                acked_to,
                sent_to,
                hops,
                telemetry: Telemetry::None,
            }
        },
    )
}

/// How long until the event; often no time at all.
fn wait() -> impl Strategy<Value = Span> {
    prop_oneof![
        2 => Just(Span::ZERO),
        4 => (0_u64..100_000_000).prop_map(Span::from_ps),
        1 => (0_u64..1_000_000_000_000_000).prop_map(Span::from_ps),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let end = || (bytes(), bytes(), wait());
    prop_oneof![
        8 => (ack(), telemetry(), wait()).prop_map(|(ack, telemetry, wait)| Event::Ack { ack, telemetry, wait }),
        1 => end().prop_map(|(in_flight, sent_to, wait)| Event::Loss { in_flight, sent_to, wait }),
        1 => end().prop_map(|(in_flight, sent_to, wait)| Event::Timeout { in_flight, sent_to, wait }),
        2 => wait().prop_map(|late| Event::Timer { late }),
    ]
}

/// A law under test, its flow, and the time.
struct Run {
    law: AnyLaw,
    host: Host,
    flow: AnyFlow,
    wake: Time,
    now: Time,
}

impl Run {
    fn start(law: AnyLaw, host: Host, path: &Path) -> Self {
        let (flow, decision) = law.start(path);
        let mut run = Self { law, host, flow, wake: Time::NEVER, now: Time::ZERO };
        run.check(decision, "start");
        run
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Ack { ack, telemetry, wait } => {
                self.now = self.now.saturating_add(*wait);
                let telemetry = match telemetry {
                    OwnedTelemetry::None => Telemetry::None,
                    OwnedTelemetry::MaxHop(forward, reverse) => {
                        Telemetry::MaxHop { forward: *forward, reverse: *reverse }
                    }
                    OwnedTelemetry::Hops(records) => Telemetry::Hops(records),
                };
                let decision = self.law.on_ack(&mut self.flow, &Ack { now: self.now, telemetry, ..*ack });
                self.check(decision, "ack");
            }
            Event::Loss { in_flight, sent_to, wait } => {
                self.now = self.now.saturating_add(*wait);
                let loss = Loss { now: self.now, in_flight: *in_flight, sent_to: *sent_to };
                let decision = self.law.on_loss(&mut self.flow, &loss);
                self.check(decision, "loss");
            }
            Event::Timeout { in_flight, sent_to, wait } => {
                self.now = self.now.saturating_add(*wait);
                let timeout = Timeout { now: self.now, in_flight: *in_flight, sent_to: *sent_to };
                let decision = self.law.on_timeout(&mut self.flow, &timeout);
                self.check(decision, "timeout");
            }
            Event::Timer { late } => {
                if self.wake < Time::NEVER {
                    self.now = self.now.max(self.wake).saturating_add(*late);
                    let decision = self.law.on_timer(&mut self.flow, self.now);
                    assert!(
                        decision.wake > self.now,
                        "{}: woken at {} for {}",
                        self.law.name(),
                        self.now,
                        decision.wake
                    );
                    self.check(decision, "timer");
                }
            }
        }
    }

    fn check(&mut self, decision: Decision, after: &str) {
        let state = format!("{:?}", self.flow);
        let name = self.law.name();
        assert!(!state.contains("NaN") && !state.contains("inf"), "{name} after {after}: {state}");
        assert!(decision.window >= self.host.mss, "{name} after {after}: window {}", decision.window);
        assert!(
            decision.pacing >= Rate::from_bps(1) && decision.pacing <= self.host.nic_rate,
            "{name} after {after}"
        );
        assert_eq!(decision, self.law.decision(&self.flow), "{name} after {after}: the decision stands");
        self.wake = decision.wake;
    }
}

/// A value at an edge of its domain, or in the middle.
fn edge(field: &Field, pick: u8) -> String {
    match ((field.domain)(), pick % 3) {
        (Domain::Time(low, _), 0) => format!("{low}"),
        (Domain::Time(_, high), 1) => format!("{high}"),
        (Domain::Time(low, _), _) => format!("{}", low.saturating_mul(1000)),
        (Domain::Rate(low, _), 0) => format!("{low}"),
        (Domain::Rate(_, high), 1) => format!("{high}"),
        (Domain::Rate(low, high), _) => format!("{}", Rate::from_gbps(1).clamp(low, high)),
        (Domain::Size(low, _), 0) => format!("{low}"),
        (Domain::Size(_, high), 1) => format!("{high}"),
        (Domain::Size(low, high), _) => format!("{}", Bytes::from_kb(100).clamp(low, high)),
        (Domain::Number(low, _), 0) => format!("{low:?}"),
        (Domain::Number(_, high), 1) => format!("{high:?}"),
        (Domain::Number(low, high), _) => format!("{:?}", (low + high) / 2.0),
        (Domain::Count(low, _), 0) => format!("{low}"),
        (Domain::Count(_, high), 1) => format!("{high}"),
        (Domain::Count(low, high), _) => format!("{}", low / 2 + high / 2),
        (Domain::Switch, pick) => format!("{}", pick == 0),
        (Domain::Choice(words), _) => words[usize::from(pick) % words.len()].to_owned(),
    }
}

/// The text as the value that a configuration file would hold.
fn value<'a>(field: &Field, text: &'a str) -> Value<'a> {
    match (field.domain)() {
        Domain::Number(..) => Value::Float(text.parse().unwrap()),
        Domain::Count(..) => Value::Integer(text.parse().unwrap()),
        Domain::Switch => Value::Bool(text == "true"),
        _ => Value::Text(text),
    }
}

fn fields(params: &AnyParams) -> Vec<Field> {
    let mut fields = Vec::new();
    params.each(&mut |field, _| fields.push(*field));
    fields
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..Default::default() })]

    #[test]
    fn no_event_breaks_any_law(
        name in any::<Index>(),
        host in host(),
        hops in prop_oneof![0_u32..8, Just(1_000_000)],
        base_rtt in span(),
        seed in any::<u64>(),
        edges in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        events in proptest::collection::vec(event(), 0..60),
    ) {
        let names = all_names();
        let mut params = AnyParams::named(&names[name.index(names.len())]).unwrap();
        let fields = fields(&params);
        for (field, pick) in &edges {
            let field = &fields[field.index(fields.len())];
            let text = edge(field, *pick);
            params.set(field.key, value(field, &text)).unwrap();
        }
        let law = match params.build(&host) {
            Ok(law) => law,
            // Two edges may contradict each other; that must be said, never assumed away.
            Err(error) => {
                prop_assert!(matches!(error, ParamError::Contradiction { .. }), "{error}");
                return Ok(());
            }
        };
        let mut run = Run::start(law, host, &Path { base_rtt, hops, seed });
        for event in &events {
            run.apply(event);
        }
    }
}

#[test]
fn every_preset_builds_on_a_usual_host() {
    for name in all_names() {
        let law = AnyParams::named(&name).unwrap().build(&usual_host()).unwrap();
        assert!(law.needs().check(law.name(), Signals::EVERY).is_ok(), "{name}");
    }
}

#[test]
fn names_are_unique_and_name_their_own_law() {
    let mut names: Vec<_> = LAWS.iter().map(|entry| entry.name).collect();
    for name in &names {
        assert_eq!(&AnyParams::named(name).unwrap().entry().name, name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LAWS.len());
}

#[test]
fn every_parameter_can_be_set_to_what_it_prints() {
    for name in all_names() {
        let params = AnyParams::named(&name).unwrap();
        let mut copy = params;
        params.each(&mut |field, shown| {
            let text = shown.to_string();
            let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let value = quoted.map_or_else(|| value(field, &text), Value::Text);
            copy.set(field.key, value).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!field.doc.is_empty(), "{name}: {} has no documentation", field.key);
        });
        assert_eq!(copy, params, "{name}");
    }
}

#[test]
fn an_unknown_law_or_preset_is_refused_with_the_nearest_name() {
    assert_eq!(
        AnyParams::named("posiedon").unwrap_err().to_string(),
        "there is no law `posiedon`; did you mean `poseidon`?"
    );
    assert_eq!(
        AnyParams::named("poseidon:nsdi32").unwrap_err().to_string(),
        "poseidon has no preset `nsdi32`; did you mean `nsdi23`?"
    );
    assert!(AnyParams::named("🐟".repeat(100).as_str()).is_err());
}

#[test]
fn a_host_on_which_nothing_can_run_is_refused() {
    let params = AnyParams::named("poseidon").unwrap();
    let error = params.build(&Host { mss: Bytes::new(2000), ..usual_host() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`mss = \"2KB\"` is out of bounds; it must be a size from \"1B\" to \"1048B\""
    );
    assert!(params.build(&Host { base_rtt: Span::ZERO, ..usual_host() }).is_err());
}
