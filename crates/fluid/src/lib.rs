//! Networks as fluids: the papers' closed forms and differential equations, and the allocation
//! that fairness is measured against.
//!
//! Where a model needs a law, it calls the law of `plimsoll-cc`; no law is written a second time
//! here. Everything is a pure function; floating point goes through `libm`, so that a figure has
//! the same numbers on every machine.
//!
//! # Tour
//! | room | what is there | paper |
//! |---|---|---|
//! | [`max_min`] | the max-min fair allocation, by water-filling | |
//! | [`flow_level`] | which flows are there at a moment, if all always have their fair rates | |
//! | [`ramp`] | one Poseidon flow at a constant delay | Poseidon, Fig. 7a |
//! | [`fairness`] | Poseidon's conditions on targets and updates | Poseidon, Eqs. 1, 2 and App. B |
//! | [`network`] | many Poseidon flows on links with queues | Poseidon, Theorem 1 |
//! | [`power`] | voltage, current and power: reactions, phase plane, equilibria | PowerTCP, Figs. 2, 3, Theorems 1–3 |
//! | [`sampling`] | decreases per round trip and per number of acks | Fast Convergence, §IV, Fig. 4 |
//! | [`reverse_marking`] | the stability condition of reverse path marking | RPM, Lemma 1 |
#![forbid(unsafe_code)]

pub mod fairness;
pub mod flow_level;
pub mod max_min;
pub mod network;
pub mod power;
pub mod ramp;
pub mod reverse_marking;
pub mod sampling;
