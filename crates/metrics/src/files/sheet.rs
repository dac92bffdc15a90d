//! [`Sheet`]: a table whose columns are known only when it is made, as CSV and Parquet.

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The cells of a column, from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; `None` is an empty cell.
    Numbers(Vec<Option<f64>>),
    /// Texts; `None` is an empty cell.
    Texts(Vec<Option<String>>),
}

impl Values {
    /// Numbers if every cell is one, or else texts.
    #[must_use]
    pub fn from_texts(cells: Vec<Option<String>>) -> Self {
        let number = |cell: &Option<String>| match cell {
            None => Some(None),
            Some(text) => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Some),
        };
        match cells.iter().map(number).collect() {
            Some(numbers) => Self::Numbers(numbers),
            None => Self::Texts(cells),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) => cells.len(),
            Self::Texts(cells) => cells.len(),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(cells) => {
                cells.get(row).copied().flatten().map_or(String::new(), |number| number.to_string())
            }
            Self::Texts(cells) => cells.get(row).cloned().flatten().unwrap_or_default(),
        }
    }
}

/// A table whose columns are known only when it is made. Columns that are shorter than others end in empty cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    columns: Vec<(String, Values)>,
}

impl Sheet {
    /// Adds a column at the right.
    pub fn push(&mut self, name: &str, values: Values) {
        self.columns.push((name.to_owned(), values));
    }

    /// The columns from left to right.
    #[must_use]
    pub fn columns(&self) -> &[(String, Values)] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0)
    }

    /// As comma-separated text with a line of names; cells with commas, quotes or line ends are quoted
    /// (RFC 4180, but for line ends, which are plain newlines).
    #[must_use]
    pub fn to_csv(&self) -> String {
        let names = self.columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>();
        let mut text = names.join(",") + "\n";
        for row in 0..self.rows() {
            let cells: Vec<String> =
                self.columns.iter().map(|(_, values)| quoted(&values.text(row))).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// Writes a Parquet file: numbers as doubles, texts as strings, all optional.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_parquet(&self, path: &Path) -> io::Result<()> {
        let file = File::create(path)?;
        self.write(file).map_err(|error| io::Error::other(error.to_string()))?.sync_all()
    }

    fn write(&self, file: File) -> Result<File, ParquetError> {
        let fields = self.columns.iter().map(|(name, values)| {
            let (physical, logical) = match values {
                Values::Numbers(_) => (PhysicalType::DOUBLE, None),
                Values::Texts(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
            builder.with_logical_type(logical).build().map(Arc::new)
        });
        let schema =
            Type::group_type_builder("schema").with_fields(fields.collect::<Result<_, _>>()?).build()?;
        let properties = WriterProperties::builder()
            .set_created_by("plimsoll".to_owned())
            .set_compression(Compression::SNAPPY)
            .build();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        let rows = self.rows();
        let mut group = writer.next_row_group()?;
        for (_, values) in &self.columns {
            match values {
                Values::Numbers(cells) => column::<DoubleType>(&mut group, rows, |row| *cells.get(row)?)?,
                Values::Texts(cells) => column::<ByteArrayType>(&mut group, rows, |row| {
                    cells.get(row)?.as_deref().map(ByteArray::from)
                })?,
            }
        }
        group.close()?;
        writer.into_inner()
    }
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    rows: usize,
    cell: impl Fn(usize) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = (0..rows).map(cell).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    if let Some(mut writer) = group.next_column()? {
        writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
        writer.close()?;
    }
    Ok(())
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::record::RowAccessor;

    fn sheet() -> Sheet {
        let texts =
            |cells: &[Option<&str>]| cells.iter().map(|cell| cell.map(str::to_owned)).collect::<Vec<_>>();
        let mut sheet = Sheet::default();
        sheet.push("law", Values::Texts(texts(&[Some("hpcc"), Some("poseidon, m = 0.5")])));
        sheet.push("load", Values::from_texts(texts(&[Some("0.5"), None])));
        sheet.push("rate", Values::from_texts(texts(&[Some("1"), Some("100Gbps")])));
        sheet.push("p99", Values::Numbers(vec![Some(1.25)]));
        sheet
    }

    #[test]
    fn a_column_has_numbers_if_all_its_cells_are_numbers() {
        assert_eq!(sheet().columns()[1].1, Values::Numbers(vec![Some(0.5), None]));
        assert!(matches!(sheet().columns()[2].1, Values::Texts(_)));
    }

    #[test]
    fn cells_with_commas_are_quoted_and_missing_ones_empty() {
        let expected = "law,load,rate,p99\nhpcc,0.5,1,1.25\n\"poseidon, m = 0.5\",,100Gbps,\n";
        assert_eq!(sheet().to_csv(), expected);
    }

    #[test]
    fn parquet_reads_back_to_the_same_cells() {
        let path = std::env::temp_dir().join(format!("plimsoll-sheet-{}.parquet", std::process::id()));
        sheet().write_parquet(&path).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].get_string(0).unwrap(), "poseidon, m = 0.5");
        assert_eq!(rows[0].get_double(1).unwrap(), 0.5);
        // Nothing is there to be read as a number.
        assert!(rows[1].get_double(1).is_err() && rows[1].get_double(3).is_err());
        assert_eq!(rows[0].get_double(3).unwrap(), 1.25);
    }
}
