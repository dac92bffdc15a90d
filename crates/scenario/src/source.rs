//! A text and the places in it.

use crate::problem::{Kind, Problem};
use std::ops::Range;

/// A text with the name that messages give it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
}

impl Source<'_> {
    /// A problem with the bytes of `span`.
    pub(crate) fn problem(&self, kind: Kind, span: Range<usize>, message: String) -> Problem {
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
        let problem = Source { name: "x", text }.problem(Kind::Syntax, span, String::new());
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
}
