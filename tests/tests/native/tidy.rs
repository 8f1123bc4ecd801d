//! What holds of the project as a whole, whoever changes it.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

mod bindings;
mod docs;
mod imports;
mod layers;

/// Folders that are made, not written.
const MADE: [&str; 11] = [
    ".git",
    ".wrangler",
    "build",
    "bundle.json",
    "deploy.toml",
    "dist",
    "node_modules",
    "screenshots",
    "target",
    "tokens.json",
    "wasm",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the repository")
}

/// All written files, as paths below the root, in order.
fn files() -> Vec<String> {
    fn walk(folder: &Path, below: &str, files: &mut Vec<String>) {
        let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries.map(|entry| entry.expect("a readable folder")) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() {
                name.clone()
            } else {
                format!("{below}/{name}")
            };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !MADE.contains(&name.as_str()) => {
                    walk(&entry.path(), &path, files)
                }
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort();
    found
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn ends_with(file: &str, extensions: &[&str]) -> bool {
    file.rsplit_once('.')
        .is_some_and(|(_, end)| extensions.contains(&end))
}

fn is_source(file: &str) -> bool {
    ends_with(file, &["rs", "ts", "tsx", "mjs", "js", "css", "html"])
}

/// Fails with all that was found, so that one run tells everything.
fn none(what: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{what}:\n  {}\n", found.join("\n  "));
}

#[test]
fn no_file_grows_without_end() {
    const WARN: usize = 400;
    const FAIL: usize = 700;
    let is_test = |file: &str| {
        file.starts_with("tests/") || file.contains("/tests/") || file.contains("/test/")
    };
    let mut found = Vec::new();
    for file in files()
        .into_iter()
        .filter(|file| is_source(file) && !is_test(file))
    {
        let lines = read(&file).lines().count();
        if lines > FAIL {
            found.push(format!("{file}: {lines}"));
        } else if lines > WARN {
            println!("warning: {file} has {lines} lines");
        }
    }
    none(
        &format!("files of more than {FAIL} lines: split them by noun or verb"),
        found,
    );
}

#[test]
fn every_rust_file_says_what_it_is() {
    let lacks = |file: &String| {
        let text = read(file);
        let first = text
            .lines()
            .find(|line| !line.trim().is_empty() && !line.starts_with("#!"));
        !first.is_some_and(|line| line.trim_start().starts_with("//!"))
    };
    none(
        "files without a module doc",
        files()
            .into_iter()
            .filter(|file| ends_with(file, &["rs"]))
            .filter(lacks)
            .collect(),
    );
}

fn without_tests(text: &str) -> String {
    let tests = Regex::new(r"#\[cfg\(test\)\]\n\s*(?:pub(?:\(\w+\))? )?mod \w+ \{").unwrap();
    text[..tests.find(text).map_or(text.len(), |found| found.start())].to_owned()
}

#[test]
fn every_manifest_carries_the_licence() {
    let lacks = |file: &String| match file.rsplit('/').next() {
        Some("Cargo.toml") => !["license.workspace = true", "license = \"Apache-2.0\""]
            .iter()
            .any(|l| read(file).contains(l)),
        Some("package.json") => !read(file).contains("\"license\": \"Apache-2.0\""),
        _ => false,
    };
    none(
        "manifests without the licence",
        files().into_iter().filter(lacks).collect(),
    );
    assert!(
        read("LICENSE").contains("Apache License")
            && read("Cargo.toml").contains("license = \"Apache-2.0\"")
    );
}

#[test]
fn locks_are_beside_their_manifests() {
    for (manifest, lock) in [
        ("package.json", "package-lock.json"),
        ("wrangler.toml", "Cargo.lock"),
    ] {
        for file in files()
            .into_iter()
            .filter(|f| f.rsplit('/').next() == Some(manifest))
        {
            let lock = file.replace(manifest, lock);
            assert!(root().join(&lock).is_file(), "{lock} is missing");
        }
    }
    let pinned = Regex::new(r#"wasm-bindgen = "=\d+\.\d+\.\d+""#).unwrap();
    assert!(
        pinned.is_match(&read("wasm-viewer/Cargo.toml")),
        "wasm-viewer does not pin the exact wasm-bindgen"
    );
}

#[test]
fn sources_are_finished_and_of_no_machine() {
    // Put together here, so that this file does not find itself.
    let unfinished = ["TO", "FIX", "XX"].map(|head| {
        format!(
            "{head}{}",
            if head == "TO" {
                "DO"
            } else if head == "FIX" {
                "ME"
            } else {
                "X"
            }
        )
    });
    let machines = ["work", "root", "home", "Users"].map(|folder| format!("/{folder}/"));
    let mut found = Vec::new();
    let text_files = |file: &String| {
        is_source(file)
            || ends_with(file, &["toml", "md", "json", "sh", "yml"])
            || file == ".ci/run"
    };
    for file in files()
        .iter()
        .filter(|file| text_files(file) && !file.ends_with("package-lock.json"))
    {
        for (number, line) in read(file).lines().enumerate() {
            let place = || format!("{file}:{}: {}", number + 1, line.trim());
            if unfinished.iter().any(|word| {
                line.split(|c: char| !c.is_alphanumeric())
                    .any(|found| found == word)
            }) {
                found.push(place());
            }
            // `/home` as a route or `~/work/` would pass; an absolute path begins a word.
            let absolute = |folder: &String| {
                line.match_indices(folder.as_str()).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}~)".contains(c))
                })
            };
            if machines.iter().any(absolute) {
                found.push(place());
            }
        }
    }
    none("unfinished, or paths of one machine", found);
}

#[test]
fn one_module_writes_the_table_of_objects() {
    let statement = r"(?i)\b(insert\s+(or\s+\w+\s+)?into|replace\s+into|update|delete\s+from)\s+(objects|directories)\b";
    let writes = Regex::new(statement).expect("a regular expression");
    let others = files()
        .into_iter()
        .filter(|file| file.starts_with("worker/src/") && ends_with(file, &["rs"]));
    let found = others.filter(|file| {
        !file.starts_with("worker/src/tenant/catalog/objects/") && writes.is_match(&read(file))
    });
    none(
        "only worker/src/tenant/catalog/objects/ writes the tables of objects and their directories",
        found.collect(),
    );
}
