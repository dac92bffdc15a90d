//! The figures that can be reproduced today, each beside its folder in `papers/`.
//!
//! A figure's function computes; what its numbers must be stands in its `claims.toml`, and what
//! it is about in its `README.md`. Both are part of the binary, so that it works anywhere.

mod poseidon;
mod powertcp;
mod rpm;
mod vai_sf;

use crate::claims::{Allowed, ClaimFile};
use crate::error::Error;
use plimsoll_report::{Chart, Claim, Figure};
use std::fmt::Display;

/// How much work to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Fewer random draws: a second for all figures.
    Quick,
    /// As many as the claims ask for.
    Full,
}

impl Effort {
    /// One of two numbers.
    fn pick(self, quick: usize, full: usize) -> usize {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// What a figure's function yields.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Named numbers, which the claims are about.
    pub(crate) measures: Vec<(&'static str, f64)>,
    /// Pictures with the names of their files.
    pub(crate) charts: Vec<(&'static str, Chart)>,
    /// What was set, for the report.
    pub(crate) settings: Vec<(String, String)>,
}

impl Outcome {
    fn measure(&mut self, name: &'static str, value: f64) {
        self.measures.push((name, value));
    }

    fn chart(&mut self, name: &'static str, chart: Chart) {
        self.charts.push((name, chart));
    }

    fn setting(&mut self, name: &str, value: impl Display) {
        self.settings.push((name.to_owned(), value.to_string()));
    }
}

/// A figure that can be reproduced.
pub(crate) struct Runnable {
    pub(crate) id: &'static str,
    claims: &'static str,
    /// Read by the tests, which hold it against what is computed.
    #[cfg(test)]
    readme: &'static str,
    compute: fn(Effort) -> Result<Outcome, String>,
}

macro_rules! figures {
    ($($id:literal => $compute:path,)+) => {
        /// All of them, in the papers' order.
        pub(crate) const RUNNABLE: &[Runnable] = &[
            $(Runnable {
                id: $id,
                claims: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/", $id, "/claims.toml")),
                #[cfg(test)]
                readme: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/", $id, "/README.md")),
                compute: $compute,
            },)+
        ];
    };
}

figures! {
    "poseidon/fig6" => poseidon::fig6::compute,
    "poseidon/fig7a" => poseidon::fig7a::compute,
    "poseidon/fig7b" => poseidon::fig7b::compute,
    "poseidon/thm1" => poseidon::thm1::compute,
    "poseidon/appB3" => poseidon::app_b3::compute,
    "poseidon/text-aimd" => poseidon::text_aimd::compute,
    "powertcp/fig2" => powertcp::fig2::compute,
    "powertcp/fig3" => powertcp::fig3::compute,
    "powertcp/thm1-3" => powertcp::thm1_3::compute,
    "vai-sf/eq1" => vai_sf::eq1::compute,
    "vai-sf/example-IV" => vai_sf::example_iv::compute,
    "vai-sf/fig4" => vai_sf::fig4::compute,
    "vai-sf/sf-condition" => vai_sf::sf_condition::compute,
    "vai-sf/alg1-2" => vai_sf::alg1_2::compute,
    "rpm/alg1" => rpm::alg1::compute,
    "rpm/lemma1" => rpm::lemma1::compute,
}

/// The figure with this id.
pub(crate) fn find(id: &str) -> Option<&'static Runnable> {
    RUNNABLE.iter().find(|figure| figure.id == id)
}

/// A figure that was reproduced: what the report shows, and the names of its pictures' files.
pub(crate) struct Reproduced {
    pub(crate) figure: Figure,
    pub(crate) chart_names: Vec<&'static str>,
}

impl Runnable {
    /// Computes the figure and holds it against its claims.
    pub(crate) fn reproduce(&self, effort: Effort) -> Result<Reproduced, Error> {
        let failed = |reason: String| Error::Figure { id: self.id, reason };
        let file = ClaimFile::parse(self.claims).map_err(|error| failed(error.to_string()))?;
        let outcome = (self.compute)(effort).map_err(failed)?;
        let judge = |allowed: &Allowed| -> Claim {
            let ours = outcome.measures.iter().find(|(name, _)| *name == allowed.measure);
            allowed.judge(self.id, ours.map(|(_, value)| *value))
        };
        let claims = file.claims.iter().map(judge).collect();
        let (chart_names, charts) = outcome.charts.into_iter().unzip();
        let (title, text) = (file.title, file.text.trim().to_owned());
        let figure =
            Figure { id: self.id.to_owned(), title, text, charts, claims, settings: outcome.settings };
        Ok(Reproduced { figure, chart_names })
    }
}

/// `count` numbers from `low` to `high`, evenly.
fn linear(low: f64, high: f64, count: usize) -> impl Iterator<Item = f64> + Clone {
    (0..count).map(move |index| low + (high - low) * index as f64 / (count.max(2) - 1) as f64)
}

/// `count` numbers from `low` to `high`, evenly in their logarithm.
fn logarithmic(low: f64, high: f64, count: usize) -> impl Iterator<Item = f64> + Clone {
    linear(0.0, 1.0, count).map(move |part| low * libm::pow(high / low, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{self, State};
    use plimsoll_report::Ruling;

    /// Every figure once; the tests below look at the same results.
    fn all() -> &'static [Reproduced] {
        use std::sync::OnceLock;
        static ALL: OnceLock<Vec<Reproduced>> = OnceLock::new();
        ALL.get_or_init(|| {
            RUNNABLE.iter().map(|figure| figure.reproduce(Effort::Quick).expect(figure.id)).collect()
        })
    }

    #[test]
    fn no_claim_fails() {
        for claim in all().iter().flat_map(|one| &one.figure.claims) {
            let Claim { id, claim, ours, note, ruling, .. } = claim;
            assert!(*ruling != Ruling::Fails, "{id}: {claim} is {ours}, allowed {note}");
        }
    }

    /// A new disagreement is news, and so is one that went away.
    #[test]
    fn two_statements_of_the_papers_do_not_hold_as_printed() {
        let claims = all().iter().flat_map(|one| &one.figure.claims);
        let differing = claims.filter(|claim| claim.ruling == Ruling::Differs);
        assert_eq!(
            differing.map(|claim| (claim.id.as_str(), claim.ours.as_str())).collect::<Vec<_>>(),
            [("vai-sf/fig4", "523 µs"), ("rpm/lemma1", "0 %")]
        );
    }

    #[test]
    fn the_catalogue_and_the_figures_here_agree() {
        let here: Vec<_> = RUNNABLE.iter().map(|figure| figure.id).collect();
        assert_eq!(catalogue::ids(State::Model).collect::<Vec<_>>(), here);
    }

    #[test]
    fn every_number_is_claimed_and_every_claim_has_its_number() {
        for figure in RUNNABLE {
            let file = ClaimFile::parse(figure.claims).expect(figure.id);
            let outcome = (figure.compute)(Effort::Quick).expect(figure.id);
            for allowed in &file.claims {
                assert!(allowed.from <= allowed.to, "{} {}", figure.id, allowed.measure);
                let found = outcome.measures.iter().any(|(name, _)| *name == allowed.measure);
                assert!(found, "{} has no number {}", figure.id, allowed.measure);
            }
            for (name, _) in &outcome.measures {
                assert!(file.claims.iter().any(|claim| claim.measure == *name), "{} {name}", figure.id);
            }
        }
    }

    #[test]
    fn every_readme_names_its_command_and_shows_our_numbers_beside_the_papers() {
        for (runnable, reproduced) in RUNNABLE.iter().zip(all()) {
            let command = format!("cargo run --release -- reproduce {}", runnable.id);
            assert!(runnable.readme.contains(&command), "{}: {command}", runnable.id);
            for claim in &reproduced.figure.claims {
                let verdict = if claim.ruling == Ruling::Differs { " differs |" } else { "" };
                let row = format!("| {} | {} |{verdict}", claim.paper, claim.ours);
                assert!(runnable.readme.contains(&row), "{} lacks `{row}`", runnable.id);
            }
        }
    }

    #[test]
    fn the_embedded_font_has_every_letter_of_every_chart() {
        for (reproduced, chart) in
            all().iter().flat_map(|one| one.figure.charts.iter().map(move |c| (one, c)))
        {
            assert!(chart.has_its_letters(), "{}: {chart:?}", reproduced.figure.id);
        }
    }
}
