//! ToRs of a rotor: a queue for each other rack (VOQ), which leaves by a circuit in its day and by the packet network
//! at all other times.
//!
//! A VOQ is the queue in front of the port that leads to the other rack by the circuit. The link to the packet network
//! has no queue of its own: when it is free, the next VOQ in turn hands it a packet. Nothing happens here unless a
//! packet is there: a ToR works out where the calendar is when it is next looked at, and only a queue with packets has
//! an event, at the beginning of its day, when the circuit is free, or at the end of a day that was too short.

use crate::packet::{Load, Packet};
use crate::partition::Partition;
use crate::port::Departure;
use plimsoll_cc::CongestionControl;
use plimsoll_scenario::Network;
use plimsoll_scenario::network::{Circuits, Moment};
use plimsoll_units::Span;

/// What a port is to its ToR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nothing special.
    Plain,
    /// The link of this ToR to the packet network.
    Uplink(u32),
    /// The circuit of this ToR in this slot.
    Circuit(u32, u32),
}

/// A queue for one other rack.
#[derive(Clone, Copy, Debug)]
struct Voq {
    port: u32,
    /// How many packets wait.
    packets: u32,
    /// What the link to the packet network had sent when this queue's day began.
    sent_at_dawn: u64,
    /// What that link has sent in this queue's days.
    sent_meanwhile: u64,
}

/// A ToR.
#[derive(Debug)]
struct Tor {
    /// Its link to the packet network.
    uplink: u32,
    /// By slot; those that have no day come last.
    voqs: Vec<Voq>,
    /// The slot whose day it is.
    open: Option<u32>,
    /// The slot whose day is next.
    next: u32,
    /// When the day ends, or the next one begins.
    boundary: u64,
    /// Whose turn was last on the link to the packet network.
    last: usize,
}

/// All ToRs of a rotor; those of other parts are there and never used.
#[derive(Debug)]
pub(crate) struct Rotor {
    circuits: Circuits,
    tors: Vec<Tor>,
    /// By port.
    roles: Vec<Role>,
}

impl Rotor {
    /// The ToRs of a network that has circuits.
    pub(crate) fn new(network: &Network) -> Option<Box<Self>> {
        let circuits = network.circuits.clone()?;
        let mut roles = vec![Role::Plain; 2 * network.links.len()];
        let tor = |number: u32| {
            let uplink = 2 * (circuits.first_uplink + number);
            roles[uplink as usize] = Role::Uplink(number);
            let voq = |slot: u32| {
                let port = circuits.port(number, (number + slot + 1) % circuits.tors);
                roles[port as usize] = Role::Circuit(number, slot);
                Voq { port, packets: 0, sent_at_dawn: 0, sent_meanwhile: 0 }
            };
            let voqs: Vec<Voq> = (0..circuits.tors - 1).map(voq).collect();
            let last = voqs.len() - 1;
            Tor { uplink, voqs, open: None, next: 0, boundary: 0, last }
        };
        let tors = (0..circuits.tors).map(tor).collect();
        Some(Box::new(Self { circuits, tors, roles }))
    }

    /// Whether packets wait for a circuit in front of this port.
    pub(crate) fn has_voq(&self, port: u32) -> bool {
        matches!(self.roles[port as usize], Role::Circuit(..))
    }

    /// When the day of a slot next begins, after `now`; there is none for pairs that no matching joins.
    fn next_day(&self, now: u64, slot: u32) -> Option<u64> {
        match self.circuits.moment(slot, Span::from_ps(now)) {
            Moment::Before(wait) => Some(now + wait.as_ps()),
            Moment::Day(_) | Moment::Never => None,
        }
    }
}

impl Tor {
    /// The calendar goes on to `now`; `sent` is what the link to the packet network has sent up to now.
    fn advance(&mut self, circuits: &Circuits, now: u64, sent: u64) {
        while self.boundary <= now {
            match self.open.take() {
                Some(slot) => {
                    let voq = &mut self.voqs[slot as usize];
                    voq.sent_meanwhile += sent - voq.sent_at_dawn;
                    self.boundary += circuits.night.as_ps();
                }
                None => {
                    self.voqs[self.next as usize].sent_at_dawn = sent;
                    self.open = Some(self.next);
                    self.next = (self.next + 1) % circuits.matchings;
                    self.boundary += circuits.day.as_ps();
                }
            }
        }
    }

    /// The queue whose turn it is on the link to the packet network.
    fn next_in_turn(&self) -> Option<usize> {
        let count = self.voqs.len();
        let in_turn = (1..=count).map(|step| (self.last + step) % count);
        let open = self.open.map(|slot| slot as usize);
        in_turn.into_iter().find(|voq| self.voqs[*voq].packets > 0 && Some(*voq) != open)
    }

    /// The bytes that a queue's way out has sent: those of its circuit, and, outside its days, all of the link to
    /// the packet network. Between two records of one day or one night it grows by what that link sent, whoever
    /// sent it; and it never falls.
    fn sent_for(&self, slot: u32, by_circuit: u64, by_uplink: u64) -> u64 {
        let voq = &self.voqs[slot as usize];
        let by_uplink = if self.open == Some(slot) { voq.sent_at_dawn } else { by_uplink };
        by_circuit + by_uplink - voq.sent_meanwhile
    }
}

impl<L: CongestionControl> Partition<'_, L> {
    /// Whether a VOQ has no room for a packet.
    #[inline(never)]
    pub(crate) fn voq_refuses(&self, now: u64, port: u32, load: Load) -> bool {
        let Some(rotor) = &self.rotor else { return false };
        let Role::Circuit(_, slot) = rotor.roles[port as usize] else { return false };
        let Some(usual) = rotor.circuits.voq_capacity else { return false };
        let waiting = self.ports[port as usize].queue.as_ref().map_or(0, |queue| queue.bytes());
        let after = waiting + u64::from(load.size);
        if after <= usual.get() {
            return false;
        }
        let larger = rotor.circuits.voq_capacity_circuit.unwrap_or(usual);
        after > larger.get() || !rotor.circuits.is_announced(slot, Span::from_ps(now))
    }

    /// A packet has joined the VOQ in front of this port.
    pub(crate) fn voq_joined(&mut self, now: u64, port: u32) {
        let Some(rotor) = &mut self.rotor else { return };
        let Role::Circuit(tor, slot) = rotor.roles[port as usize] else { return };
        rotor.tors[tor as usize].voqs[slot as usize].packets += 1;
        self.serve_voq(now, tor, slot);
    }

    /// The moment has come that a port of a rotor's ToR waited for; says whether it is one.
    pub(crate) fn rotor_departs(&mut self, now: u64, port: u32) -> bool {
        let Some(rotor) = &self.rotor else { return false };
        match rotor.roles[port as usize] {
            Role::Plain => return false,
            Role::Uplink(tor) => self.serve_uplink(now, tor),
            Role::Circuit(tor, slot) => self.serve_voq(now, tor, slot),
        }
        true
    }

    /// Brings a ToR's calendar up to now.
    fn advance(&mut self, now: u64, tor: u32) {
        let Some(rotor) = &mut self.rotor else { return };
        let state = &mut rotor.tors[tor as usize];
        let sent = self.ports[state.uplink as usize].left_bytes;
        state.advance(&rotor.circuits, now, sent);
    }

    /// Lets a packet leave a VOQ, by the circuit in its day and else by the packet network, or sees to it that
    /// somebody looks again in time.
    fn serve_voq(&mut self, now: u64, tor: u32, slot: u32) {
        self.advance(now, tor);
        let Some(rotor) = &self.rotor else { return };
        let state = &rotor.tors[tor as usize];
        let (port, packets) = (state.voqs[slot as usize].port, state.voqs[slot as usize].packets);
        let source = self.source_of_departure(port);
        if state.open != Some(slot) {
            match rotor.next_day(now, slot).filter(|_| packets > 0) {
                Some(dawn) => self.wheel.set(source, dawn),
                None => self.wheel.clear(source),
            }
            self.serve_uplink(now, tor);
            return;
        }
        let (dusk, priorities) = (state.boundary, &self.shared.priorities);
        let pipe = &self.ports[port as usize];
        let Some(size) = pipe.queue.as_ref().and_then(|queue| queue.next_size(priorities)) else {
            self.wheel.clear(source);
            return;
        };
        if pipe.free_at > now {
            self.wheel.set(source, pipe.free_at);
        } else if now + pipe.serialize(size) > dusk {
            self.wheel.set(source, dusk);
        } else {
            self.leave_voq(now, tor, slot, port);
            if packets > 1 {
                let free_at = self.ports[port as usize].free_at;
                self.wheel.set(source, free_at);
            } else {
                self.wheel.clear(source);
            }
        }
    }

    /// The VOQs that have no circuit take turns on the link to the packet network.
    fn serve_uplink(&mut self, now: u64, tor: u32) {
        self.advance(now, tor);
        let Some(rotor) = &mut self.rotor else { return };
        let state = &mut rotor.tors[tor as usize];
        let uplink = state.uplink;
        if self.ports[uplink as usize].free_at <= now
            && let Some(slot) = state.next_in_turn()
        {
            state.last = slot;
            let voq = state.voqs[slot];
            self.leave_voq(now, tor, slot as u32, uplink);
            if voq.packets == 1 {
                let source = self.source_of_departure(voq.port);
                self.wheel.clear(source);
            }
        }
        let waits =
            self.rotor.as_ref().is_some_and(|rotor| rotor.tors[tor as usize].next_in_turn().is_some());
        let source = self.source_of_departure(uplink);
        if waits {
            let free_at = self.ports[uplink as usize].free_at;
            self.wheel.set(source, free_at);
        } else {
            self.wheel.clear(source);
        }
    }

    /// The next packet of a VOQ, which is there, leaves by port `way`.
    fn leave_voq(&mut self, now: u64, tor: u32, slot: u32, way: u32) {
        let by_uplink = self.rotor.as_ref().map_or(0, |rotor| {
            let uplink = rotor.tors[tor as usize].uplink;
            self.ports[uplink as usize].left_bytes
        });
        let Some(rotor) = &mut self.rotor else { return };
        let state = &mut rotor.tors[tor as usize];
        let port = state.voqs[slot as usize].port;
        let pipe = &mut self.ports[port as usize];
        let by_circuit = pipe.left_bytes;
        let Some(queue) = &mut pipe.queue else { return };
        let Some(mut packet) = queue.pop(&self.shared.priorities) else { return };
        let (backlog, class_queue) = (queue.bytes(), queue.bytes_of(packet.class()));
        state.voqs[slot as usize].packets -= 1;
        let sent = state.sent_for(slot, by_circuit, by_uplink);
        if !packet.has(Packet::ACK) && rotor.circuits.is_announced(slot, Span::from_ps(now)) {
            self.bodies.get_mut(packet.body).set_circuit_up();
        }
        self.release(port, packet.load());
        let wait = now - packet.arrive;
        self.stamp(way, &mut packet, &Departure { time: now, wait, queue: backlog, class_queue, sent });
        if let Some(time) = self.ports[way as usize].push_departing(now, packet) {
            self.set_arrival(way, time);
        }
    }
}
