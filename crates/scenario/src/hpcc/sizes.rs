//! Distributions of flow sizes.

use super::lines::FileError;
use crate::sizes::Distribution;

/// What a distribution file says: lines `bytes percent`.
///
/// # Errors
/// Names the line and what should be there.
pub fn sizes(text: &str) -> Result<Distribution, FileError> {
    let mut points = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let point = match (words.next(), words.next(), words.next()) {
            (Some(bytes), Some(percent), None) => bytes.parse::<f64>().ok().zip(percent.parse::<f64>().ok()),
            _ => None,
        };
        let Some((bytes, percent)) = point.filter(|(bytes, _)| (0.0..1e18).contains(bytes)) else {
            return Err(FileError {
                line: index + 1,
                message: format!("`{line}` should be `bytes percent`"),
            });
        };
        points.push((bytes as u64, percent / 100.0));
    }
    Distribution::new(points).map_err(|error| FileError { line: error.line, message: error.message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_become_shares() {
        let distribution = sizes("0 0\n10000 15\n\n30000000 100\n").unwrap();
        assert_eq!(distribution.points(), [(0, 0.0), (10_000, 0.15), (30_000_000, 1.0)]);
        assert_eq!(sizes("0 0\n10 x\n").unwrap_err().to_string(), "2: `10 x` should be `bytes percent`");
        assert!(sizes("").is_err());
    }
}
