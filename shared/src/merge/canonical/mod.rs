//! Canonical order: one arrangement of a profile's tables that depends on what it says and not on
//! how it came about.
//!
//! Unused rows and all-zero samples go. Strings are ordered by bytes; mappings, functions,
//! locations and label sets by their fields; stacks in preorder with the children of each ordered
//! by location; samples by stack, then labels.

mod used;

use crate::base::sort::{insertion_sort, sort_rows};
use crate::model::forest::Forest;
use crate::model::id::{FunctionId, LabelSetId, LocationId, MappingId, StackId, StringId};
use crate::model::profile::{
    Function, Header, Label, LabelSets, LabelValue, Line, Location, Mapping, Profile, Samples,
    Stack, SymbolFlags, ValueType,
};
use crate::model::strings::Strings;
use used::Used;

/// A profile whose tables have no equal rows but for stacks, as a merge leaves them, in canonical
/// order. Takes time and memory in proportion to the profile, times a logarithm for sorting.
pub(crate) fn in_order(profile: &Profile) -> Profile {
    let is_used = |&row: &u32| {
        profile
            .samples
            .values
            .iter()
            .any(|column| column[row as usize] != 0)
    };
    let rows: Vec<u32> = (0..profile.len() as u32).filter(is_used).collect();
    let used = Used::of(profile, &rows);

    let mut strings = Strings::default();
    let mut order: Vec<u32> = (1..profile.strings.len() as u32)
        .filter(|&i| used.strings[i as usize])
        .collect();
    let text = |row: u32| profile.strings.get(StringId::new(row as usize));
    sort_rows(&mut order, &mut |a, b| text(a).cmp(text(b)));
    let mut string_map = vec![StringId::EMPTY; profile.strings.len()];
    // Exactly: text that grows by doubling takes three times its size while it moves.
    strings.reserve(order.len(), order.iter().map(|&i| text(i).len()).sum());
    for i in order {
        string_map[i as usize] = strings.push(text(i));
    }
    let string = |id: StringId| string_map[id.index()];

    let (mappings, mapping_map) = sorted(
        &used.mappings,
        |i| {
            let m = profile.mappings[i];
            Mapping {
                file: string(m.file),
                build_id: string(m.build_id),
                ..m
            }
        },
        |m| {
            let SymbolFlags {
                functions,
                filenames,
                line_numbers,
                inline_frames,
            } = m.symbols;
            (
                m.start,
                m.limit,
                m.offset,
                m.file,
                m.build_id,
                [functions, filenames, line_numbers, inline_frames],
            )
        },
        MappingId::new,
    );
    let (functions, function_map) = sorted(
        &used.functions,
        |i| {
            let f = profile.functions[i];
            Function {
                name: string(f.name),
                system_name: string(f.system_name),
                file: string(f.file),
                ..f
            }
        },
        |f| (f.name, f.system_name, f.file, f.start_line),
        FunctionId::new,
    );
    let (lines, locations, location_map) =
        sort_locations(profile, &used, &mapping_map, &function_map);
    let (stacks, stack_map) = sort_stacks(profile, &used, &location_map);
    let (label_sets, label_map) = sort_label_sets(profile, &used, string);

    let stack = |row: u32| profile.samples.stacks[row as usize].and_then(|s| stack_map[s.index()]);
    let labels = |row: u32| profile.samples.labels[row as usize].and_then(|l| label_map[l.index()]);
    let rows = sort_samples(rows, stacks.len(), stack, labels);
    let column = |column: &Vec<i64>| rows.iter().map(|&row| column[row as usize]).collect();
    let samples = Samples {
        stacks: rows.iter().map(|&row| stack(row)).collect(),
        labels: rows.iter().map(|&row| labels(row)).collect(),
        values: profile.samples.values.iter().map(column).collect(),
        times: None,
    };

    let value_type = |t: ValueType| ValueType {
        kind: string(t.kind),
        unit: string(t.unit),
    };
    let h = &profile.header;
    let header = Header {
        period_type: h.period_type.map(value_type),
        drop_frames: string(h.drop_frames),
        keep_frames: string(h.keep_frames),
        comments: h.comments.iter().map(|&c| string(c)).collect(),
        default_sample_type: string(h.default_sample_type),
        doc_url: string(h.doc_url),
        ..*h
    };
    let sample_types = profile
        .sample_types
        .iter()
        .map(|&t| value_type(t))
        .collect();
    Profile {
        strings,
        mappings,
        functions,
        lines,
        locations,
        stacks,
        label_sets,
        sample_types,
        samples,
        header,
    }
}

/// The one part of canonical order that makes a profile much smaller: stacks in preorder, equal
/// ones as one row, which decoding leaves apart. All other tables and the samples stay as they are;
/// siblings are ordered by their location's row.
pub(crate) fn fold_stacks(profile: &mut Profile) {
    let mut forest = Forest::with_capacity(profile.stacks.len());
    for stack in &profile.stacks {
        forest.push(StackId::number(stack.parent), stack.location.index() as u32);
    }
    let tree = forest.fold();
    let nodes = tree.parents.iter().zip(&tree.ranks).skip(1);
    profile.stacks.clear();
    profile
        .stacks
        .extend(nodes.map(|(&parent, &location)| Stack {
            parent: StackId::numbered(parent),
            location: LocationId::new(location as usize),
        }));
    for sample in profile.samples.stacks.iter_mut() {
        *sample = sample.and_then(|old| StackId::numbered(forest.node_of(old.index() as u32 + 1)));
    }
}

/// The used rows, translated, in order of their keys, and where each old row went.
fn sorted<Row: Clone, Key: Ord, Id: Copy>(
    used: &[bool],
    row: impl Fn(usize) -> Row,
    key: impl Fn(&Row) -> Key,
    make: fn(usize) -> Id,
) -> (Vec<Row>, Vec<Option<Id>>) {
    let old: Vec<u32> = (0..used.len() as u32)
        .filter(|&i| used[i as usize])
        .collect();
    let rows: Vec<Row> = old.iter().map(|&i| row(i as usize)).collect();
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    sort_rows(&mut order, &mut |a, b| {
        key(&rows[a as usize]).cmp(&key(&rows[b as usize]))
    });
    let mut map = vec![None; used.len()];
    for (new, &at) in order.iter().enumerate() {
        map[old[at as usize] as usize] = Some(make(new));
    }
    (
        order.iter().map(|&at| rows[at as usize].clone()).collect(),
        map,
    )
}

type SortedLocations = (Vec<Line>, Vec<Location>, Vec<Option<LocationId>>);

fn sort_locations(
    p: &Profile,
    used: &Used,
    mappings: &[Option<MappingId>],
    functions: &[Option<FunctionId>],
) -> SortedLocations {
    // Lines first, in the old order, so that locations can be compared by them.
    let translated: Vec<Line> = p
        .lines
        .iter()
        .map(|line| Line {
            function: line.function.and_then(|f| functions[f.index()]),
            ..*line
        })
        .collect();
    let old_lines =
        |l: &Location| &translated[l.first_line as usize..(l.first_line + l.line_count) as usize];
    let line_key = |line: &Line| (line.function, line.line, line.column);
    let mut rows: Vec<u32> = (0..p.locations.len() as u32)
        .filter(|&i| used.locations[i as usize])
        .collect();
    let mapping = |l: &Location| l.mapping.and_then(|m| mappings[m.index()]);
    sort_rows(&mut rows, &mut |a, b| {
        let [a, b] = [a, b].map(|row| &p.locations[row as usize]);
        let fields = |l: &Location| (mapping(l), l.address, l.folded);
        let by_lines = || {
            old_lines(a)
                .iter()
                .map(line_key)
                .cmp(old_lines(b).iter().map(line_key))
        };
        fields(a).cmp(&fields(b)).then_with(by_lines)
    });
    let mut lines = Vec::new();
    let mut map = vec![None; p.locations.len()];
    let mut locations = Vec::with_capacity(rows.len());
    for (new, &old) in rows.iter().enumerate() {
        let l = &p.locations[old as usize];
        map[old as usize] = Some(LocationId::new(new));
        let first_line = u32::try_from(lines.len()).expect("tables stay below u32::MAX rows");
        lines.extend_from_slice(old_lines(l));
        locations.push(Location {
            mapping: mapping(l),
            first_line,
            ..*l
        });
    }
    (lines, locations, map)
}

/// Rows of samples by stack, then labels. Stacks are numbered in order, so they are sorted by
/// counting.
fn sort_samples(
    mut rows: Vec<u32>,
    stacks: usize,
    stack: impl Fn(u32) -> Option<StackId>,
    labels: impl Fn(u32) -> Option<LabelSetId>,
) -> Vec<u32> {
    if rows.iter().any(|&row| labels(row).is_some()) {
        sort_rows(&mut rows, &mut |a, b| labels(a).cmp(&labels(b)));
    }
    let place = |row: u32| StackId::number(stack(row)) as usize;
    let mut next = vec![0u32; stacks + 2];
    rows.iter().for_each(|&row| next[place(row) + 1] += 1);
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut sorted = vec![0; rows.len()];
    for row in rows {
        let next = &mut next[place(row)];
        sorted[*next as usize] = row;
        *next += 1;
    }
    sorted
}

fn sort_stacks(
    p: &Profile,
    used: &Used,
    locations: &[Option<LocationId>],
) -> (Vec<Stack>, Vec<Option<StackId>>) {
    let mut rows = vec![0u32; p.stacks.len()];
    let mut forest = Forest::with_capacity(p.stacks.len());
    for (i, stack) in p.stacks.iter().enumerate().filter(|(i, _)| used.stacks[*i]) {
        let parent = stack.parent.map_or(0, |parent| rows[parent.index()]);
        // A used stack's location is used and has a place.
        let location = locations[stack.location.index()].map_or(0, |l| l.index() as u32);
        rows[i] = forest.push(parent, location);
    }
    // Locations are in order, so their numbers are their ranks.
    let tree = forest.fold();
    let nodes = tree.parents.iter().zip(&tree.ranks).skip(1);
    let stacks = nodes.map(|(&parent, &key)| Stack {
        parent: StackId::numbered(parent),
        location: LocationId::new(key as usize),
    });
    (
        stacks.collect(),
        rows.iter()
            .map(|&row| StackId::numbered(forest.node_of(row)))
            .collect(),
    )
}

fn sort_label_sets(
    p: &Profile,
    used: &Used,
    string: impl Fn(StringId) -> StringId,
) -> (LabelSets, Vec<Option<LabelSetId>>) {
    let key = |label: &Label| match label.value {
        LabelValue::Text(text) => (label.key, 0, 0, text),
        LabelValue::Number(n, unit) => (label.key, 1, n, unit),
    };
    let translate = |i: usize| -> Vec<Label> {
        let labels = p.label_sets.get(LabelSetId::new(i)).iter().map(|l| Label {
            key: string(l.key),
            value: match l.value {
                LabelValue::Text(text) => LabelValue::Text(string(text)),
                LabelValue::Number(n, unit) => LabelValue::Number(n, string(unit)),
            },
        });
        let mut labels: Vec<Label> = labels.collect();
        insertion_sort(&mut labels, Label::order);
        labels
    };
    let set_key = |set: &Vec<Label>| set.iter().map(key).collect::<Vec<_>>();
    let (rows, map) = sorted(&used.label_sets, translate, set_key, LabelSetId::new);
    let mut sets = LabelSets::default();
    for labels in rows {
        sets.labels.extend(labels);
        sets.ends
            .push(u32::try_from(sets.labels.len()).expect("tables stay below u32::MAX rows"));
    }
    (sets, map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pprof::{decode, encode};
    use crate::merge::merger::canonical;
    use crate::testing::profile;

    #[test]
    fn folded_stacks_say_the_same() {
        // Decoding shares a stack with the sample before only, so that `main;a` and its callee come
        // twice.
        let drawn = profile("main;a;b 1\nmain;c 2\nmain;a;b;d 4\nmain;a 8\n 16");
        let mut decoded = decode(&encode(&drawn)).unwrap().profile;
        let before = decoded.clone();
        fold_stacks(&mut decoded);
        assert_eq!((before.stacks.len(), decoded.stacks.len()), (7, 5));
        assert_eq!(canonical(&decoded), canonical(&before));
        let parents: Vec<_> = decoded
            .stacks
            .iter()
            .map(|stack| stack.parent.map(StackId::index))
            .collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(0)]);
        let once = decoded.clone();
        fold_stacks(&mut decoded);
        assert_eq!(decoded, once);
    }
}
