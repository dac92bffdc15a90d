extern crate std;
use super::*;
use plimsoll_units::Rate;
use std::string::ToString;
use std::vec::Vec;

fn host() -> Host {
    Host {
        nic_rate: Rate::from_gbps(25),
        base_rtt: Span::from_us(32),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    }
}

fn homa(change: impl FnOnce(&mut Params)) -> Homa {
    let mut params = Params::sigcomm18();
    change(&mut params);
    Homa::new(&params, &host()).unwrap()
}

fn sizes(bytes: &[u64]) -> Vec<Bytes> {
    bytes.iter().map(|size| Bytes::new(*size)).collect()
}

#[test]
fn rtt_bytes_are_the_bandwidth_delay_product_in_whole_packets() {
    // 25 Gb/s · 32 µs = 100 000 bytes, one hundred packets.
    assert_eq!(homa(|_| {}).rtt_bytes(), Bytes::new(100_000));
    // 90.5 packets are 91.
    let powertcp = Homa::new(&Params::powertcp_nsdi22(), &host()).unwrap();
    assert_eq!(powertcp.rtt_bytes(), Bytes::new(91_000));
    assert_eq!(powertcp.policy(&[]).overcommitment(), 1);
}

#[test]
fn levels_are_split_by_the_share_of_blind_bytes() {
    // Ten messages of 10 kB are blind, 100 kB; of one of 300 kB another 100 kB: 200 of 400 kB. Half of 8 is 4.
    let mut all = sizes(&[10_000; 10]);
    all.push(Bytes::new(300_000));
    let policy = homa(|_| {}).policy(&all);
    assert_eq!((policy.scheduled_levels(), policy.overcommitment()), (4, 4));
    // All blind: one level is left for grants. Next to nothing blind: one level is left for that.
    assert_eq!(homa(|_| {}).policy(&sizes(&[1_000; 5])).scheduled_levels(), 1);
    assert_eq!(homa(|_| {}).policy(&sizes(&[u64::MAX; 3])).scheduled_levels(), 7);
}

#[test]
fn each_blind_level_carries_the_same_bytes() {
    // D = 4 leaves 4 levels. Blind bytes: 8 · 500 = 4000, 4 · 1000 = 4000, 1 · 4000, 1 · 4000: 4000 each.
    let mut all = sizes(&[500; 8]);
    all.extend(sizes(&[1_000, 1_000, 1_000, 1_000, 4_000, 4_000]));
    let policy = homa(|params| params.overcommitment = Some(4)).policy(&all);
    let levels: Vec<u8> =
        [1, 500, 501, 1_000, 1_001, 4_000].map(|size| policy.blind_level(Bytes::new(size))).into();
    // The third threshold is met by the first message of 4000 bytes, so the last level has only longer ones.
    assert_eq!(levels, [7, 7, 6, 6, 5, 5]);
    assert_eq!(policy.blind_level(Bytes::new(4_001)), 4);
    assert_eq!(policy.blind_level(Bytes::MAX), 4);
    assert_eq!(policy.control_level(), 7);
}

#[test]
fn without_sizes_the_cut_offs_split_rtt_bytes_evenly() {
    // D = 4 leaves 4 levels: 25, 50 and 75 kB.
    let policy = homa(|params| params.overcommitment = Some(4)).policy(&[]);
    let level = |size| policy.blind_level(Bytes::new(size));
    assert_eq!([25_000, 25_001, 50_001, 75_001, 1_000_000].map(level), [7, 6, 5, 4, 4]);
}

#[test]
fn scheduled_levels_are_used_from_the_lowest_up_and_the_shortest_is_highest() {
    let policy = homa(|params| params.overcommitment = Some(4)).policy(&[]);
    let levels = |granted: usize| -> Vec<u8> {
        (0..granted).map(|rank| policy.scheduled_level(rank, granted)).collect()
    };
    let expected: [Vec<u8>; 4] = [[0].into(), [1, 0].into(), [2, 1, 0].into(), [3, 2, 1, 0].into()];
    assert_eq!([1, 2, 3, 4].map(levels), expected);
    // Two levels for four messages: those that are too many share the highest.
    let few = homa(|params| (params.overcommitment, params.unscheduled_levels) = (Some(4), Some(6)));
    let few = few.policy(&[]);
    assert_eq!([0, 1, 2, 3].map(|rank| few.scheduled_level(rank, 4)), [1, 1, 1, 0]);
}

#[test]
fn the_first_messages_of_different_senders_are_chosen() {
    let policy = homa(|params| params.overcommitment = Some(2)).policy(&[]);
    let candidates = [(10, 7), (11, 7), (12, 8), (13, 9)];
    let by_remaining = candidates.into_iter().map(|(message, sender)| Candidate { message, sender });
    let chosen: Vec<u64> = policy.choose(by_remaining).as_slice().iter().map(|one| one.message).collect();
    assert_eq!(chosen, [10, 12]);
}

#[test]
fn a_grant_reaches_rtt_bytes_ahead_the_budget_or_the_end_of_the_message() {
    let policy = homa(|_| {}).policy(&[]);
    let to = |length, received, left| {
        policy.grant_to(Bytes::new(length), Bytes::new(received), Bytes::new(left)).get()
    };
    assert_eq!(to(1_000_000, 40_000, u64::MAX), 140_000);
    assert_eq!(to(1_000_000, 40_000, 3_000), 43_000);
    assert_eq!(to(120_000, 40_000, u64::MAX), 120_000);
    assert_eq!(to(u64::MAX, u64::MAX - 1, u64::MAX), u64::MAX);
    assert_eq!(policy.budget().get(), 100_000 * u64::from(policy.overcommitment()));
}

#[test]
fn one_level_is_for_everything() {
    let policy = homa(|params| params.levels = 1).policy(&sizes(&[1_000, 1_000_000]));
    assert_eq!((policy.blind_level(Bytes::new(1)), policy.blind_level(Bytes::MAX)), (0, 0));
    assert_eq!((policy.scheduled_level(0, 5), policy.control_level()), (0, 0));
}

#[test]
fn blind_levels_that_leave_none_for_grants_are_refused() {
    let params = Params { unscheduled_levels: Some(8), ..Params::sigcomm18() };
    let error = Homa::new(&params, &host()).unwrap_err().to_string();
    assert_eq!(error, "`unscheduled_levels = 8` leaves none for granted bytes of `levels = 8`");
}

#[test]
fn as_a_window_it_is_rtt_bytes_at_line_rate() {
    let homa = homa(|_| {});
    let (mut flow, first) = homa.start(&Path { base_rtt: Span::from_us(32), hops: 1, seed: 0 });
    assert_eq!((first.window, first.pacing), (Bytes::new(100_000), Rate::from_gbps(25)));
    assert_eq!(homa.on_timeout(&mut flow, &Timeout::default()), first);
}
