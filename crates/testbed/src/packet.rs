//! A frame that passes the switch: where it goes, and what the switch may write on it.
//!
//! Everything here is offsets into foreign bytes: each access is checked, and whatever is no IPv4 packet for one of
//! our hosts is not touched.

use plimsoll_cc::rpm::FiveTuple;
use plimsoll_wire::telemetry::TelemetryKind;
use std::net::{IpAddr, Ipv4Addr};

/// The UDP port of receivers whose packets gather no telemetry; the next three are those of the other kinds.
pub const FIRST_PORT: u16 = 50_000;
/// The hop limit with which hosts send.
pub const HOP_LIMIT: u8 = 64;

const ETHERNET: usize = 14;
const TYPE_IPV4: [u8; 2] = [0x08, 0x00];
const UDP: u8 = 17;
const TCP: u8 = 6;
/// The echo of congestion in TCP's flags (RFC 3168).
const ECE: u8 = 0x40;
const TCP_ACK: u8 = 0x10;

/// What a switch must know of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Who sent the packet.
    pub source: Ipv4Addr,
    /// Where it goes.
    pub destination: Ipv4Addr,
    /// What it is.
    pub content: Content,
    /// Where the bytes behind the IP header begin.
    inner: usize,
    protocol: u8,
    ports: (u16, u16),
}

/// What a packet is to a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Data of our transport, which gathers this.
    Data(TelemetryKind),
    /// An ack of our transport to such data.
    Ack(TelemetryKind),
    /// TCP with the ACK flag: data, an ack, or both.
    Tcp,
    /// Anything else.
    Other,
}

impl Header {
    /// Reads a frame's headers; `None` if it is no whole IPv4 packet without options.
    #[must_use]
    pub fn of(frame: &[u8]) -> Option<Self> {
        let ip = frame.get(ETHERNET..ETHERNET + 20)?;
        let length = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
        let whole = frame.get(12..14)? == TYPE_IPV4
            && ip[0] == 0x45
            && (20..=frame.len() - ETHERNET).contains(&length)
            // Neither a later fragment nor one that more follow.
            && u16::from_be_bytes([ip[6], ip[7]]) & 0x3FFF == 0;
        if !whole {
            return None;
        }
        let address = |at: usize| Ipv4Addr::new(ip[at], ip[at + 1], ip[at + 2], ip[at + 3]);
        let inner = ETHERNET + 20;
        let port = |at: usize| {
            let bytes = frame.get(inner + at..inner + at + 2)?;
            Some(u16::from_be_bytes([bytes[0], bytes[1]]))
        };
        let ports = (port(0).unwrap_or(0), port(2).unwrap_or(0));
        let content = match ip[9] {
            UDP => match (kind(ports.0), kind(ports.1)) {
                (_, Some(kind)) => Content::Data(kind),
                (Some(kind), None) => Content::Ack(kind),
                _ => Content::Other,
            },
            TCP if frame.get(inner + 13).is_some_and(|flags| flags & TCP_ACK != 0) => Content::Tcp,
            _ => Content::Other,
        };
        Some(Self { source: address(12), destination: address(16), content, inner, protocol: ip[9], ports })
    }

    /// What hashes and registers look at.
    #[must_use]
    pub fn tuple(&self) -> FiveTuple {
        FiveTuple {
            source: IpAddr::V4(self.source),
            destination: IpAddr::V4(self.destination),
            protocol: self.protocol,
            source_port: self.ports.0,
            destination_port: self.ports.1,
        }
    }

    /// The telemetry that data or acks carry in front of the transport's header.
    #[must_use]
    pub fn gathers(&self) -> TelemetryKind {
        match self.content {
            Content::Data(kind) => kind,
            // Acks gather their own longest wait; records of their way nobody reads.
            Content::Ack(TelemetryKind::MaxHopDelay) => TelemetryKind::MaxHopDelay,
            _ => TelemetryKind::None,
        }
    }

    /// Puts a frame's transport checksum in order, as a card would: TCP's is worked out, UDP's is left out (RFC 768
    /// allows it over IPv4; our transport's header has one of its own).
    pub fn complete(&self, frame: &mut [u8]) {
        match self.protocol {
            UDP => {
                self.behind_udp(frame);
            }
            TCP => self.sum_tcp(frame),
            _ => {}
        }
    }

    fn sum_tcp(&self, frame: &mut [u8]) {
        let Some(&[high, low]) = frame.get(ETHERNET + 2..ETHERNET + 4) else { return };
        let end = ETHERNET + usize::from(u16::from_be_bytes([high, low]));
        let Some(segment) = frame.get_mut(self.inner..end).filter(|segment| segment.len() >= 20) else {
            return;
        };
        segment[16..18].fill(0);
        // The pseudo header: addresses, protocol, length.
        let mut total = u64::from(TCP) + segment.len() as u64;
        for address in [self.source, self.destination] {
            total += u64::from(address.to_bits() >> 16) + u64::from(address.to_bits() & 0xFFFF);
        }
        for pair in segment.chunks(2) {
            total += u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0));
        }
        while total > 0xFFFF {
            total = (total & 0xFFFF) + (total >> 16);
        }
        segment[16..18].copy_from_slice(&(!(total as u16)).to_be_bytes());
    }

    /// The bytes behind the UDP header. The switch is about to rewrite them, so the packet has no UDP checksum from
    /// now on (RFC 768 allows it over IPv4); the transport's header has one of its own.
    pub fn behind_udp<'f>(&self, frame: &'f mut [u8]) -> &'f mut [u8] {
        if let Some(sum) = frame.get_mut(self.inner + 6..self.inner + 8) {
            sum.fill(0);
        }
        frame.get_mut(self.inner + 8..).unwrap_or_default()
    }

    /// Sets the echo of congestion of TCP.
    pub fn set_tcp_echo(&self, frame: &mut [u8]) {
        // The flags are the low byte of the 16-bit word at 12.
        let at = self.inner + 12;
        let Some(&[high, low]) = frame.get(at..at + 2) else { return };
        self.replace(frame, at, [high, low | ECE], self.inner + 16);
    }

    /// Changes a 16-bit word and the checksum at `sum` with it (RFC 1624).
    fn replace(&self, frame: &mut [u8], at: usize, new: [u8; 2], sum: usize) {
        let (Some(&[a, b]), Some(&[c, d])) = (frame.get(at..at + 2), frame.get(sum..sum + 2)) else { return };
        let word = |bytes| u32::from(u16::from_be_bytes(bytes));
        // HC' = ~(~HC + ~m + m')
        let mut total = (!word([c, d]) & 0xFFFF) + (!word([a, b]) & 0xFFFF) + word(new);
        while total > 0xFFFF {
            total = (total & 0xFFFF) + (total >> 16);
        }
        let total = (!(total as u16)).to_be_bytes();
        if let Some(place) = frame.get_mut(at..at + 2) {
            place.copy_from_slice(&new);
        }
        if let Some(place) = frame.get_mut(sum..sum + 2) {
            place.copy_from_slice(&total);
        }
    }

    /// Counts a hop; `false` if the packet has none left.
    pub fn count_hop(&self, frame: &mut [u8]) -> bool {
        let at = ETHERNET + 8;
        let Some(&[limit, protocol]) = frame.get(at..at + 2) else { return false };
        if limit <= 1 {
            return false;
        }
        self.replace(frame, at, [limit - 1, protocol], ETHERNET + 10);
        true
    }

    /// Whether switches may mark it.
    #[must_use]
    pub fn may_be_marked(&self, frame: &[u8]) -> bool {
        frame.get(ETHERNET + 1).is_some_and(|class| class & 0b11 != 0)
    }

    /// Marks it: congestion experienced.
    pub fn mark(&self, frame: &mut [u8]) {
        let Some(&[version, class]) = frame.get(ETHERNET..ETHERNET + 2) else { return };
        self.replace(frame, ETHERNET, [version, class | 0b11], ETHERNET + 10);
    }
}

/// The telemetry that this port stands for.
fn kind(port: u16) -> Option<TelemetryKind> {
    let number = u8::try_from(port.checked_sub(FIRST_PORT)?).ok()?;
    TelemetryKind::from_number(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::{Rounding, Span};
    use plimsoll_wire::frame::{EcnField, Frame, HEADER_SIZE};
    use plimsoll_wire::max_hop_delay::MaxHopDelay;
    use proptest::prelude::*;

    fn frame(ecn: EcnField) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_SIZE + 60];
        bytes[HEADER_SIZE + 2..].iter_mut().zip(1..).for_each(|(place, byte)| *place = byte);
        let frame = Frame {
            source: [10, 0, 0, 1],
            destination: [10, 0, 0, 2],
            source_port: 0xE000,
            destination_port: FIRST_PORT + 1,
            ecn,
            hop_limit: 3,
            ..Frame::default()
        };
        frame.encode(60, &mut bytes).unwrap();
        bytes
    }

    /// The wire's own reader, which nobody here wrote for this, checks the sums.
    #[test]
    fn what_a_switch_writes_leaves_right_checksums() {
        let mut bytes = frame(EcnField::Capable);
        let header = Header::of(&bytes).unwrap();
        assert_eq!(header.content, Content::Data(TelemetryKind::MaxHopDelay));
        assert!(header.may_be_marked(&bytes));
        header.mark(&mut bytes);
        assert!(header.count_hop(&mut bytes));
        let (read, ..) = Frame::parse(&bytes).unwrap();
        assert_eq!((read.ecn, read.hop_limit), (EcnField::Marked, 2));
        let behind = header.behind_udp(&mut bytes);
        MaxHopDelay::update_in_place(behind, Span::from_us(3), Rounding::Down).unwrap();
        assert_eq!(bytes[40..42], [0, 0], "without a UDP checksum");
        assert_eq!(bytes[42..44], 11_u16.to_be_bytes(), "3 µs are 11 whole steps of 256 ns");
        assert!(header.count_hop(&mut bytes) && !header.count_hop(&mut bytes), "the last hop is not counted");
    }

    #[test]
    fn acks_go_the_other_way() {
        let mut bytes = frame(EcnField::NotCapable);
        let (source, destination) = (bytes[34..36].to_vec(), bytes[36..38].to_vec());
        bytes[34..36].copy_from_slice(&destination);
        bytes[36..38].copy_from_slice(&source);
        let header = Header::of(&bytes).unwrap();
        assert_eq!(header.content, Content::Ack(TelemetryKind::MaxHopDelay));
        assert!(!header.may_be_marked(&bytes));
    }

    /// The same segment with the pseudo header: 10.0 + 0.1 + 10.0 + 0.2 = 0x0A00 + 1 + 0x0A00 + 2 = 0x1403; protocol 6 and
    /// length 68 are 0x4A; with the segment's 0x5013: 0x1403 + 0x4A + 0x5013 = 0x6460.
    #[test]
    fn a_card_that_is_not_there_completes_tcps_checksum() {
        let mut bytes = frame(EcnField::NotCapable);
        bytes[23] = TCP;
        bytes[34..].fill(0);
        bytes[35] = 1;
        bytes[37] = 2;
        bytes[46..48].copy_from_slice(&[0x50, 0x10]);
        bytes[50..52].copy_from_slice(&[0xAB, 0xCD]);
        Header::of(&bytes).unwrap().complete(&mut bytes);
        assert_eq!(bytes[50..52], (!0x6460_u16).to_be_bytes());
    }

    /// A segment whose checksum is worked out by hand: source port 1, destination port 2, everything else zero but
    /// the data offset 5 and ACK (0x5010): 1 + 2 + 0x5010 = 0x5013, and with ECE 0x5053.
    #[test]
    fn an_echo_changes_tcps_flags_and_its_checksum() {
        let mut bytes = frame(EcnField::NotCapable);
        bytes[23] = TCP;
        bytes[34..].fill(0);
        bytes[35] = 1;
        bytes[37] = 2;
        bytes[46..48].copy_from_slice(&[0x50, 0x10]);
        bytes[50..52].copy_from_slice(&(!0x5013_u16).to_be_bytes());
        let header = Header::of(&bytes).unwrap();
        assert_eq!(header.content, Content::Tcp);
        header.set_tcp_echo(&mut bytes);
        assert_eq!(bytes[46..48], [0x50, 0x50]);
        assert_eq!(bytes[50..52], (!0x5053_u16).to_be_bytes());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), lead in any::<bool>()) {
            if lead && bytes.len() > 24 {
                bytes[12..15].copy_from_slice(&[8, 0, 0x45]);
                let length = (bytes.len() - ETHERNET) as u16;
                bytes[16..18].copy_from_slice(&length.to_be_bytes());
                bytes[20..22].fill(0);
            }
            if let Some(header) = Header::of(&bytes) {
                header.mark(&mut bytes);
                header.count_hop(&mut bytes);
                header.set_tcp_echo(&mut bytes);
                let _ = header.behind_udp(&mut bytes).len();
                header.complete(&mut bytes);
                let _ = (header.tuple(), header.gathers(), header.may_be_marked(&bytes));
            }
        }
    }
}
