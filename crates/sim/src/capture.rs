//! Packets of chosen ports as real bytes, while the run goes on.
//!
//! A packet is written down when it reaches the far end of its link, with all that the switch wrote on it; its
//! time is that at which its last bit left the port. Whoever watches the run ([`Control`](crate::Control))
//! hands over a [`Tap`]; each part of the network collects the frames of its links, and after every window the
//! tap passes on those that no later one can precede, by time and then by number of the port. So their order
//! does not depend on the number of threads, and only the last few microseconds are kept in memory.
//!
//! A run without a tap pays nothing: the loop looks at arrivals one by one only if links harm packets or a tap
//! is there, and one flag says so.

mod bytes;

use crate::endpoint::Incoming;
use crate::packet::Packet;
use crate::partition::Partition;
use bytes::FrameBytes;
use plimsoll_cc::CongestionControl;
use plimsoll_scenario::Network;
use plimsoll_units::{Bytes, Time};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use bytes::{FIRST_PORT, HOMA_PORT, HOP_LIMIT, PAYLOAD_LIMIT};

/// A packet on a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedFrame {
    /// When its last bit left the port.
    pub time: Time,
    /// The port.
    pub port: u32,
    /// How long the frame is.
    pub length: u32,
    /// Its bytes, from the Ethernet header on. The payload, which is all zeros, is left out.
    pub bytes: Vec<u8>,
}

/// Whoever takes frames: a file, usually.
pub trait FrameSink: Send {
    /// The next frame; frames come by time, at equal times by number of the port.
    ///
    /// # Errors
    /// If it cannot be kept; no more frames come then.
    fn frame(&mut self, frame: &CapturedFrame) -> io::Result<()>;

    /// No more frames come.
    ///
    /// # Errors
    /// If what came cannot be kept.
    fn finish(&mut self) -> io::Result<()>;
}

/// Ports whose packets are captured, from when to when, and who takes them.
pub struct Tap {
    ports: Vec<u32>,
    from: Time,
    until: Time,
    flow: Mutex<Flow>,
}

/// Frames on their way to the sink.
struct Flow {
    /// Frames that others might still precede.
    waiting: Vec<CapturedFrame>,
    sink: Box<dyn FrameSink>,
    passed: u64,
    failure: Option<io::Error>,
}

impl Tap {
    /// A tap on these ports.
    #[must_use]
    pub fn new(ports: Vec<u32>, sink: Box<dyn FrameSink>) -> Self {
        let flow = Flow { waiting: Vec::new(), sink, passed: 0, failure: None };
        Self { ports, from: Time::ZERO, until: Time::NEVER, flow: Mutex::new(flow) }
    }

    /// Only frames that leave from `from` to `until`, both included.
    #[must_use]
    pub fn between(self, from: Time, until: Time) -> Self {
        Self { from, until, ..self }
    }

    /// Passes on what is left and gives the number of frames that were passed on.
    ///
    /// # Errors
    /// The first that the sink had.
    pub fn finish(self) -> io::Result<u64> {
        self.pass_on(u64::MAX);
        let flow = self.flow.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Flow { mut sink, passed, failure, .. } = flow;
        match failure {
            Some(error) => Err(error),
            None => sink.finish().map(|()| passed),
        }
    }

    /// Takes frames that a part of the network collected.
    pub(crate) fn take(&self, frames: &mut Vec<CapturedFrame>) {
        self.flow().waiting.append(frames);
    }

    /// Passes on frames that left by `time`: all that did have been taken.
    pub(crate) fn pass_on(&self, time: u64) {
        let flow = &mut *self.flow();
        // Frames of one port come in order and from one part; a stable sort keeps that.
        flow.waiting.sort_by_key(|frame| (frame.time, frame.port));
        let ready = flow.waiting.partition_point(|frame| frame.time.as_ps() <= time);
        for frame in flow.waiting.drain(..ready) {
            if flow.failure.is_none() {
                flow.failure = flow.sink.frame(&frame).err();
                flow.passed += 1;
            }
        }
    }

    fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tap").field("ports", &self.ports).finish_non_exhaustive()
    }
}

/// What a receiver has counted when it sends an ack. The ack in memory does not say it, the ack on the wire
/// does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    packets: u64,
    marked: u64,
}

/// What a part of the network knows of the tap.
#[derive(Debug)]
pub(crate) struct Capture {
    /// By port.
    chosen: Vec<bool>,
    from: Time,
    until: Time,
    /// How long after its last bit left a frame can be noticed.
    lag: u64,
    /// By slot of the ack's body.
    counts: Vec<Counts>,
    pub(crate) frames: Vec<CapturedFrame>,
    bytes: FrameBytes,
}

impl Capture {
    fn counts_mut(&mut self, slot: u32) -> &mut Counts {
        let index = slot as usize;
        if self.counts.len() <= index {
            self.counts.resize(index + 1, Counts::default());
        }
        &mut self.counts[index]
    }

    /// The packet in this slot, if it is an ack, has these counts.
    pub(crate) fn set_counts(&mut self, slot: u32, counts: Counts) {
        *self.counts_mut(slot) = counts;
    }

    /// The counts of the ack in this slot.
    pub(crate) fn counts(&self, slot: u32) -> Counts {
        self.counts.get(slot as usize).copied().unwrap_or_default()
    }
}

/// How long after its last bit left one of these ports a frame can reach the far end, at most.
fn lag(network: &Network, pipeline: u64, ports: &[u32]) -> u64 {
    let delay = |port: &u32| network.links[*port as usize / 2].delay.as_ps().saturating_add(pipeline);
    ports.iter().map(delay).max().unwrap_or(0)
}

impl<L: CongestionControl> Partition<'_, L> {
    /// Captures what the tap asks for from now on.
    pub(crate) fn attach(&mut self, tap: &Tap) {
        let setup = &self.shared.setup;
        let mut chosen = vec![false; self.ports.len()];
        for port in &tap.ports {
            if let Some(chosen) = chosen.get_mut(*port as usize) {
                *chosen = true;
            }
        }
        self.capture = Some(Box::new(Capture {
            chosen,
            from: tap.from,
            until: tap.until,
            lag: lag(&setup.network, setup.switch.pipeline.as_ps(), &tap.ports),
            counts: Vec::new(),
            frames: Vec::new(),
            bytes: FrameBytes::new(setup),
        }));
        self.inspects = true;
    }

    /// All events up to `until` are done: hands the frames over, and says up to when all are known.
    pub(crate) fn hand_over(&mut self, tap: &Tap, until: u64) -> u64 {
        let Some(capture) = &mut self.capture else { return 0 };
        tap.take(&mut capture.frames);
        until.saturating_sub(capture.lag)
    }

    /// Looks at an arrival before anything is done with it: links may harm it, a tap may want it. Gives
    /// whether all is done with it.
    #[cold]
    pub(crate) fn inspect(&mut self, now: u64, port: u32, packet: Packet) -> bool {
        self.write_down(now, port, &packet);
        if self.is_harmed(port) {
            self.discard(packet.body, packet.size);
            return true;
        }
        let to = self.ports[port as usize].to;
        let reaches_receiver = to < self.shared.setup.network.hosts && !packet.has(Packet::ACK);
        if self.capture.is_none() || !reaches_receiver {
            return false;
        }
        self.totals.arrived_bytes += u64::from(packet.size);
        let connection = self.bodies.get(packet.body).connection;
        let before = self.receiver_counts(connection).unwrap_or_default();
        let was_complete = matches!(self.incoming[connection as usize], Incoming::Complete);
        self.data_arrives(now, to, packet.landed());
        let after = match self.receiver_counts(connection) {
            Some(counts) => counts,
            // Answers to late copies count nothing.
            None if was_complete => Counts::default(),
            // The packet that completes all is a new one.
            None => Counts {
                packets: before.packets + 1,
                marked: before.marked + u64::from(packet.has(Packet::MARKED)),
            },
        };
        if let Some(capture) = &mut self.capture {
            // The ack, now or later, takes the packet's slot.
            *capture.counts_mut(packet.body) = after;
        }
        true
    }

    /// What the receiving end has counted, as long as it is there.
    fn receiver_counts(&self, connection: u32) -> Option<Counts> {
        match &self.incoming[connection as usize] {
            Incoming::NotYet => Some(Counts::default()),
            Incoming::Open { receiver, .. } => {
                Some(Counts { packets: receiver.packets(), marked: receiver.marked_packets() })
            }
            Incoming::Complete => None,
        }
    }

    fn write_down(&mut self, now: u64, port: u32, packet: &Packet) {
        let Some(capture) = &self.capture else { return };
        let time = Time::from_ps(now - self.ports[port as usize].delay);
        if !capture.chosen[port as usize] || time < capture.from || time > capture.until {
            return;
        }
        let frame = self.frame_of(capture, now, port, packet);
        // Payloads too long for IP are refused before the run (`PAYLOAD_LIMIT`), and nothing else can fail.
        debug_assert!(frame.is_ok(), "{frame:?}");
        if let (Some(capture), Ok((bytes, length))) = (&mut self.capture, frame) {
            capture.frames.push(CapturedFrame { time, port, length, bytes });
        }
    }
}

/// Where a packet lies in its connection's stream: its first byte and the byte behind its last. Packets are cut
/// off messages one by one, so all but a message's last are full.
fn place(messages: impl Iterator<Item = Bytes>, mss: Bytes, number: u64) -> Option<(Bytes, Bytes)> {
    let (mut first_packet, mut first_byte) = (0_u64, 0_u64);
    for message in messages {
        let packets = message.get().div_ceil(mss.get().max(1));
        let end = first_byte.saturating_add(message.get());
        if number < first_packet.saturating_add(packets) {
            let start = first_byte.saturating_add((number - first_packet).saturating_mul(mss.get()));
            return Some((Bytes::new(start), Bytes::new(start.saturating_add(mss.get()).min(end))));
        }
        (first_packet, first_byte) = (first_packet.saturating_add(packets), end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_lie_where_their_messages_put_them() {
        let messages = [2_500, 1_000, 300].map(Bytes::new);
        let at = |number| {
            place(messages.into_iter(), Bytes::new(1_000), number)
                .map(|(start, end)| (start.get(), end.get()))
        };
        let places: Vec<_> = (0..5).filter_map(at).collect();
        assert_eq!(places, [(0, 1_000), (1_000, 2_000), (2_000, 2_500), (2_500, 3_500), (3_500, 3_800)]);
        assert_eq!(at(5), None);
    }

    #[derive(Default)]
    struct Kept(std::sync::Arc<Mutex<Vec<(u64, u32)>>>, Option<u64>);

    impl FrameSink for Kept {
        fn frame(&mut self, frame: &CapturedFrame) -> io::Result<()> {
            if self.1 == Some(frame.time.as_ps()) {
                return Err(io::Error::other("full"));
            }
            self.0.lock().unwrap().push((frame.time.as_ps(), frame.port));
            Ok(())
        }

        fn finish(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn frames(all: &[(u64, u32)]) -> Vec<CapturedFrame> {
        all.iter()
            .map(|&(time, port)| CapturedFrame {
                time: Time::from_ps(time),
                port,
                length: 0,
                bytes: Vec::new(),
            })
            .collect()
    }

    #[test]
    fn frames_leave_by_time_and_port_and_not_before_all_earlier_ones_are_known() {
        let kept = Kept::default();
        let seen = std::sync::Arc::clone(&kept.0);
        let tap = Tap::new(vec![1, 2], Box::new(kept));
        tap.take(&mut frames(&[(30, 2), (10, 2)]));
        tap.take(&mut frames(&[(10, 1)]));
        tap.pass_on(20);
        assert_eq!(*seen.lock().unwrap(), [(10, 1), (10, 2)]);
        tap.take(&mut frames(&[(25, 1)]));
        assert_eq!(tap.finish().unwrap(), 4);
        assert_eq!(*seen.lock().unwrap(), [(10, 1), (10, 2), (25, 1), (30, 2)]);
    }

    #[test]
    fn the_first_failure_of_the_sink_is_told_and_ends_the_capture() {
        let kept = Kept(std::sync::Arc::default(), Some(2));
        let seen = std::sync::Arc::clone(&kept.0);
        let tap = Tap::new(vec![0], Box::new(kept));
        tap.take(&mut frames(&[(1, 0), (2, 0), (3, 0)]));
        assert_eq!(tap.finish().unwrap_err().to_string(), "full");
        assert_eq!(*seen.lock().unwrap(), [(1, 0)]);
    }
}
