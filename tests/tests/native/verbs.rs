//! What the docs of the verbs promise, held against brute force on random profiles and against Go's
//! pprof.

use pilotlight_core::pprof::{encode, open};
use pilotlight_core::verbs::{
    Filtered, FramePattern, Granularity, Ratio, Recursion, TagPattern, collapse_recursion,
    demangled, focus, focus_tags, group, hide, ignore, ignore_tags, prune_from, scale, show,
    show_from,
};
use pilotlight_core::{Profile, ProfileBuilder, canonical, merge};
use pilotlight_tests::brute::{self, Frame, Function, Place, Sample, Value, spell, sums};
use pilotlight_tests::random::{profiles, some_named_profiles, some_profiles};
use pilotlight_tests::{corpus, go};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use regex_lite::Regex;

/// Patterns that match some of what random profiles are made of.
const PATTERNS: [&str; 12] = [
    "main",
    "^fold$",
    "fold",
    "runtime\\..*",
    "libc|vdso",
    "server\\.go$",
    "add",
    "shop",
    "[.]serve",
    "ä",
    "nowhere",
    "(?i)SHOP::|order",
];

/// Patterns of labels: by text and by number.
const TAGS: [&str; 9] = [
    "eu",
    "region:",
    "span=^17$",
    "us,eu",
    "region=us,eu",
    "1kb:",
    "bytes=:2048",
    "10:500",
    "request=1:1023ms",
];

fn pattern() -> impl Strategy<Value = (FramePattern, Regex)> {
    proptest::sample::select(&PATTERNS[..])
        .prop_map(|text| (FramePattern::new(text).unwrap(), Regex::new(text).unwrap()))
}

fn tags() -> impl Strategy<Value = (TagPattern, &'static str)> {
    proptest::sample::select(&TAGS[..]).prop_map(|text| (TagPattern::new(text).unwrap(), text))
}

/// That a profile says what brute force says.
fn check(profile: &Profile, expect: &[Sample]) {
    assert_eq!(sums(&spell(profile)), sums(expect));
}

fn totals(profile: &Profile) -> Vec<i128> {
    (0..profile.sample_types().len())
        .map(|column| profile.total(column))
        .collect()
}

fn add(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn merged(profiles: &[Profile]) -> Profile {
    merge(profiles).expect("equal sample types").profile
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn focus_and_ignore(p in profiles(), (a, regex) in pattern()) {
        let samples = spell(&p);
        let test = |text: &str| regex.is_match(text);
        let (kept, rest) = (focus(&p, &a), ignore(&p, &a));
        check(&kept.profile, &brute::focus(&samples, &test));
        check(&rest.profile, &brute::ignore(&samples, &test));
        let with_frames = brute::map_stacks(&samples, |s| (!s.is_empty()).then(|| s.to_vec()));
        let total = |column: usize| with_frames.iter().map(|s| i128::from(s.values[column])).sum::<i128>();
        let expect: Vec<i128> = (0..p.sample_types().len()).map(total).collect();
        prop_assert_eq!(add(&totals(&kept.profile), &totals(&rest.profile)), expect);
        prop_assert_eq!(kept.matched, rest.matched);
        prop_assert!(kept.matched || kept.profile.is_empty());
    }

    #[test]
    fn frames_hidden_and_shown(p in profiles(), (a, regex) in pattern()) {
        let test = |text: &str| regex.is_match(text);
        let hidden = hide(&p, &a);
        check(&hidden.profile, &brute::hide(&spell(&p), &test));
        prop_assert!(!hide(&hidden.profile, &a).matched || hidden.profile.locations().len() == p.locations().len());
        prop_assert_eq!(spell(&hide(&hidden.profile, &a).profile), spell(&hidden.profile));
        let shown = show(&p, &a).profile;
        check(&shown, &brute::show(&spell(&p), &test));
        prop_assert_eq!(spell(&show(&shown, &a).profile), spell(&shown));
    }

    #[test]
    fn frames_from_a_function_on(p in profiles(), (a, regex) in pattern()) {
        let from = show_from(&p, &a).profile;
        check(&from, &brute::show_from(&spell(&p), &|text| regex.is_match(text)));
        prop_assert_eq!(totals(&from), totals(&focus(&p, &a).profile));
        prop_assert_eq!(spell(&show_from(&from, &a).profile), spell(&from));
    }

    #[test]
    fn stacks_pruned(p in profiles(), (a, regex) in pattern()) {
        let from = prune_from(&p, &a).profile;
        check(&from, &brute::prune_from(&spell(&p), &|text| regex.is_match(text)));
        prop_assert_eq!(totals(&from), totals(&p));
        prop_assert_eq!(spell(&prune_from(&from, &a).profile), spell(&from));
    }

    #[test]
    fn labels_filtered(p in profiles(), (a, text) in tags()) {
        let kept = focus_tags(&p, &a).profile;
        let expect: Vec<Sample> = spell(&p).into_iter().filter(|s| has_tag(s, text)).collect();
        check(&kept, &expect);
        prop_assert_eq!(add(&totals(&kept), &totals(&ignore_tags(&p, &a).profile)), totals(&p));
    }

    #[test]
    fn recursion_collapsed(p in profiles()) {
        let collapse = |p: &Profile, mode| collapse_recursion(p, mode).unwrap();
        let (direct, cycles) = (collapse(&p, Recursion::Direct), collapse(&p, Recursion::Cycles));
        check(&direct, &brute::collapse_direct(&spell(&p)));
        check(&cycles, &brute::collapse_cycles(&spell(&p)));
        prop_assert_eq!(spell(&collapse(&direct, Recursion::Direct)), spell(&direct));
        prop_assert_eq!(spell(&collapse(&cycles, Recursion::Cycles)), spell(&cycles));
        for column in 0..p.sample_types().len() {
            let before = brute::functions(&spell(&p), column);
            prop_assert_eq!(&brute::functions(&spell(&direct), column), &before);
            let own = |sums: &std::collections::BTreeMap<(String, String), (i128, i128)>| {
                sums.iter().filter(|(_, v)| v.0 != 0).map(|(k, v)| (k.clone(), v.0)).collect::<Vec<_>>()
            };
            prop_assert_eq!(own(&brute::functions(&spell(&cycles), column)), own(&before));
        }
    }

    #[test]
    fn frames_grouped(p in profiles()) {
        for by in GRANULARITIES {
            let grouped = group(&p, by);
            check(&grouped, &brute::map_stacks(&spell(&p), |stack| Some(stack.iter().map(|f| grouped_frame(f, by)).collect())));
            prop_assert_eq!(totals(&grouped), totals(&p));
            prop_assert!(distinct(grouped.locations()) && distinct(grouped.functions()), "{:?}", by);
            if by != Granularity::Package {
                prop_assert_eq!(spell(&group(&grouped, by)), spell(&grouped));
            }
        }
    }

    #[test]
    fn columns_scaled(p in profiles(), (numerator, denominator) in ratio()) {
        for column in 0..p.sample_types().len() {
            let ratio = Ratio::new(numerator, denominator).unwrap();
            let scaled = scale(&p, column, ratio);
            let exact = |n: i128| (n * i128::from(numerator)).div_euclid(i128::from(denominator));
            if scaled.saturated == 0 {
                prop_assert_eq!(scaled.profile.total(column), exact(p.total(column)));
            }
            for (&new, &old) in scaled.profile.samples().values[column].iter().zip(&p.samples().values[column]) {
                let floor = exact(i128::from(old));
                prop_assert!((floor..=floor + 1).contains(&i128::from(new)) || scaled.saturated > 0);
                prop_assert!(old != 0 || new == 0);
            }
        }
    }

    #[test]
    fn verbs_commute_with_merging(ps in some_profiles(1..4), which in 0..VERBS.len()) {
        let verb = VERBS[which];
        let each: Vec<Profile> = ps.iter().map(verb).collect();
        prop_assert_eq!(canonical(&verb(&merged(&ps))), merged(&each), "verb {}", which);
    }

    #[test]
    fn no_pattern_panics(text in "\\PC{0,30}", seed in "[a-z0-9:=,+kmb(|)*\\\\\\[\\]^$.{}?-]{0,30}", p in profiles()) {
        for text in [text, seed] {
            if let Ok(pattern) = FramePattern::new(&text) {
                focus(&p, &pattern);
                prune_from(&p, &pattern);
            }
            if let Ok(pattern) = TagPattern::new(&text) {
                focus_tags(&p, &pattern);
            }
            pilotlight_core::verbs::package(&text, "");
            pilotlight_core::verbs::package(&text, "a.cc");
            demangled(&text);
            demangled(&format!("_Z{text}"));
            demangled(&format!("_R{text}"));
        }
    }
}

fn ratio() -> impl Strategy<Value = (i64, u64)> {
    // Products with totals of twenty such values stay within i128.
    prop_oneof![(-5i64..6, 1u64..7), (any::<i64>(), 1..u64::MAX)]
}

const GRANULARITIES: [Granularity; 4] = [
    Granularity::Function,
    Granularity::File,
    Granularity::Module,
    Granularity::Package,
];

/// Verbs that look at one sample at a time.
const VERBS: [fn(&Profile) -> Profile; 14] = [
    |p| focus(p, &FramePattern::new("fold").unwrap()).profile,
    |p| ignore(p, &FramePattern::new("libc").unwrap()).profile,
    |p| hide(p, &FramePattern::new("fold|main").unwrap()).profile,
    |p| show(p, &FramePattern::new("fold|main").unwrap()).profile,
    |p| show_from(p, &FramePattern::new("fold").unwrap()).profile,
    |p| prune_from(p, &FramePattern::new("fold").unwrap()).profile,
    |p| focus_tags(p, &TagPattern::new("region").unwrap()).profile,
    |p| ignore_tags(p, &TagPattern::new("1kb:").unwrap()).profile,
    |p| collapse_recursion(p, Recursion::Direct).unwrap(),
    |p| collapse_recursion(p, Recursion::Cycles).unwrap(),
    |p| group(p, Granularity::Function),
    |p| group(p, Granularity::File),
    |p| group(p, Granularity::Module),
    |p| group(p, Granularity::Package),
];

fn distinct<Row: PartialEq>(rows: &[Row]) -> bool {
    (1..rows.len()).all(|i| !rows[..i].contains(&rows[i]))
}

/// What the patterns of [`TAGS`] mean, one by one.
fn has_tag(sample: &Sample, pattern: &str) -> bool {
    let text = |test: &dyn Fn(&str, &str) -> bool| {
        let mut labels = sample.labels.iter();
        labels.any(|(key, value)| matches!(value, Value::Text(text) if !text.is_empty() && test(key, text)))
    };
    // Bytes or milliseconds; what is no unit of the pattern's kind is none of its numbers.
    let number = |key: &str, kind: &str, range: std::ops::RangeInclusive<i64>| {
        sample.labels.iter().any(|(k, value)| match value {
            Value::Number(n, unit) if key.is_empty() || k == key => match (unit.as_str(), kind) {
                ("bytes", "bytes") | ("milliseconds", "time") => range.contains(n),
                ("kilobytes", "bytes") => range.contains(&(n * 1024)),
                _ => false,
            },
            _ => false,
        })
    };
    match pattern {
        "eu" => text(&|_, value| value == "eu"),
        "region:" => text(&|key, _| key == "region"),
        "span=^17$" => text(&|key, value| key == "span" && value == "17"),
        "us,eu" => text(&|_, value| value.contains("us")) && text(&|_, value| value == "eu"),
        "region=us,eu" => {
            text(&|key, value| key == "region" && (value.contains("us") || value == "eu"))
        }
        "1kb:" => number("", "bytes", 1024..=i64::MAX),
        "bytes=:2048" => false, // A number without a unit is no number of bytes.
        "10:500" => false,
        "request=1:1023ms" => false, // The first has no unit, so this is no range, and no text is like it.
        _ => panic!("{pattern} is not known"),
    }
}

/// What granularity makes of a frame.
fn grouped_frame(frame: &Frame, by: Granularity) -> Frame {
    let named = |name: &str| {
        Some(Function {
            name: name.to_owned(),
            system_name: name.to_owned(),
            ..Function::default()
        })
    };
    let module = frame.module.clone().unwrap_or_default();
    if by == Granularity::Module {
        let places = vec![Place {
            function: named(&module),
            line: (0, 0),
        }];
        return Frame {
            module: frame.module.clone(),
            places,
            ..Frame::default()
        };
    }
    let place = |place: &Place| {
        let function = place.function.as_ref().and_then(|f| match by {
            Granularity::Function => named(&f.name),
            Granularity::File => named(&f.file).map(|named| Function {
                file: f.file.clone(),
                ..named
            }),
            _ => match &*pilotlight_core::verbs::package(&f.name, &f.file) {
                "" if module.is_empty() => named(""),
                "" => named(&format!("[{}]", module.rsplit('/').next().unwrap_or(""))),
                package => named(package),
            },
        });
        let line = (0, 0);
        Place { function, line }
    };
    let known = frame.places.iter().any(|p| p.function.is_some());
    let places = frame.places.iter().map(place).collect();
    Frame {
        module: frame.module.clone().filter(|_| !known),
        places,
        ..Frame::default()
    }
}

/// What Go's pprof and we make of the same options; the order in which they apply is pprof's.
fn filtered(profile: &Profile, options: &[&str]) -> Profile {
    let value = |name: &str| {
        let prefix = format!("-{name}=");
        options
            .iter()
            .find_map(|option| option.strip_prefix(&prefix))
    };
    let mut filtered = profile.clone();
    let mut frames = |name: &str, verb: fn(&Profile, &FramePattern) -> Filtered| {
        if let Some(text) = value(name) {
            filtered = verb(&filtered, &FramePattern::new(text).unwrap()).profile;
        }
    };
    frames("ignore", ignore);
    frames("focus", focus);
    frames("hide", hide);
    frames("show", show);
    frames("show_from", show_from);
    let mut tags = |name: &str, verb: fn(&Profile, &TagPattern) -> Filtered| {
        if let Some(text) = value(name) {
            filtered = verb(&filtered, &TagPattern::new(text).unwrap()).profile;
        }
    };
    tags("tagfocus", focus_tags);
    tags("tagignore", ignore_tags);
    match value("prune_from") {
        Some(text) => prune_from(&filtered, &FramePattern::new(text).unwrap()).profile,
        None => filtered,
    }
}

fn check_with_go(name: &str, bytes: &[u8], options: &[&str]) {
    let theirs = open(&go::proto_with(bytes, options), usize::MAX)
        .unwrap()
        .profile;
    let ours = filtered(&open(bytes, usize::MAX).unwrap().profile, options);
    let (ours, theirs) = (go::sums_as_kept(&ours), go::sums_as_kept(&theirs));
    assert!(
        !ours.is_empty(),
        "{name} {options:?} leave nothing to compare"
    );
    assert!(
        ours == theirs,
        "{name} {options:?}: {} stacks, {} of pprof",
        ours.len(),
        theirs.len()
    );
}

#[test]
fn go_filters_random_profiles_alike() {
    if !go::available() {
        return;
    }
    let options: [&[&str]; 11] = [
        &["-focus=fold", "-ignore=main"],
        &["-focus=libc"],
        &["-hide=fold|libc"],
        &["-hide=^main", "-show=f|add"],
        &["-show=fold|shop", "-tagfocus=eu"],
        &["-show_from=libc|add", "-tagignore=region=us,eu"],
        &["-prune_from=fold|add", "-ignore=serve|malloc"],
        &[
            "-focus=main|fold",
            "-hide=add",
            "-show_from=fold",
            "-prune_from=runtime",
        ],
        &["-tagfocus=region:us,eu", "-tagignore=span"],
        &["-tagfocus=:1kb", "-tagignore=bytes=10b:1kb"],
        &["-tagignore=span=500"],
    ];
    let mut runner = TestRunner::deterministic();
    for (i, options) in options.into_iter().enumerate() {
        // Many small profiles in one, so that one process checks them all; locations stay as they
        // are.
        let ranges = i >= 9;
        let many: Vec<Profile> = some_named_profiles(20..21)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let mut p = merged(&many);
        if ranges {
            p = one_unit(&p);
        }
        check_with_go("random", &encode(&p), options);
    }
}

/// The samples whose numbers are bytes: pprof measures all numbers of a key in the first unit that
/// it meets.
fn one_unit(p: &Profile) -> Profile {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    for sample in spell(p) {
        let labels = sample
            .labels
            .into_iter()
            .filter(|(_, value)| matches!(value, Value::Number(_, unit) if unit == "bytes"));
        let mut labels: Vec<_> = labels
            .map(|(key, value)| {
                let Value::Number(n, unit) = value else {
                    unreachable!("only numbers are left")
                };
                pilotlight_core::Label {
                    key: b.string(&key),
                    value: pilotlight_core::LabelValue::Number(n, b.string(&unit)),
                }
            })
            .collect();
        let set = b.label_set(&mut labels);
        let stack = b.named_stack(&["main"]);
        b.sample(stack, set, &[1]);
    }
    b.finish()
}

#[test]
fn go_filters_real_profiles_alike() {
    if !go::available() {
        return;
    }
    let cases: [(&str, &[&str]); 5] = [
        (
            "parca/fgprof.pb.gz",
            &["-focus=http", "-hide=^net/http", "-prune_from=^crypto"],
        ),
        ("parca/fgprof.pb.gz", &["-show_from=^main|http"]),
        (
            "parca/alloc_objects.pb.gz",
            &["-hide=server\\.go$", "-ignore=json", "-tagfocus=16b:1mb"],
        ),
        (
            "parca/alloc_objects.pb.gz",
            &["-show=^(main|github)", "-tagignore=bytes=:64"],
        ),
        (
            "pprof/sample.cpu",
            &["-focus=main", "-hide=runtime", "-prune_from=sync"],
        ),
    ];
    for (name, options) in cases {
        let Some(sample) = corpus::read(name) else {
            return;
        };
        check_with_go(name, &sample.bytes, options);
    }
}

/// Symbols of the three languages, as linkers write them.
const SYMBOLS: [&str; 15] = [
    "main",
    "main.main",
    "_ZN5space3fooEibc",
    "_ZNSt6vectorIiSaIiEE9push_backERKi",
    "_ZNKSt6vectorISsSaISsEE4sizeEv",
    "_ZlsRSoRK1A",
    "_ZN1AC1Ev",
    "_ZN1AD0Ev",
    "_ZN12_GLOBAL__N_13runEv",
    "_ZNSt8functionIFvvEEclEv",
    "_Z3addIiET_S0_S0_",
    "_ZNK3app6WidgetIN4base4NodeEE4drawEPKcS5_",
    "_ZN5tokio7runtime4task7harness20Harness$LT$T$C$S$GT$4poll17h0123456789abcdefE",
    "_RNvC6_123foo3bar",
    "_RNvNtCs1234_7mycrate3foo3bar",
];

#[test]
fn go_demangles_alike() {
    if !go::available() {
        return;
    }
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    for (i, symbol) in SYMBOLS.iter().enumerate() {
        let stack = b.named_stack(&[symbol]);
        b.sample(stack, None, &[1 << i]);
    }
    let theirs = go::proto_with(
        &encode(&b.finish()),
        &["-symbolize=fastlocal:demangle=default"],
    );
    for sample in spell(&open(&theirs, usize::MAX).unwrap().profile) {
        let symbol = SYMBOLS[sample.values[0].trailing_zeros() as usize];
        let theirs = sample.stack[0].places[0].function.clone().unwrap().name;
        // pprof has no way to leave out what is between angles of Rust's old symbols.
        let theirs = theirs.replace("<T,S>", "");
        assert_eq!(demangled(symbol).unwrap_or(symbol.to_owned()), theirs);
    }
}
