//! What a paper claims, as its folder in `papers/` says it, and whether our numbers agree.

use crate::figures::Effort;
use plimsoll_report::claims::Range;
use plimsoll_report::{Claim, Ruling};
use serde::Deserialize;
use std::num::NonZeroU32;

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
    quick: Vec<String>,
    /// What `--middle` sets in every variant: for figures whose full scale takes hours.
    #[serde(default)]
    middle: Vec<String>,
    /// How many seeds the runs are done with, the scenario's and those after it; `--quick` does one. Only a
    /// scenario that draws nothing, or one whose single run has draws enough, has a reason for less than three.
    #[serde(default = "three")]
    seeds: NonZeroU32,
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
    /// Whether `--quick` runs it too.
    #[serde(default = "yes")]
    quick: bool,
}

const fn yes() -> bool {
    true
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
    /// Whether only a full run can decide it: shorter ones leave it open.
    #[serde(default)]
    full: bool,
    /// Present where it is not decided: what is known and what is missing.
    open: Option<String>,
}

/// The least from which a median tells more than one run.
fn three() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(2)
}

impl ClaimFile {
    pub(crate) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: Self = toml::from_str(text)?;
        let allows_nothing =
            |claim: &&Allowed| claim.from > claim.to || claim.from.is_nan() || claim.to.is_nan();
        match file.claims.iter().find(allows_nothing) {
            Some(Allowed { measure, from, to, .. }) => {
                let message =
                    format!("the claim about `{measure}` allows nothing: `from` is {from}, `to` {to}");
                Err(serde::de::Error::custom(message))
            }
            None => Ok(file),
        }
    }

    /// The variants that are run: `--quick` leaves some out.
    pub(crate) fn asked(&self, effort: Effort) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(move |variant| effort != Effort::Quick || variant.quick)
    }

    /// What `--quick` or `--middle` sets in every variant.
    pub(crate) fn shortens(&self, effort: Effort) -> &[String] {
        match effort {
            Effort::Quick => &self.quick,
            Effort::Middle => &self.middle,
            Effort::Full => &[],
        }
    }

    /// How many seeds the runs are done with.
    pub(crate) fn seeds(&self, effort: Effort) -> u64 {
        match effort {
            Effort::Quick => 1,
            Effort::Middle | Effort::Full => u64::from(self.seeds.get()),
        }
    }
}

/// A number as several seeds gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// `None` of nothing; all are NaN if one is, so that a seed without a number is seen.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        if sorted.iter().any(|value| value.is_nan()) {
            return Some(Self { median: f64::NAN, least: f64::NAN, most: f64::NAN });
        }
        let upper = sorted[sorted.len() / 2];
        let lower = sorted[(sorted.len() - 1) / 2];
        // Two infinities have a middle, too.
        let median = if lower.to_bits() == upper.to_bits() { lower } else { f64::midpoint(lower, upper) };
        Some(Self { median, least, most })
    }
}

/// Why there may be no number, for those who edited a scenario.
const NO_NUMBER: &str = "The runs do not show what is measured: a goal that is not reached, or no flow or no sample \
                         in the time that the figure looks at. A longer run may show it";

#[cfg(test)]
impl Allowed {
    /// Whether it differs from the paper, and yet the paper's own number would be within its bounds.
    pub(crate) fn differs_around_the_paper(&self) -> bool {
        let within = |number: f64| self.from <= number && number <= self.to;
        self.differs.is_some() && self.paper_number.is_some_and(within)
    }
}

impl Allowed {
    /// The claim beside our number, which is the median over seeds; one that is missing or NaN fails.
    pub(crate) fn judge(&self, id: &str, effort: Effort, spread: Option<Spread>) -> Claim {
        let ours = spread.map(|spread| spread.median);
        let expected = ours.is_some_and(|number| self.from <= number && number <= self.to);
        let too_short = self.full && effort != Effort::Full;
        let ruling = match (expected, &self.differs) {
            _ if too_short || self.open.is_some() => Ruling::Open,
            (false, _) => Ruling::Fails,
            (true, None) => Ruling::Holds,
            (true, Some(_)) => Ruling::Differs,
        };
        let missing = ours.is_none_or(f64::is_nan);
        let printed = match ours {
            Some(number) if !missing => with_unit(number, &self.unit),
            _ => "none".to_owned(),
        };
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
            ours_range: spread.and_then(|spread| self.range(spread)),
            unit: self.unit.clone(),
            ruling,
            note: match (&self.open, &self.differs) {
                (Some(open), _) => format!("{open}. Allowed: {allowed}, {}", self.why),
                (None, _) if too_short => {
                    format!("only a full run decides. Allowed: {allowed}, {}", self.why)
                }
                (None, _) if missing => {
                    format!("{allowed}. {NO_NUMBER}")
                }
                (None, None) => format!("{allowed}: {}", self.why),
                (None, Some(reason)) => format!("{reason}. Ours: {allowed}, {}", self.why),
            },
        }
    }
}

impl Allowed {
    /// From the least to the most over seeds, unless they look the same.
    fn range(&self, Spread { least, most, .. }: Spread) -> Option<Range> {
        let text = format!("{} to {}", number(least), number(most));
        let differ = number(least) != number(most) && least.is_finite() && most.is_finite();
        differ.then_some(Range { text, least, most })
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

    fn judged(file: &ClaimFile, ours: Option<f64>) -> Claim {
        file.claims[0].judge("x/y", Effort::Full, ours.and_then(|ours| Spread::of(&[ours])))
    }

    #[test]
    fn the_median_counts_and_the_range_is_shown() {
        let file = ClaimFile::parse(FILE).unwrap();
        let row = |values: &[f64]| file.claims[0].judge("x/y", Effort::Full, Spread::of(values));
        // 12 and 19 would fail alone; the middle of 12, 14, 19 is 14.
        let three = row(&[19.0, 12.0, 14.0]);
        assert_eq!((three.ruling, three.ours.as_str()), (Ruling::Holds, "14 RTTs"));
        assert_eq!(three.ours_range.unwrap().text, "12 to 19");
        // Of four, the mean of the two in the middle: (14 + 17)/2.
        assert_eq!(row(&[19.0, 12.0, 14.0, 17.0]).ours_number, Some(15.5));
        assert_eq!(row(&[14.0, 14.0]).ours_range, None);
    }

    #[test]
    fn one_seed_without_a_number_fails_the_claim() {
        let file = ClaimFile::parse(FILE).unwrap();
        let row = file.claims[0].judge("x/y", Effort::Full, Spread::of(&[14.0, f64::NAN, 15.0]));
        assert_eq!((row.ruling, row.ours_range, row.ours.as_str()), (Ruling::Fails, None, "none"));
        assert!(row.note.starts_with("13 to 18 RTTs. The runs do not show"), "{}", row.note);
        // A time that was never reached is a number: the largest.
        let never = Spread::of(&[f64::INFINITY, f64::INFINITY, 15.0]).unwrap();
        assert_eq!((never.median, never.least), (f64::INFINITY, 15.0));
    }

    #[test]
    fn what_only_a_full_run_decides_is_open_in_a_short_one() {
        let text = "title = \"t\"\ntext = \"t\"\n[[claim]]\nmeasure = \"m\"\nclaim = \"c\"\npaper = \"p\"\n\
                    from = 1.0\nto = 2.0\nwhy = \"w\"\nfull = true\n";
        let judge = |text: &str, effort, ours| {
            ClaimFile::parse(text).unwrap().claims[0].judge("x/y", effort, Spread::of(&[ours])).ruling
        };
        assert_eq!(judge(text, Effort::Quick, 9.0), Ruling::Open);
        assert_eq!(judge(text, Effort::Middle, 1.5), Ruling::Open);
        assert_eq!(judge(text, Effort::Full, 1.5), Ruling::Holds);
        assert_eq!(judge(text, Effort::Full, 9.0), Ruling::Fails);
        let open = text.replace("full = true", "open = \"why is not known\"");
        assert_eq!(judge(&open, Effort::Full, 1.5), Ruling::Open);
    }

    #[test]
    fn bounds_that_allow_nothing_are_refused() {
        for (from, to) in [("2.0", "1.0"), ("nan", "1.0")] {
            let text = format!(
                "title = \"t\"\ntext = \"t\"\n[[claim]]\nmeasure = \"m\"\nclaim = \"c\"\npaper = \"p\"\n\
                 from = {from}\nto = {to}\nwhy = \"w\"\n"
            );
            let error = ClaimFile::parse(&text).unwrap_err().to_string();
            assert!(error.contains("the claim about `m` allows nothing"), "{error}");
        }
    }

    #[test]
    fn three_seeds_unless_the_file_says_otherwise() {
        let seeds = |text: &str| ClaimFile::parse(text).map(|file| file.seeds(Effort::Full));
        assert_eq!(seeds(FILE).unwrap(), 3);
        assert_eq!(seeds(&format!("seeds = 5\n{FILE}")).unwrap(), 5);
        assert_eq!(ClaimFile::parse(FILE).unwrap().seeds(Effort::Quick), 1);
        assert!(seeds(&format!("seeds = 0\n{FILE}")).is_err());
    }

    #[test]
    fn a_number_passes_exactly_within_its_bounds() {
        let file = ClaimFile::parse(FILE).unwrap();
        let pass = |ours: Option<f64>| judged(&file, ours).ruling == Ruling::Holds;
        assert!(pass(Some(13.0)) && pass(Some(18.0)));
        assert!(!pass(Some(12.99)) && !pass(Some(18.01)) && !pass(Some(f64::NAN)) && !pass(None));
    }

    #[test]
    fn a_known_disagreement_never_passes_and_fails_when_ours_changes() {
        let file = ClaimFile::parse(&format!("{FILE}differs = 'a sign is wrong'\n")).unwrap();
        let row = |ours| judged(&file, ours);
        assert_eq!(row(Some(16.0)).ruling, Ruling::Differs);
        assert_eq!(row(Some(16.0)).note, "a sign is wrong. Ours: 13 to 18 RTTs, slack");
        assert_eq!((row(Some(19.0)).ruling, row(None).ruling), (Ruling::Fails, Ruling::Fails));
    }

    #[test]
    fn the_row_says_ours_and_what_is_allowed() {
        let row = judged(&ClaimFile::parse(FILE).unwrap(), Some(16.0));
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
