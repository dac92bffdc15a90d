//! How many checks passed, failed and were skipped.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of checks. A test step counts its test cases, any other step counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Count {
    pub(crate) const PASSED: Self = Self { passed: 1, failed: 0, skipped: 0 };
    pub(crate) const FAILED: Self = Self { passed: 0, failed: 1, skipped: 0 };
    pub(crate) const SKIPPED: Self = Self { passed: 0, failed: 0, skipped: 1 };
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The line that scripts read: the skipped are only mentioned if there are any.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

/// Adds up the `test result:` lines of a stream that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    line: Vec<u8>,
    count: Count,
    results: u64,
}

impl Tally {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == b'\n' {
                self.end_line();
            } else {
                self.line.push(byte);
            }
        }
    }

    /// The sum, or nothing if the stream held no result at all.
    pub(crate) fn finish(mut self) -> Option<Count> {
        self.end_line();
        (self.results > 0).then_some(self.count)
    }

    fn end_line(&mut self) {
        if let Some(count) = result_line(&String::from_utf8_lossy(&self.line)) {
            self.count += count;
            self.results += 1;
        }
        self.line.clear();
    }
}

/// Reads `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s`.
/// An ignored test was not run, so it counts as skipped.
fn result_line(line: &str) -> Option<Count> {
    let line = without_colour(line);
    let (_verdict, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |label: &str| {
        let part = numbers.split(';').find_map(|part| part.trim().strip_suffix(label));
        part?.trim().parse::<u64>().ok()
    };
    Some(Count { passed: number("passed")?, failed: number("failed")?, skipped: number("ignored")? })
}

/// Drops terminal colour sequences (ESC [ … m), which a harness writes if its environment forces colour.
fn without_colour(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or("", |(_sequence, text)| text));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(text: &str) -> Option<Count> {
        let mut tally = Tally::default();
        tally.feed(text.as_bytes());
        tally.finish()
    }

    const ONE: &str =
        "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s\n";
    const TWO: &str =
        "test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s\n";

    #[test]
    fn results_of_several_binaries_add_up() {
        let text = format!("running 13 tests\ntest a ... ok\n\n{ONE}\nrunning 7 tests\n{TWO}");
        assert_eq!(tally(&text), Some(Count { passed: 17, failed: 2, skipped: 1 }));
    }

    #[test]
    fn a_result_cut_anywhere_is_still_read() {
        for cut in 0..TWO.len() {
            let mut tally = Tally::default();
            tally.feed(&TWO.as_bytes()[..cut]);
            tally.feed(&TWO.as_bytes()[cut..]);
            assert_eq!(tally.finish(), Some(Count { passed: 5, failed: 2, skipped: 0 }), "cut at {cut}");
        }
    }

    #[test]
    fn a_last_line_without_newline_counts() {
        assert_eq!(tally(ONE.trim_end()), Some(Count { passed: 12, failed: 0, skipped: 1 }));
    }

    #[test]
    fn a_stream_without_results_is_not_taken_for_success() {
        assert_eq!(tally("error: could not compile `x`\n"), None);
        assert_eq!(tally(""), None);
    }

    #[test]
    fn only_a_whole_line_from_its_start_is_a_result() {
        assert_eq!(tally(&format!("expected '{ONE}")), None);
        assert_eq!(tally("test result: ok. many passed; 0 failed; 0 ignored\n"), None);
        assert_eq!(tally("test result: ok. 3 passed\n"), None);
    }

    #[test]
    fn colour_does_not_hide_a_result() {
        assert_eq!(
            tally("test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 4 passed; 0 failed; 0 ignored; 0 measured\n"),
            Some(Count { passed: 4, failed: 0, skipped: 0 })
        );
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let mut tally = Tally::default();
        tally.feed(&[0xff, 0xfe, b'\n']);
        tally.feed(ONE.as_bytes());
        assert_eq!(tally.finish().map(|count| count.passed), Some(12));
    }

    #[test]
    fn the_last_line_mentions_the_skipped_only_if_there_are_any() {
        assert_eq!(Count { passed: 7, failed: 0, skipped: 0 }.to_string(), "7 passed, 0 failed");
        assert_eq!(Count { passed: 7, failed: 1, skipped: 2 }.to_string(), "7 passed, 1 failed, 2 skipped");
    }
}
