//! The compiled programs.

use crate::Law;

macro_rules! object {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bpf.o"))
    };
}

pub(crate) const TELEMETRY: &[u8] = object!("telemetry");
pub(crate) const STAMP: &[u8] = object!("stamp");
pub(crate) const RPM: &[u8] = object!("rpm");

pub(crate) fn of(law: Law) -> &'static [u8] {
    match law {
        Law::Poseidon => object!("poseidon"),
        Law::Swift => object!("swift"),
        Law::ThetaPowerTcp => object!("theta_powertcp"),
        Law::PowerTcp => object!("powertcp"),
    }
}
