//! What the docs of the verbs promise, held against brute force on random profiles and against Go's
//! pprof.

mod against_go;

use pilotlight_core::verbs::{
    Demangle, FramePattern, Granularity, Ratio, Recursion, RenameRules, TagPattern, ZeroSamples,
    collapse_recursion, demangle, focus, focus_tags, group, hide, hide_tags, negate, prune,
    prune_from, rename, scale, select, show, show_from, show_tags,
};
use pilotlight_core::{Profile, canonical, merge};
use pilotlight_tests::brute::{self, Frame, Function, Place, Sample, Value, spell, sums};
use pilotlight_tests::random::{profiles, some_profiles};
use proptest::prelude::*;
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
    fn focus_and_ignore(p in profiles(), (a, a_regex) in pattern(), (b, b_regex) in pattern()) {
        let samples = spell(&p);
        let (test_a, test_b) = (|text: &str| a_regex.is_match(text), |text: &str| b_regex.is_match(text));
        check(&focus(&p, Some(&a), Some(&b)).profile, &brute::focus(&samples, Some(&test_a), Some(&test_b)));
        let (kept, rest) = (focus(&p, Some(&a), None), focus(&p, None, Some(&a)));
        check(&kept.profile, &brute::focus(&samples, Some(&test_a), None));
        check(&rest.profile, &brute::focus(&samples, None, Some(&test_a)));
        let with_frames = brute::map_stacks(&samples, |s| (!s.is_empty()).then(|| s.to_vec()));
        let total = |column: usize| with_frames.iter().map(|s| i128::from(s.values[column])).sum::<i128>();
        let expect: Vec<i128> = (0..p.sample_types().len()).map(total).collect();
        prop_assert_eq!(add(&totals(&kept.profile), &totals(&rest.profile)), expect);
        prop_assert_eq!(kept.focus_matched, rest.ignore_matched);
        prop_assert!(kept.focus_matched || kept.profile.is_empty());
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
        prop_assert_eq!(totals(&from), totals(&focus(&p, Some(&a), None).profile));
        prop_assert_eq!(spell(&show_from(&from, &a).profile), spell(&from));
    }

    #[test]
    fn stacks_pruned(p in profiles(), (a, a_regex) in pattern(), (b, b_regex) in pattern()) {
        let samples = spell(&p);
        let all = prune(&p, &a, None).profile;
        check(&all, &brute::prune(&samples, &|text| a_regex.is_match(text)));
        let some = prune(&p, &a, Some(&b)).profile;
        check(&some, &brute::prune(&samples, &|text| a_regex.is_match(text) && !b_regex.is_match(text)));
        prop_assert_eq!(totals(&some), totals(&p));
        // Once cut, no location has only some lines that match, so from here on it is idempotent
        // without exception.
        let twice = prune(&all, &a, None).profile;
        prop_assert_eq!(spell(&prune(&twice, &a, None).profile), spell(&twice));
        if p.location_ids().all(|id| p.lines(id).len() < 2) {
            prop_assert_eq!(spell(&twice), spell(&all));
        }
        let from = prune_from(&p, &a).profile;
        check(&from, &brute::prune_from(&samples, &|text| a_regex.is_match(text)));
        prop_assert_eq!(totals(&from), totals(&p));
        prop_assert_eq!(spell(&prune_from(&from, &a).profile), spell(&from));
    }

    #[test]
    fn labels_filtered(p in profiles(), (a, text) in tags(), (b, _) in tags(), (key, key_regex) in pattern()) {
        let kept = focus_tags(&p, Some(&a), None).profile;
        let expect: Vec<Sample> = spell(&p).into_iter().filter(|s| has_tag(s, text)).collect();
        check(&kept, &expect);
        prop_assert_eq!(add(&totals(&kept), &totals(&focus_tags(&p, None, Some(&a)).profile)), totals(&p));
        let both = focus_tags(&p, Some(&a), Some(&b)).profile;
        prop_assert_eq!(spell(&both), spell(&focus_tags(&kept, None, Some(&b)).profile));
        check(&show_tags(&p, &key).profile, &brute::filter_labels(&spell(&p), &|k| key_regex.is_match(k)));
        check(&hide_tags(&p, &key).profile, &brute::filter_labels(&spell(&p), &|k| !key_regex.is_match(k)));
        let spans = FramePattern::new("^s|bytes").unwrap();
        check(&hide_tags(&p, &spans).profile, &brute::filter_labels(&spell(&p), &|k| !(k.starts_with('s') || k == "bytes")));
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
    fn functions_renamed(p in profiles()) {
        let rules = RenameRules::new(&[("^(\\w+)\\.", "pkg_$1."), ("all", "each")]).unwrap();
        let renamed = rename(&p, &rules);
        let regex = Regex::new("^(\\w+)\\.").unwrap();
        let name = |name: &str| regex.replace(name, "pkg_$1.").replace("all", "each");
        check(&renamed, &brute::map_stacks(&spell(&p), |stack| {
            let mut stack = stack.to_vec();
            let functions = stack.iter_mut().flat_map(|f| &mut f.places).filter_map(|place| place.function.as_mut());
            functions.for_each(|f| f.name = name(&f.name));
            Some(stack)
        }));
    }

    #[test]
    fn columns_selected_and_scaled(p in profiles(), (numerator, denominator) in ratio()) {
        let all: Vec<usize> = (0..p.sample_types().len()).collect();
        prop_assert_eq!(&select(&p, &all, ZeroSamples::Keep).unwrap(), &p);
        for &column in &all {
            let one = select(&p, &[column], ZeroSamples::Drop).unwrap();
            prop_assert_eq!(one.total(0), p.total(column));
            prop_assert!(one.samples().values[0].iter().all(|v| *v != 0));
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
            let negated = negate(&p, column);
            prop_assert_eq!(&negate(&negated.profile, column).profile, &p);
            prop_assert!(merged(&[select(&p, &[column], ZeroSamples::Keep).unwrap(), select(&negated.profile, &[column], ZeroSamples::Keep).unwrap()]).is_empty());
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
                focus(&p, Some(&pattern), None);
                prune(&p, &pattern, None);
            }
            if let Ok(pattern) = TagPattern::new(&text) {
                focus_tags(&p, Some(&pattern), None);
            }
            pilotlight_core::verbs::package(&text, "");
            pilotlight_core::verbs::package(&text, "a.cc");
            Demangle::default().name(&text);
            Demangle::default().name(&format!("_Z{text}"));
            Demangle::default().name(&format!("_R{text}"));
        }
    }
}

fn ratio() -> impl Strategy<Value = (i64, u64)> {
    // Products with totals of twenty such values stay within i128.
    prop_oneof![(-5i64..6, 1u64..7), (any::<i64>(), 1..u64::MAX)]
}

const GRANULARITIES: [Granularity; 6] = [
    Granularity::Function,
    Granularity::File,
    Granularity::Line,
    Granularity::Address,
    Granularity::Module,
    Granularity::Package,
];

/// Verbs that look at one sample at a time.
const VERBS: [fn(&Profile) -> Profile; 20] = [
    |p| {
        focus(
            p,
            Some(&FramePattern::new("fold").unwrap()),
            Some(&FramePattern::new("main").unwrap()),
        )
        .profile
    },
    |p| focus(p, None, Some(&FramePattern::new("libc").unwrap())).profile,
    |p| hide(p, &FramePattern::new("fold|main").unwrap()).profile,
    |p| show(p, &FramePattern::new("fold|main").unwrap()).profile,
    |p| show_from(p, &FramePattern::new("fold").unwrap()).profile,
    |p| prune(p, &FramePattern::new("fold").unwrap(), None).profile,
    |p| prune_from(p, &FramePattern::new("fold").unwrap()).profile,
    |p| {
        focus_tags(
            p,
            Some(&TagPattern::new("region").unwrap()),
            Some(&TagPattern::new("1kb:").unwrap()),
        )
        .profile
    },
    |p| hide_tags(p, &FramePattern::new("region").unwrap()).profile,
    |p| collapse_recursion(p, Recursion::Direct).unwrap(),
    |p| collapse_recursion(p, Recursion::Cycles).unwrap(),
    |p| group(p, Granularity::Function),
    |p| group(p, Granularity::File),
    |p| group(p, Granularity::Line),
    |p| group(p, Granularity::Module),
    |p| group(p, Granularity::Package),
    |p| rename(p, &RenameRules::new(&[("\\(.*", ""), ("o", "0")]).unwrap()),
    |p| demangle(p, Demangle::default()),
    |p| select(p, &[0], ZeroSamples::Drop).unwrap(),
    |p| negate(p, 0).profile,
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
    if by == Granularity::Address {
        return frame.clone();
    }
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
        let line = if by == Granularity::Line {
            (place.line.0, 0)
        } else {
            (0, 0)
        };
        let function = place.function.as_ref().and_then(|f| match by {
            Granularity::Function => named(&f.name),
            Granularity::File => named(&f.file).map(|named| Function {
                file: f.file.clone(),
                ..named
            }),
            Granularity::Line => Some(Function {
                start_line: 0,
                ..f.clone()
            }),
            _ => match &*pilotlight_core::verbs::package(&f.name, &f.file) {
                "" if module.is_empty() => named(""),
                "" => named(&format!("[{}]", module.rsplit('/').next().unwrap_or(""))),
                package => named(package),
            },
        });
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
