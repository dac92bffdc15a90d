//! Racks joined by circuits in turn: times computed by hand, the circuit bit, telemetry, and the same on all threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{burst, ns, run, run_scenario, scenario, shipped};
use plimsoll_cc::registry::LAWS;
use plimsoll_metrics::fairness::jain;
use plimsoll_metrics::{Reading, Sample};
use plimsoll_sim::{
    CapturedFrame, Control, FIRST_PORT, FrameSink, Options, Run, Tap, simulate, simulate_recorded,
};
use plimsoll_units::{Rate, Span, Time};
use plimsoll_wire::frame::Frame;
use plimsoll_wire::header::Packet;
use plimsoll_wire::telemetry::{Telemetry, TelemetryKind};
use std::io;
use std::sync::{Arc, Mutex};

/// Three racks of two hosts. Rack 0 is joined to rack 1 from 0 to 10 us, to rack 2 from 12 to 22 us, and so on every
/// 24 us. 1048 B take 83.84 ns on hosts' links and circuits and 335.36 ns in the packet network; 60 B 4.8 and 19.2 ns.
fn three_racks(law: &str, more: &str) -> String {
    format!(
        r#"
[topology]
kind = "rotor"
tors = 3
hosts_per_tor = 2
host_rate = "100Gbps"
host_delay = "1us"
circuit_rate = "100Gbps"
circuit_delay = "2us"
packet_rate = "25Gbps"
packet_delay = "1us"
day = "10us"
night = "2us"
{more}
[host]
ack_size = "60B"
[cc]
law = "{law}"
"#
    )
}

/// NewReno whose first window holds everything.
fn reno(more: &str) -> String {
    three_racks("newreno", more) + "initial_window = 1000.0\n"
}

/// From the moment at which a packet begins to leave its ToR to its arrival: by the circuit, 2 µs and the last link;
/// by the packet network, 1 µs to the core, 1 µs from there, and the last link.
const BY_CIRCUIT: Span = ns(83 + 2_000 + 83 + 1_000, 2 * 840);
const BY_PACKETS: Span = ns(2 * (335 + 1_000) + 83 + 1_000, 2 * 360 + 840);
/// From a host to its ToR.
const TO_TOR: Span = ns(1_083, 840);

fn delivered(run: &Run, message: usize) -> Span {
    run.messages[message].delivered.unwrap().since_start()
}

/// There by the circuit, 83.84 + 1000 + 3167.68 = 4251.52 ns. The ack leaves rack 1 at 5256.32 ns, when its circuit to
/// rack 0 is not up (12 to 22 us): 4.8 + 1000 + 2 · (19.2 + 1000) + 4.8 + 1000 = 4048 ns.
#[test]
fn by_day_data_takes_the_circuit_and_acks_the_packet_network() {
    let run = run(&(reno("") + &burst(0, 2, 1, "0ns")));
    assert_eq!(delivered(&run, 0), ns(4_251, 520));
    assert_eq!(run.messages[0].completion_time().unwrap(), ns(4_251 + 4_048, 520));
    // Three links there, four back.
    assert_eq!(run.outcome.totals.packet_hops, 7);
}

#[test]
fn by_night_and_in_others_days_it_is_the_packet_network() {
    // Night from 10 us on; 0 to 1 again from 24 us on.
    for start in ["9us", "12us", "21us"] {
        let run = run(&(reno("") + &burst(0, 2, 1, start)));
        let start: Span = start.parse().unwrap();
        assert_eq!(delivered(&run, 0), start + TO_TOR + BY_PACKETS, "{start}");
    }
    // Racks stay among themselves without either.
    assert_eq!(delivered(&run(&(reno("") + &burst(0, 1, 1, "0ns"))), 0), ns(2 * 1_083, 2 * 840));
}

/// A packet that is at its ToR 83.84 ns before the night, at 9916.16 ns, ends with the day. One that comes a
/// picosecond later waits for the night, although the circuit is idle, and leaves by the packet network at 10 us.
#[test]
fn the_last_packet_of_a_day_ends_with_it() {
    let last = run(&(reno("") + &burst(0, 2, 1, "8832320ps")));
    assert_eq!(delivered(&last, 0), ns(9_916, 160) + BY_CIRCUIT);
    let late = run(&(reno("") + &burst(0, 2, 1, "8832321ps")));
    assert_eq!(delivered(&late, 0), Span::from_us(10) + BY_PACKETS);
}

/// Ten packets for rack 2 are at ToR 0 from 11583.84 ns on, one every 83.84 ns. Two leave by the packet network, at
/// 11583.84 and at 11919.2 ns. At 12 us the day begins: three wait, and they and the other five leave by the circuit
/// without a gap until 12670.72 ns. The first of these reaches ToR 2 at 14083.84 ns, the two others at 14254.56 and
/// 14589.92 ns, so the last link is busy for ten packets from 14083.84 ns on: 838.4 ns and 1 us.
#[test]
fn what_waits_at_dawn_leaves_by_the_circuit() {
    let text =
        reno("") + &burst(0, 4, 10, "10500ns") + "[record]\ninterval = \"10ns\"\nqueues = \"tor0>tor2\"\n";
    let (run, samples) = recorded(&text, 1);
    assert_eq!(delivered(&run, 0), ns(14_083 + 838 + 1_000, 840 + 400));
    let queue = |at: u64| {
        let here = samples.iter().find(|sample| sample.at == Time::after_start(Span::from_ns(at)));
        here.map(|sample| sample.reading.value()).unwrap()
    };
    // At 11.91 µs four have come and one has left; at 11.99 five and two; at 12.01 six and three; from 12003.04 ns on
    // one comes in the time in which one leaves.
    assert_eq!([11_910, 11_990, 12_010, 12_080].map(queue), [3 * 1_048, 3 * 1_048, 3 * 1_048, 3 * 1_048]);
    assert_eq!([11_570, 11_590, 11_670].map(queue), [0, 0, 1_048]);
}

/// Three packets for rack 1 wait at ToR 0 from 10.1 us on, then three for rack 2, at night. The queues take turns:
/// a0, b0, a1, b1, a2, b2, one every 335.36 ns.
#[test]
fn queues_take_turns_on_the_link_to_the_packet_network() {
    let text = reno("") + &burst(0, 2, 3, "9016160ps") + &burst(1, 4, 3, "9216160ps");
    let run = run(&text);
    let first = ns(10_100, 0);
    assert_eq!(delivered(&run, 0), first + ns(4 * 335, 4 * 360) + BY_PACKETS);
    assert_eq!(delivered(&run, 1), first + ns(5 * 335, 5 * 360) + BY_PACKETS);
}

/// A VOQ has room for two packets. Of six that come at night, every 83.84 ns from 10.1 us on, the first leaves at once,
/// the next two wait, the fourth is dropped; the fifth comes when the second leaves and finds room, the sixth does not.
/// The next day is at 24 us, 13480.8 ns after the sixth has come and 13648.48 ns after the fourth: if the pair is told by
/// then, there is room for them. In the day there is room for all.
#[test]
fn a_full_voq_drops_and_holds_more_for_a_circuit() {
    let drops = |prebuffer: &str, start: &str| {
        let limits = "voq_capacity = \"2096B\"\nvoq_capacity_circuit = \"10480B\"\n";
        let text = reno(&format!("{limits}prebuffer = \"{prebuffer}\"\n")) + &burst(0, 2, 6, start);
        run(&text).summary.drops_by_cause.buffer
    };
    assert_eq!(drops("0ns", "9016160ps"), 2);
    assert_eq!(drops("13480799ps", "9016160ps"), 2);
    assert_eq!(drops("13480800ps", "9016160ps"), 1);
    assert_eq!(drops("13648480ps", "9016160ps"), 0);
    assert_eq!(drops("0ns", "0ns"), 0);
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<CapturedFrame>>>);

impl FrameSink for Kept {
    fn frame(&mut self, frame: &CapturedFrame) -> io::Result<()> {
        self.0.lock().unwrap().push(frame.clone());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The frames that leave by these ports.
fn captured(text: &str, ports: &[u32]) -> Vec<CapturedFrame> {
    let kept = Kept::default();
    let control =
        Control { tap: Some(Tap::new(ports.to_vec(), Box::new(kept.clone()))), ..Control::default() };
    simulate(&scenario(text), &Options::default(), &control).unwrap();
    let frames = std::mem::take(&mut *kept.0.lock().unwrap());
    assert!(!frames.is_empty());
    frames
}

/// What a frame carries behind its telemetry, as bytes, and the telemetry's kind; cut payloads are filled up.
fn open(frame: &CapturedFrame) -> (TelemetryKind, Vec<u8>) {
    let (headers, length, kept) = Frame::parse(&frame.bytes).unwrap();
    let port = headers.source_port.min(headers.destination_port);
    let mut bytes = kept.to_vec();
    bytes.resize(length, 0);
    (TelemetryKind::from_number((port - FIRST_PORT) as u8).unwrap(), bytes)
}

/// What a packet or an ack without telemetry says of the circuit.
fn says_circuit(frame: &CapturedFrame) -> bool {
    match Packet::parse(&open(frame).1).unwrap() {
        Packet::Data(data) => data.flags().circuit_up,
        Packet::Ack(ack) => ack.circuit_up(),
    }
}

/// Sixty packets of one every 500 ns from rack 0 to rack 1. The bit is set from 24 us − 3 us on until the day ends at
/// 34 us, and acks reflect it.
#[test]
fn the_bit_is_set_from_prebuffering_until_the_night_and_acks_reflect_it() {
    let starts: String = (0..60).map(|n| burst(0, 2, 1, &format!("{}ns", 12_000 + 500 * n))).collect();
    let text = reno("prebuffer = \"3us\"\n") + &starts;
    // h0's link is 0 and h2's link 2: port 5 leads to h2, and port 1 to h0.
    for port in [5, 1] {
        let bits: Vec<bool> = captured(&text, &[port]).iter().map(says_circuit).collect();
        // Packet n is at its ToR at 13083.84 + 500 n ns, alone: from 21 us on is n ≥ 16, before 34 us is n ≤ 41.
        let set = bits.iter().filter(|bit| **bit).count();
        assert_eq!((bits.len(), set), (60, 26), "port {port}");
        assert_eq!(bits.iter().position(|bit| *bit), Some(16), "port {port}");
    }
}

/// Telemetry tells the rate of the link by which a packet leaves, its VOQ, and bytes that go on growing over dawn.
#[test]
fn telemetry_tells_the_way_out() {
    let hosts = "[switch]\nint_encoding = \"exact\"\n";
    let text =
        three_racks("hpcc", "").replace("[host]", &format!("{hosts}[host]")) + &burst(0, 4, 10, "10500ns");
    // Port 9 leads to h4 (link 4).
    let frames = captured(&text, &[9]);
    let first_record = |frame: &CapturedFrame| {
        let (kind, bytes) = open(frame);
        let Telemetry::ExactHops(hops) = kind.parse_travelling(&bytes).unwrap().0 else { panic!() };
        let records: Vec<_> = hops.iter().collect();
        // ToR 0 and ToR 2; the packet network writes nothing.
        assert_eq!(records.len(), 2);
        (records[0].time, records[0].rate, records[0].sent.get(), records[0].queue.get())
    };
    let mut records: Vec<_> = frames.iter().map(first_record).collect();
    // The first two are overtaken and sent again; the copies come last.
    records.sort();
    records.truncate(10);
    // A packet has 42 B of telemetry more: 1090 B, 87.2 ns; at the ToR from 10500 + 1087.2 ns on; 348.8 ns by packets.
    let (slow, fast) = (Rate::from_gbps(25), Rate::from_gbps(100));
    let rates: Vec<Rate> = records.iter().map(|record| record.1).collect();
    assert_eq!(rates, [vec![slow; 2], vec![fast; 8]].concat());
    let sent: Vec<u64> = records.iter().map(|record| record.2).collect();
    assert_eq!(sent, (0..10).map(|n| n * 1_090).collect::<Vec<u64>>());
    // The second leaves at 11936 ns: by then (348.8 / 87.2 = 4) packets 0 to 3 have come, and a fifth that moment, after
    // it. At 12 us five have come and two are gone.
    assert_eq!((records[1].3, records[2].3), (2 * 1_090, 2 * 1_090));
    assert_eq!(records[9].3, 0);
}

/// Runs with what `[record]` asks for.
fn recorded(text: &str, threads: usize) -> (Run, Vec<Sample>) {
    let mut samples = Vec::new();
    let scenario = scenario(text);
    let options = Options { threads, seed: None };
    let run = simulate_recorded(&scenario, &options, &Control::default(), &mut samples).unwrap();
    common::check_books(&run, scenario.duration);
    (run, samples)
}

/// 100 Gb/s for 10 of every 24 us and 25 Gb/s for 14: (10 · 100 + 14 · 25) / 24 = 56.25 Gb/s, if the queue is never
/// empty. At the end of a day the circuit idles for less than a packet: 119 packets take 9977 ns, of 10 us, so the
/// circuit carries 119 · 1048 B. Both ways out are idle for no more than that.
#[test]
fn a_pair_that_always_sends_has_its_day_and_the_packet_network() {
    let text = format!(
        "duration = \"960us\"\n{}[[traffic]]\nkind = \"flows\"\nfrom = [0, 1]\nto = [2, 3]\n\
         [record]\ninterval = \"24us\"\nthroughput = [\"tor0>tor1\", \"tor0>core0\"]\nrates = true\n",
        reno("")
    );
    let (run, samples) = recorded(&text, 1);
    let throughput = |circuit: bool| -> Vec<f64> {
        let port = |sample: &&Sample| (run.network.far_end(sample.subject) == 7) == circuit;
        let gbps = |sample: &Sample| match sample.reading {
            Reading::Throughput(rate) => Some(rate.as_bps_f64() / 1e9),
            _ => None,
        };
        samples
            .iter()
            .filter(|sample| matches!(sample.reading, Reading::Throughput(_)))
            .filter(port)
            .filter_map(gbps)
            .collect()
    };
    let by_circuit = 119.0 * 1_048.0 * 8.0 / 24_000.0;
    let (circuit, packets) = (throughput(true), throughput(false));
    assert_eq!((circuit.len(), packets.len()), (40, 40));
    for week in 2..40 {
        assert!((circuit[week] - by_circuit).abs() < 1e-6, "week {week}: {} Gb/s", circuit[week]);
        // What is on the link at dawn goes on; then 14 us of 24 less at most two packets.
        assert!((packets[week] - 25.0 * 14.0 / 24.0).abs() < 0.35, "week {week}: {} Gb/s", packets[week]);
    }
    // Two flows with equal windows share alike.
    let goodputs = [0, 1].map(|flow| {
        let of_flow = samples.iter().filter(|sample| sample.subject == flow);
        of_flow
            .filter_map(|sample| match sample.reading {
                Reading::Goodput(rate) => Some(rate.as_bps_f64()),
                _ => None,
            })
            .sum::<f64>()
    });
    assert!(jain(goodputs).unwrap() > 0.99, "{goodputs:?}");
}

/// Every rack to every other, with a law.
fn all_pairs(law: &str, more: &str) -> String {
    format!(
        "duration = \"150us\"\n{}{more}[[traffic]]\nkind = \"poisson\"\nload = 0.3\nsize = \"hadoop\"\n",
        three_racks(law, "voq_capacity = \"60KB\"\nvoq_capacity_circuit = \"100KB\"\nprebuffer = \"4us\"\n")
    )
}

#[test]
fn every_law_runs_the_same_on_one_two_and_three_threads() {
    for law in LAWS {
        let scenario = scenario(&all_pairs(law.name, ""));
        let one = run_scenario(&scenario, 1, None);
        assert!(one.summary.completed > 0, "{}", law.name);
        for threads in [2, 3] {
            let many = run_scenario(&scenario, threads, None);
            assert_eq!(many.summary.threads as usize, threads);
            assert_eq!(one.outcome, many.outcome, "{} on {threads} threads", law.name);
        }
    }
}

#[test]
fn buffers_marks_classes_and_losses_go_with_circuits() {
    for more in [
        "[switch.buffer]\nsize = \"60KB\"\nalpha = 0.5\n",
        "[[switch.class]]\npriority = 0\n[[switch.class]]\npriority = 7\n",
        "[[fault]]\nkind = \"loss\"\nlinks = \"fabric\"\nprobability = 0.01\n",
        "[[fault]]\nkind = \"link-down\"\nlinks = \"h0:tor0\"\nstart = \"20us\"\nstop = \"50us\"\n",
    ] {
        let marking = "[switch]\necn = \"step\"\n[switch.red]\nkmin = \"2KB\"\nkmax = \"2KB\"\npmax = 1.0\n";
        let scenario = scenario(&all_pairs("dctcp", &format!("{marking}{more}")));
        let one = run_scenario(&scenario, 1, None);
        assert!(one.summary.marks > 0 && one.summary.completed > 0, "{more}");
        assert_eq!(one.outcome, run_scenario(&scenario, 3, None).outcome, "{more}");
    }
}

/// Without an end of its own the run ends when all is delivered: no calendar keeps it going.
#[test]
fn a_rotor_turns_only_while_somebody_waits() {
    let run = run(&(reno("") + &burst(0, 2, 100, "0ns") + &burst(3, 0, 100, "1ms")));
    assert_eq!((run.summary.completed, run.summary.drops), (2, 0));
    // The last thing that happens is a timer of 1 ms that was set with the last packet and is not needed.
    assert!(run.summary.simulated < Span::from_us(2_100), "{}", run.summary.simulated);
}

/// Flows of reTCP jump by their factor when the ack with the bit comes, and back.
#[test]
fn retcp_jumps_with_its_circuit() {
    let scenario = shipped(
        "reconfigurable",
        Some("retcp:powertcp-nsdi22"),
        &["duration=6.3ms", "topology.prebuffer=600us", "record.windows=true", "record.start=5ms"],
    );
    let mut samples = Vec::new();
    let run = simulate_recorded(&scenario, &Options::default(), &Control::default(), &mut samples).unwrap();
    common::check_books(&run, scenario.duration);
    let windows: Vec<(f64, f64)> = samples
        .iter()
        .filter(|sample| sample.subject == 0)
        .filter_map(|sample| match sample.reading {
            Reading::Window(bytes) => Some((sample.at.since_start().as_us_f64(), bytes.as_f64())),
            _ => None,
        })
        .collect();
    // Between two samples of 5 µs Reno adds at most some packets; four times as much is a jump.
    let jumps: Vec<f64> =
        windows.windows(2).filter(|pair| pair[1].1 > 2.5 * pair[0].1).map(|pair| pair[1].0).collect();
    // 5880 − 600 µs is when the first packet with the bit leaves; its ack is there some 12 to 100 µs later.
    assert!(jumps.first().is_some_and(|at| (5_290.0..5_480.0).contains(at)), "{jumps:?}");
}
