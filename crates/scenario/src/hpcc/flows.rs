//! Flow files.

use super::lines::{FileError, Words};
use plimsoll_units::{Bytes, Span, Time};

/// One flow of a file. Hosts have the numbers of the topology file's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFlow {
    /// The sending host.
    pub from: u32,
    /// The receiving host.
    pub to: u32,
    /// Its payload.
    pub bytes: Bytes,
    /// When it begins.
    pub start: Time,
}

/// What a flow file says; priorities and ports are not kept.
///
/// # Errors
/// Names the line and what should be there.
pub fn flows(text: &str) -> Result<Vec<TraceFlow>, FileError> {
    let mut words = Words::from_line(text, 0);
    let count: usize = words.parse("the number of flows")?;
    let mut flows = Vec::new();
    for _ in 0..count {
        let from = words.parse("the sender's number")?;
        let to = words.parse("the receiver's number")?;
        let _priority: u32 = words.parse("a priority")?;
        let _port: u32 = words.parse("a port")?;
        let bytes = words.parse("a number of bytes")?;
        let seconds: f64 = words.parse("a start in seconds")?;
        if !(0.0..1e6).contains(&seconds) {
            return Err(words.error(format!("a start at {seconds} s is not between 0 and 1,000,000 s")));
        }
        flows.push(TraceFlow { from, to, bytes: Bytes::new(bytes), start: start(seconds) });
    }
    Ok(flows)
}

/// Seconds as HPCC's simulator takes them: through a double, cut off at whole nanoseconds.
fn start(seconds: f64) -> Time {
    Time::after_start(Span::from_ns((seconds * 1e9) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_pass_through_a_double() {
        // 2.000040 is not a double; the nearest is below it by 6e-17, and 2000039999.99… ns is cut off.
        let flows = flows("2\n0 16 3 100 1000000 2.000000000\n1 16 3 100 443 2.000040\n").unwrap();
        assert_eq!(flows[0].start, Time::from_ps(2_000_000_000_000));
        assert_eq!(flows[1].start, Time::from_ps(2_000_039_999_000));
        assert_eq!((flows[1].from, flows[1].to, flows[1].bytes), (1, 16, Bytes::new(443)));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| flows(text).unwrap_err().to_string();
        assert_eq!(error("x"), "1: `x` is not the number of flows");
        assert_eq!(error("1\n0 16 3 100 1000"), "2: the file ends where a start in seconds should be");
        assert_eq!(error("1\n0 16 3 100 -5 2.0"), "2: `-5` is not a number of bytes");
        assert_eq!(error("1\n0 16 3 100 5 -2.0"), "2: a start at -2 s is not between 0 and 1,000,000 s");
    }
}
