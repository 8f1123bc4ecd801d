//! Differences and tables against those of Go's pprof.

use std::fs;
use std::process::{Command, Stdio};

use pilotlight_core::pprof::decode;
use pilotlight_tests::{corpus, drawn, go};

use super::*;

/// A profile as Go's reports see it: without the frames that it asks to drop.
fn pruned(bytes: &[u8]) -> Vec<u8> {
    let bytes = pilotlight_tests::oracle::unzip(bytes);
    let asks = decode(&bytes).is_ok_and(|decoded| !decoded.profile.header().drop_frames.is_empty());
    if asks {
        pilotlight_tests::oracle::unzip(&go::to_proto(&bytes))
    } else {
        bytes
    }
}

/// A profile of the corpus: name and bytes.
type Named = (String, Vec<u8>);

/// Pairs of profiles of the corpus that measure the same, the later one of each first.
fn pairs() -> Vec<[Named; 2]> {
    let mut last: BTreeMap<Vec<(String, String)>, Named> = BTreeMap::new();
    let mut pairs = Vec::new();
    // The five of `parca/many` are much alike: two will do.
    let wanted = ["parca/many/164450927", "agents/go142", "agents/node0413"];
    for sample in corpus::profiles()
        .into_iter()
        .filter(|s| wanted.iter().any(|w| s.name.starts_with(w)))
    {
        let bytes = pruned(&sample.bytes);
        let oracle = Oracle::read(&bytes);
        let folder = sample
            .name
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let mut key = vec![(folder.to_owned(), String::new())];
        key.extend(oracle.types.into_iter().chain(oracle.period_type));
        if let Some(earlier) = last.insert(key, (sample.name.clone(), bytes.clone())) {
            pairs.push([(sample.name, bytes), earlier]);
        }
    }
    pairs
}

/// What Go's pprof prints or writes for a profile, with options.
fn go_pprof(options: &[&str], source: &[u8], base: Option<(&str, &[u8])>) -> Vec<u8> {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("views-{}-{next}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder for scratch files");
    let (input, other, output) = (
        folder.join("input"),
        folder.join("base"),
        folder.join("output"),
    );
    fs::write(&input, source).expect("a writable scratch folder");
    let mut command = Command::new("go");
    command
        .args(["tool", "pprof", "-symbolize=none"])
        .args(options)
        .arg("-output")
        .arg(&output);
    if let Some((option, base)) = base {
        fs::write(&other, base).expect("a writable scratch folder");
        command.arg(format!("{option}={}", other.display()));
    }
    let command = command
        .arg(&input)
        .env("TZ", "UTC")
        .env("PPROF_BINARY_PATH", &folder)
        .env("PPROF_TMPDIR", &folder);
    let ran = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("go runs");
    assert!(
        ran.status.success(),
        "go tool pprof {options:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let bytes = fs::read(&output).expect("pprof's output");
    fs::remove_dir_all(&folder).expect("our own folder");
    bytes
}

#[test]
fn differences_are_those_of_go() {
    if !go::available() {
        return;
    }
    let read = |bytes: &[u8]| Oracle::merged([&Oracle::read(bytes)]);
    let pairs = pairs();
    for [(name, later), (_, earlier)] in &pairs {
        let [source, base] =
            [later, earlier].map(|bytes| decode(bytes).expect("a profile").profile);
        let theirs = read(&go_pprof(&["-proto"], later, Some(("-base", earlier))));
        let ours = subtract(&source, &base, Scale::Absolute)
            .expect("the same types")
            .profile;
        assert_eq!(read(&encode(&ours)), theirs, "{name} -base");
        let theirs = read(&go_pprof(&["-proto"], later, Some(("-diff_base", earlier))));
        let ours = diff_base(&source, &base, Scale::Absolute)
            .expect("the same types")
            .profile;
        assert_eq!(read(&encode(&ours)), theirs, "{name} -diff_base");
    }
    assert!(
        corpus::root().is_none() || pairs.len() > 5,
        "only {} pairs",
        pairs.len()
    );
}

#[test]
fn percentages_are_shares_of_what_go_says() {
    if !go::available() {
        return;
    }
    let total = regex_lite::Regex::new(r"% of (\d+)[A-Za-z]* total").expect("valid");
    let whole = |bytes: &[u8], base| {
        let report = go_pprof(
            &["-top", "-trim=false", "-sample_index=0", "-unit=count"],
            bytes,
            base,
        );
        let report = String::from_utf8(report).expect("text");
        total.captures(&report).expect("a total")[1]
            .parse::<u128>()
            .expect("a number")
    };
    let source = drawn::profile("samples/count\nmain;a 3\nmain;b -5\nmain;c;main 11");
    let base = drawn::profile("samples/count\nmain;a 4\nmain;b -1 region=eu\nmain;d 2");
    let [later, earlier] = [&source, &base].map(encode);
    assert_eq!(whole(&later, None), report_total(&source, 0));
    let both = diff_base(&source, &base, Scale::Absolute)
        .expect("the same types")
        .profile;
    assert_eq!(
        whole(&later, Some(("-diff_base", &earlier))),
        report_total(&both, 0)
    );
    let less = subtract(&source, &base, Scale::Absolute)
        .expect("the same types")
        .profile;
    assert_eq!(
        whole(&later, Some(("-base", &earlier))),
        report_total(&less, 0)
    );
}

#[test]
fn normalised_differences_are_those_of_go_but_for_rounding() {
    if !go::available() {
        return;
    }
    let source = drawn::profile("cpu/count\nmain;a 7\nmain;b 13\nmain;c 29\nmain;d 1000");
    let base = drawn::profile("cpu/count\nmain;a 100\nmain;d 391\nmain;e 3");
    let options = ["-proto", "-normalize"];
    let theirs = Oracle::read(&go_pprof(
        &options,
        &encode(&source),
        Some(("-base", &encode(&base))),
    ))
    .stacks(0);
    let ours = subtract(&source, &base, Scale::Normalised)
        .expect("the same types")
        .profile;
    let ours = Oracle::read(&encode(&ours)).stacks(0);
    assert_eq!(ours.values().sum::<i128>(), 0);
    assert_eq!(
        ours.keys().collect::<Vec<_>>(),
        theirs.keys().collect::<Vec<_>>()
    );
    for (stack, value) in &ours {
        assert!(
            (value - theirs[stack]).abs() <= 1,
            "{stack:?}: {value} and {}",
            theirs[stack]
        );
    }
}

/// Flat, cum and name of each row of pprof's text report, in its order. Values come with the unit
/// stuck to them.
fn go_top(profile: &[u8], column: usize, unit: &str, options: &[&str]) -> Vec<(i64, i64, String)> {
    let (index, unit) = (format!("-sample_index={column}"), format!("-unit={unit}"));
    let mut all = vec!["-top", "-trim=false", index.as_str(), unit.as_str()];
    all.extend(options);
    let text = String::from_utf8(go_pprof(&all, profile, None)).expect("text");
    let number = |word: &str| -> i64 {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '*');
        digits.parse().unwrap_or_else(|e| panic!("{word}: {e}"))
    };
    // Flat, flat%, sum%, cum, cum%, and the name, marked where the function was inlined.
    let row = regex_lite::Regex::new(
        r"^\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%  (.*?)( \((partial-)?inline\))?$",
    )
    .expect("valid");
    let rows = text
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("flat "))
        .skip(1);
    rows.map(|line| {
        let found = row
            .captures(line)
            .unwrap_or_else(|| panic!("{line:?} is no row"));
        (number(&found[1]), number(&found[2]), found[3].to_owned())
    })
    .collect()
}

#[test]
fn tables_are_those_of_go() {
    if !go::available() {
        return;
    }
    let mut tables = 0;
    let recursive =
        drawn::profile("cpu/count\nmain;f;g;f 3\nmain;f;f 2\ng;main;g 7\nf -9\nh 1\nh;h -1");
    let made = corpus::Sample {
        name: "recursive".to_owned(),
        bytes: encode(&recursive),
    };
    let is_wanted =
        |s: &corpus::Sample| !s.name.starts_with("parca/many") || s.name.contains("7233");
    for sample in corpus::profiles()
        .into_iter()
        .filter(is_wanted)
        .chain([made])
    {
        let bytes = pruned(&sample.bytes);
        let profile = decode(&bytes).expect("a profile").profile;
        let column = profile.default_type();
        let unit = profile
            .type_text(profile.sample_types()[column])
            .1
            .to_owned();
        // Nothing but functions is compared: pprof takes all nameless addresses of a file for one.
        let is_named = |name: &str| {
            !name.starts_with("0x")
                && !name.starts_with('[')
                && !name.starts_with('<')
                && name != "?"
        };
        let theirs: Vec<_> = go_top(&bytes, column, &unit, &[])
            .into_iter()
            .filter(|row| is_named(&row.2))
            .collect();
        let tree = CallTree::new(&profile, column, By::Name);
        let rows = top(&tree, Order::Own).rows;
        let ours = rows.iter().map(|row| {
            let name = frame_of(&tree, row.function.frame, By::Name).0;
            (row.function.own[0], row.function.total[0], name)
        });
        let ours: Vec<_> = ours
            .filter(|row| is_named(&row.2) && (row.0, row.1) != (0, 0))
            .collect();
        // Both put the largest self value first, then go by name.
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{}", sample.name);
        }
        assert_eq!(ours.len(), theirs.len(), "{}", sample.name);
        tables += usize::from(ours.len() > 3);
    }
    assert!(
        corpus::root().is_none() || tables > 10,
        "only {tables} tables"
    );
}
