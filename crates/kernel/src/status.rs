//! What is loaded, and how its connections are.

use crate::place::Place;
use crate::{Error, Law};
use plimsoll_units::{Rate, Span};
use std::net::{IpAddr, SocketAddr};

/// All that is loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Laws with their connections.
    pub laws: Vec<(Law, Vec<Connection>)>,
    /// Programs at devices.
    pub devices: Vec<Device>,
}

/// A program at a network device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// What it does: `int` or `rpm`.
    pub what: String,
    /// The network namespace, as `/proc/PID/ns/net` numbers it.
    pub namespace: u64,
    /// The number of the device in it.
    pub index: u32,
    /// What has passed; `None` if this build cannot tell.
    pub counts: Option<Counts>,
}

/// What has passed a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets in all.
    pub packets: u64,
    /// Those that found the buffer full.
    pub dropped: u64,
    /// Those with telemetry from here.
    pub stamped: u64,
    /// Acks that echo a mark.
    pub marked: u64,
    /// The longest wait in the queue.
    pub longest_wait: Span,
}

/// A connection that uses a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection {
    /// This side.
    pub here: SocketAddr,
    /// The other.
    pub there: SocketAddr,
    /// The law's window, in packets.
    pub window: f64,
    /// The window that TCP has, in whole packets.
    pub packets: u32,
    /// The pace; `None`: as fast as acks and the card allow.
    pub pace: Option<Rate>,
    /// The last round trip.
    pub rtt: Span,
    /// The smallest.
    pub base_rtt: Span,
    /// What the law last held against its target.
    pub signal: Span,
    /// The target.
    pub target: Span,
    /// Acks that the law has seen.
    pub acks: u64,
    /// Those with telemetry.
    pub told: u64,
    /// Losses found by acks.
    pub losses: u64,
    /// Timeouts.
    pub timeouts: u64,
}

/// What is loaded now.
///
/// # Errors
/// If the user may not look, or a list cannot be read.
pub fn status(place: &Place) -> Result<Status, Error> {
    let mut laws = Vec::new();
    for law in place.laws()? {
        let path = place.law(law).join("connections");
        let text = std::fs::read_to_string(&path).map_err(|error| Error::file(&path, &error))?;
        let connections = text.lines().map(|line| {
            connection(line)
                .ok_or_else(|| Error::Refused(format!("{}: `{line}` is no connection", path.display())))
        });
        laws.push((law, connections.collect::<Result<_, _>>()?));
    }
    let devices = place.devices()?.into_iter().map(|(path, namespace, index, what)| Device {
        what,
        namespace,
        index,
        counts: counts(&path.join("port")),
    });
    Ok(Status { laws, devices: devices.collect() })
}

/// Whether the kernel knows a congestion control of this law's name.
pub(crate) fn is_registered(law: Law) -> bool {
    let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    known.is_ok_and(|known| known.split_ascii_whitespace().any(|name| name == law.kernel_name()))
}

/// A line that `list_connections` of `bpf/hooks.h` wrote.
fn connection(line: &str) -> Option<Connection> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [here, here_port, there, there_port, numbers @ ..] = words.as_slice() else { return None };
    let address = |ip: &str, port: &str| {
        Some(SocketAddr::new(ip.parse::<IpAddr>().ok()?.to_canonical(), port.parse().ok()?))
    };
    let numbers: Vec<u64> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [window, packets, pace, rtt, base_rtt, signal, target, acks, told, losses, timeouts] =
        <[u64; 11]>::try_from(numbers).ok()?;
    let span = |nanoseconds: u64| Span::from_ps(nanoseconds.saturating_mul(1_000));
    Some(Connection {
        here: address(here, here_port)?,
        there: address(there, there_port)?,
        window: window as f64 / 4_294_967_296.0,
        packets: u32::try_from(packets).ok()?,
        pace: (pace != u64::MAX).then(|| Rate::from_bps(pace.saturating_mul(8))),
        rtt: span(rtt),
        base_rtt: span(base_rtt),
        signal: span(signal),
        target: span(target),
        acks,
        told,
        losses,
        timeouts,
    })
}

#[cfg(feature = "bpf")]
fn counts(path: &std::path::Path) -> Option<Counts> {
    use libbpf_rs::{MapCore, MapFlags, MapHandle};
    let map = MapHandle::from_pinned_path(path).ok()?;
    let value = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok().flatten()?;
    // `struct port` of bpf/port.h, without its lock.
    let word = |at: usize| Some(u64::from_ne_bytes(value.get(at * 8..at * 8 + 8)?.try_into().ok()?));
    Some(Counts {
        packets: word(3)?,
        dropped: word(4)?,
        stamped: word(5)?,
        marked: word(6)?,
        longest_wait: Span::from_ps(word(7)?.saturating_mul(1_000)),
    })
}

#[cfg(not(feature = "bpf"))]
fn counts(_: &std::path::Path) -> Option<Counts> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_is_read() {
        let line =
            "10.0.0.1 40000 10.0.0.2 5201 6442450944 1 18446744073709551615 200000 100000 3000 4500 7 5 1 0";
        let read = connection(line).unwrap();
        assert_eq!(read.here, "10.0.0.1:40000".parse().unwrap());
        // 6442450944 = 1.5 · 2³²
        assert_eq!((read.window, read.packets, read.pace), (1.5, 1, None));
        assert_eq!((read.signal, read.target), (Span::from_us(3), Span::from_ns(4_500)));
        assert_eq!((read.acks, read.told, read.losses, read.timeouts), (7, 5, 1, 0));
        let paced = line.replace("18446744073709551615", "125000");
        assert_eq!(connection(&paced).unwrap().pace, Some(Rate::from_mbps(1)));
        let sixth = line.replace("10.0.0.1", "fd00::1").replace("10.0.0.2", "fd00::2");
        assert_eq!(connection(&sixth).unwrap().there, "[fd00::2]:5201".parse().unwrap());
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["", "10.0.0.1 1 10.0.0.2 2", "a 1 b 2 1 1 1 1 1 1 1 1 1 1 1", "10.0.0.1 1 10.0.0.2 2 x"]
        {
            assert_eq!(connection(line), None, "{line}");
        }
    }
}
