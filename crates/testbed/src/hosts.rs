//! The hosts: one loop that looks after all their sockets and runs the transport on them.
//!
//! Each host has a socket for each of its connections, which sends data and gets acks, and one that gets data and sends
//! acks. Its card takes one packet after the other at line rate, connections in turn, as in the simulator.

use crate::cards::Cards;
use crate::clock::Clock;
use crate::fabric::address;
use crate::namespace::Namespaces;
use crate::noise::{Stall, Watch};
use crate::packet::FIRST_PORT;
use crate::ports::SendingPorts;
use crate::sockets::{BURST, Datagram, HostSocket};
use crate::{Control, Error};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use plimsoll_cc::Path;
use plimsoll_cc::registry::AnyLaw;
use plimsoll_metrics::{Reading, Sample};
use plimsoll_scenario::{Record, Workload};
use plimsoll_transport::codec::Seen;
use plimsoll_transport::{
    AckPacket, Channel, Ecn, EcnEcho, Gathered, HopReader, Poll, Receiver, Sender, Stack,
};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use plimsoll_wire::compact_hop::UnitScale;
use plimsoll_wire::header::{AckView, ConnectionId, DataView};
use plimsoll_wire::telemetry::TelemetryKind;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// How long before its turn a packet is handed to the card, as to the ring of a real one: some turns of both loops, so
/// that the link of a host that has enough to send is busy while they do other things.
const AHEAD: Span = Span::from_us(100);
/// Larger than any datagram.
const LARGEST: usize = 65_536;

/// What the hosts of a run have in common.
pub(crate) struct Setting<'a> {
    pub(crate) stack: &'a Stack<AnyLaw>,
    pub(crate) workload: &'a Workload,
    /// The path of each connection.
    pub(crate) paths: &'a [Path],
    pub(crate) ports: &'a SendingPorts,
    /// The rate of each host's card.
    pub(crate) rates: &'a [Rate],
    /// What the switch says of the cards.
    pub(crate) cards: &'a Cards,
    pub(crate) kind: TelemetryKind,
    pub(crate) scale: UnitScale,
    pub(crate) record: &'a Record,
    /// Headers of a frame in front of what the transport writes.
    pub(crate) front: usize,
    pub(crate) end: Time,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ended {
    pub(crate) delivered: Option<Time>,
    pub(crate) acked: Option<Time>,
    pub(crate) begun: Option<Time>,
}

/// What the hosts saw.
#[derive(Debug, Default)]
pub(crate) struct Seeing {
    pub(crate) messages: Vec<Ended>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) stalls: Vec<Stall>,
    pub(crate) longest_turn: Span,
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    /// Datagrams that nobody could read: damaged, forged, or of no connection.
    pub(crate) refused: u64,
    /// Datagrams that the kernel did not take.
    pub(crate) unsent: u64,
    pub(crate) failed: Vec<bool>,
}

struct Connection {
    channel: Channel,
    sender: Sender<AnyLaw>,
    receiver: Receiver<Gathered>,
    reader: HopReader,
    /// Its messages, in the order in which they are sent, and how many have begun, were delivered, were acked.
    messages: Vec<u32>,
    delivered: usize,
    acked: usize,
    in_line: bool,
    paced: Time,
    stop: Time,
    last_rtt: Option<Span>,
    last_wait: Option<Span>,
    counted: Bytes,
}

struct Host {
    /// One for each connection, or for several.
    data: Vec<HostSocket>,
    acks: HostSocket,
    rate: Rate,
    free_at: Time,
    line: VecDeque<u32>,
}

/// What can be read: a host's data, or acks at one of its sockets.
#[derive(Clone, Copy)]
enum Readable {
    Data { host: u32 },
    Acks { host: u32, socket: usize },
}

/// All hosts.
pub(crate) struct Hosts<'a> {
    setting: Setting<'a>,
    hosts: Vec<Host>,
    /// By the number under which the kernel tells of a socket.
    readable: Vec<Readable>,
    connections: Vec<Connection>,
    epoll: Epoll,
    /// Messages that begin at a time of their own, the next at the end.
    coming: Vec<(Time, u32)>,
    payload: Vec<u8>,
    buffer: Vec<u8>,
    seeing: Seeing,
}

impl<'a> Hosts<'a> {
    pub(crate) fn open(namespaces: &Namespaces, setting: Setting<'a>) -> Result<Self, Error> {
        let epoll =
            Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(|error| Error::system("epoll", error))?;
        let receivers = FIRST_PORT + setting.kind as u16;
        let may_be_marked = setting.stack.config().ecn != EcnEcho::Off;
        let mut hosts = Vec::new();
        let mut readable = Vec::new();
        let mut listen = |socket: &HostSocket, what| {
            let event = EpollEvent::new(EpollFlags::EPOLLIN, readable.len() as u64);
            readable.push(what);
            epoll.add(socket, event).map_err(|error| Error::system("epoll", error))
        };
        for (host, &rate) in (0..).zip(setting.rates) {
            let mut data = Vec::new();
            for port in setting.ports.of_host(host) {
                let socket = HostSocket::open(namespaces, host, (address(host), port), may_be_marked)?;
                listen(&socket, Readable::Acks { host, socket: data.len() })?;
                data.push(socket);
            }
            let acks = HostSocket::open(namespaces, host, (address(host), receivers), false)?;
            listen(&acks, Readable::Data { host })?;
            hosts.push(Host { data, acks, rate, free_at: Time::ZERO, line: VecDeque::new() });
        }
        let connection = |(index, plan): (usize, &plimsoll_scenario::Connection)| {
            let of_it =
                |(_, message): &(u32, &plimsoll_scenario::Message)| message.connection as usize == index;
            let messages = (0..).zip(&setting.workload.messages).filter(of_it).map(|(number, _)| number);
            Connection {
                channel: Channel { connection: ConnectionId(index as u32), telemetry: setting.kind },
                sender: Sender::new(setting.stack, &setting.paths[index]),
                receiver: Receiver::new(),
                reader: HopReader::new(setting.scale),
                messages: messages.collect(),
                delivered: 0,
                acked: 0,
                in_line: false,
                paced: Time::NEVER,
                stop: plan.stop,
                last_rtt: None,
                last_wait: None,
                counted: Bytes::ZERO,
            }
        };
        let connections = setting.workload.connections.iter().enumerate().map(connection).collect();
        let starts =
            (0..).zip(&setting.workload.messages).filter_map(|(number, message)| match message.start {
                plimsoll_scenario::Start::At(time) => Some((time, number)),
                _ => None,
            });
        let mut coming: Vec<(Time, u32)> = starts.collect();
        coming.sort_by(|one, other| other.cmp(one));
        let seeing = Seeing {
            messages: vec![Ended::default(); setting.workload.messages.len()],
            failed: vec![false; setting.workload.connections.len()],
            ..Seeing::default()
        };
        let payload = vec![0; LARGEST];
        let buffer = vec![0; LARGEST];
        Ok(Self { setting, hosts, readable, connections, epoll, coming, payload, buffer, seeing })
    }

    /// Runs until the end, until everything is delivered, or until somebody wants no more.
    pub(crate) fn run(mut self, clock: Clock, control: &Control) -> Result<Seeing, Error> {
        let mut watch = Watch::start(clock.now());
        let interval = self.setting.record.interval;
        let mut next_sample = Time::after_start(interval);
        let mut last_sample = Time::ZERO;
        let mut events = vec![EpollEvent::empty(); 64];
        loop {
            let now = clock.now();
            watch.turn(now);
            control.now.store(now.as_ps(), Ordering::Relaxed);
            if now >= self.setting.end
                || control.stop.load(Ordering::Relaxed)
                || self.is_done() && !control.busy.load(Ordering::Relaxed)
            {
                break;
            }
            self.begin(now);
            let ready = self.epoll.wait(&mut events, EpollTimeout::ZERO).unwrap_or(0);
            for event in events.iter().take(ready) {
                let Some(&readable) = self.readable.get(event.data() as usize) else { continue };
                for _ in 0..BURST {
                    let more = match readable {
                        Readable::Data { host } => self.data_arrives(clock, host),
                        Readable::Acks { host, socket } => self.ack_arrives(clock, host, socket),
                    };
                    if !more {
                        break;
                    }
                }
            }
            self.timers(clock.now());
            for host in 0..self.hosts.len() {
                self.send(clock, host);
            }
            if now >= next_sample {
                self.sample(now, next_sample, last_sample);
                last_sample = now;
                while next_sample <= now {
                    next_sample += interval;
                }
            }
        }
        for connection in &self.connections {
            let counters = connection.sender.counters();
            self.seeing.retransmitted += counters.repeated;
            self.seeing.timeouts += counters.timeouts;
        }
        for (failed, connection) in self.seeing.failed.iter_mut().zip(&self.connections) {
            *failed = connection.sender.failure().is_some();
        }
        (self.seeing.stalls, self.seeing.longest_turn) = watch.finish();
        Ok(self.seeing)
    }

    /// Whether all messages are acked or given up.
    fn is_done(&self) -> bool {
        self.coming.is_empty()
            && self.connections.iter().all(|connection| {
                connection.acked == connection.messages.len() || connection.sender.failure().is_some()
            })
    }

    /// Messages whose time has come.
    fn begin(&mut self, now: Time) {
        while let Some(&(time, message)) = self.coming.last() {
            if time > now {
                return;
            }
            self.coming.pop();
            let plan = &self.setting.workload.messages[message as usize];
            let index = plan.connection;
            self.seeing.messages[message as usize].begun = Some(now);
            // Sizes were checked when the scenario was read.
            let _ = self.connections[index as usize].sender.enqueue(now, plan.bytes);
            self.line_up(index);
        }
    }

    fn line_up(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        if !connection.in_line {
            connection.in_line = true;
            let from = self.setting.workload.connections[index as usize].from;
            self.hosts[from as usize].line.push_back(index);
        }
    }

    /// A host's card takes what it can.
    fn send(&mut self, clock: Clock, host: usize) {
        loop {
            let now = clock.now();
            let place = &mut self.hosts[host];
            place.free_at = place.free_at.max(self.setting.cards.free_at(host));
            if place.free_at > now.saturating_add(AHEAD) {
                return;
            }
            let Some(index) = place.line.pop_front() else { return };
            let connection = &mut self.connections[index as usize];
            connection.in_line = false;
            if now >= connection.stop {
                continue;
            }
            match connection.sender.poll_send::<Gathered>(self.setting.stack, now) {
                Poll::Send(packet) => {
                    let payload = self.payload.get(..packet.length as usize).unwrap_or(&self.payload);
                    let Ok(size) = connection.channel.encode_data(&packet, payload, &mut self.buffer) else {
                        continue;
                    };
                    let to = self.setting.workload.connections[index as usize].to;
                    let receivers = FIRST_PORT + self.setting.kind as u16;
                    let socket = place.data.get(self.setting.ports.socket(index));
                    if !socket.is_some_and(|it| it.send(&self.buffer[..size], (address(to), receivers))) {
                        self.seeing.unsent += 1;
                    }
                    let frame = Bytes::new((size + self.setting.front) as u64);
                    let time = place.rate.checked_serialize(frame, Rounding::Up).unwrap_or(Span::ZERO);
                    place.free_at = place.free_at.max(now).saturating_add(time);
                    self.line_up(index);
                }
                Poll::Wait(time) => connection.paced = time,
                Poll::Blocked(_) | Poll::Failed(_) => {}
            }
        }
    }

    /// Reads a datagram of data; `false` if there is none.
    fn data_arrives(&mut self, clock: Clock, host: u32) -> bool {
        let Some(datagram) = self.hosts[host as usize].acks.receive(&mut self.buffer) else { return false };
        let now = clock.now();
        let bytes = &self.buffer[..datagram.length];
        let found = self.setting.kind.parse_travelling(bytes).ok();
        let found = found.and_then(|(_, rest)| Some(DataView::parse(rest).ok()?.to_data().connection.0));
        let plan =
            found.and_then(|index| Some((index, self.setting.workload.connections.get(index as usize)?)));
        let Some((index, plan)) = plan.filter(|(_, plan)| plan.to == host) else {
            self.seeing.refused += 1;
            return true;
        };
        let connection = &mut self.connections[index as usize];
        let Ok((packet, _)) = connection.channel.decode_data(bytes, seen(datagram)) else {
            self.seeing.refused += 1;
            return true;
        };
        let arrival = connection.receiver.on_data(self.setting.stack.config(), now, &packet);
        for _ in 0..arrival.messages {
            if let Some(&message) = connection.messages.get(connection.delivered) {
                self.seeing.messages[message as usize].delivered = Some(now);
            }
            connection.delivered += 1;
        }
        let from = plan.from;
        for ack in [arrival.earlier, arrival.ack].into_iter().flatten() {
            self.send_ack(index, host, from, ack);
        }
        true
    }

    fn send_ack(&mut self, index: u32, host: u32, to: u32, mut ack: AckPacket<Gathered>) {
        let connection = &self.connections[index as usize];
        // The round trip is measured from clock to clock; what the receiver's loop took is not told apart.
        ack.receiver_delay = Span::ZERO;
        let Ok(size) = connection.channel.encode_ack(&ack, &connection.receiver, &mut self.buffer) else {
            return;
        };
        let port = self.setting.ports.port(index);
        if !self.hosts[host as usize].acks.send(&self.buffer[..size], (address(to), port)) {
            self.seeing.unsent += 1;
        }
    }

    /// Reads an ack; `false` if there is none.
    fn ack_arrives(&mut self, clock: Clock, host: u32, socket: usize) -> bool {
        let socket = self.hosts[host as usize].data.get(socket);
        let Some(datagram) = socket.and_then(|socket| socket.receive(&mut self.buffer)) else { return false };
        let now = clock.now();
        let bytes = &self.buffer[..datagram.length];
        let front = if self.setting.kind == TelemetryKind::MaxHopDelay {
            self.setting.kind.travelling_size()
        } else {
            0
        };
        let found =
            AckView::parse(bytes.get(front..).unwrap_or_default()).ok().map(|view| view.connection().0);
        let plan =
            found.and_then(|index| Some((index, self.setting.workload.connections.get(index as usize)?)));
        let Some((index, _)) = plan.filter(|(_, plan)| plan.from == host) else {
            self.seeing.refused += 1;
            return true;
        };
        let connection = &mut self.connections[index as usize];
        let Ok(ack) = connection.channel.decode_ack(&connection.sender, bytes) else {
            self.seeing.refused += 1;
            return true;
        };
        connection.last_rtt = now.checked_since(ack.echoed_sent_at);
        if let Gathered::MaxHopDelay(wait) = ack.reflected {
            connection.last_wait = Some(wait.delay());
        }
        let telemetry = connection.reader.read(&ack.reflected, ack.reverse_delay);
        connection.sender.on_ack(self.setting.stack, now, &ack, telemetry);
        while let Some(done) = connection.sender.pop_completed() {
            if let Some(&message) = connection.messages.get(connection.acked) {
                self.seeing.messages[message as usize].acked = Some(done.acked_at);
            }
            connection.acked += 1;
        }
        self.line_up(index);
        true
    }

    fn timers(&mut self, now: Time) {
        for index in 0..self.connections.len() as u32 {
            let connection = &mut self.connections[index as usize];
            let mut due = connection.paced <= now;
            if due {
                connection.paced = Time::NEVER;
            }
            if connection.sender.next_timer() <= now {
                connection.sender.on_timer(self.setting.stack, now);
                due = true;
            }
            if connection.receiver.next_timer() <= now
                && let Some(ack) = connection.receiver.on_timer(now)
            {
                let plan = self.setting.workload.connections[index as usize];
                self.send_ack(index, plan.to, plan.from, ack);
            }
            if due {
                self.line_up(index);
            }
        }
    }

    /// What the `[record]` table asks for of connections. Turns may be late, so a mean is over the time since
    /// the last reading, whenever that was.
    fn sample(&mut self, now: Time, due: Time, last: Time) {
        let gone = now.saturating_since(last);
        let record = self.setting.record;
        let wanted = |group: u16| {
            let name = self.setting.workload.groups.get(usize::from(group));
            record.groups.0.iter().any(|chosen| chosen == "all" || Some(chosen) == name)
        };
        for (subject, plan) in (0..).zip(&self.setting.workload.connections) {
            if !wanted(plan.group) {
                continue;
            }
            let connection = &mut self.connections[subject as usize];
            let begun =
                connection.messages.first().and_then(|first| self.seeing.messages[*first as usize].begun);
            if begun.is_none_or(|begun| begun > last) {
                connection.counted = connection.receiver.delivered_to();
                continue;
            }
            let mut put = |reading| self.seeing.samples.push(Sample { at: due, subject, reading });
            if record.rates {
                let bytes = connection.receiver.delivered_to().saturating_sub(connection.counted);
                connection.counted = connection.receiver.delivered_to();
                put(Reading::Goodput(Rate::saturating_from_bps_f64(
                    bytes.as_f64() * 8.0 / gone.as_secs_f64(),
                )));
            }
            if record.windows {
                put(Reading::Window(connection.sender.window()));
                put(Reading::PacingRate(connection.sender.pacing()));
            }
            if let (true, Some(rtt)) = (record.rtt, connection.last_rtt) {
                put(Reading::RoundTrip(rtt));
            }
            if record.in_flight {
                put(Reading::InFlight(connection.sender.in_flight()));
            }
            if let (true, Some(wait)) = (record.hop_delay, connection.last_wait) {
                put(Reading::MaxHopDelay(wait));
            }
        }
    }
}

fn seen(datagram: Datagram) -> Seen {
    let ecn = match datagram.ecn {
        0b00 => Ecn::NotCapable,
        0b11 => Ecn::Marked,
        _ => Ecn::Capable,
    };
    Seen { ecn, hops: datagram.hops }
}
