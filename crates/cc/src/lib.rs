//! Congestion control laws for datacenters, each written once.
//!
//! A law is a set of constants, shared by all flows of a host, and a small copyable state per
//! flow. It has no clock, no randomness of its own, no I/O and no memory to allocate: events come
//! in, a [`Decision`] comes out. The same code therefore runs in the simulator, on real packets
//! and inside other stacks.
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`law`] | the trait that every law implements, and its [`Decision`] |
//! | [`event`] | what a law is told: acks, losses, timeouts, telemetry, its host and its path |
//! | [`params`] | parameters with units, bounds and documentation, readable from text |
//! | [`signals`] | what a law needs from the network, and what gives it |
//! | [`round`] | the once-per-round-trip gate that many laws share |
//! | [`mod@reference`] | laws that compute from a reference window, and what moves it |
//! | [`coin`] | seeded coins for laws that flip them |
//! | [`registry`] | the one list of laws: names, presets, the enum for hot loops |
//!
//! One file per law follows, e.g. [`poseidon`]; each opens with its equation, its symbols and its
//! source. The laws of queues live here too, since they need no packet either: [`codel`] and
//! [`red`] give a [`Verdict`] per packet, [`rpm`] sends it back by the next ack; and so does [`plb`],
//! by which a host changes paths.
//!
//! # Example
//! ```
//! use plimsoll_cc::{Ack, Configure, CongestionControl, Host, Path, Telemetry, poseidon};
//! use plimsoll_units::{Bytes, Rate, Span, Time};
//!
//! let host = Host { nic_rate: Rate::from_gbps(200), base_rtt: Span::from_us(6),
//!                   mtu: Bytes::new(4096), mss: Bytes::new(4096) };
//! let law = poseidon::Poseidon::new(&poseidon::Params::nsdi23(), &host)?;
//! let (mut flow, first) = law.start(&Path { base_rtt: host.base_rtt, hops: 3, seed: 1 });
//!
//! let ack = Ack {
//!     now: Time::ZERO + Span::from_us(10), rtt: Span::from_us(10), acked: Bytes::new(4096),
//!     telemetry: Telemetry::MaxHop { forward: Span::from_us(1), reverse: Span::ZERO },
//!     ..Ack::default()
//! };
//! let next = law.on_ack(&mut flow, &ack);
//! assert!(next.window > first.window, "1 µs of queue is below any target: grow");
//! # Ok::<(), plimsoll_cc::ParamError<'static>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[macro_use]
pub mod params;
pub mod codel;
pub mod coin;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
mod episode;
pub mod event;
pub mod fast_convergence;
pub mod homa;

pub mod hpcc;
pub mod law;
mod maths;
pub mod newreno;
pub mod plb;
pub mod poseidon;
pub mod powertcp;
pub mod red;
pub mod reference;
pub mod registry;
mod reno;
pub mod retcp;
pub mod round;
pub mod rpm;
pub mod sf;
pub mod signals;
pub mod swift;
pub mod theta_powertcp;
pub mod timely;
pub mod vai;
pub mod verdict;

pub use event::{Ack, HopRecord, Host, Loss, MAX_HOPS, Path, Telemetry, Timeout};
pub use law::{Configure, CongestionControl, Decision};
pub use params::{ParamError, Parameters, Value};
pub use signals::Signals;
pub use verdict::Verdict;
