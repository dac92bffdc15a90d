//! Hosts: the two ends of connections, and the card.

use crate::host::Host;
use crate::packet::{Landed, LongestWait, NONE, Packet, wait};
use crate::partition::Partition;
use crate::record::{Delivered, Ended, Sent};
use crate::reflect::UNKNOWN;
use crate::routes::mix;
use crate::sample::Heard;
use crate::setup::Spreading;
use crate::shared::{Shared, Stamp};
use crate::stamp::HopList;
use plimsoll_cc::plb::{self, Move, Sample};
use plimsoll_cc::{Ack, CongestionControl, HopRecord, MAX_HOPS, Signals, Telemetry, Timeout};
use plimsoll_transport::{AckPacket, DataPacket, Ecn, Fate, Poll, Receiver, Sender};
use plimsoll_units::{Bytes, Span, Time};
use std::cmp::Reverse;

/// A receiving end, or what is left of it.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// Nothing has arrived.
    NotYet,
    /// Something has; `held` is the body of the packet that the next ack answers, if it waits.
    Open { receiver: Box<Receiver<LongestWait>>, held: u32, timer: u64 },
    /// Everything has arrived; late copies are answered from here.
    Complete,
}

impl Incoming {
    /// The bytes before this stream position have arrived; `None` = all have.
    pub(crate) fn delivered_to(&self) -> Option<Bytes> {
        match self {
            Self::NotYet => Some(Bytes::ZERO),
            Self::Open { receiver, .. } => Some(receiver.delivered_to()),
            Self::Complete => None,
        }
    }
}

/// The sending end of a connection.
#[derive(Debug)]
pub(crate) struct Outgoing<L: CongestionControl> {
    sender: Sender<L>,
    /// What ECMP hashes.
    label: u16,
    /// Whether it stands in the host's line.
    in_line: bool,
    /// The earliest timer of it that the host holds.
    timer: u64,
    /// Messages acked.
    acked: u32,
    plb: Option<plb::Flow>,
    timeouts: u64,
}

impl<L: CongestionControl> Outgoing<L> {
    pub(crate) fn sender(&self) -> &Sender<L> {
        &self.sender
    }

    /// Whether the packet that this ack answers met congestion: as the law judges it, or else if it is
    /// marked or, for laws without marks, its round trip a quarter above the network's base.
    fn sample(
        &self,
        shared: &Shared<L>,
        now: u64,
        ack: &AckPacket<LongestWait>,
        telemetry: Telemetry<'_>,
    ) -> Sample {
        let now = Time::from_ps(now);
        let rtt = now.saturating_since(ack.echoed_sent_at);
        let event = Ack {
            now,
            rtt,
            endpoint_delay: ack.receiver_delay,
            hops: u32::from(ack.hops),
            telemetry,
            ..Ack::default()
        };
        // A law that lives on marks has a queue without them, too.
        let by_marks = shared.stack.law().needs().has(Signals::ECN);
        let slow = || !by_marks && rtt > shared.base_rtt.saturating_scale(1.25);
        let judged = self.sender.met_congestion(&shared.stack, &event);
        match judged.unwrap_or_else(|| ack.congestion_echo || slow()) {
            true => Sample::Congested,
            false => Sample::Clear,
        }
    }
}

impl<L: CongestionControl> Partition<'_, L> {
    /// A data packet reaches its host.
    #[inline(never)]
    pub(crate) fn data_arrives(&mut self, now: u64, host: u32, packet: Landed) {
        if self.speaks_homa() {
            return self.homa_arrives(now, host, packet);
        }
        let body = self.bodies.get(packet.body);
        let (connection, data) = (body.connection, body.data(packet));
        let shared = self.shared;
        let plan = &shared.connections[connection as usize];
        let time = Time::from_ps(now);
        if let Incoming::NotYet = self.incoming[connection as usize] {
            self.incoming[connection as usize] =
                Incoming::Open { receiver: Box::default(), held: NONE, timer: u64::MAX };
            self.receives(connection);
        }
        let incoming = &mut self.incoming[connection as usize];
        let Incoming::Open { receiver, held, timer } = incoming else {
            self.send_ack(host, packet.body, packet.label, late_ack(&data, plan.bytes));
            self.work(now, host);
            return;
        };
        let before = receiver.messages().0;
        let arrival = receiver.on_data(&shared.setup.transport, time, &data);
        let complete = receiver.delivered_to() >= plan.bytes;
        let earlier_held = std::mem::replace(held, NONE);
        let waits =
            arrival.ack.is_none() && matches!(arrival.fate, Fate::Delivered | Fate::Kept | Fate::Duplicate);
        if waits {
            *held = packet.body;
            let due = receiver.next_timer().as_ps();
            if due < *timer {
                *timer = due;
                self.hosts[host as usize].ack_timers.push(Reverse((due, connection)));
            }
        }
        if complete {
            *incoming = Incoming::Complete;
        }
        if let Some(ack) = arrival.earlier {
            self.send_ack(host, earlier_held, packet.label, ack);
        } else if earlier_held != NONE {
            self.bodies.release(earlier_held);
        }
        match arrival.ack {
            Some(ack) => self.send_ack(host, packet.body, packet.label, ack),
            None if waits => {}
            None => self.bodies.release(packet.body),
        }
        for n in 0..u64::from(arrival.messages) {
            let message = shared.message_of(connection, before + n);
            self.delivered.push(Delivered { message, at: time });
            self.let_follow(now, host, message);
        }
        self.work(now, host);
    }

    /// An ack takes the place of the data packet that it answers, which is in cache, and its records.
    #[inline]
    fn send_ack(&mut self, host: u32, slot: u32, label: u16, mut ack: AckPacket<LongestWait>) {
        let setup = &self.shared.setup;
        let delay = setup.receive_delay;
        ack.receiver_delay =
            if setup.reports_delay { ack.receiver_delay.saturating_add(delay) } else { Span::ZERO };
        let body = self.bodies.get_mut(slot);
        body.set_ack(&ack);
        body.label = label;
        let connection = body.connection;
        let plan = &self.shared.connections[connection as usize];
        let packet = Packet {
            body: slot,
            to: plan.from as u16,
            label: self.label_back(connection, label),
            size: setup.ack_size.get() as u16,
            flags: Packet::ACK | Packet::of_class(setup.ack_class.unwrap_or(plan.class)),
            ..Packet::EMPTY
        };
        let host = &mut self.hosts[host as usize];
        if delay == Span::ZERO {
            host.acks.push_back(packet);
        } else {
            host.slow_acks.push_back((self.now.saturating_add(delay.as_ps()), packet));
        }
    }

    /// A message is done at `host`; those that waited for it there may begin.
    pub(crate) fn let_follow(&mut self, now: u64, host: u32, message: u32) {
        let shared = self.shared;
        for &follower in shared.followers_of(message) {
            let plan = &shared.messages[follower as usize];
            if shared.connections[plan.connection as usize].from != host {
                continue;
            }
            self.waits_for[follower as usize] -= 1;
            if self.waits_for[follower as usize] == 0 {
                self.hosts[host as usize].following.push(Reverse((now + plan.delay, follower)));
            }
        }
    }

    /// An ack reaches its host.
    #[inline(never)]
    pub(crate) fn ack_arrives(&mut self, now: u64, host: u32, packet: Landed) {
        if self.speaks_homa() {
            return self.homa_arrives(now, host, packet);
        }
        let body = self.bodies.get(packet.body);
        let (connection, mut ack) = (body.connection, body.ack(packet));
        let slot = self.slot_of[connection as usize];
        if slot != NONE {
            let shared = self.shared;
            if !shared.setup.stamps_acks {
                ack.reverse_delay = Span::ZERO;
            }
            let mut hops = [HopRecord::default(); MAX_HOPS];
            let telemetry = match shared.stamp {
                Stamp::Nothing => Telemetry::None,
                Stamp::LongestWait if shared.setup.switch.int_reflected => {
                    let known = packet.longest_wait != UNKNOWN;
                    let forward = wait(if known { packet.longest_wait } else { ack.reflected });
                    Telemetry::MaxHop { forward, reverse: Span::ZERO }
                }
                Stamp::LongestWait => {
                    Telemetry::MaxHop { forward: wait(ack.reflected), reverse: ack.reverse_delay }
                }
                Stamp::HopRecords => {
                    let count = (ack.reflected as usize).min(MAX_HOPS);
                    self.read_hops(now, packet.body, &mut hops[..count]);
                    Telemetry::Hops(&hops[..count])
                }
            };
            if self.sampler.is_some() {
                let rtt = Time::from_ps(now).checked_since(ack.echoed_sent_at);
                self.hears(slot, rtt, &telemetry);
            }
            let end = self.outgoing.get_mut(slot);
            let sample = end.plb.is_some().then(|| end.sample(shared, now, &ack, telemetry));
            let before = end.sender.window();
            let acked = end.sender.on_ack(&shared.stack, Time::from_ps(now), &ack, telemetry);
            let after = end.sender.window();
            if after < before && self.sampler.is_some() {
                let heard = if ack.congestion_echo { Heard::Mark } else { Heard::NoMark };
                self.window_fell(now, connection, heard, after);
            }
            if let Some(sample) = sample {
                self.balance(now, connection, slot, &ack, acked.bytes, sample);
            }
            if acked.messages > 0 {
                self.messages_acked(now, host, connection, slot);
            }
            if self.slot_of[connection as usize] != NONE {
                self.line_up(host, connection, slot);
            }
        }
        self.bodies.release(packet.body);
        self.work(now, host);
    }

    /// PLB: a flow that stays congested takes another path.
    fn balance(
        &mut self,
        now: u64,
        connection: u32,
        slot: u32,
        ack: &AckPacket<LongestWait>,
        bytes: Bytes,
        sample: Sample,
    ) {
        let shared = self.shared;
        let end = self.outgoing.get_mut(slot);
        let (Some(plb), Some(flow)) = (&shared.plb, &mut end.plb) else { return };
        let event = Ack {
            now: Time::from_ps(now),
            rtt: Time::from_ps(now).saturating_since(ack.echoed_sent_at),
            acked: bytes,
            in_flight: end.sender.in_flight(),
            acked_to: end.sender.acked_to(),
            sent_to: end.sender.sent_to(),
            ..Ack::default()
        };
        if plb.on_ack(flow, &event, sample) == Move::Repath {
            end.label = next_label(connection, end.label);
            end.sender.path_changed(&shared.stack);
        }
    }

    fn messages_acked(&mut self, now: u64, host: u32, connection: u32, slot: u32) {
        let shared = self.shared;
        let plan = &shared.connections[connection as usize];
        while let Some(done) = self.outgoing.get_mut(slot).sender.pop_completed() {
            let message = shared.message_of(connection, done.id.0);
            self.sent.push(Sent { message, begin: done.enqueued_at, acked: done.acked_at });
            self.outgoing.get_mut(slot).acked += 1;
            // A host that sends to itself has heard of the delivery already.
            if plan.to != host {
                self.let_follow(now, host, message);
            }
        }
        if self.outgoing.get(slot).acked == plan.messages {
            self.end_connection(connection, slot);
        }
    }

    fn end_connection(&mut self, connection: u32, slot: u32) {
        let end = self.outgoing.get(slot);
        let (counters, failure) = (*end.sender.counters(), end.sender.failure());
        self.ended.push(Ended { connection, counters, failure });
        if end.acked < self.shared.connections[connection as usize].messages {
            self.given_up.insert(connection);
        }
        self.slot_of[connection as usize] = NONE;
        self.outgoing.release(slot);
    }

    fn line_up(&mut self, host: u32, connection: u32, slot: u32) {
        let end = self.outgoing.get_mut(slot);
        if !end.in_line {
            end.in_line = true;
            self.hosts[host as usize].ready.push_back(connection);
        }
    }

    /// A host's own moment has come.
    pub(crate) fn host_event(&mut self, now: u64, host: u32) {
        if self.speaks_homa() {
            return self.homa_event(now, host);
        }
        while let Some(message) = self.hosts[host as usize].take_coming(now) {
            self.begin(now, host, message);
        }
        while let Some(connection) = Host::take_due(&mut self.hosts[host as usize].timers, now) {
            self.timer(now, host, connection);
        }
        while let Some(connection) = Host::take_due(&mut self.hosts[host as usize].ack_timers, now) {
            self.ack_timer(now, host, connection);
        }
        self.hosts[host as usize].release_acks(now);
        self.work(now, host);
    }

    /// A message begins.
    fn begin(&mut self, now: u64, host: u32, message: u32) {
        let shared = self.shared;
        let plan = &shared.messages[message as usize];
        let connection = plan.connection;
        let mut slot = self.slot_of[connection as usize];
        if slot == NONE {
            if self.given_up.contains(&connection) {
                return;
            }
            let connection_plan = &shared.connections[connection as usize];
            let label = connection_plan.label;
            let path = shared.path(&self.routes, connection, label);
            let plb = shared
                .plb
                .as_ref()
                .filter(|_| !connection_plan.pinned)
                .map(|plb| plb.start(Time::from_ps(now), path.seed));
            let sender = Sender::new(&shared.stack, &path);
            let end = Outgoing { sender, label, in_line: false, timer: u64::MAX, acked: 0, plb, timeouts: 0 };
            slot = self.outgoing.put(end);
            self.slot_of[connection as usize] = slot;
            self.sends(connection, slot);
            if connection_plan.stop < u64::MAX {
                self.hosts[host as usize].timers.push(Reverse((connection_plan.stop, connection)));
            }
        }
        // Sizes are checked before the run: neither empty nor beyond the stream's end.
        let _ = self.outgoing.get_mut(slot).sender.enqueue(Time::from_ps(now), plan.bytes);
        self.line_up(host, connection, slot);
        self.set_timer(host, connection, slot);
    }

    fn timer(&mut self, now: u64, host: u32, connection: u32) {
        let slot = self.slot_of[connection as usize];
        if slot == NONE {
            return;
        }
        let shared = self.shared;
        if shared.connections[connection as usize].stop <= now {
            self.end_connection(connection, slot);
            return;
        }
        let end = self.outgoing.get_mut(slot);
        end.timer = u64::MAX;
        if end.sender.next_timer().as_ps() <= now {
            let before = end.sender.window();
            end.sender.on_timer(&shared.stack, Time::from_ps(now));
            let after = end.sender.window();
            if end.sender.failure().is_some() {
                self.end_connection(connection, slot);
                return;
            }
            let timeouts = end.sender.counters().timeouts;
            if let (Some(plb), Some(flow), true) = (&shared.plb, &mut end.plb, timeouts > end.timeouts) {
                let timeout = Timeout { now: Time::from_ps(now), ..Timeout::default() };
                if plb.on_timeout(flow, &timeout) == Move::Repath {
                    end.label = next_label(connection, end.label);
                    end.sender.path_changed(&shared.stack);
                }
            }
            end.timeouts = timeouts;
            if after < before && self.sampler.is_some() {
                self.window_fell(now, connection, Heard::NoMark, after);
            }
            self.line_up(host, connection, slot);
        }
        self.set_timer(host, connection, slot);
    }

    /// Makes sure that the host looks at the sending end's timer in time.
    fn set_timer(&mut self, host: u32, connection: u32, slot: u32) {
        let end = self.outgoing.get_mut(slot);
        let due = end.sender.next_timer().as_ps();
        if due < end.timer {
            end.timer = due;
            self.hosts[host as usize].timers.push(Reverse((due, connection)));
        }
    }

    fn ack_timer(&mut self, now: u64, host: u32, connection: u32) {
        let Incoming::Open { receiver, held, timer } = &mut self.incoming[connection as usize] else {
            return;
        };
        *timer = u64::MAX;
        let ack = receiver.on_timer(Time::from_ps(now));
        let due = receiver.next_timer().as_ps();
        if due < u64::MAX {
            *timer = due;
            self.hosts[host as usize].ack_timers.push(Reverse((due, connection)));
        }
        if let Some(ack) = ack {
            let body = std::mem::replace(held, NONE);
            if body != NONE {
                let label = self.shared.connections[connection as usize].label;
                self.send_ack(host, body, label, ack);
            }
        }
    }

    /// Sends what the card can take, and sets the host's next event.
    pub(crate) fn work(&mut self, now: u64, host: u32) {
        let port = self.hosts[host as usize].port;
        if self.ports[port as usize].free_at <= now {
            while let Some(connection) = Host::take_due(&mut self.hosts[host as usize].paced, now) {
                let slot = self.slot_of[connection as usize];
                if slot != NONE {
                    self.line_up(host, connection, slot);
                }
            }
            self.send_one(now, host, port);
        }
        self.set_host_event(host);
    }

    /// The card is free: an ack, or a packet of the next connection in line.
    fn send_one(&mut self, now: u64, host: u32, port: u32) {
        while let Some(ack) = self.hosts[host as usize].acks.pop_front() {
            if self.hosts[host as usize].may_send(ack.class()) {
                self.transmit(now, port, ack);
                return;
            }
            self.hosts[host as usize].held_acks.push_back(ack);
        }
        if self.speaks_homa() {
            return self.homa_send(now, host, port);
        }
        let shared = self.shared;
        while let Some(connection) = self.hosts[host as usize].ready.pop_front() {
            let slot = self.slot_of[connection as usize];
            if slot == NONE {
                continue;
            }
            if !self.hosts[host as usize].may_send(usize::from(shared.connections[connection as usize].class))
            {
                self.hosts[host as usize].held.push_back(connection);
                continue;
            }
            let end = self.outgoing.get_mut(slot);
            end.in_line = false;
            match end.sender.poll_send::<LongestWait>(&shared.stack, Time::from_ps(now)) {
                Poll::Send(data) => {
                    let label = end.label;
                    self.line_up(host, connection, slot);
                    self.set_timer(host, connection, slot);
                    self.transmit_data(now, port, connection, label, &data);
                    return;
                }
                Poll::Wait(time) => self.hosts[host as usize].paced.push(Reverse((time.as_ps(), connection))),
                Poll::Blocked(_) | Poll::Failed(_) => {}
            }
        }
    }

    #[inline(always)]
    fn transmit_data(
        &mut self,
        now: u64,
        port: u32,
        connection: u32,
        label: u16,
        data: &DataPacket<LongestWait>,
    ) {
        let shared = self.shared;
        let plan = &shared.connections[connection as usize];
        let body = self.bodies.take();
        self.bodies.get_mut(body).set_data(connection, data);
        if shared.stamp == Stamp::HopRecords {
            self.hop_list_mut(body);
        }
        let label = match shared.setup.spreading {
            Spreading::PerPacket if !plan.pinned => {
                mix(u64::from(label) << 32 ^ data.number.0 ^ data.sent_at.as_ps() << 20) as u16
            }
            _ => label,
        };
        let ecn = if data.ecn == Ecn::Capable { Packet::ECN_CAPABLE } else { 0 };
        let packet = Packet {
            body,
            to: plan.to as u16,
            label,
            size: (u64::from(data.length) + shared.setup.header.get()) as u16,
            flags: ecn | Packet::of_class(plan.class),
            ..Packet::EMPTY
        };
        self.transmit(now, port, packet);
    }

    /// The place for the hop records of the packet in slot `body`.
    pub(crate) fn hop_list_mut(&mut self, body: u32) -> &mut HopList {
        let index = body as usize;
        if self.hop_lists.len() <= index {
            self.hop_lists.resize(index + 1, HopList::default());
        }
        &mut self.hop_lists[index]
    }

    pub(crate) fn transmit(&mut self, now: u64, port: u32, packet: Packet) {
        self.totals.sent += 1;
        self.totals.sent_bytes += u64::from(packet.size);
        self.ports[port as usize].left_bytes += u64::from(packet.size);
        if !self.ports[port as usize].is_up {
            // The card sends into a dead link at its pace.
            let time = self.ports[port as usize].serialize(packet.size);
            self.ports[port as usize].free_at = now + time;
            self.totals.broken += 1;
            self.discard(packet.body, packet.size);
        } else if let Some(time) = self.ports[port as usize].push(now, packet) {
            self.set_arrival(port, time);
        }
    }
}

/// The label that PLB draws next. Of the connection's own: two that meet by chance go separate ways again.
fn next_label(connection: u32, label: u16) -> u16 {
    mix(u64::from(connection) << 16 | u64::from(label)) as u16
}

/// The answer to a copy of a packet that arrives after all has.
fn late_ack(data: &DataPacket<LongestWait>, bytes: Bytes) -> AckPacket<LongestWait> {
    AckPacket {
        next_expected: bytes,
        number: data.number,
        echoed_sent_at: data.sent_at,
        hops: data.hops,
        reflected: data.telemetry,
        ..AckPacket::default()
    }
}
