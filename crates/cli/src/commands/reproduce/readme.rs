//! Our results in the READMEs of figures: the table is what the last full run gave.

use crate::error::Error;
use crate::files;
use plimsoll_report::Claim;
use std::path::Path;

const HEAD: &str = "| claim | paper | ours | |\n|---|---|---|---|\n";

/// Writes our numbers into the table of each figure's README; figures without one are left out.
pub(in crate::commands) fn update(papers: &Path, claims: &[Claim]) -> Result<(), Error> {
    for of_figure in claims.chunk_by(|one, other| one.id == other.id) {
        let Some(first) = of_figure.first() else { continue };
        let path = papers.join(&first.id).join("README.md");
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Some(updated) = with_table(&text, of_figure).filter(|updated| *updated != text) {
            files::write(&path, updated.as_bytes())?;
        }
    }
    Ok(())
}

/// The text with these rows in its table; `None` if it has no table.
fn with_table(text: &str, claims: &[Claim]) -> Option<String> {
    let (before, rest) = text.split_once(HEAD)?;
    let rows = rest.lines().take_while(|line| line.starts_with('|'));
    let after = rest.get(rows.map(|row| row.len() + 1).sum::<usize>().min(rest.len())..)?;
    let row = |claim: &Claim| {
        let Claim { claim: text, paper, ruling, .. } = claim;
        format!("| {text} | {paper} | {} | {} |\n", claim.ours_with_range(), ruling.word())
    };
    Some(format!("{before}{HEAD}{}{after}", claims.iter().map(row).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_report::Ruling;
    use plimsoll_report::claims::Range;

    #[test]
    fn rows_are_replaced_and_the_rest_stays() {
        let claim = Claim {
            id: "x/y".into(),
            claim: "fast".into(),
            paper: "15".into(),
            paper_number: None,
            ours: "16 µs".into(),
            ours_number: Some(16.0),
            ours_range: Some(Range { text: "15 to 18".into(), least: 15.0, most: 18.0 }),
            unit: "µs".into(),
            ruling: Ruling::Differs,
            note: String::new(),
        };
        let text = format!(
            "# Title\n\n## Result\n{HEAD}| old | 1 | 2 | pass |\n| old | 1 | 2 | pass |\n\nThe end.\n"
        );
        let expected =
            format!("# Title\n\n## Result\n{HEAD}| fast | 15 | 16 µs (15 to 18) | differs |\n\nThe end.\n");
        assert_eq!(with_table(&text, std::slice::from_ref(&claim)).as_deref(), Some(expected.as_str()));
        assert_eq!(
            with_table(&expected, std::slice::from_ref(&claim)),
            Some(expected.clone()),
            "twice is once"
        );
        assert_eq!(with_table("# Title\n", &[claim]), None);
    }
}
