//! The paper's numbers beside ours, as bars.

use crate::bars::{Bar, BarSeries, Bars, Whose};
use crate::claims::Claim;

/// One picture for each unit of those claims whose numbers both the paper and we have.
#[must_use]
pub fn beside(title: &str, claims: &[Claim]) -> Vec<Bars> {
    let both = |claim: &&Claim| claim.paper_number.is_some() && claim.ours_number.is_some();
    let claims: Vec<&Claim> = claims.iter().filter(both).collect();
    let mut units: Vec<&str> = Vec::new();
    for claim in &claims {
        if !units.contains(&claim.unit.as_str()) {
            units.push(&claim.unit);
        }
    }
    let of_unit =
        |unit: &str| -> Vec<&Claim> { claims.iter().filter(|it| it.unit == unit).copied().collect() };
    units.into_iter().map(|unit| bars(title, unit, &of_unit(unit))).collect()
}

fn bars(title: &str, unit: &str, claims: &[&Claim]) -> Bars {
    let paper =
        |claim: &&Claim| Some(Bar { value: claim.paper_number?, range: None, text: claim.paper.clone() });
    let ours = |claim: &&Claim| {
        let range = claim.ours_range.as_ref().map(|range| (range.least, range.most));
        Some(Bar { value: claim.ours_number?, range, text: claim.ours.clone() })
    };
    let ranges = claims.iter().any(|claim| claim.ours_range.is_some());
    Bars {
        title: title.to_owned(),
        axis: if unit.is_empty() { "Number or ratio".to_owned() } else { unit.to_owned() },
        groups: claims.iter().map(|claim| claim.claim.clone()).collect(),
        series: vec![
            BarSeries {
                name: "paper".to_owned(),
                whose: Whose::Papers,
                bars: claims.iter().map(paper).collect(),
            },
            BarSeries {
                name: "ours".to_owned(),
                whose: Whose::Ours,
                bars: claims.iter().map(ours).collect(),
            },
        ],
        notes: if ranges {
            vec![
                "Ours: the median over seeds; lines across the ends reach from the least to the most."
                    .to_owned(),
            ]
        } else {
            Vec::new()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{Range, Ruling};

    fn claim(unit: &str, paper_number: Option<f64>) -> Claim {
        Claim {
            id: "poseidon/fig7a".into(),
            claim: "ramp".into(),
            paper: "15".into(),
            paper_number,
            ours: "16".into(),
            ours_number: Some(16.0),
            ours_range: Some(Range { text: "15 to 17".into(), least: 15.0, most: 17.0 }),
            unit: unit.into(),
            ruling: Ruling::Holds,
            note: String::new(),
        }
    }

    #[test]
    fn each_unit_has_a_picture_and_words_have_none() {
        let claims =
            [claim("Gb/s", Some(1.0)), claim("µs", Some(1.0)), claim("Gb/s", Some(2.0)), claim("%", None)];
        let pictures = beside("Ramp", &claims);
        assert_eq!(
            pictures.iter().map(|it| (it.axis.as_str(), it.groups.len())).collect::<Vec<_>>(),
            [("Gb/s", 2), ("µs", 1)]
        );
        assert_eq!(pictures[0].series[1].bars[0].as_ref().map(|bar| bar.range), Some(Some((15.0, 17.0))));
        assert!(beside("Ramp", &[claim("%", None)]).is_empty());
    }
}
