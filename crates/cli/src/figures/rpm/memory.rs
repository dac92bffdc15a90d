//! How large the register must be: what collisions do to marks.

use crate::figures::{Effort, Outcome, logarithmic};
use plimsoll_cc::coin::Coin;
use plimsoll_cc::rpm::{Echo, FiveTuple, Params, Passing, Register, Rpm, Slot, Way};
use plimsoll_report::{Axis, Chart, Marks, Series};
use std::net::{IpAddr, Ipv4Addr};

/// Flows that share the register.
const FLOWS: u32 = 1_000;
/// Slots for each flow.
const ROOM: [f64; 13] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 1000.0];
/// Hash functions, each with its own draws.
const HASHES: u32 = 20;
/// Bits of a slot: a counter as ours.
const BITS: f64 = 16.0;

/// What happened in registers of one size.
struct Seen {
    room: f64,
    /// Flows that share their slot, of all.
    sharing: f64,
    /// Marks that reached another flow than the one that was marked, of all.
    wrong: f64,
}

/// The share of flows with company: each of the others is elsewhere with probability 1 − 1/m.
fn expected_sharing(slots: f64) -> f64 {
    1.0 - libm::pow(1.0 - 1.0 / slots, f64::from(FLOWS) - 1.0)
}

/// The share of marks that reach another flow: of 1 + X flows in a slot, X Poisson with mean λ, each takes the mark
/// alike, and E[1/(1 + X)] = (1 − e^(−λ))/λ.
fn expected_wrong(room: f64) -> f64 {
    let mean = 1.0 / room;
    1.0 + libm::expm1(-mean) / mean
}

pub(crate) fn compute(_: Effort) -> Result<Outcome, String> {
    let seen: Vec<Seen> = ROOM.iter().map(|room| observe(*room)).collect::<Result<_, String>>()?;
    let mut outcome = Outcome::default();
    outcome.setting("flows", FLOWS);
    outcome.setting("hash functions for each size of the register", HASHES);
    outcome.setting(
        "marks for each",
        "5 for each flow, each paid by an ack of a flow of its slot, drawn evenly",
    );
    let off = |seen: &Seen| (seen.sharing - expected_sharing(seen.room * f64::from(FLOWS))).abs();
    outcome.measure("closed_form", 100.0 * seen.iter().map(off).fold(0.0, f64::max));
    let wrong = |room: f64| seen.iter().find(|seen| seen.room >= room).map_or(f64::NAN, |seen| seen.wrong);
    outcome.measure("wrong_equal", 100.0 * wrong(1.0));
    outcome.measure("wrong_thousandth", 100.0 * wrong(1000.0));
    outcome.measure("slots_one_percent", one_percent(&seen));
    outcome.chart("wrong", over_room(&seen));
    outcome.chart("memory", over_memory());
    Ok(outcome)
}

/// Lets every flow be marked five times, under each hash function.
fn observe(room: f64) -> Result<Seen, String> {
    let slots = (room * f64::from(FLOWS)) as u32;
    let (mut sharing, mut wrong, mut marks) = (0_u32, 0_u32, 0_u32);
    for seed in 0..HASHES {
        let rpm = Rpm::new(&Params { slots, seed, ..Params::paper() }).map_err(|error| error.to_string())?;
        let mut register =
            Register::new(rpm, vec![Slot::default(); slots as usize]).map_err(|error| error.to_string())?;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); slots as usize];
        for flow in 0..FLOWS {
            members[rpm.slot(&data(flow)) as usize].push(flow);
        }
        sharing += members.iter().map(|flows| flows.len() as u32).filter(|count| *count > 1).sum::<u32>();
        let mut coin = Coin::new(u64::from(seed) + 1);
        for flow in (0..FLOWS).flat_map(|flow| [flow; 5]) {
            let company = &members[rpm.slot(&data(flow)) as usize];
            let answers = company[(coin.bits() >> 32) as usize % company.len()];
            let paid = register.on_congestion(&data(flow)) == Way::Back
                && register.on_reverse_packet(&ack(answers)) == Echo::Set;
            if !paid {
                return Err("a mark was not paid by the next ack of its slot".to_owned());
            }
            marks += 1;
            wrong += u32::from(answers != flow);
        }
    }
    let share = |part: u32, of: u32| f64::from(part) / f64::from(of);
    Ok(Seen { room, sharing: share(sharing, HASHES * FLOWS), wrong: share(wrong, marks) })
}

/// Where the measured share of wrong marks falls to 1 %, between the sizes of both sides.
fn one_percent(seen: &[Seen]) -> f64 {
    let crossing = seen.windows(2).find_map(|pair| {
        let [before, after] = pair else { return None };
        let part = libm::log(before.wrong / 0.01) / libm::log(before.wrong / after.wrong);
        let within = before.wrong >= 0.01 && after.wrong < 0.01;
        within.then(|| before.room * libm::pow(after.room / before.room, part))
    });
    crossing.unwrap_or(f64::NAN)
}

fn over_room(seen: &[Seen]) -> Chart {
    let measured = seen.iter().map(|seen| (seen.room, 100.0 * seen.wrong));
    let expected = logarithmic(0.1, 1000.0, 100).map(|room| (room, 100.0 * expected_wrong(room)));
    Chart {
        title: "Marks that reach the wrong flow".into(),
        x: Axis::log("Slots for each flow").from_to(0.1, 1000.0),
        y: Axis::log("Wrong marks (%)").from_to(0.01, 100.0),
        series: vec![
            Series::line("register of 1000 flows", measured).marked(Marks::Only),
            Series::guide("1 − (1 − e^−λ)/λ", expected),
        ],
        notes: vec!["λ: flows for each slot. Acks of the flows of a slot come alike.".into()],
    }
}

fn over_memory() -> Chart {
    let curve = |flows: f64, name: &str| {
        let wrong = move |kilobytes: f64| {
            let slots = kilobytes * 8e3 / BITS;
            (kilobytes, 100.0 * expected_wrong(slots / flows))
        };
        Series::line(name, logarithmic(0.1, 1e5, 120).map(wrong))
    };
    Chart {
        title: "Memory of a switch and wrong marks".into(),
        x: Axis::log("Memory of the register (KB)").from_to(0.1, 1e5),
        y: Axis::log("Wrong marks (%)").from_to(0.01, 100.0),
        series: vec![curve(1e3, "1,000 flows"), curve(1e4, "10,000 flows"), curve(1e5, "100,000 flows")],
        notes: vec!["Counters of 16 bits; with one bit for each slot, a sixteenth of the memory.".into()],
    }
}

/// A data packet of the n-th flow.
fn data(flow: u32) -> Passing {
    let tuple = FiveTuple {
        source: IpAddr::V4(Ipv4Addr::from_bits(0x0A00_0000 | flow)),
        destination: IpAddr::V4(Ipv4Addr::new(11, 0, 0, 1)),
        protocol: 6,
        source_port: 40_000,
        destination_port: 5_001,
    };
    Passing { tuple, flow, port: 0 }
}

/// Its ack.
fn ack(flow: u32) -> Passing {
    let packet = data(flow);
    Passing { tuple: packet.tuple.reversed(), ..packet }
}
