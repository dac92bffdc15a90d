//! Whether a shortest path leads through given switches.

use super::Network;
use std::collections::{HashMap, HashSet, VecDeque};

impl Network {
    /// The first of these pairs of hosts, if any, that no shortest path joins which passes every waypoint: for each
    /// waypoint one of its switches.
    #[must_use]
    pub fn unpinnable(&self, pairs: &[(u32, u32)], waypoints: &[Vec<u32>]) -> Option<(u32, u32)> {
        let neighbours = self.neighbours();
        let passed = self.passed(waypoints);
        let rack = |host: u32| neighbours[host as usize].first().copied();
        let mut distances: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut known: HashSet<(u32, u32)> = HashSet::new();
        pairs.iter().copied().find(|&(from, to)| {
            let (Some(first), Some(last)) = (rack(from), rack(to)) else { return true };
            if !known.insert((first, last)) {
                return false;
            }
            let distance = distances.entry(last).or_insert_with(|| self.distances(&neighbours, last));
            let all = (1_u32 << waypoints.len()) - 1;
            !reaches_all(&neighbours, distance, &passed, first, all)
        })
    }

    fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.nodes() as usize];
        for link in &self.links {
            let [a, b] = link.ends;
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours
    }

    /// For each node the waypoints that it is, as bits.
    fn passed(&self, waypoints: &[Vec<u32>]) -> Vec<u32> {
        let mut passed = vec![0; self.nodes() as usize];
        for (bit, nodes) in waypoints.iter().enumerate() {
            for &node in nodes {
                passed[node as usize] |= 1 << bit;
            }
        }
        passed
    }

    /// Links between each switch and `goal`; `u32::MAX` = no way.
    fn distances(&self, neighbours: &[Vec<u32>], goal: u32) -> Vec<u32> {
        let mut distance = vec![u32::MAX; neighbours.len()];
        distance[goal as usize] = 0;
        let mut queue = VecDeque::from([goal]);
        while let Some(node) = queue.pop_front() {
            for &next in neighbours[node as usize].iter().filter(|&&next| next >= self.hosts) {
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[node as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        distance
    }
}

/// Whether a shortest path from `first` down to distance 0 passes all waypoints.
fn reaches_all(neighbours: &[Vec<u32>], distance: &[u32], passed: &[u32], first: u32, all: u32) -> bool {
    if distance[first as usize] == u32::MAX {
        return false;
    }
    let mut seen = HashSet::new();
    let mut open = vec![(first, passed[first as usize])];
    while let Some((node, so_far)) = open.pop() {
        let here = distance[node as usize];
        if here == 0 && so_far == all {
            return true;
        }
        for &next in &neighbours[node as usize] {
            let closer = distance[next as usize].checked_add(1) == Some(here);
            let state = (next, so_far | passed[next as usize]);
            if closer && seen.insert(state) {
                open.push(state);
            }
        }
    }
    false
}
