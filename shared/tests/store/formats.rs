//! What is written comes back; what is damaged is refused.

mod damage;

use pilotlight_core::store::{
    ChunkId, Directory, Footer, Level, Series, SeriesRows, StoreError, chunk_head, encode_chunk,
    read_chunk,
};
use pilotlight_core::{
    Function, Line, Mapping, Profile, ProfileBuilder, StackId, SymbolFlags, UnixNanos, merge,
};
use proptest::prelude::*;

use crate::support::{Bucket, labels, profile_type, push};

/// Rows over the stacks of a profile.
type Rows = Vec<(Option<StackId>, i64)>;

/// A line: function, number, column.
type LineParts = (Option<usize>, i64, i64);

/// What a profile is made from: each number picks among what is there already.
#[derive(Clone, Debug)]
struct Parts {
    texts: Vec<String>,
    mappings: Vec<(u64, u64, u64, usize, usize, u8)>,
    functions: Vec<(usize, usize, usize, i64)>,
    locations: Vec<(Option<usize>, u64, bool, Vec<LineParts>)>,
    stacks: Vec<(Option<usize>, usize)>,
    rows: Vec<Vec<(Option<usize>, i64)>>,
    period: i64,
}

fn parts() -> impl Strategy<Value = Parts> {
    let pick = || any::<prop::sample::Index>().prop_map(|i| i.index(1 << 20));
    let number = || prop_oneof![any::<i64>(), -9i64..1000];
    let line = (prop::option::of(pick()), number(), number());
    let location = (
        prop::option::of(pick()),
        any::<u64>(),
        any::<bool>(),
        prop::collection::vec(line, 0..4),
    );
    let value = || {
        prop_oneof![
            Just(0),
            Just(i64::MIN / 64),
            -5i64..5,
            (1i64..1000).prop_map(|v| v * 10_000_000),
            any::<i32>().prop_map(i64::from)
        ]
    };
    let rows = prop::collection::vec((prop::option::weighted(0.9, pick()), value()), 0..20);
    (
        prop::collection::vec("\\PC{0,12}", 0..8),
        prop::collection::vec(
            (
                any::<u64>(),
                any::<u64>(),
                any::<u64>(),
                pick(),
                pick(),
                0u8..16,
            ),
            0..3,
        ),
        prop::collection::vec((pick(), pick(), pick(), number()), 0..8),
        prop::collection::vec(location, 0..12),
        prop::collection::vec((prop::option::weighted(0.8, pick()), pick()), 0..24),
        prop::collection::vec(rows, 1..3),
        number(),
    )
        .prop_map(
            |(texts, mappings, functions, locations, stacks, rows, period)| Parts {
                texts,
                mappings,
                functions,
                locations,
                stacks,
                rows,
                period,
            },
        )
}

impl Parts {
    /// Tables, and the rows of each series.
    fn build(&self) -> (Profile, Vec<Rows>) {
        let mut b = ProfileBuilder::new();
        b.header().period = self.period;
        let mut texts = vec![b.string("")];
        texts.extend(self.texts.iter().map(|t| b.string(t)));
        let text = |i: usize| texts[i % texts.len()];
        let mappings =
            self.mappings
                .iter()
                .map(|&(start, limit, offset, file, build_id, flags)| {
                    let set = |bit: u8| flags >> bit & 1 == 1;
                    let symbols = SymbolFlags {
                        functions: set(0),
                        filenames: set(1),
                        line_numbers: set(2),
                        inline_frames: set(3),
                    };
                    b.mapping(Mapping {
                        start,
                        limit,
                        offset,
                        file: text(file),
                        build_id: text(build_id),
                        symbols,
                    })
                });
        let mappings: Vec<_> = mappings.collect();
        let functions = self
            .functions
            .iter()
            .map(|&(name, system_name, file, start_line)| {
                b.function(Function {
                    name: text(name),
                    system_name: text(system_name),
                    file: text(file),
                    start_line,
                })
            });
        let functions: Vec<_> = functions.collect();
        fn pick<T: Copy>(from: &[T], i: Option<usize>) -> Option<T> {
            from.get(i? % from.len().max(1)).copied()
        }
        let locations = self
            .locations
            .iter()
            .map(|(mapping, address, folded, lines)| {
                let lines = lines.iter().map(|&(f, line, column)| Line {
                    function: pick(&functions, f),
                    line,
                    column,
                });
                b.location(
                    pick(&mappings, *mapping),
                    *address,
                    *folded,
                    &lines.collect::<Vec<_>>(),
                )
            });
        let locations: Vec<_> = locations.collect();
        let mut stacks = Vec::new();
        for &(parent, location) in &self.stacks {
            if let Some(location) = pick(&locations, Some(location)) {
                stacks.push(b.stack(pick(&stacks, parent), location));
            }
        }
        let rows = |rows: &Vec<(Option<usize>, i64)>| {
            rows.iter()
                .map(|&(s, value)| (pick(&stacks, s), value))
                .collect()
        };
        let rows = self.rows.iter().map(rows).collect();
        (b.finish(), rows)
    }
}

/// The profile that a chunk's series must read back as, in canonical order.
fn expect(tables: &Profile, series: &SeriesRows) -> Profile {
    let mut b = ProfileBuilder::new();
    let t = &series.series.profile_type;
    b.sample_type(&t.sample_type, &t.sample_unit);
    let period_type = b.value_type(&t.period_type, &t.period_unit);
    let header = b.header();
    (header.period_type, header.period) = (Some(period_type), tables.header().period);
    (header.time_nanos, header.duration_nanos) =
        (series.series.time.0, series.series.duration_nanos);
    for &(stack, value) in &series.rows {
        let frames: Vec<_> = tables.frames(stack).collect();
        let mut copy = None;
        for &frame in frames.iter().rev() {
            let l = tables.locations()[frame.index()];
            let mapping = l.mapping.map(|m| {
                let m = tables.mappings()[m.index()];
                let (file, build_id) = (
                    b.string(tables.text(m.file)),
                    b.string(tables.text(m.build_id)),
                );
                b.mapping(Mapping {
                    file,
                    build_id,
                    ..m
                })
            });
            let lines = tables.lines(frame).iter().map(|line| {
                let function = line.function.map(|f| {
                    let f = tables.functions()[f.index()];
                    let [name, system_name, file] =
                        [f.name, f.system_name, f.file].map(|s| b.string(tables.text(s)));
                    b.function(Function {
                        name,
                        system_name,
                        file,
                        ..f
                    })
                });
                Line { function, ..*line }
            });
            let lines: Vec<_> = lines.collect();
            let location = b.location(mapping, l.address, l.folded, &lines);
            copy = Some(b.stack(copy, location));
        }
        b.sample(copy, None, &[value]);
    }
    merge([&b.finish()]).unwrap().profile
}

fn series_of(sample_type: &str, time: i64) -> Series {
    let labels = labels(&[("service_name", "a"), ("region", "eu")]);
    Series {
        labels,
        profile_type: profile_type("cpu", sample_type),
        time: UnixNanos(time),
        duration_nanos: 7,
        total: 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_chunk_comes_back(parts in parts(), id: [u8; 16], time in 1i64..) {
        let (tables, rows) = parts.build();
        let series: Vec<_> = rows
            .into_iter()
            .enumerate()
            .map(|(i, rows)| SeriesRows { series: series_of(["cpu", "samples"][i], time), rows, links: Vec::new() })
            .collect();
        let bytes = encode_chunk(ChunkId(id), &tables, &series).unwrap();
        let head = chunk_head(&bytes).unwrap();
        prop_assert_eq!((head.id, head.period, head.len), (ChunkId(id), parts.period, bytes.len() as u64));
        for (i, one) in series.iter().enumerate() {
            let total: i64 = one.rows.iter().map(|row| row.1).sum();
            prop_assert_eq!(&head.series[i], &Series { total, ..one.series.clone() });
            let read = read_chunk(&bytes, |at, _| at == i).unwrap();
            prop_assert_eq!(merge([&read]).unwrap().profile, expect(&tables, one));
            prop_assert_eq!(read.total(0), i128::from(total));
        }
        // The same profile again gives the same bytes.
        prop_assert_eq!(encode_chunk(ChunkId(id), &tables, &series).unwrap(), bytes);
    }

    #[test]
    fn a_directory_comes_back(mut pushes in prop::collection::vec(push(), 1..30)) {
        // No retries: a row of the catalog leaves those out.
        pushes.iter_mut().enumerate().for_each(|(i, push)| push.id = i as u8);
        let mut bucket = Bucket::filled(&pushes);
        let check = |bucket: &Bucket| {
            for object in &bucket.catalog {
                let bytes = &bucket.objects[&object.key];
                assert_eq!(Directory::of_object(bytes).unwrap(), object.directory);
                assert_eq!(Directory::decode(&object.directory.encode().unwrap()).unwrap(), object.directory);
                // The way of a rebuild: footer first, then as much as it says.
                let end = bytes.len() - Footer::LEN as usize;
                let footer = Footer::read(&bytes[end..]).unwrap();
                assert_eq!(footer.block, object.level > Level::Segment);
                let read = Directory::decode(&bytes[end - footer.directory_len as usize..end]).unwrap();
                assert_eq!(read, object.directory);
            }
        };
        check(&bucket);
        for level in 1..=3 {
            bucket.compact_all(level);
            check(&bucket);
        }
    }
}

#[test]
fn a_sum_beyond_64_bits_is_refused() {
    let mut b = ProfileBuilder::new();
    let stacks = [b.named_stack(&["a"]), b.named_stack(&["b"])];
    let encode = |rows: &[(Option<StackId>, i64)], b: &ProfileBuilder| {
        let series = SeriesRows {
            series: series_of("cpu", 1),
            rows: rows.to_vec(),
            links: Vec::new(),
        };
        encode_chunk(ChunkId([0; 16]), b.profile(), &[series])
    };
    let sum = i128::from(i64::MAX) + 1;
    let error = StoreError::Overflow {
        what: "the total of a series",
        sum,
    };
    assert_eq!(
        encode(&[(stacks[0], i64::MAX), (stacks[1], 1)], &b),
        Err(error)
    );
    let error = StoreError::Overflow {
        what: "the value of a stack",
        sum,
    };
    assert_eq!(
        encode(
            &[(stacks[0], i64::MAX), (stacks[0], 1), (stacks[1], -1)],
            &b
        ),
        Err(error)
    );
    // Only the sum counts, not the way to it.
    let bytes = encode(
        &[
            (stacks[0], i64::MAX),
            (stacks[0], 1),
            (stacks[0], -1),
            (None, i64::MIN),
        ],
        &b,
    )
    .unwrap();
    assert_eq!(
        read_chunk(&bytes, |_, _| true).unwrap().samples().values,
        [[i64::MIN, i64::MAX]]
    );
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    let mut b = ProfileBuilder::new();
    let stack = b.named_stack(&["again"; 16_385]);
    let series = SeriesRows {
        series: series_of("cpu", 1),
        rows: vec![(stack, 1)],
        links: Vec::new(),
    };
    let error = encode_chunk(ChunkId([0; 16]), b.profile(), &[series]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "stack depth: 16385 is more than the 16384 allowed"
    );
}

#[test]
fn series_that_count_different_things_are_not_one_profile() {
    let series = ["cpu", "samples"].map(|t| SeriesRows {
        series: series_of(t, 1),
        rows: vec![(None, 1)],
        links: Vec::new(),
    });
    let bytes = encode_chunk(ChunkId([0; 16]), &Profile::default(), &series).unwrap();
    let error = read_chunk(&bytes, |_, _| true).unwrap_err();
    let (cpu, samples) = (
        profile_type("cpu", "cpu").to_string(),
        profile_type("cpu", "samples").to_string(),
    );
    assert_eq!(error, StoreError::MixedTypes(cpu, samples));
    assert_eq!(
        read_chunk(&bytes, |_, _| false).unwrap(),
        Profile::default()
    );
}
