//! [`Profile`] → text.

use std::fmt::Write as _;

use hashbrown::HashMap;

use super::document::{EXPORTER, THREAD};
use super::error::SpeedscopeError;
use crate::formats::folded::Scale;
use crate::formats::json::format::SCHEMA;
use crate::model::address_name::location_name;
use crate::model::id::{LocationId, StringId};
use crate::model::profile::{LabelValue, Line, Profile};

/// Writes a file: a sampled profile for each sample type and each value of the label `thread`, with
/// its samples in their order. Samples without a value are left out, and so are all other labels.
/// The largest profile of the column `shown` is the one that a viewer shows first.
///
/// The text may have `cap` bytes: each sample spells its stack out, so the text can be far larger
/// than the profile.
pub fn encode(profile: &Profile, shown: usize, cap: usize) -> Result<String, SpeedscopeError> {
    let frames = Frames::of(profile);
    let mut out = format!(
        "{{\"$schema\":\"https://www.{}.json\",\"shared\":{{\"frames\":[{}]}},\"profiles\":[",
        SCHEMA,
        frames.rows.join(",")
    );
    let threads = Threads::of(profile);
    for column in 0..profile.sample_types().len() {
        for (thread, rows) in &threads.rows {
            if column > 0 || *thread != threads.rows[0].0 {
                out.push(',');
            }
            let name = profile.text(*thread);
            write_profile(profile, column, name, rows, &frames, &mut out, cap)?;
        }
    }
    let active = shown * threads.rows.len() + threads.largest(profile, shown);
    let _ = write!(
        out,
        "],\"activeProfileIndex\":{active},\"exporter\":\"{EXPORTER}\"}}"
    );
    check(&out, cap)?;
    Ok(out)
}

fn check(out: &str, cap: usize) -> Result<(), SpeedscopeError> {
    let length = out.len();
    if length > cap {
        return Err(SpeedscopeError::TooLarge { length, cap });
    }
    Ok(())
}

/// Writes the samples of one thread, by their rows.
fn write_profile(
    profile: &Profile,
    column: usize,
    thread: &str,
    rows: &[u32],
    frames: &Frames,
    out: &mut String,
    cap: usize,
) -> Result<(), SpeedscopeError> {
    let (kind, unit) = profile.type_text(profile.sample_types()[column]);
    let scale = Scale::of_unit(unit);
    let unit = match unit {
        "bytes" | "nanoseconds" | "microseconds" | "milliseconds" | "seconds" => unit,
        _ => "none",
    };
    let name = if thread.is_empty() {
        kind.to_owned()
    } else {
        format!("{thread}: {kind}")
    };
    let samples = profile.samples();
    let values = &samples.values[column];
    let rows = || {
        rows.iter()
            .map(|&row| row as usize)
            .filter(|&row| values[row] != 0)
    };
    let total: i128 = rows().map(|row| i128::from(values[row])).sum();
    let total = i64::try_from(total).map_or_else(|_| total.to_string(), |total| scale.text(total));
    let head = format!(
        "{{\"type\":\"sampled\",\"name\":{},\"unit\":\"{unit}\",\"startValue\":0,\
         \"endValue\":{total},\"samples\":[",
        quoted(&name)
    );
    out.push_str(&head);
    let mut stack: Vec<LocationId> = Vec::new();
    for (number, row) in rows().enumerate() {
        stack.clear();
        stack.extend(profile.frames(samples.stacks[row]));
        let locations = stack.iter().rev();
        let numbers = locations.flat_map(|location| frames.of_location(*location));
        list(out, number, numbers);
        check(out, cap)?;
    }
    out.push_str("],\"weights\":");
    list(out, 0, rows().map(|row| scale.text(values[row])));
    out.push('}');
    check(out, cap)
}

/// Writes a list, which is item `number` of another.
fn list(out: &mut String, number: usize, items: impl Iterator<Item = impl std::fmt::Display>) {
    out.push_str(if number == 0 { "[" } else { ",[" });
    for (place, item) in items.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(out, "{comma}{item}");
    }
    out.push(']');
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The table of frames.
struct Frames {
    /// As JSON.
    rows: Vec<String>,
    /// Numbers of the frames of all locations, the outermost call first.
    numbers: Vec<u32>,
    /// Where those of each location end.
    ends: Vec<u32>,
}

impl Frames {
    fn of(profile: &Profile) -> Self {
        let mut frames = Self {
            rows: Vec::new(),
            numbers: Vec::new(),
            ends: Vec::new(),
        };
        let mut known: HashMap<Line, u32> = HashMap::new();
        for location in profile.location_ids() {
            let lines = profile.lines(location);
            for line in lines.iter().rev() {
                let number = *known.entry(*line).or_insert_with(|| {
                    let row = frame(profile, *line, || location_name(profile, location));
                    frames.rows.push(row);
                    frames.rows.len() as u32 - 1
                });
                frames.numbers.push(number);
            }
            if lines.is_empty() {
                let name = quoted(&location_name(profile, location));
                frames.numbers.push(frames.rows.len() as u32);
                frames.rows.push(format!("{{\"name\":{name}}}"));
            }
            frames.ends.push(frames.numbers.len() as u32);
        }
        frames
    }

    fn of_location(&self, location: LocationId) -> impl Iterator<Item = u32> {
        let row = location.index();
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let numbers = &self.numbers[start as usize..self.ends[row] as usize];
        numbers.iter().copied()
    }
}

fn frame(profile: &Profile, line: Line, address: impl Fn() -> String) -> String {
    let Some(function) = line.function else {
        return format!("{{\"name\":{}}}", quoted(&address()));
    };
    let function = profile.functions()[function.index()];
    let name = if function.name.is_empty() {
        function.system_name
    } else {
        function.name
    };
    let mut row = format!("{{\"name\":{}", quoted(profile.text(name)));
    if !function.file.is_empty() {
        row += &format!(",\"file\":{}", quoted(profile.text(function.file)));
    }
    for (key, value) in [("line", line.line), ("col", line.column)] {
        if value != 0 {
            row += &format!(",\"{key}\":{value}");
        }
    }
    row.push('}');
    row
}

/// Rows of the samples of each thread, in the order in which they appear.
struct Threads {
    rows: Vec<(StringId, Vec<u32>)>,
}

impl Threads {
    fn of(profile: &Profile) -> Self {
        let sets = profile.label_sets();
        let mut places: HashMap<StringId, usize> = HashMap::new();
        let mut rows: Vec<(StringId, Vec<u32>)> = Vec::new();
        let mut of_set: Vec<Option<StringId>> = vec![None; sets.len()];
        for (row, set) in profile.samples().labels.iter().enumerate() {
            let thread = match set {
                None => StringId::EMPTY,
                Some(set) => *of_set[set.index()].get_or_insert_with(|| {
                    let mut labels = sets.get(*set).iter();
                    let thread = labels.find_map(|label| match label.value {
                        LabelValue::Text(value) if profile.text(label.key) == THREAD => Some(value),
                        _ => None,
                    });
                    thread.unwrap_or(StringId::EMPTY)
                }),
            };
            let place = *places.entry(thread).or_insert_with(|| {
                rows.push((thread, Vec::new()));
                rows.len() - 1
            });
            rows[place].1.push(row as u32);
        }
        if rows.is_empty() {
            rows.push((StringId::EMPTY, Vec::new()));
        }
        Self { rows }
    }

    /// The place of the one with the largest total of a column; of equal ones, the first.
    fn largest(&self, profile: &Profile, column: usize) -> usize {
        let total = |rows: &[u32]| -> Option<i128> {
            let values = profile.samples().values.get(column)?;
            Some(
                rows.iter()
                    .map(|&row| i128::from(values[row as usize]))
                    .sum(),
            )
        };
        let places = (0..self.rows.len()).rev();
        places
            .max_by_key(|&place| total(&self.rows[place].1))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::folded;
    use crate::formats::speedscope::{decode, decode_with_times};
    use crate::model::profile::Label;
    use crate::testing::profile;
    use crate::{ProfileBuilder, SymbolFlags};

    fn again(profile: &Profile) -> Profile {
        let text = encode(profile, 0, 1 << 20).expect("small");
        let decoded = decode(text.as_bytes()).expect("our own");
        assert_eq!(decoded.warnings, Vec::<String>::new());
        decoded.profile
    }

    fn text(profile: &Profile, column: usize) -> String {
        folded::encode(profile, column, 1 << 20).expect("small")
    }

    #[test]
    fn stacks_and_totals_come_back() {
        let drawn = profile("b;c\"\\ 1\na;b 2\nb;c 3\na! 4\nb 0");
        let read = again(&drawn);
        assert_eq!(text(&read, 0), text(&drawn, 0));
        assert_eq!(read.total(0), drawn.total(0));
        let nothing = again(&profile("a 0"));
        assert_eq!(nothing.len(), 0);
        assert_eq!(again(&Profile::default()).len(), 0);
    }

    #[test]
    fn types_and_threads_are_profiles() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "nanoseconds");
        b.sample_type("alloc_space", "bytes");
        let key = b.string("thread");
        let main = LabelValue::Text(b.string("main"));
        let labels = b.label_set(&mut [Label { key, value: main }]);
        let stack = b.named_stack(&["a", "b"]);
        b.sample(stack, labels, &[5, 0]);
        b.sample(stack, None, &[7, -8]);
        b.sample(None, None, &[0, 9]);
        let profile = b.finish();
        let read = again(&profile);
        let types: Vec<_> = read
            .sample_types()
            .iter()
            .map(|t| read.type_text(*t))
            .collect();
        assert_eq!(types, [("cpu", "nanoseconds"), ("alloc_space", "bytes")]);
        assert_eq!(text(&read, 0), "a;b 12\n");
        assert_eq!(text(&read, 1), " 9\na;b -8\n");
        let labels = |row: usize| read.labels(read.samples().labels[row]);
        let [Label { key, value }] = labels(0) else {
            panic!("{:?}", labels(0));
        };
        let text = |id| read.text(id);
        assert!(matches!(value, LabelValue::Text(name) if text(*name) == "main"));
        assert_eq!((text(*key), labels(1).len()), ("thread", 0));
        for (shown, active) in [(0, 1), (1, 3)] {
            let text = encode(&profile, shown, 1 << 20).expect("small");
            assert!(text.contains(&format!("],\"activeProfileIndex\":{active},")));
            let read = decode_with_times(text.as_bytes()).expect("our own");
            assert_eq!(read.profile.default_type(), shown);
            for odd in ["-1", "9", "1.5", "null", "\"1\"", "[{}]"] {
                let text = text.replace(&format!("Index\":{active}"), &format!("Index\":{odd}"));
                let read = decode_with_times(text.as_bytes()).expect("ignored");
                assert_eq!(read.profile.default_type(), 1, "{odd}");
            }
        }
    }

    #[test]
    fn inlined_calls_places_and_addresses() {
        let mut b = ProfileBuilder::new();
        b.sample_type("x", "count");
        let inlined = b.named_stack(&["outer", "inner"]).expect("two frames");
        let lines: Vec<Line> = b
            .profile()
            .frames(Some(inlined))
            .map(|location| Line {
                line: 3,
                column: 4,
                ..b.profile().lines(location)[0]
            })
            .collect();
        let file = b.string("/lib/x.so");
        let mapping = b.mapping(crate::Mapping {
            start: 0,
            limit: 9,
            offset: 0,
            file,
            build_id: StringId::EMPTY,
            symbols: SymbolFlags::default(),
        });
        let both = b.location(None, 5, false, &lines);
        let bare = b.location(Some(mapping), 5, false, &[]);
        let root = b.stack(None, both);
        let leaf = b.stack(Some(root), bare);
        b.sample(Some(leaf), None, &[3]);
        let profile = b.finish();
        let read = again(&profile);
        assert_eq!(text(&read, 0), "outer;inner;0x5 [x.so] 3\n");
        let lines: Vec<_> = read.location_ids().map(|id| read.lines(id)[0]).collect();
        assert!(lines.iter().any(|line| (line.line, line.column) == (3, 4)));
        let length = encode(&profile, 0, 1 << 20).expect("small").len();
        assert_eq!(
            encode(&profile, 0, length - 1),
            Err(SpeedscopeError::TooLarge {
                length,
                cap: length - 1
            })
        );
    }
}
