//! When hosts' cards are free again, as the switch knows it: what a card's completions tell its host.
//!
//! Links of cards are emulated by the switch, which reads frames a little after hosts sent them, and much later if its
//! loop was away. A host that went by its own clock alone would pile up in the card what the loops lost.

use plimsoll_units::Time;
use std::sync::atomic::{AtomicU64, Ordering};

/// By host: the time in picoseconds at which what was read of it is sent.
#[derive(Debug)]
pub(crate) struct Cards(Vec<AtomicU64>);

impl Cards {
    pub(crate) fn new(hosts: u32) -> Self {
        Self((0..hosts).map(|_| AtomicU64::new(0)).collect())
    }

    /// The switch tells of all hosts, in their order.
    pub(crate) fn tell(&self, free_at: impl Fn(u32) -> Time) {
        for (host, place) in (0..).zip(&self.0) {
            place.store(free_at(host).as_ps(), Ordering::Relaxed);
        }
    }

    /// When a host's card has sent what the switch has read of it.
    pub(crate) fn free_at(&self, host: usize) -> Time {
        self.0.get(host).map_or(Time::ZERO, |place| Time::from_ps(place.load(Ordering::Relaxed)))
    }
}
