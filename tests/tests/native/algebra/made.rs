//! Profiles by chance, small enough to shrink and mean enough to matter.

use pilotlight_core::{
    Function, Label, LabelValue, Line, LocationId, Mapping, MappingId, Profile, ProfileBuilder,
    StringId, SymbolFlags,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Mapping, address, whether folded, lines as function and number.
type LocationRecipe = (u8, u8, bool, Vec<(u8, u8)>);
/// Locations from the root, labels as key, value and whether a number, values.
type SampleRecipe = (Vec<u8>, Vec<(u8, u8, bool)>, Vec<i64>);

/// What a profile is made of, as plain numbers: proptest shrinks those.
#[derive(Clone, Debug)]
struct Recipe {
    types: usize,
    mappings: Vec<(u8, bool)>,
    functions: Vec<(u8, u8, u8)>,
    locations: Vec<LocationRecipe>,
    samples: Vec<SampleRecipe>,
    time: i64,
    duration: i64,
    period: i64,
    comments: Vec<u8>,
}

/// Any profile with one to three types.
pub(crate) fn profile() -> impl Strategy<Value = Profile> {
    (1usize..4).prop_flat_map(profile_of)
}

/// Any profile with so many types. Values stay small enough that three profiles do not saturate.
pub(crate) fn profile_of(types: usize) -> impl Strategy<Value = Profile> {
    let extremes =
        prop_oneof![4 => -9i64..100, 1 => Just(0), 1 => (i64::MIN / 1000)..(i64::MAX / 1000)];
    recipe(types, extremes.boxed()).prop_map(|recipe| bake(&recipe))
}

/// A profile of one type without negative values.
pub(crate) fn positive() -> impl Strategy<Value = Profile> {
    let values = prop_oneof![4 => 0i64..100, 1 => 0i64..1_000_000_000_000];
    recipe(1, values.boxed()).prop_map(|recipe| bake(&recipe))
}

fn recipe(types: usize, value: BoxedStrategy<i64>) -> impl Strategy<Value = Recipe> {
    let line = (any::<u8>(), 0u8..4);
    let location = (any::<u8>(), 0u8..3, any::<bool>(), vec(line, 0..3));
    let label = (0u8..4, 0u8..4, any::<bool>());
    let sample = (vec(any::<u8>(), 0..8), vec(label, 0..3), vec(value, types));
    (
        vec((any::<u8>(), any::<bool>()), 0..3),
        vec((0u8..6, 0u8..3, 0u8..3), 1..6),
        vec(location, 1..8),
        vec(sample, 0..20),
        (0i64..5, 0i64..5, 0i64..5),
        vec(0u8..3, 0..3),
    )
        .prop_map(
            move |(mappings, functions, locations, samples, (time, duration, period), comments)| {
                Recipe {
                    types,
                    mappings,
                    functions,
                    locations,
                    samples,
                    time,
                    duration,
                    period,
                    comments,
                }
            },
        )
}

fn bake(recipe: &Recipe) -> Profile {
    let mut b = ProfileBuilder::new();
    for i in 0..recipe.types {
        b.sample_type(&format!("type{i}"), ["count", "bytes"][i % 2]);
    }
    let mappings: Vec<MappingId> = recipe
        .mappings
        .iter()
        .map(|&(start, flag)| mapping(&mut b, start, flag))
        .collect();
    let functions: Vec<_> = recipe
        .functions
        .iter()
        .map(|&(name, file, start_line)| {
            let (name, file) = (
                b.string(&format!("f{name}")),
                b.string(["", "a.rs", "ä b.rs"][file as usize]),
            );
            b.function(Function {
                start_line: i64::from(start_line),
                ..Function::named(name, file)
            })
        })
        .collect();
    let locations: Vec<LocationId> = recipe
        .locations
        .iter()
        .map(|(mapping, address, folded, lines)| {
            let mapping = pick(&mappings, *mapping);
            let lines = lines.iter().map(|&(f, line)| Line {
                function: pick(&functions, f),
                line: i64::from(line),
                column: 0,
            });
            let lines: Vec<Line> = lines.collect();
            b.location(mapping, u64::from(*address), *folded, &lines)
        })
        .collect();
    for (stack, labels, values) in &recipe.samples {
        let frames = stack
            .iter()
            .map(|&i| locations[i as usize % locations.len()]);
        let stack = b.stack_of(frames);
        let mut labels: Vec<Label> = labels
            .iter()
            .map(|&(key, value, number)| label(&mut b, key, value, number))
            .collect();
        let labels = b.label_set(&mut labels);
        b.sample(stack, labels, values);
    }
    let comments = recipe
        .comments
        .iter()
        .map(|c| b.string(&format!("comment {c}")))
        .collect();
    let period_type = b.value_type("cpu", "nanoseconds");
    let header = b.header();
    header.period_type = (recipe.period > 0).then_some(period_type);
    (header.period, header.time_nanos, header.duration_nanos) =
        (recipe.period, recipe.time, recipe.duration);
    header.comments = comments;
    b.finish()
}

fn mapping(b: &mut ProfileBuilder, start: u8, flag: bool) -> MappingId {
    let file = if flag {
        b.string("/usr/lib/libfoo.so")
    } else {
        StringId::EMPTY
    };
    let symbols = SymbolFlags {
        functions: flag,
        ..SymbolFlags::default()
    };
    let start = u64::from(start) << 12;
    b.mapping(Mapping {
        start,
        limit: start + 4096,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols,
    })
}

fn label(b: &mut ProfileBuilder, key: u8, value: u8, number: bool) -> Label {
    let key = b.string(&format!("k{key}"));
    let value = if number {
        // A label with neither number nor unit is empty text in the format; so the unit is given.
        LabelValue::Number(i64::from(value) - 1, b.string("bytes"))
    } else {
        LabelValue::Text(b.string(&format!("v{value}")))
    };
    Label { key, value }
}

/// One of the rows, or none when there are none or the number says so.
fn pick<Id: Copy>(rows: &[Id], number: u8) -> Option<Id> {
    (!number.is_multiple_of(5))
        .then(|| rows.get(number as usize % rows.len().max(1)).copied())
        .flatten()
}
