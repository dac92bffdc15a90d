//! What the command does on Linux.

use super::{Attach, Load};
use crate::error::{Error, Verdict};
use crate::human;
use plimsoll_kernel::{Connection, Device, Law, Place};
use serde_json::{Value, json};
use std::io::Write;

fn problem(error: plimsoll_kernel::Error) -> Error {
    let text = error.to_string();
    match error {
        plimsoll_kernel::Error::Missing(_) => Error::Missing(text),
        _ => Error::Refused(text),
    }
}

#[cfg(not(feature = "kernel"))]
fn not_built() -> Error {
    Error::Missing(
        "this plimsoll was built without the kernel's programs: apt install clang libelf-dev zlib1g-dev pkg-config \
         make, then cargo build --release --features kernel"
            .to_owned(),
    )
}

#[cfg(not(feature = "kernel"))]
pub(super) fn load(options: &Load, _: &mut dyn Write) -> Result<Verdict, Error> {
    Law::parameters(&options.law).map_err(problem)?;
    Err(not_built())
}

#[cfg(not(feature = "kernel"))]
pub(super) fn attach(_: &Attach, _: &mut dyn Write) -> Result<Verdict, Error> {
    Err(not_built())
}

#[cfg(feature = "kernel")]
pub(super) use built::{attach, load};

#[cfg(feature = "kernel")]
mod built {
    use super::*;
    use crate::watched;
    use plimsoll_cc::registry::AnyParams;
    use plimsoll_cc::{Host, Value, rpm};
    use plimsoll_kernel::{Duty, Port, Settings};
    use plimsoll_units::{Bytes, Span};
    use std::path::{Path, PathBuf};

    /// What IPv4, TCP, timestamps and our option leave of a packet's bytes for others.
    const HEADERS: Bytes = Bytes::new(20 + 20 + 12 + 12);

    /// Wake-ups of a busy host take tens of microseconds.
    const SHORTEST_TARGET: Span = Span::from_us(100);

    pub(in super::super) fn load(options: &Load, out: &mut dyn Write) -> Result<Verdict, Error> {
        let mut params = Law::parameters(&options.law).map_err(problem)?;
        for assignment in &options.set {
            set(&mut params, assignment)?;
        }
        if options.mtu <= HEADERS {
            return Err(Error::Refused(format!("--mtu {} is not even the headers' {HEADERS}", options.mtu)));
        }
        let host = Host {
            nic_rate: options.rate,
            base_rtt: options.base_rtt,
            mtu: options.mtu,
            mss: options.mtu.saturating_sub(HEADERS),
        };
        let settings = Settings { params, host, hops: options.hops };
        watched::listen();
        let loaded = plimsoll_kernel::load(
            &Place::default(),
            &settings,
            options.cgroup.as_deref(),
            &watched::interrupted,
        );
        let law = match loaded {
            Err(plimsoll_kernel::Error::Interrupted) => return Ok(Verdict::Interrupted),
            other => other.map_err(problem)?,
        };
        writeln!(
            out,
            "{} is loaded: sudo iperf3 -C {1}, or setsockopt(TCP_CONGESTION, \"{1}\"); for users who are not root, add it to \
             `sysctl net.ipv4.tcp_allowed_congestion_control`. `plimsoll kernel unload` removes it.",
            law.name(),
            law.kernel_name()
        )?;
        if let AnyParams::Poseidon(params) = &settings.params
            && params.k < SHORTEST_TARGET
        {
            writeln!(
                out,
                "Note: k = {} is less than a host that does other things adds to a round trip, and connections may fall to \
                 the smallest window; --set p=2ms --set k=200us was seen to work.",
                params.k
            )?;
        }
        Ok(Verdict::Good)
    }

    /// `key=value`, the value as in a scenario's file; quotes around text may be left out.
    fn set(params: &mut AnyParams, assignment: &str) -> Result<(), Error> {
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(Error::Refused(format!("--set {assignment}: KEY=VALUE is wanted")));
        };
        let text = text.trim().trim_matches('"');
        let value = if let Ok(number) = text.parse() {
            Value::Integer(number)
        } else if let Ok(number) = text.parse() {
            Value::Float(number)
        } else if let Ok(switch) = text.parse() {
            Value::Bool(switch)
        } else {
            Value::Text(text)
        };
        params.set(key.trim(), value).map_err(|error| Error::Refused(format!("--set {assignment}: {error}")))
    }

    pub(in super::super) fn attach(options: &Attach, out: &mut dyn Write) -> Result<Verdict, Error> {
        let duty = match options.what.as_str() {
            "int" => Duty::Stamp,
            _ => Duty::Rpm { mark_above: options.mark_above, params: rpm::Params::checked() },
        };
        let port = Port { rate: options.rate, buffer: options.buffer, duty, clock_ns: None };
        let namespace = options.netns.as_deref().map(netns);
        plimsoll_kernel::attach(&Place::default(), &options.device, namespace.as_deref(), &port)
            .map_err(problem)?;
        let (what, device, rate) = (&options.what, &options.device, options.rate);
        writeln!(out, "{what} is at {device}, a link of {rate}. `plimsoll kernel unload` removes it.")?;
        Ok(Verdict::Good)
    }

    /// A bare name is one of `ip netns`.
    fn netns(name: &Path) -> PathBuf {
        if name.components().count() == 1 { Path::new("/run/netns").join(name) } else { name.to_owned() }
    }
}

pub(super) fn unload(name: Option<&str>, out: &mut dyn Write) -> Result<Verdict, Error> {
    let law = match name {
        None => None,
        Some(name) => Some(Law::named(name).ok_or_else(|| Error::Unknown {
            what: "law with a program",
            name: name.to_owned(),
            near: super::super::near(name, Law::ALL.iter().map(|law| law.name())),
            all: "plimsoll kernel load --help",
        })?),
    };
    let gone = Place::default().unload(law).map_err(problem)?;
    match gone.as_slice() {
        [] => writeln!(out, "Nothing was loaded.")?,
        gone => writeln!(out, "Removed: {}.", gone.join(", "))?,
    }
    Ok(Verdict::Good)
}

pub(super) fn status(out: &mut dyn Write) -> Result<Verdict, Error> {
    let status = plimsoll_kernel::status(&Place::default()).map_err(problem)?;
    if status.laws.is_empty() && status.devices.is_empty() {
        writeln!(out, "Nothing is loaded.")?;
    }
    for (law, connections) in &status.laws {
        writeln!(out, "{} as {}: {} connections", law.name(), law.kernel_name(), connections.len())?;
        if !connections.is_empty() {
            writeln!(
                out,
                "  {:<44} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9}  told",
                "from > to", "window", "pace", "rtt", "base rtt", "signal", "target"
            )?;
        }
        for connection in connections {
            row(connection, out)?;
        }
    }
    for Device { what, namespace, index, counts } in &status.devices {
        write!(out, "{what} at device {index} of network namespace {namespace}")?;
        if let Some(counts) = counts {
            write!(
                out,
                ": {} packets, {} dropped, {} stamped, {} echoes, longest wait {}",
                human::count(counts.packets),
                human::count(counts.dropped),
                human::count(counts.stamped),
                human::count(counts.marked),
                human::time(counts.longest_wait)
            )?;
        }
        writeln!(out)?;
    }
    Ok(Verdict::Good)
}

fn row(connection: &Connection, out: &mut dyn Write) -> Result<(), Error> {
    let Connection { here, there, window, pace, rtt, base_rtt, signal, target, acks, told, .. } = connection;
    let share = if *acks == 0 { 0.0 } else { *told as f64 / *acks as f64 * 100.0 };
    writeln!(
        out,
        "  {:<44} {:>9.3} {:>10} {:>9} {:>9} {:>9} {:>9}  {share:.0} % of {} acks",
        format!("{here} > {there}"),
        window,
        pace.map_or_else(|| "-".to_owned(), human::rate),
        human::time(*rtt),
        human::time(*base_rtt),
        human::time(*signal),
        human::time(*target),
        human::count(*acks)
    )?;
    Ok(())
}

pub(super) fn status_json(out: &mut dyn Write) -> Result<Verdict, Error> {
    let status = plimsoll_kernel::status(&Place::default()).map_err(problem)?;
    let laws: Vec<Value> = status
        .laws
        .iter()
        .map(|(law, connections)| {
            json!({
                "law": law.name(),
                "kernel_name": law.kernel_name(),
                "connections": connections.iter().map(connection_json).collect::<Vec<_>>(),
            })
        })
        .collect();
    let devices: Vec<Value> = status
        .devices
        .iter()
        .map(|device| {
            let counts = device.counts.map(|counts| {
                json!({
                    "packets": counts.packets, "dropped": counts.dropped,
                    "stamped": counts.stamped, "echoes": counts.marked,
                    "longest_wait_us": counts.longest_wait.as_us_f64(),
                })
            });
            json!({
                "what": device.what, "namespace": device.namespace, "index": device.index, "counts": counts,
            })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &json!({ "laws": laws, "devices": devices }))?;
    writeln!(out)?;
    Ok(Verdict::Good)
}

fn connection_json(connection: &Connection) -> Value {
    json!({
        "from": connection.here.to_string(),
        "to": connection.there.to_string(),
        "window_packets": connection.window,
        "tcp_window_packets": connection.packets,
        "pace_bps": connection.pace.map(|pace| pace.as_bps()),
        "rtt_us": connection.rtt.as_us_f64(),
        "base_rtt_us": connection.base_rtt.as_us_f64(),
        "signal_us": connection.signal.as_us_f64(),
        "target_us": connection.target.as_us_f64(),
        "acks": connection.acks,
        "acks_with_telemetry": connection.told,
        "losses": connection.losses,
        "timeouts": connection.timeouts,
    })
}
