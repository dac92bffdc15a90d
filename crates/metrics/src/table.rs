//! [`Row`]: records and readings as rows of a table, the one description behind CSV and Parquet.

use crate::record::{Failure, MessageRecord, Reason, UnknownReason};
use crate::series::{Reading, Sample, UnknownReading};
use core::fmt;
use plimsoll_units::{Bytes, Span, Time};

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; a unit stands at the end.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: Kind,
    /// Whether cells may be empty.
    pub presence: Presence,
}

/// What cells hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of up to 32 bits.
    Small,
    /// Numbers of up to 64 bits.
    Large,
    /// Words.
    Word,
}

/// Whether cells may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// No.
    Required,
    /// Yes.
    Optional,
}

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// A number, at most 32 bits of it in a column of [`Kind::Small`].
    Number(u64),
    /// A word.
    Word(&'a str),
}

/// Something that is a row of a table.
pub trait Row: Sized {
    /// The columns.
    const COLUMNS: &'static [Column];

    /// What is in a column, by its place in [`Row::COLUMNS`]; empty beyond the last.
    fn cell(&self, column: usize) -> Cell<'static>;

    /// The row with these cells.
    ///
    /// # Errors
    /// If a cell does not hold what its column holds.
    fn from_cells(cells: &[Cell<'_>]) -> Result<Self, RowError>;
}

/// Why cells are no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowError {
    /// This column has a cell that is missing, empty, too large or of another kind.
    Cell(&'static str),
    /// An unknown reason of failure.
    Reason(UnknownReason),
    /// An unknown reading.
    Reading(UnknownReading),
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell(column) => write!(f, "a cell of column \"{column}\" does not hold what it should"),
            Self::Reason(error) => error.fmt(f),
            Self::Reading(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RowError {}

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, presence: Presence::Required }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, presence: Presence::Optional }
}

/// Reads cells from left to right.
struct Cells<'a> {
    columns: &'static [Column],
    cells: &'a [Cell<'a>],
    next: usize,
}

impl<'a> Cells<'a> {
    fn of<R: Row>(cells: &'a [Cell<'a>]) -> Self {
        Self { columns: R::COLUMNS, cells, next: 0 }
    }

    fn next(&mut self) -> Cell<'a> {
        self.next += 1;
        self.cells.get(self.next - 1).copied().unwrap_or(Cell::Empty)
    }

    fn wrong(&self) -> RowError {
        let column = self.columns.get(self.next.saturating_sub(1));
        RowError::Cell(column.map_or("beyond the last", |column| column.name))
    }

    fn optional_number(&mut self) -> Result<Option<u64>, RowError> {
        match self.next() {
            Cell::Number(number) => Ok(Some(number)),
            Cell::Empty => Ok(None),
            Cell::Word(_) => Err(self.wrong()),
        }
    }

    fn number<N: TryFrom<u64>>(&mut self) -> Result<N, RowError> {
        let number = self.optional_number()?.ok_or_else(|| self.wrong())?;
        N::try_from(number).map_err(|_| self.wrong())
    }

    fn optional_word(&mut self) -> Result<Option<&'a str>, RowError> {
        match self.next() {
            Cell::Word(word) => Ok(Some(word)),
            Cell::Empty => Ok(None),
            Cell::Number(_) => Err(self.wrong()),
        }
    }

    fn word(&mut self) -> Result<&'a str, RowError> {
        self.optional_word()?.ok_or_else(|| self.wrong())
    }
}

impl Row for MessageRecord {
    const COLUMNS: &'static [Column] = &[
        required("message", Kind::Small),
        required("connection", Kind::Small),
        required("group", Kind::Small),
        required("from", Kind::Small),
        required("to", Kind::Small),
        required("bytes", Kind::Large),
        required("packets", Kind::Small),
        optional("start_ps", Kind::Large),
        optional("finish_ps", Kind::Large),
        optional("delivered_ps", Kind::Large),
        required("ideal_ps", Kind::Large),
        required("retransmitted", Kind::Small),
        required("timeouts", Kind::Small),
        optional("failure", Kind::Word),
        optional("failed_ps", Kind::Large),
    ];

    fn cell(&self, column: usize) -> Cell<'static> {
        let time = |time: Option<Time>| time.map_or(Cell::Empty, |time| Cell::Number(time.as_ps()));
        match column {
            0 => Cell::Number(self.message.into()),
            1 => Cell::Number(self.connection.into()),
            2 => Cell::Number(self.group.into()),
            3 => Cell::Number(self.from.into()),
            4 => Cell::Number(self.to.into()),
            5 => Cell::Number(self.bytes.get()),
            6 => Cell::Number(self.packets.into()),
            7 => time(Some(self.start).filter(|start| *start != Time::NEVER)),
            8 => time(self.finish),
            9 => time(self.delivered),
            10 => Cell::Number(self.ideal.as_ps()),
            11 => Cell::Number(self.retransmitted.into()),
            12 => Cell::Number(self.timeouts.into()),
            13 => self.failure.map_or(Cell::Empty, |failure| Cell::Word(failure.reason.name())),
            14 => time(self.failure.map(|failure| failure.at)),
            _ => Cell::Empty,
        }
    }

    fn from_cells(cells: &[Cell<'_>]) -> Result<Self, RowError> {
        let mut cells = Cells::of::<Self>(cells);
        // A struct literal evaluates its fields in the order in which they are written.
        Ok(Self {
            message: cells.number()?,
            connection: cells.number()?,
            group: cells.number()?,
            from: cells.number()?,
            to: cells.number()?,
            bytes: Bytes::new(cells.number()?),
            packets: cells.number()?,
            start: cells.optional_number()?.map_or(Time::NEVER, Time::from_ps),
            finish: cells.optional_number()?.map(Time::from_ps),
            delivered: cells.optional_number()?.map(Time::from_ps),
            ideal: Span::from_ps(cells.number()?),
            retransmitted: cells.number()?,
            timeouts: cells.number()?,
            failure: match cells.optional_word()? {
                None => None,
                Some(word) => {
                    let reason: Reason = word.parse().map_err(RowError::Reason)?;
                    Some(Failure { reason, at: Time::from_ps(cells.number()?) })
                }
            },
        })
    }
}

impl Row for Sample {
    const COLUMNS: &'static [Column] = &[
        required("time_ps", Kind::Large),
        required("reading", Kind::Word),
        required("subject", Kind::Small),
        required("value", Kind::Large),
    ];

    fn cell(&self, column: usize) -> Cell<'static> {
        match column {
            0 => Cell::Number(self.at.as_ps()),
            1 => Cell::Word(self.reading.name()),
            2 => Cell::Number(self.subject.into()),
            3 => Cell::Number(self.reading.value()),
            _ => Cell::Empty,
        }
    }

    fn from_cells(cells: &[Cell<'_>]) -> Result<Self, RowError> {
        let mut cells = Cells::of::<Self>(cells);
        let at = Time::from_ps(cells.number()?);
        let name = cells.word()?;
        let subject = cells.number()?;
        let reading = Reading::from_value(name, cells.number()?).map_err(RowError::Reading)?;
        Ok(Self { at, subject, reading })
    }
}

#[cfg(test)]
pub(crate) mod made_up {
    use super::*;
    use proptest::prelude::*;

    /// Any record that a run could yield, and many that it could not.
    pub(crate) fn any_record() -> impl Strategy<Value = MessageRecord> {
        let time = || prop::option::of(any::<u64>().prop_map(Time::from_ps));
        let failure = (0..Reason::ALL.len(), any::<u64>())
            .prop_map(|(reason, at)| Failure { reason: Reason::ALL[reason], at: Time::from_ps(at) });
        let numbers = any::<([u32; 7], u16, [u64; 2])>();
        (numbers, time(), time(), time(), prop::option::of(failure)).prop_map(
            |(
                ([message, connection, from, to, packets, retransmitted, timeouts], group, [bytes, ideal]),
                start,
                finish,
                delivered,
                failure,
            )| {
                MessageRecord {
                    message,
                    connection,
                    group,
                    from,
                    to,
                    bytes: Bytes::new(bytes),
                    packets,
                    start: start.unwrap_or(Time::NEVER),
                    finish,
                    delivered,
                    ideal: Span::from_ps(ideal),
                    retransmitted,
                    timeouts,
                    failure,
                }
            },
        )
    }

    /// Any reading at any time.
    pub(crate) fn any_sample() -> impl Strategy<Value = Sample> {
        (any::<u64>(), any::<u32>(), 0..Reading::NAMES.len(), any::<u64>()).prop_map(
            |(at, subject, name, value)| Sample {
                at: Time::from_ps(at),
                subject,
                reading: Reading::from_value(Reading::NAMES[name], value).unwrap(),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::{any_record, any_sample};
    use super::*;
    use crate::record::made_up::failed;
    use proptest::prelude::*;

    fn cells<R: Row>(row: &R) -> Vec<Cell<'static>> {
        (0..R::COLUMNS.len()).map(|column| row.cell(column)).collect()
    }

    /// Cells hold what the columns say, and make the same row again.
    fn survives<R: Row + PartialEq + fmt::Debug>(row: &R) {
        let cells = cells(row);
        for (column, cell) in R::COLUMNS.iter().zip(&cells) {
            let fits = match (column.kind, cell) {
                (_, Cell::Empty) => column.presence == Presence::Optional,
                (Kind::Small, Cell::Number(number)) => *number <= u64::from(u32::MAX),
                (Kind::Large, Cell::Number(_)) | (Kind::Word, Cell::Word(_)) => true,
                _ => false,
            };
            assert!(fits, "{column:?} has {cell:?}");
        }
        assert_eq!(R::from_cells(&cells).as_ref(), Ok(row));
    }

    #[test]
    fn a_wrong_cell_is_named() {
        let good = cells(&failed());
        for (column, wrong, name) in [
            (0, Cell::Number(1 << 32), "message"),
            (2, Cell::Number(1 << 16), "group"),
            (5, Cell::Empty, "bytes"),
            (7, Cell::Word("soon"), "start_ps"),
            (13, Cell::Number(3), "failure"),
            (14, Cell::Empty, "failed_ps"),
        ] {
            let mut cells = good.clone();
            cells[column] = wrong;
            assert_eq!(MessageRecord::from_cells(&cells), Err(RowError::Cell(name)));
        }
        let mut cells = good;
        cells[13] = Cell::Word("tired");
        assert_eq!(
            MessageRecord::from_cells(&cells),
            Err(RowError::Reason(UnknownReason("tired".to_owned())))
        );
        assert_eq!(Sample::from_cells(&[]), Err(RowError::Cell("time_ps")));
    }

    proptest! {
        #[test]
        fn records_survive_being_cells(record in any_record()) {
            survives(&record);
        }

        #[test]
        fn samples_survive_being_cells(sample in any_sample()) {
            survives(&sample);
        }
    }
}
