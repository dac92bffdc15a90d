//! Network devices as ports of a switch: telemetry into passing segments, or RPM.

use crate::fixed::bytes;
use crate::load::failed;
use crate::program::{self, find};
use crate::tcx::{self, Side};
use crate::{Error, Place, objects, requirements};
use libbpf_rs::{MapCore, MapFlags, Object, ProgramInput};
use nix::sched::{CloneFlags, setns};
use plimsoll_cc::rpm::{Index, Slot};
use plimsoll_units::{Bytes, Rate, Span};
use plimsoll_wire::compact_hop::RATES;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The link that a device stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Port {
    /// Its rate.
    pub rate: Rate,
    /// What would have to wait behind more than this is dropped; `None`: nothing is.
    pub buffer: Option<Bytes>,
    /// What it does.
    pub duty: Duty,
    /// The time at which everything happens, for tests; `None`: the machine's clock.
    pub clock_ns: Option<u64>,
}

/// What a port does with passing packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duty {
    /// Writes telemetry into the options of TCP segments that ask for it.
    Stamp,
    /// Sends marks back by the next acks.
    Rpm {
        /// Packets that wait longer are marked.
        mark_above: Span,
        /// RPM's parameters.
        params: plimsoll_cc::rpm::Params,
    },
}

impl Duty {
    fn name(&self) -> &'static str {
        match self {
            Self::Stamp => "int",
            Self::Rpm { .. } => "rpm",
        }
    }
}

/// The slowest link whose packets' times fit the program's arithmetic.
const SLOWEST: Rate = Rate::from_mbps(1);
const ONE: f64 = 4_294_967_296.0;

impl Port {
    fn load(&self) -> Result<Object, Error> {
        if self.rate < SLOWEST {
            return Err(Error::Refused(format!("a link of {} is too slow: at least {SLOWEST}", self.rate)));
        }
        let ns_per_byte = 8e9 / self.rate.as_bps_f64();
        let longest =
            self.buffer.map_or(u64::MAX, |buffer| libm::round(buffer.as_f64() * ns_per_byte) as u64);
        let (code, scale) = record_rate(self.rate)?;
        let mark_above = match self.duty {
            Duty::Stamp => u64::MAX,
            Duty::Rpm { mark_above, .. } => mark_above.as_ns(),
        };
        let link = bytes(&[
            libm::round(ns_per_byte * ONE) as u64,
            longest,
            code,
            libm::round(scale * ONE) as u64,
            mark_above,
            self.clock_ns.unwrap_or(0),
        ]);
        match self.duty {
            Duty::Stamp => program::open("int", objects::STAMP, &[(".rodata.link", link)], &[]),
            Duty::Rpm { params, .. } => {
                if params.index != Index::FlowHash || params.slots > MOST_SLOTS {
                    return Err(Error::Refused(format!(
                        "RPM in the kernel has `index = \"flow-hash\"` and at most {MOST_SLOTS} slots"
                    )));
                }
                let numbers = [params.slots, params.most_owed, params.patience, params.seed].map(u64::from);
                let values = [(".rodata.link", link), (".rodata.rpm", bytes(&numbers))];
                program::open("rpm", objects::RPM, &values, &[])
            }
        }
    }
}

/// As in `bpf/rpm.bpf.c`.
const MOST_SLOTS: u32 = 65_536;

/// How a record tells a rate: by the code of the nearest rate that is not below it, with bytes in proportion. A queue
/// that takes so long at this rate takes as long at that one, so power is the same.
fn record_rate(rate: Rate) -> Result<(u64, f64), Error> {
    let above = RATES.iter().enumerate().filter(|(_, known)| **known >= rate);
    match above.min_by_key(|(_, known)| **known) {
        Some((code, known)) => Ok((code as u64, known.as_bps_f64() / rate.as_bps_f64())),
        None => Err(Error::Refused(format!("records know no rate from {rate} on"))),
    }
}

/// Makes a device a port until it is unloaded or the device goes. `namespace`: where the device is; `None`: here.
///
/// # Errors
/// If something is missing, the device has the program already, or a step fails; nothing is left then.
pub fn attach(place: &Place, device: &str, namespace: Option<&Path>, port: &Port) -> Result<(), Error> {
    requirements::all()?;
    let alone = place.open()?;
    let result = within(namespace, || attach_here(place, device, port));
    place.close(alone)?;
    result
}

fn attach_here(place: &Place, device: &str, port: &Port) -> Result<(), Error> {
    let index = nix::net::if_::if_nametoindex(device)
        .map_err(|error| Error::Refused(format!("there is no network device `{device}`: {error}")))?;
    let home = Path::new("/proc/thread-self/ns/net");
    let number = std::fs::metadata(home).map_err(|error| Error::file(home, &error))?.ino();
    let what = port.duty.name();
    let path = place.device(number, index, what);
    if path.exists() {
        return Err(Error::Refused(format!("{device} has {what} already: `plimsoll kernel unload` first")));
    }
    let mut object = port.load()?;
    let building = place.build()?;
    match port.duty {
        Duty::Stamp => {
            tcx::attach(find(&object, "stamp")?.as_fd(), index, Side::Exit, &building.at("link"))?;
        }
        Duty::Rpm { .. } => {
            tcx::attach(find(&object, "rpm_data")?.as_fd(), index, Side::Exit, &building.at("link"))?;
            tcx::attach(find(&object, "rpm_acks")?.as_fd(), index, Side::Entry, &building.at("acks"))?;
        }
    }
    let mut counts = object
        .maps_mut()
        .find(|map| map.name() == OsStr::new("port"))
        .ok_or_else(|| Error::Refused("the program has no port".to_owned()))?;
    let map: PathBuf = building.at("port");
    counts.pin(&map).map_err(|error| failed(&map.display(), &error))?;
    building.finish(&path)
}

/// Does something in a network namespace; other threads are not moved.
fn within<T>(namespace: Option<&Path>, action: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let Some(path) = namespace else { return action() };
    let open = |path: &Path| File::open(path).map_err(|error| Error::file(path, &error));
    let moved = |error: nix::errno::Errno| Error::Refused(format!("setns: {error}"));
    let home = open(Path::new("/proc/thread-self/ns/net"))?;
    let there = open(path)?;
    setns(&there, CloneFlags::CLONE_NEWNET).map_err(moved)?;
    let result = action();
    setns(&home, CloneFlags::CLONE_NEWNET).map_err(moved)?;
    result
}

/// A port without a device, to which tests hand frames.
pub struct Bench(Object);

impl Bench {
    /// The programs of a port, exactly as a device would have them.
    ///
    /// # Errors
    /// If the kernel refuses them.
    pub fn new(port: &Port) -> Result<Self, Error> {
        port.load().map(Self)
    }

    /// What becomes of a frame that leaves; `None` if it is dropped.
    ///
    /// # Errors
    /// If the kernel does not run the program.
    pub fn leaves(&self, frame: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let stamp = find(&self.0, "stamp");
        pass(&stamp.or_else(|_| find(&self.0, "rpm_data"))?, frame)
    }

    /// What becomes of a frame that comes in.
    ///
    /// # Errors
    /// If the kernel does not run the program, or there is none for such frames.
    pub fn enters(&self, frame: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        pass(&find(&self.0, "rpm_acks")?, frame)
    }

    /// A slot of RPM's register.
    ///
    /// # Errors
    /// If there is none.
    pub fn slot(&self, number: u32) -> Result<Slot, Error> {
        let slots = self.0.maps().find(|map| map.name() == OsStr::new("slots"));
        let value = slots.and_then(|slots| slots.lookup(&number.to_ne_bytes(), MapFlags::ANY).ok().flatten());
        match value.as_deref() {
            Some(&[low, high, trust, _]) => Ok(Slot { owed: u16::from_ne_bytes([low, high]), trust }),
            _ => Err(Error::Refused(format!("there is no slot {number}"))),
        }
    }
}

fn pass(program: &libbpf_rs::ProgramMut<'_>, frame: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    const DROP: u32 = 2;
    let mut out = vec![0; frame.len() + 64];
    let input = ProgramInput { data_in: Some(frame), data_out: Some(&mut out), ..ProgramInput::default() };
    let output = program.test_run(input).map_err(|error| failed(&"test run", &error))?;
    if output.return_value == DROP {
        return Ok(None);
    }
    Ok(output.data.map(|data| data.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_link_is_told_as_a_known_one_with_bytes_in_proportion() {
        // Code 5 is 10 Gb/s, code 0 is 25 Gb/s.
        assert_eq!(record_rate(Rate::from_mbps(100)), Ok((5, 100.0)));
        assert_eq!(record_rate(Rate::from_gbps(25)), Ok((0, 1.0)));
        assert_eq!(record_rate(Rate::from_gbps(20)), Ok((0, 1.25)));
        assert!(record_rate(Rate::from_gbps(2_000)).is_err());
    }
}
