//! Scenarios that nobody thought of: drawn at random, always the same ones, and run alike on one, two and three
//! threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper that fails is a failed test")]

mod common;

use common::{run_scenario, scenario};

const SCENARIOS: u64 = 20;

const LAWS: [&str; 13] = [
    "hpcc",
    "poseidon",
    "powertcp",
    "theta-powertcp",
    "swift",
    "dctcp",
    "dcqcn",
    "timely",
    "newreno",
    "cubic",
    "swift-vai-sf",
    "hpcc-vai-sf",
    "homa",
];

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.roll() % from.len() as u64) as usize]
    }

    /// Whether one of so many times has come.
    fn one_in(&mut self, times: u64) -> bool {
        self.roll().is_multiple_of(times)
    }
}

fn drawn(number: u64) -> String {
    let dice = &mut Dice(number);
    // Every law has its turn.
    let law = LAWS[number as usize % LAWS.len()];
    let (leaves, spines) = (dice.pick(&[2, 3, 4]), dice.pick(&[1, 2]));
    let mut text = format!(
        "duration = \"{}\"\n[topology]\nkind = \"leaf-spine\"\nleaves = {leaves}\nspines = {spines}\n\
         hosts_per_leaf = {}\nhost_rate = \"100Gbps\"\nspine_rate = \"{}\"\n",
        dice.pick(&["80us", "93.3us", "150us"]),
        dice.pick(&[2, 3]),
        dice.pick(&["100Gbps", "400Gbps"])
    );
    let mut add = |more: String| text.push_str(&more);
    let codel = dice.one_in(4);
    add(format!("[switch]\npipeline = \"{}\"\n", dice.pick(&["0ns", "300ns"])));
    if codel {
        add("aqm = \"codel\"\n".to_owned());
        if ["newreno", "cubic"].contains(&law) {
            add("reverse_marking = true\n".to_owned());
        }
    } else if ["dctcp", "dcqcn"].contains(&law) || dice.one_in(2) {
        add("ecn = \"red\"\n[switch.red]\nkmin = \"5KB\"\nkmax = \"40KB\"\npmax = 0.5\n".to_owned());
    }
    if codel {
        add("[switch.codel]\ntarget = \"5us\"\ninterval = \"50us\"\n".to_owned());
    }
    let pauses = dice.one_in(2);
    add(format!(
        "[switch.buffer]\nsize = \"{}KB\"\nalpha = {}\nsharing = \"{}\"\n",
        dice.pick(if pauses { &[200, 500] } else { &[20, 60, 200] }),
        dice.pick(&["0.5", "1.0", "8.0"]),
        dice.pick(&["dynamic", "dynamic", "complete", "per-queue"])
    ));
    let headroom = dice.pick(&[0, 2_096, 20_000]);
    let (alpha, reserve) = (dice.pick(&["0.05", "0.2", "1.0"]), dice.pick(&[0, 4_096]));
    add(format!(
        "[switch.pfc]\nenabled = {pauses}\nalpha = {alpha}\nreserve = \"{reserve}B\"\nheadroom = \"{headroom}B\"\n"
    ));
    let classes = dice.pick(&[1, 1, 2, 3]);
    for _ in 0..classes {
        let (priority, lossless) = (dice.pick(&[0, 3]), dice.one_in(2));
        add(format!("[[switch.class]]\npriority = {priority}\nlossless = {lossless}\n"));
    }
    let transport = if pauses && dice.one_in(2) {
        "preset = \"rdma\""
    } else {
        "initial_rto = \"100us\"\nmin_rto = \"50us\""
    };
    add(format!("[transport]\n{transport}\n"));
    add(format!("[routing]\nspreading = \"{}\"\n", dice.pick(&["ecmp", "ecmp", "plb", "spray"])));
    add(format!("[host]\nreceive_delay = \"{}\"\n", dice.pick(&["0ns", "0ns", "2us"])));
    add(format!("[cc]\nlaw = \"{law}\"\n"));
    let load = dice.pick(&["0.2", "0.4"]);
    add(format!("[[traffic]]\nkind = \"poisson\"\nload = {load}\nsize = \"hadoop\"\n"));
    if !dice.one_in(4) {
        let (size, class) = (dice.pick(&[50, 200, 300]), dice.roll() % classes);
        add(format!("[[traffic]]\nkind = \"incast\"\nto = 0\nsize = \"{size}KB\"\nclass = {class}\n"));
    }
    for _ in 0..dice.pick(&[0, 1, 2]) {
        let leaf = dice.roll() % leaves;
        let what = match dice.roll() % 5 {
            0 => format!("kind = \"link-down\"\nlinks = \"leaf{leaf}:spine0\""),
            1 => format!("kind = \"switch-reboot\"\nswitches = \"{}\"", dice.pick(&["spine0", "leaf1"])),
            2 => format!(
                "kind = \"rate\"\nlinks = \"leaf{leaf}:spine\"\nrate = \"{}Gbps\"",
                dice.pick(&[1, 10])
            ),
            3 => "kind = \"corruption\"\nlinks = \"all\"\nprobability = 0.01".to_owned(),
            _ => "kind = \"loss\"\nlinks = \"leaf:spine\"\nprobability = 0.01".to_owned(),
        };
        let start = 5 + dice.roll() % 40;
        let stop = start + 5 + dice.roll() % 40;
        add(format!("[[fault]]\n{what}\nstart = \"{start}us\"\nstop = \"{stop}us\"\n"));
    }
    text
}

#[test]
fn scenarios_at_random_run_alike_on_any_number_of_threads() {
    let (mut hops, mut pauses, mut drops, mut marks) = (0, 0, 0, 0);
    for number in 0..SCENARIOS {
        let text = drawn(number);
        let scenario = scenario(&text);
        let one = run_scenario(&scenario, 1, None);
        for threads in [2, 3] {
            let many = run_scenario(&scenario, threads, None);
            assert!(many.outcome == one.outcome, "{number} on {threads} threads:\n{text}");
        }
        hops += one.summary.packet_hops;
        pauses += one.summary.pfc_pauses;
        drops += one.summary.drops;
        marks += one.summary.marks;
    }
    assert!(
        hops > 100_000 && pauses > 0 && drops > 0 && marks > 0,
        "{hops} packet-hops, {pauses} pauses, {drops} drops, {marks} marks"
    );
}
