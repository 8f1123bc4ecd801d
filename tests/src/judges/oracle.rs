//! The independent judge: pprof read by `prost`, stacks summed in a plain map. Slow, short, and
//! none of the core's code.

use std::collections::BTreeMap;
use std::io::Read;

use prost::Message;

/// `Profile` of pprof's `profile.proto`, as far as the tests look at it.
#[derive(Clone, PartialEq, Message)]
pub struct RawProfile {
    /// Field 1.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<RawType>,
    /// Field 2.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<RawSample>,
    /// Field 3.
    #[prost(message, repeated, tag = "3")]
    pub mapping: Vec<RawMapping>,
    /// Field 4.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<RawLocation>,
    /// Field 5.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<RawFunction>,
    /// Field 6; bytes, since the format does not keep writers from other encodings.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub string_table: Vec<Vec<u8>>,
    /// Field 9.
    #[prost(int64, tag = "9")]
    pub time_nanos: i64,
    /// Field 10.
    #[prost(int64, tag = "10")]
    pub duration_nanos: i64,
    /// Field 11.
    #[prost(message, optional, tag = "11")]
    pub period_type: Option<RawType>,
    /// Field 12.
    #[prost(int64, tag = "12")]
    pub period: i64,
}

/// `ValueType`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct RawType {
    /// Field 1.
    #[prost(int64, tag = "1")]
    pub kind: i64,
    /// Field 2.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// `Sample`.
#[derive(Clone, PartialEq, Message)]
pub struct RawSample {
    /// Field 1, leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// Field 2.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
    /// Field 3.
    #[prost(message, repeated, tag = "3")]
    pub label: Vec<RawLabel>,
}

/// `Label`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct RawLabel {
    /// Field 1.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// Field 2.
    #[prost(int64, tag = "2")]
    pub str: i64,
    /// Field 3.
    #[prost(int64, tag = "3")]
    pub num: i64,
    /// Field 4.
    #[prost(int64, tag = "4")]
    pub num_unit: i64,
}

/// `Mapping`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct RawMapping {
    /// Field 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Field 5.
    #[prost(int64, tag = "5")]
    pub filename: i64,
}

/// `Location`.
#[derive(Clone, PartialEq, Message)]
pub struct RawLocation {
    /// Field 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Field 2.
    #[prost(uint64, tag = "2")]
    pub mapping_id: u64,
    /// Field 3.
    #[prost(uint64, tag = "3")]
    pub address: u64,
    /// Field 4, innermost first.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<RawLine>,
}

/// `Line`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct RawLine {
    /// Field 1.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
    /// Field 2.
    #[prost(int64, tag = "2")]
    pub line: i64,
}

/// `Function`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct RawFunction {
    /// Field 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Field 2.
    #[prost(int64, tag = "2")]
    pub name: i64,
    /// Field 3.
    #[prost(int64, tag = "3")]
    pub system_name: i64,
    /// Field 4.
    #[prost(int64, tag = "4")]
    pub filename: i64,
    /// Field 5.
    #[prost(int64, tag = "5")]
    pub start_line: i64,
}

/// A profile as the judge sees it: stacks of names, each sample with its values and labels.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// Type and unit of each value.
    pub types: Vec<(String, String)>,
    /// What the period is measured in.
    pub period_type: Option<(String, String)>,
    /// Samples as they come.
    pub samples: Vec<OracleSample>,
}

/// A sample with everything spelt out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OracleSample {
    /// Function names, the root first, inlined calls expanded.
    pub stack: Vec<String>,
    /// Labels as `key=text` or `key=number unit`, in order.
    pub labels: Vec<String>,
    /// One value a type.
    pub values: Vec<i64>,
}

/// Self and total of a function.
pub type Flat = BTreeMap<String, (i128, i128)>;

impl Oracle {
    /// Reads a profile, gzip or not.
    pub fn read(bytes: &[u8]) -> Self {
        Self::try_read(bytes).expect("protobuf")
    }

    /// Reads a profile; `None` when it is not protobuf.
    pub fn try_read(bytes: &[u8]) -> Option<Self> {
        RawProfile::decode(&*unzip(bytes))
            .ok()
            .map(|raw| Self::of(&raw))
    }

    /// Whether the bytes are protobuf, whatever they say.
    pub fn is_protobuf(bytes: &[u8]) -> bool {
        RawProfile::decode(&*unzip(bytes)).is_ok()
    }

    /// Spells out a raw profile. Samples whose stacks refer to what does not exist are left out.
    pub fn of(raw: &RawProfile) -> Self {
        let text = |i: i64| String::from_utf8_lossy(&raw.string_table[i as usize]).into_owned();
        let value_type = |t: &RawType| (text(t.kind), text(t.unit));
        let functions: BTreeMap<u64, &RawFunction> =
            raw.function.iter().map(|f| (f.id, f)).collect();
        let mappings: BTreeMap<u64, &RawMapping> = raw.mapping.iter().map(|m| (m.id, m)).collect();
        let name_of = |id: &u64| -> Option<String> {
            let f = functions.get(id)?;
            let name = if text(f.name).is_empty() {
                text(f.system_name)
            } else {
                text(f.name)
            };
            Some(if name.is_empty() {
                "?".to_owned()
            } else {
                name
            })
        };
        let frames = |l: &RawLocation| -> Option<Vec<String>> {
            let named: Option<Vec<String>> = l
                .line
                .iter()
                .rev()
                .map(|line| line.function_id)
                .filter(|&f| f != 0)
                .map(|f| name_of(&f))
                .collect();
            if named.as_ref().is_none_or(|named| !named.is_empty()) {
                return named;
            }
            let file = mappings
                .get(&l.mapping_id)
                .map_or(String::new(), |m| text(m.filename));
            let file = file.rsplit('/').next().unwrap_or("").to_owned();
            Some(vec![match (l.address, file.as_str()) {
                (0, "") => "?".to_owned(),
                (0, file) => format!("[{file}]"),
                (address, "") => format!("{address:#x}"),
                (address, file) => format!("{address:#x} [{file}]"),
            }])
        };
        let locations: BTreeMap<u64, Vec<String>> = raw
            .location
            .iter()
            .filter_map(|l| Some((l.id, frames(l)?)))
            .collect();
        let label = |l: &RawLabel| match (text(l.str), l.num, text(l.num_unit)) {
            (s, 0, unit) if unit.is_empty() => format!("{}={s}", text(l.key)),
            (_, n, unit) => format!("{}={n} {unit}", text(l.key)),
        };
        let samples = raw.sample.iter().filter_map(|s| {
            let ids = s.location_id.iter().rev();
            let stack: Option<Vec<_>> = ids.map(|id| locations.get(id)).collect();
            let mut labels: Vec<String> = s.label.iter().map(label).collect();
            labels.sort();
            Some(OracleSample {
                stack: stack?.into_iter().flatten().cloned().collect(),
                labels,
                values: s.value.clone(),
            })
        });
        Self {
            types: raw.sample_type.iter().map(value_type).collect(),
            period_type: raw.period_type.as_ref().map(value_type),
            samples: samples.collect(),
        }
    }

    /// Sum of a value column.
    pub fn total(&self, column: usize) -> i128 {
        self.samples
            .iter()
            .map(|s| i128::from(s.values[column]))
            .sum()
    }

    /// Sum of what is above zero in a column, which is what gets stored.
    pub fn positive_total(&self, column: usize) -> i128 {
        self.samples
            .iter()
            .map(|s| i128::from(s.values[column].max(0)))
            .sum()
    }

    /// Value of each stack.
    pub fn stacks(&self, column: usize) -> BTreeMap<Vec<String>, i128> {
        let mut sums = BTreeMap::new();
        for sample in &self.samples {
            *sums.entry(sample.stack.clone()).or_default() += i128::from(sample.values[column]);
        }
        sums
    }

    /// Value of each path from the root: the totals of the call tree's nodes.
    pub fn paths(&self, column: usize) -> BTreeMap<Vec<String>, i128> {
        let mut sums = BTreeMap::new();
        for sample in self.samples.iter().filter(|s| s.values[column] != 0) {
            for depth in 0..=sample.stack.len() {
                *sums.entry(sample.stack[..depth].to_vec()).or_default() +=
                    i128::from(sample.values[column]);
            }
        }
        sums
    }

    /// Self and total of each function; a recursive one counts once a sample.
    pub fn functions(&self, column: usize) -> Flat {
        let mut sums = Flat::new();
        for sample in self.samples.iter().filter(|s| s.values[column] != 0) {
            let value = i128::from(sample.values[column]);
            if let Some(leaf) = sample.stack.last() {
                sums.entry(leaf.clone()).or_default().0 += value;
            }
            let mut names: Vec<&String> = sample.stack.iter().collect();
            names.sort();
            names.dedup();
            for name in names {
                sums.entry(name.clone()).or_default().1 += value;
            }
        }
        sums
    }

    /// The values of each stack with its labels, equal ones added, all-zero ones left out: what a
    /// merge must keep.
    pub fn merged<'a>(
        profiles: impl IntoIterator<Item = &'a Self>,
    ) -> BTreeMap<(Vec<String>, Vec<String>), Vec<i128>> {
        let mut sums: BTreeMap<(Vec<String>, Vec<String>), Vec<i128>> = BTreeMap::new();
        for sample in profiles.into_iter().flat_map(|p| &p.samples) {
            let values = sums
                .entry((sample.stack.clone(), sample.labels.clone()))
                .or_default();
            values.resize(sample.values.len(), 0);
            values
                .iter_mut()
                .zip(&sample.values)
                .for_each(|(sum, v)| *sum += i128::from(*v));
        }
        sums.retain(|_, values| values.iter().any(|v| *v != 0));
        sums
    }
}

/// Inflates what begins like gzip; all members.
pub fn unzip(bytes: &[u8]) -> Vec<u8> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes.to_vec();
    }
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes)
        .read_to_end(&mut out)
        .expect("gzip");
    out
}
