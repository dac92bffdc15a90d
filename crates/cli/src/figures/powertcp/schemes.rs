//! The laws that the figures compare, and which runs are whose.

use crate::figures::observed::Observed;
use crate::figures::runs::Runs;

/// Names of variants and in pictures, in the order of the pictures. PowerTCP's two laws are run both ways: with
/// the artifact's options, which made the paper's figures, and as the paper prints them.
pub(super) const SCHEMES: [(&str, &str); 8] = [
    ("powertcp", "PowerTCP"),
    ("theta", "θ-PowerTCP"),
    ("hpcc", "HPCC"),
    ("dcqcn", "DCQCN"),
    ("timely", "TIMELY"),
    ("homa", "HOMA"),
    ("powertcp-paper", "PowerTCP as printed"),
    ("theta-paper", "θ-PowerTCP as printed"),
];

/// The runs that are there, with their names in pictures.
pub(super) fn present(runs: &Runs) -> impl Iterator<Item = (&'static str, &Observed)> {
    SCHEMES.into_iter().filter_map(|(variant, name)| Some((name, runs.get(variant).ok()?)))
}

/// A number of each of a scheme's runs over the number at the end of their names, `hpcc 60`, ascending.
pub(super) fn over<N>(runs: &Runs, scheme: &str, number: impl Fn(&Observed) -> N) -> Vec<(f64, N)> {
    let prefix = format!("{scheme} ");
    let at = |(rest, run): (&str, &Observed)| Some((rest.parse().ok()?, number(run)));
    let mut points: Vec<(f64, N)> = runs.family(&prefix).filter_map(at).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}
