//! Hosts that speak HOMA: they send and receive messages instead of streams, and each host decides over all
//! its messages. What they share with other hosts is the card, its line of control packets and its timers.
//!
//! Laws that do not grant do not come here: `grants` is known when the loop is compiled.

use crate::host::Host;
use crate::packet::{Landed, Packet};
use crate::partition::Partition;
use crate::record::{Delivered, Ended, Sent};
use crate::routes::mix;
use crate::setup::Spreading;
use crate::shared::{Shared, Stamp};
use plimsoll_cc::CongestionControl;
use plimsoll_transport::homa::{self, Kind, MessageNumber, Output, Receiver, Rules, Sender};
use plimsoll_transport::{Counters, Failure, PacketNumber};
use plimsoll_units::{Bytes, Span, Time};
use std::cmp::Reverse;

/// All that HOMA's hosts of a part remember.
#[derive(Debug)]
pub(crate) struct HomaHosts {
    rules: Rules,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    /// The earliest timer that each host holds.
    armed: Vec<u64>,
    connections: Vec<Progress>,
    output: Output,
}

/// How a connection's messages fare.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    counters: Counters,
    begun: bool,
    ended: bool,
    /// Messages that the sender knows to be whole.
    done: u32,
    /// Bytes that have arrived.
    received: u64,
}

impl HomaHosts {
    /// The hosts, if it is receivers who decide what is sent.
    pub(crate) fn new<L: CongestionControl>(shared: &Shared<L>) -> Option<Box<Self>> {
        let law = shared.stack.law().grants()?;
        let mut sizes: Vec<Bytes> = shared.messages.iter().map(|message| message.bytes).collect();
        sizes.sort_unstable();
        let hosts = shared.setup.network.hosts as usize;
        Some(Box::new(Self {
            rules: Rules::new(law, shared.setup.mss, &sizes),
            senders: vec![Sender::default(); hosts],
            receivers: vec![Receiver::default(); hosts],
            armed: vec![u64::MAX; hosts],
            connections: vec![Progress::default(); shared.connections.len()],
            output: Output::default(),
        }))
    }

    /// Connections that have begun and not ended.
    pub(crate) fn open(&self) -> Vec<Ended> {
        let open = (0..).zip(&self.connections).filter(|(_, progress)| progress.begun && !progress.ended);
        open.map(|(connection, progress)| Ended { connection, counters: progress.counters, failure: None })
            .collect()
    }

    /// What has arrived of a connection, whose messages have so many bytes; `None` = all.
    pub(crate) fn delivered(&self, connection: u32, bytes: Bytes) -> Option<Bytes> {
        let received = Bytes::new(self.connections[connection as usize].received);
        (received < bytes).then_some(received)
    }
}

impl<L: CongestionControl> Partition<'_, L> {
    /// Whether hosts speak HOMA.
    #[inline(always)]
    pub(crate) fn speaks_homa(&self) -> bool {
        self.shared.stack.law().grants().is_some()
    }

    /// A packet reaches its host.
    #[inline(never)]
    pub(crate) fn homa_arrives(&mut self, now: u64, host: u32, landed: Landed) {
        let (connection, packet) = {
            let body = self.bodies.get(landed.body);
            (body.connection, body.homa())
        };
        self.bodies.release(landed.body);
        let plan = &self.shared.connections[connection as usize];
        let (message, sender, time) = (packet.message.0 as u32, plan.from, Time::from_ps(now));
        let Some(homa) = &mut self.homa else { return };
        let HomaHosts { rules, senders, receivers, connections, output, .. } = &mut **homa;
        let progress = &mut connections[connection as usize];
        match packet.kind {
            Kind::Data(data) => {
                let receiver = &mut receivers[host as usize];
                let arrival = receiver.on_data(rules, time, sender, packet.message, &data, output);
                let is_first = progress.received == 0 && arrival.new > Bytes::ZERO;
                progress.received += arrival.new.get();
                if is_first {
                    self.receives(connection);
                }
                if arrival.complete {
                    self.delivered.push(Delivered { message, at: time });
                    self.let_follow(now, host, message);
                }
            }
            Kind::Busy | Kind::Probe { .. } | Kind::Unknown => {
                receivers[host as usize].on_packet(rules, time, sender, &packet, output);
            }
            Kind::Grant { .. } | Kind::Resend { .. } | Kind::Done => {
                if let Kind::Resend { .. } = packet.kind {
                    progress.counters.timeouts += 1;
                }
                let finished = senders[host as usize].on_packet(rules, time, &packet, output);
                if let Some(finished) = finished {
                    self.sent.push(Sent { message, begin: finished.begun_at, acked: time });
                    self.homa_done(now, host, connection, message);
                }
            }
        }
        self.homa_answer(now, host);
    }

    /// The sender knows that a message is whole.
    fn homa_done(&mut self, now: u64, host: u32, connection: u32, message: u32) {
        let plan = &self.shared.connections[connection as usize];
        // A host that sends to itself has heard of the delivery already.
        if plan.to != host {
            self.let_follow(now, host, message);
        }
        let Some(homa) = &mut self.homa else { return };
        let progress = &mut homa.connections[connection as usize];
        progress.done += 1;
        if progress.done == plan.messages && !progress.ended {
            progress.ended = true;
            self.ended.push(Ended { connection, counters: progress.counters, failure: None });
        }
    }

    /// A host's own moment has come.
    pub(crate) fn homa_event(&mut self, now: u64, host: u32) {
        while let Some(message) = self.hosts[host as usize].take_coming(now) {
            self.homa_begin(now, host, message);
        }
        // The only timers of connections are their ends.
        while let Some(connection) = Host::take_due(&mut self.hosts[host as usize].timers, now) {
            self.homa_end(host, connection, None);
        }
        while Host::take_due(&mut self.hosts[host as usize].ack_timers, now).is_some() {
            let Some(homa) = &mut self.homa else { return };
            let HomaHosts { rules, senders, receivers, armed, output, .. } = &mut **homa;
            armed[host as usize] = u64::MAX;
            let time = Time::from_ps(now);
            receivers[host as usize].on_timer(rules, time, output);
            // Who receives a message and gives it up keeps that to itself.
            output.given_up.clear();
            senders[host as usize].on_timer(rules, time, output);
        }
        self.homa_answer(now, host);
    }

    fn homa_begin(&mut self, now: u64, host: u32, message: u32) {
        let plan = &self.shared.messages[message as usize];
        let stop = self.shared.connections[plan.connection as usize].stop;
        let Some(homa) = &mut self.homa else { return };
        let progress = &mut homa.connections[plan.connection as usize];
        if progress.ended {
            return;
        }
        if !std::mem::replace(&mut progress.begun, true) && stop < u64::MAX {
            self.hosts[host as usize].timers.push(Reverse((stop, plan.connection)));
        }
        let number = MessageNumber(u64::from(message));
        homa.senders[host as usize].begin(&homa.rules, Time::from_ps(now), number, plan.bytes);
    }

    /// A connection ends before all its messages are whole.
    fn homa_end(&mut self, host: u32, connection: u32, failure: Option<Failure>) {
        let shared = self.shared;
        let Some(homa) = &mut self.homa else { return };
        let HomaHosts { rules, senders, connections, output, .. } = &mut **homa;
        let progress = &mut connections[connection as usize];
        if std::mem::replace(&mut progress.ended, true) {
            return;
        }
        self.ended.push(Ended { connection, counters: progress.counters, failure });
        for n in 0..u64::from(shared.connections[connection as usize].messages) {
            let number = MessageNumber(u64::from(shared.message_of(connection, n)));
            senders[host as usize].withdraw(rules, number, output);
        }
    }

    /// What the last step led to: control packets line up for the card, and it goes on.
    fn homa_answer(&mut self, now: u64, host: u32) {
        let given_up = match &mut self.homa {
            Some(homa) => std::mem::take(&mut homa.output.given_up),
            None => Vec::new(),
        };
        for message in given_up {
            let connection = self.shared.messages[message.0 as usize].connection;
            let timeouts = self.shared.stack.law().grants().map_or(0, |law| law.max_resends());
            let at = Time::from_ps(now);
            let failure = Failure::TimedOut { packet: PacketNumber(0), timeouts, at };
            self.homa_end(host, connection, Some(failure));
        }
        let packets = match &mut self.homa {
            Some(homa) => std::mem::take(&mut homa.output.packets),
            None => Vec::new(),
        };
        for packet in &packets {
            self.homa_control(now, host, packet);
        }
        if let Some(homa) = &mut self.homa {
            // Its memory is used again.
            homa.output.packets = packets;
            homa.output.packets.clear();
            self.homa_arm(host);
        }
        self.hosts[host as usize].release_acks(now);
        self.work(now, host);
    }

    /// Makes sure that the host looks at its messages in time, and at the card.
    fn homa_arm(&mut self, host: u32) {
        let Some(homa) = &mut self.homa else { return };
        let index = host as usize;
        let due = homa.senders[index].next_timer().min(homa.receivers[index].next_timer()).as_ps();
        if due < homa.armed[index] {
            homa.armed[index] = due;
            self.hosts[index].ack_timers.push(Reverse((due, 0)));
        }
        // One place in line stands for all messages of the host.
        if homa.senders[index].is_ready() && self.hosts[index].ready.is_empty() {
            self.hosts[index].held.clear();
            self.hosts[index].ready.push_back(0);
        }
    }

    /// The card is free: a packet of the message whose turn it is.
    pub(crate) fn homa_send(&mut self, now: u64, host: u32, port: u32) {
        let state = &mut self.hosts[host as usize];
        if state.ready.pop_front().is_none() {
            return;
        }
        let Some(homa) = &mut self.homa else { return };
        let sender = &mut homa.senders[host as usize];
        let may_send = |level: u8| state.may_send(usize::from(level));
        let Some(packet) = sender.poll_send(&homa.rules, Time::from_ps(now), may_send) else {
            // All that is ready is paused.
            if sender.is_ready() {
                state.held.push_back(0);
            }
            return;
        };
        if sender.is_ready() {
            state.ready.push_back(0);
        }
        let connection = self.shared.messages[packet.message.0 as usize].connection;
        let mut length = Bytes::ZERO;
        if let Kind::Data(data) = packet.kind {
            length = Bytes::new(u64::from(data.length));
            let counters = &mut homa.connections[connection as usize].counters;
            counters.packets += 1;
            counters.repeated += u64::from(data.repeated);
        }
        let size = self.shared.setup.header.saturating_add(length).get() as u16;
        let packet = self.homa_packet(now, host, &packet, size, 0);
        self.transmit(now, port, packet);
    }

    /// A packet without data lines up for the card.
    fn homa_control(&mut self, now: u64, host: u32, packet: &homa::Packet) {
        let setup = &self.shared.setup;
        let delay = setup.receive_delay;
        let size = setup.ack_size.get() as u16;
        let packet = self.homa_packet(now, host, packet, size, Packet::ACK);
        let state = &mut self.hosts[host as usize];
        if delay == Span::ZERO {
            state.acks.push_back(packet);
        } else {
            state.slow_acks.push_back((now.saturating_add(delay.as_ps()), packet));
        }
    }

    /// A packet from `host` to the other end of its message.
    fn homa_packet(&mut self, now: u64, host: u32, packet: &homa::Packet, size: u16, flags: u8) -> Packet {
        let shared = self.shared;
        let connection = shared.messages[packet.message.0 as usize].connection;
        let plan = &shared.connections[connection as usize];
        let body = self.bodies.take();
        self.bodies.get_mut(body).set_homa(connection, now, packet);
        if shared.stamp == Stamp::HopRecords {
            self.hop_list_mut(body);
        }
        let from_sender =
            matches!(packet.kind, Kind::Data(_) | Kind::Busy | Kind::Probe { .. } | Kind::Unknown);
        debug_assert!(host == if from_sender { plan.from } else { plan.to });
        let (to, label) = if from_sender {
            (plan.to, plan.label)
        } else {
            (plan.from, self.label_back(connection, plan.label))
        };
        let label = match shared.setup.spreading {
            Spreading::PerPacket if !plan.pinned => {
                let place = if let Kind::Data(data) = packet.kind { data.offset.get() } else { 0 };
                mix(u64::from(label) << 32 ^ place ^ packet.message.0 << 48 ^ now << 20) as u16
            }
            _ => label,
        };
        Packet {
            body,
            to: to as u16,
            label,
            size,
            flags: flags | Packet::of_class(packet.level),
            ..Packet::EMPTY
        }
    }
}
