//! A paper's claim beside our number, and the table of them.

use std::fmt::Write;

/// A claim of a paper and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The figure, e.g. `poseidon/fig7a`.
    pub id: String,
    /// What is claimed.
    pub claim: String,
    /// The paper's number or word.
    pub paper: String,
    /// The paper's number, where it is one.
    pub paper_number: Option<f64>,
    /// Our number with its unit.
    pub ours: String,
    /// The same as a number, unless there is none.
    pub ours_number: Option<f64>,
    /// From the least to the most of our number over several seeds, if they differ.
    pub ours_range: Option<Range>,
    /// The unit of the numbers; empty for ratios and counts.
    pub unit: String,
    /// What became of it.
    pub ruling: Ruling,
    /// What the claim allows and why.
    pub note: String,
}

/// From where to where a number goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// As it is written, without the unit.
    pub text: String,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Claim {
    /// Our number, and its range if there is one: `66.9 Gb/s (65.2 to 67.1)`.
    #[must_use]
    pub fn ours_with_range(&self) -> String {
        match &self.ours_range {
            None => self.ours.clone(),
            Some(Range { text, .. }) => format!("{} ({text})", self.ours),
        }
    }
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The paper's statement holds.
    Holds,
    /// The paper's statement does not hold as printed; ours is what our analysis, which says why, expects.
    Differs,
    /// Ours is not what it should be.
    Fails,
    /// Not decided: the run was too short, or what it gave is not understood yet.
    Open,
}

impl Ruling {
    /// As it stands in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "pass",
            Self::Differs => "differs",
            Self::Fails => "FAIL",
            Self::Open => "open",
        }
    }
}

/// How many claims became what, as a sentence.
#[must_use]
pub fn summary<'c>(claims: impl IntoIterator<Item = &'c Claim>) -> String {
    let rulings: Vec<Ruling> = claims.into_iter().map(|claim| claim.ruling).collect();
    let count = |wanted: Ruling| rulings.iter().filter(|&&ruling| ruling == wanted).count();
    let mut text = format!("{} of {} claims hold", count(Ruling::Holds), rulings.len());
    match count(Ruling::Differs) {
        0 => {}
        1 => text.push_str(", 1 differs from the paper as explained in its README"),
        many => text.push_str(&format!(", {many} differ from the paper as explained in their READMEs")),
    }
    match count(Ruling::Open) {
        0 => {}
        many => text.push_str(&format!(", {many} open (too short a run, or not understood yet)")),
    }
    match count(Ruling::Fails) {
        0 => {}
        many => text.push_str(&format!(", {many} FAIL")),
    }
    text.push('.');
    text
}

/// The claims as a text table of at most `width` columns; long texts are wrapped in their cells.
#[must_use]
pub fn text_table(claims: &[Claim], width: usize) -> String {
    let header = ["figure", "claim", "paper", "ours", ""].map(str::to_owned);
    let rows: Vec<[String; 5]> = claims
        .iter()
        .map(|claim| {
            let Claim { id, claim: text, paper, .. } = claim;
            [id.clone(), text.clone(), paper.clone(), claim.ours_with_range(), claim.ruling.word().to_owned()]
        })
        .collect();
    let longest = |column: usize, limit: usize| {
        let lengths = rows.iter().chain([&header]).map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0).min(limit)
    };
    let mut widths = [longest(0, 24), 0, longest(2, 24), longest(3, 18), longest(4, 7)];
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

    fn claim(text: &str, ruling: Ruling) -> Claim {
        Claim {
            id: "poseidon/fig7a".to_owned(),
            claim: text.to_owned(),
            paper: "around 15".to_owned(),
            paper_number: Some(15.0),
            ours: "16".to_owned(),
            ours_number: Some(16.0),
            ours_range: None,
            unit: String::new(),
            ruling,
            note: String::new(),
        }
    }

    #[test]
    fn every_line_fits_the_width_and_no_word_is_lost() {
        let text = "a claim of so many words that it takes several lines of its cell to say it in full";
        let table = text_table(&[claim(text, Ruling::Holds), claim("short", Ruling::Fails)], 80);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        for word in text.split(' ') {
            assert!(table.contains(word), "{word} in\n{table}");
        }
    }

    #[test]
    fn the_range_over_seeds_stands_behind_our_number() {
        let ours_range = Some(Range { text: "15 to 17".to_owned(), least: 15.0, most: 17.0 });
        let table = text_table(&[Claim { ours_range, ..claim("short", Ruling::Holds) }], 100);
        assert!(table.contains("16 (15 to 17)"), "{table}");
    }

    #[test]
    fn a_failure_stands_out() {
        let table = text_table(&[claim("short", Ruling::Fails)], 80);
        assert!(table.contains("FAIL") && !table.contains("pass"));
    }

    #[test]
    fn a_disagreement_with_the_paper_is_no_pass() {
        let table = text_table(&[claim("short", Ruling::Differs)], 80);
        assert!(table.contains("differs") && !table.contains("pass") && !table.contains("FAIL"), "{table}");
    }

    #[test]
    fn the_sentence_counts_each_ruling_apart() {
        let (holds, differs, fails) =
            (claim("a", Ruling::Holds), claim("b", Ruling::Differs), claim("c", Ruling::Fails));
        assert_eq!(summary([&holds, &holds]), "2 of 2 claims hold.");
        let one = "1 of 2 claims hold, 1 differs from the paper as explained in its README.";
        assert_eq!(summary([&holds, &differs]), one);
        let all = "1 of 4 claims hold, 2 differ from the paper as explained in their READMEs, 1 FAIL.";
        assert_eq!(summary([&holds, &differs, &differs, &fails]), all);
        let open = "1 of 2 claims hold, 1 open (too short a run, or not understood yet).";
        assert_eq!(summary([&holds, &claim("d", Ruling::Open)]), open);
    }
}
