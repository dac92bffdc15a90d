//! Theorem 1 of Poseidon (NSDI'23, App. E): in any network, from any windows, flows settle on the max-min fair
//! rates. 120 random networks, each from a random start.
//!
//! Both sides are independent: the fluid runs the law of `plimsoll-cc` against queues, the fair rates come from
//! water-filling, which knows nothing of windows and delays.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use plimsoll_cc::poseidon::{Params, Poseidon};
use plimsoll_cc::{Configure, CongestionControl, Host};
use plimsoll_fluid::max_min;
use plimsoll_fluid::network::{Feedback, Flow, Network};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// SplitMix64: the same networks on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % end
    }
}

const HOST: Host = Host {
    nic_rate: Rate::from_gbps(200),
    base_rtt: Span::from_us(6),
    mtu: Bytes::new(4_096),
    mss: Bytes::new(4_096),
};

fn law(start_cwnd: f64) -> Poseidon {
    Poseidon::new(&Params { start_cwnd, ..Params::nsdi23() }, &HOST).unwrap()
}

/// 2 to 6 links of 25 to 200 Gb/s; 2 to 12 flows over 1 to 4 of them, with round trips of 4 to 20 µs, that start
/// within the first half millisecond.
fn draw(draws: &mut Draws) -> Network {
    let links = 2 + draws.below(5);
    let capacities = (0..links).map(|_| Rate::from_gbps(25 << draws.below(4))).collect();
    let flows = (0..2 + draws.below(11)).map(|_| {
        let mut path: Vec<usize> = (0..1 + draws.below(4)).map(|_| draws.below(links) as usize).collect();
        path.sort_unstable();
        path.dedup();
        let start = Time::after_start(Span::from_us(draws.below(500)));
        Flow { links: path, start, base_rtt: Span::from_us(4 + draws.below(17)), acks_wait_in: vec![] }
    });
    let flows = flows.collect();
    Network { capacities, flows, feedback: Feedback::AtOnce }
}

#[test]
fn from_random_starts_poseidon_reaches_the_max_min_rates_of_120_random_networks() {
    let mut draws = Draws(1);
    let (mut worst, mut at) = (0.0_f64, 0);
    for index in 0..120 {
        let network = draw(&mut draws);
        let paths: Vec<_> = network.flows.iter().map(|flow| flow.links.clone()).collect();
        let fair = max_min::allocate(&network.capacities, &paths).unwrap().rates;
        // First windows from a hundredth of a packet to 100 packets; one bandwidth-delay product is 37.
        let starts: Vec<Poseidon> =
            fair.iter().map(|_| law(0.01 * 10_f64.powf(draws.below(5) as f64))).collect();
        let settled =
            network.settle_from(&law(1.0), Span::from_ms(10), |flow, path| starts[flow].start(path));
        for (ours, fair) in settled.rates.iter().zip(&fair) {
            let off = (*ours / *fair - 1.0).abs();
            if off > worst {
                (worst, at) = (off, index);
            }
        }
    }
    println!("the worst flow is {:.2} % off, in network {at}", 100.0 * worst);
    assert!(worst < 0.05, "a flow of network {at} is {:.1} % off", 100.0 * worst);
}
