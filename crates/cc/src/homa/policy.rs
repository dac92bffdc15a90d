//! Who is granted, how much, and at which level.

use plimsoll_units::Bytes;

/// Switches have at most this many classes.
pub const MAX_LEVELS: usize = 8;
/// At most this many messages are granted at the same time.
pub const MAX_OVERCOMMITMENT: usize = 16;

/// HOMA's rules with all their numbers; see the [law](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    rtt_bytes: u64,
    levels: u8,
    /// Levels 0 … scheduled − 1 are for granted bytes.
    scheduled: u8,
    overcommitment: u8,
    /// The longest message of each blind level, the highest level first.
    cutoffs: [u64; MAX_LEVELS],
}

/// A message that could be granted more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The message.
    pub message: u64,
    /// Who sends it.
    pub sender: u32,
}

/// The messages that are granted, the shortest first.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    messages: [Candidate; MAX_OVERCOMMITMENT],
    count: u8,
}

impl Chosen {
    /// The messages, the shortest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Candidate] {
        self.messages.get(..usize::from(self.count)).unwrap_or(&self.messages)
    }
}

impl Policy {
    /// The rules for messages of these sizes, which come from the smallest to the largest. What is `None`
    /// follows from them. Without sizes the cut-offs split R evenly.
    pub(super) fn new(
        rtt_bytes: Bytes,
        levels: u32,
        overcommitment: Option<u32>,
        unscheduled_levels: Option<u32>,
        sizes: &[Bytes],
    ) -> Self {
        let levels = levels.clamp(1, MAX_LEVELS as u32) as u8;
        let most = levels.max(2) - 1;
        let unscheduled = match (unscheduled_levels, overcommitment) {
            (Some(count), _) => count.min(u32::from(most)) as u8,
            (None, Some(degree)) => levels.saturating_sub(degree.min(u32::from(most)) as u8),
            (None, None) => blind_share(rtt_bytes, sizes, levels),
        }
        .clamp(1, most);
        // The only level of a network without classes is both.
        let scheduled = levels.saturating_sub(unscheduled).max(1);
        let degree = overcommitment.unwrap_or(u32::from(scheduled));
        Self {
            rtt_bytes: rtt_bytes.get(),
            levels,
            scheduled,
            overcommitment: degree.clamp(1, MAX_OVERCOMMITMENT as u32) as u8,
            cutoffs: cutoffs(rtt_bytes.get(), unscheduled, sizes),
        }
    }

    /// U: the bytes of a message that are sent blindly.
    #[must_use]
    pub fn blind_bytes(&self, length: Bytes) -> Bytes {
        length.min(Bytes::new(self.rtt_bytes))
    }

    /// u(m): the level of a message's blind bytes.
    #[must_use]
    pub fn blind_level(&self, length: Bytes) -> u8 {
        let below = self.cutoffs.iter().take_while(|cutoff| length.get() > **cutoff).count();
        (self.levels - 1).saturating_sub(below as u8).max(self.first_blind_level())
    }

    /// The lowest level of blind bytes.
    fn first_blind_level(&self) -> u8 {
        self.scheduled.min(self.levels - 1)
    }

    /// The level of the `rank`-th of `granted` messages; rank 0 is the shortest.
    #[must_use]
    pub fn scheduled_level(&self, rank: usize, granted: usize) -> u8 {
        let longer = granted.saturating_sub(rank).saturating_sub(1);
        longer.min(usize::from(self.scheduled) - 1) as u8
    }

    /// The level of packets without data.
    #[must_use]
    pub fn control_level(&self) -> u8 {
        self.levels - 1
    }

    /// S: how many levels are for granted bytes.
    #[must_use]
    pub fn scheduled_levels(&self) -> u8 {
        self.scheduled
    }

    /// D.
    #[must_use]
    pub fn overcommitment(&self) -> u8 {
        self.overcommitment
    }

    /// R.
    #[must_use]
    pub fn rtt_bytes(&self) -> Bytes {
        Bytes::new(self.rtt_bytes)
    }

    /// What all granted messages together may have under way: D · R.
    #[must_use]
    pub fn budget(&self) -> Bytes {
        Bytes::new(self.rtt_bytes.saturating_mul(u64::from(self.overcommitment)))
    }

    /// The first D of messages that come by their remaining bytes, one per sender.
    #[must_use]
    pub fn choose(&self, by_remaining: impl Iterator<Item = Candidate>) -> Chosen {
        let mut chosen =
            Chosen { messages: [Candidate { message: 0, sender: 0 }; MAX_OVERCOMMITMENT], count: 0 };
        for candidate in by_remaining {
            if chosen.as_slice().iter().any(|other| other.sender == candidate.sender) {
                continue;
            }
            chosen.messages[usize::from(chosen.count)] = candidate;
            chosen.count += 1;
            if chosen.count >= self.overcommitment {
                break;
            }
        }
        chosen
    }

    /// G: how far a message of `length` bytes, of which `received` have arrived, is granted if the others leave
    /// it `left` bytes of the budget.
    #[must_use]
    pub fn grant_to(&self, length: Bytes, received: Bytes, left: Bytes) -> Bytes {
        received.saturating_add(left.min(Bytes::new(self.rtt_bytes))).min(length)
    }
}

/// How many of `levels` the blind bytes of these messages get: their share in all bytes.
fn blind_share(rtt_bytes: Bytes, sizes: &[Bytes], levels: u8) -> u8 {
    let sum = |of: &dyn Fn(u64) -> u64| sizes.iter().map(|size| u128::from(of(size.get()))).sum::<u128>();
    let (blind, all) = (sum(&|size| size.min(rtt_bytes.get())), sum(&|size| size).max(1));
    // Rounded to the nearest: (2 · L · blind + all) / (2 · all). Sums of 64-bit numbers leave room.
    ((2 * u128::from(levels) * blind + all) / (2 * all)).min(u128::from(levels)) as u8
}

/// The longest message of each of `count` levels, the highest first, so that each carries the same blind
/// bytes; the last one, and what is behind it, has no limit.
fn cutoffs(rtt_bytes: u64, count: u8, sizes: &[Bytes]) -> [u64; MAX_LEVELS] {
    let mut cutoffs = [u64::MAX; MAX_LEVELS];
    let last = usize::from(count).saturating_sub(1);
    if sizes.is_empty() {
        for (level, cutoff) in cutoffs.iter_mut().take(last).enumerate() {
            *cutoff = rtt_bytes / u64::from(count) * (level as u64 + 1);
        }
        return cutoffs;
    }
    let all: u128 = sizes.iter().map(|size| u128::from(size.get().min(rtt_bytes))).sum();
    let (mut level, mut below) = (0, 0_u128);
    for size in sizes {
        below += u128::from(size.get().min(rtt_bytes));
        while level < last && below * u128::from(count) >= all * (level as u128 + 1) {
            cutoffs[level] = size.get();
            level += 1;
        }
    }
    cutoffs
}
