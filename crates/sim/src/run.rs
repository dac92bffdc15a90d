//! Runs a setup, on one thread or on many, with the same result.
//!
//! The network is cut into parts that advance in windows as long as the shortest link between
//! parts: what a part does in a window reaches another only in a later one. After each window the
//! parts exchange what crosses. A part's events depend only on its own state and on what came in,
//! and at equal times they come in a fixed order, so that the cut cannot be told from the result.

use crate::capture::Tap;
use crate::crossing::Parcel;
use crate::partition::Partition;
use crate::record::Outcome;
use crate::sample::Recorder;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::simulate::SimError;
use plimsoll_cc::CongestionControl;
use plimsoll_metrics::{Sample, Sink};
use plimsoll_scenario::Network;
use plimsoll_transport::Stack;
use plimsoll_units::{Bytes, Time};
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
    /// Packets to be captured.
    pub tap: Option<Tap>,
    /// Called when the run enters a phase.
    pub on_phase: Option<PhaseHook>,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Everything is set up; the first event follows.
    Running,
    /// The last event is over; what it yielded is not put together yet.
    Ended,
}

/// Somebody who wants to know when a run enters a phase.
pub struct PhaseHook(pub Box<dyn Fn(Phase) + Send + Sync>);

impl std::fmt::Debug for PhaseHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PhaseHook")
    }
}

impl Control {
    fn enter(&self, phase: Phase) {
        if let Some(PhaseHook(hook)) = &self.on_phase {
            hook(phase);
        }
    }
}

/// How often the outside is looked at, in events' time: 10 µs.
const GLANCE: u64 = 10_000_000;

/// Runs the setup under a law, on `threads` threads; what [`Setup::sampling`] asks for goes into `sink`
/// by time. Says how many parts it ran in, too: at most one per rack, and one if a link between parts has no
/// delay.
///
/// # Errors
/// If a parameter of the switches is out of bounds, or the sink takes no more.
pub fn run<L>(
    setup: Setup,
    stack: Stack<L>,
    threads: usize,
    control: &Control,
    sink: &mut (dyn Sink<Sample> + Send),
) -> Result<(Outcome, usize), SimError>
where
    L: CongestionControl + Send + Sync,
    L::Flow: Send,
{
    let shared = Shared::new(setup, stack)?;
    let part_of = cut(&shared.setup.network, threads);
    let parts = part_of.iter().max().map_or(1, |part| usize::from(*part) + 1);
    let window = lookahead(&shared.setup, &part_of);
    let mut recorder = Recorder::new(sink);
    let parts = if window == 0 { 1 } else { parts };
    let mut outcome = if parts == 1 {
        run_whole(&shared, control, &mut recorder)
    } else {
        run_parts(&shared, &part_of, parts, window, control, &mut recorder)
    };
    if let Some(error) = recorder.into_error() {
        return Err(SimError::Samples(error));
    }
    outcome.sent.sort_by_key(|sent| sent.message);
    outcome.delivered.sort_by_key(|delivered| delivered.message);
    outcome.ended.sort_by_key(|ended| ended.connection);
    outcome.open.sort_by_key(|open| open.connection);
    outcome.totals.seal();
    outcome.partial = control.stop.load(Ordering::Relaxed);
    Ok((outcome, parts))
}

/// Runs the network as one part.
fn run_whole<L: CongestionControl>(
    shared: &Shared<L>,
    control: &Control,
    recorder: &mut Recorder<'_>,
) -> Outcome {
    let end = shared.setup.end.as_ps();
    let part_of = vec![0; shared.setup.network.nodes() as usize];
    let mut partition = Partition::new(shared, &part_of, 0);
    if let Some(tap) = &control.tap {
        partition.attach(tap);
    }
    control.enter(Phase::Running);
    while !control.stop.load(Ordering::Relaxed) {
        let step = next_step(&partition, partition.next_event(), partition.now);
        match step {
            Step::Sample(at) => partition.sample(at),
            Step::End(at) => partition.sample_rest(at),
            Step::Run(begin) => {
                let until = begin.saturating_add(GLANCE).min(end).min(partition.next_sample());
                partition.run_until(until);
                if let Some(tap) = &control.tap {
                    tap.pass_on(partition.hand_over(tap, until));
                }
                control.now.store(until, Ordering::Relaxed);
                control.packet_hops.store(partition.totals.packet_hops, Ordering::Relaxed);
                continue;
            }
        }
        recorder.gather(partition.take_samples());
        if !recorder.hand_over() || matches!(step, Step::End(_)) {
            break;
        }
    }
    control.enter(Phase::Ended);
    partition.finish()
}

/// What all parts do next.
#[derive(Clone, Copy)]
enum Step {
    /// Look around at this moment, up to which everything has happened.
    Sample(u64),
    /// Go on from this moment.
    Run(u64),
    /// It is over, at this moment.
    End(u64),
}

/// `begin` is the time of the next event of any part, `latest` that of the last one. All parts come
/// to the same answer.
fn next_step<L: CongestionControl>(partition: &Partition<'_, L>, begin: u64, latest: u64) -> Step {
    let end = partition.shared.setup.end.as_ps();
    let over = begin == u64::MAX || begin > end;
    // All that happens up to here has happened.
    let known = if begin == u64::MAX { Some(latest) } else { begin.checked_sub(1).map(|time| time.min(end)) };
    match known {
        Some(known) if partition.next_sample() <= known => Step::Sample(partition.next_sample()),
        Some(known) if over => Step::End(known),
        _ => Step::Run(begin),
    }
}

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
struct Meeting<'a, 'b> {
    barrier: Barrier,
    /// What each part handed over to each, by giver and then by taker.
    parcels: Vec<Vec<Mutex<Parcel>>>,
    /// When each part's next event is due.
    next: Vec<AtomicU64>,
    hops: Vec<AtomicU64>,
    /// When each part's last event was.
    latest: Vec<AtomicU64>,
    stop: AtomicBool,
    /// Readings can no longer be stored.
    broken: AtomicBool,
    recorder: Mutex<&'a mut Recorder<'b>>,
}

fn run_parts<L>(
    shared: &Shared<L>,
    part_of: &[u16],
    parts: usize,
    window: u64,
    control: &Control,
    recorder: &mut Recorder<'_>,
) -> Outcome
where
    L: CongestionControl + Send + Sync,
    L::Flow: Send,
{
    let meeting = Meeting {
        barrier: Barrier::new(parts),
        parcels: (0..parts).map(|_| (0..parts).map(|_| Mutex::default()).collect()).collect(),
        next: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        hops: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        latest: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        stop: AtomicBool::new(false),
        broken: AtomicBool::new(false),
        recorder: Mutex::new(recorder),
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
        all.open.extend(outcome.open);
        all.totals.merge(&outcome.totals);
        all.now = all.now.max(outcome.now);
        all.longest_queues.resize(outcome.longest_queues.len(), Bytes::ZERO);
        for (longest, queue) in all.longest_queues.iter_mut().zip(outcome.longest_queues) {
            *longest = queue.max(*longest);
        }
    }
    all
}

fn run_part<L: CongestionControl>(
    shared: &Shared<L>,
    part_of: &[u16],
    part: u16,
    window: u64,
    meeting: &Meeting<'_, '_>,
    control: &Control,
) -> Outcome {
    let _guard = EndAllOnPanic;
    let end = shared.setup.end.as_ps();
    let mut partition = Partition::new(shared, part_of, part);
    if let Some(tap) = &control.tap {
        partition.attach(tap);
    }
    // All parts are set up when the last one comes.
    if meeting.barrier.wait().is_leader() {
        control.enter(Phase::Running);
    }
    loop {
        meeting.next[usize::from(part)].store(partition.next_event(), Ordering::Relaxed);
        meeting.hops[usize::from(part)].store(partition.totals.packet_hops, Ordering::Relaxed);
        meeting.latest[usize::from(part)].store(partition.now, Ordering::Relaxed);
        if part == 0 {
            meeting.stop.store(control.stop.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        meeting.barrier.wait();
        if meeting.stop.load(Ordering::Relaxed) {
            break;
        }
        // Idle time is skipped: the window begins at the first event of any part.
        let first = meeting.next.iter().map(|next| next.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX);
        let latest = meeting.latest.iter().map(|time| time.load(Ordering::Relaxed)).max().unwrap_or(0);
        let step = next_step(&partition, first, latest);
        let Step::Run(begin) = step else {
            let more = sample_together(&mut partition, step, meeting);
            if more { continue } else { break }
        };
        // The last moment before anything that is sent in this window can arrive.
        let until = begin.saturating_add(window - 1).min(end).min(partition.next_sample());
        partition.run_until(until);
        let captured_to = control.tap.as_ref().map(|tap| partition.hand_over(tap, until));
        partition.export(until);
        // The taker has emptied the last parcel.
        for (parcel, outbox) in meeting.parcels[usize::from(part)].iter().zip(&mut partition.outboxes) {
            std::mem::swap(outbox, &mut *lock(parcel));
        }
        if part == 0 {
            control.now.store(until, Ordering::Relaxed);
            let hops = meeting.hops.iter().map(|hops| hops.load(Ordering::Relaxed)).sum();
            control.packet_hops.store(hops, Ordering::Relaxed);
        }
        meeting.barrier.wait();
        // All parts have handed over, and none runs on before this one is at the barrier again.
        if let (0, Some(tap), Some(captured_to)) = (part, &control.tap, captured_to) {
            tap.pass_on(captured_to);
        }
        for parcels in &meeting.parcels {
            partition.import(&mut lock(&parcels[usize::from(part)]));
        }
    }
    if part == 0 {
        control.enter(Phase::Ended);
    }
    partition.finish()
}

/// All parts look around at the same moment, and the last of them hands over what they saw. Says
/// whether the run goes on.
fn sample_together<L: CongestionControl>(
    partition: &mut Partition<'_, L>,
    step: Step,
    meeting: &Meeting<'_, '_>,
) -> bool {
    match step {
        Step::Sample(at) => partition.sample(at),
        Step::End(at) => partition.sample_rest(at),
        Step::Run(_) => {}
    }
    lock(&meeting.recorder).gather(partition.take_samples());
    if meeting.barrier.wait().is_leader() {
        let wanted = lock(&meeting.recorder).hand_over();
        meeting.broken.store(!wanted, Ordering::Relaxed);
    }
    // Nobody gathers for the next moment before this one is handed over.
    meeting.barrier.wait();
    matches!(step, Step::Sample(_)) && !meeting.broken.load(Ordering::Relaxed)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A part that panicked takes the run with it anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
