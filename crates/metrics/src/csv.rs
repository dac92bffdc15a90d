//! [`CsvWriter`]: rows as comma-separated text.

use crate::sink::Sink;
use crate::table::{Cell, Row};
use core::marker::PhantomData;
use std::io::{self, Write};

/// Writes a line with the names of the columns and then a line per row; empty cells are empty. No cell needs
/// quotes: there are only numbers and plain words.
#[derive(Debug)]
pub struct CsvWriter<W, R> {
    out: W,
    row: PhantomData<R>,
}

impl<W: Write, R: Row> CsvWriter<W, R> {
    /// Writes the names of the columns.
    ///
    /// # Errors
    /// If the text cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        let names: Vec<&str> = R::COLUMNS.iter().map(|column| column.name).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Self { out, row: PhantomData })
    }

    /// Everything is written: gives the output back.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write, R: Row> Sink<R> for CsvWriter<W, R> {
    fn put(&mut self, row: R) -> io::Result<()> {
        for column in 0..R::COLUMNS.len() {
            if column > 0 {
                self.out.write_all(b",")?;
            }
            match row.cell(column) {
                Cell::Empty => {}
                Cell::Number(number) => write!(self.out, "{number}")?,
                Cell::Word(word) => self.out.write_all(word.as_bytes())?,
            }
        }
        self.out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MessageRecord;
    use crate::record::made_up::{completed, failed, never_started};
    use crate::series::{Reading, Sample};
    use plimsoll_units::{Rate, Time};

    fn text<R: Row>(rows: impl IntoIterator<Item = R>) -> String {
        let mut csv = CsvWriter::new(Vec::new()).unwrap();
        for row in rows {
            csv.put(row).unwrap();
        }
        String::from_utf8(csv.finish().unwrap()).unwrap()
    }

    #[test]
    fn records_are_lines_of_numbers() {
        let expected = "\
message,connection,group,from,to,bytes,packets,start_ps,finish_ps,delivered_ps,ideal_ps,retransmitted,timeouts,failure,failed_ps
7,5,1,1,2,10000,10,1000000,4000000,3500000,2000000,3,1,,
8,5,1,1,2,10000,10,1000000,,,2000000,3,1,timed-out,9000000
9,5,1,1,2,10000,10,,,,2000000,3,1,,
";
        assert_eq!(text([completed(), failed(), never_started()]), expected);
    }

    #[test]
    fn samples_are_lines_too() {
        let sample =
            Sample { at: Time::from_ps(50), subject: 3, reading: Reading::PacingRate(Rate::from_gbps(1)) };
        assert_eq!(text([sample]), "time_ps,reading,subject,value\n50,pacing-rate,3,1000000000\n");
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_panic() {
        let mut room = [0_u8; 130];
        let mut csv = CsvWriter::new(&mut room[..]).unwrap();
        assert_eq!(csv.put(completed()).unwrap_err().kind(), io::ErrorKind::WriteZero);
        assert!(CsvWriter::<_, MessageRecord>::new(&mut [0_u8; 5][..]).is_err());
    }
}
