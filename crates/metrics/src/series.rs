//! [`Sample`]: one reading at one moment.
//!
//! A series is long, not wide: one row per reading, so that flows may come and go, each quantity may have its
//! own interval, and a run writes rows in the order of time without knowing what comes later.

use crate::counted::Counted;
use core::fmt;
use plimsoll_units::{Bytes, Rate, Span, Time};

/// One reading at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was read; a mean is over the interval that ends here.
    pub at: Time,
    /// The number of the port, switch or connection: see [`Reading::subject`].
    pub subject: u32,
    /// What was read.
    pub reading: Reading,
}

// Series are the largest thing that a run yields.
const _: () = assert!(size_of::<Sample>() <= 32);

/// What a reading is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The sending side of a link, by the number of its port.
    Port,
    /// A switch, by its node.
    Switch,
    /// A connection.
    Connection,
}

/// The one list of readings: variant, type, name in files, subject, meaning.
macro_rules! readings {
    ($($(#[$doc:meta])* $variant:ident($unit:ty) = $name:literal of $subject:ident,)*) => {
        /// What can be read, in its unit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reading {
            $($(#[$doc])* $variant($unit),)*
        }

        /// The readings in the order of the list.
        enum Place {
            $($variant,)*
        }

        impl Reading {
            /// Its place in the list of readings: what is read at one moment is written in this order.
            #[must_use]
            pub const fn rank(self) -> u8 {
                match self { $(Self::$variant(_) => Place::$variant as u8,)* }
            }

            /// The names of all readings.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Its name in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// The unit of [`Reading::value`]: `B`, `bit/s` or `ps`.
            #[must_use]
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant(_) => <$unit as Counted>::UNIT,)* }
            }

            /// What it is about.
            #[must_use]
            pub const fn subject(self) -> Subject {
                match self { $(Self::$variant(_) => Subject::$subject,)* }
            }

            /// The number, in [`Reading::unit`].
            #[must_use]
            pub fn value(self) -> u64 {
                match self { $(Self::$variant(value) => value.count(),)* }
            }

            /// The reading of that name with that number.
            ///
            /// # Errors
            /// If no reading has that name.
            pub fn from_value(name: &str, value: u64) -> Result<Self, UnknownReading> {
                match name {
                    $($name => Ok(Self::$variant(<$unit as Counted>::from_count(value))),)*
                    other => Err(UnknownReading(other.to_owned())),
                }
            }
        }
    };
}

readings! {
    /// Bytes that wait in the queue of a port.
    Queue(Bytes) = "queue" of Port,
    /// What the port sent, headers included: the mean since the last reading.
    Throughput(Rate) = "throughput" of Port,
    /// Bytes of the shared buffer in use.
    Buffer(Bytes) = "buffer" of Switch,
    /// Payload that reached the receiver: the mean since the last reading.
    Goodput(Rate) = "goodput" of Connection,
    /// The congestion window.
    Window(Bytes) = "window" of Connection,
    /// The pacing rate.
    PacingRate(Rate) = "pacing-rate" of Connection,
    /// The round trip of the last ack.
    RoundTrip(Span) = "rtt" of Connection,
    /// Payload sent and neither acked nor given up.
    InFlight(Bytes) = "in-flight" of Connection,
    /// The longest wait at a hop, as the last ack told.
    MaxHopDelay(Span) = "max-hop-delay" of Connection,
    /// A switch decided to mark a packet of the connection, at this very moment: how long that packet had waited.
    Mark(Span) = "mark" of Connection,
    /// A switch set the echo of a packet that passed (RPM), at this very moment: the packet's size.
    Echo(Bytes) = "echo" of Connection,
    /// The sender reduced its window because of a mark, at this very moment: the window after it.
    Reduction(Bytes) = "reduction" of Connection,
    /// The sender's window fell for another reason than a mark, at this very moment: the window after it.
    Decrease(Bytes) = "decrease" of Connection,
}

/// A name that no [`Reading`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReading(pub String);

impl fmt::Display for UnknownReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no reading; known: {}", self.0, Reading::NAMES.join(", "))
    }
}

impl core::error::Error for UnknownReading {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_survives_being_written_as_name_and_number() {
        for name in Reading::NAMES {
            for value in [0, 1, 123_456_789_012, u64::MAX] {
                let reading = Reading::from_value(name, value).unwrap();
                assert_eq!((reading.name(), reading.value()), (*name, value));
            }
        }
    }

    #[test]
    fn each_reading_is_counted_in_the_base_of_its_unit() {
        let reading = Reading::RoundTrip(Span::from_us(12));
        assert_eq!((reading.value(), reading.unit()), (12_000_000, "ps"));
        let reading = Reading::Goodput(Rate::from_gbps(100));
        assert_eq!((reading.value(), reading.unit()), (100_000_000_000, "bit/s"));
        let reading = Reading::Queue(Bytes::from_kb(52));
        assert_eq!((reading.value(), reading.unit(), reading.subject()), (52_000, "B", Subject::Port));
    }

    #[test]
    fn names_are_different_and_unknown_ones_are_named() {
        let mut names = Reading::NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Reading::NAMES.len());
        let error = Reading::from_value("mood", 1).unwrap_err().to_string();
        assert!(error.contains("\"mood\"") && error.contains("rtt"), "{error}");
    }
}
