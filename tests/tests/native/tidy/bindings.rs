//! Bindings of the worker.

use std::collections::BTreeSet;

use super::*;

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
    let tables = |name: &str| {
        let parts = config.split("[[");
        parts
            .filter(|part| part.starts_with(&format!("{name}]]")))
            .collect::<String>()
    };
    let check = |what: &str, configured: BTreeSet<String>, used: BTreeSet<String>| {
        assert_eq!(
            configured, used,
            "{what}: wrangler.toml on the left, the code on the right"
        );
    };
    let buckets = tables("r2_buckets");
    check(
        "buckets",
        words(&buckets, r#"binding = "(\w+)""#),
        words(&code, r#"\.bucket\("(\w+)"\)"#),
    );
    let objects = tables("durable_objects.bindings");
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
    let services = tables("services");
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

/// The string literals behind a pattern in a file.
fn words(text: &str, pattern: &str) -> BTreeSet<String> {
    Regex::new(pattern)
        .unwrap()
        .captures_iter(text)
        .map(|c| c[1].to_owned())
        .collect()
}
