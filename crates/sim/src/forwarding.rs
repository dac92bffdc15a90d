//! Packets on links and in switches.

use crate::packet::Packet;
use crate::partition::Partition;
use crate::port::Departure;
use crate::queue::Queue;
use crate::stamp::roll;
use plimsoll_cc::CongestionControl;
use plimsoll_cc::codel::Dequeued;
use plimsoll_cc::rpm::Echo;
use plimsoll_cc::verdict::Verdict;
use plimsoll_units::{Bytes, Span, Time};

/// The number of a flow that no register has.
const NOBODYS_ACK: u32 = u32::MAX;

impl<L: CongestionControl> Partition<'_, L> {
    /// The head of `port`'s pipe reaches the far end.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, now: u64, port: u32) {
        let packet = self.take_head(port);
        let pipe = &self.ports[port as usize];
        let to = pipe.to;
        if let Some(next) = pipe.head() {
            let (source, time) = (self.source_of_arrival(port), next.arrive);
            self.wheel.set(source, time);
        }
        self.totals.packet_hops += 1;
        self.totals.hash(now, port, packet.label, packet.size);
        // A copy, made only there, lets the packet itself stay in registers.
        if self.inspects && self.inspect(now, port, Packet { arrive: now, ..packet }) {
            return;
        }
        if to >= self.shared.setup.network.hosts {
            self.forward(now, to, port, packet);
        } else {
            self.totals.arrived_bytes += u64::from(packet.size);
            if packet.has(Packet::ACK) {
                self.ack_arrives(now, to, packet.landed())
            } else {
                self.data_arrives(now, to, packet.landed())
            }
        }
    }

    /// Takes the head of a pipe, with all that the switch wrote on it when it left the queue.
    #[inline(always)]
    pub(crate) fn take_head(&mut self, port: u32) -> Packet {
        let shared = self.shared;
        let pipe = &mut self.ports[port as usize];
        if !pipe.from_switch {
            return pipe.pop();
        }
        let (blank, held) = (pipe.head_is_blank(), pipe.head_is_held());
        if !blank {
            let packet = pipe.pop();
            if held && self.counting > 0 {
                self.release(port, packet.load());
            }
            return packet;
        }
        let departure = shared.counts_departures.then(|| pipe.next_departure());
        let mut packet = pipe.pop();
        match departure {
            Some(departure) => self.stamp(port, &mut packet, &departure),
            None => packet.hops = packet.hops.saturating_add(1),
        }
        if held && self.counting > 0 {
            self.release(port, packet.load());
        }
        packet
    }

    #[cold]
    /// Whether the link loses or damages this packet.
    pub(crate) fn is_harmed(&mut self, port: u32) -> bool {
        let (loss, corruption) = self.harm[port as usize / 2];
        let lost = loss > 0.0 && roll(&mut self.dice[port as usize]) < loss;
        let damaged = !lost && corruption > 0.0 && roll(&mut self.dice[port as usize]) < corruption;
        self.totals.link_losses += u64::from(lost);
        self.totals.damaged += u64::from(damaged);
        lost || damaged
    }

    /// A packet is in a switch: off to the next port.
    #[inline(always)]
    fn forward(&mut self, now: u64, switch: u32, ingress: u32, mut packet: Packet) {
        // Routes know of a link that breaks from that moment on.
        let Some(port) = self.routes.next_port(switch, u32::from(packet.to), packet.label) else {
            self.totals.unroutable += 1;
            self.discard(packet.body, packet.size);
            return;
        };
        packet.set_entry(self.ports[ingress as usize].entry);
        if self.shared.rpm.is_some() {
            packet.flags |= self.pay_echo(now, switch, ingress, &packet);
        }
        if self.shared.setup.switch.int_reflected && packet.has(Packet::ACK) {
            packet.longest_wait = self.reflect(now, switch, ingress, packet.body, packet.longest_wait);
        }
        self.enqueue(now, switch, port, packet);
    }

    #[inline(never)]
    /// RPM: a passing packet pays an echo that its flow is owed; gives the flag to set.
    fn pay_echo(&mut self, now: u64, switch: u32, ingress: u32, packet: &Packet) -> u8 {
        let switch = (switch - self.shared.setup.network.hosts) as usize;
        if self.switches[switch].register.is_none() {
            return 0;
        }
        // Data in the other direction leaves by the port that faces the one this packet came through.
        let is_ack = packet.has(Packet::ACK);
        let mut passing = self.passing(packet.body, is_ack, ingress ^ 1);
        if !is_ack {
            passing.flow = NOBODYS_ACK;
        }
        let register = self.switches[switch].register.as_mut();
        if register.is_none_or(|register| register.on_reverse_packet(&passing) == Echo::Pass) {
            return 0;
        }
        if self.sampler.is_some() {
            let connection = self.bodies.get(packet.body).connection;
            self.saw_echo(now, connection, Bytes::new(u64::from(packet.size)));
        }
        Packet::ECHO
    }

    /// A packet joins the queue of a switch's port.
    #[inline(always)]
    fn enqueue(&mut self, now: u64, switch: u32, port: u32, packet: Packet) {
        let switch = (switch - self.shared.setup.network.hosts) as usize;
        let budget = &mut self.budgets[switch];
        *budget -= i64::from(packet.size);
        if *budget < 0 && !self.admit(now, switch, port, packet.load()) {
            self.totals.buffer_drops += 1;
            self.discard(packet.body, packet.size);
            return;
        }
        let pipe = &mut self.ports[port as usize];
        if pipe.queue.is_some() {
            if self.rotor.is_some() && self.voq_refuses(now, port, packet.load()) {
                self.release(port, packet.load());
                self.totals.buffer_drops += 1;
                self.discard(packet.body, packet.size);
                return;
            }
            self.ports[port as usize].join_queue(now, Packet { arrive: now, ..packet });
            self.try_depart(now, port);
        } else if let Some(time) = pipe.push(now, packet) {
            self.set_arrival(port, time);
        }
        if self.counting > 0 && !self.shared.pfc.is_empty() {
            self.pause_if_full(now, switch, packet.load());
        }
    }

    /// The pipe has a new head; whoever owns the far end looks after it.
    #[inline(always)]
    pub(crate) fn set_arrival(&mut self, port: u32, time: u64) {
        if self.ports[port as usize].leads_within {
            let source = self.source_of_arrival(port);
            self.wheel.set(source, time);
        }
    }

    /// Lets a packet leave now, or sees to it that one leaves when the port is free.
    #[inline(never)]
    pub(crate) fn try_depart(&mut self, now: u64, port: u32) {
        if self.rotor.as_ref().is_some_and(|rotor| rotor.has_voq(port)) {
            return self.voq_joined(now, port);
        }
        let free_at = self.ports[port as usize].free_at;
        if free_at <= now {
            self.depart(now, port);
        } else if self.ports[port as usize].queue.as_ref().is_some_and(|queue| queue.may_leave()) {
            let source = self.source_of_departure(port);
            self.wheel.set(source, free_at);
        }
    }

    /// The port is free: the packet whose turn it is leaves its queue.
    pub(crate) fn depart(&mut self, now: u64, port: u32) {
        if self.rotor.is_some() && self.rotor_departs(now, port) {
            return;
        }
        let shared = self.shared;
        let source = self.source_of_departure(port);
        while let Some(queue) = &mut self.ports[port as usize].queue {
            let Some(mut packet) = queue.pop(&shared.priorities) else {
                if let (Some(codel), Some(memory)) = (&shared.codel, &mut queue.codel) {
                    codel.on_empty(memory);
                }
                self.wheel.clear(source);
                self.maybe_bare(port);
                self.resume_after(now, port);
                return;
            };
            let (backlog, class_queue) = (queue.bytes(), queue.bytes_of(packet.class()));
            let verdict = match (&shared.codel, &mut queue.codel) {
                (Some(codel), Some(memory)) => {
                    let sojourn = Span::from_ps(now - packet.arrive);
                    let dequeued =
                        Dequeued { now: Time::from_ps(now), sojourn, backlog: Bytes::new(backlog) };
                    codel.on_dequeue(memory, &dequeued)
                }
                _ => Verdict::Pass,
            };
            self.release(port, packet.load());
            match verdict {
                Verdict::Drop => {
                    self.totals.codel_drops += 1;
                    self.discard(packet.body, packet.size);
                    continue;
                }
                // A queue manager that marks must drop what cannot be marked.
                Verdict::Mark if packet.has(Packet::ECN_CAPABLE) => {
                    packet.flags |= self.mark(port, &packet, now, now - packet.arrive)
                }
                Verdict::Mark if !packet.has(Packet::ACK) => {
                    self.totals.codel_drops += 1;
                    self.discard(packet.body, packet.size);
                    continue;
                }
                Verdict::Mark | Verdict::Pass => {}
            }
            let (wait, sent) = (now - packet.arrive, self.ports[port as usize].left_bytes);
            self.stamp(port, &mut packet, &Departure { time: now, wait, queue: backlog, class_queue, sent });
            if let Some(time) = self.ports[port as usize].push_departing(now, packet) {
                self.set_arrival(port, time);
            }
            let pipe = &self.ports[port as usize];
            if pipe.queue.as_ref().is_some_and(|queue| queue.may_leave()) {
                self.wheel.set(source, pipe.free_at);
            } else {
                self.wheel.clear(source);
                self.maybe_bare(port);
            }
            self.resume_after(now, port);
            return;
        }
    }

    /// Packets have left `port`'s queue: PFC may let somebody go on.
    fn resume_after(&mut self, now: u64, port: u32) {
        if !self.shared.pfc.is_empty() {
            self.resume_if_room(now, self.switch_of(port));
        }
    }

    /// Makes departures of a switch's port events from now on.
    pub(crate) fn need_queue(&mut self, now: u64, port: u32) {
        if self.ports[port as usize].queue.is_some() {
            return;
        }
        self.stamp_departed_of(now, port);
        self.release_departed(now, port);
        let pipe = &mut self.ports[port as usize];
        let mut queue = Box::new(Queue::default());
        for packet in pipe.take_waiting() {
            queue.push(packet);
        }
        let (waits, empty) = (queue.may_leave(), pipe.is_empty());
        pipe.queue = Some(queue);
        let free_at = pipe.free_at;
        if empty {
            let source = self.source_of_arrival(port);
            self.wheel.clear(source);
        }
        if waits {
            let source = self.source_of_departure(port);
            self.wheel.set(source, free_at.max(now));
        }
    }

    /// An empty queue that is no longer needed goes: departures follow from arrivals again.
    fn maybe_bare(&mut self, port: u32) {
        let switch = self.switch_of(port);
        let exact = self.switches.get(switch).is_some_and(|switch| switch.exact);
        let pipe = &mut self.ports[port as usize];
        let idle = |queue: &Queue| queue.is_empty() && queue.paused == 0 && !queue.permanent;
        if !exact && pipe.queue.as_deref().is_some_and(idle) {
            pipe.queue = None;
        }
    }

    /// The packet is gone.
    #[inline(never)]
    pub(crate) fn discard(&mut self, body: u32, size: u16) {
        self.totals.dropped_bytes += u64::from(size);
        self.bodies.release(body);
    }
}
