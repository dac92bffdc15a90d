//! Laws with a reference window, and what decides when the reference moves.
//!
//! ```text
//! every ack:      candidate = f(reference, what the network says, n · additive increase)
//!                 window    = candidate
//! at a commit:    reference = candidate
//! ```
//!
//! HPCC brought this structure: each ack recomputes the window from the same reference, so that
//! ten acks that tell of one queue cause one reaction instead of ten, yet the first of them acts
//! at once. Two things can be exchanged independently:
//! - the [`ReferenceLaw`], which turns an ack and a reference into a candidate (HPCC, Swift in its
//!   reference form, PowerTCP's artifact form);
//! - the [`Mechanism`], which decides when a candidate becomes the reference and how many additive
//!   increases it contains: [`PerRound`] is the classical one, once per round trip and one;
//!   [`FastConvergence`](crate::fast_convergence::FastConvergence) has more of both.
//!
//! [`OnReference`] joins one of each to a [`CongestionControl`].

use crate::event::{Ack, Loss, Path, Timeout};
use crate::law::{CongestionControl, Decision};
use crate::round::{Round, RoundEvent, Updates};
use crate::signals::Signals;
use core::fmt::Debug;

/// What an ack says about congestion, in the law's own measure (HPCC: bytes of queue; Swift:
/// picoseconds of round trip).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// How much there is.
    pub level: f64,
    /// How much of it is no queue (Swift: the target delay; HPCC: 0).
    pub baseline: f64,
    /// Whether the law calls this congestion.
    pub congested: bool,
}

/// A law that computes windows from a reference. Windows are in the law's own unit; they stay
/// finite and positive.
pub trait ReferenceLaw: Clone + Debug {
    /// What the law remembers of a flow, besides the reference.
    type Memory: Copy + Debug;

    /// The signals that the law needs.
    fn needs(&self) -> Signals;

    /// A flow begins: its memory and its first window.
    fn begin(&self, path: &Path) -> (Self::Memory, f64);

    /// Takes in what an ack says; `None` if it says nothing that a window can be computed from.
    fn observe(&self, memory: &mut Self::Memory, ack: &Ack<'_>, reference: f64) -> Option<Congestion>;

    /// The window from this reference, with this many additive increases.
    fn candidate(&self, memory: &Self::Memory, reference: f64, increases: f64) -> f64;

    /// The last candidate became the reference.
    fn committed(&self, memory: &mut Self::Memory) {
        let _ = memory;
    }

    /// Which acks the law listens to.
    fn updates(&self) -> Updates {
        Updates::EveryAck
    }

    /// Whether a candidate below the reference may become the reference.
    fn heeds_decrease(&self, memory: &mut Self::Memory, reference: f64) -> bool {
        let _ = (memory, reference);
        true
    }

    /// The reference after a loss, if the law reacts to it.
    fn after_loss(&self, memory: &mut Self::Memory, reference: f64, loss: &Loss) -> Option<f64>;

    /// The reference after a timeout, if the law reacts to it.
    fn after_timeout(&self, memory: &mut Self::Memory, reference: f64, timeout: &Timeout) -> Option<f64>;

    /// The flow takes another path from now on; see [`CongestionControl::on_path_change`].
    fn path_changed(&self, memory: &mut Self::Memory) {
        let _ = memory;
    }

    /// Whether the path is congested; see [`CongestionControl::met_congestion`].
    fn met_congestion(&self, memory: &Self::Memory, ack: &Ack<'_>, reference: f64) -> Option<bool> {
        let _ = (memory, ack, reference);
        None
    }

    /// What a flow with this window may do.
    fn decision(&self, memory: &Self::Memory, window: f64) -> Decision;
}

/// Which way a candidate would move the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Below it.
    Down,
    /// To it or above it.
    Up,
}

/// What decides when the reference moves, and how strong the additive increase is.
pub trait Mechanism: Clone + Debug {
    /// What it remembers of a flow.
    type State: Copy + Debug + Default;

    /// An ack told of this congestion.
    fn observe(&self, state: &mut Self::State, congestion: &Congestion);

    /// The round trip is over; its last ack has been observed.
    fn close_round(&self, state: &mut Self::State);

    /// How many additive increases the next candidate contains.
    fn increases(&self, state: &Self::State) -> f64;

    /// Whether this ack's candidate, which points this way, is due to become the reference.
    /// Asked once per ack.
    fn is_due(&self, state: &mut Self::State, direction: Direction, round: RoundEvent) -> bool;

    /// The candidate became the reference.
    fn committed(&self, state: &mut Self::State);
}

/// The reference moves once per round trip, by one additive increase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerRound;

impl Mechanism for PerRound {
    type State = ();

    fn observe(&self, (): &mut (), _: &Congestion) {}

    fn close_round(&self, (): &mut ()) {}

    fn increases(&self, (): &()) -> f64 {
        1.0
    }

    fn is_due(&self, (): &mut (), _: Direction, round: RoundEvent) -> bool {
        round == RoundEvent::Closed
    }

    fn committed(&self, (): &mut ()) {}
}

/// A law whose reference moves as the mechanism says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnReference<L, M> {
    law: L,
    mechanism: M,
}

/// What is remembered of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow<Memory, State> {
    reference: f64,
    window: f64,
    round: Round,
    memory: Memory,
    mechanism: State,
}

impl<Memory, State> Flow<Memory, State> {
    /// The window from which windows are computed, in the law's unit.
    #[must_use]
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// The window in force, in the law's unit.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.window
    }

    /// The law's memory.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The mechanism's state.
    #[must_use]
    pub fn mechanism(&self) -> &State {
        &self.mechanism
    }
}

impl<L: ReferenceLaw, M: Mechanism> OnReference<L, M> {
    /// Joins the two.
    #[must_use]
    pub fn new(law: L, mechanism: M) -> Self {
        Self { law, mechanism }
    }

    /// Computes the window from the reference, and moves the reference if that is due.
    fn adjust(&self, flow: &mut Flow<L::Memory, M::State>, round: RoundEvent) {
        let candidate =
            self.law.candidate(&flow.memory, flow.reference, self.mechanism.increases(&flow.mechanism));
        let direction = if candidate < flow.reference { Direction::Down } else { Direction::Up };
        if self.mechanism.is_due(&mut flow.mechanism, direction, round) {
            if direction == Direction::Down && !self.law.heeds_decrease(&mut flow.memory, flow.reference) {
                return;
            }
            self.law.committed(&mut flow.memory);
            self.mechanism.committed(&mut flow.mechanism);
            flow.reference = candidate;
        }
        flow.window = candidate;
    }

    fn move_to(&self, flow: &mut Flow<L::Memory, M::State>, reference: Option<f64>) -> Decision {
        if let Some(reference) = reference {
            flow.reference = reference;
            flow.window = reference;
        }
        self.decision(flow)
    }
}

impl<L: ReferenceLaw, M: Mechanism> CongestionControl for OnReference<L, M> {
    type Flow = Flow<L::Memory, M::State>;

    fn needs(&self) -> Signals {
        self.law.needs()
    }

    fn start(&self, path: &Path) -> (Self::Flow, Decision) {
        let (memory, window) = self.law.begin(path);
        let flow = Flow {
            reference: window,
            window,
            round: Round::default(),
            memory,
            mechanism: M::State::default(),
        };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Self::Flow, ack: &Ack<'_>) -> Decision {
        let round = flow.round.on_ack(ack);
        if round == RoundEvent::Inside && self.law.updates() == Updates::EveryRound {
            return self.decision(flow);
        }
        let congestion = self.law.observe(&mut flow.memory, ack, flow.reference);
        if let Some(congestion) = &congestion {
            self.mechanism.observe(&mut flow.mechanism, congestion);
        }
        if round == RoundEvent::Closed {
            self.mechanism.close_round(&mut flow.mechanism);
        }
        if congestion.is_some() {
            self.adjust(flow, round);
        }
        self.decision(flow)
    }

    fn on_loss(&self, flow: &mut Self::Flow, loss: &Loss) -> Decision {
        let reference = self.law.after_loss(&mut flow.memory, flow.reference, loss);
        self.move_to(flow, reference)
    }

    fn on_timeout(&self, flow: &mut Self::Flow, timeout: &Timeout) -> Decision {
        let reference = self.law.after_timeout(&mut flow.memory, flow.reference, timeout);
        self.move_to(flow, reference)
    }

    fn on_path_change(&self, flow: &mut Self::Flow) {
        self.law.path_changed(&mut flow.memory);
    }

    fn met_congestion(&self, flow: &Self::Flow, ack: &Ack<'_>) -> Option<bool> {
        self.law.met_congestion(&flow.memory, ack, flow.reference)
    }

    fn decision(&self, flow: &Self::Flow) -> Decision {
        self.law.decision(&flow.memory, flow.window)
    }
}

#[cfg(test)]
mod tests;
