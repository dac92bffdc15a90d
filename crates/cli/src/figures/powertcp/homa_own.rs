//! HOMA against its own paper: short messages on an uncongested core at 80 % load.

use crate::figures::Outcome;
use crate::figures::observed::Observed;
use crate::figures::pictures::over;
use crate::figures::runs::Runs;
use plimsoll_cc::homa::{Homa, Params};
use plimsoll_cc::{Configure, Host};
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::slowdown::Sorted;
use plimsoll_report::{Axis, Marks, Series};
use plimsoll_units::{Bytes, Rate, Span};

/// The network of `scenario.toml`: payload and headers of a packet, hosts of a rack.
const PAYLOAD: u64 = 1_442;
const HEADERS: u64 = 58;
const RACK: u32 = 16;
/// Nanoseconds per byte on a host's link and above, and from one end of a link to the other.
const HOST: (f64, f64) = (0.8, 650.0);
const SPINE: (f64, f64) = (0.2, 200.0);
const PIPELINE: f64 = 250.0;

/// How long a message takes to arrive whole if it is alone, in nanoseconds.
fn alone(bytes: u64, same_rack: bool) -> f64 {
    let links: &[(f64, f64)] = if same_rack { &[HOST, HOST] } else { &[HOST, SPINE, SPINE, HOST] };
    let mut free = [0.0_f64; 4];
    let mut end = 0.0;
    for packet in 0..bytes.div_ceil(PAYLOAD) {
        let size = (PAYLOAD.min(bytes - packet * PAYLOAD) + HEADERS) as f64;
        let mut at = 0.0_f64;
        for (index, (per_byte, delay)) in links.iter().enumerate() {
            // A switch looks at a packet when it has all of it.
            let ready = if index == 0 { 0.0 } else { at + PIPELINE };
            free[index] = ready.max(free[index]) + size * per_byte;
            at = free[index] + delay;
        }
        end = at;
    }
    end
}

/// Size and slowdown of a message from its beginning to the arrival of its last byte.
fn slowdown(message: &MessageRecord) -> Option<(u64, f64)> {
    let took = message.delivered? - message.start;
    let bytes = message.bytes.get();
    let same_rack = message.from / RACK == message.to / RACK;
    Some((bytes, took.as_secs_f64() * 1e9 / alone(bytes, same_rack)))
}

/// Sizes and slowdowns, by size.
fn slowdowns(run: &Observed) -> Vec<(u64, f64)> {
    let mut all: Vec<(u64, f64)> = run.messages.iter().filter_map(slowdown).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    all
}

fn percentile(values: &[(u64, f64)], p: f64) -> f64 {
    Sorted::new(values.iter().map(|value| value.1)).percentile(p).unwrap_or(f64::NAN)
}

/// The 99th percentile of the shorter half of all messages.
fn short(run: &Observed) -> f64 {
    let all = slowdowns(run);
    percentile(&all[..all.len() / 2], 0.99)
}

/// The median of messages of more than 100 KB.
fn long(run: &Observed) -> f64 {
    let mut all = slowdowns(run);
    all.retain(|(bytes, _)| *bytes > 100_000);
    percentile(&all, 0.5)
}

/// How many levels the rule leaves for granted bytes of these messages.
fn scheduled_levels(run: &Observed) -> Result<f64, String> {
    let host = Host {
        nic_rate: Rate::from_gbps(10),
        base_rtt: Span::from_us(8),
        mtu: Bytes::new(PAYLOAD + HEADERS),
        mss: Bytes::new(PAYLOAD),
    };
    let params = Params { rtt_bytes: Some(Bytes::from_kb(10)), ..Params::sigcomm18() };
    let law = Homa::new(&params, &host).map_err(|error| error.to_string())?;
    let mut sizes: Vec<Bytes> = run.messages.iter().map(|message| message.bytes).collect();
    sizes.sort_unstable();
    Ok(f64::from(law.policy(&sizes).scheduled_levels()))
}

pub(crate) fn compute(runs: &Runs) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (w3, w4) = (runs.get("w3")?, runs.get("w4")?);
    outcome.measure("w3_short", short(w3));
    outcome.measure("w4_short", short(w4));
    outcome.measure("w3_levels", scheduled_levels(w3)?);
    outcome.measure("w4_levels", scheduled_levels(w4)?);
    outcome.measure("one_level", short(runs.get("w4-one-level")?) / short(w4));
    outcome.measure("degree", long(runs.get("w4-d1")?) / long(w4));
    let mut chart = over("HOMA at 80 % load: 99th percentile", "Message size (B)", "Slowdown");
    chart.x = Axis::log("Message size (B)");
    chart.y = Axis::log("Slowdown");
    for (name, variant) in
        [("W3", "w3"), ("W4", "w4"), ("W4, one level", "w4-one-level"), ("W4, D = 1", "w4-d1")]
    {
        let all = slowdowns(runs.get(variant)?);
        // Twenty groups of equally many messages, as in HOMA's paper.
        let groups = all.chunks(all.len().div_ceil(20).max(1));
        let points = groups.filter_map(|group| Some((group.last()?.0 as f64, percentile(group, 0.99))));
        chart.series.push(Series::line(name, points).marked(Marks::Points));
        let (half, whole) = (percentile(&all[..all.len() / 2], 0.5), all.len());
        outcome.setting(
            &format!("{name}: messages, shorter half p50 and p99, above 100 KB p50"),
            format!("{whole}, {half:.2}, {:.2}, {:.2}", short(runs.get(variant)?), long(runs.get(variant)?)),
        );
    }
    outcome.chart("slowdown", chart);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_alone_takes_its_links_one_by_one_and_its_packets_one_behind_the_other() {
        // 100 B: 158 B on the wire, 126.4 ns on each of two links, 650 ns each, 250 ns in the switch.
        assert!((alone(100, true) - (2.0 * 126.4 + 1_300.0 + 250.0)).abs() < 1e-6);
        // Three full packets of 1500 B over four links: 3 · 1200 + 300 + 300 + 1200, 1.7 µs, three switches.
        let expected = 3.0 * 1_200.0 + 600.0 + 1_200.0 + 1_700.0 + 750.0;
        assert!((alone(3 * 1_442, false) - expected).abs() < 1e-6);
    }
}
