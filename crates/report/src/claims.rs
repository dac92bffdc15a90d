//! A paper's claim beside our number, and the table of them.

use std::fmt::Write;

/// A claim of a paper and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The figure, e.g. `poseidon/fig7a`.
    pub id: String,
    /// What is claimed.
    pub claim: String,
    /// The paper's number or word.
    pub paper: String,
    /// Our number.
    pub ours: String,
    /// Whether ours is within what the claim allows.
    pub pass: bool,
    /// What the claim allows and why.
    pub note: String,
}

impl Claim {
    /// `pass` or `FAIL`.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        if self.pass { "pass" } else { "FAIL" }
    }
}

/// The claims as a text table of at most `width` columns; long texts are wrapped in their cells.
#[must_use]
pub fn text_table(claims: &[Claim], width: usize) -> String {
    let header = ["figure", "claim", "paper", "ours", ""].map(str::to_owned);
    let rows: Vec<[String; 5]> = claims
        .iter()
        .map(|claim| {
            let Claim { id, claim: text, paper, ours, .. } = claim;
            [id.clone(), text.clone(), paper.clone(), ours.clone(), claim.verdict().to_owned()]
        })
        .collect();
    let longest = |column: usize, limit: usize| {
        let lengths = rows.iter().chain([&header]).map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0).min(limit)
    };
    let mut widths = [longest(0, 24), 0, longest(2, 24), longest(3, 18), longest(4, 4)];
    let others: usize = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
    widths[1] = width.saturating_sub(others).clamp(24, longest(1, 200).max(24));
    let mut out = String::new();
    write_row(&mut out, &header, &widths);
    let rule = widths.map(|width| "─".repeat(width));
    write_row(&mut out, &rule, &widths);
    for row in &rows {
        write_row(&mut out, row, &widths);
    }
    out
}

fn write_row(out: &mut String, cells: &[String; 5], widths: &[usize; 5]) {
    let wrapped: Vec<Vec<String>> =
        cells.iter().zip(widths).map(|(cell, &width)| wrap(cell, width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let mut text = String::new();
        for (cell, width) in wrapped.iter().zip(widths) {
            let part = cell.get(line).map_or("", String::as_str);
            // Writing to a String cannot fail.
            let _ = write!(text, "{part:<width$}  ");
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}

/// Lines of at most `width` characters, broken at spaces where there are any.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word, width.max(1)).enumerate() {
            let last = lines.last_mut();
            match last {
                Some(line) if line.is_empty() => *line = piece,
                Some(line) if index == 0 && line.chars().count() + 1 + piece.chars().count() <= width => {
                    line.push(' ');
                    line.push_str(&piece);
                }
                _ => lines.push(piece),
            }
        }
    }
    lines
}

fn pieces(word: &str, width: usize) -> impl Iterator<Item = String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(width).map(|chunk| chunk.iter().collect()).collect::<Vec<String>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str, pass: bool) -> Claim {
        Claim {
            id: "poseidon/fig7a".to_owned(),
            claim: text.to_owned(),
            paper: "around 15".to_owned(),
            ours: "16".to_owned(),
            pass,
            note: String::new(),
        }
    }

    #[test]
    fn every_line_fits_the_width_and_no_word_is_lost() {
        let text = "a claim of so many words that it takes several lines of its cell to say it in full";
        let table = text_table(&[claim(text, true), claim("short", false)], 80);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        for word in text.split(' ') {
            assert!(table.contains(word), "{word} in\n{table}");
        }
    }

    #[test]
    fn a_failure_stands_out() {
        let table = text_table(&[claim("short", false)], 80);
        assert!(table.contains("FAIL") && !table.contains("pass"));
    }
}
