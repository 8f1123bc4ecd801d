//! workerd's configuration: modules and variables are filled into `xtask/selfhost/pilotlight.capnp`.

use crate::proc::{Failure, Result};
use crate::secret;
use std::collections::BTreeSet;

/// What `wrangler.toml` does not name: secrets, and what `entry.js` alone reads.
const MORE_VARIABLES: [&str; 8] = [
    secret::VARIABLE,
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
    "S3_SESSION_TOKEN",
    "SOURCE_TOKEN",
    "MODEL_TOKEN",
    "SCHEDULE_SECONDS",
    "SENDER_HEADER",
];

/// Fills the template with the modules, the first of which is what answers, and with the variables
/// and the compatibility date of `wrangler.toml`.
pub(super) fn fill(template: &str, wrangler: &str, modules: &[String]) -> Result<String> {
    let date = wrangler
        .lines()
        .find_map(|line| {
            line.strip_prefix("compatibility_date = \"")?
                .strip_suffix('"')
        })
        .ok_or_else(|| Failure::new("wrangler.toml has no compatibility_date", ""))?;
    let modules: Vec<String> = modules.iter().map(|name| module(name)).collect();
    let variables: Vec<String> = variables(wrangler)
        .iter()
        .map(|name| format!("    (name = \"{name}\", fromEnvironment = \"{name}\"),"))
        .collect();
    Ok(template
        .replace("@compatibility_date@", date)
        .replace("@modules@", &modules.join("\n"))
        .replace("@variables@", &variables.join("\n")))
}

fn module(name: &str) -> String {
    let kind = if name.ends_with(".wasm") {
        "wasm"
    } else {
        "esModule"
    };
    format!("    (name = \"{name}\", {kind} = embed \"worker/{name}\"),")
}

/// Names of variables that have a text for a value, those in comments included: the kind of bucket
/// is not among them, since there is but one here.
fn variables(wrangler: &str) -> BTreeSet<&str> {
    let named = wrangler.lines().filter_map(|line| {
        let (name, value) = line.trim_start_matches("# ").split_once(" = ")?;
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        (is_name && value.starts_with('"')).then_some(name)
    });
    named
        .filter(|name| *name != "BUCKET_BACKEND")
        .chain(MORE_VARIABLES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_variables_are_filled_in() {
        let wrangler = "name = \"pilotlight\"\ncompatibility_date = \"2026-04-01\"\n[vars]\n\
            FLUSH_MS = \"6000\"\nBUCKET_BACKEND = \"r2\"\n# S3_BUCKET = \"profiles\"\nfee = 5.0\n";
        let filled = fill(
            "@compatibility_date@\n@modules@\n@variables@",
            wrangler,
            &["entry.js".to_owned(), "build/core.wasm".to_owned()],
        )
        .unwrap();
        let lines: Vec<&str> = filled.lines().collect();
        assert_eq!(
            &lines[..3],
            [
                "2026-04-01",
                "    (name = \"entry.js\", esModule = embed \"worker/entry.js\"),",
                "    (name = \"build/core.wasm\", wasm = embed \"worker/build/core.wasm\"),"
            ]
        );
        let has = |name: &str| filled.contains(&format!("fromEnvironment = \"{name}\""));
        assert!(has("FLUSH_MS") && has("S3_BUCKET") && has("ADMIN_TOKEN_SHA256"));
        assert!(!has("BUCKET_BACKEND") && !has("fee") && !has("name"));
        assert_eq!(lines.len(), 3 + 2 + MORE_VARIABLES.len());
    }

    #[test]
    fn the_template_has_all_that_is_filled_in() {
        let template = include_str!("../../selfhost/pilotlight.capnp");
        let filled = fill(template, include_str!("../../../wrangler.toml"), &[]).unwrap();
        assert!(!filled.contains('@'), "{filled}");
        assert!(filled.contains("fromEnvironment = \"S3_ENDPOINT\""));
    }
}
