//! [`Sender`]: the messages that a host sends.

use super::ranges::Ranges;
use super::{Data, Kind, MessageNumber, Output, Packet, Rules};
use plimsoll_units::{Bytes, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A sender doubles the time between its questions this many times.
const MOST_DOUBLINGS: u32 = 6;

/// A message that is sent.
#[derive(Clone, Debug)]
struct Outgoing {
    length: u64,
    begun_at: Time,
    sent_to: u64,
    /// What may be sent blindly, and what may be sent at all.
    blind: u64,
    granted: u64,
    /// Levels of granted bytes and of those that are sent again.
    level: u8,
    repeat_level: u8,
    repeats: Ranges,
    /// When anything was sent or heard last.
    active_at: Time,
    /// Questions since anything was heard, and since a new grant.
    unanswered: u32,
    questions: u32,
}

impl Outgoing {
    fn is_ready(&self) -> bool {
        self.sent_to < self.granted || !self.repeats.is_empty()
    }

    /// Fewest bytes left to send go first.
    fn key(&self, message: MessageNumber) -> (u64, MessageNumber) {
        (self.length - self.sent_to, message)
    }

    /// The next packet: from where to where, at which level, and whether it was sent before.
    fn next(&self, rules: &Rules) -> Option<(u64, u64, u8, bool)> {
        let most = u64::from(rules.mss);
        if let Some((from, to)) = self.repeats.front(most) {
            return Some((from, to, self.repeat_level, true));
        }
        if self.sent_to >= self.granted {
            return None;
        }
        // No packet is part blind, part granted: the two have different levels.
        let (limit, level) = if self.sent_to < self.blind {
            (self.blind, rules.policy.blind_level(Bytes::new(self.length)))
        } else {
            (self.granted, self.level)
        };
        Some((self.sent_to, limit.min(self.sent_to.saturating_add(most)), level, false))
    }
}

/// All of a message has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// When it began.
    pub begun_at: Time,
}

/// The messages that a host sends.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    messages: BTreeMap<MessageNumber, Outgoing>,
    /// Those that may send something, by what they have left.
    ready: BTreeSet<(u64, MessageNumber)>,
    /// One for each message; looked at again when it fires.
    timers: BinaryHeap<Reverse<(Time, MessageNumber)>>,
}

impl Sender {
    /// A message begins. One without bytes, or one that is under way, is none.
    pub fn begin(&mut self, rules: &Rules, now: Time, message: MessageNumber, length: Bytes) {
        if length == Bytes::ZERO || self.messages.contains_key(&message) {
            return;
        }
        let blind = rules.policy.blind_bytes(length).get();
        let outgoing = Outgoing {
            length: length.get(),
            begun_at: now,
            sent_to: 0,
            blind,
            granted: blind,
            level: 0,
            repeat_level: 0,
            repeats: Ranges::default(),
            active_at: now,
            unanswered: 0,
            questions: 0,
        };
        self.ready.insert(outgoing.key(message));
        self.messages.insert(message, outgoing);
        self.timers.push(Reverse((now.saturating_add(rules.resend_timeout), message)));
    }

    /// Whether a message is under way.
    #[must_use]
    pub fn has(&self, message: MessageNumber) -> bool {
        self.messages.contains_key(&message)
    }

    /// Whether anything may be sent.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The next packet: of the message with the fewest bytes left to send whose level may be sent.
    pub fn poll_send(&mut self, rules: &Rules, now: Time, may_send: impl Fn(u8) -> bool) -> Option<Packet> {
        let next = self.ready.iter().find_map(|&(_, message)| {
            let next = self.messages.get(&message)?.next(rules)?;
            may_send(next.2).then_some((message, next))
        });
        let (message, (from, to, level, repeated)) = next?;
        let outgoing = self.messages.get_mut(&message)?;
        self.ready.remove(&outgoing.key(message));
        if repeated {
            outgoing.repeats.remove_front(to)
        } else {
            outgoing.sent_to = to
        }
        outgoing.active_at = now;
        if outgoing.is_ready() {
            self.ready.insert(outgoing.key(message));
        }
        let data = Data {
            offset: Bytes::new(from),
            // At most `mss`.
            length: (to - from) as u32,
            total: Bytes::new(outgoing.length),
            repeated,
        };
        Some(Packet { message, level, kind: Kind::Data(data) })
    }

    /// A receiver says something about a message; gives the end of it if that is what it says.
    pub fn on_packet(
        &mut self,
        rules: &Rules,
        now: Time,
        packet: &Packet,
        output: &mut Output,
    ) -> Option<Finished> {
        let message = packet.message;
        let Some(outgoing) = self.messages.get_mut(&message) else {
            if matches!(packet.kind, Kind::Grant { .. } | Kind::Resend { .. }) {
                output.say(rules, message, Kind::Unknown);
            }
            return None;
        };
        (outgoing.active_at, outgoing.unanswered) = (now, 0);
        match packet.kind {
            Kind::Done => return self.remove(message),
            Kind::Grant { to, level } => {
                let to = to.get().min(outgoing.length);
                if to > outgoing.granted {
                    (outgoing.granted, outgoing.questions) = (to, 0);
                    self.ready.insert(outgoing.key(message));
                }
                outgoing.level = rules.level(level);
            }
            Kind::Resend { from, to, level } => {
                let (from, to) = (from.get(), to.get().min(outgoing.length));
                outgoing.granted = outgoing.granted.max(to);
                outgoing.repeats.insert(from, to.min(outgoing.sent_to));
                outgoing.repeat_level = rules.level(level);
                let (key, is_ready) = (outgoing.key(message), outgoing.is_ready());
                if is_ready {
                    self.ready.insert(key);
                }
                // Others go first, and the receiver must not think that nobody is here.
                if is_ready && self.ready.first() != Some(&key) {
                    output.say(rules, message, Kind::Busy);
                }
            }
            Kind::Data(_) | Kind::Busy | Kind::Probe { .. } | Kind::Unknown => {}
        }
        None
    }

    /// A message is no longer wanted.
    pub fn withdraw(&mut self, rules: &Rules, message: MessageNumber, output: &mut Output) {
        if self.remove(message).is_some() {
            output.say(rules, message, Kind::Unknown);
        }
    }

    fn remove(&mut self, message: MessageNumber) -> Option<Finished> {
        let outgoing = self.messages.remove(&message)?;
        self.ready.remove(&outgoing.key(message));
        Some(Finished { begun_at: outgoing.begun_at })
    }

    /// When [`Sender::on_timer`] is to be called; it may turn out to be too early.
    #[must_use]
    pub fn next_timer(&self) -> Time {
        self.timers.peek().map_or(Time::NEVER, |Reverse((time, _))| *time)
    }

    /// The time has come: asks about messages that nothing is heard of.
    pub fn on_timer(&mut self, rules: &Rules, now: Time, output: &mut Output) {
        while let Some(&Reverse((time, message))) = self.timers.peek() {
            if time > now {
                return;
            }
            self.timers.pop();
            let Some(outgoing) = self.messages.get_mut(&message) else { continue };
            // Between a second and a third question in vain twice the time passes, and so on: a message may have
            // to wait for its turn for long.
            let patience = rules.resend_timeout.saturating_mul(1 << outgoing.questions.min(MOST_DOUBLINGS));
            let due = outgoing.active_at.saturating_add(patience);
            let next = if outgoing.is_ready() {
                now.saturating_add(rules.resend_timeout)
            } else if due > now {
                due
            } else if outgoing.unanswered >= rules.max_resends {
                self.remove(message);
                output.given_up.push(message);
                continue;
            } else {
                outgoing.unanswered += 1;
                outgoing.questions = outgoing.questions.saturating_add(1);
                outgoing.active_at = now;
                let total = Bytes::new(outgoing.length);
                output.say(rules, message, Kind::Probe { total });
                now.saturating_add(rules.resend_timeout)
            };
            self.timers.push(Reverse((next, message)));
        }
    }
}
