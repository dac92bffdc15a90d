//! The benchmark from outside, on its smallest case.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use serde_json::Value;
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let few = ["bench", "--repeat", "1", "--hops", "100000"];
    Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(few).args(arguments).output().unwrap()
}

#[test]
fn a_case_is_measured_beside_the_bare_loop() {
    let output = bench(&["incast16", "--threads", "2", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let case = &json["cases"][0];
    assert_eq!(case["name"], "incast16");
    // 16 flows of 1000 packets over 2 links, and as many acks: 16 · 1000 · 4. Under HPCC none is lost.
    assert_eq!(case["one_thread"]["packet_hops"], 64_000);
    assert_eq!(case["one_thread"]["most_flows"], 16);
    // One switch cannot be cut: there are not many threads, and no speed-up.
    assert!(case["many_threads"].is_null() && case["speed_up"].is_null(), "{case}");
    for key in ["ns_per_packet_hop", "bare_ns_per_packet_hop", "ratio"] {
        assert!(case[key].as_f64().unwrap() > 0.0, "{key}");
    }
    if cfg!(target_os = "linux") {
        assert!(case["one_thread"]["peak_bytes"].as_u64().unwrap() > 100_000);
    }
}

#[test]
fn the_table_says_where_the_others_were_measured() {
    let output = bench(&["incast16", "--threads", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("incast16") && text.contains("HPCC's ns-3 1,560-1,860"), "{text}");
    assert!(text.contains("Measured elsewhere"), "{text}");
}

#[test]
fn an_unknown_benchmark_is_refused_with_the_nearest() {
    let output = bench(&["fattree32"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("no benchmark `fattree32`") && text.contains("fattree320"), "{text}");
}
