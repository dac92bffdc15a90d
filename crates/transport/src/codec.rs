//! Real packets: how [`DataPacket`] and [`AckPacket`] lie in the bytes behind a UDP header.
//!
//! | in memory | on the wire |
//! |---|---|
//! | `number`, `offset`, `message`, `sent_at`, flags, an ack's `hops` | the header of `plimsoll_wire::header` |
//! | a data packet's `ecn`, `hops` | the IP header, which the host reads: [`Seen`] |
//! | data `circuit_up`, ack `congestion_echo` | flags of the header that switches may set, outside its checksum |
//! | data `telemetry`, ack `reverse_delay` | in front of the header, where switches write |
//! | `reflected` | behind the ack's header |
//! | `arrived` | up to four ranges of bytes, the newest first |
//!
//! Four ranges can say less than 64 bits, never more: a packet that is left out may be sent twice
//! and is not lost.

use crate::gathered::{BUFFER, Gathered};
use crate::packet::{AckPacket, DataPacket, Ecn, MessageId, PacketNumber};
use crate::receiver::Receiver;
use crate::sender::Sender;
use core::fmt;
use plimsoll_cc::CongestionControl;
use plimsoll_units::Span;
use plimsoll_wire::header::{self, Ack, AckView, ConnectionId, Data, DataFlags, DataView};
use plimsoll_wire::telemetry::{Telemetry, TelemetryKind};
use plimsoll_wire::{WireError, header::ByteRange};

/// What both ends agree on when they connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Which connection.
    pub connection: ConnectionId,
    /// What data packets gather.
    pub telemetry: TelemetryKind,
}

/// What the receiving host reads off the IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The congestion field.
    pub ecn: Ecn,
    /// Switches passed: the agreed first hop limit less the one that arrived.
    pub hops: u8,
}

/// Why bytes were not written or not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecError {
    /// The wire's own rules were broken, e.g. by damage on the way.
    Wire(WireError),
    /// The payload handed over is not the one that the packet describes.
    Payload {
        /// Bytes that the packet says it has.
        described: u32,
        /// Bytes handed over.
        found: usize,
    },
    /// The packet is another connection's.
    Connection {
        /// Its connection.
        found: ConnectionId,
        /// This connection.
        expected: ConnectionId,
    },
}

impl From<WireError> for CodecError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(error) => error.fmt(f),
            Self::Payload { described, found } => {
                write!(f, "the packet describes {described} bytes of payload, {found} were handed over")
            }
            Self::Connection { found, expected } => {
                write!(f, "the packet is of connection {}, not {}", found.0, expected.0)
            }
        }
    }
}

impl core::error::Error for CodecError {}

impl Channel {
    /// Writes a data packet with its payload and room for telemetry; gives the bytes written.
    ///
    /// # Errors
    /// If `payload` is not as long as the packet says, or `output` is too short.
    pub fn encode_data<T>(
        &self,
        packet: &DataPacket<T>,
        payload: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        if payload.len() as u64 != u64::from(packet.length) {
            return Err(CodecError::Payload { described: packet.length, found: payload.len() });
        }
        let front = self.telemetry.start_travelling(output)?;
        let data = Data {
            connection: self.connection,
            packet: header::PacketNumber(packet.number.0),
            offset: packet.offset,
            message: header::MessageId(packet.message.0),
            sent_at: packet.sent_at,
            flags: DataFlags {
                congestion_window_reduced: packet.window_reduced,
                end_of_message: packet.ends_message,
                end_of_stream: false,
                retransmission: packet.repeated,
                circuit_up: packet.circuit_up,
            },
            payload,
        };
        // `start_travelling` wrote as many bytes as it says.
        let size = data.encode(output.get_mut(front..).unwrap_or_default())?;
        Ok(front + size)
    }

    /// Reads a data packet; gives it and its payload.
    ///
    /// # Errors
    /// If the bytes are damaged, or another connection's.
    pub fn decode_data<'a>(
        &self,
        bytes: &'a [u8],
        seen: Seen,
    ) -> Result<(DataPacket<Gathered>, &'a [u8]), CodecError> {
        let (telemetry, rest) = self.telemetry.parse_travelling(bytes)?;
        let data = DataView::parse(rest)?.to_data();
        self.check(data.connection)?;
        let packet = DataPacket {
            number: PacketNumber(data.packet.0),
            offset: data.offset,
            message: MessageId(data.message.0),
            sent_at: data.sent_at,
            // The wire's length has 16 bits.
            length: data.payload.len() as u32,
            ends_message: data.flags.end_of_message,
            repeated: data.flags.retransmission,
            window_reduced: data.flags.congestion_window_reduced,
            ecn: seen.ecn,
            circuit_up: data.flags.circuit_up,
            hops: seen.hops,
            telemetry: telemetry.into(),
        };
        Ok((packet, data.payload))
    }

    /// Writes an ack that `receiver` has just given; gives the bytes written.
    ///
    /// # Errors
    /// If `output` is too short.
    pub fn encode_ack(
        &self,
        ack: &AckPacket<Gathered>,
        receiver: &Receiver<Gathered>,
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        let front = self.ack_telemetry().start_travelling(output)?;
        let mut ranges = [ByteRange::default(); header::MAX_RANGES];
        let count = receiver.arrived_ranges(ack, &mut ranges);
        let mut buffer = BUFFER;
        let wire = Ack {
            connection: self.connection,
            packet: header::PacketNumber(ack.number.0),
            next_expected: ack.next_expected,
            echoed_sent_at: ack.echoed_sent_at,
            receiver_delay: ack.receiver_delay,
            marked_bytes: ack.marked,
            marked_packets: receiver.marked_packets(),
            received_packets: receiver.packets(),
            congestion_echoed: ack.congestion_echo,
            refused: ack.refused,
            circuit_up: ack.circuit_up,
            hops: ack.hops,
            ranges: ranges.get(..count).unwrap_or_default(),
            telemetry: ack.reflected.lay_out(&mut buffer)?,
        };
        let size = wire.encode(output.get_mut(front..).unwrap_or_default())?;
        Ok(front + size)
    }

    /// Reads an ack for `sender`, whose packets the byte ranges speak of.
    ///
    /// # Errors
    /// If the bytes are damaged, or another connection's.
    pub fn decode_ack<L: CongestionControl>(
        &self,
        sender: &Sender<L>,
        bytes: &[u8],
    ) -> Result<AckPacket<Gathered>, CodecError> {
        let (travelled, rest) = self.ack_telemetry().parse_travelling(bytes)?;
        let view = AckView::parse(rest)?;
        self.check(view.connection())?;
        let number = PacketNumber(view.packet().0);
        Ok(AckPacket {
            next_expected: view.next_expected(),
            number,
            arrived: view.ranges().fold(0, |bits, range| bits | sender.arrived_bits(number, range)),
            echoed_sent_at: view.echoed_sent_at(),
            receiver_delay: view.receiver_delay(),
            marked: view.marked_bytes(),
            reverse_delay: match travelled {
                Telemetry::MaxHopDelay(delay) => delay.delay(),
                _ => Span::ZERO,
            },
            congestion_echo: view.congestion_echoed(),
            refused: view.refused(),
            circuit_up: view.circuit_up(),
            hops: view.hops(),
            reflected: view.telemetry().into(),
        })
    }

    /// Acks gather their own longest wait; records of their way nobody reads.
    fn ack_telemetry(&self) -> TelemetryKind {
        match self.telemetry {
            TelemetryKind::MaxHopDelay => TelemetryKind::MaxHopDelay,
            _ => TelemetryKind::None,
        }
    }

    fn check(&self, found: ConnectionId) -> Result<(), CodecError> {
        if found == self.connection {
            return Ok(());
        }
        Err(CodecError::Connection { found, expected: self.connection })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Reliability};
    use crate::sender::Poll;
    use crate::stack::Stack;
    use crate::testing::{FixedWindow, host, path};
    use plimsoll_cc::Signals;
    use plimsoll_units::{Bytes, Rounding, Time};
    use plimsoll_wire::max_hop_delay::MaxHopDelay;

    const CHANNEL: Channel = Channel { connection: ConnectionId(3), telemetry: TelemetryKind::MaxHopDelay };

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn stack(reliability: Reliability) -> Stack<FixedWindow> {
        let config = Config { reliability, pacing_credit: Span::from_us(100), ..Config::default() };
        Stack::new("fixed", FixedWindow::packets(20), &host(), config, Signals::NONE).unwrap()
    }

    /// A sender that has sent packets 0 … 19, and the packets.
    fn sent(stack: &Stack<FixedWindow>) -> (Sender<FixedWindow>, Vec<DataPacket<Gathered>>) {
        let mut sender = Sender::new(stack, &path());
        sender.enqueue(Time::ZERO, Bytes::new(20_000)).unwrap();
        let mut packets = Vec::new();
        while let Poll::Send(packet) = sender.poll_send(stack, at_us(200)) {
            packets.push(packet);
        }
        (sender, packets)
    }

    /// The packets with these numbers arrive; gives the last one's ack, as the sender reads it and
    /// as the receiver meant it.
    fn ack_after(reliability: Reliability, arriving: &[usize]) -> (AckPacket<Gathered>, AckPacket<Gathered>) {
        let stack = stack(reliability);
        let (sender, packets) = sent(&stack);
        let mut receiver = Receiver::new();
        let mut ack = None;
        for number in arriving {
            // What the network says differs from packet to packet: the ack must speak of the last.
            let circuit_up = number % 2 == 1;
            let packet = DataPacket { circuit_up, hops: *number as u8 + 1, ..packets[*number] };
            ack = receiver.on_data(stack.config(), at_us(210), &packet).ack;
        }
        let meant = ack.unwrap();
        let mut bytes = [0; 200];
        let size = CHANNEL.encode_ack(&meant, &receiver, &mut bytes).unwrap();
        MaxHopDelay::update_in_place(&mut bytes, Span::from_ns(512), Rounding::Down).unwrap();
        let read = CHANNEL.decode_ack(&sender, &bytes[..size]).unwrap();
        (read, AckPacket { reverse_delay: Span::from_ns(512), ..meant })
    }

    #[test]
    fn a_data_packet_comes_out_as_it_went_in_with_what_the_network_added() {
        let packet = DataPacket {
            number: PacketNumber(7),
            offset: Bytes::new(7000),
            message: MessageId(2),
            sent_at: at_us(12),
            length: 5,
            ends_message: true,
            repeated: true,
            window_reduced: true,
            ..DataPacket::<Gathered>::default()
        };
        let mut bytes = [0; 64];
        let size = CHANNEL.encode_data(&packet, b"hello", &mut bytes).unwrap();
        assert_eq!(size, 2 + 44 + 5);
        MaxHopDelay::update_in_place(&mut bytes, Span::from_ns(2560), Rounding::Down).unwrap();
        header::set_circuit_up_in_place(&mut bytes[2..]).unwrap();
        let seen = Seen { ecn: Ecn::Marked, hops: 4 };
        let (read, payload) = CHANNEL.decode_data(&bytes[..size], seen).unwrap();
        let telemetry = Gathered::MaxHopDelay(MaxHopDelay::from_units(10));
        assert_eq!(read, DataPacket { ecn: Ecn::Marked, circuit_up: true, hops: 4, telemetry, ..packet });
        assert_eq!(payload, b"hello");
    }

    #[test]
    fn acks_keep_what_arrived_behind_holes() {
        // Runs 12–11, 9, 6–5 and 2 behind the holes: four ranges, nothing is left out.
        let (read, meant) = ack_after(Reliability::SelectiveRepeat, &[0, 2, 5, 6, 9, 11, 12]);
        assert_eq!(read, meant);
        assert_eq!(read.arrived >> 53, 0b110_1001_1001);
    }

    #[test]
    fn a_fifth_run_is_left_out_and_nothing_is_added() {
        let (read, meant) = ack_after(Reliability::SelectiveRepeat, &[2, 4, 6, 8, 10]);
        assert_eq!(meant.arrived >> 55, 0b1_0101_0101);
        assert_eq!(read.arrived >> 55, 0b1_0101_0100);
    }

    #[test]
    fn a_refusal_says_that_it_is_one() {
        let (read, meant) = ack_after(Reliability::GoBackN, &[0, 1, 3]);
        assert_eq!(read, meant);
        assert!(read.refused);
        let (read, meant) = ack_after(Reliability::GoBackN, &[0, 1]);
        assert_eq!(read, meant);
        assert!(!read.refused);
    }

    #[test]
    fn an_ack_echoes_the_circuit_and_the_hops_of_the_packet_that_it_answers() {
        for reliability in [Reliability::SelectiveRepeat, Reliability::GoBackN] {
            let echo = |arriving: &[usize]| {
                let (read, meant) = ack_after(reliability, arriving);
                assert_eq!(read, meant);
                (read.circuit_up, read.hops)
            };
            assert_eq!(echo(&[0]), (false, 1));
            assert_eq!(echo(&[0, 1]), (true, 2));
            assert_eq!(echo(&[0, 2]), (false, 3), "behind a hole too");
        }
    }

    #[test]
    fn what_does_not_belong_is_refused() {
        let packet = DataPacket { length: 4, ..DataPacket::<Gathered>::default() };
        let mut bytes = [0; 64];
        let error = CHANNEL.encode_data(&packet, b"hello", &mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "the packet describes 4 bytes of payload, 5 were handed over");
        CHANNEL.encode_data(&packet, b"hell", &mut bytes).unwrap();
        let other = Channel { connection: ConnectionId(4), ..CHANNEL };
        let error = other.decode_data(&bytes, Seen::default()).unwrap_err();
        assert_eq!(error.to_string(), "the packet is of connection 3, not 4");
        assert!(CHANNEL.encode_data(&packet, b"hell", &mut [0; 10]).is_err());
        assert!(CHANNEL.decode_data(&[], Seen::default()).is_err());
    }
}
