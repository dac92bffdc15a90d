//! [`Receiver`]: the messages that a host receives.

use super::ranges::Ranges;
use super::{Data, Kind, MessageNumber, Output, Packet, Rules};
use plimsoll_cc::homa::{Candidate, Chosen};
use plimsoll_units::{Bytes, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};

/// So many messages that were given up are remembered: peers that begin and vanish cannot fill the memory.
const MOST_SILENT: usize = 1024;

/// A message that arrives.
#[derive(Clone, Debug)]
struct Incoming {
    sender: u32,
    total: u64,
    ranges: Ranges,
    received: u64,
    blind: u64,
    granted: u64,
    /// Level of the last grant.
    level: u8,
    heard_at: Time,
    /// Questions since anything was heard.
    unanswered: u32,
    /// What it takes of the others' budget.
    share: u64,
}

impl Incoming {
    fn key(&self, message: MessageNumber) -> (u64, MessageNumber) {
        (self.total - self.received, message)
    }

    /// Bytes that may come, blind ones among them. Whoever sends what it was not granted has none.
    fn under_way(&self) -> u64 {
        self.granted.saturating_sub(self.received)
    }

    /// Granted bytes that are still to come; blind ones are nobody's grant.
    fn coming(&self) -> u64 {
        self.granted.saturating_sub(self.blind.max(self.received))
    }
}

/// What became of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Bytes that had not been here before.
    pub new: Bytes,
    /// The message is whole now.
    pub complete: bool,
}

/// The messages that a host receives.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    messages: BTreeMap<MessageNumber, Incoming>,
    /// Those that need more grants, by what is left to come.
    wanting: BTreeSet<(u64, MessageNumber)>,
    /// What messages that need no more grants take of the budget.
    leaving: u64,
    timers: BinaryHeap<Reverse<(Time, MessageNumber)>>,
    /// What is here of messages that were given up. Should one go on after all, no byte of it is counted or asked for
    /// twice.
    silent: BTreeMap<MessageNumber, Incoming>,
    /// Messages that are whole; late questions are answered from here.
    finished: HashSet<MessageNumber>,
}

impl Receiver {
    /// Data of a message of `sender` arrives.
    pub fn on_data(
        &mut self,
        rules: &Rules,
        now: Time,
        sender: u32,
        message: MessageNumber,
        data: &Data,
        output: &mut Output,
    ) -> Arrival {
        let Some(end) = data.end() else { return Arrival::default() };
        if self.finished.contains(&message) {
            // DONE is under way, or was lost: then the sender will ask.
            return Arrival::default();
        }
        self.expect(rules, now, sender, message, data.total.get());
        let Some(incoming) = self.messages.get_mut(&message) else { return Arrival::default() };
        if incoming.total != data.total.get() {
            return Arrival::default();
        }
        (incoming.heard_at, incoming.unanswered) = (now, 0);
        let new = incoming.ranges.insert(data.offset.get(), end);
        let key = incoming.key(message);
        incoming.received += new;
        if incoming.received == incoming.total {
            self.remove(message, key);
            self.finished.insert(message);
            output.say(rules, message, Kind::Done);
        } else {
            let later = incoming.key(message);
            if self.wanting.remove(&key) {
                self.wanting.insert(later);
            }
            self.recount(message);
        }
        self.grant(rules, output);
        Arrival { new: Bytes::new(new), complete: self.finished.contains(&message) }
    }

    /// A sender says something else about a message.
    pub fn on_packet(&mut self, rules: &Rules, now: Time, sender: u32, packet: &Packet, output: &mut Output) {
        let message = packet.message;
        match packet.kind {
            Kind::Busy => {
                if let Some(incoming) = self.messages.get_mut(&message) {
                    (incoming.heard_at, incoming.unanswered) = (now, 0);
                    self.recount(message);
                }
            }
            Kind::Unknown => {
                self.silent.remove(&message);
                if let Some(incoming) = self.messages.get(&message) {
                    self.remove(message, incoming.key(message));
                    self.grant(rules, output);
                }
            }
            Kind::Probe { .. } if self.finished.contains(&message) => output.say(rules, message, Kind::Done),
            Kind::Probe { total } if total > Bytes::ZERO => {
                let is_new = self.expect(rules, now, sender, message, total.get());
                let Some(incoming) = self.messages.get(&message) else { return };
                let again = Kind::Grant { to: Bytes::new(incoming.granted), level: incoming.level };
                let answer = if is_new { self.question(rules, message) } else { None };
                output.say(rules, message, answer.unwrap_or(again));
            }
            Kind::Data(_) | Kind::Probe { .. } | Kind::Grant { .. } | Kind::Resend { .. } | Kind::Done => {}
        }
    }

    /// Those that may be granted now, in their order.
    fn chosen(&self, rules: &Rules) -> Chosen {
        rules.policy.choose(self.wanting.iter().filter_map(|(_, message)| {
            let sender = self.messages.get(message)?.sender;
            Some(Candidate { message: message.0, sender })
        }))
    }

    /// The first bytes of a message that should have come and did not, as a question. Granted ones may be stuck at
    /// the level that was right when they were granted, so they are asked for at that which is right now.
    fn question(&self, rules: &Rules, message: MessageNumber) -> Option<Kind> {
        let incoming = self.messages.get(&message)?;
        let (from, to) = incoming.ranges.first_gap(incoming.granted)?;
        let level = if from < incoming.blind {
            rules.policy.blind_level(Bytes::new(incoming.total))
        } else {
            let chosen = self.chosen(rules);
            let others = chosen.as_slice();
            let rank = others.iter().position(|candidate| candidate.message == message.0);
            match rank {
                Some(rank) => rules.policy.scheduled_level(rank, others.len()),
                // It needs no more grants, and goes before those that do.
                None if incoming.granted == incoming.total => {
                    rules.policy.scheduled_level(0, others.len() + 1)
                }
                None => 0,
            }
        };
        Some(Kind::Resend { from: Bytes::new(from), to: Bytes::new(to), level })
    }

    /// Makes a place for a message, if it has none; says whether it is new.
    fn expect(&mut self, rules: &Rules, now: Time, sender: u32, message: MessageNumber, total: u64) -> bool {
        if self.messages.contains_key(&message) {
            return false;
        }
        let blind = rules.policy.blind_bytes(Bytes::new(total)).get();
        let silent = self.silent.remove(&message).filter(|silent| silent.total == total);
        let mut incoming = silent.unwrap_or_else(|| Incoming {
            sender,
            total,
            ranges: Ranges::default(),
            received: 0,
            blind,
            granted: blind,
            level: 0,
            heard_at: now,
            unanswered: 0,
            share: 0,
        });
        (incoming.heard_at, incoming.unanswered) = (now, 0);
        if incoming.granted < total {
            self.wanting.insert(incoming.key(message));
        }
        self.messages.insert(message, incoming);
        self.recount(message);
        self.timers.push(Reverse((now.saturating_add(rules.resend_timeout), message)));
        true
    }

    /// Forgets a message, which is in line by `key`; gives what was here of it.
    fn remove(&mut self, message: MessageNumber, key: (u64, MessageNumber)) -> Option<Incoming> {
        self.wanting.remove(&key);
        let incoming = self.messages.remove(&message)?;
        self.leaving -= incoming.share;
        Some(Incoming { share: 0, ..incoming })
    }

    /// Nobody answers: the message makes way for others.
    fn give_up(&mut self, message: MessageNumber, key: (u64, MessageNumber), output: &mut Output) {
        if let Some(incoming) = self.remove(message, key) {
            self.silent.insert(message, incoming);
            if self.silent.len() > MOST_SILENT {
                self.silent.pop_first();
            }
        }
        output.given_up.push(message);
    }

    /// What a message takes of the others' budget: if it needs no more grants, what is still to come of its last
    /// ones; nothing if it seems not to come, until something does.
    fn recount(&mut self, message: MessageNumber) {
        let Some(incoming) = self.messages.get_mut(&message) else { return };
        let leaves = incoming.granted == incoming.total && incoming.unanswered == 0;
        let share = if leaves { incoming.coming() } else { 0 };
        self.leaving = self.leaving - incoming.share + share;
        incoming.share = share;
    }

    /// Grants what may be granted now.
    fn grant(&mut self, rules: &Rules, output: &mut Output) {
        let mut changed = true;
        // One that needs no more makes way for the next.
        while std::mem::replace(&mut changed, false) {
            let chosen = self.chosen(rules);
            let under_way = |candidate: &Candidate| {
                let incoming = self.messages.get(&MessageNumber(candidate.message));
                incoming.map_or(0, Incoming::under_way)
            };
            let taken = chosen.as_slice().iter().map(under_way).fold(self.leaving, u64::saturating_add);
            let mut left = rules.policy.budget().get().saturating_sub(taken);
            for (rank, candidate) in chosen.as_slice().iter().enumerate() {
                let message = MessageNumber(candidate.message);
                let Some(incoming) = self.messages.get_mut(&message) else { continue };
                let (total, received) = (Bytes::new(incoming.total), Bytes::new(incoming.received));
                let own = incoming.under_way();
                let to = rules.policy.grant_to(total, received, Bytes::new(own.saturating_add(left))).get();
                // The ends of other messages leave odd numbers of bytes; a grant that cuts a packet would be cut
                // again by every grant after it.
                let to = if to < incoming.total { to - to % u64::from(rules.mss.max(1)) } else { to };
                if to <= incoming.granted {
                    continue;
                }
                left = left.saturating_sub(to - incoming.granted);
                incoming.granted = to;
                incoming.level = rules.policy.scheduled_level(rank, chosen.as_slice().len());
                output.say(rules, message, Kind::Grant { to: Bytes::new(to), level: incoming.level });
                if to == incoming.total {
                    self.wanting.remove(&incoming.key(message));
                    self.recount(message);
                    changed = true;
                }
            }
        }
    }

    /// When [`Receiver::on_timer`] is to be called; it may turn out to be too early.
    #[must_use]
    pub fn next_timer(&self) -> Time {
        self.timers.peek().map_or(Time::NEVER, |Reverse((time, _))| *time)
    }

    /// The time has come: asks for what is missing of messages that nothing is heard of.
    pub fn on_timer(&mut self, rules: &Rules, now: Time, output: &mut Output) {
        while let Some(&Reverse((time, message))) = self.timers.peek() {
            if time > now {
                break;
            }
            self.timers.pop();
            let Some(incoming) = self.messages.get(&message) else { continue };
            let due = incoming.heard_at.saturating_add(rules.resend_timeout);
            let question = if due > now { None } else { self.question(rules, message) };
            let Some(incoming) = self.messages.get_mut(&message) else { continue };
            let next = match question {
                _ if due > now => due,
                // It waits for its turn.
                None => now.saturating_add(rules.resend_timeout),
                Some(_) if incoming.unanswered >= rules.max_resends => {
                    let key = incoming.key(message);
                    self.give_up(message, key, output);
                    continue;
                }
                Some(question) => {
                    incoming.unanswered += 1;
                    incoming.heard_at = now;
                    output.say(rules, message, question);
                    self.recount(message);
                    now.saturating_add(rules.resend_timeout)
                }
            };
            self.timers.push(Reverse((next, message)));
        }
        self.grant(rules, output);
    }
}
