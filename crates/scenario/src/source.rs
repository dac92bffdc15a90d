//! A text and the places in it.

use crate::problem::{Kind, Problem};
use std::ops::Range;

/// A text with the name that messages give it.
#[derive(Clone, Copy)]
struct Part<'t> {
    name: &'t str,
    text: &'t str,
    /// Where it begins among all parts.
    begin: usize,
}

/// The texts that a scenario is read from: a file, then what the command line sets. A place is a
/// number of bytes from the beginning of the first, as if all stood one behind the other.
pub(crate) struct Source<'t> {
    parts: Vec<Part<'t>>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(name: &'t str, text: &'t str) -> Self {
        Self { parts: vec![Part { name, text, begin: 0 }] }
    }

    /// Where the next part will begin.
    pub(crate) fn end(&self) -> usize {
        self.parts.last().map_or(0, |last| last.begin + last.text.len() + 1)
    }

    /// Adds a part that begins at [`Source::end`].
    pub(crate) fn add(&mut self, name: &'t str, text: &'t str) {
        self.parts.push(Part { name, text, begin: self.end() });
    }

    /// A problem with the bytes of `span`.
    pub(crate) fn problem(&self, kind: Kind, span: Range<usize>, message: String) -> Problem {
        let part = self.parts.iter().rev().find(|part| part.begin <= span.start);
        let Some(part) = part.or(self.parts.first()) else {
            return Part { name: "", text: "", begin: 0 }.problem(kind, 0..0, message);
        };
        part.problem(kind, span.start - part.begin..span.end.saturating_sub(part.begin), message)
    }
}

impl Part<'_> {
    fn problem(&self, kind: Kind, span: Range<usize>, message: String) -> Problem {
        let start = self.boundary(span.start);
        let end = self.boundary(span.end).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |newline| start + newline);
        let marked = &self.text[start..end.clamp(start, line_end)];
        Problem {
            kind,
            file: self.name.to_owned(),
            line: self.text[..line_start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            source_line: self.text[line_start..line_end].trim_end_matches('\r').to_owned(),
            marked: marked.trim_end().chars().count().max(1),
            message,
        }
    }

    /// The nearest character boundary at or below a byte offset.
    fn boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, span: Range<usize>) -> (usize, usize, usize) {
        let problem = Source::new("x", text).problem(Kind::Syntax, span, String::new());
        (problem.line, problem.column, problem.marked)
    }

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        assert_eq!(place("ab\ncd", 0..1), (1, 1, 1));
        assert_eq!(place("ab\ncd", 4..5), (2, 2, 1));
        // `µ` is two bytes: byte 3 is the third character.
        assert_eq!(place("µab\n", 3..4), (1, 3, 1));
    }

    #[test]
    fn a_span_over_several_lines_is_marked_on_the_first() {
        assert_eq!(place("abc\ndef", 1..6), (1, 2, 2));
    }

    #[test]
    fn a_span_outside_the_text_or_inside_a_character_is_brought_back() {
        assert_eq!(place("ab", 7..9), (1, 3, 1));
        assert_eq!(place("µ", 1..2), (1, 1, 1));
        assert_eq!(place("", 0..0), (1, 1, 1));
    }

    #[test]
    fn places_behind_the_first_text_are_in_the_next() {
        let mut source = Source::new("file", "ab\ncd");
        source.add("--set", "ef = 1");
        let problem = source.problem(Kind::Syntax, 11..12, String::new());
        assert_eq!((problem.file.as_str(), problem.line, problem.column), ("--set", 1, 6));
        assert_eq!(problem.source_line, "ef = 1");
    }
}
