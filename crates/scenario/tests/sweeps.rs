//! Plans: which points they have.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use plimsoll_scenario::Sweep;

fn names(plan: &str) -> Vec<String> {
    let sweep = Sweep::parse("plan.toml", plan).unwrap();
    let name = |point: &plimsoll_scenario::sweep::Point| {
        let values: Vec<&str> = point.values.iter().map(|(_, value)| value.as_str()).collect();
        let law = point.law.as_deref().unwrap_or("*");
        let seed = point.seed.map_or("*".to_owned(), |seed| seed.to_string());
        format!("{law}/{}/{seed}", values.join("/"))
    };
    sweep.points.iter().map(name).collect()
}

#[test]
fn seeds_vary_fastest_then_the_last_key_then_the_law() {
    let plan = "scenario = \"x\"\nseeds = [4, 9]\n[grid]\nhost.mtu = [\"1KB\"]\n\"traffic.0.load\" = [0.1, 0.2]\n\
                [[cc]]\nlaw = \"hpcc\"\n[[cc]]\nlaw = \"swift\"\n";
    let expected = [
        "hpcc/1KB/0.1/4",
        "hpcc/1KB/0.1/9",
        "hpcc/1KB/0.2/4",
        "hpcc/1KB/0.2/9",
        "swift/1KB/0.1/4",
        "swift/1KB/0.1/9",
        "swift/1KB/0.2/4",
        "swift/1KB/0.2/9",
    ];
    assert_eq!(names(plan), expected);
}

#[test]
fn a_law_with_lists_is_as_many_laws_as_it_has_combinations() {
    let plan = "scenario = \"x\"\n[[cc]]\nlaw = \"poseidon\"\nm = [0.25, 0.5]\np = \"60us\"\n";
    assert_eq!(names(plan), ["poseidon, m = 0.25, p = 60us//*", "poseidon, m = 0.5, p = 60us//*"]);
    let sweep = Sweep::parse("plan.toml", plan).unwrap();
    assert_eq!(sweep.points[1].overrides.set, ["cc.m = 0.5", "cc.p = \"60us\""]);
    assert_eq!(sweep.points[1].overrides.law.as_deref(), Some("poseidon"));
}

#[test]
fn the_grid_may_choose_the_law_and_points_come_behind_it() {
    let plan = "scenario = \"x\"\n[grid]\ncc.law = [\"hpcc\", \"swift\"]\nseed = [1]\n\
                [[point]]\ncc.law = \"dctcp\"\nhost.mtu = \"9KB\"\n";
    assert_eq!(names(plan), ["hpcc/1/*", "swift/1/*", "dctcp/9KB/*"]);
}

#[test]
fn a_point_that_is_named_twice_is_run_once_and_points_alone_are_all() {
    let plan = "scenario = \"x\"\nseeds = 2\n[[point]]\nhost.mtu = \"1KB\"\n[[point]]\nhost.mtu = \"1KB\"\n";
    assert_eq!(names(plan), ["*/1KB/1", "*/1KB/2"]);
}

#[test]
fn a_plan_without_end_is_refused_before_it_fills_the_memory() {
    let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let list = many.join(", ");
    let plan = format!("scenario = \"x\"\n[grid]\na = [{list}]\nb = [{list}]\nc = [{list}]\nd = [{list}]\n");
    let problems = Sweep::parse("plan.toml", &plan).unwrap_err().to_string();
    assert!(problems.contains("100000000 points"), "{problems}");
}

#[test]
fn every_table_of_a_plan_is_explained() {
    let text = plimsoll_scenario::explain("sweep").unwrap();
    for part in
        ["scenario (must be given)", "seeds", "[grid]", "[[cc]]", "[[point]]", "[plot]", "series", "Example"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(plimsoll_scenario::explain("sweep.plot").unwrap().contains("slowdown.p99"));
    // The example is a plan.
    let example = text.split("27 runs):\n\n").nth(1).unwrap();
    assert_eq!(Sweep::parse("example.toml", example).unwrap().points.len(), 27);
}
