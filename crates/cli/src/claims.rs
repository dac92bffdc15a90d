//! What a paper claims, as its folder in `papers/` says it, and whether our numbers agree.

use plimsoll_report::{Claim, Ruling};
use serde::Deserialize;

/// A figure's `claims.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimFile {
    /// What the figure shows.
    pub(crate) title: String,
    /// The question and how it is answered, for the report.
    pub(crate) text: String,
    /// What `--quick` sets in every variant, each `key=value`: shorter steps, fewer flows.
    #[serde(default)]
    pub(crate) quick: Vec<String>,
    /// The runs of the figure's scenario, if it has one.
    #[serde(default, rename = "variant")]
    pub(crate) variants: Vec<Variant>,
    #[serde(rename = "claim")]
    pub(crate) claims: Vec<Allowed>,
}

/// A run of the figure's scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    /// Its name in the figure.
    pub(crate) name: String,
    /// Another law than the scenario's, `name` or `name:preset`.
    pub(crate) cc: Option<String>,
    /// Other values, each `key=value`.
    #[serde(default)]
    pub(crate) set: Vec<String>,
}

/// One claim with what we allow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowed {
    /// Which of the figure's numbers it is about.
    pub(crate) measure: String,
    /// What is claimed.
    claim: String,
    /// The paper's own number or word.
    paper: String,
    /// The same as a number in `unit`, where it is one.
    paper_number: Option<f64>,
    /// Written after our number.
    #[serde(default)]
    unit: String,
    /// The least that passes.
    pub(crate) from: f64,
    /// The most that passes.
    pub(crate) to: f64,
    /// Why these bounds.
    why: String,
    /// Present where the paper's statement does not hold as printed: why not. The bounds are then around
    /// what our analysis gives instead, and do not hold what the paper says.
    differs: Option<String>,
}

impl ClaimFile {
    pub(crate) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}

impl Allowed {
    /// The claim beside our number; a number that is missing or NaN fails.
    pub(crate) fn judge(&self, id: &str, ours: Option<f64>) -> Claim {
        let expected = ours.is_some_and(|number| self.from <= number && number <= self.to);
        let ruling = match (expected, &self.differs) {
            (false, _) => Ruling::Fails,
            (true, None) => Ruling::Holds,
            (true, Some(_)) => Ruling::Differs,
        };
        let printed = ours.map_or("none".to_owned(), |number| with_unit(number, &self.unit));
        let allowed = if self.from.to_bits() == self.to.to_bits() {
            format!("exactly {}", with_unit(self.from, &self.unit))
        } else if self.to == f64::INFINITY {
            format!("at least {}", with_unit(self.from, &self.unit))
        } else if self.from == f64::NEG_INFINITY {
            format!("at most {}", with_unit(self.to, &self.unit))
        } else {
            format!("{} to {}", number(self.from), with_unit(self.to, &self.unit))
        };
        Claim {
            id: id.to_owned(),
            claim: self.claim.clone(),
            paper: self.paper.clone(),
            paper_number: self.paper_number,
            ours: printed,
            ours_number: ours.filter(|number| number.is_finite()),
            ruling,
            note: match &self.differs {
                None => format!("{allowed}: {}", self.why),
                Some(reason) => format!("{reason}. Ours: {allowed}, {}", self.why),
            },
        }
    }
}

fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => number(value),
        "%" => format!("{} %", number(value)),
        unit => format!("{} {unit}", number(value)),
    }
}

/// Four significant digits, without zeros at the end.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    if !(-4.0..9.0).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let decimals = (3.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "title = 't'\ntext = 'q'\n[[claim]]\nmeasure = 'n'\nclaim = 'c'\npaper = 'around 15'\n\
                        unit = 'RTTs'\nfrom = 13\nto = 18\nwhy = 'slack'\n";

    #[test]
    fn a_number_passes_exactly_within_its_bounds() {
        let file = ClaimFile::parse(FILE).unwrap();
        let pass = |ours| file.claims[0].judge("x/y", ours).ruling == Ruling::Holds;
        assert!(pass(Some(13.0)) && pass(Some(18.0)));
        assert!(!pass(Some(12.99)) && !pass(Some(18.01)) && !pass(Some(f64::NAN)) && !pass(None));
    }

    #[test]
    fn a_known_disagreement_never_passes_and_fails_when_ours_changes() {
        let file = ClaimFile::parse(&format!("{FILE}differs = 'a sign is wrong'\n")).unwrap();
        let row = |ours| file.claims[0].judge("x/y", ours);
        assert_eq!(row(Some(16.0)).ruling, Ruling::Differs);
        assert_eq!(row(Some(16.0)).note, "a sign is wrong. Ours: 13 to 18 RTTs, slack");
        assert_eq!((row(Some(19.0)).ruling, row(None).ruling), (Ruling::Fails, Ruling::Fails));
    }

    #[test]
    fn the_row_says_ours_and_what_is_allowed() {
        let row = ClaimFile::parse(FILE).unwrap().claims[0].judge("x/y", Some(16.0));
        assert_eq!((row.ours.as_str(), row.note.as_str()), ("16 RTTs", "13 to 18 RTTs: slack"));
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        assert!(ClaimFile::parse(&FILE.replace("why", "wy")).is_err());
    }

    #[test]
    fn numbers_have_four_digits_and_no_idle_zeros() {
        let texts = [0.0, 16.0, 0.968, 3.010_3, 12_345.6, 1.978_8e-8, 0.002_1].map(number);
        assert_eq!(texts, ["0", "16", "0.968", "3.01", "12346", "1.979e-8", "0.0021"]);
    }
}
