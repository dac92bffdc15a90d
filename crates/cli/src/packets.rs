//! Packets of a run in a pcapng file.

use crate::error::Error;
use plimsoll_metrics::files::{Interface, PcapngWriter};
use plimsoll_scenario::select::Ports;
use plimsoll_scenario::{Network, Scenario};
use plimsoll_sim::{CapturedFrame, FrameSink, PAYLOAD_LIMIT, Tap};
use plimsoll_units::{Span, Time};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// The file in a folder of results.
pub(crate) const FILE: &str = "packets.pcapng";

/// From when to when packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct During {
    pub(crate) start: Span,
    /// `None` = to the end.
    pub(crate) stop: Option<Span>,
}

/// Frames into a file, each on the interface of its port.
struct PcapngFile {
    /// There until it is finished.
    writer: Option<PcapngWriter<BufWriter<File>>>,
    interface_of: HashMap<u32, u32>,
}

impl FrameSink for PcapngFile {
    fn frame(&mut self, frame: &CapturedFrame) -> io::Result<()> {
        match (&mut self.writer, self.interface_of.get(&frame.port)) {
            (Some(writer), Some(interface)) => {
                writer.packet(*interface, frame.time, frame.length, &frame.bytes)
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.take().map_or(Ok(()), |writer| writer.finish()?.get_ref().sync_all())
    }
}

/// What `[record] packets` asks for, if it names ports.
pub(crate) fn recorded(scenario: &Scenario, path: &Path) -> Result<Option<Tap>, Error> {
    let record = &scenario.record;
    tap(scenario, &record.packets, During { start: record.start, stop: record.stop }, path)
}

/// A tap on these ports of the scenario's network that writes into the file at `path`; `None` if there are no
/// ports.
pub(crate) fn tap(
    scenario: &Scenario,
    ports: &Ports,
    during: During,
    path: &Path,
) -> Result<Option<Tap>, Error> {
    let refused = |what: &str, why: &dyn std::fmt::Display| Error::Refused(format!("{what}: {why}"));
    let network = scenario.network().map_err(|error| refused(&scenario.name, &error))?;
    let ports = ports.resolve(&network).map_err(|error| refused("ports", &error))?;
    if ports.is_empty() {
        return Ok(None);
    }
    let payload = scenario.host.payload();
    if payload > PAYLOAD_LIMIT {
        return Err(Error::Refused(format!(
            "packets with \"{payload}\" of payload (`host.mss`) cannot be captured: IP has room for \
             \"{PAYLOAD_LIMIT}\" beside headers and telemetry"
        )));
    }
    let interfaces: Vec<Interface> = ports.iter().map(|port| interface(&network, *port)).collect();
    let file = File::create(path).map_err(Error::file(path))?;
    let writer = PcapngWriter::new(BufWriter::new(file), &interfaces).map_err(Error::file(path))?;
    let interface_of = ports.iter().copied().zip(0..).collect();
    let sink = PcapngFile { writer: Some(writer), interface_of };
    let until = during.stop.map_or(Time::NEVER, Time::after_start);
    Ok(Some(Tap::new(ports, Box::new(sink)).between(Time::after_start(during.start), until)))
}

/// `s0>h3`, as scenarios name it.
fn interface(network: &Network, port: u32) -> Interface {
    let name = |node: u32| network.names.get(node as usize).map_or("?", String::as_str);
    let (from, to) = (name(network.near_end(port)), name(network.far_end(port)));
    let link = &network.links[port as usize / 2];
    Interface {
        name: format!("{from}>{to}"),
        description: format!("{from} sends to {to}: {}, {}", link.rate, link.delay),
        speed: link.rate,
    }
}
