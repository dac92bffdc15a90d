//! How fast could it be? A loop that forwards packets and does nothing else.
//!
//! The yardstick of `plimsoll bench`: 320 hosts under a three-layer fat-tree, each sending to one other with a
//! fixed window and an ack per packet. No law, no telemetry, no buffers, nothing recorded. It has what no
//! simulator of this kind can be without: one event per packet-hop, a queue of events, packets that are read and
//! written at every hop. As in the engine, a packet's departure is known when it joins a port, so that only the
//! head of each port has a place in the event wheel.
//!
//! What is called at every hop is inlined by force, which makes the loop a fifth faster: a yardstick must not
//! flatter. A machine that is busy with other things slows this loop and the engine alike; their ratio stays.

use plimsoll_units::Time;

const PODS: usize = 5;
const RACKS_PER_POD: usize = 4;
const AGGREGATIONS_PER_POD: usize = 4;
const CORES_PER_AGGREGATION: usize = 4;
const HOSTS_PER_RACK: usize = 16;
/// Hosts of the network.
pub const HOSTS: usize = PODS * RACKS_PER_POD * HOSTS_PER_RACK;

/// Picoseconds per byte at 100 and at 400 Gb/s.
const HOST_LINK: u32 = 80;
const FABRIC_LINK: u32 = 20;
/// 1 µs in picoseconds.
const DELAY: u64 = 1_000_000;
const DATA_BYTES: u32 = 1_048;
const ACK_BYTES: u32 = 64;

/// Packets that fit into a port's ring; a power of two. Windows are far smaller.
const RING: u32 = 512;
/// The largest window for which no ring can overflow: twelve flows may share a port, and no more do (a test counts).
pub const LARGEST_WINDOW: u32 = 40;

/// A packet on a link: 16 bytes, so that four share a line of the cache.
#[derive(Clone, Copy, Default)]
struct Packet {
    arrives: u64,
    flow: u32,
    bits: u32,
}

const _: () = assert!(size_of::<Packet>() == 16);

/// What the bits of a packet say: 4 bits for the hop, 1 for acks, 12 for the size, 15 for the longest wait.
#[derive(Clone, Copy)]
struct Label {
    hop: u32,
    ack: u32,
    size: u32,
    /// In 2^18 ps, about a quarter of a microsecond.
    longest_wait: u32,
}

impl Label {
    const DATA: Self = Self { hop: 0, ack: 0, size: DATA_BYTES, longest_wait: 0 };

    #[inline(always)]
    fn unpack(bits: u32) -> Self {
        Self { hop: bits & 15, ack: bits >> 4 & 1, size: bits >> 5 & 4_095, longest_wait: bits >> 17 }
    }

    #[inline(always)]
    fn pack(self) -> u32 {
        self.hop | self.ack << 4 | self.size << 5 | self.longest_wait << 17
    }
}

/// A queue and its link: a ring of packets that are under way. Two fill a line of the cache, and none lies in two.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Port {
    free_at: u64,
    ps_per_byte: u32,
    first: u32,
    packets: u32,
    ring: u32,
}

/// The way of a flow and back: ports of the data, and from the eighth on those of the acks. A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Path([u32; 16]);

/// The loop with its network.
pub struct BareLoop {
    ports: Vec<Port>,
    rings: Vec<Packet>,
    paths: Vec<Path>,
    /// Links of each flow, one way.
    hops: Vec<u8>,
    wheel: Wheel,
    /// What was done so far.
    pub done: Done,
}

/// What the loop did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// Packets that reached the far end of a link.
    pub packet_hops: u64,
    /// Acks that reached their senders.
    pub acks: u64,
    /// Simulated time.
    pub now: Time,
    /// A number that depends on every ack, so that no compiler leaves work out.
    pub signal: f64,
}

impl BareLoop {
    /// The first `flows` hosts send, each with this window of packets, at most [`LARGEST_WINDOW`].
    #[must_use]
    pub fn new(flows: usize, window: u32) -> Self {
        let (ports, paths, hops) = network(flows.min(HOSTS));
        let rings = vec![Packet::default(); ports.len() * RING as usize];
        let wheel = Wheel::new(ports.len());
        let done = Done { packet_hops: 0, acks: 0, now: Time::ZERO, signal: 0.0 };
        let mut bare = Self { ports, rings, paths, hops, wheel, done };
        for flow in 0..bare.paths.len() as u32 {
            for _ in 0..window.min(LARGEST_WINDOW) {
                bare.send(0, flow, Label::DATA);
            }
        }
        bare
    }

    /// Runs until there have been this many packet-hops in all.
    pub fn run(&mut self, packet_hops: u64) {
        let mut last = self.done.now.as_ps();
        let mut hops = self.done.packet_hops;
        while hops < packet_hops {
            let Some((now, port)) = self.wheel.pop() else { break };
            self.arrive(now, port);
            last = now;
            hops += 1;
        }
        self.done.packet_hops = hops;
        self.done.now = Time::from_ps(last);
    }

    #[inline(always)]
    fn arrive(&mut self, now: u64, number: u32) {
        let port = &mut self.ports[number as usize];
        let packet = self.rings[(port.ring + port.first) as usize];
        port.first = (port.first + 1) & (RING - 1);
        port.packets -= 1;
        if port.packets > 0 {
            self.wheel.push(self.rings[(port.ring + port.first) as usize].arrives, number);
        }
        let label = Label::unpack(packet.bits);
        let hop = label.hop + 1;
        if hop < u32::from(self.hops[packet.flow as usize]) {
            self.send(now, packet.flow, Label { hop, ..label });
        } else if label.ack == 0 {
            self.send(now, packet.flow, Label { hop: 0, ack: 1, size: ACK_BYTES, ..label });
        } else {
            self.done.acks += 1;
            // What the cheapest of laws would compute.
            self.done.signal += libm::exp(-f64::from(label.longest_wait) * 1e-3);
            self.send(now, packet.flow, Label::DATA);
        }
    }

    /// Puts a packet into the port of its next hop.
    #[inline(always)]
    fn send(&mut self, now: u64, flow: u32, label: Label) {
        let number = self.paths[flow as usize].0[(label.ack * 8 + label.hop) as usize];
        let port = &mut self.ports[number as usize];
        let begins = port.free_at.max(now);
        port.free_at = begins + u64::from(label.size * port.ps_per_byte);
        let wait = ((begins - now) >> 18).min(32_767) as u32;
        let arrives = port.free_at + DELAY;
        let label = Label { longest_wait: label.longest_wait.max(wait), ..label };
        let place = port.ring + ((port.first + port.packets) & (RING - 1));
        self.rings[place as usize] = Packet { arrives, flow, bits: label.pack() };
        port.packets += 1;
        if port.packets == 1 {
            self.wheel.push(arrives, number);
        }
    }
}

/// Ports in layers, numbered as they are made, and a way through them for each flow.
fn network(flows: usize) -> (Vec<Port>, Vec<Path>, Vec<u8>) {
    let mut ports = Vec::new();
    let mut layer = |count: usize, ps_per_byte: u32| {
        let begin = ports.len();
        let ring = |index: usize| (begin + index) as u32 * RING;
        let port = |index| Port { free_at: 0, ps_per_byte, first: 0, packets: 0, ring: ring(index) };
        ports.extend((0..count).map(port));
        begin
    };
    let racks = PODS * RACKS_PER_POD;
    let up = [
        layer(HOSTS, HOST_LINK),
        layer(racks * AGGREGATIONS_PER_POD, FABRIC_LINK),
        layer(PODS * AGGREGATIONS_PER_POD * CORES_PER_AGGREGATION, FABRIC_LINK),
    ];
    let down = [
        layer(HOSTS, HOST_LINK),
        layer(racks * AGGREGATIONS_PER_POD, FABRIC_LINK),
        layer(PODS * AGGREGATIONS_PER_POD * CORES_PER_AGGREGATION, FABRIC_LINK),
    ];
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let paths = (0..flows).map(|from| {
        let to = (from + HOSTS / 2 + 7) % HOSTS;
        // Xorshift: which aggregation switch and which core the flow takes.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let choice = (random as usize % AGGREGATIONS_PER_POD, (random >> 8) as usize % CORES_PER_AGGREGATION);
        let mut ports = [0; 16];
        let forth = way(&up, &down, from, to, choice);
        let back = way(&up, &down, to, from, choice);
        for (place, port) in
            forth.iter().enumerate().chain(back.iter().enumerate().map(|(hop, port)| (8 + hop, port)))
        {
            ports[place] = *port;
        }
        (Path(ports), forth.len() as u8)
    });
    let (paths, hops) = paths.unzip();
    (ports, paths, hops)
}

/// The ports from one host to another: only as far up as it must be.
fn way(
    up: &[usize; 3],
    down: &[usize; 3],
    from: usize,
    to: usize,
    (aggregation, core): (usize, usize),
) -> Vec<u32> {
    let racks = [from / HOSTS_PER_RACK, to / HOSTS_PER_RACK];
    let pods = racks.map(|rack| rack / RACKS_PER_POD);
    let rack_port = |rack: usize| rack * AGGREGATIONS_PER_POD + aggregation;
    let core_port = |pod: usize| (pod * AGGREGATIONS_PER_POD + aggregation) * CORES_PER_AGGREGATION + core;
    let mut ports = vec![up[0] + from];
    if racks[0] != racks[1] {
        ports.push(up[1] + rack_port(racks[0]));
        if pods[0] != pods[1] {
            ports.push(up[2] + core_port(pods[0]));
            ports.push(down[2] + core_port(pods[1]));
        }
        ports.push(down[1] + rack_port(racks[1]));
    }
    ports.push(down[0] + to);
    ports.into_iter().map(|port| port as u32).collect()
}

/// Buckets of 32 ps, as many as make 2 µs: no event lies further ahead than a delay and a few packets.
const BUCKET_BITS: u32 = 5;
const BUCKETS: usize = 1 << 16;
const NONE: u32 = u32::MAX;

/// Events by time, one per port at most; each bucket is a sorted list.
struct Wheel {
    first: Vec<u32>,
    next: Vec<u32>,
    time: Vec<u64>,
    occupied: Vec<u64>,
    /// The bucket, counted from time zero, before which there is nothing.
    current: u64,
    events: usize,
}

impl Wheel {
    fn new(ports: usize) -> Self {
        Self {
            first: vec![NONE; BUCKETS],
            next: vec![NONE; ports],
            time: vec![0; ports],
            occupied: vec![0; BUCKETS / 64],
            current: 0,
            events: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, time: u64, port: u32) {
        let bucket = (time >> BUCKET_BITS) as usize & (BUCKETS - 1);
        self.time[port as usize] = time;
        let mut before = NONE;
        let mut after = self.first[bucket];
        while after != NONE && self.time[after as usize] <= time {
            (before, after) = (after, self.next[after as usize]);
        }
        self.next[port as usize] = after;
        match before {
            NONE => self.first[bucket] = port,
            before => self.next[before as usize] = port,
        }
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.events += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(u64, u32)> {
        if self.events == 0 {
            return None;
        }
        self.current = self.first_occupied();
        let bucket = self.current as usize & (BUCKETS - 1);
        let port = self.first[bucket];
        let after = self.next[port as usize];
        self.first[bucket] = after;
        if after == NONE {
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        }
        self.events -= 1;
        Some((self.time[port as usize], port))
    }

    /// The first bucket with an event, from the current one on; there is one.
    #[inline(always)]
    fn first_occupied(&self) -> u64 {
        let start = self.current as usize & (BUCKETS - 1);
        let here = self.occupied[start / 64] >> (start % 64);
        if here != 0 {
            return self.current + u64::from(here.trailing_zeros());
        }
        let mut word = start / 64;
        let mut bucket = self.current + 64 - (start % 64) as u64;
        loop {
            word = (word + 1) & (BUCKETS / 64 - 1);
            if self.occupied[word] != 0 {
                return bucket + u64::from(self.occupied[word].trailing_zeros());
            }
            bucket += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Host 0 in pod 0 sends to host 167 in rack 10, pod 2: six links each way. Data takes 1048 B · 80 ps on both
    /// host links and 1048 B · 20 ps on four others: 167.68 + 83.84 ns; an ack of 64 B takes 10.24 + 5.12 ns; twelve
    /// delays of 1 µs: 12,266.88 ns per round trip.
    #[test]
    fn a_window_of_one_packet_makes_a_round_trip_in_the_time_of_its_links() {
        let mut bare = BareLoop::new(1, 1);
        bare.run(120);
        assert_eq!((bare.done.acks, bare.done.now), (10, Time::from_ps(10 * 12_266_880)));
    }

    /// With 40 packets the first link is the narrowest, so that acks come every 83.84 ns: from the first, 12,266.88 ns
    /// after the start, to the fortieth.
    #[test]
    fn a_larger_window_is_paced_by_the_hosts_link() {
        let mut bare = BareLoop::new(1, 40);
        while bare.done.acks < 40 {
            bare.run(bare.done.packet_hops + 1);
        }
        assert_eq!(bare.done.now, Time::from_ps(12_266_880 + 39 * 83_840));
    }

    /// Every packet in flight stays in flight: windows are conserved, and no ring overflows.
    #[test]
    fn all_windows_stay_whole() {
        let mut bare = BareLoop::new(HOSTS, LARGEST_WINDOW);
        bare.run(2_000_000);
        let packets: u32 = bare.ports.iter().map(|port| port.packets).sum();
        assert_eq!(packets, HOSTS as u32 * LARGEST_WINDOW);
        assert!(bare.ports.iter().all(|port| port.packets < RING));
    }
}
