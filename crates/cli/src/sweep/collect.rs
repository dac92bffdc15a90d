//! The results of a sweep as tables: a row per point, and means over seeds.

use super::Prepared;
use crate::error::Error;
use crate::results;
use plimsoll_metrics::Summary;
use plimsoll_metrics::confidence::{Interval, mean_interval};
use plimsoll_metrics::files::{Results, Sheet, Values};
use plimsoll_metrics::slowdown::Distribution;
use serde_json::{Map, Value};
use std::path::Path;

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// The points that have results.
pub(crate) struct Collected<'p> {
    prepared: &'p Prepared,
    rows: Vec<Row>,
}

/// A point with its results, the summary's inner tables flattened.
struct Row {
    index: usize,
    summary: Map<String, Value>,
    failed_flows: u64,
}

/// Points that differ in nothing but their seeds.
pub(crate) struct Group {
    /// Law and values of the keys that vary; empty where the point does not set the key.
    pub(crate) law: String,
    pub(crate) values: Vec<String>,
    rows: Vec<usize>,
}

impl<'p> Collected<'p> {
    /// Reads the folders of these points.
    pub(crate) fn read(
        prepared: &'p Prepared,
        folder: &Path,
        points: impl Iterator<Item = usize>,
    ) -> Result<Self, Error> {
        let mut rows = Vec::new();
        for index in points {
            let path = folder.join(&prepared.jobs[index].folder);
            let results = Results::open(&path).map_err(results::problem(&path))?;
            let failed_flows = results.summary().failed;
            rows.push(Row { index, summary: flat(results.summary())?, failed_flows });
        }
        Ok(Self { prepared, rows })
    }

    /// The folders of points in which flows failed, and how many did.
    pub(crate) fn failed_flows(&self) -> impl Iterator<Item = (&str, u64)> {
        let failed = self.rows.iter().filter(|row| row.failed_flows > 0);
        failed.map(|row| (self.prepared.jobs[row.index].folder.as_str(), row.failed_flows))
    }

    /// A row per point: its folder, law, values and seed, then the summary.
    pub(crate) fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        let jobs = || self.rows.iter().map(|row| &self.prepared.jobs[row.index]);
        sheet.push("point", Values::Texts(jobs().map(|job| Some(job.folder.clone())).collect()));
        sheet.push("cc", Values::Texts(jobs().map(|job| Some(job.law.clone())).collect()));
        for key in &self.prepared.sweep.keys {
            let cell = |row: &Row| self.value(row.index, key).map(str::to_owned);
            sheet.push(key, Values::from_texts(self.rows.iter().map(cell).collect()));
        }
        sheet.push("seed", Values::Numbers(jobs().map(|job| Some(job.seed as f64)).collect()));
        for column in columns() {
            if ["law", "seed"].contains(&column.as_str()) {
                continue;
            }
            let cell = |row: &Row| match row.summary.get(&column)? {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                value => Some(value.to_string()),
            };
            let cells = self.rows.iter().map(cell).collect();
            // A hash of digits alone is a text nevertheless.
            let values =
                if column == "trace_hash" { Values::Texts(cells) } else { Values::from_texts(cells) };
            sheet.push(&column, values);
        }
        sheet
    }

    /// The rows as JSON objects, in the columns of [`Collected::sheet`].
    pub(crate) fn json(&self) -> Vec<Value> {
        let row = |row: &Row| {
            let job = &self.prepared.jobs[row.index];
            let mut object = Map::new();
            object.insert("point".to_owned(), job.folder.clone().into());
            object.insert("cc".to_owned(), job.law.clone().into());
            for (key, value) in &self.prepared.sweep.points[row.index].values {
                object.insert(key.clone(), value.parse::<f64>().map_or(value.clone().into(), Value::from));
            }
            object.extend(row.summary.clone());
            Value::Object(object)
        };
        self.rows.iter().map(row).collect()
    }

    fn value(&self, index: usize, key: &str) -> Option<&str> {
        let values = &self.prepared.sweep.points[index].values;
        values.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The points, those together that differ in their seeds alone.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let law = &self.prepared.jobs[row.index].law;
            let keys = self.prepared.sweep.keys.iter();
            let values: Vec<String> =
                keys.map(|key| self.value(row.index, key).unwrap_or_default().to_owned()).collect();
            match groups.iter_mut().find(|group| group.law == *law && group.values == values) {
                Some(group) => group.rows.push(at),
                None => groups.push(Group { law: law.clone(), values, rows: vec![at] }),
            }
        }
        groups
    }

    /// The mean of a column over a group's seeds, and the interval that holds the true one with 95 % confidence
    /// if there are two seeds or more.
    pub(crate) fn mean(&self, group: &Group, column: &str) -> Option<(f64, Option<Interval>)> {
        let values: Option<Vec<f64>> =
            group.rows.iter().map(|row| self.rows[*row].summary.get(column)?.as_f64()).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some((mean, mean_interval(&values, CONFIDENCE)))
    }
}

impl Group {
    /// How many seeds it has.
    pub(crate) fn seeds(&self) -> usize {
        self.rows.len()
    }
}

/// The columns of a summary, in its order, those of inner tables with a dot.
fn columns() -> Vec<String> {
    let summary = Summary { slowdown: Distribution::of([1.0]), ..Summary::default() };
    flat(&summary).map(|columns| columns.keys().cloned().collect()).unwrap_or_default()
}

/// Those that are numbers.
pub(crate) fn numeric_columns() -> Vec<String> {
    let summary = Summary { slowdown: Distribution::of([1.0]), ..Summary::default() };
    let columns = flat(&summary).unwrap_or_default();
    columns.into_iter().filter(|(_, value)| value.is_number()).map(|(name, _)| name).collect()
}

/// A summary without inner tables.
fn flat(summary: &Summary) -> Result<Map<String, Value>, Error> {
    let mut flat = Map::new();
    if let Value::Object(keys) = serde_json::to_value(summary)? {
        for (key, value) in keys {
            match value {
                Value::Object(inner) => {
                    flat.extend(inner.into_iter().map(|(name, value)| (format!("{key}.{name}"), value)));
                }
                value => {
                    flat.insert(key, value);
                }
            }
        }
    }
    Ok(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_tables_of_a_summary_have_columns_with_a_dot() {
        let columns = columns();
        for column in ["slowdown.p99", "drops_by_cause.buffer", "packet_hops", "trace_hash"] {
            assert!(columns.iter().any(|name| name == column), "{column} is not in {columns:?}");
        }
        assert!(!numeric_columns().iter().any(|name| name == "trace_hash" || name == "slowdown"));
    }
}
