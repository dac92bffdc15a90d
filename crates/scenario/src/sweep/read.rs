//! From text to a plan.

use super::expand::{Axis, Choice, Law, Setting, combinations, countable, expand};
use super::keys::{Front, PlotTable};
use super::{Placed, Plot, Sweep};
use crate::load::NoFiles;
use crate::problem::{Kind, Problems};
use crate::read::{Reader, Section, one_of, parse};
use crate::source::Source;
use crate::table::Table;
use plimsoll_cc::params::nearest;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn sweep(name: &str, text: &str) -> Result<Sweep, Problems> {
    let mut reader = Reader::new(Source::new(name, text), &NoFiles);
    let sweep =
        parse(&mut reader, text).and_then(|document| Plan { name, text }.read(&mut reader, &document));
    reader.finish(sweep)
}

struct Plan<'t> {
    name: &'t str,
    text: &'t str,
}

impl Plan<'_> {
    fn read(&self, reader: &mut Reader<'_>, document: &DeTable<'_>) -> Option<Sweep> {
        let section = Section { name: "the plan".to_owned(), span: 0..0, keys: document };
        let front = Front::read(reader, &section, &["grid", "cc", "point", "plot"]);
        let axes = match reader.section(document, "grid") {
            Some(section) => self.axes(reader, section.keys),
            None => Vec::new(),
        };
        let laws: Vec<Choice> =
            reader.sections(document, "cc").iter().flat_map(|law| self.law(reader, law)).collect();
        let points: Vec<Choice> =
            reader.sections(document, "point").iter().filter_map(|point| self.point(reader, point)).collect();
        let plot = match reader.section(document, "plot") {
            Some(section) => Some(self.plot(reader, &section, &axes)?),
            None => None,
        };
        let front = front?;
        if document.contains_key("grid") && axes.is_empty() {
            let place = section.place("grid");
            let message = "[grid] is empty; it has keys of the scenario with lists of values, e.g. \
                           `traffic.0.load = [0.3, 0.5]`";
            reader.report(Kind::Missing, place, message);
        } else if axes.is_empty() && laws.is_empty() && points.is_empty() && front.seeds.0.is_none() {
            let message = "the plan varies nothing; give it a [grid], [[cc]], [[point]] or `seeds`";
            reader.report(Kind::Missing, 0..0, message);
        }
        if !reader.problems.is_empty() {
            return None;
        }
        let expanded = match expand(&axes, &laws, points, front.seeds.0.as_deref()) {
            Ok(expanded) => expanded,
            Err(message) => {
                reader.report(Kind::OutOfBounds, section.place("grid"), message);
                return None;
            }
        };
        Some(Sweep {
            scenario: Placed { value: front.scenario.0, place: section.place("scenario") },
            columns: front.columns.0.into_iter().map(|(value, place)| Placed { value, place }).collect(),
            plot,
            points: expanded.points,
            keys: expanded.keys,
            name: self.name.to_owned(),
            text: self.text.to_owned(),
        })
    }

    /// A `[[cc]]`: as many laws as its lists have combinations.
    fn law(&self, reader: &mut Reader<'_>, section: &Section<'_, '_>) -> Vec<Choice> {
        let Some((law, place)) = reader.word(section, "law") else {
            if !section.keys.contains_key("law") {
                let message = "[[cc]] does not name its law; e.g. `law = \"poseidon\"`";
                reader.report(Kind::Missing, section.span.clone(), message);
            }
            return Vec::new();
        };
        let mut axes = self.axes(reader, section.keys);
        axes.retain(|axis| axis.key != "law");
        for axis in &mut axes {
            axis.values.iter_mut().for_each(|setting| setting.go_below("cc"));
        }
        if let Err(message) = countable(&axes) {
            reader.report(Kind::OutOfBounds, place, message);
            return Vec::new();
        }
        let law = Law { name: law.to_owned(), place };
        combinations(&axes)
            .into_iter()
            .map(|settings| Choice {
                law: Some(law.clone()),
                settings: settings.into_iter().cloned().collect(),
            })
            .collect()
    }

    /// A `[[point]]`.
    fn point(&self, reader: &mut Reader<'_>, section: &Section<'_, '_>) -> Option<Choice> {
        let axes = self.axes(reader, section.keys);
        if axes.is_empty() {
            let message =
                "[[point]] has no keys; it is the scenario with other values, e.g. `traffic.0.load = 0.9`";
            reader.report(Kind::Missing, section.span.clone(), message);
            return None;
        }
        if let Some(axis) = axes.iter().find(|axis| axis.values.len() > 1) {
            let message =
                format!("`{}` has several values; a [[point]] has one of each, [grid] takes lists", axis.key);
            reader.report(Kind::WrongType, axis.values[1].value_place.clone(), message);
            return None;
        }
        let settings = axes.into_iter().flat_map(|axis| axis.values);
        let (law, settings): (Vec<Setting>, Vec<Setting>) =
            settings.partition(|setting| setting.key == "cc.law");
        let law = law.into_iter().next().map(Setting::into_law);
        Some(Choice { law, settings })
    }

    fn plot(&self, reader: &mut Reader<'_>, section: &Section<'_, '_>, axes: &[Axis]) -> Option<Plot> {
        let table = PlotTable::read(reader, section, &[])?;
        let placed = |key: &str, value: String| Placed { value, place: section.place(key) };
        let plot = Plot {
            x: placed("x", table.x.0),
            y: placed("y", table.y.0),
            series: placed("series", table.series.0),
        };
        let keys: Vec<&str> = axes.iter().map(|axis| axis.key.as_str()).collect();
        for (key, placed) in [("x", &plot.x), ("series", &plot.series)] {
            let name = placed.value.as_str();
            if keys.contains(&name) || (key == "series" && name == "cc") {
                continue;
            }
            let hint = match nearest(name, keys.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if keys.is_empty() => "the plan has no [grid]".to_owned(),
                None => format!("it has {}", one_of(&keys)),
            };
            let message = format!("`{key} = \"{name}\"` is no key of [grid]; {hint}");
            reader.report(Kind::Unknown, placed.place.clone(), message);
        }
        Some(plot)
    }

    /// The keys of a table, inner tables included, in the order of the text, each with its values.
    fn axes(&self, reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<Axis> {
        let mut axes = Vec::new();
        self.flatten(reader, "", table, &mut axes);
        axes.sort_by_key(|axis| axis.values.first().map_or(0, |setting| setting.key_place.start));
        axes
    }

    fn flatten(&self, reader: &mut Reader<'_>, above: &str, table: &DeTable<'_>, axes: &mut Vec<Axis>) {
        for (key, value) in table {
            let name = key.get_ref();
            let path = if above.is_empty() { name.to_string() } else { format!("{above}.{name}") };
            let one = std::slice::from_ref(value);
            let items = match value.get_ref() {
                DeValue::Table(inner) => {
                    self.flatten(reader, &path, inner, axes);
                    continue;
                }
                DeValue::Array(items) => &items[..],
                _ => one,
            };
            if items.is_empty() {
                let message = format!("`{path}` has no values; give it at least one, or leave it out");
                reader.report(Kind::Missing, value.span(), message);
                continue;
            }
            let values: Vec<Setting> =
                items.iter().filter_map(|item| self.setting(reader, &path, key.span(), item)).collect();
            axes.push(Axis { key: path, values });
        }
    }

    /// One value of a key, as the command line would set it.
    fn setting(
        &self,
        reader: &mut Reader<'_>,
        path: &str,
        key: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<Setting> {
        let written = self.text.get(value.span()).unwrap_or_default();
        let text = format!("{path} = {written}");
        if DeTable::parse(&text).is_err() {
            let message = format!("`{path}` is no key; keys are written as for --set, e.g. `traffic.0.load`");
            reader.report(Kind::Unknown, key, message);
            return None;
        }
        let shown = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ => written.to_owned(),
        };
        Some(Setting { key: path.to_owned(), shown, text, key_place: key, value_place: value.span() })
    }
}
