//! Distributions of flow sizes.
//!
//! A distribution is a list of points (bytes, share of flows up to that size) with straight lines
//! between them. Drawing: a uniform number picks the segment, the size is interpolated and
//! truncated to whole bytes, at least one: the sampler of HPCC's traffic generator.

mod cell;
#[cfg(test)]
mod tests;

use plimsoll_units::Bytes;
use std::fmt;

/// A distribution that comes with this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSizes {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Where it is from.
    pub source: &'static str,
    table: &'static str,
}

/// All distributions that come with this library.
pub const NAMED_SIZES: &[NamedSizes] = &[
    NamedSizes {
        name: "websearch",
        source: "web search, DCTCP, SIGCOMM'10, as HPCC's generator has it; mean 1,711,250 B",
        table: include_str!("../data/websearch_dctcp_hpcc.csv"),
    },
    NamedSizes {
        name: "hadoop",
        source: "Facebook's Hadoop, SIGCOMM'15, as HPCC's generator has it; mean 120,421 B",
        table: include_str!("../data/fb_hadoop_hpcc.csv"),
    },
    NamedSizes {
        name: "ali-storage",
        source: "Alibaba's storage, 2019, from HPCC's generator; mean 40,870 B",
        table: include_str!("../data/ali_storage_2019_hpcc.csv"),
    },
    NamedSizes {
        name: "google-rpc",
        source: "Google's remote calls before 2008, from HPCC's generator; mean 2,892 B",
        table: include_str!("../data/google_rpc_2008_hpcc.csv"),
    },
    NamedSizes {
        name: "websearch-powertcp",
        source: "web search as PowerTCP's artifact has it, no flow below 2 KB; mean 1,711,223 B",
        table: include_str!("../data/websearch_powertcp.csv"),
    },
];

/// How large flows or messages are.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(Bytes),
    /// By one of [`NAMED_SIZES`].
    Named(&'static NamedSizes),
    /// By points of one's own.
    Points(Distribution),
}

impl Sizes {
    /// The distribution called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMED_SIZES.iter().find(|sizes| sizes.name == name).map(Self::Named)
    }

    /// The distribution to draw from.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        match self {
            Self::Fixed(bytes) => Distribution { points: vec![(bytes.get(), 0.0), (bytes.get(), 1.0)] },
            // A test reads all of them.
            Self::Named(named) => {
                named.table.parse().unwrap_or(Distribution { points: vec![(1, 0.0), (1, 1.0)] })
            }
            Self::Points(distribution) => distribution.clone(),
        }
    }
}

/// Points (bytes, share of flows up to that size); both grow, the share from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    points: Vec<(u64, f64)>,
}

/// Why points are not a distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct NotADistribution {
    /// The line or the point, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for NotADistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for NotADistribution {}

impl Distribution {
    /// A distribution of these points.
    ///
    /// # Errors
    /// If sizes or shares fall, or shares do not run from 0 to 1. A first point with a larger share is
    /// preceded by one with the same size and share 0.
    pub fn new(mut points: Vec<(u64, f64)>) -> Result<Self, NotADistribution> {
        let fail = |line: usize, message: String| Err(NotADistribution { line, message });
        for (index, &(bytes, share)) in points.iter().enumerate() {
            if !(0.0..=1.0).contains(&share) {
                return fail(index + 1, format!("a share of {share} is not between 0 and 1"));
            }
            let (smaller, less) = if index == 0 { (0, 0.0) } else { points[index - 1] };
            if bytes < smaller || share < less {
                return fail(
                    index + 1,
                    format!("sizes and shares must grow, but ({bytes}, {share}) follows ({smaller}, {less})"),
                );
            }
        }
        let Some(&(first, first_share)) = points.first() else {
            return fail(1, "there are no points; e.g. 1000,0 and 2000,1".to_owned());
        };
        if let Some(&(bytes, share)) = points.last()
            && share != 1.0
        {
            return fail(points.len(), format!("the last point, ({bytes}, {share}), must have a share of 1"));
        }
        if first_share > 0.0 {
            points.insert(0, (first, 0.0));
        }
        Ok(Self { points })
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points
    }

    /// The mean size: each segment counts with the mean of its ends.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.points
            .windows(2)
            .map(|ends| (ends[0].0 as f64 + ends[1].0 as f64) / 2.0 * (ends[1].1 - ends[0].1))
            .sum::<f64>()
            .max(1.0)
    }

    /// The size at a share from 0 to 1.
    #[must_use]
    pub fn at(&self, share: f64) -> Bytes {
        let above = self.points.partition_point(|point| point.1 <= share).min(self.points.len() - 1);
        let ((low, less), (high, more)) = (self.points[above.saturating_sub(1)], self.points[above]);
        let size = if more > less {
            low as f64 + (high as f64 - low as f64) * ((share - less) / (more - less))
        } else {
            high as f64
        };
        Bytes::saturating_from_f64(size).max(Bytes::new(1))
    }

    /// The share of flows of up to `size`.
    #[must_use]
    pub fn share_up_to(&self, size: Bytes) -> f64 {
        let above = self.points.partition_point(|point| point.0 <= size.get());
        match (above.checked_sub(1).map(|below| self.points[below]), self.points.get(above)) {
            (Some((low, less)), Some(&(high, more))) => {
                less + (more - less) * ((size.get() - low) as f64 / (high - low) as f64)
            }
            (Some((_, share)), None) => share,
            (None, _) => 0.0,
        }
    }
}

/// Lines `bytes,share`, after a line of titles or without.
impl std::str::FromStr for Distribution {
    type Err = NotADistribution;
    fn from_str(text: &str) -> Result<Self, NotADistribution> {
        let mut points = Vec::new();
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let line = line.trim();
            let title = points.is_empty() && line.starts_with(|first: char| first.is_alphabetic());
            if line.is_empty() || line.starts_with('#') || title {
                continue;
            }
            let point = line.split_once(',').and_then(|(bytes, share)| {
                Some((bytes.trim().parse::<u64>().ok()?, share.trim().parse::<f64>().ok()?))
            });
            let Some(point) = point else {
                let message = format!("`{line}` should be `bytes,share`, e.g. `10000,0.15`");
                return Err(NotADistribution { line: line_number, message });
            };
            points.push(point);
            lines.push(line_number);
        }
        Self::new(points).map_err(|error| {
            let line = lines.get(error.line - 1).copied().unwrap_or(1);
            NotADistribution { line, ..error }
        })
    }
}
