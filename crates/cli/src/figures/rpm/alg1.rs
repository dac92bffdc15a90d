//! Algorithm 1: marks owed and paid.

use crate::figures::{Effort, Outcome};
use plimsoll_cc::rpm::{Echo, FiveTuple, Params, Passing, Register, Rpm, Slot, Way};
use std::net::{IpAddr, Ipv4Addr};

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let params = Params::paper();
    let rpm = Rpm::new(&params).map_err(|error| error.to_string())?;
    let mut register = Register::new(rpm, vec![Slot::default(); params.slots as usize])
        .map_err(|error| error.to_string())?;
    let (congested, other) = (data(1), data(2));
    // CoDel finds congestion three times; then five acks of either flow pass.
    if (0..3).any(|_| register.on_congestion(&congested) == Way::Forward) {
        return Err("Algorithm 1 never marks forward".to_owned());
    }
    let mut echoes = |packet: Passing| {
        (0..5).filter(|_| register.on_reverse_packet(&ack(packet)) == Echo::Set).count() as f64
    };
    let mut outcome = Outcome::default();
    outcome.setting("register", format!("{} counters behind a hash of the five-tuple", params.slots));
    outcome.setting("congestion events of the flow", 3);
    outcome.setting("acks that pass, of it and of another flow", "5 each");
    outcome.measure("echoes_of_other", echoes(other));
    outcome.measure("echoes", echoes(congested));
    outcome.measure("owed_after", f64::from(register.owed(&congested)));
    Ok(outcome)
}

/// A data packet of the n-th flow.
fn data(flow: u8) -> Passing {
    let tuple = FiveTuple {
        source: IpAddr::V4(Ipv4Addr::new(10, 0, 0, flow)),
        destination: IpAddr::V4(Ipv4Addr::new(10, 0, 1, 1)),
        protocol: 6,
        source_port: 40_000,
        destination_port: 5_001,
    };
    Passing { tuple, flow: u32::from(flow), port: 0 }
}

/// Its ack.
fn ack(packet: Passing) -> Passing {
    Passing { tuple: packet.tuple.reversed(), ..packet }
}
