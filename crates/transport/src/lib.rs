//! The transport: a sender and a receiver without clock and I/O, generic over the congestion
//! control law. The simulator drives them in its hot loop, the testbed over UDP; both only move
//! packets and say what time it is.
//!
//! A connection carries messages, one behind the other on a byte stream, in one direction. The
//! stream is cut into numbered packets; everything about a packet is found by its number, in rings
//! that grow only with the window. Nothing is allocated, hashed or searched per packet.
//!
//! # Tour
//! | room | what is there |
//! |---|---|
//! | [`stack`] | the law and the settings that all connections of a host share; refuses a law whose signals are missing |
//! | [`config`] | the settings, with units, bounds and presets |
//! | [`sender`] | the sending end: window, pace, repetition, what the law is told |
//! | [`receiver`] | the receiving end: order, acks, echoes |
//! | [`packet`] | what they say to each other, in memory |
//! | [`telemetry`] | what switches write on packets, as the simulator carries it |
//! | [`codec`], [`gathered`] | the same as bytes, for real packets |
//! | [`homa`] | the other transport: messages without connections, which receivers grant |
//!
//! Private rooms: `flight` (packets under way, and which of them are lost), `pacer`, `rto`,
//! `outbox` (messages), `reorder` (packets behind a hole), `ecn` (both sides of the echo), `bits`.
//!
//! # Life of a packet
//! [`Sender::poll_send`] takes the oldest lost packet, or else cuts a new one off the message at
//! hand. It must fit in the window and wait for the pacer's slot; below one packet per round trip
//! the slot alone decides. It leaves with its number, its place in the stream and the time. On
//! the way switches mark it, count themselves and stamp telemetry. [`Receiver::on_data`] finds its
//! place: next in order, kept behind a hole (selective repeat), dropped and refused (go-back-N),
//! or a duplicate.
//!
//! # Life of an ack
//! The receiver answers each packet, or a few together; at once if there is a hole, a repetition,
//! an end of a message, a change of marks or a notification due. The ack names the next byte
//! expected, shows which of the last 64 packets wait behind a hole, and echoes the newest packet's
//! sending time, telemetry and marks. [`Sender::on_ack`] takes out what arrived, declares lost
//! what was overtaken by three later packets, restarts the timer, and tells the law; the law's
//! decision is the new window and pace. Whatever acks do not show, [`Sender::on_timer`] finds by
//! timeout: everything under way is lost then, and after too many in a row the connection
//! fails, with a reason.
//!
//! # Example
//! A message of 10 kB over a network that takes 5 µs each way and stamps nothing:
//! ```
//! use plimsoll_cc::{Host, Path, Signals, registry::AnyParams};
//! use plimsoll_transport::{Config, Poll, Receiver, Reflect, Sender, Stack};
//! use plimsoll_units::{Bytes, Rate, Span, Time};
//!
//! let host = Host { nic_rate: Rate::from_gbps(100), base_rtt: Span::from_us(10),
//!                   mtu: Bytes::new(1048), mss: Bytes::new(1000) };
//! let law = AnyParams::named("newreno")?.build(&host)?;
//! let stack = Stack::new(law.name(), law, &host, Config::default(), Signals::NONE)?;
//!
//! let mut sender = Sender::new(&stack, &Path { base_rtt: host.base_rtt, hops: 1, seed: 1 });
//! let mut receiver = Receiver::<()>::new();
//! sender.enqueue(Time::ZERO, Bytes::new(10_000))?;
//!
//! // NewReno's first window is ten packets: all of them leave before the first ack is back.
//! let (mut now, mut acks) = (Time::ZERO, Vec::new());
//! loop {
//!     match sender.poll_send(&stack, now) {
//!         Poll::Send(packet) => {
//!             let arrival = receiver.on_data(stack.config(), now + Span::from_us(5), &packet);
//!             acks.extend(arrival.ack.map(|ack| (now + Span::from_us(10), ack)));
//!         }
//!         Poll::Wait(slot) => now = slot,
//!         Poll::Blocked(_) | Poll::Failed(_) => break,
//!     }
//! }
//! for (now, ack) in acks {
//!     sender.on_ack(&stack, now, &ack, ack.reflected.telemetry(ack.reverse_delay));
//! }
//! let message = sender.pop_completed().expect("all of it is acked");
//! // The tenth packet leaves after nine gaps of 1048 B · 8 / 100 Gb/s = 83.84 ns.
//! assert_eq!(message.acked_at - message.enqueued_at, Span::from_us(10) + Span::from_ps(9 * 83_840));
//! assert_eq!(receiver.delivered_to(), Bytes::new(10_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Real callers also call [`Sender::on_timer`] and
//! [`Receiver::on_timer`] when [`Sender::next_timer`] and [`Receiver::next_timer`] have come.
#![forbid(unsafe_code)]

mod bits;
pub mod codec;
pub mod config;
mod ecn;
mod flight;
pub mod gathered;
pub mod homa;
mod outbox;
mod pacer;
pub mod packet;
pub mod receiver;
mod reorder;
mod rto;
pub mod sender;
pub mod stack;
pub mod telemetry;
#[cfg(test)]
mod testing;

pub use codec::Channel;
pub use config::{Config, EcnEcho, LossReport, PendingSlot, Reliability, WindowRule};
pub use gathered::{Gathered, HopReader};
pub use outbox::{Completed, EnqueueError};
pub use packet::{AckPacket, DataPacket, Ecn, MessageId, PacketNumber};
pub use receiver::{Arrival, Fate, Receiver, Refusal};
pub use sender::{Acked, Blocked, Counters, Failure, Poll, Sender};
pub use stack::{Stack, StackError};
pub use telemetry::{HopRecords, MaxHopDelay, Reflect};
