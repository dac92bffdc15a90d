//! Congestion marks: how the receiver echoes them and how the sender reads the echo.

use crate::config::EcnEcho;
use crate::packet::{AckPacket, DataPacket, Ecn};
use plimsoll_units::{Bytes, Span, Time};

/// The receiver's side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EchoWriter {
    /// Bytes and packets that arrived with a mark, since the start.
    marked: Bytes,
    marked_packets: u64,
    /// Accurate: whether the packets that wait for an ack were marked (RFC 8257's DCTCP.CE).
    /// Classic: whether acks carry ECE now.
    echoing: bool,
    /// Before this time no congestion notification is sent.
    next_notification: Time,
}

impl EchoWriter {
    pub(crate) fn marked(&self) -> Bytes {
        self.marked
    }

    pub(crate) fn marked_packets(&self) -> u64 {
        self.marked_packets
    }

    /// Fresh bytes arrived, with or without a mark.
    pub(crate) fn count(&mut self, packet_ecn: Ecn, length: u32) {
        if packet_ecn == Ecn::Marked {
            self.marked = self.marked.saturating_add(Bytes::new(u64::from(length)));
            self.marked_packets += 1;
        }
    }

    /// Whether the packets that wait for an ack must be acked before this one is looked at, so
    /// that every ack speaks of packets of one kind only (RFC 8257, section 3.2).
    pub(crate) fn changes_with(&self, echo: EcnEcho, packet_ecn: Ecn) -> bool {
        echo == EcnEcho::Accurate && self.echoing != (packet_ecn == Ecn::Marked)
    }

    /// Takes in a packet. Gives whether a congestion notification is due, which cannot wait.
    pub(crate) fn arrive<T>(
        &mut self,
        echo: EcnEcho,
        interval: Span,
        now: Time,
        packet: &DataPacket<T>,
    ) -> bool {
        let marked = packet.ecn == Ecn::Marked;
        match echo {
            EcnEcho::Off => self.echoing = false,
            EcnEcho::Accurate => self.echoing = marked,
            // A packet can both answer the last mark and bring the next one.
            EcnEcho::Classic => self.echoing = marked || (self.echoing && !packet.window_reduced),
            EcnEcho::Cnp => {
                self.echoing = marked && now >= self.next_notification;
                if self.echoing {
                    self.next_notification = now.saturating_add(interval);
                }
                return self.echoing;
            }
        }
        false
    }

    /// Whether an ack that leaves now carries the echo.
    pub(crate) fn echo(&self) -> bool {
        self.echoing
    }
}

/// The sender's side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EchoReader {
    /// Marked bytes that the law was told of.
    told: Bytes,
    /// The next new packet must say that the window was reduced.
    announce: bool,
    /// What had been sent when the window was reduced last. Echoes of the same window follow
    /// until an ack goes beyond it.
    reduced_at: Option<Bytes>,
}

/// What an ack says of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) marked: Bytes,
    pub(crate) echo: bool,
}

/// Where the stream stands after an ack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    pub(crate) acked: Bytes,
    pub(crate) acked_to: Bytes,
    pub(crate) sent_to: Bytes,
}

impl EchoReader {
    pub(crate) fn read<T>(&mut self, echo: EcnEcho, ack: &AckPacket<T>, stream: Stream) -> Heard {
        let flag = ack.congestion_echo;
        match echo {
            EcnEcho::Off => Heard { marked: Bytes::ZERO, echo: false },
            EcnEcho::Accurate => {
                let marked = self.newly_marked(ack, stream.acked);
                // The flag is lost with its ack, the count is not.
                Heard { marked, echo: flag || marked > Bytes::ZERO }
            }
            EcnEcho::Classic => {
                if flag && self.reduced_at.is_none_or(|position| stream.acked_to > position) {
                    self.announce = true;
                    self.reduced_at = Some(stream.sent_to);
                }
                Heard { marked: if flag { stream.acked } else { Bytes::ZERO }, echo: flag }
            }
            EcnEcho::Cnp => Heard { marked: Bytes::ZERO, echo: flag },
        }
    }

    /// The receiver's count grew by so much. An echo without growth was set by a switch on the
    /// way back (RPM), which speaks of everything that the ack covers.
    fn newly_marked<T>(&mut self, ack: &AckPacket<T>, acked: Bytes) -> Bytes {
        let grown = ack.marked.saturating_sub(self.told);
        if grown > Bytes::ZERO {
            let marked = grown.min(acked);
            self.told = self.told.saturating_add(marked);
            return marked;
        }
        if ack.congestion_echo { acked } else { Bytes::ZERO }
    }

    /// Whether this new packet says that the window was reduced (CWR).
    pub(crate) fn announce(&mut self) -> bool {
        core::mem::take(&mut self.announce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(ecn: Ecn) -> DataPacket {
        DataPacket { ecn, length: 1000, ..DataPacket::default() }
    }

    fn stream(acked: u64, acked_to: u64, sent_to: u64) -> Stream {
        Stream { acked: Bytes::new(acked), acked_to: Bytes::new(acked_to), sent_to: Bytes::new(sent_to) }
    }

    #[test]
    fn classic_echo_lasts_from_the_first_mark_to_the_senders_answer() {
        let mut writer = EchoWriter::default();
        let mut echo_after = |packet: &DataPacket| {
            writer.arrive(EcnEcho::Classic, Span::ZERO, Time::ZERO, packet);
            writer.echo()
        };
        let answer = DataPacket { window_reduced: true, ..packet(Ecn::Capable) };
        assert!(!echo_after(&packet(Ecn::Capable)));
        assert!(echo_after(&packet(Ecn::Marked)));
        assert!(echo_after(&packet(Ecn::Capable)), "until the answer");
        assert!(!echo_after(&answer));
        assert!(echo_after(&DataPacket { ecn: Ecn::Marked, ..answer }), "the answer itself was marked");
    }

    #[test]
    fn the_answer_is_sent_once_per_window() {
        let mut reader = EchoReader::default();
        let echo = AckPacket { congestion_echo: true, ..AckPacket::<()>::default() };
        reader.read(EcnEcho::Classic, &echo, stream(1000, 1000, 10_000));
        assert_eq!((reader.announce(), reader.announce()), (true, false));
        // Still the window that ended at 10,000 when it was reduced.
        reader.read(EcnEcho::Classic, &echo, stream(9000, 10_000, 15_000));
        assert!(!reader.announce());
        // The next window: the answer was lost or there is a new mark.
        reader.read(EcnEcho::Classic, &echo, stream(1000, 11_000, 16_000));
        assert!(reader.announce());
    }

    #[test]
    fn notifications_keep_their_distance() {
        let mut writer = EchoWriter::default();
        let mut notify_at = |us, ecn| {
            let now = Time::ZERO + Span::from_us(us);
            writer.arrive(EcnEcho::Cnp, Span::from_us(50), now, &packet(ecn))
        };
        assert!(notify_at(0, Ecn::Marked));
        assert!(!notify_at(49, Ecn::Marked));
        assert!(!notify_at(51, Ecn::Capable), "nothing to notify");
        assert!(notify_at(60, Ecn::Marked));
        assert!(!notify_at(109, Ecn::Marked), "50 µs from the last one, not from a grid");
        assert!(notify_at(110, Ecn::Marked));
    }

    #[test]
    fn counts_since_the_start_survive_lost_and_reordered_acks() {
        let mut reader = EchoReader::default();
        let ack = |marked| AckPacket { marked: Bytes::new(marked), ..AckPacket::<()>::default() };
        let mut read =
            |marked, acked| reader.read(EcnEcho::Accurate, &ack(marked), stream(acked, 0, 0)).marked.get();
        // The acks that said 1000 and 2000 were lost.
        assert_eq!(read(3000, 5000), 3000);
        assert_eq!(read(2000, 0), 0, "an old ack");
        assert_eq!(read(4000, 1000), 1000);
        // More marks than acked bytes: the rest is told with the next ack.
        assert_eq!(read(6000, 500), 500);
        assert_eq!(read(6000, 4000), 1500);
    }

    #[test]
    fn a_mark_whose_ack_was_lost_is_echoed_by_the_next_and_once() {
        let mut reader = EchoReader::default();
        let ack = AckPacket { marked: Bytes::new(1000), ..AckPacket::<()>::default() };
        let heard = reader.read(EcnEcho::Accurate, &ack, stream(2000, 2000, 5000));
        assert_eq!(heard, Heard { marked: Bytes::new(1000), echo: true });
        let heard = reader.read(EcnEcho::Accurate, &ack, stream(1000, 3000, 5000));
        assert_eq!(heard, Heard { marked: Bytes::ZERO, echo: false });
    }

    #[test]
    fn an_echo_that_a_switch_set_marks_what_the_ack_covers() {
        let mut reader = EchoReader::default();
        let ack = AckPacket { congestion_echo: true, ..AckPacket::<()>::default() };
        let heard = reader.read(EcnEcho::Accurate, &ack, stream(1000, 1000, 5000));
        assert_eq!(heard, Heard { marked: Bytes::new(1000), echo: true });
    }
}
