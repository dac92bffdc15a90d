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

impl<L: CongestionControl> Partition<'_, L> {
    /// The head of `port`'s pipe reaches the far end.
    #[inline]
    pub(crate) fn arrive(&mut self, now: u64, port: u32) {
        let packet = self.take_head(port);
        let pipe = &self.ports[port as usize];
        let to = pipe.to;
        if let Some(time) = pipe.head_arrives() {
            self.wheel.set(port, time);
        }
        self.totals.packet_hops += 1;
        self.totals.hash(now, port, packet.label, packet.size);
        if self.inspects && self.inspect(now, port, &packet) {
            return;
        }
        if to >= self.shared.setup.network.hosts {
            self.forward(now, to, port, packet);
        } else {
            self.totals.arrived_bytes += u64::from(packet.size);
            if packet.has(Packet::ACK) {
                self.ack_arrives(now, to, packet)
            } else {
                self.data_arrives(now, to, packet)
            }
        }
    }

    /// Takes the head of a pipe, with all that the switch wrote on it when it left the queue.
    #[inline]
    pub(crate) fn take_head(&mut self, port: u32) -> Packet {
        let shared = self.shared;
        let pipe = &mut self.ports[port as usize];
        if !pipe.from_switch {
            return pipe.pop();
        }
        let (blank, held) = (pipe.head_is_blank(), pipe.head_is_held());
        if !blank {
            let packet = pipe.pop();
            if held && shared.buffer.is_some() {
                self.release(port, &packet);
            }
            return packet;
        }
        let departure = shared.counts_departures.then(|| pipe.next_departure());
        let mut packet = pipe.pop();
        match departure {
            Some(departure) => self.stamp(port, &mut packet, &departure),
            None => packet.hops = packet.hops.saturating_add(1),
        }
        if held && shared.buffer.is_some() {
            self.release(port, &packet);
        }
        packet
    }

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
    #[inline]
    fn forward(&mut self, now: u64, switch: u32, ingress: u32, mut packet: Packet) {
        // Routes know of a link that breaks from that moment on.
        let Some(port) = self.routes.next_port(switch, packet.to, packet.label) else {
            self.totals.unroutable += 1;
            self.discard(&packet);
            return;
        };
        packet.ingress = ingress;
        if self.shared.rpm.is_some() {
            self.pay_echo(switch, ingress, &mut packet);
        }
        self.enqueue(now, switch, port, packet);
    }

    /// RPM: a passing packet pays an echo that its flow is owed.
    fn pay_echo(&mut self, switch: u32, ingress: u32, packet: &mut Packet) {
        // Data in the other direction leaves by the port that faces the one this packet came through.
        let passing = self.passing(packet, ingress ^ 1);
        let switch = switch - self.shared.setup.network.hosts;
        if let Some(register) = &mut self.switches[switch as usize].register
            && register.on_reverse_packet(&passing) == Echo::Set
        {
            packet.flags |= Packet::ECHO;
        }
    }

    /// A packet joins the queue of a switch's port.
    #[inline]
    fn enqueue(&mut self, now: u64, switch: u32, port: u32, packet: Packet) {
        if self.shared.buffer.is_some() && !self.admit(now, switch, port, &packet) {
            self.totals.buffer_drops += 1;
            self.discard(&packet);
            return;
        }
        let pipe = &mut self.ports[port as usize];
        if let Some(queue) = &mut pipe.queue {
            queue.push(Packet { enqueued: now, ..packet });
            self.try_depart(now, port);
        } else if let Some(time) = pipe.push(now, packet) {
            self.set_arrival(port, time);
        }
        if !self.shared.pfc.is_empty() {
            self.pause_if_full(now, switch, &packet);
        }
    }

    /// The pipe has a new head; whoever owns the far end looks after it.
    #[inline]
    pub(crate) fn set_arrival(&mut self, port: u32, time: u64) {
        if self.is_mine(self.ports[port as usize].to) {
            self.wheel.set(port, time);
        }
    }

    /// Lets a packet leave now, or sees to it that one leaves when the port is free.
    pub(crate) fn try_depart(&mut self, now: u64, port: u32) {
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
        let shared = self.shared;
        let source = self.source_of_departure(port);
        while let Some(queue) = &mut self.ports[port as usize].queue {
            let Some(mut packet) = queue.pop(&shared.priorities) else {
                if let Some(codel) = &shared.codel {
                    codel.on_empty(&mut queue.codel);
                }
                self.wheel.clear(source);
                self.maybe_bare(port);
                self.resume_after(now, port);
                return;
            };
            let backlog = queue.bytes();
            let verdict = match &shared.codel {
                Some(codel) => {
                    let sojourn = Span::from_ps(now - packet.enqueued);
                    let dequeued =
                        Dequeued { now: Time::from_ps(now), sojourn, backlog: Bytes::new(backlog) };
                    codel.on_dequeue(&mut queue.codel, &dequeued)
                }
                None => Verdict::Pass,
            };
            self.release(port, &packet);
            match verdict {
                Verdict::Drop => {
                    self.totals.codel_drops += 1;
                    self.discard(&packet);
                    continue;
                }
                // A queue manager that marks must drop what cannot be marked.
                Verdict::Mark if packet.has(Packet::ECN_CAPABLE) => self.mark(port, &mut packet),
                Verdict::Mark if !packet.has(Packet::ACK) => {
                    self.totals.codel_drops += 1;
                    self.discard(&packet);
                    continue;
                }
                Verdict::Mark | Verdict::Pass => {}
            }
            let sent = self.ports[port as usize].left_bytes;
            self.stamp(port, &mut packet, &Departure { time: now, queue: backlog, sent });
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
            let switch = self.shared.setup.network.near_end(port);
            self.resume_if_room(now, switch);
        }
    }

    /// Makes departures of a switch's port events from now on.
    pub(crate) fn need_queue(&mut self, now: u64, port: u32) {
        if self.ports[port as usize].queue.is_some() {
            return;
        }
        while self.ports[port as usize].has_departure_by(now) {
            let departure = self.ports[port as usize].next_departure();
            let mut packet = *self.ports[port as usize].last_stamped();
            self.stamp(port, &mut packet, &departure);
            *self.ports[port as usize].last_stamped() = packet;
        }
        if self.shared.buffer.is_some() {
            self.release_departed(now, port);
        }
        let pipe = &mut self.ports[port as usize];
        let mut queue = Box::new(Queue::default());
        for packet in pipe.take_waiting() {
            queue.push(packet);
        }
        let (waits, empty) = (queue.may_leave(), pipe.len() == 0);
        pipe.queue = Some(queue);
        let free_at = pipe.free_at;
        if empty {
            self.wheel.clear(port);
        }
        if waits {
            let source = self.source_of_departure(port);
            self.wheel.set(source, free_at.max(now));
        }
    }

    /// An empty queue that is no longer needed goes: departures follow from arrivals again.
    fn maybe_bare(&mut self, port: u32) {
        let network = &self.shared.setup.network;
        let near = network.near_end(port);
        let exact = near >= network.hosts && self.switches[(near - network.hosts) as usize].exact;
        let pipe = &mut self.ports[port as usize];
        let idle = |queue: &Queue| queue.is_empty() && queue.paused == 0 && !queue.permanent;
        if !exact && pipe.queue.as_deref().is_some_and(idle) {
            pipe.queue = None;
        }
    }

    /// The packet is gone.
    pub(crate) fn discard(&mut self, packet: &Packet) {
        self.totals.dropped_bytes += u64::from(packet.size);
        self.bodies.release(packet.body);
    }
}
