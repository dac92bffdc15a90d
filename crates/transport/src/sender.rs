//! [`Sender`]: the sending end of a connection.

use crate::config::{LossReport, Reliability, WindowRule};
use crate::ecn::{EchoReader, Stream};
use crate::flight::{Arrivals, Flight, Progress, Watch};
use crate::outbox::{Completed, EnqueueError, Outbox};
use crate::pacer::Pacer;
use crate::packet::{AckPacket, DataPacket, Ecn, MessageId, PacketNumber};
use crate::rto::Rto;
use crate::stack::Stack;
use core::fmt;
use plimsoll_cc::{Ack, CongestionControl, Decision, Loss, Path, Telemetry, Timeout};
use plimsoll_units::{Bytes, Rate, Span, Time};
use plimsoll_wire::header::ByteRange;

/// What a sender can do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll<T = ()> {
    /// Send this packet.
    Send(DataPacket<T>),
    /// The pace forbids to send before this time. An ack may bring it forward or back.
    Wait(Time),
    /// Only an event can change anything.
    Blocked(Blocked),
    /// The connection is over.
    Failed(Failure),
}

/// What a sender waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// For acks: the window is full.
    Window,
    /// For the application: everything is sent.
    Data,
}

/// Why a connection ended before its data was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Too many timeouts in a row.
    TimedOut {
        /// The oldest packet that was not acked.
        packet: PacketNumber,
        /// Timeouts since anything was delivered, the last one included.
        timeouts: u32,
        /// When the last one expired.
        at: Time,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { packet, timeouts, at } => write!(
                f,
                "packet {} was not acked after {timeouts} timeouts in a row, the last at {at}",
                packet.0
            ),
        }
    }
}

impl core::error::Error for Failure {}

/// What an ack brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acked {
    /// Bytes delivered for the first time.
    pub bytes: Bytes,
    /// Messages completed; [`Sender::pop_completed`] has them.
    pub messages: u32,
}

/// What happened since the start of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets sent, repeated ones included.
    pub packets: u64,
    /// Packets repeated.
    pub repeated: u64,
    /// Loss episodes found by acks.
    pub episodes: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Packets thought lost that arrived after all.
    pub spurious: u64,
    /// Acks that this connection cannot have caused: of bytes never sent, or from the future.
    pub impossible_acks: u64,
}

/// The sending end of a connection. The law and the settings live in the [`Stack`], which every
/// step is handed; it must be the one that the sender was made with.
#[derive(Clone, Debug)]
pub struct Sender<L: CongestionControl> {
    law: L::Flow,
    window: Bytes,
    wake: Time,
    pacer: Pacer,
    flight: Flight,
    sent_to: Bytes,
    outbox: Outbox,
    rto: Rto,
    echo: EchoReader,
    /// A packet is lost when so many later ones have arrived.
    reordering: u32,
    /// A loss of a packet before this one belongs to the episode that the law knows of.
    episode_end: u64,
    /// The first packet of an episode is repeated at once, whatever the window says (RFC 6675).
    urgent: bool,
    failure: Option<Failure>,
    counters: Counters,
}

impl<L: CongestionControl> Sender<L> {
    /// A connection over `path` begins.
    #[must_use]
    pub fn new(stack: &Stack<L>, path: &Path) -> Self {
        let (law, decision) = stack.law.start(path);
        Self {
            law,
            window: decision.window,
            wake: decision.wake,
            pacer: Pacer::new(decision.pacing),
            flight: Flight::default(),
            sent_to: Bytes::ZERO,
            outbox: Outbox::default(),
            rto: Rto::new(&stack.config),
            echo: EchoReader::default(),
            reordering: stack.config.reordering,
            episode_end: 0,
            urgent: false,
            failure: None,
            counters: Counters::default(),
        }
    }

    /// The application hands over a message of `size` bytes.
    ///
    /// # Errors
    /// If the message is empty, or the stream would exceed 2⁶⁴ bytes.
    pub fn enqueue(&mut self, now: Time, size: Bytes) -> Result<MessageId, EnqueueError> {
        self.outbox.push(now, size)
    }

    /// Takes the next message whose every byte is acked, in order.
    pub fn pop_completed(&mut self) -> Option<Completed> {
        self.outbox.pop_completed()
    }

    /// The next packet, if it may go now.
    // Inlined always: a packet that is returned through memory is written in small pieces and read
    // back in large ones, which stalls the CPU for some 10 ns (examples/loop_cost.rs).
    #[inline(always)]
    pub fn poll_send<T: Default>(&mut self, stack: &Stack<L>, now: Time) -> Poll<T> {
        if let Some(failure) = self.failure {
            return Poll::Failed(failure);
        }
        if self.flight.lost() > 0 {
            return self.poll_repeat(stack, now);
        }
        let Some(piece) = self.outbox.piece(self.sent_to, stack.mss) else {
            return Poll::Blocked(Blocked::Data);
        };
        let outstanding = self.flight.next() - self.flight.first();
        if !self.window_allows(stack, piece.length) || outstanding >= u64::from(stack.config.max_outstanding)
        {
            return Poll::Blocked(Blocked::Window);
        }
        if now < self.pacer.next() {
            return Poll::Wait(self.pacer.next());
        }
        let offset = self.sent_to;
        let number = self.flight.push(now, offset, piece.length, piece.ends_message);
        self.sent_to = offset.saturating_add(Bytes::new(u64::from(piece.length)));
        self.account(stack, now, piece.length);
        Poll::Send(DataPacket {
            number: PacketNumber(number),
            offset,
            message: self.outbox.being_cut(),
            sent_at: now,
            length: piece.length,
            ends_message: piece.ends_message,
            repeated: false,
            window_reduced: self.echo.announce(),
            ecn: ecn_field(stack),
            circuit_up: false,
            hops: 0,
            telemetry: T::default(),
        })
    }

    #[cold]
    fn poll_repeat<T: Default>(&mut self, stack: &Stack<L>, now: Time) -> Poll<T> {
        let Some((number, slot)) = self.flight.next_lost() else {
            return Poll::Blocked(Blocked::Data);
        };
        if !self.urgent && !self.window_allows(stack, slot.length) {
            return Poll::Blocked(Blocked::Window);
        }
        if now < self.pacer.next() {
            return Poll::Wait(self.pacer.next());
        }
        self.urgent = false;
        let watch = match stack.config.reliability {
            Reliability::SelectiveRepeat => Watch::Repetitions,
            Reliability::GoBackN => Watch::Nothing,
        };
        self.flight.repeat(now, number, watch);
        self.counters.repeated += 1;
        self.account(stack, now, slot.length);
        Poll::Send(DataPacket {
            number: PacketNumber(number),
            offset: slot.offset,
            message: self.outbox.message_at(slot.offset),
            sent_at: now,
            length: slot.length,
            ends_message: slot.ends_message,
            repeated: true,
            // RFC 3168 puts CWR on new data only.
            window_reduced: false,
            ecn: ecn_field(stack),
            circuit_up: false,
            hops: 0,
            telemetry: T::default(),
        })
    }

    /// An empty network always has room for one packet.
    fn window_allows(&self, stack: &Stack<L>, length: u32) -> bool {
        let in_flight = self.flight.bytes();
        if in_flight == Bytes::ZERO {
            return true;
        }
        match stack.config.window_rule {
            WindowRule::Strict => in_flight.saturating_add(Bytes::new(u64::from(length))) <= self.window,
            WindowRule::Overshoot => in_flight < self.window,
        }
    }

    fn account(&mut self, stack: &Stack<L>, now: Time, length: u32) {
        self.counters.packets += 1;
        self.rto.sent(now);
        self.pacer.sent(now, length.saturating_add(stack.header), &stack.config);
    }

    /// An ack arrived; `telemetry` is what it reflects, for the law
    /// ([`Reflect::telemetry`](crate::Reflect::telemetry) makes it).
    #[inline]
    pub fn on_ack<T>(
        &mut self,
        stack: &Stack<L>,
        now: Time,
        ack: &AckPacket<T>,
        telemetry: Telemetry<'_>,
    ) -> Acked {
        let rtt = now.checked_since(ack.echoed_sent_at);
        let (Some(rtt), true) = (rtt, self.is_possible(ack)) else {
            self.counters.impossible_acks += 1;
            return Acked::default();
        };
        let progress = self.flight.acknowledge(ack);
        let acked = Bytes::new(progress.bytes);
        self.rto.sample(&stack.config, rtt);
        if progress.bytes > 0 {
            if self.flight.first() == self.flight.next() { self.rto.stop() } else { self.rto.restart(now) }
        }
        let lost = self.find_lost(stack, ack, &progress);

        let stream = Stream { acked, acked_to: self.flight.acked_to(), sent_to: self.sent_to };
        let heard = self.echo.read(stack.config.ecn, ack, stream);
        let decision = stack.law.on_ack(
            &mut self.law,
            &Ack {
                now,
                rtt,
                endpoint_delay: ack.receiver_delay,
                acked,
                marked: heard.marked,
                ece: heard.echo,
                circuit_up: ack.circuit_up,
                in_flight: self.flight.bytes(),
                acked_to: stream.acked_to,
                sent_to: stream.sent_to,
                hops: u32::from(ack.hops),
                telemetry,
            },
        );
        self.apply(stack, decision);
        if lost > Bytes::ZERO {
            self.on_loss(stack, now, lost);
        }
        if progress.messages > 0 {
            self.outbox.acked(now, progress.messages);
        }
        Acked { bytes: acked, messages: progress.messages }
    }

    /// Whether this connection can have caused the ack. A connection that failed hears nothing.
    fn is_possible<T>(&self, ack: &AckPacket<T>) -> bool {
        self.failure.is_none() && ack.next_expected <= self.sent_to && ack.number.0 < self.flight.next()
    }

    /// What the ack says is lost, in bytes.
    fn find_lost<T>(&mut self, stack: &Stack<L>, ack: &AckPacket<T>, progress: &Progress) -> Bytes {
        match stack.config.reliability {
            Reliability::SelectiveRepeat => {
                if progress.reordered_by > 0 {
                    self.counters.spurious += 1;
                    let distance = u32::try_from(progress.reordered_by).unwrap_or(u32::MAX);
                    let wanted = distance.saturating_add(1).min(stack.config.max_reordering);
                    self.reordering = self.reordering.max(wanted);
                }
                self.flight.find_lost(self.reordering)
            }
            // A refusal of a packet that was sent before the missing one was repeated is old news.
            Reliability::GoBackN
                if ack.refused
                    && ack.next_expected == self.flight.acked_to()
                    && ack.echoed_sent_at >= self.flight.first_sent_at() =>
            {
                let in_flight = self.flight.bytes();
                self.flight.lose_all(Arrivals::Keep);
                in_flight
            }
            Reliability::GoBackN => Bytes::ZERO,
        }
    }

    #[cold]
    fn on_loss(&mut self, stack: &Stack<L>, now: Time, lost: Bytes) {
        if self.flight.first() < self.episode_end {
            return;
        }
        self.episode_end = self.flight.next();
        self.counters.episodes += 1;
        self.urgent = true;
        if stack.config.loss_report == LossReport::Tell {
            let in_flight = self.flight.bytes().saturating_add(lost);
            let loss = Loss { now, in_flight, sent_to: self.sent_to };
            let decision = stack.law.on_loss(&mut self.law, &loss);
            self.apply(stack, decision);
        }
    }

    fn apply(&mut self, stack: &Stack<L>, decision: Decision) {
        self.window = decision.window;
        self.wake = decision.wake;
        self.pacer.set_rate(decision.pacing, &stack.config);
    }

    /// Whether the law says that the packet which this ack answers met congestion; to be asked before
    /// [`Sender::on_ack`].
    #[must_use]
    pub fn met_congestion(&self, stack: &Stack<L>, ack: &Ack<'_>) -> Option<bool> {
        stack.law.met_congestion(&self.law, ack)
    }

    /// The flow takes another path from now on (PLB): the law does not compare its switches with
    /// those of the last one. Whoever reads compact records for the law tells
    /// [`HopReader::path_changed`](crate::HopReader::path_changed) as well. Packets still under way
    /// come over the old path; if their telemetry is impossible on one path, laws leave it out.
    pub fn path_changed(&mut self, stack: &Stack<L>) {
        stack.law.on_path_change(&mut self.law);
    }

    /// When [`Sender::on_timer`] wants to be called. Each ack moves it, mostly to later: whoever
    /// keeps timers may let an old one fire, and ask again then.
    #[must_use]
    pub fn next_timer(&self) -> Time {
        self.rto.deadline().min(self.wake)
    }

    /// Time has passed. To be called too early, or too often, does no harm.
    pub fn on_timer(&mut self, stack: &Stack<L>, now: Time) {
        if self.failure.is_some() {
            return;
        }
        if now >= self.rto.deadline() {
            self.on_timeout(stack, now);
        }
        if now >= self.wake {
            let decision = stack.law.on_timer(&mut self.law, now);
            self.apply(stack, decision);
        }
    }

    #[cold]
    fn on_timeout(&mut self, stack: &Stack<L>, now: Time) {
        let in_flight = self.flight.bytes();
        if in_flight == Bytes::ZERO && self.flight.lost() > 0 {
            // Nothing is under way: the pace keeps the repetition back. Its departure starts the timer.
            self.rto.pause();
            return;
        }
        self.counters.timeouts += 1;
        if self.rto.expiries() >= stack.config.max_timeouts {
            self.fail(now);
            return;
        }
        // A receiver that kept its word makes progress after one timeout. After two, its selective
        // acks are not to be trusted (RFC 2018, section 8).
        let arrivals = if self.rto.expiries() == 0 { Arrivals::Keep } else { Arrivals::Forget };
        self.flight.lose_all(arrivals);
        self.episode_end = self.flight.next();
        self.rto.expire(&stack.config);
        if self.flight.lost() == 0 {
            // All that was missing is said to have arrived, and still nothing moves: wait once more.
            self.rto.sent(now);
        }
        if stack.config.loss_report == LossReport::Tell {
            let timeout = Timeout { now, in_flight, sent_to: self.sent_to };
            let decision = stack.law.on_timeout(&mut self.law, &timeout);
            self.apply(stack, decision);
        }
    }

    fn fail(&mut self, at: Time) {
        let packet = PacketNumber(self.flight.first());
        self.failure = Some(Failure::TimedOut { packet, timeouts: self.rto.expiries() + 1, at });
        self.rto.stop();
        self.wake = Time::NEVER;
    }

    /// Which of the 64 packets up to `number` lie within `range`.
    pub(crate) fn arrived_bits(&self, number: PacketNumber, range: ByteRange) -> u64 {
        self.flight.bits_within(number.0, range.start, range.end)
    }

    /// Why the connection is over, if it is.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Whether every enqueued byte is acked.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.flight.acked_to() == self.outbox.end()
    }

    /// The law's state of this flow.
    #[must_use]
    pub fn law_flow(&self) -> &L::Flow {
        &self.law
    }

    /// How many bytes may be in flight.
    #[must_use]
    pub fn window(&self) -> Bytes {
        self.window
    }

    /// How fast packets may follow each other.
    #[must_use]
    pub fn pacing(&self) -> Rate {
        self.pacer.rate()
    }

    /// Bytes sent and neither delivered nor lost.
    #[must_use]
    pub fn in_flight(&self) -> Bytes {
        self.flight.bytes()
    }

    /// Everything before this stream position is acked.
    #[must_use]
    pub fn acked_to(&self) -> Bytes {
        self.flight.acked_to()
    }

    /// The next stream position to be sent for the first time.
    #[must_use]
    pub fn sent_to(&self) -> Bytes {
        self.sent_to
    }

    /// Smoothed round trip time; `None` before the first ack.
    #[must_use]
    pub fn smoothed_rtt(&self) -> Option<Span> {
        Some(self.rto.smoothed()).filter(|rtt| *rtt > Span::ZERO)
    }

    /// The retransmission timeout, backing off included.
    #[must_use]
    pub fn timeout(&self) -> Span {
        self.rto.timeout()
    }

    /// What happened since the start.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}

fn ecn_field<L: CongestionControl>(stack: &Stack<L>) -> Ecn {
    match stack.config.ecn {
        crate::config::EcnEcho::Off => Ecn::NotCapable,
        _ => Ecn::Capable,
    }
}

#[cfg(test)]
mod tests;
