//! Whatever anyone types: selectors, searches and the names of applications. The first line is
//! parsed, the rest is what it is matched with.

use pilotlight_core::ingest::{IngestError, Push, ingest};
use pilotlight_core::store::chunk_head;
use pilotlight_core::{
    LabelError, Labels, Pattern, ProfileBuilder, ProfileType, SERVICE_NAME, Selector, UnixNanos,
    parse_name, pprof,
};
use regex_lite::Regex;

/// Selectors may have 16 kB; quoting may double them.
const MAX_VALUE: usize = 4 << 10;

pub(crate) fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    selector(first, rest);
    quoted(rest);
    anchored(first, rest);
    search(first, rest);
    name(first);
}

fn labels(value: &str) -> Option<Labels> {
    Labels::new(
        ["a", "b", "region", SERVICE_NAME]
            .map(|name| (name.to_owned(), value.to_owned()))
            .into(),
    )
    .ok()
}

fn profile_type() -> ProfileType {
    "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
        .parse()
        .expect("a profile type")
}

fn within(column: usize, text: &str) {
    assert!(
        (1..=text.chars().count() + 1).contains(&column),
        "column {column} of {text:?}"
    );
}

fn selector(text: &str, value: &str) {
    match Selector::parse(text) {
        Err(error) => within(error.column, text),
        Ok(selector) => {
            let Some(labels) = labels(value) else { return };
            let matches = selector.matches(&profile_type(), &labels);
            assert_eq!(selector.clone().matches(&profile_type(), &labels), matches);
        }
    }
}

/// What is quoted selects itself and nothing else.
fn quoted(value: &str) {
    let Some(labels) = labels(value).filter(|_| value.len() <= MAX_VALUE / 8) else {
        return;
    };
    let plain = value.replace('\\', "\\\\").replace('"', "\\\"");
    let bytes: String = value.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    let octal: String = value.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let codes: String = value
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect();
    for quoted in [plain, bytes, octal, codes] {
        for (operator, expect) in [("=", true), ("!=", false)] {
            let selector =
                Selector::parse(&format!("{{a{operator}\"{quoted}\"}}")).expect("a quoted value");
            assert_eq!(
                selector.matches(&profile_type(), &labels),
                expect,
                "{value:?}"
            );
        }
    }
}

/// A regular expression matches the whole value or nothing, and what is none alone is none inside
/// of a selector. But for `\Q`, which the engine does not know, it is what the engine gets.
fn anchored(regex: &str, value: &str) {
    if regex.contains('`') || regex.len() > MAX_VALUE {
        return;
    }
    let Ok(selector) = Selector::parse(&format!("{{a=~`{regex}`}}")) else {
        return;
    };
    if regex.contains("\\Q") {
        return;
    }
    let alone = Regex::new(regex);
    assert!(
        alone.is_ok(),
        "{regex:?} is no regular expression, but a selector takes it"
    );
    let Some(labels) = labels(value) else { return };
    let found = Regex::new(&format!("^(?s:{regex})$")).is_ok_and(|whole| whole.is_match(value));
    assert_eq!(selector.matches(&profile_type(), &labels), found);
}

fn search(text: &str, name: &str) {
    match Pattern::parse(text) {
        Ok(None) => assert!(text.is_empty()),
        Ok(Some(pattern)) => {
            let plain = !(text.len() > 2 && text.starts_with('/') && text.ends_with('/'));
            assert!(
                !plain || pattern.matches(text),
                "{text:?} does not find itself"
            );
            let _ = pattern.matches(name);
        }
        Err(error) => assert!(text.contains(&error.pattern)),
    }
}

/// `name` means the same to the parser and in a push.
fn name(text: &str) {
    let parsed = parse_name(text);
    match &parsed {
        Err(LabelError::Character { column, .. }) => within(*column, text),
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(labels) => assert!(
            labels
                .get(SERVICE_NAME)
                .is_some_and(|name| !name.is_empty()),
            "{text:?}"
        ),
    }
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[1]);
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("format", "pprof"), ("name", text)])
        .finish();
    let pushed = ingest(&Push {
        query: &query,
        content_type: "",
        body: &pprof::encode(&builder.finish()),
        tenant: "anonymous",
        client: "",
        now: UnixNanos(1_700_000_000_000_000_000),
        limits: Default::default(),
    });
    match (parsed, pushed) {
        (Err(parsed), Err(IngestError::Name(pushed))) => assert_eq!(parsed, pushed),
        (Ok(_), Ok(ingested)) => {
            let heads = ingested.chunks.iter().map(|chunk| chunk_head(&chunk.bytes));
            let series: usize = heads.map(|head| head.expect("our own").series.len()).sum();
            assert_eq!(series, 1);
        }
        (parsed, pushed) => panic!("{text:?}: {parsed:?} alone, {pushed:?} in a push"),
    }
}
