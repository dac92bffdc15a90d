//! A packet as links and switches see it, and what it carries between hosts.

use plimsoll_transport::homa::{self, Kind, MessageNumber};
use plimsoll_transport::{AckPacket, DataPacket, Ecn, MessageId, PacketNumber};
use plimsoll_units::{Bytes, Span, Time};

/// No slot of a slab.
pub(crate) const NONE: u32 = u32::MAX;

/// The longest wait of a data packet in a queue that stamps, in 2^[`WAIT_SHIFT`] picoseconds, as the
/// transport reflects it. Of hop records it is their number; they themselves need no reflecting: an ack
/// takes the slot of the packet that it answers, and the records with it.
pub(crate) type LongestWait = u32;

/// What a packet carries between hosts. Switches do not look at it, but for RPM.
///
/// It is the transport's packet with its fields packed into one cache line, because bodies in flight
/// fill more memory than the cache has and each touch of one is waited for.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Body {
    /// Data: where its first byte lies in the stream. Ack: the next byte that is expected.
    position: u64,
    number: u64,
    sent_at: u64,
    /// Data: the message. Ack: which packets have arrived.
    message_or_arrived: u64,
    /// Data: its length. Ack: all bytes that arrived marked.
    length_or_marked: u64,
    /// Ack: from the arrival of the data to its departure.
    receiver_delay: u64,
    pub(crate) connection: u32,
    longest_wait: LongestWait,
    /// Ack: what ECMP hashed of the data.
    pub(crate) label: u16,
    flags: u8,
    hops: u8,
}

const _: () = assert!(size_of::<Body>() == 64);

const FLAG_ENDS_MESSAGE: u8 = 1;
const FLAG_REPEATED: u8 = 1 << 1;
const FLAG_REDUCED: u8 = 1 << 2;
const FLAG_CAPABLE: u8 = 1 << 3;
const FLAG_CIRCUIT: u8 = 1 << 4;
const FLAG_ECHO: u8 = 1 << 5;
const FLAG_REFUSED: u8 = 1 << 6;

/// What kind of packet of HOMA's it is, in bits that its data packets do not use.
const HOMA_KINDS: u8 = 0b1110_0000;
const HOMA_DATA: u8 = 0;
const HOMA_GRANT: u8 = 1 << 5;
const HOMA_RESEND: u8 = 2 << 5;
const HOMA_PROBE: u8 = 3 << 5;
const HOMA_BUSY: u8 = 4 << 5;
const HOMA_DONE: u8 = 5 << 5;
const HOMA_UNKNOWN: u8 = 6 << 5;

#[inline(always)]
fn flag(set: bool, flag: u8) -> u8 {
    u8::from(set) * flag
}

// Inlined always, and written field by field into its slot: a body that goes through the stack is
// written in small pieces and read back in large ones, for which the CPU stalls.
impl Body {
    /// Makes it a data packet that leaves its host.
    #[inline(always)]
    pub(crate) fn set_data<T>(&mut self, connection: u32, data: &DataPacket<T>) {
        self.position = data.offset.get();
        self.number = data.number.0;
        self.sent_at = data.sent_at.as_ps();
        self.message_or_arrived = data.message.0;
        self.length_or_marked = u64::from(data.length);
        self.connection = connection;
        self.flags = flag(data.ends_message, FLAG_ENDS_MESSAGE)
            | flag(data.repeated, FLAG_REPEATED)
            | flag(data.window_reduced, FLAG_REDUCED)
            | flag(data.ecn == Ecn::Capable, FLAG_CAPABLE)
            | flag(data.circuit_up, FLAG_CIRCUIT);
    }

    /// The data packet, with what switches wrote on `packet`.
    #[inline(always)]
    pub(crate) fn data(&self, packet: Landed) -> DataPacket<LongestWait> {
        let has = |flag: u8| self.flags & flag != 0;
        DataPacket {
            number: PacketNumber(self.number),
            offset: Bytes::new(self.position),
            message: MessageId(self.message_or_arrived),
            sent_at: Time::from_ps(self.sent_at),
            length: self.length_or_marked as u32,
            ends_message: has(FLAG_ENDS_MESSAGE),
            repeated: has(FLAG_REPEATED),
            window_reduced: has(FLAG_REDUCED),
            ecn: match (packet.has(Packet::MARKED), has(FLAG_CAPABLE)) {
                (true, _) => Ecn::Marked,
                (false, true) => Ecn::Capable,
                (false, false) => Ecn::NotCapable,
            },
            circuit_up: has(FLAG_CIRCUIT),
            hops: packet.hops,
            telemetry: packet.longest_wait,
        }
    }

    /// Makes it an ack of the same connection.
    #[inline(always)]
    pub(crate) fn set_ack(&mut self, ack: &AckPacket<LongestWait>) {
        self.position = ack.next_expected.get();
        self.number = ack.number.0;
        self.sent_at = ack.echoed_sent_at.as_ps();
        self.message_or_arrived = ack.arrived;
        self.length_or_marked = ack.marked.get();
        self.receiver_delay = ack.receiver_delay.as_ps();
        self.longest_wait = ack.reflected;
        self.flags = flag(ack.congestion_echo, FLAG_ECHO)
            | flag(ack.refused, FLAG_REFUSED)
            | flag(ack.circuit_up, FLAG_CIRCUIT);
        self.hops = ack.hops;
    }

    /// Makes it a packet of HOMA's.
    pub(crate) fn set_homa(&mut self, connection: u32, now: u64, packet: &homa::Packet) {
        let ((position, number, length), level, flags) = match packet.kind {
            Kind::Data(data) => {
                let repeated = flag(data.repeated, FLAG_REPEATED);
                ((data.offset.get(), data.total.get(), u64::from(data.length)), 0, HOMA_DATA | repeated)
            }
            Kind::Grant { to, level } => ((to.get(), 0, 0), level, HOMA_GRANT),
            Kind::Resend { from, to, level } => ((to.get(), from.get(), 0), level, HOMA_RESEND),
            Kind::Probe { total } => ((0, total.get(), 0), 0, HOMA_PROBE),
            Kind::Busy => ((0, 0, 0), 0, HOMA_BUSY),
            Kind::Done => ((0, 0, 0), 0, HOMA_DONE),
            Kind::Unknown => ((0, 0, 0), 0, HOMA_UNKNOWN),
        };
        (self.position, self.number, self.length_or_marked) = (position, number, length);
        (self.sent_at, self.message_or_arrived, self.connection) = (now, packet.message.0, connection);
        // What the packet itself travels at, and what it asks for.
        (self.flags, self.hops) = (flags, packet.level << 4 | level);
    }

    /// The packet of HOMA's.
    pub(crate) fn homa(&self) -> homa::Packet {
        let (position, number) = (Bytes::new(self.position), Bytes::new(self.number));
        let level = self.hops & 0xF;
        let kind = match self.flags & HOMA_KINDS {
            HOMA_DATA => Kind::Data(homa::Data {
                offset: position,
                length: self.length_or_marked as u32,
                total: number,
                repeated: self.flags & FLAG_REPEATED != 0,
            }),
            HOMA_GRANT => Kind::Grant { to: position, level },
            HOMA_RESEND => Kind::Resend { from: number, to: position, level },
            HOMA_PROBE => Kind::Probe { total: number },
            HOMA_BUSY => Kind::Busy,
            HOMA_DONE => Kind::Done,
            _ => Kind::Unknown,
        };
        homa::Packet { message: MessageNumber(self.message_or_arrived), level: self.hops >> 4, kind }
    }

    /// The ack, with what switches wrote on `packet`.
    #[inline(always)]
    pub(crate) fn ack(&self, packet: Landed) -> AckPacket<LongestWait> {
        let has = |flag: u8| self.flags & flag != 0;
        AckPacket {
            next_expected: Bytes::new(self.position),
            number: PacketNumber(self.number),
            arrived: self.message_or_arrived,
            echoed_sent_at: Time::from_ps(self.sent_at),
            receiver_delay: Span::from_ps(self.receiver_delay),
            marked: Bytes::new(self.length_or_marked),
            reverse_delay: wait(packet.longest_wait),
            congestion_echo: has(FLAG_ECHO) || packet.has(Packet::ECHO),
            refused: has(FLAG_REFUSED),
            circuit_up: has(FLAG_CIRCUIT),
            hops: self.hops,
            reflected: self.longest_wait,
        }
    }
}

/// Waits that travel with packets are counted in 2^WAIT_SHIFT picoseconds, so that 32 bits hold 34 ms.
pub(crate) const WAIT_SHIFT: u32 = 3;

/// A wait that travelled with a packet.
pub(crate) fn wait(longest_wait: LongestWait) -> Span {
    Span::from_ps(u64::from(longest_wait) << WAIT_SHIFT)
}

/// A packet in a queue or on a link: what a hop needs, half a cache line. Small, because the memory
/// that packets in flight take is what a run waits for. On its way through a hop it stays in registers:
/// whoever is called out of line gets a [`Load`] or a [`Landed`], because a packet in memory that is
/// changed in one small field and then copied stalls the CPU. Times in picoseconds.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Packet {
    /// When it reaches the far end of the link that it waits for or is on; of a packet in a
    /// [`Queue`](crate::queue::Queue), when it joined.
    pub(crate) arrive: u64,
    /// When it joined this port's queue, in 48 bits, above the 16 bits of its entry.
    pub(crate) joined_and_entry: u64,
    /// Slot of its [`Body`], and of its hop records.
    pub(crate) body: u32,
    /// Its longest wait in a queue that stamps.
    pub(crate) longest_wait: LongestWait,
    /// The host it goes to.
    pub(crate) to: u16,
    /// What ECMP hashes.
    pub(crate) label: u16,
    /// Bytes on the wire.
    pub(crate) size: u16,
    /// Switches passed.
    pub(crate) hops: u8,
    /// See the constants; the top three bits are the class.
    pub(crate) flags: u8,
}

/// What a buffer must know of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) size: u16,
    pub(crate) entry: u16,
    pub(crate) class: u8,
}

/// A packet at its host: what the way has left of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landed {
    pub(crate) body: u32,
    pub(crate) longest_wait: LongestWait,
    pub(crate) label: u16,
    pub(crate) hops: u8,
    pub(crate) flags: u8,
}

impl Landed {
    #[inline(always)]
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Hosts are numbered in 16 bits.
pub(crate) const MOST_HOSTS: u32 = 1 << 16;

impl Packet {
    /// An acknowledgement.
    pub(crate) const ACK: u8 = 1;
    /// Switches may mark it.
    pub(crate) const ECN_CAPABLE: u8 = 1 << 1;
    /// A switch marked it.
    pub(crate) const MARKED: u8 = 1 << 2;
    /// A switch set the echo of congestion (RPM).
    pub(crate) const ECHO: u8 = 1 << 3;
    const CLASS_SHIFT: u32 = 5;

    pub(crate) const EMPTY: Self = Self {
        arrive: 0,
        joined_and_entry: 0,
        body: NONE,
        longest_wait: 0,
        to: 0,
        label: 0,
        size: 0,
        hops: 0,
        flags: 0,
    };

    /// How long it has waited in this port's queue at `time`, if that is not more than 281 seconds.
    #[inline(always)]
    pub(crate) fn wait_until(&self, time: u64) -> u64 {
        (time << 16).wrapping_sub(self.joined_and_entry & !0xFFFF) >> 16
    }

    /// Whether it joined this port's queue before `time`, which is less than 140 seconds away.
    #[inline(always)]
    pub(crate) fn joined_before(&self, time: u64) -> bool {
        ((self.joined_and_entry & !0xFFFF).wrapping_sub(time << 16) as i64) < 0
    }

    /// It joins this port's queue.
    #[inline(always)]
    pub(crate) fn set_joined(&mut self, now: u64) {
        self.joined_and_entry = now << 16 | self.joined_and_entry & 0xFFFF;
    }

    /// Sets through which of its ports it came into the switch where it is.
    #[inline(always)]
    pub(crate) fn set_entry(&mut self, entry: u16) {
        self.joined_and_entry = self.joined_and_entry & !0xFFFF | u64::from(entry);
    }

    #[inline(always)]
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    #[inline(always)]
    pub(crate) fn class(&self) -> usize {
        usize::from(self.flags >> Self::CLASS_SHIFT)
    }

    /// How many switches wrote a hop record. Where they do, nobody writes longest waits.
    #[inline(always)]
    pub(crate) fn records(&self) -> usize {
        self.longest_wait as usize
    }

    /// A switch writes a hop record.
    #[inline(always)]
    pub(crate) fn add_record(&mut self) {
        self.longest_wait += 1;
    }

    /// What a buffer must know of it.
    #[inline(always)]
    pub(crate) fn load(&self) -> Load {
        Load { size: self.size, entry: self.joined_and_entry as u16, class: self.flags >> Self::CLASS_SHIFT }
    }

    /// What its host must know of it.
    #[inline(always)]
    pub(crate) fn landed(&self) -> Landed {
        Landed {
            body: self.body,
            longest_wait: self.longest_wait,
            label: self.label,
            hops: self.hops,
            flags: self.flags,
        }
    }

    /// The flags of a packet of this class.
    pub(crate) fn of_class(class: u8) -> u8 {
        class << Self::CLASS_SHIFT
    }
}

const _: () = assert!(size_of::<Packet>() == 32);
