//! What holds of the project as a whole, whoever changes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;

mod imports;

use imports::Imports;

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

/// The packages that one of ours consists of, for a target. What builds them (a C compiler's
/// driver, say) is not counted.
fn packages(package: &str, target: &str) -> BTreeSet<String> {
    let arguments = [
        "tree",
        "--package",
        package,
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--target",
        target,
    ];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree -p {package}: {errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_core_knows_no_platform_and_none_of_us() {
    let platforms = [
        "worker",
        "worker-sys",
        "wasm-bindgen",
        "wasm-bindgen-futures",
        "js-sys",
        "web-sys",
        "console_error_panic_hook",
        "tokio",
        "async-std",
        "smol",
        "futures",
        "futures-util",
        "futures-channel",
        "getrandom",
        "rand",
        "chrono",
        "time",
        "jiff",
        "reqwest",
        "ureq",
        "hyper",
        "instant",
        "web-time",
    ];
    for target in ["x86_64-unknown-linux-gnu", "wasm32-unknown-unknown"] {
        let found = packages("pilotlight-core", target);
        let forbidden = platforms
            .iter()
            .filter(|name| found.contains(**name))
            .map(|name| (*name).to_owned());
        none("the core depends on a platform", forbidden.collect());
        let ours = found
            .into_iter()
            .filter(|name| name.starts_with("pilotlight") && name != "pilotlight-core");
        none("the core depends on what is above it", ours.collect());
    }
}

#[test]
fn worker_and_viewer_do_not_know_each_other() {
    let target = "wasm32-unknown-unknown";
    let (worker, viewer) = (
        packages("pilotlight-worker", target),
        packages("pilotlight-viewer", target),
    );
    assert!(worker.contains("pilotlight-core") && viewer.contains("pilotlight-core"));
    assert!(!worker.contains("pilotlight-viewer") && !viewer.contains("pilotlight-worker"));
    let network: Vec<String> = viewer
        .into_iter()
        .filter(|name| ["reqwest", "ureq", "gloo-net", "worker"].contains(&&**name))
        .collect();
    none("the viewer reaches for the network", network);
}

#[test]
fn the_core_asks_for_nothing() {
    let asks = Regex::new(
        r"\b(async fn|\.await|std::(fs|net|env|process|thread|time)\b|SystemTime|Instant::now)",
    )
    .unwrap();
    let mut found = Vec::new();
    for file in files()
        .iter()
        .filter(|file| file.starts_with("shared/src/") && ends_with(file, &["rs"]))
    {
        for (number, line) in read(file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if asks.is_match(code) {
                found.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none("clocks, files, threads or async in the core", found);
}

/// Who imports whom in a crate, tests aside.
fn imports(source: &str) -> Imports {
    let is_test = |path: &str| {
        path.trim_end_matches(".rs")
            .split('/')
            .any(|name| ["tests", "testing", "bin"].contains(&name))
    };
    let below = |file: String| {
        file.strip_prefix(source)
            .filter(|path| path.ends_with(".rs"))
            .map(str::to_owned)
    };
    let paths = files()
        .into_iter()
        .filter_map(below)
        .filter(|path| !is_test(path));
    Imports::of(
        &paths
            .map(|path| {
                (
                    path.clone(),
                    without_tests(&read(&format!("{source}{path}"))),
                )
            })
            .collect::<Vec<_>>(),
    )
}

#[test]
fn modules_import_each_other_in_no_circle() {
    let mut found = Vec::new();
    for source in [
        "shared/src/",
        "worker/src/",
        "wasm-viewer/src/",
        "wasm-viewer/bucket/src/",
        "wasm-viewer/bundler/src/",
        "wasm-viewer/demo/src/",
        "wasm-viewer/symbols/src/",
        "xtask/src/",
    ] {
        let imports = imports(source);
        let circles = imports
            .circles()
            .into_iter()
            .chain(imports.circles_of_folders());
        found.extend(circles.map(|circle| {
            format!(
                "{source}: {}",
                circle.into_iter().collect::<Vec<_>>().join(", ")
            )
        }));
    }
    none("modules that import each other in a circle", found);
}

/// The rows of the core's table in the code map: rooms from the lowest to the highest.
fn layers() -> Vec<String> {
    let text = read("docs/architecture.md");
    let table = text
        .split("`shared/` in layers")
        .nth(1)
        .expect("the code map has the layers of `shared/`");
    let rows = table
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_core_is_in_layers() {
    let (layers, imports) = (layers(), imports("shared/src/"));
    let height = |module: &str| layers.iter().position(|layer| layer == module);
    let mut found = Vec::new();
    for (from, to) in imports.iter() {
        let (Some(upper), Some(lower)) = (from.first(), to.first()) else {
            continue;
        };
        match (height(upper), height(lower)) {
            (Some(a), Some(b)) if a >= b => {}
            (Some(_), Some(_)) => found.push(format!(
                "{} imports {}",
                imports::name(from),
                imports::name(to)
            )),
            (None, _) => found.push(format!("{upper} is not in the code map")),
            (_, None) => found.push(format!("{lower} is not in the code map")),
        }
    }
    for layer in &layers {
        if !root().join("shared/src").join(layer).is_dir() {
            found.push(format!("the code map names {layer}, which is not there"));
        }
    }
    assert!(layers.len() > 5, "the code map has no layers");
    found.dedup();
    none("the core breaks its layers (docs/architecture.md)", found);
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

/// Things of the kinds that docs name: files and folders with a slash, or files by their name
/// alone.
#[test]
fn every_path_named_in_the_docs_exists() {
    let all = files();
    let spans = Regex::new(r"`([^`\n]+)`|\]\(([^)\s]+)\)").unwrap();
    let path = Regex::new(r"^[A-Za-z0-9_.][A-Za-z0-9_.{},*-]*(/[A-Za-z0-9_.{},*-]*)*$").unwrap();
    let extension =
        Regex::new(r"\.(rs|ts|tsx|mjs|js|css|html|toml|md|txt|bin|json|png|lock|yml)$").unwrap();
    let mut found = Vec::new();
    for file in all.iter().filter(|f| ends_with(f, &["md"])) {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = without_code_blocks(&read(file));
        for (number, line) in text.lines().enumerate() {
            for captures in spans.captures_iter(line) {
                let link = captures.get(2).is_some();
                let span = captures
                    .get(1)
                    .or(captures.get(2))
                    .map_or("", |m| m.as_str());
                let span = span.split('#').next().unwrap_or("").trim_end_matches('/');
                let known_folder = || {
                    all.iter()
                        .any(|f| f.split('/').next() == span.split('/').next() && f.contains('/'))
                };
                let named = path.is_match(span)
                    && (link || extension.is_match(span) || (span.contains('/') && known_folder()));
                if span.is_empty() || span.contains("://") || !named {
                    continue;
                }
                let made = span.split('/').any(|part| MADE.contains(&part));
                if !made && !expand(span).iter().all(|path| exists(&all, folder, path)) {
                    found.push(format!("{file}:{}: {span}", number + 1));
                }
            }
        }
    }
    none("docs name what is not there", found);
}

/// `file.md#heading`, as far as the file is ours.
#[test]
fn every_heading_named_in_the_docs_exists() {
    let link = Regex::new(r"\]\(([A-Za-z0-9_./-]*\.md)?#([^)\s]+)\)").unwrap();
    let mut found = Vec::new();
    for file in files().iter().filter(|f| ends_with(f, &["md"])) {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let text = without_code_blocks(&read(file));
        for captures in link.captures_iter(&text) {
            let target = captures
                .get(1)
                .map_or(file.into(), |m| folder.join(m.as_str()));
            let headings = fs::read_to_string(root().join(&target)).unwrap_or_default();
            let names = |line: &str| anchor(line.trim_start_matches('#').trim()) == captures[2];
            if !headings
                .lines()
                .any(|line| line.starts_with('#') && names(line))
            {
                found.push(format!("{file}: {}#{}", target.display(), &captures[2]));
            }
        }
    }
    none("docs name headings that are not there", found);
}

/// What a heading is called in a link.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The text below a heading of the second level, up to the next.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, below) = text
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no heading {heading:?}"));
    below
        .split_once("\n## ")
        .map_or(below, |(section, _)| section)
}

#[test]
fn decisions_are_numbered_and_listed() {
    let index = read("docs/decisions/README.md");
    let decisions: Vec<String> = files()
        .into_iter()
        .filter(|f| f.starts_with("docs/decisions/0"))
        .collect();
    let mut found = Vec::new();
    for (at, file) in decisions.iter().enumerate() {
        let name = file.trim_start_matches("docs/decisions/");
        let (number, text) = (format!("{:04}", at + 1), read(file));
        let title = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix(&format!("# {number}. ")));
        if !name.starts_with(&format!("{number}-")) || title.is_none() {
            found.push(format!(
                "{file}: the next number is {number}, in the name and in the first line"
            ));
        }
        if title.is_some_and(|title| !index.contains(&format!("[{number}]({name}): {title}"))) {
            found.push(format!(
                "{file}: the index does not have its number, name and title"
            ));
        }
        let headings: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        if headings != ["Context", "Decision", "Consequences", "Figure"] {
            found.push(format!("{file}: has {headings:?}"));
        } else if headings
            .iter()
            .any(|heading| section(&text, heading).trim().is_empty())
        {
            found.push(format!("{file}: a heading has nothing below it"));
        }
        if text.lines().count() > 40 {
            found.push(format!("{file}: more than 40 lines"));
        }
    }
    assert!(!decisions.is_empty());
    none("decisions", found);
}

/// Two printed pages, so that a newcomer reads all of it.
#[test]
fn the_map_is_short() {
    let map = read("docs/architecture.md");
    let (lines, bytes) = (map.lines().count(), map.len());
    assert!(
        lines <= 110 && bytes <= 9_000,
        "docs/architecture.md: {lines} lines, {bytes} bytes"
    );
}

/// Each answer names a path, which is on the map: by itself, or by the folder that it is in.
#[test]
fn the_map_answers_ten_questions() {
    let (map, all) = (read("docs/architecture.md"), files());
    let contributing = read("CONTRIBUTING.md");
    let rows: Vec<Vec<&str>> = section(&contributing, "Ten questions a newcomer asks")
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").collect())
        .filter(|row: &Vec<&str>| row[0] != "question")
        .collect();
    assert_eq!(rows.len(), 10, "questions in CONTRIBUTING.md");
    let span = Regex::new(r"`([^`]+/[^`]*)`|\]\(([^)]+/[^)]*)\)").unwrap();
    let mut found = Vec::new();
    for row in &rows {
        let [question, answer] = row[..] else {
            panic!("not a question and its answer: {row:?}")
        };
        let named = span
            .captures_iter(answer)
            .filter_map(|c| c.get(1).or(c.get(2)))
            .map(|m| m.as_str());
        let paths: Vec<&str> = named
            .filter(|path| exists(&all, "", path.trim_end_matches('/')))
            .collect();
        if !question.ends_with('?') || paths.is_empty() {
            found.push(format!("{question} no answer with a path"));
        }
        for path in paths.into_iter().filter(|path| !path.starts_with("docs/")) {
            let path = path.trim_end_matches('/');
            let (folder, _) = path.rsplit_once('/').unwrap_or((path, ""));
            // The core's table has the names of its folders alone.
            let layer = path
                .strip_prefix("shared/src/")
                .and_then(|below| below.split('/').next())
                .unwrap_or(path);
            let names = [
                format!("`{path}`"),
                format!("`{path}/`"),
                format!("`{folder}/`"),
                format!("| `{layer}` |"),
            ];
            if !names.iter().any(|name| map.contains(name)) {
                found.push(format!("{question} {path} is not on the map"));
            }
        }
    }
    none("questions of a newcomer", found);
}

/// Examples are not promises: their paths are the reader's.
fn without_code_blocks(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().map(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        if inside || fence { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `a/{b,c}` is two paths.
fn expand(span: &str) -> Vec<String> {
    match (span.find('{'), span.find('}')) {
        (Some(open), Some(close)) if open < close => {
            let (head, tail) = (&span[..open], &span[close + 1..]);
            span[open + 1..close]
                .split(',')
                .flat_map(|word| expand(&format!("{head}{word}{tail}")))
                .collect()
        }
        _ => vec![span.to_owned()],
    }
}

/// Whether a path stands beside the document or in a folder around it up to the root, or, without a
/// slash, anywhere.
fn exists(all: &[String], folder: &str, path: &str) -> bool {
    let around = folder
        .match_indices('/')
        .map(|(at, _)| &folder[..at])
        .chain([folder])
        .filter(|f| !f.is_empty());
    let mut places: Vec<String> = around.map(|folder| format!("{folder}/{path}")).collect();
    places.push(path.to_owned());
    let is = |file: &str, path: &str| match path.split_once('*') {
        Some((head, tail)) => file.starts_with(head) && file.ends_with(tail),
        None => {
            file == path
                || file
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with('/'))
        }
    };
    let named = |file: &str| !path.contains('/') && file.rsplit('/').next() == Some(path);
    all.iter()
        .any(|file| named(file) || places.iter().any(|place| is(file, place)))
        || (path.starts_with("..") && root().join(folder).join(path).exists())
}

/// The string literals behind a pattern in a file.
fn words(text: &str, pattern: &str) -> BTreeSet<String> {
    Regex::new(pattern)
        .unwrap()
        .captures_iter(text)
        .map(|c| c[1].to_owned())
        .collect()
}

#[test]
fn bindings_are_the_same_in_wrangler_toml_and_in_the_code() {
    let config = read("wrangler.toml");
    let code: String = files()
        .iter()
        .filter(|f| f.starts_with("worker/src/") && ends_with(f, &["rs"]))
        .map(|f| without_tests(&read(f)))
        .collect();
    let section = |name: &str| {
        config
            .split('[')
            .find(|part| part.trim_start_matches('[').starts_with(name))
            .unwrap_or("")
            .to_owned()
    };
    let check = |what: &str, configured: BTreeSet<String>, used: BTreeSet<String>| {
        assert_eq!(
            configured, used,
            "{what}: wrangler.toml on the left, the code on the right"
        );
    };
    let buckets = config
        .split("[[")
        .filter(|part| part.starts_with("r2_buckets]]"))
        .collect::<String>();
    check(
        "buckets",
        words(&buckets, r#"binding = "(\w+)""#),
        words(&code, r#"\.bucket\("(\w+)"\)"#),
    );
    let objects = config
        .split("[[")
        .filter(|part| part.starts_with("durable_objects.bindings]]"))
        .collect::<String>();
    check(
        "durable objects",
        words(&objects, r#"\bname = "(\w+)""#),
        words(&code, r#"\.durable_object\("(\w+)"\)"#),
    );
    check(
        "assets",
        words(&section("assets"), r#"binding = "(\w+)""#),
        words(&code, r#"\.(?:assets|fetcher)\("(\w+)"\)"#),
    );
    let services = config
        .split("[[")
        .filter(|part| part.starts_with("services]]"))
        .collect::<String>();
    check(
        "services",
        words(&services, r#"binding = "(\w+)""#),
        words(&code, r#"\.service\("(\w+)"\)"#),
    );
    for class in words(&services, r#"entrypoint = "(\w+)""#) {
        assert!(
            read("worker/shim.js").contains(&format!("export class {class} ")),
            "worker/shim.js does not export {class}"
        );
    }
    let mut variables = words(&section("vars"), r"(?m)^(\w+) =");
    variables.extend(words(&config, r"(?m)^\[vars\.([A-Z_]+)\]"));
    check(
        "variables",
        variables,
        words(&code, r#"(?:var\(|number\(\s*&\w+,\s*)"([A-Z_]+)""#),
    );
    for class in words(&objects, r#"class_name = "(\w+)""#) {
        assert!(
            code.contains(&format!("pub struct {class}")),
            "no durable object {class} in the code"
        );
        assert!(
            read("worker/shim.js").contains(&format!("export class {class} ")),
            "worker/shim.js does not export {class}"
        );
        let migrated = config.lines().any(|line| {
            line.starts_with("new_sqlite_classes") && line.contains(&format!("\"{class}\""))
        });
        assert!(migrated, "no migration makes {class}");
    }
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

#[test]
fn modules_of_the_site_have_no_variables() {
    let variable = Regex::new(r"^(export )?(let|var)\b").unwrap();
    let mut found = Vec::new();
    for file in files()
        .iter()
        .filter(|file| file.starts_with("site/src/") && ends_with(file, &["ts", "tsx"]))
    {
        for (number, line) in read(file).lines().enumerate() {
            if variable.is_match(line) {
                found.push(format!("{file}:{}: {line}", number + 1));
            }
        }
    }
    none(
        "module-level `let` in the site: use a signal, or keep the value in a closure or class with what changes it",
        found,
    );
}

#[test]
fn the_changelog_has_notes_of_this_version() {
    let ended = Command::new(root().join(".ci/notes"))
        .arg(env!("CARGO_PKG_VERSION"))
        .output()
        .expect(".ci/notes runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
}
