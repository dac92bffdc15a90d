//! Runs a setup, on one thread or on many, with the same result.
//!
//! The network is cut into parts that advance in windows as long as the shortest link between
//! parts: what a part does in a window reaches another only in a later one. After each window the
//! parts exchange what crosses. A part's events depend only on its own state and on what came in,
//! and at equal times they come in a fixed order, so that the cut cannot be told from the result.

use crate::crossing::Crossing;
use crate::partition::Partition;
use crate::record::Outcome;
use crate::setup::Setup;
use crate::shared::Shared;
use plimsoll_cc::{CongestionControl, ParamError};
use plimsoll_scenario::Network;
use plimsoll_transport::Stack;
use plimsoll_units::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};

/// Watches a run from outside, and can stop it.
#[derive(Debug, Default)]
pub struct Control {
    /// Set it, and the run ends soon, with what it has.
    pub stop: AtomicBool,
    /// How far the run is, in picoseconds.
    pub now: AtomicU64,
    /// Packet-hops so far.
    pub packet_hops: AtomicU64,
}

/// How often the outside is looked at, in events' time: 10 µs.
const GLANCE: u64 = 10_000_000;

/// Runs the setup under a law, on `threads` threads.
///
/// # Errors
/// If a parameter of the switches is out of bounds.
pub fn run<L>(
    setup: Setup,
    stack: Stack<L>,
    threads: usize,
    control: &Control,
) -> Result<Outcome, ParamError<'static>>
where
    L: CongestionControl + Send + Sync,
    L::Flow: Send,
{
    let shared = Shared::new(setup, stack)?;
    let end = shared.setup.end.as_ps();
    let part_of = cut(&shared.setup.network, threads);
    let parts = part_of.iter().max().map_or(1, |part| usize::from(*part) + 1);
    let window = lookahead(&shared.setup, &part_of);
    let mut outcome = if parts == 1 || window == 0 {
        let part_of = vec![0; part_of.len()];
        let mut partition = Partition::new(&shared, &part_of, 0);
        let mut until = 0;
        while until < end && !control.stop.load(Ordering::Relaxed) {
            let next = partition.next_event();
            if next == u64::MAX || next > end {
                break;
            }
            until = next.saturating_add(GLANCE).min(end);
            partition.run_until(until);
            control.now.store(until, Ordering::Relaxed);
            control.packet_hops.store(partition.totals.packet_hops, Ordering::Relaxed);
        }
        partition.finish()
    } else {
        run_parts(&shared, &part_of, parts, window, control)
    };
    outcome.sent.sort_by_key(|sent| sent.message);
    outcome.delivered.sort_by_key(|delivered| delivered.message);
    outcome.ended.sort_by_key(|ended| ended.connection);
    outcome.partial = control.stop.load(Ordering::Relaxed);
    Ok(outcome)
}

/// What parts handed over, by part.
type Inbox = Vec<(u16, Vec<Crossing>)>;

/// A thread that panics would leave the others waiting for it; the run cannot go on, so all end.
struct EndAllOnPanic;

impl Drop for EndAllOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// What the threads agree on between two windows.
struct Meeting {
    barrier: Barrier,
    /// For each part, what the others handed over to it.
    inboxes: Vec<Mutex<Inbox>>,
    /// When each part's next event is due.
    next: Vec<AtomicU64>,
    hops: Vec<AtomicU64>,
    stop: AtomicBool,
}

fn run_parts<L>(shared: &Shared<L>, part_of: &[u16], parts: usize, window: u64, control: &Control) -> Outcome
where
    L: CongestionControl + Send + Sync,
    L::Flow: Send,
{
    let meeting = Meeting {
        barrier: Barrier::new(parts),
        inboxes: (0..parts).map(|_| Mutex::new(Vec::new())).collect(),
        next: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        hops: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        stop: AtomicBool::new(false),
    };
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..parts as u16)
            .map(|part| {
                let meeting = &meeting;
                scope.spawn(move || run_part(shared, part_of, part, window, meeting, control))
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let mut all = Outcome::default();
    for outcome in outcomes {
        all.sent.extend(outcome.sent);
        all.delivered.extend(outcome.delivered);
        all.ended.extend(outcome.ended);
        all.totals.merge(&outcome.totals);
        all.now = all.now.max(outcome.now);
        all.longest_waits.resize(outcome.longest_waits.len(), 0);
        for (longest, wait) in all.longest_waits.iter_mut().zip(outcome.longest_waits) {
            *longest = wait.max(*longest);
        }
    }
    all
}

fn run_part<L: CongestionControl>(
    shared: &Shared<L>,
    part_of: &[u16],
    part: u16,
    window: u64,
    meeting: &Meeting,
    control: &Control,
) -> Outcome {
    let _guard = EndAllOnPanic;
    let end = shared.setup.end.as_ps();
    let mut partition = Partition::new(shared, part_of, part);
    loop {
        meeting.next[usize::from(part)].store(partition.next_event(), Ordering::Relaxed);
        meeting.hops[usize::from(part)].store(partition.totals.packet_hops, Ordering::Relaxed);
        if part == 0 {
            meeting.stop.store(control.stop.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        meeting.barrier.wait();
        // Idle time is skipped: the window begins at the first event of any part.
        let begin = meeting.next.iter().map(|next| next.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX);
        if begin == u64::MAX || begin > end || meeting.stop.load(Ordering::Relaxed) {
            break;
        }
        // The last moment before anything that is sent in this window can arrive.
        let until = begin.saturating_add(window - 1).min(end);
        partition.run_until(until);
        partition.export(until);
        for (to, crossings) in sorted_out(&mut partition, part_of) {
            lock(&meeting.inboxes[usize::from(to)]).push((part, crossings));
        }
        if part == 0 {
            control.now.store(until, Ordering::Relaxed);
            let hops = meeting.hops.iter().map(|hops| hops.load(Ordering::Relaxed)).sum();
            control.packet_hops.store(hops, Ordering::Relaxed);
        }
        meeting.barrier.wait();
        let mut inbox = std::mem::take(&mut *lock(&meeting.inboxes[usize::from(part)]));
        inbox.sort_by_key(|(from, _)| *from);
        for (_, crossings) in inbox {
            for crossing in crossings {
                partition.import(crossing);
            }
        }
    }
    partition.finish()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A part that panicked takes the run with it anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The part's outbox by receiving part.
fn sorted_out<L: CongestionControl>(
    partition: &mut Partition<'_, L>,
    part_of: &[u16],
) -> Vec<(u16, Vec<Crossing>)> {
    let mut by_part: Vec<(u16, Vec<Crossing>)> = Vec::new();
    let network = &partition.shared.setup.network;
    for crossing in std::mem::take(&mut partition.outbox) {
        let to = part_of[crossing.node(network) as usize];
        match by_part.iter_mut().find(|(part, _)| *part == to) {
            Some((_, crossings)) => crossings.push(crossing),
            None => by_part.push((to, vec![crossing])),
        }
    }
    by_part
}

/// Cuts the network into at most `parts` parts: racks stay whole, the switches above are dealt out.
fn cut(network: &Network, parts: usize) -> Vec<u16> {
    let hosts = network.hosts as usize;
    let mut part_of = vec![u16::MAX; network.nodes() as usize];
    let mut racks: Vec<u32> = Vec::new();
    let mut rack_of_host = vec![u32::MAX; hosts];
    for link in &network.links {
        for (host, other) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
            if (host as usize) < hosts {
                rack_of_host[host as usize] = other;
            }
        }
    }
    for rack in &rack_of_host {
        if *rack != u32::MAX && *rack as usize >= hosts && !racks.contains(rack) {
            racks.push(*rack);
        }
    }
    let parts = parts.clamp(1, racks.len().max(1)).min(usize::from(u16::MAX));
    for (index, rack) in racks.iter().enumerate() {
        part_of[*rack as usize] = (index * parts / racks.len().max(1)) as u16;
    }
    for (host, rack) in rack_of_host.iter().enumerate() {
        part_of[host] = part_of.get(*rack as usize).copied().filter(|part| *part != u16::MAX).unwrap_or(0);
    }
    let above = (hosts..part_of.len()).filter(|node| part_of[*node] == u16::MAX).collect::<Vec<_>>();
    for (index, node) in above.iter().enumerate() {
        part_of[*node] = (index * parts / above.len()) as u16;
    }
    part_of
}

/// How far parts may run apart: the shortest way from one to another.
fn lookahead(setup: &Setup, part_of: &[u16]) -> u64 {
    let crosses =
        |link: &&plimsoll_scenario::Link| part_of[link.ends[0] as usize] != part_of[link.ends[1] as usize];
    setup
        .network
        .links
        .iter()
        .filter(crosses)
        .map(|link| link.delay.as_ps())
        .min()
        .unwrap_or(Time::NEVER.as_ps())
}
