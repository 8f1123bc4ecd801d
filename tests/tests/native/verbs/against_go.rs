//! Verbs against those of Go's pprof.

use pilotlight_core::ProfileBuilder;
use pilotlight_core::pprof::{encode, open};
use pilotlight_core::verbs::{Filtered, prune_by_header};
use pilotlight_tests::random::some_named_profiles;
use pilotlight_tests::{corpus, go};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;

/// What Go's pprof and we make of the same options; the order in which they apply is pprof's.
fn filtered(profile: &Profile, options: &[&str]) -> Profile {
    let value = |name: &str| {
        let prefix = format!("-{name}=");
        options
            .iter()
            .find_map(|option| option.strip_prefix(&prefix))
    };
    let frames = |name: &str| value(name).map(|text| FramePattern::new(text).unwrap());
    let tags = |name: &str| value(name).map(|text| TagPattern::new(text).unwrap());
    let apply =
        |profile: Profile, name: &str, verb: fn(&Profile, &FramePattern) -> Filtered| match frames(
            name,
        ) {
            Some(pattern) => verb(&profile, &pattern).profile,
            None => profile,
        };
    let pruned = prune_by_header(profile).unwrap().profile;
    let focused = focus(&pruned, frames("focus").as_ref(), frames("ignore").as_ref()).profile;
    let shown = apply(
        apply(apply(focused, "hide", hide), "show", show),
        "show_from",
        show_from,
    );
    let tagged = focus_tags(
        &shown,
        tags("tagfocus").as_ref(),
        tags("tagignore").as_ref(),
    )
    .profile;
    apply(
        apply(apply(tagged, "tagshow", show_tags), "taghide", hide_tags),
        "prune_from",
        prune_from,
    )
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
        &[
            "-focus=fold",
            "-ignore=main",
            "-tagshow=region|bytes",
            "-taghide=bytes",
        ],
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
        let mut b = encode(&p);
        check_with_go("random", &b, options);
        // drop_frames is field 7, keep_frames field 8: the strings are in the table, so that their
        // rows can be named.
        let row = p.strings().iter().position(|text| text == "fold");
        if let (Some(row @ 1..=127), 6..=7) = (row, i) {
            b.extend([7 << 3, row as u8]);
            check_with_go("random with drop_frames", &b, options);
        }
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
                b.number_label(&key, n, &unit)
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
    use pilotlight_core::verbs::Detail;
    if !go::available() {
        return;
    }
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    for (i, symbol) in SYMBOLS.iter().enumerate() {
        let stack = b.named_stack(&[symbol]);
        b.sample(stack, None, &[1 << i]);
    }
    let p = b.finish();
    let names = |p: &Profile| -> Vec<(i64, String)> {
        let name = |s: &Sample| s.stack[0].places[0].function.clone().unwrap().name;
        spell(p).iter().map(|s| (s.values[0], name(s))).collect()
    };
    for (mode, detail) in [
        ("full", Detail::Full),
        ("templates", Detail::NoParameters),
        ("default", Detail::NoTemplates),
    ] {
        let theirs = go::proto_with(
            &encode(&p),
            &[&format!("-symbolize=fastlocal:demangle={mode}")],
        );
        let theirs = names(&open(&theirs, usize::MAX).unwrap().profile);
        let ours = names(&demangle(
            &p,
            Demangle {
                detail,
                ..Demangle::default()
            },
        ));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            // pprof has no way to leave out what is between angles of Rust's old symbols.
            let theirs = if detail == Detail::NoTemplates {
                theirs.1.replace("<T,S>", "")
            } else {
                theirs.1.clone()
            };
            assert_eq!(ours.1, theirs, "{mode}");
        }
    }
}
