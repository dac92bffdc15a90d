//! The keys of a plan.

use crate::problem::Kind;
use crate::read::Reader;
use crate::select::Text;
use crate::table::{Cell, KeyInfo, Shape, Table, TableInfo, quoted, table};
use toml::Spanned;
use toml::de::DeValue;

table! {
    /// A plan of runs, for `plimsoll sweep`: one scenario, and what varies. Every combination of the values in
    /// [grid], of the laws in [[cc]] and of the seeds is a point, and each [[point]] is one more.
    pub(crate) struct Front in "sweep" {
        /// The scenario that is varied; a path relative to the plan.
        scenario: Text,
        /// The seeds that each point is run with.
        seeds: Seeds = Seeds(None),
        /// Columns of the table over seeds: keys of summary.json, those of inner tables with a dot.
        columns: Columns = Columns::usual(),
    }
}

table! {
    /// One picture of the sweep: means over seeds, with the 95 % confidence interval.
    pub(crate) struct PlotTable in "sweep.plot" {
        /// The key along the horizontal axis: one of [grid], with numbers or quantities as values.
        x: Text,
        /// The column along the vertical axis: a key of summary.json, e.g. "slowdown.p99".
        y: Text = Text("slowdown.p99".to_owned()),
        /// What has a curve per value: "cc", or a key of [grid].
        series: Text = Text("cc".to_owned()),
    }
}

/// All tables of a plan. Those whose keys are the scenario's are described here, the others where they are read.
pub(crate) fn tables() -> Vec<TableInfo> {
    let open = |path: &str, doc: &str, keys: Vec<KeyInfo>| TableInfo {
        path: path.to_owned(),
        doc: doc.to_owned(),
        keys,
        presets: Vec::new(),
    };
    let key = |key, doc: &str, says, default: Option<&str>| KeyInfo {
        key,
        doc: doc.to_owned(),
        shape: Shape::Other { says, schema: "{}" },
        default: default.map(str::to_owned),
    };
    vec![
        Front::info(),
        open(
            "sweep.grid",
            "Keys of the scenario that vary, written as for `--set`.",
            vec![key(
                "KEY",
                "Any key of the scenario, e.g. `traffic.0.load`.",
                "a list of values; one value alone is set for all points",
                None,
            )],
        ),
        open(
            "sweep.cc",
            "A law, with values that belong to it alone. Without any, the scenario's law runs.",
            vec![
                key("law", "The law, as in [cc] of a scenario.", "`name` or `name:preset`", None),
                key(
                    "KEY",
                    "Any parameter of the law (`plimsoll explain poseidon`), or `preset`.",
                    "a value, or a list: each is a law of its own",
                    Some("the law's"),
                ),
            ],
        ),
        open(
            "sweep.point",
            "A point outside the grid; it runs with all seeds.",
            vec![key(
                "KEY",
                "Any key of the scenario; `cc.law` is the law.",
                "a value",
                Some("the scenario's"),
            )],
        ),
        PlotTable::info(),
    ]
}

/// The seeds of each point; `None` = the scenario's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Option<Vec<u64>>);

/// More seeds than anybody waits for are a slip of the finger.
const MOST_SEEDS: u64 = 100_000;

impl Cell for Seeds {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other {
            says: "a list of whole numbers, or how many: 3 is [1, 2, 3]; absent, the scenario's seed",
            schema: "{}",
        }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let number = |value: &DeValue<'_>| match value {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .ok()
                .and_then(|number| u64::try_from(number).ok()),
            _ => None,
        };
        let seeds = match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| number(item.get_ref())).collect(),
            count => number(count).filter(|count| *count <= MOST_SEEDS).map(|count| (1..=count).collect()),
        };
        match seeds {
            Some(seeds) if !Vec::is_empty(&seeds) => Some(Self(Some(seeds))),
            _ => {
                let message = format!(
                    "`{key}` must be a list of whole numbers from 0 on, e.g. [1, 2, 3], or how many, from 1 to \
                     {MOST_SEEDS}"
                );
                reader.report(Kind::OutOfBounds, value.span(), message);
                None
            }
        }
    }
    fn write(&self, text: &mut String) {
        match &self.0 {
            Some(seeds) => text.push_str(&format!("{seeds:?}")),
            None => text.push_str("the scenario's"),
        }
    }
}

/// Columns of the table, with the places of those that the plan names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns(pub(crate) Vec<(String, std::ops::Range<usize>)>);

impl Columns {
    fn usual() -> Self {
        let names = [
            "slowdown.p50",
            "slowdown.p99",
            "slowdown.p999",
            "max_queue_bytes",
            "drops",
            "completed",
            "unfinished",
        ];
        Self(names.map(|name| (name.to_owned(), 0..0)).to_vec())
    }
}

impl Cell for Columns {
    type Bound = ();
    fn shape(_: ((), ())) -> Shape {
        Shape::Other { says: "a list of texts", schema: "{}" }
    }
    fn read(
        reader: &mut Reader<'_>,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        _: ((), ()),
    ) -> Option<Self> {
        let names = value.get_ref().as_array().and_then(|items| {
            let name = |item: &Spanned<DeValue<'_>>| Some((item.get_ref().as_str()?.to_owned(), item.span()));
            items.iter().map(name).collect::<Option<Vec<_>>>()
        });
        if names.is_none() {
            let message = format!("`{key}` must be a list of texts, e.g. [\"slowdown.p99\", \"drops\"]");
            reader.report(Kind::WrongType, value.span(), message);
        }
        names.map(Self)
    }
    fn write(&self, text: &mut String) {
        let names: Vec<String> = self.0.iter().map(|(name, _)| quoted(name)).collect();
        text.push_str(&format!("[{}]", names.join(", ")));
    }
}
