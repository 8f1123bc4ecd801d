//! Pushes of files.

use std::fs;
use std::path::Path;

use super::*;

#[test]
fn a_push_of_real_files_leaves_what_an_independent_reader_found() {
    if corpus::root().is_none() {
        return;
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/stacks.txt");
    let golden = fs::read_to_string(golden).expect("the golden file");
    let blocks: Vec<&str> = golden.trim_end().split("\n\n").collect();
    assert!(blocks.len() >= 8, "the golden file has shrunk");
    for block in blocks {
        let (name, expect) = block.split_once('\n').expect("a name");
        let bytes = corpus::read(name).expect("a file").bytes;
        let format = if name.ends_with(".json") {
            "speedscope"
        } else {
            "groups"
        };
        // As the sender says, and as it looks.
        for format in [&format!("&format={format}"), ""] {
            let query = format!("name=text.app%7Bregion=eu%7D{format}");
            let mut found: Vec<String> = pushed(&query, "", &bytes)
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .iter()
                .map(|series| {
                    let labels: Vec<String> = series
                        .labels
                        .iter()
                        .map(|(name, value)| format!("{name}={value:?}"))
                        .collect();
                    let (labels, id) = (labels.join(", "), &series.profile_type);
                    format!("  {{{labels}}}\n    {id} {}", series.total)
                })
                .collect();
            found.sort();
            assert_eq!(found.join("\n"), expect, "{name}");
        }
    }
}

#[test]
fn a_push_takes_its_type_from_the_unit_and_the_name() {
    let types = |name: &str, unit: &str| {
        let body = file(&["a"], json!([sampled(unit, json!([[0]]), json!([2]))])).to_string();
        let query = format!("name={name}&sampleRate=1000&format=speedscope");
        let [series] = &pushed(&query, "", body.as_bytes()).expect("a push")[..] else {
            panic!("one series")
        };
        assert_eq!(series.labels.get("service_name"), Some("app"));
        assert_eq!(series.labels.get("profile_name"), Some("one"));
        format!("{} {}", series.profile_type, series.total)
    };
    let (cpu, wall) = (
        "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
        "wall:wall:nanoseconds:cpu:nanoseconds",
    );
    assert_eq!(types("app", "none"), format!("{cpu} 2000000"));
    assert_eq!(types("app.wall", "none"), format!("{wall} 2000000"));
    assert_eq!(
        types("app.alloc_space", "none"),
        "memory:alloc_space:bytes:: 2"
    );
    assert_eq!(types("app", "milliseconds"), format!("{cpu} 2000000"));
    assert_eq!(types("app.wall", "seconds"), format!("{wall} 2000000000"));
    assert_eq!(
        types("app.alloc_space", "seconds"),
        format!("{wall} 2000000000")
    );
    assert_eq!(types("app", "bytes"), "memory:samples:bytes:: 2");
    assert_eq!(
        types("app.alloc_space", "bytes"),
        "memory:alloc_space:bytes:: 2"
    );
    let nothing = file(&[], json!([])).to_string();
    assert_eq!(
        pushed("name=app", "", nothing.as_bytes())
            .expect("is ignored")
            .len(),
        0
    );
}
