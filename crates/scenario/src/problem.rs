//! What is wrong with a text, and where.

use std::fmt;

/// What sort of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The text is not TOML.
    Syntax,
    /// Something that must be there is not.
    Missing,
    /// No such table, key, law or preset.
    Unknown,
    /// A value of the wrong type.
    WrongType,
    /// A text that is not a quantity of the wanted unit.
    WrongUnit,
    /// A value outside its bounds.
    OutOfBounds,
    /// Two values that contradict each other.
    Contradiction,
}

/// One problem of a text. Prints as `file:line:column: message` and the line with a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What sort of problem it is.
    pub kind: Kind,
    /// The text's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line itself.
    pub source_line: String,
    /// How many characters from `column` on the problem is about.
    pub marked: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, .. } = self;
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        // Tabs stay tabs below the line, so that the mark stands below its place.
        let indent: String =
            self.source_line.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
        writeln!(f, "{file}:{line}:{column}: {message}")?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{number} | {}", self.source_line)?;
        write!(f, "{gutter} | {indent}{}", "^".repeat(self.marked))
    }
}

/// All problems of a text, in the order of their place; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    /// The problems.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for problem in &self.0 {
            write!(f, "{separator}{problem}")?;
            separator = "\n\n";
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
