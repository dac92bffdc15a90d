//! A packet as links and switches see it.

use plimsoll_transport::{AckPacket, DataPacket};

/// No slot of a slab.
pub(crate) const NONE: u32 = u32::MAX;

/// What switches wrote on a data packet, as the transport reflects it: where the records lie, and
/// the longest wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) slot: u32,
    pub(crate) longest_wait: u32,
}

impl Default for Written {
    fn default() -> Self {
        Self { slot: NONE, longest_wait: 0 }
    }
}

/// What a packet carries between hosts. Switches do not look at it (but for RPM's flow number).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Data(DataPacket<Written>),
    Ack(AckPacket<Written>),
}

/// A packet's content and the connection that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) connection: u32,
    pub(crate) content: Content,
}

/// Waits that travel with packets are counted in 2^WAIT_SHIFT picoseconds, so that 32 bits hold 34 ms.
pub(crate) const WAIT_SHIFT: u32 = 3;

/// A packet in a queue or on a link: what a hop needs. Small, because the memory that packets in
/// flight take is what a run waits for. Times in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// When it reaches the far end of the link that it waits for or is on.
    pub(crate) arrive: u64,
    /// When it joined this port's queue.
    pub(crate) enqueued: u64,
    /// Slot of its [`Body`], and of its hop records.
    pub(crate) body: u32,
    /// The host it goes to.
    pub(crate) to: u32,
    /// What ECMP hashes.
    pub(crate) label: u32,
    /// Its longest wait in a queue that stamps, in 2^[`WAIT_SHIFT`] picoseconds.
    pub(crate) longest_wait: u32,
    /// The port through which it came into the switch that it waits in.
    pub(crate) ingress: u32,
    /// Bytes on the wire.
    pub(crate) size: u16,
    /// Switches passed.
    pub(crate) hops: u8,
    /// See the constants; the top three bits are the class.
    pub(crate) flags: u8,
}

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
        enqueued: 0,
        body: NONE,
        to: 0,
        label: 0,
        longest_wait: 0,
        ingress: NONE,
        size: 0,
        hops: 0,
        flags: 0,
    };

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn class(&self) -> usize {
        usize::from(self.flags >> Self::CLASS_SHIFT)
    }

    /// The flags of a packet of this class.
    pub(crate) fn of_class(class: u8) -> u8 {
        class << Self::CLASS_SHIFT
    }
}

const _: () = assert!(size_of::<Packet>() == 40);
