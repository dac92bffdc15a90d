//! [`PcapngWriter`]: packets in the format that Wireshark and tshark read.
//!
//! The container is that of the Internet draft "PCAP Now Generic Packet Capture"
//! (draft-ietf-opsawg-pcapng): a section header, a description of each interface, then a block per packet.
//! Numbers are little-endian, times count picoseconds, as the simulator does: nothing is rounded.
//!
//! | block | what is written |
//! |---|---|
//! | section header (0x0A0D0D0A) | version 1.0, length unknown, `shb_userappl` |
//! | interface description (1) | Ethernet, no limit of length, `if_name`, `if_description`, `if_speed`, `if_tsresol` 12 |
//! | enhanced packet (6) | interface, time, captured and original length, bytes |

use plimsoll_units::{Rate, Time};
use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const LINK_TYPE_ETHERNET: u16 = 1;
const UNKNOWN_LENGTH: u64 = u64::MAX;

const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_SPEED: u16 = 8;
const IF_TSRESOL: u16 = 9;
/// Ten to the minus twelfth of a second.
const PICOSECONDS: u8 = 12;

/// An interface on which packets were captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its rate.
    pub speed: Rate,
}

/// Writes packets, one by one.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    packets: u64,
    block: Vec<u8>,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a file with all its interfaces.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W, interfaces: &[Interface]) -> io::Result<Self> {
        let mut writer = Self { out, packets: 0, block: Vec::new() };
        let mut body = Vec::new();
        body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        body.extend([1, 0, 0, 0]);
        body.extend(UNKNOWN_LENGTH.to_le_bytes());
        option(&mut body, SHB_USERAPPL, concat!("plimsoll ", env!("CARGO_PKG_VERSION")).as_bytes());
        end_options(&mut body);
        writer.write_block(SECTION_HEADER, &body)?;
        for interface in interfaces {
            body.clear();
            body.extend(LINK_TYPE_ETHERNET.to_le_bytes());
            body.extend([0; 2]);
            body.extend([0; 4]);
            option(&mut body, IF_NAME, interface.name.as_bytes());
            option(&mut body, IF_DESCRIPTION, interface.description.as_bytes());
            option(&mut body, IF_SPEED, &interface.speed.as_bps().to_le_bytes());
            option(&mut body, IF_TSRESOL, &[PICOSECONDS]);
            end_options(&mut body);
            writer.write_block(INTERFACE_DESCRIPTION, &body)?;
        }
        Ok(writer)
    }

    /// A packet of `original` bytes, of which `bytes` are kept, on the interface with this number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn packet(&mut self, interface: u32, time: Time, original: u32, bytes: &[u8]) -> io::Result<()> {
        let mut body = std::mem::take(&mut self.block);
        body.clear();
        let ticks = time.as_ps();
        body.extend(interface.to_le_bytes());
        body.extend(((ticks >> 32) as u32).to_le_bytes());
        body.extend((ticks as u32).to_le_bytes());
        body.extend((bytes.len() as u32).to_le_bytes());
        body.extend(original.to_le_bytes());
        body.extend(bytes);
        pad(&mut body);
        let written = self.write_block(ENHANCED_PACKET, &body);
        self.block = body;
        self.packets += 1;
        written
    }

    /// Packets so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Type, length, body (already a multiple of four bytes), length.
    fn write_block(&mut self, kind: u32, body: &[u8]) -> io::Result<()> {
        // Bodies are short: headers, names, and packets of at most 65 535 bytes.
        let length = (body.len() as u32 + 12).to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length)?;
        self.out.write_all(body)?;
        self.out.write_all(&length)
    }
}

/// An option: code, length without padding, value. A name longer than 16 bits of length is cut.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let length = value.len().min(usize::from(u16::MAX));
    body.extend(code.to_le_bytes());
    body.extend((length as u16).to_le_bytes());
    body.extend(value.iter().take(length));
    pad(body);
}

fn end_options(body: &mut Vec<u8>) {
    body.extend([0; 4]);
}

/// To a multiple of four bytes: everything else in a body has such a length.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    #[test]
    fn a_packet_is_a_block_as_the_draft_lays_it_out() {
        let mut writer = PcapngWriter::new(Vec::new(), &[]).unwrap();
        let begin = writer.out.len();
        writer.packet(3, Time::from_ps(0x1_0000_0002), 1500, b"hello").unwrap();
        assert_eq!(writer.packets(), 1);
        let file = writer.finish().unwrap();
        // 12 bytes around, 20 of fields, 5 of packet padded to 8: 40.
        let hell = u32::from_le_bytes(*b"hell");
        assert_eq!(words(&file[begin..]), [6, 40, 3, 1, 2, 5, 1500, hell, u32::from(b'o'), 40]);
    }

    #[test]
    fn a_file_begins_with_its_section_and_its_interfaces() {
        let interface =
            Interface { name: "s0>h1".to_owned(), description: "x".to_owned(), speed: Rate::from_gbps(100) };
        let file = PcapngWriter::new(Vec::new(), &[interface]).unwrap().finish().unwrap();
        let section = words(&file);
        // Version 1.0 in two halves, length unknown.
        assert_eq!(section[2..6], [0x1A2B_3C4D, 1, u32::MAX, u32::MAX]);
        let begin = section[1] as usize / 4;
        let interface = &section[begin..];
        assert_eq!((interface[0], interface[1] as usize), (1, file.len() - 4 * begin));
        // Ethernet; no limit; if_name of 5 bytes.
        assert_eq!(interface[2..5], [1, 0, 5 << 16 | 2]);
        // 100 Gb/s = 0x17_4876_E800 behind option 8, length 8; option 9, length 1: 12.
        let speed = interface.iter().position(|word| *word == (8 << 16 | 8)).unwrap();
        assert_eq!(interface[speed + 1..speed + 5], [0x4876_E800, 0x17, 1 << 16 | 9, 12]);
    }
}
