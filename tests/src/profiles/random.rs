//! Profiles by chance: small enough to shrink, and with all that verbs trip over.
//!
//! Tables of a few rows, so that samples share frames and recursion is common: inlined lines,
//! locations without lines or mapping, functions that differ in one field only, labels of both
//! kinds (a key with several values, and with numbers as well as text), samples without a stack,
//! repeated samples, zero and negative values. All profiles draw from one small world of names, so
//! several of them overlap.
//!
//! Values stay within ±2^63 / 1024: the sums of fifty profiles of twenty samples fit an `i64`.

use std::ops::Range;

use pilotlight_core::{
    Function, Label, Line, LocationId, Mapping, MappingId, Profile, ProfileBuilder, StringId,
    SymbolFlags,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Names of functions: those of several languages, alike enough that a pattern matches some.
pub const FUNCTIONS: [&str; 12] = [
    "main",
    "main.main",
    "main.(*Shop).Order",
    "net/http.(*conn).serve",
    "runtime.mallocgc",
    "runtime.gcBgMarkWorker",
    "fold",
    "fold_all",
    "core::iter::fold",
    "shop::Cart::add(Item, int)",
    "(anonymous namespace)::add(int)",
    "com.acme.Shop.order",
];

/// Source files of functions.
pub const FILES: [&str; 4] = ["", "main.go", "net/http/server.go", "src/ä b.rs"];

/// Files of mappings.
pub const MAPPINGS: [&str; 4] = ["/usr/bin/shop", "/usr/lib/libc.so.6", "[vdso]", ""];

/// Names of labels.
pub const KEYS: [&str; 4] = ["region", "span", "bytes", "request"];

/// Text values of labels.
pub const TEXTS: [&str; 4] = ["eu", "us east", "17", ""];

/// Units of numeric labels. None is empty: a zero without a unit reads as empty text in pprof.
pub const UNITS: [&str; 3] = ["bytes", "kilobytes", "milliseconds"];

/// A number that picks a row of a table, or none.
type Pick = Option<Index>;

/// Function, line number and column.
type LineRecipe = (Pick, i64, i64);

/// What a profile is made of, as plain numbers: proptest shrinks those.
#[derive(Clone, Debug)]
struct Recipe {
    mappings: Vec<(usize, u64)>,
    /// Name, file, first line.
    functions: Vec<(usize, usize, i64)>,
    /// Mapping, address, whether folded, lines.
    locations: Vec<(Pick, u64, bool, Vec<LineRecipe>)>,
    /// Locations from the root, labels, values.
    samples: Vec<(Vec<Index>, Vec<LabelRecipe>, Vec<i64>)>,
    time: i64,
    duration: i64,
    period: i64,
}

#[derive(Clone, Copy, Debug)]
enum LabelRecipe {
    Text(usize, usize),
    Number(usize, i64, usize),
}

/// Any profile of one to three sample types.
pub fn profiles() -> impl Strategy<Value = Profile> {
    (1usize..4).prop_flat_map(|types| profile_of(types, any_value().boxed()))
}

/// Profiles that merge: the same one to three sample types, overlapping symbols.
pub fn some_profiles(n: Range<usize>) -> impl Strategy<Value = Vec<Profile>> {
    (1usize..4).prop_flat_map(move |types| vec(profile_of(types, any_value().boxed()), n.clone()))
}

/// [`some_profiles`] in which every line has a function: pprof opens no others.
pub fn some_named_profiles(n: Range<usize>) -> impl Strategy<Value = Vec<Profile>> {
    (1usize..4).prop_flat_map(move |types| {
        vec(
            named_profile_of(
                types,
                any_value().boxed(),
                any::<Index>().prop_map(Some).boxed(),
            ),
            n.clone(),
        )
    })
}

/// Any profile of one to three sample types whose values are not negative.
pub fn positive_profiles() -> impl Strategy<Value = Profile> {
    let value = prop_oneof![4 => 0i64..100, 1 => 0i64..i64::MAX / 1024];
    (1usize..4).prop_flat_map(move |types| profile_of(types, value.clone().boxed()))
}

fn often() -> impl Strategy<Value = Pick> {
    prop::option::weighted(0.85, any::<Index>())
}

fn any_value() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -9i64..100, 1 => Just(0), 1 => i64::MIN / 1024..i64::MAX / 1024]
}

fn profile_of(types: usize, value: BoxedStrategy<i64>) -> impl Strategy<Value = Profile> {
    named_profile_of(types, value, often().boxed())
}

/// `function` says which function a line has, if any.
fn named_profile_of(
    types: usize,
    value: BoxedStrategy<i64>,
    function: BoxedStrategy<Pick>,
) -> impl Strategy<Value = Profile> {
    recipe(types, value, function).prop_map(move |recipe| bake(types, &recipe))
}

fn recipe(
    types: usize,
    value: BoxedStrategy<i64>,
    function: BoxedStrategy<Pick>,
) -> impl Strategy<Value = Recipe> {
    let line = (function, 0i64..3, 0i64..2);
    let location = (often(), 0u64..4, prop::bool::weighted(0.1), vec(line, 0..4));
    let label = prop_oneof![
        (0..KEYS.len(), 0..TEXTS.len()).prop_map(|(key, text)| LabelRecipe::Text(key, text)),
        (0..KEYS.len(), -1i64..2050, 0..UNITS.len())
            .prop_map(|(key, n, unit)| LabelRecipe::Number(key, n, unit)),
    ];
    let sample = (
        vec(any::<Index>(), 0..9),
        vec(label, 0..4),
        vec(value, types),
    );
    (
        vec((0..MAPPINGS.len(), 0u64..3), 0..4),
        vec((0..FUNCTIONS.len(), 0..FILES.len(), 0i64..3), 1..7),
        vec(location, 1..9),
        vec(sample, 0..20),
        (0i64..5, 0i64..5, 0i64..5),
    )
        .prop_map(
            |(mappings, functions, locations, samples, (time, duration, period))| Recipe {
                mappings,
                functions,
                locations,
                samples,
                time,
                duration,
                period,
            },
        )
}

fn bake(types: usize, recipe: &Recipe) -> Profile {
    let mut b = ProfileBuilder::new();
    for i in 0..types {
        b.sample_type(
            ["alloc_objects", "alloc_space", "cpu"][i],
            ["count", "bytes", "nanoseconds"][i],
        );
    }
    let mappings: Vec<MappingId> = recipe
        .mappings
        .iter()
        .map(|&(file, start)| mapping(&mut b, file, start))
        .collect();
    let functions = recipe.functions.iter().map(|&(name, file, start_line)| {
        let (name, file) = (b.string(FUNCTIONS[name]), b.string(FILES[file]));
        b.function(Function {
            start_line,
            ..Function::named(name, file)
        })
    });
    let functions: Vec<_> = functions.collect();
    let locations = recipe
        .locations
        .iter()
        .map(|(mapping, address, folded, lines)| {
            let lines = lines.iter().map(|&(f, line, column)| Line {
                function: f.map(|f| *f.get(&functions)),
                line,
                column,
            });
            let mapping = mapping
                .filter(|_| !mappings.is_empty())
                .map(|m| *m.get(&mappings));
            b.location(mapping, *address, *folded, &lines.collect::<Vec<_>>())
        });
    let locations: Vec<LocationId> = locations.collect();
    for (stack, labels, values) in &recipe.samples {
        let stack = b.stack_of(stack.iter().map(|i| *i.get(&locations)));
        let mut labels: Vec<Label> = labels.iter().map(|&recipe| label(&mut b, recipe)).collect();
        let labels = b.label_set(&mut labels);
        b.sample(stack, labels, values);
    }
    let period_type = b.value_type("cpu", "nanoseconds");
    let header = b.header();
    header.period_type = (recipe.period > 0).then_some(period_type);
    (header.period, header.time_nanos, header.duration_nanos) =
        (recipe.period, recipe.time, recipe.duration);
    b.finish()
}

fn mapping(b: &mut ProfileBuilder, file: usize, start: u64) -> MappingId {
    let file = b.string(MAPPINGS[file]);
    let symbols = SymbolFlags {
        functions: start == 1,
        ..SymbolFlags::default()
    };
    let start = start << 12;
    b.mapping(Mapping {
        start,
        limit: start + 4096,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols,
    })
}

fn label(b: &mut ProfileBuilder, recipe: LabelRecipe) -> Label {
    match recipe {
        LabelRecipe::Text(key, text) => b.text_label(KEYS[key], TEXTS[text]),
        LabelRecipe::Number(key, n, unit) => b.number_label(KEYS[key], n, UNITS[unit]),
    }
}
