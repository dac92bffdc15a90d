//! The window of TCP Reno, which NewReno, DCTCP and reTCP share: slow start, congestion avoidance,
//! recovery and timeout. What the three do with an echo of congestion is theirs.
//!
//! Windows are bytes in `f64`, as are all amounts inside.

use crate::episode::{Episode, LossNews, Place};
use crate::event::{Ack, Host, Loss, Timeout};
use crate::law::Decision;
use plimsoll_units::Bytes;

/// No window grows beyond this (a tebibyte: five seconds of 1.6 Tb/s); it is also the threshold of
/// a flow that has not met congestion, which the RFCs call arbitrarily high.
pub(crate) const LARGEST_WINDOW: f64 = (1_u64 << 40) as f64;

crate::choice! {
    /// How the window behaves while holes are filled.
    pub enum Recovery {
        /// RFC 6675: the window stands still; the transport counts what is in flight without what
        /// was delivered or lost.
        Pipe = "pipe",
        /// RFC 6582: for transports that know cumulative acks only, the window is inflated by a
        /// packet per duplicate ack and deflated by what a partial ack covers.
        Inflate = "inflate",
    }
}

crate::choice! {
    /// What makes the window grow.
    pub enum Counting {
        /// RFC 5681: each ack, whatever it covers.
        Acks = "acks",
        /// RFC 3465: the bytes that acks cover.
        Bytes = "bytes",
    }
}

/// What the laws choose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// First window in packets.
    pub(crate) initial_window: f64,
    pub(crate) recovery: Recovery,
    pub(crate) counting: Counting,
    /// Most packets that one ack adds in slow start when bytes are counted.
    pub(crate) byte_limit: f64,
    /// Grow only while at least half of the window is in use.
    pub(crate) validate_window: bool,
    /// Smallest window after an echo, in packets.
    pub(crate) echo_floor: f64,
    /// A loss in a window whose echo was answered halves the window all the same.
    pub(crate) loss_halves_after_echo: bool,
    /// The window stands still between the answer to an echo and the ack of the next packet.
    pub(crate) hold_after_echo: bool,
}

impl Settings {
    /// RFC 5681, 6675, 3168 and 6928.
    pub(crate) const STANDARD: Self = Self {
        initial_window: 10.0,
        recovery: Recovery::Pipe,
        counting: Counting::Acks,
        byte_limit: 2.0,
        validate_window: true,
        echo_floor: 1.0,
        loss_halves_after_echo: false,
        hold_after_echo: false,
    };
}

/// Where the flow stands with its retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    Quiet,
    /// Expired, and nothing new was acked since.
    Expired,
    /// Slow start after an expiry.
    Restarting,
}

/// A flow's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Acked bytes not yet turned into growth, when bytes are counted.
    credit: f64,
    /// Everything below has been acked.
    acked_to: Bytes,
    episode: Episode,
    timer: Timer,
}

/// Reno's constants.
#[derive(Clone, Debug)]
pub(crate) struct Reno {
    pub(crate) host: Host,
    mss: f64,
    settings: Settings,
}

impl Reno {
    pub(crate) fn new(host: &Host, settings: Settings) -> Self {
        Self { host: *host, mss: host.mss.as_f64(), settings }
    }

    pub(crate) fn start(&self) -> Window {
        Window {
            cwnd: (self.settings.initial_window * self.mss).min(LARGEST_WINDOW),
            ssthresh: LARGEST_WINDOW,
            credit: 0.0,
            acked_to: Bytes::ZERO,
            episode: Episode::default(),
            timer: Timer::Quiet,
        }
    }

    pub(crate) fn decision(&self, window: &Window) -> Decision {
        Decision::unpaced(&self.host, window.cwnd)
    }

    /// Counts an ack. `echo` is the factor by which to answer the congestion that it echoes, if it
    /// does; an ack with an echo never makes the window grow (RFC 3168 §6.1.2).
    pub(crate) fn on_ack(&self, window: &mut Window, ack: &Ack<'_>, echo: Option<f64>) -> Place {
        let covered = ack.acked_to.saturating_sub(window.acked_to).as_f64();
        window.acked_to = window.acked_to.max(ack.acked_to);
        if covered > 0.0 && window.timer == Timer::Expired {
            window.timer = Timer::Restarting;
        }
        let place = window.episode.on_ack(ack.acked_to);
        match (place, echo) {
            (Place::Recovering, _) => self.fill_holes(window, covered),
            (Place::Ending, _) => self.end_recovery(window, ack),
            (Place::Free, Some(factor)) => {
                if window.episode.is_over() {
                    self.answer_echo(window, factor, ack.sent_to);
                }
            }
            (Place::Free, None) => {
                if window.episode.is_over() || !self.settings.hold_after_echo {
                    self.grow(window, ack, covered);
                }
            }
        }
        place
    }

    /// A loss: half of what was in flight, at least two packets (RFC 5681, Eq. 4).
    pub(crate) fn on_loss(&self, window: &mut Window, loss: &Loss) {
        match window.episode.judge_loss(window.acked_to) {
            LossNews::TimedOut => return,
            LossNews::Echoed if !self.settings.loss_halves_after_echo => {}
            LossNews::Echoed | LossNews::New => {
                window.ssthresh = self.half_of_flight(window, loss.in_flight);
                window.cwnd = window.ssthresh;
                window.credit = 0.0;
            }
        }
        window.episode.recover(loss.sent_to);
        if self.settings.recovery == Recovery::Inflate {
            // The three duplicate acks that told of the loss stand for three packets that left.
            window.cwnd = window.ssthresh + 3.0 * self.mss;
        }
    }

    /// A timeout: one packet, and slow start to half of what was in flight. When the timer expires
    /// again for the same packet the threshold stays (RFC 5681 §3.1).
    pub(crate) fn on_timeout(&self, window: &mut Window, timeout: &Timeout) {
        if window.timer != Timer::Expired {
            window.ssthresh = self.half_of_flight(window, timeout.in_flight);
        }
        window.cwnd = self.mss;
        window.credit = 0.0;
        window.timer = Timer::Expired;
        window.episode.restart(timeout.sent_to);
    }

    /// What was in flight cannot have exceeded the window by more than a packet, so a larger number
    /// does not count: a loss must not enlarge the window.
    fn half_of_flight(&self, window: &Window, in_flight: Bytes) -> f64 {
        (in_flight.as_f64().min(window.cwnd) * 0.5).max(2.0 * self.mss)
    }

    fn answer_echo(&self, window: &mut Window, factor: f64, sent_to: Bytes) {
        let reduced = window.cwnd * factor;
        window.ssthresh = reduced.max(2.0 * self.mss);
        window.cwnd = reduced.max(self.settings.echo_floor * self.mss);
        window.credit = 0.0;
        window.episode.reduce(sent_to);
    }

    fn fill_holes(&self, window: &mut Window, covered: f64) {
        if self.settings.recovery == Recovery::Pipe {
            return;
        }
        // A duplicate ack: one packet has left the network. A partial ack: what it covers has
        // left, and one packet is repaired (RFC 6582 §3.2, steps 3 and 5).
        let repaired = if covered == 0.0 || covered >= self.mss { self.mss } else { 0.0 };
        window.cwnd = (window.cwnd - covered + repaired).clamp(self.mss, LARGEST_WINDOW);
    }

    fn end_recovery(&self, window: &mut Window, ack: &Ack<'_>) {
        if self.settings.recovery == Recovery::Inflate {
            // The first choice of RFC 6582 §3.2 for a full ack: it sends no burst.
            let flight = ack.in_flight.as_f64().max(self.mss) + self.mss;
            window.cwnd = window.ssthresh.min(flight);
        }
    }

    fn grow(&self, window: &mut Window, ack: &Ack<'_>, covered: f64) {
        if covered <= 0.0 || (self.settings.validate_window && !uses_window(window.cwnd, ack)) {
            return;
        }
        let added = if window.cwnd < window.ssthresh {
            let limit = match (self.settings.counting, window.timer) {
                // After a timeout the acks of a whole window may come at once (RFC 3465 §2.3).
                (Counting::Acks, _) | (_, Timer::Restarting | Timer::Expired) => self.mss,
                (Counting::Bytes, Timer::Quiet) => self.settings.byte_limit * self.mss,
            };
            covered.min(limit)
        } else {
            window.timer = Timer::Quiet;
            self.avoidance_step(window, covered)
        };
        window.cwnd = (window.cwnd + added).min(LARGEST_WINDOW);
    }

    /// About one packet per round trip.
    fn avoidance_step(&self, window: &mut Window, covered: f64) -> f64 {
        if self.settings.counting == Counting::Acks {
            return self.mss * covered.min(self.mss) / window.cwnd;
        }
        // An ack cannot cover more than the window that was sent.
        window.credit += covered.min(window.cwnd);
        if window.credit < window.cwnd {
            return 0.0;
        }
        window.credit -= window.cwnd;
        self.mss
    }
}

/// Whether at least half of the window was in flight before this ack: a window that the
/// application does not fill says nothing about the network (RFC 7661 §3, RFC 9438 §5.8).
pub(crate) fn uses_window(cwnd: f64, ack: &Ack<'_>) -> bool {
    cwnd <= 2.0 * (ack.in_flight.as_f64() + ack.acked.as_f64())
}
