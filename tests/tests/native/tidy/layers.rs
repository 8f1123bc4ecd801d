//! Who may know whom: crates, modules and layers.

use std::collections::BTreeSet;
use std::process::Command;

use super::imports::{self, Imports};
use super::*;

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
