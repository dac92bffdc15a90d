//! DCTCP on rates, as HPCC's simulator models a network card.

use crate::episode::Episode;
use crate::event::{Ack, Host};
use crate::law::Decision;
use crate::round::RoundEvent;
use plimsoll_units::{Bytes, Rate};

/// The rate form's constants, in bit/s and bytes.
#[derive(Clone, Debug)]
pub(super) struct RateForm {
    host: Host,
    line_rate: f64,
    min_rate: f64,
    increase: f64,
    bdp: f64,
}

/// The rate form's part of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateFlow {
    rate: f64,
    /// Acks with an echo in this round.
    marked_acks: u64,
    /// Acks that this round will have.
    expected_acks: u64,
    /// The round whose echo was answered.
    answered: Episode,
}

impl RateForm {
    pub(super) fn new(host: &Host, increase: Rate, min_rate: Rate) -> Self {
        let (line_rate, bdp) = (host.nic_rate.as_bps_f64(), host.bdp().as_f64());
        Self { host: *host, line_rate, min_rate: min_rate.as_bps_f64(), increase: increase.as_bps_f64(), bdp }
    }

    pub(super) fn start(&self) -> RateFlow {
        RateFlow { rate: self.line_rate, marked_acks: 0, expected_acks: 1, answered: Episode::default() }
    }

    /// Whole bytes, so that a window check on packets falls as in the source.
    pub(super) fn decision(&self, flow: &RateFlow) -> Decision {
        let window = (self.bdp * flow.rate / self.line_rate) as u64;
        Decision::paced(&self.host, window as f64, flow.rate)
    }

    /// Cuts the rate on the first echo of a round; raises it at the end of a round that is not
    /// answering one. The first ack counts as the end of a round.
    pub(super) fn react(&self, flow: &mut RateFlow, ack: &Ack<'_>, round: RoundEvent, alpha: f64) {
        let _ = flow.answered.on_ack(ack.acked_to);
        if ack.ece && flow.answered.is_over() {
            // Whole bits per second, as in the source.
            let cut = (flow.rate * (1.0 - 0.5 * alpha)) as u64;
            flow.rate = (cut as f64).max(self.min_rate);
            flow.answered.reduce(ack.sent_to);
        }
        if round != RoundEvent::Inside && flow.answered.is_over() {
            flow.rate = (flow.rate + self.increase).min(self.line_rate);
        }
    }
}

impl RateFlow {
    /// Counts an ack; at the end of a round, the fraction of its acks that were marked. The first
    /// ack begins the first round, whose marks include its own.
    pub(super) fn observe(&mut self, ack: &Ack<'_>, round: RoundEvent, form: &RateForm) -> Option<f64> {
        self.marked_acks = self.marked_acks.saturating_add(u64::from(ack.ece));
        let packets = |bytes: Bytes| (bytes.get() / form.host.mss.get().max(1)).saturating_add(1);
        match round {
            RoundEvent::Inside => None,
            RoundEvent::First => {
                self.expected_acks = packets(ack.sent_to);
                None
            }
            RoundEvent::Closed => {
                let fraction = (self.marked_acks as f64 / self.expected_acks as f64).min(1.0);
                self.marked_acks = 0;
                self.expected_acks = packets(ack.sent_to.saturating_sub(ack.acked_to));
                Some(fraction)
            }
        }
    }
}
