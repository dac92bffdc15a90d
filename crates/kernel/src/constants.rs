//! A law's numbers and curves as its kernel program has them: made from the law itself, never written down by hand.

mod poseidon;
mod power;
mod swift;

use crate::Error;
use plimsoll_cc::Host;
use plimsoll_cc::registry::{AnyLaw, AnyParams};

/// The words of `struct constants` in the law's program.
///
/// # Errors
/// If the law has no program, or a parameter asks for what the program does not do.
pub(crate) fn of(params: &AnyParams, host: &Host, hops: u32) -> Result<Vec<u64>, Error> {
    let law = params.build(host).map_err(|error| Error::Refused(error.to_string()))?;
    match (params, &law) {
        (AnyParams::Poseidon(params), AnyLaw::Poseidon(law)) => poseidon::constants(params, law, host),
        (AnyParams::Swift(params), AnyLaw::Swift(law)) => swift::constants(params, law, host, hops),
        (AnyParams::ThetaPowerTcp(params), AnyLaw::ThetaPowerTcp(law)) => power::theta(params, law, host),
        (AnyParams::PowerTcp(params), AnyLaw::PowerTcp(law)) => power::power(params, law, host),
        _ => Err(no_program(law.name())),
    }
}

/// Says which laws have programs.
pub(crate) fn no_program(name: &str) -> Error {
    let known: Vec<&str> = crate::Law::ALL.iter().map(|law| law.name()).collect();
    Error::Refused(format!("`{name}` has no program for the kernel; these have: {}", known.join(", ")))
}

/// The program has only one of a parameter's values.
fn not_in_kernel(key: &str, value: &dyn std::fmt::Display, instead: &str) -> Error {
    Error::Refused(format!("`{key} = {value}` is not in the kernel's program; {instead}"))
}

/// Bytes per second, rounded down.
fn bytes_per_second(host: &Host) -> u64 {
    host.nic_rate.as_bps() / 8
}

/// The largest argument at which a rising curve is still below `high`, by doubling and halving, in picoseconds.
fn reaches(curve: impl Fn(u64) -> f64, high: f64) -> u64 {
    // 10 s are far beyond every delay that can be told from another.
    const FARTHEST: u64 = 10_000_000_000_000;
    let (mut below, mut beyond) = (0, FARTHEST);
    if curve(FARTHEST) < high {
        return FARTHEST;
    }
    while beyond - below > 1 {
        let middle = below + (beyond - below) / 2;
        if curve(middle) < high { below = middle } else { beyond = middle }
    }
    beyond
}
