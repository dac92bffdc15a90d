//! Tables as Parquet files: [`TableWriter`] and [`read_table`].

use crate::sink::Sink;
use crate::table::{Cell, Column, Kind, Presence, Row};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Rows that are held in memory before they are written together: 7 MB of records or 2 MB of readings.
const ROWS_PER_GROUP: usize = 1 << 16;
/// Rows that are read together.
const ROWS_PER_BATCH: usize = 1 << 13;

/// Writes rows to a Parquet file, with memory that does not grow.
pub struct TableWriter<R> {
    file: SerializedFileWriter<File>,
    rows: Vec<R>,
}

impl<R> fmt::Debug for TableWriter<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl<R: Row> TableWriter<R> {
    /// Makes the file, or empties it.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        let schema = Arc::new(schema(R::COLUMNS).map_err(from_parquet)?);
        let properties = Arc::new(properties(R::COLUMNS));
        let file =
            SerializedFileWriter::new(File::create(path)?, schema, properties).map_err(from_parquet)?;
        Ok(Self { file, rows: Vec::new() })
    }

    /// Writes what is left and the end of the file, without which it cannot be read.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_group()?;
        self.file.into_inner().map_err(from_parquet)?.sync_all()
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(from_parquet)?;
        for (index, column) in R::COLUMNS.iter().enumerate() {
            let cells = self.rows.iter().map(|row| row.cell(index));
            match column.kind {
                Kind::Small => write_column::<Int32Type>(&mut group, column, cells.map(small)),
                Kind::Large => write_column::<Int64Type>(&mut group, column, cells.map(large)),
                Kind::Word => write_column::<ByteArrayType>(&mut group, column, cells.map(word)),
            }
            .map_err(from_parquet)?;
        }
        group.close().map_err(from_parquet)?;
        self.rows.clear();
        Ok(())
    }
}

impl<R: Row> Sink<R> for TableWriter<R> {
    fn put(&mut self, row: R) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() == ROWS_PER_GROUP { self.write_group() } else { Ok(()) }
    }
}

fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Small => (PhysicalType::INT32, LogicalType::integer(32, false)),
            Kind::Large => (PhysicalType::INT64, LogicalType::integer(64, false)),
            Kind::Word => (PhysicalType::BYTE_ARRAY, LogicalType::String),
        };
        let repetition = match column.presence {
            Presence::Required => Repetition::REQUIRED,
            Presence::Optional => Repetition::OPTIONAL,
        };
        let builder = Type::primitive_type_builder(column.name, physical).with_repetition(repetition);
        builder.with_logical_type(Some(logical)).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build()
}

/// Of numbers the differences from row to row are stored, packed; words are numbered in a dictionary. Of the
/// flows of a fat-tree that makes 17 bytes a row, against 28 with hosts and counts in dictionaries too. The text
/// of who wrote the file is fixed, so that equal runs give equal files whatever version wrote them.
fn properties(columns: &[Column]) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_created_by("plimsoll".to_owned())
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(None);
    let numbers = columns.iter().filter(|column| column.kind != Kind::Word);
    let builder = numbers.fold(builder, |builder, column| {
        let path = ColumnPath::from(column.name);
        builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
    });
    builder.build()
}

/// Parquet's integers have a sign; that of these columns is read as the highest bit.
fn small(cell: Cell<'_>) -> Option<i32> {
    match cell {
        Cell::Number(number) => Some(u32::try_from(number).unwrap_or(u32::MAX).cast_signed()),
        Cell::Empty | Cell::Word(_) => None,
    }
}

fn large(cell: Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Number(number) => Some(number.cast_signed()),
        Cell::Empty | Cell::Word(_) => None,
    }
}

fn word(cell: Cell<'_>) -> Option<ByteArray> {
    match cell {
        Cell::Word(word) => Some(ByteArray::from(word)),
        Cell::Empty | Cell::Number(_) => None,
    }
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    column: &Column,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General(format!("the file has no column {}", column.name)));
    };
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    let levels = match column.presence {
        Presence::Required => None,
        Presence::Optional => Some(levels.as_slice()),
    };
    writer.typed::<T>().write_batch(&values, levels, None)?;
    writer.close()
}

/// Reads all rows of a Parquet file, in order, into a sink. Other columns may stand beside those of the row.
///
/// # Errors
/// If the file cannot be read, lacks a column or has another type there, if a row does not make sense, or if
/// the sink takes no more.
pub fn read_table<R: Row>(path: &Path, sink: &mut dyn Sink<R>) -> io::Result<()> {
    let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(at)?;
    let reader = SerializedFileReader::new(file).map_err(from_parquet).map_err(at)?;
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index).map_err(from_parquet).map_err(at)?;
        read_group(group.as_ref(), sink).map_err(at)?;
    }
    Ok(())
}

fn read_group<R: Row>(group: &dyn RowGroupReader, sink: &mut dyn Sink<R>) -> io::Result<()> {
    let open = |column: &Column| OpenColumn::find(group, column);
    let mut columns = R::COLUMNS.iter().map(open).collect::<io::Result<Vec<_>>>()?;
    loop {
        let batches = columns.iter_mut().map(OpenColumn::next_batch).collect::<io::Result<Vec<_>>>()?;
        let rows = batches.iter().map(Batch::len).max().unwrap_or(0);
        if rows == 0 {
            return Ok(());
        }
        let mut cells = Vec::with_capacity(batches.len());
        for row in 0..rows {
            cells.clear();
            cells.extend(batches.iter().map(|batch| batch.cell(row)));
            sink.put(R::from_cells(&cells).map_err(invalid)?)?;
        }
    }
}

/// A column that is being read.
enum OpenColumn {
    Small(ColumnReaderImpl<Int32Type>),
    Large(ColumnReaderImpl<Int64Type>),
    Word(ColumnReaderImpl<ByteArrayType>),
}

/// Some rows of a column.
enum Batch {
    Small(Vec<Option<i32>>),
    Large(Vec<Option<i64>>),
    Word(Vec<Option<ByteArray>>),
}

impl OpenColumn {
    fn find(group: &dyn RowGroupReader, column: &Column) -> io::Result<Self> {
        let place = group.metadata().columns().iter().position(|found| {
            let found = found.column_descr();
            found.path().parts() == [column.name] && found.max_rep_level() == 0
        });
        let place = place.ok_or_else(|| invalid(format!("column \"{}\" is missing", column.name)))?;
        match (column.kind, group.get_column_reader(place).map_err(from_parquet)?) {
            (Kind::Small, ColumnReader::Int32ColumnReader(reader)) => Ok(Self::Small(reader)),
            (Kind::Large, ColumnReader::Int64ColumnReader(reader)) => Ok(Self::Large(reader)),
            (Kind::Word, ColumnReader::ByteArrayColumnReader(reader)) => Ok(Self::Word(reader)),
            _ => Err(invalid(format!("column \"{}\" has another type", column.name))),
        }
    }

    fn next_batch(&mut self) -> io::Result<Batch> {
        match self {
            Self::Small(reader) => read_batch(reader).map(Batch::Small),
            Self::Large(reader) => read_batch(reader).map(Batch::Large),
            Self::Word(reader) => read_batch(reader).map(Batch::Word),
        }
        .map_err(from_parquet)
    }
}

fn read_batch<T: DataType>(reader: &mut ColumnReaderImpl<T>) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let (rows, _, _) = reader.read_records(ROWS_PER_BATCH, Some(&mut levels), None, &mut values)?;
    let mut values = values.into_iter();
    // A column whose cells cannot be empty has no levels.
    let present = |row: usize| levels.get(row).is_none_or(|level| *level > 0);
    Ok((0..rows).map(|row| if present(row) { values.next() } else { None }).collect())
}

impl Batch {
    fn len(&self) -> usize {
        match self {
            Self::Small(cells) => cells.len(),
            Self::Large(cells) => cells.len(),
            Self::Word(cells) => cells.len(),
        }
    }

    /// A cell; empty beyond the last. A word that is no text becomes one that no row knows.
    fn cell(&self, row: usize) -> Cell<'_> {
        let found = match self {
            Self::Small(cells) => {
                cell_at(cells, row).map(|number| Cell::Number(number.cast_unsigned().into()))
            }
            Self::Large(cells) => cell_at(cells, row).map(|number| Cell::Number(number.cast_unsigned())),
            Self::Word(cells) => {
                cell_at(cells, row).map(|bytes| Cell::Word(bytes.as_utf8().unwrap_or("\u{fffd}")))
            }
        };
        found.unwrap_or(Cell::Empty)
    }
}

fn cell_at<T>(cells: &[Option<T>], row: usize) -> Option<&T> {
    cells.get(row)?.as_ref()
}

fn from_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        other => invalid(other),
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MessageRecord;
    use crate::record::made_up::completed;
    use crate::series::{Reading, Sample};
    use crate::sink::Discard;
    use crate::table::made_up::{any_record, any_sample};
    use plimsoll_units::{Bytes, Time};
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// A file of its own for a test, removed at its end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("plimsoll-metrics-{name}-{}.parquet", std::process::id())))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn write<R: Row>(place: &Place, rows: impl IntoIterator<Item = R>) {
        let mut table = TableWriter::create(&place.0).unwrap();
        for row in rows {
            table.put(row).unwrap();
        }
        table.finish().unwrap();
    }

    fn read<R: Row>(place: &Place) -> Vec<R> {
        let mut rows = Vec::new();
        read_table(&place.0, &mut rows).unwrap();
        rows
    }

    fn queue(at: u64) -> Sample {
        let reading = Reading::Queue(Bytes::new(at % 977));
        Sample { at: Time::from_ps(at * 1_000), subject: (at % 5) as u32, reading }
    }

    #[test]
    fn rows_beyond_one_group_come_back_in_order() {
        let place = Place::new("groups");
        let rows = 2 * ROWS_PER_GROUP as u64 + 12_345;
        write(&place, (0..rows).map(queue));
        assert!(read::<Sample>(&place).into_iter().eq((0..rows).map(queue)));
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_rows() {
        let place = Place::new("memory");
        let mut table = TableWriter::create(&place.0).unwrap();
        for at in 0..3 * ROWS_PER_GROUP as u64 {
            table.put(queue(at)).unwrap();
            assert!(table.rows.len() < ROWS_PER_GROUP);
        }
        assert_eq!(table.rows.capacity(), ROWS_PER_GROUP);
    }

    #[test]
    fn an_empty_table_is_a_table() {
        let place = Place::new("empty");
        write::<MessageRecord>(&place, []);
        assert!(read::<MessageRecord>(&place).is_empty());
    }

    #[test]
    fn a_file_with_other_columns_is_refused_by_the_name_of_the_column() {
        let place = Place::new("columns");
        write(&place, [queue(1)]);
        let error = read_table::<MessageRecord>(&place.0, &mut Discard).unwrap_err();
        assert!(error.to_string().contains("column \"message\" is missing"), "{error}");
    }

    #[test]
    fn a_file_without_its_end_is_refused() {
        let place = Place::new("cut");
        write(&place, [completed()]);
        let whole = std::fs::read(&place.0).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&place.0, &whole[..length]).unwrap();
            assert!(read_table::<MessageRecord>(&place.0, &mut Discard).is_err(), "{length}");
        }
    }

    #[test]
    fn a_sink_that_takes_no_more_ends_the_reading() {
        struct Full;
        impl Sink<Sample> for Full {
            fn put(&mut self, _: Sample) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let place = Place::new("full");
        write(&place, [queue(1)]);
        assert_eq!(read_table(&place.0, &mut Full).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_record_survives(records in prop::collection::vec(any_record(), 0..50)) {
            let place = Place::new("records");
            write(&place, records.clone());
            prop_assert_eq!(read::<MessageRecord>(&place), records);
        }

        #[test]
        fn any_sample_survives(samples in prop::collection::vec(any_sample(), 0..50)) {
            let place = Place::new("samples");
            write(&place, samples.clone());
            prop_assert_eq!(read::<Sample>(&place), samples);
        }
    }
}
