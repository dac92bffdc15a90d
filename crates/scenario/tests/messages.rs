//! What the messages say: file, line, column, key, value, bound, and what was probably meant.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use plimsoll_scenario::{Kind, Problem, Scenario};

fn problems(text: &str) -> Vec<Problem> {
    Scenario::parse("scenario.toml", text).unwrap_err().iter().cloned().collect()
}

/// The only problem of a [cc] table for Poseidon with these further lines.
fn poseidon(lines: &str) -> Problem {
    let found = problems(&format!("[cc]\nlaw = \"poseidon\"\n{lines}\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn a_value_out_of_bounds_is_shown_with_its_line_and_its_bounds() {
    let text =
        "# my first try\n[host]\nnic_rate = \"100Gbps\"\n\n[cc]\nlaw = \"poseidon\"\nm = 3.0   # bold\n";
    assert_eq!(
        Scenario::parse("scenario.toml", text).unwrap_err().to_string(),
        "scenario.toml:7:5: `m = 3.0` is out of bounds; it must be a number from 0.001 to 1.999\n  |\n\
         7 | m = 3.0   # bold\n  |     ^^^"
    );
}

#[test]
fn a_misspelt_key_suggests_the_nearest() {
    let problem = poseidon("max_rat = \"100Gbps\"");
    assert_eq!(problem.message, "unknown key `max_rat`; did you mean `max_rate`?");
    assert_eq!((problem.kind, problem.line, problem.column, problem.marked), (Kind::Unknown, 3, 1, 7));
}

#[test]
fn a_key_like_no_other_points_to_the_list() {
    assert_eq!(
        poseidon("zzzzzzzz = 1").message,
        "unknown key `zzzzzzzz`; `plimsoll explain poseidon` shows all"
    );
}

#[test]
fn a_misspelt_law_preset_or_table_suggests_the_nearest() {
    assert_eq!(
        problems("[cc]\nlaw = \"posiedon\"")[0].message,
        "there is no law `posiedon`; did you mean `poseidon`?"
    );
    assert_eq!(
        poseidon("preset = \"nsdi22\"").message,
        "poseidon has no preset `nsdi22`; did you mean `nsdi23`?"
    );
    assert_eq!(
        problems("[hosts]\n[cc]\nlaw = \"poseidon\"")[0].message,
        "unknown table `hosts`; did you mean `host`?"
    );
    assert_eq!(
        problems("[host]\npreset = \"hpc\"\n[cc]\nlaw = \"poseidon\"")[0].message,
        "[host] has no preset `hpc`; did you mean `hpcc`?"
    );
}

#[test]
fn a_wrong_unit_and_a_missing_unit_name_the_right_ones() {
    let wrong = poseidon("p = \"40Gbps\"");
    assert_eq!(wrong.kind, Kind::WrongUnit);
    assert!(wrong.message.contains("`p = \"40Gbps\"` is an unknown unit"), "{}", wrong.message);
    assert!(wrong.message.contains("ps, ns, us, ms, s"), "{}", wrong.message);
    let bare = poseidon("p = 40");
    assert_eq!(bare.kind, Kind::WrongType);
    assert!(bare.message.contains("a time from \"1ns\" to \"1s\""), "{}", bare.message);
}

#[test]
fn all_problems_are_reported_at_once_in_the_order_of_their_place() {
    let found = problems("[cc]\nm = 9.0\nlaw = \"poseidon\"\nkk = 1\np = \"0us\"\n[host]\nmtu = true\n");
    let lines: Vec<_> = found.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 4, 5, 7]);
}

#[test]
fn parameters_that_contradict_each_other_point_to_the_first_and_name_both() {
    let problem = poseidon("min_rate = \"90Gbps\"\nmax_rate = \"10Gbps\"");
    assert_eq!((problem.kind, problem.line), (Kind::Contradiction, 3));
    assert_eq!(problem.message, "`min_rate = \"90Gbps\"` must not exceed `max_rate = \"10Gbps\"`");
    let twice = problems("[cc]\nlaw = \"poseidon:ratio\"\npreset = \"aimd\"\n");
    assert_eq!((twice[0].kind, twice[0].line), (Kind::Contradiction, 3));
    // The payload of a packet cannot be larger than the packet.
    let host = problems("[cc]\nlaw = \"poseidon\"\n[host]\nmtu = \"1000B\"\nmss = \"1500B\"\n");
    assert_eq!((host[0].kind, host[0].line), (Kind::OutOfBounds, 5));
}

#[test]
fn what_is_missing_is_named() {
    assert!(problems("")[0].message.contains("no [cc] table"));
    let nameless = problems("[host]\n[cc]\nm = 0.5\n");
    assert_eq!((nameless[0].kind, nameless[0].line), (Kind::Missing, 2));
}

#[test]
fn a_value_of_the_wrong_shape_is_refused() {
    assert_eq!(problems("cc = 3")[0].message, "`cc` must be a table, [cc]");
    assert_eq!(problems("[cc]\nlaw = 3")[0].message, "`law` must be a text in quotes");
    assert_eq!(poseidon("m = [1]").message, "`m` must be a text, a number, true or false");
}

#[test]
fn numbers_too_large_for_64_bits_infinities_and_nan_are_out_of_bounds() {
    for number in ["99999999999999999999999", "inf", "-inf", "nan", "1e400"] {
        let problem = poseidon(&format!("m = {number}"));
        assert_eq!(problem.kind, Kind::OutOfBounds, "{number}: {}", problem.message);
    }
}

#[test]
fn text_that_is_not_toml_points_to_the_place() {
    let problem = &problems("[cc]\nlaw = \"poseidon\nm = 1\n")[0];
    assert_eq!((problem.kind, problem.line), (Kind::Syntax, 2));
}
