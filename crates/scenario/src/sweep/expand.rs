//! From lists of values to points.

use super::{Origin, Point};
use crate::Overrides;
use crate::table::quoted;
use std::ops::Range;

/// One value of a key, with its places in the plan.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) key: String,
    /// The value for people: quotes of texts are left out.
    pub(super) shown: String,
    /// `key = value` as the command line would set it.
    pub(super) text: String,
    pub(super) key_place: Range<usize>,
    pub(super) value_place: Range<usize>,
}

/// A key with its values.
pub(super) struct Axis {
    pub(super) key: String,
    pub(super) values: Vec<Setting>,
}

/// A law by its name.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub(super) name: String,
    pub(super) place: Range<usize>,
}

/// A law and values that come with it, or a single point.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) law: Option<Law>,
    pub(super) settings: Vec<Setting>,
}

/// All points and the keys that vary.
pub(super) struct Expanded {
    pub(super) points: Vec<Point>,
    pub(super) keys: Vec<String>,
}

/// More points than anybody waits for are a slip of the finger.
const MOST_POINTS: usize = 1_000_000;

impl Setting {
    /// The same key inside a table.
    pub(super) fn go_below(&mut self, table: &str) {
        self.text = format!("{table}.{}", self.text);
    }

    /// The law that a value of `cc.law` names.
    pub(super) fn into_law(self) -> Law {
        Law { name: self.shown, place: self.value_place }
    }
}

/// Every way to take one value of each axis; the last axis varies fastest.
pub(super) fn combinations(axes: &[Axis]) -> Vec<Vec<&Setting>> {
    let mut all: Vec<Vec<&Setting>> = vec![Vec::new()];
    for axis in axes {
        let mut longer = Vec::with_capacity(all.len() * axis.values.len());
        for taken in &all {
            longer.extend(axis.values.iter().map(|value| [taken.as_slice(), &[value]].concat()));
        }
        all = longer;
    }
    all
}

fn product(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).fold(1, usize::saturating_mul)
}

/// Whether there are not too many combinations to write them all down.
pub(super) fn countable(axes: &[Axis]) -> Result<(), String> {
    check_count(product(axes))
}

fn check_count(points: usize) -> Result<(), String> {
    if points > MOST_POINTS {
        return Err(format!("the plan has {points} points; it may have at most {MOST_POINTS}"));
    }
    Ok(())
}

/// All points of a plan, or why there are too many.
pub(super) fn expand(
    axes: &[Axis],
    laws: &[Choice],
    extra: Vec<Choice>,
    seeds: Option<&[u64]>,
) -> Result<Expanded, String> {
    let of_grid = product(axes).saturating_mul(laws.len().max(1));
    check_count(of_grid.saturating_add(extra.len()).saturating_mul(seeds.map_or(1, <[u64]>::len)))?;
    let scenario_law = [Choice { law: None, settings: Vec::new() }];
    let laws = if laws.is_empty() { &scenario_law } else { laws };
    // Seeds alone are a sweep of the scenario as it is; a list of single points is no reason to run that too.
    let only_points = axes.is_empty() && laws.len() == 1 && laws[0].law.is_none() && !extra.is_empty();
    let mut varied: Vec<String> =
        axes.iter().map(|axis| axis.key.clone()).filter(|key| key != "cc.law").collect();
    for setting in extra.iter().flat_map(|point| &point.settings) {
        if !varied.contains(&setting.key) {
            varied.push(setting.key.clone());
        }
    }
    let seeds: Vec<Option<u64>> = match seeds {
        Some(seeds) => seeds.iter().copied().map(Some).collect(),
        None => vec![None],
    };
    let mut points = Vec::new();
    if !only_points {
        for law in laws {
            for settings in combinations(axes) {
                points.extend(seeds.iter().map(|seed| grid_point(law, &settings, *seed)));
            }
        }
    }
    for choice in &extra {
        let settings: Vec<&Setting> = choice.settings.iter().collect();
        let law = Choice { law: choice.law.clone(), settings: Vec::new() };
        points.extend(seeds.iter().map(|seed| point(&law, &settings, *seed)));
    }
    // A point that is named twice is run once.
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    let mut seen = std::collections::HashSet::new();
    for point in points {
        if seen.insert((point.overrides.law.clone(), point.overrides.set.clone(), point.seed)) {
            kept.push(point);
        }
    }
    Ok(Expanded { points: kept, keys: varied })
}

/// A point of the grid; the grid may choose the law by `cc.law`.
fn grid_point(law: &Choice, settings: &[&Setting], seed: Option<u64>) -> Point {
    match settings.iter().position(|setting| setting.key == "cc.law") {
        Some(at) => {
            let chosen = Choice { law: Some(settings[at].clone().into_law()), settings: Vec::new() };
            let rest = [&settings[..at], &settings[at + 1..]].concat();
            point(&chosen, &rest, seed)
        }
        None => point(law, settings, seed),
    }
}

fn point(law: &Choice, settings: &[&Setting], seed: Option<u64>) -> Point {
    let origin = |setting: &Setting| Origin {
        text: setting.text.clone(),
        key: setting.key_place.clone(),
        value: setting.value_place.clone(),
    };
    let of_law = law.law.iter().map(|law| Origin {
        text: format!("cc.law = {}", quoted(&law.name)),
        key: law.place.clone(),
        value: law.place.clone(),
    });
    let name = law.law.as_ref().map(|named| {
        let own = law.settings.iter().map(|setting| format!(", {} = {}", setting.key, setting.shown));
        named.name.clone() + &own.collect::<String>()
    });
    let all = || law.settings.iter().chain(settings.iter().copied());
    Point {
        law: name,
        values: settings.iter().map(|setting| (setting.key.clone(), setting.shown.clone())).collect(),
        seed,
        overrides: Overrides {
            law: law.law.as_ref().map(|law| law.name.clone()),
            seed,
            set: all().map(|setting| setting.text.clone()).collect(),
        },
        origins: of_law.chain(all().map(origin)).collect(),
    }
}
