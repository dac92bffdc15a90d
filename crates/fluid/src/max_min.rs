//! The max-min fair allocation: no flow can have more unless a flow that has no more gets less.
//!
//! Progressive filling: all rates rise together; when a link is full, its flows stop there and
//! the others go on. A flow's rate is then that of its *bottleneck*: a full link on which no flow
//! is faster. That a bottleneck exists for every flow is also the test of the allocation.
//!
//! Source: Bertsekas and Gallager, "Data Networks", §6.5.2.

use plimsoll_units::Rate;
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

/// The rate of each flow. A link that stands twice in a path counts once.
///
/// ```
/// use plimsoll_fluid::max_min::allocate;
/// use plimsoll_units::Rate;
/// // A long flow over two links, a short one on each; the second link is slower.
/// let links = [Rate::from_gbps(10), Rate::from_gbps(4)];
/// let rates = allocate(&links, &[vec![0, 1], vec![0], vec![1]]).unwrap();
/// assert_eq!(rates, [Rate::from_gbps(2), Rate::from_gbps(8), Rate::from_gbps(2)]);
/// ```
///
/// # Errors
/// If a flow crosses an unknown link or none.
pub fn allocate(capacities: &[Rate], paths: &[Vec<Link>]) -> Result<Vec<Rate>, Error> {
    check(capacities, paths)?;
    let mut rates: Vec<Option<f64>> = vec![None; paths.len()];
    while rates.contains(&None) {
        // The link that fills first: the smallest share of what its settled flows leave.
        let mut fullest: Option<(Link, f64)> = None;
        for (link, capacity) in capacities.iter().enumerate() {
            let (mut left, mut rising) = (capacity.as_bps_f64(), 0_u32);
            for (_, rate) in paths.iter().zip(&rates).filter(|(path, _)| path.contains(&link)) {
                match rate {
                    Some(rate) => left -= rate,
                    None => rising += 1,
                }
            }
            let share = left.max(0.0) / f64::from(rising);
            if rising > 0 && fullest.is_none_or(|(_, least)| share < least) {
                fullest = Some((link, share));
            }
        }
        // Every rising flow crosses a link, so there is one.
        let Some((link, share)) = fullest else { break };
        for (path, rate) in paths.iter().zip(&mut rates) {
            if rate.is_none() && path.contains(&link) {
                *rate = Some(share);
            }
        }
    }
    Ok(rates.into_iter().map(|rate| Rate::saturating_from_bps_f64(rate.unwrap_or(0.0))).collect())
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
        let rates = allocate(&gbps(&[1.0; 3]), &paths).unwrap();
        assert_eq!(rates, gbps(&[2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]));
    }

    /// A parking lot: a long flow over n links with one short flow on each gets half, whatever n.
    #[test]
    fn in_a_parking_lot_everybody_gets_half() {
        let mut paths: Vec<Vec<Link>> = (0..5).map(|link| vec![link]).collect();
        paths.push((0..5).collect());
        assert_eq!(allocate(&gbps(&[10.0; 5]), &paths).unwrap(), gbps(&[5.0; 6]));
    }

    /// Poseidon's Fig. 14 at (M, N) = (2, 9): the victim shares a link with 2 flows and another
    /// with 9: it gets 200/10 = 20, and the two share 200 − 20 = 180 on the first link.
    #[test]
    fn the_victim_of_two_hops_gets_the_share_of_the_worse() {
        let mut paths = vec![vec![0, 1], vec![0], vec![0]];
        paths.extend(vec![vec![1]; 9]);
        let rates = allocate(&gbps(&[200.0, 200.0]), &paths).unwrap();
        assert_eq!(rates[..3], gbps(&[20.0, 90.0, 90.0])[..]);
        assert!(rates[3..].iter().all(|&rate| rate == Rate::from_gbps(20)));
    }

    #[test]
    fn a_dead_link_stops_only_its_own_flows() {
        let rates = allocate(&gbps(&[0.0, 1.0]), &[vec![0, 1], vec![1]]).unwrap();
        assert_eq!(rates, gbps(&[0.0, 1.0]));
    }

    #[test]
    fn paths_that_make_no_sense_are_named() {
        assert_eq!(allocate(&gbps(&[1.0]), &[vec![0], vec![]]), Err(Error::NoLink { flow: 1 }));
        let unknown = allocate(&gbps(&[1.0]), &[vec![3]]).unwrap_err();
        assert_eq!(unknown.to_string(), "flow 0 crosses link 3, but there are 1 links, from 0");
        assert_eq!(allocate(&[], &[]), Ok(vec![]));
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
            let rates = allocate(&capacities, &paths).unwrap();
            // Each rate is rounded to a whole bit per second.
            let slack = paths.len() as f64;
            let load = |link: Link| -> f64 {
                let on_link = paths.iter().zip(&rates).filter(|(path, _)| path.contains(&link));
                on_link.map(|(_, rate)| rate.as_bps_f64()).sum()
            };
            for (link, capacity) in capacities.iter().enumerate() {
                prop_assert!(load(link) <= capacity.as_bps_f64() + slack);
            }
            for (path, rate) in paths.iter().zip(&rates) {
                let is_bottleneck = |&&link: &&Link| {
                    let full = load(link) >= capacities[link].as_bps_f64() - slack;
                    let others = paths.iter().zip(&rates).filter(|(other, _)| other.contains(&link));
                    full && others.map(|(_, other)| other.as_bps()).max() <= Some(rate.as_bps() + 1)
                };
                prop_assert!(path.iter().find(is_bottleneck).is_some());
            }
        }
    }
}
