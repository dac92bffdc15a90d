//! The max-min fair allocation: no flow can have more unless a flow that has no more gets less.
//!
//! Progressive filling: all rates rise together; when a link is full, its flows stop there and
//! the others go on. A flow's rate is then that of its *bottleneck*: a full link on which no flow
//! is faster. That a bottleneck exists for every flow is also the test of the allocation.
//!
//! Source: Bertsekas and Gallager, "Data Networks", §6.5.2.

use plimsoll_units::Rate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// A link of the network, by its place in the list of capacities.
pub type Link = usize;

/// Why there is no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A flow names a link that is not in the list.
    UnknownLink {
        /// The flow, by its place in the list of paths.
        flow: usize,
        /// The link it names.
        link: Link,
        /// How many links there are.
        links: usize,
    },
    /// A flow that crosses no link has no limit.
    NoLink {
        /// The flow.
        flow: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownLink { flow, link, links } => {
                write!(f, "flow {flow} crosses link {link}, but there are {links} links, from 0")
            }
            Self::NoLink { flow } => write!(f, "flow {flow} crosses no link, so nothing limits its rate"),
        }
    }
}

impl std::error::Error for Error {}

/// The rate of each flow, and what limits it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The rate of each flow.
    pub rates: Vec<Rate>,
    /// Of each flow the link that stops it: full, and nobody on it is faster.
    pub bottlenecks: Vec<Link>,
}

/// The rate of each flow. A link that stands twice in a path counts once.
///
/// ```
/// use plimsoll_fluid::max_min::allocate;
/// use plimsoll_units::Rate;
/// // A long flow over two links, a short one on each; the second link is slower.
/// let links = [Rate::from_gbps(10), Rate::from_gbps(4)];
/// let fair = allocate(&links, &[vec![0, 1], vec![0], vec![1]]).unwrap();
/// assert_eq!(fair.rates, [Rate::from_gbps(2), Rate::from_gbps(8), Rate::from_gbps(2)]);
/// assert_eq!(fair.bottlenecks, [1, 0, 1]);
/// ```
///
/// # Errors
/// If a flow crosses an unknown link or none.
pub fn allocate(capacities: &[Rate], paths: &[Vec<Link>]) -> Result<Allocation, Error> {
    check(capacities, paths)?;
    let mut filling = Filling::new(capacities, paths);
    while let Some((link, share)) = filling.fills_first() {
        filling.stop_flows_of(link, share);
    }
    // Every flow crosses a link, so each has been stopped.
    let (bottlenecks, rates) = filling.stopped.into_iter().flatten().unzip();
    Ok(Allocation { rates, bottlenecks })
}

/// Links while rates rise.
struct Filling<'p> {
    paths: &'p [Vec<Link>],
    /// Of each link what its stopped flows leave, in bit/s.
    left: Vec<f64>,
    /// Of each link the flows that still rise.
    rising: Vec<u32>,
    /// Of each link all its flows.
    flows_of: Vec<Vec<usize>>,
    /// Links that have not stopped their flows, the smallest share first. Shares only grow while others stop, so
    /// one that is out of date stands too far in front, and is put back when it is met.
    open: BinaryHeap<Reverse<(u64, Link)>>,
    /// Of each flow that no longer rises the link that stopped it, and the rate.
    stopped: Vec<Option<(Link, Rate)>>,
}

impl<'p> Filling<'p> {
    fn new(capacities: &[Rate], paths: &'p [Vec<Link>]) -> Self {
        let mut flows_of: Vec<Vec<usize>> = vec![Vec::new(); capacities.len()];
        for (flow, path) in paths.iter().enumerate() {
            for &link in path {
                if flows_of[link].last() != Some(&flow) {
                    flows_of[link].push(flow);
                }
            }
        }
        Self {
            paths,
            left: capacities.iter().map(|rate| rate.as_bps_f64()).collect(),
            rising: flows_of.iter().map(|flows| flows.len() as u32).collect(),
            // Doubles that are not negative are in the order of their bits.
            open: (0..capacities.len()).map(|link| Reverse((0, link))).collect(),
            flows_of,
            stopped: vec![None; paths.len()],
        }
    }

    /// The link with the smallest share for those that still rise, the first of several, and that share.
    fn fills_first(&mut self) -> Option<(Link, f64)> {
        while let Some(Reverse((known, link))) = self.open.pop() {
            if self.rising[link] == 0 {
                continue;
            }
            let share = self.left[link].max(0.0) / f64::from(self.rising[link]);
            if share.to_bits() <= known {
                return Some((link, share));
            }
            self.open.push(Reverse((share.to_bits(), link)));
        }
        None
    }

    fn stop_flows_of(&mut self, link: Link, share: f64) {
        for &flow in &self.flows_of[link] {
            if self.stopped[flow].is_some() {
                continue;
            }
            self.stopped[flow] = Some((link, Rate::saturating_from_bps_f64(share)));
            let path = &self.paths[flow];
            for (place, &crossed) in path.iter().enumerate() {
                if !path[..place].contains(&crossed) {
                    self.left[crossed] -= share;
                    self.rising[crossed] -= 1;
                }
            }
        }
    }
}

fn check(capacities: &[Rate], paths: &[Vec<Link>]) -> Result<(), Error> {
    let links = capacities.len();
    for (flow, path) in paths.iter().enumerate() {
        if path.is_empty() {
            return Err(Error::NoLink { flow });
        }
        if let Some(&link) = path.iter().find(|&&link| link >= links) {
            return Err(Error::UnknownLink { flow, link, links });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gbps(rates: &[f64]) -> Vec<Rate> {
        rates.iter().map(|&rate| Rate::saturating_from_bps_f64(rate * 1e9)).collect()
    }

    /// Three flows share link 1 and get 1/3 each; one of them also crosses link 0, where another
    /// flow then finds 2/3; link 2 carries a flow alone.
    #[test]
    fn three_on_one_link_leave_two_thirds_to_the_neighbour() {
        let paths = [vec![0], vec![0, 1], vec![1], vec![1], vec![2]];
        let rates = allocate(&gbps(&[1.0; 3]), &paths).unwrap().rates;
        assert_eq!(rates, gbps(&[2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]));
    }

    /// A parking lot: a long flow over n links with one short flow on each gets half, whatever n.
    #[test]
    fn in_a_parking_lot_everybody_gets_half() {
        let mut paths: Vec<Vec<Link>> = (0..5).map(|link| vec![link]).collect();
        paths.push((0..5).collect());
        assert_eq!(allocate(&gbps(&[10.0; 5]), &paths).unwrap().rates, gbps(&[5.0; 6]));
    }

    /// Poseidon's Fig. 14 at (M, N) = (2, 9): the victim shares a link with 2 flows and another
    /// with 9: it gets 200/10 = 20, and the two share 200 − 20 = 180 on the first link.
    #[test]
    fn the_victim_of_two_hops_gets_the_share_of_the_worse() {
        let mut paths = vec![vec![0, 1], vec![0], vec![0]];
        paths.extend(vec![vec![1]; 9]);
        let Allocation { rates, bottlenecks } = allocate(&gbps(&[200.0, 200.0]), &paths).unwrap();
        assert_eq!(bottlenecks[..4], [1, 0, 0, 1]);
        assert_eq!(rates[..3], gbps(&[20.0, 90.0, 90.0])[..]);
        assert!(rates[3..].iter().all(|&rate| rate == Rate::from_gbps(20)));
    }

    #[test]
    fn a_dead_link_stops_only_its_own_flows() {
        let rates = allocate(&gbps(&[0.0, 1.0]), &[vec![0, 1], vec![1]]).unwrap().rates;
        assert_eq!(rates, gbps(&[0.0, 1.0]));
    }

    #[test]
    fn paths_that_make_no_sense_are_named() {
        assert_eq!(allocate(&gbps(&[1.0]), &[vec![0], vec![]]), Err(Error::NoLink { flow: 1 }));
        let unknown = allocate(&gbps(&[1.0]), &[vec![3]]).unwrap_err();
        assert_eq!(unknown.to_string(), "flow 0 crosses link 3, but there are 1 links, from 0");
        assert_eq!(allocate(&[], &[]), Ok(Allocation::default()));
    }

    proptest! {
        /// The definition: links are not overfull, and every flow has a bottleneck.
        #[test]
        fn every_flow_has_a_full_link_on_which_nobody_is_faster(
            capacities in prop::collection::vec(1_u64..400, 1..8),
            draws in prop::collection::vec(prop::collection::vec(0_usize..8, 1..5), 1..20),
        ) {
            let capacities: Vec<Rate> = capacities.into_iter().map(Rate::from_gbps).collect();
            let paths: Vec<Vec<Link>> = draws
                .into_iter()
                .map(|path| path.into_iter().map(|link| link % capacities.len()).collect())
                .collect();
            let Allocation { rates, bottlenecks } = allocate(&capacities, &paths).unwrap();
            // Each rate is rounded to a whole bit per second.
            let slack = paths.len() as f64;
            let load = |link: Link| -> f64 {
                let on_link = paths.iter().zip(&rates).filter(|(path, _)| path.contains(&link));
                on_link.map(|(_, rate)| rate.as_bps_f64()).sum()
            };
            for (link, capacity) in capacities.iter().enumerate() {
                prop_assert!(load(link) <= capacity.as_bps_f64() + slack);
            }
            for ((path, rate), &link) in paths.iter().zip(&rates).zip(&bottlenecks) {
                prop_assert!(path.contains(&link));
                prop_assert!(load(link) >= capacities[link].as_bps_f64() - slack);
                let others = paths.iter().zip(&rates).filter(|(other, _)| other.contains(&link));
                prop_assert!(others.map(|(_, other)| other.as_bps()).max() <= Some(rate.as_bps() + 1));
            }
        }
    }
}
