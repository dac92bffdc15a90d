//! A switch's buffer: who is admitted, and PFC.
//!
//! Bytes count in the buffer until they leave their queue. Most of the time a buffer is nearly empty and
//! nothing that it decides can depend on the count: while the switch holds less than its calm level, no
//! threshold can be met, whichever ports and classes the bytes belong to. So a calm switch is given a
//! budget of bytes that may enter before anybody looks; who enters costs one subtraction. When the budget
//! is spent, what waits is added up, and there is a new budget, or the switch begins to count by port and
//! class.
//!
//! For ports whose departures are no events that count is brought up to date only when it matters: what
//! is counted too long can only make the buffer look fuller than it is, so a packet that is admitted by
//! the old count is admitted by the true one; and before a packet is refused, the true one is worked out.

use crate::packet::Load;
use crate::partition::{Frame, Partition};
use crate::queue::CLASSES;
use crate::shared::Shared;
use plimsoll_cc::CongestionControl;
use plimsoll_cc::rpm::{Register, Slot};
use plimsoll_scenario::switch::Sharing;
use plimsoll_units::{Bytes, Rounding, Span};

/// What a switch remembers.
#[derive(Debug)]
pub(crate) struct SwitchState {
    /// Its ports.
    pub(crate) ports: Vec<u32>,
    /// Bytes in the buffer.
    held: u64,
    /// The part of the buffer that is neither reserve nor headroom.
    shared_size: u64,
    /// Below this many bytes in the buffer no packet is refused and nobody is told to pause.
    calm: u64,
    /// The buffer is counted by port and class.
    counting: bool,
    /// How many pauses of it are in force.
    pauses: u32,
    /// Departures of all its ports are events, so that a resume is not late.
    pub(crate) exact: bool,
    /// RPM's register.
    pub(crate) register: Option<Register<Vec<Slot>>>,
}

/// Bytes of a PFC frame.
const FRAME_SIZE: u16 = 64;

impl SwitchState {
    pub(crate) fn all<L>(shared: &Shared<L>) -> Vec<Self> {
        let network = &shared.setup.network;
        let mut states: Vec<Self> = (0..network.switches)
            .map(|switch| Self {
                ports: Vec::new(),
                held: 0,
                shared_size: 0,
                calm: 0,
                counting: false,
                pauses: 0,
                exact: false,
                register: shared
                    .rpm
                    .filter(|_| shared.manages(switch))
                    .and_then(|rpm| Register::new(rpm, vec![Slot::default(); shared.rpm_slots]).ok()),
            })
            .collect();
        for port in 0..2 * network.links.len() as u32 {
            if let Some(switch) = network.near_end(port).checked_sub(network.hosts) {
                states[switch as usize].ports.push(port);
            }
        }
        let size = shared.buffer.map_or(0, |rule| rule.size);
        for state in &mut states {
            let kept: u64 = state
                .ports
                .iter()
                .filter_map(|port| shared.pfc.get((port ^ 1) as usize))
                .map(|rule| rule.headroom + rule.reserve)
                .sum();
            // A buffer smaller than its headroom shares what there is, half at least.
            state.shared_size = size.saturating_sub(kept).max(size / 2);
            state.calm = calm_level(shared, state);
        }
        states
    }
}

/// Below how many bytes in the buffer no threshold can be met, even if all of them waited in one queue or
/// came through one port.
fn calm_level<L>(shared: &Shared<L>, state: &SwitchState) -> u64 {
    let Some(rule) = &shared.buffer else { return u64::MAX };
    // All in one queue: q ≥ α·(B − q) needs q ≥ B·α/(1 + α).
    let level = |alpha: f64, size: u64| (size as f64 * (alpha / (1.0 + alpha))) as u64;
    let refusal = match rule.sharing {
        Sharing::Dynamic => (0..CLASSES)
            .filter(|class| !rule.lossless[*class])
            .map(|class| level(rule.alpha[class], rule.size))
            .min()
            .unwrap_or(rule.size),
        Sharing::PerQueue | Sharing::Complete | Sharing::Unlimited => rule.size,
    };
    let pauses = state.ports.iter().filter_map(|port| shared.pfc.get((port ^ 1) as usize));
    let pause = pauses.map(|rule| level(rule.alpha, state.shared_size)).min().unwrap_or(u64::MAX);
    // Rounding in the thresholds is not worth a thought: a byte less is as calm.
    refusal.min(pause).min(rule.size).saturating_sub(1)
}

impl<L: CongestionControl> Partition<'_, L> {
    /// The switch's budget is spent: takes the packet into the buffer, or refuses it.
    #[inline(never)]
    pub(crate) fn admit(&mut self, now: u64, switch: usize, port: u32, load: Load) -> bool {
        let size = u64::from(load.size);
        self.budgets[switch] = 0;
        if !self.switches[switch].counting {
            let held = self.waiting_bytes(now, switch) + size;
            let calm = self.switches[switch].calm;
            // Above three quarters the next look would come too soon.
            if held <= calm / 4 * 3 {
                self.budgets[switch] = i64::try_from(calm - held).unwrap_or(i64::MAX);
                return true;
            }
            self.begin_counting(now, switch);
        }
        if !self.has_room(switch, port, load) {
            self.update_buffer(now, switch);
            if !self.switches[switch].counting {
                // It was only the count that was old. The packet itself may be too much, though.
                return self.admit(now, switch, port, load);
            }
            if !self.has_room(switch, port, load) {
                return false;
            }
        }
        self.count(switch, port, load);
        true
    }

    /// All bytes in a switch's queues.
    fn waiting_bytes(&self, now: u64, switch: usize) -> u64 {
        let waiting = |port: &u32| {
            let pipe = &self.ports[*port as usize];
            let queue = pipe.queue.as_ref().map_or(0, |queue| queue.bytes());
            queue + pipe.in_queue(now).map(|packet| u64::from(packet.size)).sum::<u64>()
        };
        self.switches[switch].ports.iter().map(waiting).sum()
    }

    /// From now on the buffer is counted by port and class.
    #[cold]
    fn begin_counting(&mut self, now: u64, switch: usize) {
        self.counting += 1;
        self.switches[switch].counting = true;
        for index in 0..self.switches[switch].ports.len() {
            let port = self.switches[switch].ports[index];
            let pipe = &mut self.ports[port as usize];
            pipe.count_from(now);
            let queued = pipe.queue.iter().flat_map(|queue| queue.packets());
            let waiting: Vec<Load> = pipe.in_queue(now).chain(queued).map(|packet| packet.load()).collect();
            for load in waiting {
                self.count(switch, port, load);
            }
        }
    }

    /// The buffer is far from any threshold: it need not be counted for a while.
    #[cold]
    fn end_counting(&mut self, switch: usize) {
        self.counting -= 1;
        let state = &mut self.switches[switch];
        state.counting = false;
        self.budgets[switch] = i64::try_from(state.calm - state.held).unwrap_or(i64::MAX);
        state.held = 0;
        for port in &state.ports {
            self.egress[*port as usize] = [0; CLASSES];
            if let Some(ingress) = self.ingress.get_mut(*port as usize ^ 1) {
                *ingress = [0; CLASSES];
            }
        }
    }

    fn count(&mut self, switch: usize, port: u32, load: Load) {
        let (size, class) = (u64::from(load.size), usize::from(load.class));
        self.switches[switch].held += size;
        self.egress[port as usize][class] += size;
        if !self.shared.pfc.is_empty() {
            let ingress = self.ingress_of(switch, load);
            self.ingress[ingress as usize][class] += size;
        }
    }

    /// The port through which a packet came into its switch.
    fn ingress_of(&self, switch: usize, load: Load) -> u32 {
        self.switches[switch].ports[usize::from(load.entry)] ^ 1
    }

    fn has_room(&self, switch: usize, port: u32, load: Load) -> bool {
        let Some(rule) = &self.shared.buffer else { return true };
        let (class, size) = (usize::from(load.class), u64::from(load.size));
        let (held, queue) = (self.switches[switch].held, self.egress[port as usize][class]);
        match rule.sharing {
            Sharing::PerQueue => queue + size <= rule.size,
            _ if held + size > rule.size => false,
            // PFC protects the class: only a full buffer refuses it.
            Sharing::Dynamic if !rule.lossless[class] => {
                (queue as f64) < rule.alpha[class] * (rule.size - held) as f64
            }
            Sharing::Dynamic | Sharing::Complete | Sharing::Unlimited => true,
        }
    }

    /// The packet has left the queue of `port`.
    #[inline(never)]
    pub(crate) fn release(&mut self, port: u32, load: Load) {
        let switch = self.switch_of(port);
        if !self.switches[switch].counting {
            return;
        }
        let (size, class) = (u64::from(load.size), usize::from(load.class));
        self.switches[switch].held -= size;
        self.egress[port as usize][class] -= size;
        if !self.shared.pfc.is_empty() {
            let ingress = self.ingress_of(switch, load);
            self.ingress[ingress as usize][class] -= size;
        }
        let state = &self.switches[switch];
        if state.held < state.calm / 2 && state.pauses == 0 {
            self.end_counting(switch);
        }
    }

    /// Counts what has left `port` by now as gone.
    pub(crate) fn release_departed(&mut self, now: u64, port: u32) {
        while let Some(packet) = self.ports[port as usize].release(now) {
            self.release(port, packet.load());
        }
    }

    fn update_buffer(&mut self, now: u64, switch: usize) {
        for index in 0..self.switches[switch].ports.len() {
            let port = self.switches[switch].ports[index];
            if self.ports[port as usize].queue.is_none() {
                self.release_departed(now, port);
            }
        }
    }

    /// Whether what came through `ingress` uses more of the buffer than it may, `offset` less.
    fn is_above(&self, switch: usize, ingress: u32, class: usize, offset: u64) -> bool {
        let rule = &self.shared.pfc[ingress as usize];
        let used = self.ingress[ingress as usize][class].saturating_sub(rule.reserve);
        let state = &self.switches[switch];
        let free = state.shared_size.saturating_sub(state.held);
        used > 0 && (used + offset) as f64 > rule.alpha * free as f64
    }

    /// PFC: tells the sender of the link that the packet came through to pause, if it fills the buffer.
    #[inline(never)]
    pub(crate) fn pause_if_full(&mut self, now: u64, switch: usize, load: Load) {
        if !self.switches[switch].counting {
            return;
        }
        let (ingress, class) = (self.ingress_of(switch, load), usize::from(load.class));
        let lossless = self.shared.buffer.is_some_and(|rule| rule.lossless[class]);
        let told = self.pausing[ingress as usize] & (1 << class) != 0;
        if !lossless || told || !self.is_above(switch, ingress, class, 0) {
            return;
        }
        self.update_buffer(now, switch);
        if !self.switches[switch].counting || !self.is_above(switch, ingress, class, 0) {
            return;
        }
        self.pausing[ingress as usize] |= 1 << class;
        self.switches[switch].pauses += 1;
        self.switches[switch].exact = true;
        for index in 0..self.switches[switch].ports.len() {
            let port = self.switches[switch].ports[index];
            self.need_queue(now, port);
        }
        self.totals.pauses += 1;
        self.send_frame(now, ingress, class as u8, true);
    }

    /// PFC: lets those go on whose packets use less again.
    pub(crate) fn resume_if_room(&mut self, now: u64, switch: usize) {
        if self.switches[switch].pauses == 0 {
            return;
        }
        for index in 0..self.switches[switch].ports.len() {
            let ingress = self.switches[switch].ports[index] ^ 1;
            let told = self.pausing[ingress as usize];
            for class in (0..CLASSES).filter(|class| told & (1 << class) != 0) {
                let offset = self.shared.pfc[ingress as usize].resume_offset;
                if self.is_above(switch, ingress, class, offset) {
                    continue;
                }
                self.pausing[ingress as usize] &= !(1 << class);
                self.switches[switch].pauses -= 1;
                self.send_frame(now, ingress, class as u8, false);
            }
        }
        self.switches[switch].exact = self.switches[switch].pauses > 0;
    }

    /// A frame for the owner of `port`, over the link in the other direction. Frames go before all else.
    fn send_frame(&mut self, now: u64, port: u32, class: u8, pause: bool) {
        let link = &self.shared.setup.network.links[port as usize / 2];
        let time = link.rate.checked_serialize(Bytes::new(u64::from(FRAME_SIZE)), Rounding::Up);
        let delay = link.delay.saturating_add(time.unwrap_or(Span::ZERO));
        let frame = Frame { at: now + delay.as_ps(), class, pause };
        let owner = self.shared.setup.network.near_end(port);
        if self.is_mine(owner) {
            self.frame_comes(port, frame);
        } else {
            self.export_frame(port, owner, frame);
        }
    }

    /// A frame is on its way to the owner of `port`.
    pub(crate) fn frame_comes(&mut self, port: u32, frame: Frame) {
        let frames = &mut self.frames[port as usize];
        frames.push_back(frame);
        if frames.len() == 1 {
            let source = self.source_of_frame(port);
            self.wheel.set(source, frame.at);
        }
    }

    /// A frame reaches the owner of `port`.
    pub(crate) fn frame_arrives(&mut self, now: u64, port: u32) {
        let Some(frame) = self.frames[port as usize].pop_front() else { return };
        if let Some(next) = self.frames[port as usize].front() {
            let (source, at) = (self.source_of_frame(port), next.at);
            self.wheel.set(source, at);
        }
        let bit = 1 << frame.class;
        let network = &self.shared.setup.network;
        let owner = network.near_end(port);
        if owner < network.hosts {
            let host = &mut self.hosts[owner as usize];
            if frame.pause {
                host.paused |= bit
            } else {
                host.resume(bit)
            }
            self.work(now, owner);
            return;
        }
        self.need_queue(now, port);
        if let Some(queue) = &mut self.ports[port as usize].queue {
            if frame.pause { queue.paused |= bit } else { queue.paused &= !bit }
        }
        let source = self.source_of_departure(port);
        self.wheel.clear(source);
        self.try_depart(now, port);
    }
}
