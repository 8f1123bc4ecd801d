//! What a tenant may push and ask for. Names, units and most defaults are those of Grafana Pyroscope.
//!
//! | name | default | |
//! |---|---|---|
//! | `ingestion_rate_mb` | 4 | MiB of profiles a second, compression undone |
//! | `ingestion_burst_size_mb` | 64 | MiB that may come at once |
//! | `max_profile_size_bytes` | 16777216 | also the most |
//! | `max_label_names_per_series` | 30 | also the most |
//! | `reject_older_than` | `0s` | how long ago a profile may start |
//! | `reject_newer_than` | `10m` | how far ahead of our clock it may start |
//! | `max_query_length` | `0s` | the longest range of a query |
//! | `max_query_lookback` | `0s` | how far back a query sees |
//! | `max_flamegraph_nodes_default` | 8192 | nodes of a flame graph when a query does not say |
//! | `max_flamegraph_nodes_max` | 1048576 | nodes that a query may ask for; also the most |
//!
//! 0 switches a limit off; the caps of the core remain. Decision 0037 says where the defaults differ.

mod nodes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use pilotlight_core::ingest::IngestLimits;
use pilotlight_core::limits::{MAX_LABELS, MAX_PUSH_BYTES};
use pilotlight_core::{TimeRange, UnixNanos, parse_duration};
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;

pub(crate) use nodes::{DEFAULT_NODES, MOST_NODES, NodeLimits};

/// What a query reads: the range that is asked for and some time before it, so that its first step is
/// whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadRange {
    /// Both together.
    pub(crate) range: TimeRange,
    /// How much of it lies before what is asked for, nanoseconds. It counts for no limit of length.
    pub(crate) lead: i64,
}

impl From<TimeRange> for ReadRange {
    fn from(range: TimeRange) -> Self {
        Self { range, lead: 0 }
    }
}

/// Bytes of a megabyte, as Pyroscope counts it.
const MEGABYTE: f64 = (1 << 20) as f64;

/// Most megabytes: a terabyte is as good as no limit.
const MAX_MEGABYTES: f64 = 1e6;

/// Longest time: ten years of 366 days.
const MAX_SECONDS: u64 = 10 * 366 * 86_400;

const SECOND: i64 = 1_000_000_000;

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    IngestionRateMb,
    IngestionBurstSizeMb,
    MaxProfileSizeBytes,
    MaxLabelNamesPerSeries,
    RejectOlderThan,
    RejectNewerThan,
    MaxQueryLength,
    MaxQueryLookback,
    MaxFlamegraphNodesDefault,
    MaxFlamegraphNodesMax,
}

/// How the value of a limit is written.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Megabytes,
    /// A whole number up to a cap.
    UpTo(u64),
    Duration,
}

/// A limit as it is written in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Given {
    Whole(u64),
    Number(f64),
    Text(String),
}

/// Limits by name, of those that differ from what holds otherwise.
pub(crate) type OwnLimits = BTreeMap<String, Given>;

/// A value for each limit: bytes, a count or seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits([u64; Limit::ALL.len()]);

/// How fast a tenant may push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Bytes a second.
    pub(crate) bytes: u64,
    /// Bytes that may come at once.
    pub(crate) burst: u64,
}

impl Limit {
    const ALL: [Self; 10] = [
        Self::IngestionRateMb,
        Self::IngestionBurstSizeMb,
        Self::MaxProfileSizeBytes,
        Self::MaxLabelNamesPerSeries,
        Self::RejectOlderThan,
        Self::RejectNewerThan,
        Self::MaxQueryLength,
        Self::MaxQueryLookback,
        Self::MaxFlamegraphNodesDefault,
        Self::MaxFlamegraphNodesMax,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::IngestionRateMb => "ingestion_rate_mb",
            Self::IngestionBurstSizeMb => "ingestion_burst_size_mb",
            Self::MaxProfileSizeBytes => "max_profile_size_bytes",
            Self::MaxLabelNamesPerSeries => "max_label_names_per_series",
            Self::RejectOlderThan => "reject_older_than",
            Self::RejectNewerThan => "reject_newer_than",
            Self::MaxQueryLength => "max_query_length",
            Self::MaxQueryLookback => "max_query_lookback",
            Self::MaxFlamegraphNodesDefault => "max_flamegraph_nodes_default",
            Self::MaxFlamegraphNodesMax => "max_flamegraph_nodes_max",
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::IngestionRateMb | Self::IngestionBurstSizeMb => Unit::Megabytes,
            Self::MaxProfileSizeBytes => Unit::UpTo(MAX_PUSH_BYTES as u64),
            Self::MaxLabelNamesPerSeries => Unit::UpTo(MAX_LABELS as u64),
            Self::RejectOlderThan
            | Self::RejectNewerThan
            | Self::MaxQueryLength
            | Self::MaxQueryLookback => Unit::Duration,
            Self::MaxFlamegraphNodesDefault | Self::MaxFlamegraphNodesMax => {
                Unit::UpTo(MOST_NODES as u64)
            }
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.name() == name)
    }
}

impl Unit {
    fn read(self, given: &Given) -> Option<u64> {
        match (self, given) {
            (Self::Megabytes, Given::Whole(n)) => Self::Megabytes.read(&Given::Number(*n as f64)),
            (Self::Megabytes, Given::Number(n)) => (0.0..=MAX_MEGABYTES)
                .contains(n)
                .then(|| (n * MEGABYTE) as u64),
            (Self::UpTo(cap), Given::Whole(n)) => (*n <= cap).then_some(*n),
            (Self::Duration, Given::Whole(0)) => Some(0),
            (Self::Duration, Given::Text(text)) => {
                let seconds = match text.as_str() {
                    "0" => 0,
                    text => parse_duration(text)? as u64 / SECOND as u64,
                };
                (seconds <= MAX_SECONDS).then_some(seconds)
            }
            _ => None,
        }
    }

    fn write(self, value: u64) -> Given {
        match self {
            Self::Megabytes => {
                let megabytes = value as f64 / MEGABYTE;
                match megabytes.fract() == 0.0 {
                    true => Given::Whole(megabytes as u64),
                    false => Given::Number(megabytes),
                }
            }
            Self::UpTo(_) => Given::Whole(value),
            Self::Duration => Given::Text(duration(value)),
        }
    }

    fn expected(self) -> String {
        match self {
            Self::Megabytes => "a number from 0 to 1000000".to_owned(),
            Self::UpTo(cap) => format!("a whole number from 0 to {cap}"),
            Self::Duration => "a duration like 90s, 10m, 1h30m or 7d, up to ten years".to_owned(),
        }
    }
}

/// Seconds as Prometheus writes them.
fn duration(seconds: u64) -> String {
    let mut text = String::new();
    let mut rest = seconds;
    for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        if rest >= length {
            text.push_str(&format!("{}{unit}", rest / length));
            rest %= length;
        }
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

impl Default for Limits {
    fn default() -> Self {
        let defaults = Limit::ALL.map(|limit| match limit {
            // Pyroscope's default; 700 processes that push 88 kB each 15 s.
            Limit::IngestionRateMb => 4 << 20,
            // 16 seconds of that: processes that were deployed together push in one second.
            Limit::IngestionBurstSizeMb => 64 << 20,
            Limit::MaxProfileSizeBytes => MAX_PUSH_BYTES as u64,
            Limit::MaxLabelNamesPerSeries => MAX_LABELS as u64,
            // Files of any age may be pushed, and ranges of any length asked for.
            Limit::RejectOlderThan | Limit::MaxQueryLength | Limit::MaxQueryLookback => 0,
            Limit::RejectNewerThan => 600,
            Limit::MaxFlamegraphNodesDefault => DEFAULT_NODES as u64,
            Limit::MaxFlamegraphNodesMax => MOST_NODES as u64,
        });
        Self(defaults)
    }
}

impl Limits {
    /// The same with other values. Names that are not known are those of a later version, and mean
    /// nothing.
    pub(crate) fn with(mut self, own: &OwnLimits) -> Self {
        for limit in Limit::ALL {
            let given = own.get(limit.name());
            if let Some(value) = given.and_then(|given| limit.unit().read(given)) {
                self.0[limit as usize] = value;
            }
        }
        self
    }

    /// The same for queries that are about another tenant, too: the shorter ranges and the smaller
    /// numbers of nodes hold.
    pub(crate) fn with_queries_of(mut self, other: &Self) -> Self {
        for limit in [
            Limit::MaxQueryLength,
            Limit::MaxQueryLookback,
            Limit::MaxFlamegraphNodesDefault,
            Limit::MaxFlamegraphNodesMax,
        ] {
            let both = [self.get(limit), other.get(limit)];
            // 0 is none.
            self.0[limit as usize] = match both {
                [0, one] | [one, 0] => one,
                [one, other] => one.min(other),
            };
        }
        self
    }

    /// The same for a reader whose ranges no user chooses.
    pub(crate) fn without_query_ranges(mut self) -> Self {
        for limit in [Limit::MaxQueryLength, Limit::MaxQueryLookback] {
            self.0[limit as usize] = 0;
        }
        self
    }

    /// All of them as JSON has them.
    pub(crate) fn shown(&self) -> BTreeMap<&'static str, Given> {
        let shown = |limit: Limit| (limit.name(), limit.unit().write(self.get(limit)));
        Limit::ALL.into_iter().map(shown).collect()
    }

    /// How fast the tenant may push; `None` where nothing bounds it.
    pub(crate) fn rate(&self) -> Option<Rate> {
        let bytes = self.get(Limit::IngestionRateMb);
        let burst = self.get(Limit::IngestionBurstSizeMb);
        (bytes > 0).then_some(Rate { bytes, burst })
    }

    /// What a push at `now` may hold.
    pub(crate) fn of_push(&self, now: UnixNanos) -> IngestLimits {
        let default = IngestLimits::default();
        let size = |limit, cap| match self.get(limit) {
            0 => cap,
            value => value as usize,
        };
        let (earliest, latest) = default.window;
        let start = |limit, sign: i64, unbounded| match self.get(limit) as i64 {
            0 => unbounded,
            seconds => now.plus(sign * seconds * SECOND),
        };
        IngestLimits {
            max_profile_bytes: size(Limit::MaxProfileSizeBytes, default.max_profile_bytes),
            max_labels: size(Limit::MaxLabelNamesPerSeries, default.max_labels),
            window: (
                start(Limit::RejectOlderThan, -1, earliest),
                start(Limit::RejectNewerThan, 1, latest),
            ),
            ..default
        }
    }

    /// What a query reads at `now`: a beginning too far back is moved, a range that is too long is
    /// refused.
    pub(crate) fn of_query(
        &self,
        query: impl Into<ReadRange>,
        now: UnixNanos,
    ) -> Result<TimeRange, Problem> {
        let ReadRange { mut range, lead } = query.into();
        let begin = range.from.plus(lead);
        let lookback = self.get(Limit::MaxQueryLookback) as i64;
        if lookback > 0 {
            let earliest = now.plus(-lookback * SECOND);
            range.from = range.from.max(earliest);
            range.until = range.until.max(range.from);
        }
        let longest = self.get(Limit::MaxQueryLength);
        // What is less than a second longer is so by rounding, as that of milliseconds.
        let from = begin.max(range.from).min(range.until);
        let actual = TimeRange { from, ..range }.nanos() as u64 / SECOND as u64;
        if longest > 0 && actual > longest {
            return Err(Problem::invalid(format!(
                "the query time range exceeds the limit (max_query_length, actual: {}, limit: {})",
                duration(actual),
                duration(longest)
            )));
        }
        Ok(range)
    }

    /// How many nodes a flame graph of the tenant may have.
    pub(crate) fn nodes(&self) -> NodeLimits {
        let given = |limit, none| match self.get(limit) {
            0 => none,
            value => value as usize,
        };
        let most = given(Limit::MaxFlamegraphNodesMax, MOST_NODES);
        let default = given(Limit::MaxFlamegraphNodesDefault, DEFAULT_NODES);
        NodeLimits {
            default: default.min(most),
            most,
        }
    }

    fn get(&self, limit: Limit) -> u64 {
        self.0[limit as usize]
    }
}

/// Reads limits from JSON; each name must be one of a limit, and each value one of its unit.
pub(crate) fn parse(json: &[u8]) -> Result<OwnLimits, String> {
    let own: OwnLimits = serde_json::from_slice(json)
        .map_err(|error| format!("limits must be a JSON object of numbers and strings: {error}"))?;
    let unknown: Vec<&str> = own
        .keys()
        .map(String::as_str)
        .filter(|name| Limit::named(name).is_none())
        .collect();
    if !unknown.is_empty() {
        let known = Limit::ALL.map(Limit::name).join(", ");
        return Err(format!(
            "unknown limit {}; the limits are {known}",
            unknown.join(", ")
        ));
    }
    for (name, given) in &own {
        let unit = Limit::named(name).map(Limit::unit);
        if let Some(unit) = unit.filter(|unit| unit.read(given).is_none()) {
            let given = serde_json::to_string(given).unwrap_or_default();
            return Err(format!("{name} must be {} (got {given})", unit.expected()));
        }
    }
    Ok(own)
}
