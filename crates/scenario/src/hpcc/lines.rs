//! Words of a file, with their lines.

use std::fmt;

/// What is wrong with a file. Prints as `line: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for FileError {}

/// The words of a text, whatever lines they are on: HPCC's readers do not care for lines.
pub(super) struct Words<'t> {
    words: Box<dyn Iterator<Item = (usize, &'t str)> + 't>,
    /// The line of the last word.
    pub(super) line: usize,
}

impl<'t> Words<'t> {
    /// The words from line `first` (counted from 0) on.
    pub(super) fn from_line(text: &'t str, first: usize) -> Self {
        let words = text
            .lines()
            .enumerate()
            .skip(first)
            .flat_map(|(line, text)| text.split_whitespace().map(move |word| (line + 1, word)));
        Self { words: Box::new(words), line: first + 1 }
    }

    /// The next word; `what` says what it should be.
    pub(super) fn next(&mut self, what: &str) -> Result<&'t str, FileError> {
        match self.words.next() {
            Some((line, word)) => {
                self.line = line;
                Ok(word)
            }
            None => Err(self.error(format!("the file ends where {what} should be"))),
        }
    }

    /// The next word as `T`.
    pub(super) fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, FileError> {
        let word = self.next(what)?;
        word.parse().map_err(|_| self.error(format!("`{word}` is not {what}")))
    }

    pub(super) fn error(&self, message: String) -> FileError {
        FileError { line: self.line, message }
    }
}
