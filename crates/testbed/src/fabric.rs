//! The switches, as one machine that is told the time: frames go in, frames come out when they are due.
//!
//! Links have a rate and a delay, switches a queue per port with a limit, marks, CoDel, reverse marking and telemetry,
//! all by the laws of `plimsoll-cc` and the formats of `plimsoll-wire`. Every event has its exact time, which is not
//! the time at which the machine is looked at: a loop that is late for a while lets frames out late, but their queues
//! are those of a switch that was not. What leaves a queue at a moment leaves it before others arrive.
//!
//! It does no I/O and reads no clock, so that its times can be tested to the picosecond.

use crate::packet::{Content, Header};
use crate::routes::Routes;
use plimsoll_cc::codel::{self, CoDel, Dequeued};
use plimsoll_cc::coin::Coin;
use plimsoll_cc::red::Red;
use plimsoll_cc::rpm::{Echo, Passing, Register, Rpm, Slot, Way};
use plimsoll_cc::verdict::Verdict;
use plimsoll_cc::{ParamError, codel as codel_law};
use plimsoll_metrics::Drops;
use plimsoll_scenario::switch::Sharing;
use plimsoll_scenario::{Network, Scenario};
use plimsoll_units::{Bytes, Rate, Rounding, Span, Time};
use plimsoll_wire::compact_hop::{CompactHop, UnitScale};
use plimsoll_wire::exact_hop::ExactHop;
use plimsoll_wire::header::mark_congestion_in_place;
use plimsoll_wire::hop_records::HopStack;
use plimsoll_wire::max_hop_delay::MaxHopDelay;
use plimsoll_wire::telemetry::TelemetryKind;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::net::Ipv4Addr;

/// How many frames wait at a host's card: as many as Linux lets wait. A program that sends without end must not fill
/// the memory.
const CARD_FRAMES: usize = 1000;

/// A frame in the machine.
#[derive(Debug)]
struct Travelling {
    bytes: Vec<u8>,
    header: Header,
    to: u32,
    /// When it joined the queue in which it is.
    joined: Time,
}

/// The sending side of a link.
#[derive(Debug)]
struct Port {
    rate: Rate,
    /// The link's delay, and the next switch's pipeline.
    delay: Span,
    from_switch: bool,
    /// The switch has telemetry.
    stamps: bool,
    /// The switch has CoDel and reverse marking, if any has.
    managed: bool,
    marking: Option<Red>,
    waiting: VecDeque<Travelling>,
    waiting_bytes: u64,
    /// When the last bit of what was sent last is out.
    free_at: Time,
    on_wire: VecDeque<(Time, Travelling)>,
    sent: u64,
    codel: codel::Queue,
    longest: u64,
}

/// What happens at a moment; of two at the same moment the lesser comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A frame can leave this port's queue.
    Departure(u32),
    /// A frame is at the far end of this port's link.
    Arrival(u32),
}

/// What the machine counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Frames that reached the far end of a link.
    pub hops: u64,
    /// Frames that were marked, or whose marks were owed to acks.
    pub marks: u64,
    /// Frames that were lost.
    pub drops: Drops,
    /// Frames that hosts sent and no switch could read: no IPv4 packets for one of our hosts.
    pub foreign: u64,
}

/// The switches and links of a scenario.
#[derive(Debug)]
pub struct Fabric {
    network: Network,
    routes: Routes,
    /// The port of each host's card.
    cards: Vec<u32>,
    ports: Vec<Port>,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    codel: Option<CoDel>,
    registers: Vec<Register<Vec<Slot>>>,
    /// Bytes in each switch, and how many it may hold.
    held: Vec<u64>,
    limit: Option<(Sharing, u64, f64)>,
    scale: UnitScale,
    counted: Counted,
    coin: Coin,
    /// Buffers of frames that are gone.
    pool: Vec<Vec<u8>>,
}

/// The address of a host; hosts are numbered in 16 bits.
#[must_use]
pub fn address(host: u32) -> Ipv4Addr {
    // 10.77.0.1 on: 77 keeps out of the way of the usual private networks.
    Ipv4Addr::from_bits(0x0A4D_0001 + host)
}

fn host_of(address: Ipv4Addr, hosts: u32) -> Option<u32> {
    address.to_bits().checked_sub(0x0A4D_0001).filter(|host| *host < hosts)
}

impl Fabric {
    /// The machine of a scenario whose network is this.
    ///
    /// # Errors
    /// If a parameter of the switches is out of bounds.
    pub fn new(scenario: &Scenario, network: Network) -> Result<Self, ParamError<'static>> {
        let switch = &scenario.switch;
        let stamping = switch.int_switches.resolve(&network).unwrap_or_default();
        let managing = switch.aqm_switches.resolve(&network).unwrap_or_default();
        let mut ports = Vec::new();
        for port in 0..2 * network.links.len() as u32 {
            let link = &network.links[port as usize / 2];
            let from_switch = network.near_end(port) >= network.hosts;
            let pipeline = if network.far_end(port) >= network.hosts { switch.pipeline } else { Span::ZERO };
            ports.push(Port {
                rate: link.rate,
                delay: link.delay.saturating_add(pipeline),
                from_switch,
                stamps: stamping.contains(&network.near_end(port)),
                managed: managing.contains(&network.near_end(port)),
                marking: match &switch.marking {
                    Some(params) if from_switch => Some(Red::new(params, link.rate)?),
                    _ => None,
                },
                waiting: VecDeque::new(),
                waiting_bytes: 0,
                free_at: Time::ZERO,
                on_wire: VecDeque::new(),
                sent: 0,
                codel: codel::Queue::default(),
                longest: 0,
            });
        }
        let mut cards = vec![u32::MAX; network.hosts as usize];
        for port in 0..ports.len() as u32 {
            if let Some(card) = cards.get_mut(network.near_end(port) as usize) {
                *card = port;
            }
        }
        let mut registers = Vec::new();
        if let Some(params) = &switch.rpm {
            for _ in 0..network.switches {
                registers
                    .push(Register::new(Rpm::new(params)?, vec![Slot::default(); params.slots as usize])?);
            }
        }
        let nic = network.host_links().into_iter().map(|link| network.links[link as usize].rate).max();
        Ok(Self {
            routes: Routes::new(&network),
            cards,
            ports,
            events: BinaryHeap::new(),
            codel: switch.codel.as_ref().map(codel_law::CoDel::new).transpose()?,
            registers,
            held: vec![0; network.switches as usize],
            limit: switch.buffer.limit().map(|size| (switch.buffer.sharing, size.get(), switch.buffer.alpha)),
            scale: UnitScale::for_nic(nic.unwrap_or(Rate::from_gbps(1))),
            counted: Counted::default(),
            coin: Coin::new(scenario.seed),
            pool: Vec::new(),
            network,
        })
    }

    /// What was counted so far.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// Bytes that wait in a port's queue.
    #[must_use]
    pub fn queue(&self, port: u32) -> Bytes {
        Bytes::new(self.ports.get(port as usize).map_or(0, |port| port.waiting_bytes))
    }

    /// Bytes that a port has sent.
    #[must_use]
    pub fn sent(&self, port: u32) -> Bytes {
        Bytes::new(self.ports.get(port as usize).map_or(0, |port| port.sent))
    }

    /// The longest queue of any switch's port so far.
    #[must_use]
    pub fn longest_queue(&self) -> Bytes {
        let switches = self.ports.iter().filter(|port| port.from_switch);
        Bytes::new(switches.map(|port| port.longest).max().unwrap_or(0))
    }

    /// When a host's card has sent everything that waits in it.
    #[must_use]
    pub fn card_free_at(&self, host: u32) -> Time {
        let card = self.cards.get(host as usize).and_then(|card| self.ports.get(*card as usize));
        card.map_or(Time::ZERO, |port| {
            let waiting = port.rate.checked_serialize(Bytes::new(port.waiting_bytes), Rounding::Up);
            port.free_at.saturating_add(waiting.unwrap_or(Span::ZERO))
        })
    }

    /// When the next event is due.
    #[must_use]
    pub fn next_event(&self) -> Time {
        self.events.peek().map_or(Time::NEVER, |Reverse((time, _))| *time)
    }

    /// A host sends a frame.
    pub fn send(&mut self, now: Time, host: u32, bytes: &[u8]) {
        let Some(header) = Header::of(bytes) else {
            self.counted.foreign += 1;
            return;
        };
        let Some(to) = host_of(header.destination, self.network.hosts) else {
            self.counted.foreign += 1;
            return;
        };
        let Some(&card) = self.cards.get(host as usize) else { return };
        let mut copy = self.pool.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(bytes);
        // A virtual cable leaves checksums to hardware that it does not have.
        header.complete(&mut copy);
        self.join(now, card, Travelling { bytes: copy, header, to, joined: now });
    }

    /// Lets everything happen that is due by `now`; frames that reach a host are handed to `deliver`, with the time at
    /// which they were due there.
    pub fn advance(&mut self, now: Time, deliver: &mut dyn FnMut(u32, Time, &[u8])) {
        while let Some(&Reverse((time, event))) = self.events.peek() {
            if time > now {
                return;
            }
            self.events.pop();
            match event {
                Event::Departure(port) => self.depart(time, port),
                Event::Arrival(port) => self.arrive(time, port, deliver),
            }
        }
    }

    /// A frame joins the queue of a port.
    fn join(&mut self, now: Time, port: u32, mut frame: Travelling) {
        let size = frame.bytes.len() as u64;
        let node = self.network.near_end(port);
        let fits = match node.checked_sub(self.network.hosts) {
            Some(switch) => self.admit(switch as usize, port, size),
            None => self.ports[port as usize].waiting.len() < CARD_FRAMES,
        };
        if !fits {
            self.counted.drops.buffer += 1;
            self.discard(frame);
            return;
        }
        frame.joined = now;
        let place = &mut self.ports[port as usize];
        place.waiting_bytes += size;
        place.longest = place.longest.max(place.waiting_bytes);
        place.waiting.push_back(frame);
        if place.waiting.len() == 1 {
            let time = place.free_at.max(now);
            self.events.push(Reverse((time, Event::Departure(port))));
        }
    }

    /// Whether a switch has room for a frame, by the whole buffer and by dynamic thresholds.
    fn admit(&mut self, switch: usize, port: u32, size: u64) -> bool {
        if let Some((sharing, limit, alpha)) = self.limit {
            let free = limit.saturating_sub(self.held[switch]);
            let queue = self.ports[port as usize].waiting_bytes;
            let fits = match sharing {
                Sharing::Dynamic => size <= free && (queue as f64) < alpha * free as f64,
                Sharing::Complete => size <= free,
                Sharing::PerQueue => queue + size <= limit,
                Sharing::Unlimited => true,
            };
            if !fits {
                return false;
            }
        }
        self.held[switch] += size;
        true
    }

    /// The port is free: the first frame of its queue leaves.
    fn depart(&mut self, now: Time, port: u32) {
        loop {
            let place = &mut self.ports[port as usize];
            let Some(mut frame) = place.waiting.pop_front() else { return };
            let size = frame.bytes.len() as u64;
            place.waiting_bytes -= size;
            let from_switch = place.from_switch;
            if from_switch {
                let switch = (self.network.near_end(port) - self.network.hosts) as usize;
                self.held[switch] = self.held[switch].saturating_sub(size);
                if !self.inspect(now, port, switch, &mut frame) {
                    self.counted.drops.early += 1;
                    self.discard(frame);
                    continue;
                }
            }
            let place = &mut self.ports[port as usize];
            // Links are checked to have a rate, and a frame's time fits.
            let time = place.rate.checked_serialize(Bytes::new(size), Rounding::Up).unwrap_or(Span::ZERO);
            place.free_at = now + time;
            place.sent += size;
            let due = place.free_at + place.delay;
            place.on_wire.push_back((due, frame));
            if let Some(front) = place.waiting.front() {
                // If the loop was late, the next may have been read after the port was free.
                let time = place.free_at.max(front.joined);
                self.events.push(Reverse((time, Event::Departure(port))));
            }
            self.events.push(Reverse((due, Event::Arrival(port))));
            return;
        }
    }

    /// A frame leaves the queue of a switch: marks, and what is written on it. `false` if it is dropped instead.
    fn inspect(&mut self, now: Time, port: u32, switch: usize, frame: &mut Travelling) -> bool {
        let place = &mut self.ports[port as usize];
        let wait = now.saturating_since(frame.joined);
        let backlog = Bytes::new(place.waiting_bytes);
        let managed = place.managed;
        let mut marked = false;
        if let Some(codel) = self.codel.as_ref().filter(|_| place.managed) {
            match codel.on_dequeue(&mut place.codel, &Dequeued { now, sojourn: wait, backlog }) {
                Verdict::Drop => return false,
                // A queue manager that marks must drop what cannot be marked.
                Verdict::Mark if frame.header.may_be_marked(&frame.bytes) => marked = true,
                Verdict::Mark if !matches!(frame.header.content, Content::Ack(_)) => return false,
                Verdict::Mark | Verdict::Pass => {}
            }
            if place.waiting.is_empty() {
                codel.on_empty(&mut place.codel);
            }
        }
        if let Some(red) = &place.marking
            && frame.header.may_be_marked(&frame.bytes)
        {
            let coin = if red.needs_coin(backlog) { self.coin.unit() } else { 0.0 };
            marked |= red.verdict(backlog, coin) == Verdict::Mark;
        }
        if marked {
            self.counted.marks += 1;
            let tuple = frame.header.tuple();
            let passing = Passing { tuple, flow: tuple.hash(0) as u32, port };
            let register = self.registers.get_mut(switch).filter(|_| managed);
            let way = register.map(|register| register.on_congestion(&passing));
            if way != Some(Way::Back) {
                frame.header.mark(&mut frame.bytes);
            }
        }
        let place = &self.ports[port as usize];
        if place.stamps {
            let hop = ExactHop { time: now, sent: Bytes::new(place.sent), queue: backlog, rate: place.rate };
            stamp(frame, wait, &hop, self.scale);
        }
        true
    }

    /// A frame is at the far end of its link.
    fn arrive(&mut self, now: Time, port: u32, deliver: &mut dyn FnMut(u32, Time, &[u8])) {
        let Some((_, mut frame)) = self.ports[port as usize].on_wire.pop_front() else { return };
        self.counted.hops += 1;
        let node = self.network.far_end(port);
        if node < self.network.hosts {
            if node == frame.to {
                deliver(node, now, &frame.bytes);
            }
            self.discard(frame);
            return;
        }
        let next = self.routes.next_port(node, frame.to, &frame.header.tuple());
        let Some(next) = next.filter(|_| frame.header.count_hop(&mut frame.bytes)) else {
            self.counted.drops.no_route += 1;
            self.discard(frame);
            return;
        };
        let switch = (node - self.network.hosts) as usize;
        if let Some(register) = self.registers.get_mut(switch)
            && matches!(frame.header.content, Content::Ack(_) | Content::Tcp)
            // Data in the other direction leaves by the port that faces the one this packet came through.
            && register.on_reverse_packet(&reversed(&frame.header, port ^ 1)) == Echo::Set
        {
            echo(&mut frame);
        }
        self.join(now, next, frame);
    }

    fn discard(&mut self, frame: Travelling) {
        /// More buffers than this are not kept.
        const MOST: usize = 4096;
        if self.pool.len() < MOST {
            self.pool.push(frame.bytes);
        }
    }
}

/// A packet against the direction of the data, whose flow it belongs to.
fn reversed(header: &Header, port: u32) -> Passing {
    let tuple = header.tuple();
    Passing { tuple, flow: tuple.reversed().hash(0) as u32, port }
}

/// Says on a passing ack that the way of its data is congested.
fn echo(frame: &mut Travelling) {
    match frame.header.content {
        Content::Tcp => frame.header.set_tcp_echo(&mut frame.bytes),
        Content::Ack(_) => {
            let front = frame.header.gathers().travelling_size();
            let behind = frame.header.behind_udp(&mut frame.bytes);
            // An ack that cannot be read is the receiver's to refuse.
            let _ = mark_congestion_in_place(behind.get_mut(front..).unwrap_or_default());
        }
        Content::Data(_) | Content::Other => {}
    }
}

/// Writes telemetry on a frame that carries some.
fn stamp(frame: &mut Travelling, wait: Span, hop: &ExactHop, scale: UnitScale) {
    let kind = frame.header.gathers();
    if kind == TelemetryKind::None {
        return;
    }
    let behind = frame.header.behind_udp(&mut frame.bytes);
    // What is damaged stays so; the receiver finds out.
    let _ = match kind {
        TelemetryKind::None => Ok(()),
        TelemetryKind::MaxHopDelay => MaxHopDelay::update_in_place(behind, wait, Rounding::Down).map(|_| ()),
        TelemetryKind::ExactHops => HopStack::push(behind, *hop),
        TelemetryKind::CompactHops => {
            CompactHop::quantise(hop, scale).and_then(|hop| HopStack::push(behind, hop))
        }
    };
}

#[cfg(test)]
mod tests;
