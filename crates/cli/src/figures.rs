//! The figures that can be reproduced today, each beside its folder in `papers/`.
//!
//! A figure's function computes, from nothing or from runs of its `scenario.toml`; what its numbers must be
//! stands in its `claims.toml`, and what it is about in its `README.md`. All are part of the binary, so that
//! it works anywhere; where there is a folder `papers`, edited scenarios and claims in it are used instead.

pub(crate) mod observed;
pub(crate) mod pictures;
mod poseidon;
mod powertcp;
mod rpm;
pub(crate) mod runs;
#[cfg(target_os = "linux")]
mod testbed;
mod vai_sf;

use crate::claims::{Allowed, ClaimFile, Spread, Variant};
use crate::error::Error;
use plimsoll_report::{Claim, Figure, Picture, beside};
use runs::{Needed, Runs};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// How much work to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Fewer random draws: a second for all figures.
    Quick,
    /// Runs of some minutes where full scale takes hours; all others as in full.
    Middle,
    /// As many as the claims ask for.
    Full,
}

impl Effort {
    /// One of two numbers.
    fn pick(self, quick: usize, full: usize) -> usize {
        match self {
            Self::Quick => quick,
            Self::Middle | Self::Full => full,
        }
    }
}

/// What a figure's function yields.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Named numbers, which the claims are about.
    pub(crate) measures: Vec<(&'static str, f64)>,
    /// Pictures with the names of their files.
    pub(crate) charts: Vec<(&'static str, Picture)>,
    /// What was set, for the report.
    pub(crate) settings: Vec<(String, String)>,
}

impl Outcome {
    fn measure(&mut self, name: &'static str, value: f64) {
        self.measures.push((name, value));
    }

    fn find(&self, measure: &str) -> Option<f64> {
        self.measures.iter().find(|(name, _)| *name == measure).map(|(_, value)| *value)
    }

    fn chart(&mut self, name: &'static str, picture: impl Into<Picture>) {
        self.charts.push((name, picture.into()));
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
    source: Source,
}

/// Where a figure's numbers come from.
enum Source {
    /// A formula or a model without packets.
    Model(fn(Effort) -> Result<Outcome, String>),
    /// Runs of a scenario: its text, and what they show.
    Runs(&'static str, fn(&Runs) -> Result<Outcome, String>),
}

macro_rules! text {
    ($id:literal, $file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/", $id, "/", $file))
    };
}

macro_rules! source {
    (model $id:literal $compute:path) => {
        Source::Model($compute)
    };
    (runs $id:literal $compute:path) => {
        Source::Runs(text!($id, "scenario.toml"), $compute)
    };
}

macro_rules! figures {
    ($(#[$about:meta])* $list:ident: $($kind:ident $id:literal => $compute:path,)+) => {
        $(#[$about])*
        pub(crate) const $list: &[Runnable] = &[
            $(Runnable {
                id: $id,
                claims: text!($id, "claims.toml"),
                #[cfg(test)]
                readme: text!($id, "README.md"),
                source: source!($kind $id $compute),
            },)+
        ];
    };
}

figures! {
    /// All that need no more than this program, in the papers' order.
    RUNNABLE:
    runs "poseidon/claim-rtt" => poseidon::claim_rtt::compute,
    runs "poseidon/claim-converge" => poseidon::claim_converge::compute,
    runs "poseidon/claim-variation" => poseidon::claim_variation::compute,
    runs "poseidon/claim-op" => poseidon::claim_op::compute,
    runs "poseidon/claim-brownfield" => poseidon::claim_brownfield::compute,
    runs "poseidon/fig1abc" => poseidon::fig1abc::compute,
    runs "poseidon/fig2" => poseidon::fig2::compute,
    runs "poseidon/fig3" => poseidon::fig3::compute,
    runs "poseidon/fig5" => poseidon::fig5::compute,
    model "poseidon/fig6" => poseidon::fig6::compute,
    model "poseidon/fig7a" => poseidon::fig7a::compute,
    model "poseidon/fig7b" => poseidon::fig7b::compute,
    runs "poseidon/fig8-9" => poseidon::fig8_9::compute,
    model "poseidon/thm1" => poseidon::thm1::compute,
    runs "poseidon/fig12b" => poseidon::fig12b::compute,
    runs "poseidon/fig13b" => poseidon::fig13b::compute,
    runs "poseidon/fig14b" => poseidon::fig14b::compute,
    runs "poseidon/fig14c" => poseidon::fig14c::compute,
    runs "poseidon/fig14d" => poseidon::fig14d::compute,
    runs "poseidon/fig14-text" => poseidon::fig14_text::compute,
    runs "poseidon/fig15a" => poseidon::fig15a::compute,
    runs "poseidon/fig15b" => poseidon::fig15b::compute,
    runs "poseidon/fig16ab" => poseidon::fig16ab::compute,
    runs "poseidon/fig17a" => poseidon::fig17a::compute,
    runs "poseidon/fig17b" => poseidon::fig17b::compute,
    runs "poseidon/fig18a" => poseidon::fig18a::compute,
    runs "poseidon/fig18b" => poseidon::fig18b::compute,
    runs "poseidon/fig19a" => poseidon::fig19a::compute,
    runs "poseidon/fig19b" => poseidon::fig19b::compute,
    runs "poseidon/fig20a" => poseidon::fig20a::compute,
    runs "poseidon/fig20b" => poseidon::fig20b::compute,
    runs "poseidon/fig21a" => poseidon::fig21a::compute,
    runs "poseidon/fig21b" => poseidon::fig21b::compute,
    runs "poseidon/fig21c" => poseidon::fig21c::compute,
    runs "poseidon/fig21d" => poseidon::fig21d::compute,
    model "poseidon/appB3" => poseidon::app_b3::compute,
    runs "poseidon/fig22" => poseidon::fig22::compute,
    runs "poseidon/fig23ab" => poseidon::fig23ab::compute,
    model "poseidon/text-aimd" => poseidon::text_aimd::compute,
    model "powertcp/fig2" => powertcp::fig2::compute,
    model "powertcp/fig3" => powertcp::fig3::compute,
    runs "powertcp/property1" => powertcp::property1::compute,
    model "powertcp/thm1-3" => powertcp::thm1_3::compute,
    runs "powertcp/thm1-3-packets" => powertcp::thm1_3_packets::compute,
    runs "powertcp/claim-q1" => powertcp::buffers::compute,
    runs "powertcp/claim-abstract" => powertcp::fig6::compute,
    runs "powertcp/fig4-top" => powertcp::fig4::top,
    runs "powertcp/fig4-bottom" => powertcp::fig4::bottom,
    runs "powertcp/fig5" => powertcp::fig5::compute,
    runs "powertcp/fig6a" => powertcp::fig6::compute,
    runs "powertcp/fig6b" => powertcp::fig6::compute,
    runs "powertcp/fig6a-pod" => powertcp::fig6::compute,
    runs "powertcp/fig6b-pod" => powertcp::fig6::compute,
    runs "powertcp/fig7a-b" => powertcp::fig7::loads,
    runs "powertcp/fig7c-d" => powertcp::fig7::rates,
    runs "powertcp/fig7e-f" => powertcp::fig7::sizes,
    runs "powertcp/fig7g" => powertcp::buffers::compute,
    runs "powertcp/fig7h" => powertcp::buffers::compute,
    runs "powertcp/fig7a-b-pod" => powertcp::fig7::loads,
    runs "powertcp/fig7c-d-pod" => powertcp::fig7::rates,
    runs "powertcp/fig7e-f-pod" => powertcp::fig7::sizes,
    runs "powertcp/fig7g-pod" => powertcp::buffers::compute,
    runs "powertcp/fig7h-pod" => powertcp::buffers::compute,
    runs "powertcp/fig8a" => powertcp::fig8a::compute,
    runs "powertcp/fig8b" => powertcp::fig8b::compute,
    runs "powertcp/fig9" => powertcp::overcommitment::incast,
    runs "powertcp/fig10" => powertcp::overcommitment::incast,
    runs "powertcp/fig11" => powertcp::overcommitment::fairness,
    runs "powertcp/homa-own" => powertcp::homa_own::compute,
    model "vai-sf/eq1" => vai_sf::eq1::compute,
    model "vai-sf/example-IV" => vai_sf::example_iv::compute,
    runs "vai-sf/fig1ac" => vai_sf::fig1ac::compute,
    runs "vai-sf/fig1bd" => vai_sf::fig1bd::compute,
    runs "vai-sf/fig2" => vai_sf::fig2::compute,
    runs "vai-sf/fig3" => vai_sf::fig3::compute,
    model "vai-sf/fig4" => vai_sf::fig4::compute,
    model "vai-sf/sf-condition" => vai_sf::sf_condition::compute,
    model "vai-sf/alg1-2" => vai_sf::alg1_2::compute,
    runs "vai-sf/fig5ab" => vai_sf::fig5ab::compute,
    runs "vai-sf/fig5cd" => vai_sf::fig5cd::compute,
    runs "vai-sf/fig6ab" => vai_sf::fig6ab::compute,
    runs "vai-sf/fig6cd" => vai_sf::fig6cd::compute,
    model "vai-sf/fig7" => vai_sf::fig7::compute,
    runs "vai-sf/fig8-9" => vai_sf::fig8_9::compute,
    runs "vai-sf/fig10" => vai_sf::fig10::compute,
    runs "vai-sf/fig11" => vai_sf::fig11::compute,
    runs "vai-sf/fig12" => vai_sf::fig12::compute,
    runs "vai-sf/fig13" => vai_sf::fig13::compute,
    runs "vai-sf/claim-2x" => vai_sf::claim_2x::compute,
    runs "vai-sf/powertcp" => vai_sf::powertcp::compute,
    runs "rpm/fig1-3" => rpm::fig1_3::compute,
    model "rpm/alg1" => rpm::alg1::compute,
    model "rpm/memory" => rpm::memory::compute,
    runs "rpm/table2" => rpm::table2::compute,
    runs "rpm/claim-reaction" => rpm::claim_reaction::compute,
    runs "rpm/aggregation" => rpm::aggregation::compute,
    runs "rpm/fig5" => rpm::fig5::compute,
    model "rpm/lemma1" => rpm::lemma1::compute,
    model "rpm/stability" => rpm::stability::compute,
    runs "rpm/reflected-14" => rpm::reflected::multihop,
    runs "rpm/reflected-17" => rpm::reflected::two_flows,
    runs "rpm/reflected-19a" => rpm::reflected::messages,
    runs "rpm/reflected-19b" => rpm::reflected::messages,
}

#[cfg(target_os = "linux")]
figures! {
    /// Those on real packets: `plimsoll testbed reproduce` runs them.
    ON_REAL_PACKETS:
    runs "testbed/poseidon/fig12" => testbed::two_hops,
    runs "testbed/poseidon/fig13" => testbed::reverse_path,
    runs "testbed/powertcp/fig4-top" => powertcp::fig4::top_on_real_packets,
    runs "testbed/rpm/table2" => rpm::table2::compute,
}

/// The figure with this id.
pub(crate) fn find(id: &str) -> Option<&'static Runnable> {
    RUNNABLE.iter().find(|figure| figure.id == id)
}

/// What to say of a claim about a number that the figure has not.
fn no_such_measure<'k>(measure: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    let hint = match plimsoll_cc::params::nearest(measure, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", known.collect::<Vec<_>>().join("`, `")),
    };
    format!("the figure has no measure `{measure}`; {hint}")
}

/// A figure that was reproduced: what the report shows, and the names of its pictures' files.
pub(crate) struct Reproduced {
    pub(crate) figure: Figure,
    pub(crate) chart_names: Vec<String>,
}

/// The text of a file of a figure's folder.
pub(crate) struct Text {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Runnable {
    /// The file in the folder of the figure; if there is no folder, as it was when the program was built.
    fn file(&self, name: &str, built_in: &str) -> Result<Text, Error> {
        let folder = Path::new("papers").join(self.id);
        let path = folder.join(name);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::file(path)(error));
            }
            // Who edits the other files of the folder does not expect ours instead of one that is gone.
            Err(_) if folder.exists() => {
                return Err(Error::Refused(format!(
                    "{}: there is no such file; put it back, or remove the folder {} to use what plimsoll was \
                     built with",
                    path.display(),
                    folder.display()
                )));
            }
            Err(_) => built_in.to_owned(),
        };
        Ok(Text { path, text })
    }

    /// The scenario that it runs, if it runs one.
    pub(crate) fn scenario(&self) -> Result<Option<Text>, Error> {
        match self.source {
            Source::Model(_) => Ok(None),
            Source::Runs(scenario, _) => self.file("scenario.toml", scenario).map(Some),
        }
    }

    /// What it claims.
    pub(crate) fn claim_file(&self) -> Result<ClaimFile, Error> {
        let Text { path, text } = self.file("claims.toml", self.claims)?;
        ClaimFile::parse(&text)
            .map_err(|error| Error::Text(format!("{}: {}", path.display(), error.to_string().trim_end())))
    }

    /// Computes the figure, from what its runs showed if it has some, and holds it against its claims: the
    /// median over seeds counts, pictures and settings are those of the first. `None` if a run is missing.
    pub(crate) fn reproduce(&self, effort: Effort, needed: &[Needed]) -> Result<Option<Reproduced>, Error> {
        if !needed.iter().all(Needed::is_done) {
            return Ok(None);
        }
        let file = self.claim_file()?;
        let mut outcomes = self.compute(effort, needed)?;
        let judge = |allowed: &Allowed| -> Claim {
            let of_one = |outcome: &Outcome| outcome.find(&allowed.measure);
            let ours: Option<Vec<f64>> = outcomes.iter().map(of_one).collect();
            let mut claim = allowed.judge(self.id, effort, ours.and_then(|ours| Spread::of(&ours)));
            // All seeds have the same measures.
            let known = outcomes.iter().take(1).flat_map(|outcome| &outcome.measures).map(|(name, _)| *name);
            if !known.clone().any(|name| name == allowed.measure) {
                claim.note = no_such_measure(&allowed.measure, known);
            }
            claim
        };
        let claims: Vec<Claim> = file.claims.iter().map(judge).collect();
        let first = if outcomes.is_empty() { Outcome::default() } else { outcomes.swap_remove(0) };
        let texts = self.texts(&file, effort, needed)?;
        let (title, text) = (file.title, file.text.trim().to_owned());
        let named = |(name, picture): (&'static str, Picture)| (name.to_owned(), picture);
        let numbered = |(index, bars)| {
            let name = if index == 0 { "paper".to_owned() } else { format!("paper-{}", index + 1) };
            (name, Picture::Bars(bars))
        };
        let bars = beside(&title, &claims).into_iter().enumerate().map(numbered);
        let (chart_names, charts) = first.charts.into_iter().map(named).chain(bars).unzip();
        let (id, settings) = (self.id.to_owned(), first.settings);
        let figure = Figure { id, title, text, charts, claims, settings, texts };
        Ok(Some(Reproduced { figure, chart_names }))
    }

    /// The scenario, what each variant changes in it, and the parameters that its law then has.
    fn texts(
        &self,
        file: &ClaimFile,
        effort: Effort,
        needed: &[Needed],
    ) -> Result<Vec<(String, String)>, Error> {
        let Some(scenario) = self.scenario()? else { return Ok(Vec::new()) };
        let shorter = file.shortens(effort);
        let line = |Variant { name, cc, set, .. }: &Variant| {
            let law = cc.iter().map(|law| format!("--cc {law}"));
            let sets = set.iter().chain(shorter).map(|set| format!("--set '{set}'"));
            let changes: Vec<String> = law.chain(sets).collect();
            format!("{name}: {}", if changes.is_empty() { "as it is".to_owned() } else { changes.join(" ") })
        };
        let variants: Vec<String> = file.asked(effort).map(line).collect();
        Ok(vec![
            ("`scenario.toml`".to_owned(), scenario.text),
            ("Variants, as `plimsoll run scenario.toml` takes them".to_owned(), variants.join("\n")),
            ("Parameters of the laws".to_owned(), runs::laws(needed)),
        ])
    }

    /// What the figure's function yields, once for each seed; models draw as much as they need at once.
    fn compute(&self, effort: Effort, needed: &[Needed]) -> Result<Vec<Outcome>, Error> {
        let problem = |reason| Error::Figure { id: self.id, reason };
        match self.source {
            Source::Model(compute) => Ok(vec![compute(effort).map_err(problem)?]),
            Source::Runs(_, compute) => {
                Runs::by_seed(needed).map(|runs| compute(&runs?).map_err(problem)).collect()
            }
        }
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

    fn here() -> runs::Kept {
        runs::Kept { folder: PathBuf::from("runs"), any_build: false }
    }

    /// Whatever has a folder.
    fn everything() -> impl Iterator<Item = &'static Runnable> {
        #[cfg(target_os = "linux")]
        return RUNNABLE.iter().chain(ON_REAL_PACKETS);
        #[cfg(not(target_os = "linux"))]
        return RUNNABLE.iter();
    }

    fn models() -> impl Iterator<Item = &'static Runnable> {
        RUNNABLE.iter().filter(|figure| matches!(figure.source, Source::Model(_)))
    }

    /// Every figure that needs no packets, once; the tests below look at the same results.
    fn all() -> &'static [Reproduced] {
        use std::sync::OnceLock;
        static ALL: OnceLock<Vec<Reproduced>> = OnceLock::new();
        ALL.get_or_init(|| {
            let reproduce =
                |figure: &'static Runnable| figure.reproduce(Effort::Quick, &[]).expect(figure.id);
            models().map(|figure| reproduce(figure).expect(figure.id)).collect()
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
    fn five_statements_of_the_papers_do_not_hold_as_printed() {
        let claims = all().iter().flat_map(|one| &one.figure.claims);
        let differing = claims.filter(|claim| claim.ruling == Ruling::Differs);
        assert_eq!(
            differing.map(|claim| (claim.id.as_str(), claim.ours.as_str())).collect::<Vec<_>>(),
            [
                ("poseidon/thm1", "90 %"),
                ("poseidon/thm1", "55 %"),
                ("vai-sf/fig4", "523 µs"),
                ("rpm/lemma1", "0 %"),
                ("rpm/stability", "0 %")
            ]
        );
    }

    #[test]
    fn the_catalogue_and_the_figures_here_agree() {
        let reproduced = |entry: &&catalogue::Entry| matches!(entry.state, State::Model | State::Runs);
        let listed = catalogue::FIGURES.iter().filter(reproduced);
        let state = |figure: &Runnable| match figure.source {
            Source::Model(_) => State::Model,
            Source::Runs(..) => State::Runs,
        };
        assert_eq!(
            listed.map(|entry| (entry.id, entry.state)).collect::<Vec<_>>(),
            RUNNABLE.iter().map(|figure| (figure.id, state(figure))).collect::<Vec<_>>()
        );
    }

    #[test]
    fn every_number_is_claimed_and_every_claim_has_its_number() {
        for figure in models() {
            let file = ClaimFile::parse(figure.claims).expect(figure.id);
            let outcome = figure.compute(Effort::Quick, &[]).expect(figure.id).remove(0);
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
    fn what_differs_has_bounds_in_which_the_papers_number_does_not_lie() {
        for figure in RUNNABLE {
            for allowed in ClaimFile::parse(figure.claims).expect(figure.id).claims {
                assert!(!allowed.differs_around_the_paper(), "{} {}", figure.id, allowed.measure);
            }
        }
    }

    #[test]
    fn a_measure_that_is_not_there_is_told_by_what_is() {
        let told = |measure: &str| no_such_measure(measure, ["fair", "queue"].into_iter());
        assert_eq!(told("faire"), "the figure has no measure `faire`; did you mean `fair`?");
        assert!(told("slowdown").ends_with("there are `fair`, `queue`"), "{}", told("slowdown"));
    }

    #[test]
    fn every_readme_names_its_command() {
        for figure in everything() {
            let command = match figure.id.strip_prefix("testbed/") {
                None => format!("cargo run --release -- reproduce {}", figure.id),
                Some(id) => format!("sudo plimsoll testbed reproduce {id}"),
            };
            assert!(figure.readme.contains(&command), "{}: {command}", figure.id);
        }
    }

    #[test]
    fn every_readme_shows_our_numbers_beside_the_papers() {
        for (runnable, reproduced) in models().zip(all()) {
            for claim in &reproduced.figure.claims {
                let verdict = if claim.ruling == Ruling::Differs { " differs |" } else { "" };
                let row = format!("| {} | {} |{verdict}", claim.paper, claim.ours);
                assert!(runnable.readme.contains(&row), "{} lacks `{row}`", runnable.id);
            }
        }
    }

    /// Numbers of runs are not computed here; `reproduce --update-readmes` writes them. That the table is about
    /// the claims that there are, and says of each whether it differs, can be seen.
    #[test]
    fn every_readme_has_a_row_for_every_claim_of_runs() {
        for figure in everything().filter(|figure| matches!(figure.source, Source::Runs(..))) {
            for allowed in ClaimFile::parse(figure.claims).expect(figure.id).claims {
                // The table may be of a full run, or of one that leaves claims open.
                let row = |effort| allowed.judge(figure.id, effort, Spread::of(&[allowed.from]));
                let [full, quick] = [row(Effort::Full), row(Effort::Quick)];
                let begin = format!("| {} | {} | ", full.claim, full.paper);
                let found = figure.readme.lines().any(|line| {
                    let ends = |row: &Claim| line.ends_with(&format!(" | {} |", row.ruling.word()));
                    line.starts_with(&begin) && (ends(&full) || ends(&quick))
                });
                assert!(found, "{} lacks `{begin}… | {} |`", figure.id, full.ruling.word());
            }
        }
    }

    #[test]
    fn every_run_of_every_figure_can_be_read_short_and_long() {
        for figure in everything() {
            let file = ClaimFile::parse(figure.claims).expect(figure.id);
            let is_run = matches!(figure.source, Source::Runs(..));
            assert_eq!(!file.variants.is_empty(), is_run, "{} and its variants", figure.id);
            for effort in [Effort::Quick, Effort::Middle, Effort::Full] {
                let needed = runs::Needed::of(figure, effort, &here());
                let needed = needed.map_err(|error| error.to_string()).expect(figure.id);
                assert_eq!(
                    needed.len(),
                    file.asked(effort).count() * file.seeds(effort) as usize,
                    "{}",
                    figure.id
                );
            }
        }
    }

    #[test]
    fn several_seeds_make_a_difference_and_a_single_one_has_a_reason() {
        for figure in everything().filter(|figure| matches!(figure.source, Source::Runs(..))) {
            if ClaimFile::parse(figure.claims).expect(figure.id).seeds(Effort::Full) > 1 {
                let needed = Needed::of(figure, Effort::Quick, &here());
                let needed = needed.map_err(|error| error.to_string()).expect(figure.id);
                assert!(needed.iter().all(Needed::depends_on_its_seed), "{} draws nothing", figure.id);
            } else {
                let before: Vec<&str> =
                    figure.claims.lines().take_while(|it| !it.starts_with("seeds")).collect();
                assert!(
                    before.last().is_some_and(|line| line.starts_with('#')),
                    "{} says not why",
                    figure.id
                );
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
