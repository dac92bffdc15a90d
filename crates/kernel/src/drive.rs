//! Events for a law's program without any connection: how tests compare it with the law itself.

use crate::{Error, Settings, program};
use libbpf_rs::{Object, ProgramInput};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A connection begins.
    Start = 0,
    /// An ack came.
    Ack = 1,
    /// A loss was found by acks.
    Loss = 2,
    /// The retransmission timer expired.
    Timeout = 3,
}

/// `struct event` of `bpf/law.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in the C structure")]
pub struct Event {
    pub now_ns: u64,
    pub rtt_ns: u64,
    pub base_rtt_ns: u64,
    pub acked_packets: u64,
    pub acked_to: u64,
    pub sent_to: u64,
    pub telemetry: Heard,
}

/// What switches said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heard {
    /// Nothing.
    #[default]
    Nothing,
    /// The longest wait at a hop, in nanoseconds, of data and of its ack.
    MaxHop {
        /// Of the data.
        forward_ns: u64,
        /// Of the ack.
        reverse_ns: u64,
    },
    /// So many compact records (`plimsoll_wire::compact_hop`).
    Records(usize, [u64; 4]),
}

/// What the program answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The window in packets times 2³².
    pub window_q32: u64,
    /// The pace in bytes per second; `u64::MAX` if there is none.
    pub pace: u64,
    /// What was held against the target, in nanoseconds.
    pub signal_ns: u64,
    /// The target, in nanoseconds.
    pub target_ns: u64,
}

impl Answer {
    /// The window in packets.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.window_q32 as f64 / 4_294_967_296.0
    }
}

/// A law's program that waits for events.
pub struct Driver {
    object: Object,
    mss: u64,
}

const WORDS: usize = 2 + 14 + 2 + 2;

impl Driver {
    /// The program of a law, exactly as connections would use it.
    ///
    /// # Errors
    /// If the kernel refuses it, or the parameters ask for what it does not do.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self { object: program::load(settings, &[])?, mss: settings.host.mss.get() })
    }

    /// Hands over one event.
    ///
    /// # Errors
    /// If the kernel does not run the program.
    pub fn tell(&self, occasion: Occasion, event: &Event) -> Result<Answer, Error> {
        let drive = program::find(&self.object, "drive")?;
        let mut words = [0; WORDS];
        let (kind, forward, reverse, count, records) = match event.telemetry {
            Heard::Nothing => (0, 0, 0, 0, [0; 4]),
            Heard::MaxHop { forward_ns, reverse_ns } => (1, forward_ns, reverse_ns, 0, [0; 4]),
            Heard::Records(count, records) => (2, 0, 0, count as u64, records),
        };
        words[..12].copy_from_slice(&[
            occasion as u64,
            self.mss,
            event.now_ns,
            event.rtt_ns,
            event.base_rtt_ns,
            event.acked_packets,
            event.acked_to,
            event.sent_to,
            kind,
            forward,
            reverse,
            count,
        ]);
        words[12..16].copy_from_slice(&records);
        let mut context: Vec<u8> = crate::fixed::bytes(&words);
        let input = ProgramInput { context_in: Some(&mut context), ..ProgramInput::default() };
        let output = drive.test_run(input).map_err(|error| Error::Refused(format!("drive: {error}")))?;
        if output.return_value != 0 {
            return Err(Error::Refused(format!("drive ended with {}", output.return_value)));
        }
        let word = |at: usize| {
            let bytes = context.get(at * 8..at * 8 + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_ne_bytes)
        };
        Ok(Answer { window_q32: word(16), pace: word(17), signal_ns: word(18), target_ns: word(19) })
    }
}
