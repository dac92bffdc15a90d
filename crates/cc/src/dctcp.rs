//! DCTCP: the window is cut in proportion to the fraction of marked packets.
//!
//! ```text
//! once per window:  M = marked bytes / acked bytes,   α ← (1 − g) · α + g · M
//! echo, once per window:   cwnd ·= 1 − α / 2
//! growth, loss, timeout:   as Reno
//!
//! rate form (hardware, after HPCC's simulator): start at line rate, window = BDP · R / C
//! once per round:   F = min(1, marked acks / (bytes of the round / MSS + 1)),   α ← (1 − g) · α + g · F
//! echo, once per round:    R = max(R_min, R · (1 − α / 2))
//! end of a round without: R = min(C, R + R_ai)
//! ```
//!
//! Switches mark every packet that finds more than K bytes queued. If few packets of a window are
//! marked the queue has just crossed K and a small cut suffices; if all are, the cut is Reno's half.
//! Queues stay short without losing throughput.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | α | smoothed fraction of marked packets | 1 |
//! | g | weight of a new fraction | 1 |
//! | M, F | fraction in the last window | 1 |
//! | cwnd | window | bytes |
//! | R, R_min | rate of a flow, and its floor | bit/s |
//! | C | line rate | bit/s |
//! | R_ai | increase per round | bit/s |
//! | BDP | C times the base round trip | bytes |
//! | K | marking threshold of the switch, see [`red`](crate::red) | bytes |
//!
//! Source: RFC 8257 §3.3–3.5; Linux tcp_dctcp.c; Alizadeh et al., "Data Center TCP (DCTCP)",
//! SIGCOMM'10 (Eq. 15: g < 1.386 / √(2(C · RTT + K)) in packets); rate form: mode 8 of
//! github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a.
//!
//! # Deviations
//! - *When the window is cut*: RFC 8257 describes the cut after the update of α; Linux cuts at the
//!   first echo of a window with the α of the windows before. Both are the same here: an ack that
//!   closes a window updates α first, and the first echo of a window cuts.
//! - *What counts as marked*: the bytes that the ack says were marked; if it echoes congestion
//!   without saying how much (a switch set the echo in passing, as RPM does), all it acks.
//! - *Floor*: RFC 8257 names none; with RFC 3168's it is one packet. Linux keeps two.
//! - *Growth after a cut*: RFC 3168 stops growth on marked acks only; Linux lets the window stand
//!   until the cut window is acked (`hold_after_echo`).
//! - *Linux's α* has ten bits, rounds down and reaches zero (`alpha_bits = "ten"`).
//! - *First window of marks*: RFC 8257 closes it with the first ack, since it begins at what is
//!   unacked then.
//! - *Loss in a window that was cut for marks* halves the window all the same: §3.5 wants a loss
//!   answered as by any TCP, and the cut may have been slight.
//! - *Rate form*: losses and timeouts leave the rate, as in its source, which assumes a lossless
//!   network. Rate and window are whole bits per second and bytes, rounded down, as there.

mod rate_form;

use self::rate_form::{RateFlow, RateForm};
use crate::event::{Ack, Host, Loss, Path, Timeout};
use crate::law::{Configure, CongestionControl, Decision};
use crate::params::{ParamError, not_above};
use crate::reno::{Reno, Settings, Window};
use crate::round::{Round, RoundEvent};
use crate::signals::Signals;
use plimsoll_units::{Bytes, Rate};

crate::choice! {
    /// What the law controls.
    pub enum Form {
        /// The window of a TCP.
        Window = "window",
        /// The rate of a network card.
        Rate = "rate",
    }
}

crate::choice! {
    /// How finely α is kept.
    pub enum AlphaBits {
        /// As a floating point number.
        Float = "float",
        /// In 1024ths, rounded down: Linux's.
        Ten = "ten",
    }
}

crate::parameters! {
    /// DCTCP's parameters.
    pub struct Params {
        /// What the law controls.
        form: Form,
        /// g: weight of a new fraction; `"auto"` = the largest stable one for the link
        /// (SIGCOMM'10, Eq. 15, with K = C · RTT / 7).
        gain: Option<f64> where [1e-6, 1.0],
        /// α of a new flow.
        initial_alpha: f64 where [0.0, 1.0],
        /// How finely α is kept.
        alpha_bits: AlphaBits,
        /// First window, in packets (window form).
        initial_window: f64 where [1.0, 1e6],
        /// Smallest window after an echo, in packets (window form).
        echo_floor: f64 where [1.0, 1e6],
        /// The window stands still until a cut window is acked (window form).
        hold_after_echo: bool,
        /// Grow only while at least half of the window is in flight (window form).
        validate_window: bool,
        /// R_ai: increase per round (rate form).
        rate_increase: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
        /// R_min: lowest rate (rate form).
        min_rate: Rate where [Rate::from_bps(1), Rate::from_gbps(100_000)],
    }
    presets {
        "rfc8257" => rfc8257, "RFC 8257: g 1/16, α starts at 1",
        "linux" => linux, "Linux tcp_dctcp.c: ten-bit α, floor of two packets, no growth after a cut",
        "sigcomm10" => sigcomm10, "DCTCP, SIGCOMM'10, §4: g 1/16",
        "sigcomm10-eq15" => sigcomm10_eq15, "DCTCP, SIGCOMM'10, Eq. 15: the largest stable g",
        "hpcc-sim" => hpcc_sim, "HPCC's simulator, mode 8: rates, R_ai 615 Mb/s, R_min 1 Gb/s, g 1/16",
        "powertcp-sim" => powertcp_sim, "PowerTCP's simulator, mode 8: as HPCC's with R_min 100 Mb/s",
    }
}

impl Params {
    /// The standard.
    #[must_use]
    pub fn rfc8257() -> Self {
        Self {
            form: Form::Window,
            gain: Some(1.0 / 16.0),
            initial_alpha: 1.0,
            alpha_bits: AlphaBits::Float,
            initial_window: 10.0,
            echo_floor: 1.0,
            hold_after_echo: false,
            validate_window: true,
            rate_increase: Rate::from_mbps(615),
            min_rate: Rate::from_mbps(1_000),
        }
    }

    /// The Linux kernel's.
    #[must_use]
    pub fn linux() -> Self {
        Self { alpha_bits: AlphaBits::Ten, echo_floor: 2.0, hold_after_echo: true, ..Self::rfc8257() }
    }

    /// The paper's runs; it leaves α's start and the floor open, which are the RFC's here.
    #[must_use]
    pub fn sigcomm10() -> Self {
        Self { gain: Some(1.0 / 16.0), ..Self::rfc8257() }
    }

    /// The paper's bound for g instead of its choice.
    #[must_use]
    pub fn sigcomm10_eq15() -> Self {
        Self { gain: None, ..Self::rfc8257() }
    }

    /// The rate form as HPCC's simulator runs it; 615 Mb/s is 1 KB per 13 µs.
    #[must_use]
    pub fn hpcc_sim() -> Self {
        Self { form: Form::Rate, ..Self::rfc8257() }
    }

    /// The rate form with the lower floor of PowerTCP's simulator.
    #[must_use]
    pub fn powertcp_sim() -> Self {
        Self { min_rate: Rate::from_mbps(100), ..Self::hpcc_sim() }
    }
}

/// DCTCP with its constants.
#[derive(Clone, Debug)]
pub struct Dctcp {
    estimator: Estimator,
    control: Control,
}

/// What is controlled.
#[derive(Clone, Debug)]
enum Control {
    Window(Reno),
    Rate(RateForm),
}

/// How α follows the fractions.
#[derive(Clone, Copy, Debug)]
struct Estimator {
    gain: f64,
    initial: f64,
    bits: AlphaBits,
}

/// What DCTCP remembers of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    alpha: f64,
    round: Round,
    control: FlowControl,
}

/// The part of a flow that is its form's.
#[derive(Clone, Copy, Debug)]
enum FlowControl {
    Window { window: Window, acked: f64, marked: f64 },
    Rate(RateFlow),
}

impl Flow {
    /// α: the smoothed fraction of marked packets.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
}

impl Configure for Dctcp {
    type Params = Params;

    fn new(params: &Params, host: &Host) -> Result<Self, ParamError<'static>> {
        let control = match params.form {
            Form::Window => Control::Window(Reno::new(
                host,
                Settings {
                    initial_window: params.initial_window,
                    validate_window: params.validate_window,
                    echo_floor: params.echo_floor,
                    loss_halves_after_echo: true,
                    hold_after_echo: params.hold_after_echo,
                    ..Settings::STANDARD
                },
            )),
            Form::Rate => {
                not_above("min_rate", params.min_rate, "nic_rate", host.nic_rate)?;
                Control::Rate(RateForm::new(host, params.rate_increase, params.min_rate))
            }
        };
        let estimator = Estimator {
            gain: params.gain.unwrap_or_else(|| largest_stable_gain(host)),
            initial: params.initial_alpha,
            bits: params.alpha_bits,
        };
        Ok(Self { estimator, control })
    }
}

impl CongestionControl for Dctcp {
    type Flow = Flow;

    fn needs(&self) -> Signals {
        Signals::ECN
    }

    fn start(&self, _path: &Path) -> (Flow, Decision) {
        let mut round = Round::default();
        let control = match &self.control {
            Control::Window(reno) => {
                // RFC 8257 §3.3: the first observation ends beyond what is unacked now.
                round.restart(Bytes::ZERO);
                FlowControl::Window { window: reno.start(), acked: 0.0, marked: 0.0 }
            }
            Control::Rate(form) => FlowControl::Rate(form.start()),
        };
        let flow = Flow { alpha: self.estimator.initial, round, control };
        (flow, self.decision(&flow))
    }

    fn on_ack(&self, flow: &mut Flow, ack: &Ack<'_>) -> Decision {
        let round = flow.round.on_ack(ack);
        match (&self.control, &mut flow.control) {
            (Control::Window(reno), FlowControl::Window { window, acked, marked }) => {
                let marks = marked_bytes(ack);
                *acked += ack.acked.as_f64();
                *marked += marks.as_f64();
                if round == RoundEvent::Closed {
                    if *acked > 0.0 {
                        flow.alpha = self.estimator.update(flow.alpha, *marked / *acked);
                    }
                    (*acked, *marked) = (0.0, 0.0);
                }
                let echo = ack.ece || marks > Bytes::ZERO;
                reno.on_ack(window, ack, echo.then_some(1.0 - 0.5 * flow.alpha));
                reno.decision(window)
            }
            (Control::Rate(form), FlowControl::Rate(state)) => {
                if let Some(fraction) = state.observe(ack, round, form) {
                    flow.alpha = self.estimator.update(flow.alpha, fraction);
                }
                form.react(state, ack, round, flow.alpha);
                form.decision(state)
            }
            _ => another_forms_flow(),
        }
    }

    fn on_loss(&self, flow: &mut Flow, loss: &Loss) -> Decision {
        if let (Control::Window(reno), FlowControl::Window { window, .. }) =
            (&self.control, &mut flow.control)
        {
            reno.on_loss(window, loss);
        }
        self.decision(flow)
    }

    fn on_timeout(&self, flow: &mut Flow, timeout: &Timeout) -> Decision {
        if let (Control::Window(reno), FlowControl::Window { window, .. }) =
            (&self.control, &mut flow.control)
        {
            reno.on_timeout(window, timeout);
        }
        self.decision(flow)
    }

    fn decision(&self, flow: &Flow) -> Decision {
        match (&self.control, &flow.control) {
            (Control::Window(reno), FlowControl::Window { window, .. }) => reno.decision(window),
            (Control::Rate(form), FlowControl::Rate(state)) => form.decision(state),
            _ => another_forms_flow(),
        }
    }
}

impl Estimator {
    /// α after a window in which `fraction` was marked.
    fn update(&self, alpha: f64, fraction: f64) -> f64 {
        match self.bits {
            AlphaBits::Float => (1.0 - self.gain) * alpha + self.gain * fraction,
            AlphaBits::Ten => {
                let units = alpha * 1024.0;
                let decay = libm::floor(units * self.gain);
                // A decay that rounds to nothing takes the whole: otherwise α would never be zero.
                let left = if decay > 0.0 { units - decay } else { 0.0 };
                (left + libm::floor(1024.0 * self.gain * fraction)).min(1024.0) / 1024.0
            }
        }
    }
}

/// The bytes of an ack that count as marked.
fn marked_bytes(ack: &Ack<'_>) -> Bytes {
    match (ack.marked > Bytes::ZERO, ack.ece) {
        (true, _) => ack.marked.min(ack.acked),
        (false, true) => ack.acked,
        (false, false) => Bytes::ZERO,
    }
}

/// SIGCOMM'10, Eq. 15: g below 1.386 / √(2(C · RTT + K)), in packets, lets α see several windows
/// per oscillation of the queue. K is the smallest that keeps the link busy (Eq. 13).
fn largest_stable_gain(host: &Host) -> f64 {
    let bdp_packets = host.bdp().as_f64() / host.mss.as_f64();
    (1.386 / libm::sqrt(2.0 * bdp_packets * (1.0 + 1.0 / 7.0))).min(1.0)
}

/// Whoever keeps laws and flows keeps them paired; a mix-up is a bug of the caller's.
#[cold]
fn another_forms_flow() -> ! {
    unreachable!("DCTCP was given the flow of another form")
}

#[cfg(test)]
mod tests;
