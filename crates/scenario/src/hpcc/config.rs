//! Configuration files.

use super::lines::FileError;
use plimsoll_units::Rate;
use std::collections::BTreeMap;

/// Which law `CC_MODE` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionMode {
    /// 1
    Dcqcn,
    /// 3
    Hpcc,
    /// 7
    Timely,
    /// 8
    Dctcp,
}

/// What a configuration file says: `KEY value...` per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, (usize, Vec<String>)>,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// If a key has no value.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let mut values = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            let Some(key) = words.next().filter(|key| !key.starts_with('#')) else { continue };
            let rest: Vec<String> = words.map(str::to_owned).collect();
            if rest.is_empty() {
                return Err(FileError { line: index + 1, message: format!("`{key}` has no value") });
            }
            values.insert(key.to_owned(), (index + 1, rest));
        }
        Ok(Self { values })
    }

    /// All keys.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The words of a key.
    pub(super) fn words(&self, key: &str) -> Option<(usize, &[String])> {
        self.values.get(key).map(|(line, words)| (*line, words.as_slice()))
    }

    /// The first word of a key, as `T`.
    pub(super) fn get<T: std::str::FromStr>(&self, key: &str, what: &str) -> Result<Option<T>, FileError> {
        let Some((line, words)) = self.words(key) else { return Ok(None) };
        let word = words.first().map_or("", String::as_str);
        let read =
            word.parse().map_err(|_| FileError { line, message: format!("`{key} {word}` is not {what}") })?;
        Ok(Some(read))
    }

    /// Whether a key is on (any number but 0).
    pub(super) fn on(&self, key: &str) -> Result<Option<bool>, FileError> {
        Ok(self.get::<f64>(key, "0 or 1")?.map(|value| value != 0.0))
    }

    /// A table of rates and values: `KMAX_MAP 2 100000000000 1600 400000000000 6400`.
    pub(super) fn map(&self, key: &str) -> Result<Option<Vec<(Rate, f64)>>, FileError> {
        let Some((line, words)) = self.words(key) else { return Ok(None) };
        let fail = || FileError {
            line,
            message: format!("`{key}` should be a count, then pairs of a rate in bit/s and a value"),
        };
        let numbers: Vec<f64> =
            words.iter().map(|word| word.parse()).collect::<Result<_, _>>().map_err(|_| fail())?;
        match numbers.split_first() {
            Some((count, rest))
                if rest.len() as f64 == 2.0 * count
                    && rest.iter().all(|number| (0.0..1e18).contains(number)) =>
            {
                Ok(Some(
                    rest.chunks(2).map(|pair| (Rate::saturating_from_bps_f64(pair[0]), pair[1])).collect(),
                ))
            }
            _ => Err(fail()),
        }
    }

    /// The law.
    ///
    /// # Errors
    /// If it is one that is not known here.
    pub fn mode(&self) -> Result<CongestionMode, FileError> {
        match self.get::<u32>("CC_MODE", "a number")? {
            Some(1) => Ok(CongestionMode::Dcqcn),
            Some(3) | None => Ok(CongestionMode::Hpcc),
            Some(7) => Ok(CongestionMode::Timely),
            Some(8) => Ok(CongestionMode::Dctcp),
            Some(other) => {
                let line = self.words("CC_MODE").map_or(1, |(line, _)| line);
                let message = format!(
                    "CC_MODE {other} is not known; it is 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)"
                );
                Err(FileError { line, message })
            }
        }
    }
}
