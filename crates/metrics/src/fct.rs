//! `fct.txt`: flow completion times in the columns of the HPCC authors' simulator, which scripts of the field
//! read.
//!
//! | column | example | |
//! |---|---|---|
//! | source, destination | `0b00cc01` | address in hex: 11.x.y.1, where 256·x + y is the number of the host |
//! | source port | `10000` | counts the flows between the same two hosts, in the order of their start |
//! | destination port | `100` | |
//! | bytes | `1423` | payload |
//! | start, FCT, FCT alone | `2000004318 4229 4281` | ns, rounded down |
//!
//! One line per completed flow, in the order of their finish.

use crate::record::MessageRecord;
use core::fmt;
use plimsoll_units::{Bytes, Span, Time};
use std::collections::HashMap;
use std::io::{self, Write};

/// Address of host 0.
const FIRST_ADDRESS: u32 = 0x0b00_0001;
/// Addresses have room for so many hosts.
const HOSTS: u32 = 1 << 16;
/// Source port of the first flow between two hosts.
const FIRST_PORT: u32 = 10_000;
/// Payload of a full packet in that simulator.
const PAYLOAD: u64 = 1_000;

/// Writes the completed ones of these records. A host beyond number 65,535, for which the format has no
/// address, is an error of kind `InvalidInput`.
///
/// # Errors
/// If the text cannot be written or a host has no address.
pub fn write_fct(out: &mut dyn Write, records: &[MessageRecord], destination_port: u16) -> io::Result<()> {
    let mut by_start: Vec<&MessageRecord> = records.iter().collect();
    by_start.sort_by_key(|record| (record.start, record.message));
    let mut next_ports = HashMap::new();
    let mut lines = Vec::new();
    for record in by_start {
        let next_port = next_ports.entry((record.from, record.to)).or_insert(FIRST_PORT);
        let port = *next_port;
        *next_port += 1;
        if let (Some(finish), Some(fct)) = (record.finish, record.completion_time()) {
            lines.push((finish, record, port, fct));
        }
    }
    lines.sort_by_key(|(finish, record, ..)| (*finish, record.message));
    for (_, record, port, fct) in lines {
        let (from, to) = (address(record.from)?, address(record.to)?);
        let (start, alone) = (record.start.since_start().as_ns(), record.ideal.as_ns());
        writeln!(
            out,
            "{from:08x} {to:08x} {port} {destination_port} {} {start} {} {alone}",
            record.bytes.get(),
            fct.as_ns()
        )?;
    }
    Ok(())
}

fn address(host: u32) -> io::Result<u32> {
    if host < HOSTS {
        return Ok(FIRST_ADDRESS + (host << 8));
    }
    let message = format!("host {host} has no address in fct.txt, which has room for {HOSTS} hosts");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Reads such a file. Messages are numbered by start, then by line; each is a connection of its own. The
/// format does not tell when the receiver had all bytes, nor what was sent again; packets are counted as full
/// ones of 1000 bytes.
///
/// # Errors
/// At the first line that is not eight columns as above.
pub fn read_fct(text: &str) -> Result<Vec<MessageRecord>, FctError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(index, line)| read_line(line).map_err(|problem| FctError { line: index + 1, problem });
    let mut records = lines.map(read).collect::<Result<Vec<_>, _>>()?;
    records.sort_by_key(|record| record.start);
    for (number, record) in records.iter_mut().enumerate() {
        record.message = u32::try_from(number).unwrap_or(u32::MAX);
        record.connection = record.message;
    }
    Ok(records)
}

fn read_line(line: &str) -> Result<MessageRecord, Problem> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let &[from, to, _, _, bytes, start, fct, alone] = columns.as_slice() else {
        return Err(Problem::Columns(columns.len()));
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| Problem::Number(text.to_owned()));
    let span = |text: &str| {
        let picoseconds = number(text)?.checked_mul(1_000);
        picoseconds.map(Span::from_ps).ok_or_else(|| Problem::Number(text.to_owned()))
    };
    let (bytes, start, fct) = (number(bytes)?, Time::after_start(span(start)?), span(fct)?);
    Ok(MessageRecord {
        message: 0,
        connection: 0,
        group: 0,
        from: host(from)?,
        to: host(to)?,
        bytes: Bytes::new(bytes),
        packets: u32::try_from(bytes.div_ceil(PAYLOAD)).unwrap_or(u32::MAX),
        start,
        finish: Some(start.saturating_add(fct)),
        delivered: None,
        ideal: span(alone)?,
        retransmitted: 0,
        timeouts: 0,
        failure: None,
    })
}

fn host(text: &str) -> Result<u32, Problem> {
    let offset = u32::from_str_radix(text, 16).ok().and_then(|address| address.checked_sub(FIRST_ADDRESS));
    match offset {
        Some(offset) if offset % 256 == 0 && offset / 256 < HOSTS => Ok(offset / 256),
        _ => Err(Problem::Address(text.to_owned())),
    }
}

/// Why a text is no `fct.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FctError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It has so many columns, not eight.
    Columns(usize),
    /// This is no whole number, or too large a time.
    Number(String),
    /// This is no address of a host.
    Address(String),
}

impl fmt::Display for FctError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            Problem::Columns(found) => write!(f, "{found} columns instead of 8"),
            Problem::Number(text) => write!(f, "\"{text}\" is no whole number in range"),
            Problem::Address(text) => write!(f, "\"{text}\" is no address of a host, such as 0b000d01"),
        }
    }
}

impl core::error::Error for FctError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::made_up::{completed, failed};
    use proptest::prelude::*;

    fn written(records: &[MessageRecord]) -> String {
        let mut out = Vec::new();
        write_fct(&mut out, records, 100).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_completed_flow_is_a_line_and_a_failed_one_is_none() {
        assert_eq!(written(&[failed(), completed()]), "0b000101 0b000201 10000 100 10000 1000 3000 2000\n");
    }

    #[test]
    fn ports_count_by_start_and_lines_come_by_finish() {
        let at = |message: u32, start: u64, finish: u64| MessageRecord {
            message,
            start: Time::after_start(Span::from_ns(start)),
            finish: Some(Time::after_start(Span::from_ns(finish))),
            ..completed()
        };
        let other = MessageRecord { to: 300, ..at(2, 2, 60) };
        let expected = "\
0b000101 0b000201 10001 100 10000 2 48 2000
0b000101 0b012c01 10000 100 10000 2 58 2000
0b000101 0b000201 10000 100 10000 1 79 2000
";
        assert_eq!(written(&[at(0, 1, 80), at(1, 2, 50), other]), expected);
    }

    #[test]
    fn a_host_without_an_address_is_an_error() {
        let record = MessageRecord { to: 65_536, ..completed() };
        let error = write_fct(&mut Vec::new(), &[record], 100).unwrap_err();
        assert!(error.to_string().contains("65536"), "{error}");
    }

    #[test]
    fn a_bad_line_is_named() {
        let good = "0b000101 0b000201 10000 100 10000 1000 3000 2000";
        for (bad, problem) in [
            ("1 2 3", "line 3: 3 columns instead of 8"),
            (
                "0c000101 0b000201 1 1 1 1 1 1",
                "line 3: \"0c000101\" is no address of a host, such as 0b000d01",
            ),
            (
                "0b000101 0b000202 1 1 1 1 1 1",
                "line 3: \"0b000202\" is no address of a host, such as 0b000d01",
            ),
            ("0b000101 0b000201 1 1 -1 1 1 1", "line 3: \"-1\" is no whole number in range"),
            (
                "0b000101 0b000201 1 1 1 18446744073709551615 1 1",
                "line 3: \"18446744073709551615\" is no whole number in range",
            ),
        ] {
            let error = read_fct(&format!("{good}\n\n{bad}\n")).unwrap_err();
            assert_eq!(error.to_string(), problem);
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "[0-9a-f \n]{0,200}") {
            let _ = read_fct(&text);
        }
    }
}
