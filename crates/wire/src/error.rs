//! [`WireError`]: what is wrong with some bytes, in which format, with the value and its bound.

use core::fmt;

/// The format that was being read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Poseidon's 2-byte header.
    MaxHopDelay,
    /// A stack of per-hop records, compact or exact.
    HopRecords,
    /// The TCP option that carries compact records.
    TcpOption,
    /// In-band Flow Analyzer 2.0.
    Ifa,
    /// P4-INT v2.1.
    P4Int,
    /// The compact CSIG tag.
    Csig,
    /// Ethernet, IPv4 and UDP in front of a packet.
    Frame,
    /// The byte that every packet of the transport begins with.
    Packet,
    /// A data packet of the transport.
    Data,
    /// An acknowledgement of the transport.
    Ack,
    /// A packet of HOMA's.
    Homa,
}

impl Format {
    pub(crate) const fn error(self, kind: WireErrorKind) -> WireError {
        WireError { format: self, kind }
    }

    pub(crate) const fn truncated(self, need: usize, have: usize) -> WireError {
        self.error(WireErrorKind::Truncated { need, have })
    }

    pub(crate) const fn bad_value(self, field: &'static str, found: u64, expected: u64) -> WireError {
        self.error(WireErrorKind::BadValue { field, found, expected })
    }

    pub(crate) const fn above_limit(self, field: &'static str, found: u64, limit: u64) -> WireError {
        self.error(WireErrorKind::AboveLimit { field, found, limit })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MaxHopDelay => "max-hop-delay header",
            Self::HopRecords => "hop records",
            Self::TcpOption => "TCP option",
            Self::Ifa => "IFA header",
            Self::P4Int => "P4-INT header",
            Self::Csig => "CSIG tag",
            Self::Frame => "frame",
            Self::Packet => "packet",
            Self::Data => "data packet",
            Self::Ack => "ack packet",
            Self::Homa => "HOMA packet",
        })
    }
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireErrorKind {
    /// The bytes end too early.
    Truncated {
        /// Bytes that the format asks for, as far as it could be read.
        need: usize,
        /// Bytes that were there.
        have: usize,
    },
    /// The output is too short for what is to be written.
    NoRoom {
        /// Bytes to be written.
        need: usize,
        /// Bytes that the output offers.
        have: usize,
    },
    /// A version that this crate does not speak.
    BadVersion {
        /// The version in the bytes.
        found: u8,
        /// The version that this crate speaks.
        expected: u8,
    },
    /// A field must have one value and has another.
    BadValue {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The value it must have.
        expected: u64,
    },
    /// A field is above what the format allows.
    AboveLimit {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The largest value allowed.
        limit: u64,
    },
    /// A field is not above what must lie below it: an empty range, edges out of order.
    OutOfOrder {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The value it must exceed.
        above: u64,
    },
    /// The link rate has no code in HPCC's three bits.
    RateWithoutCode {
        /// The rate in bits per second.
        bits_per_second: u64,
    },
    /// The packet was damaged on its way.
    BadChecksum {
        /// The checksum in the packet.
        found: u32,
        /// The checksum of the bytes that arrived.
        computed: u32,
    },
}

/// Why some bytes were refused, or could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// The format that was being read or written.
    pub format: Format,
    /// What is wrong.
    pub kind: WireErrorKind,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.format)?;
        match self.kind {
            WireErrorKind::Truncated { need, have } => write!(f, "truncated: need {need} bytes, have {have}"),
            WireErrorKind::NoRoom { need, have } => {
                write!(f, "no room: {need} bytes to write, {have} offered")
            }
            WireErrorKind::BadVersion { found, expected } => {
                write!(f, "version {found}, expected {expected}")
            }
            WireErrorKind::BadValue { field, found, expected } => {
                write!(f, "{field} is {found:#x}, expected {expected:#x}")
            }
            WireErrorKind::AboveLimit { field, found, limit } => {
                write!(f, "{field} is {found}, at most {limit}")
            }
            WireErrorKind::OutOfOrder { field, found, above } => {
                write!(f, "{field} is {found}, must be above {above}")
            }
            WireErrorKind::RateWithoutCode { bits_per_second } => {
                write!(f, "no code for a link of {bits_per_second} bit/s")
            }
            WireErrorKind::BadChecksum { found, computed } => {
                write!(f, "checksum is {found:#010x}, the bytes give {computed:#010x}")
            }
        }
    }
}

impl core::error::Error for WireError {}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn an_error_names_the_format_the_value_and_the_bound() {
        assert_eq!(
            Format::HopRecords.above_limit("hop count", 9, 5).to_string(),
            "hop records: hop count is 9, at most 5"
        );
        assert_eq!(
            Format::MaxHopDelay.truncated(2, 1).to_string(),
            "max-hop-delay header: truncated: need 2 bytes, have 1"
        );
        assert_eq!(
            Format::Ifa.error(WireErrorKind::BadVersion { found: 7, expected: 2 }).to_string(),
            "IFA header: version 7, expected 2"
        );
    }
}
