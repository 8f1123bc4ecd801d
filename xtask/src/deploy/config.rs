//! The configuration of a deployment: `wrangler.toml` with another name, bucket or plan.
//!
//! wrangler has environments for this, but none of them takes over bindings and variables: each would
//! repeat the whole file, and append its name to the worker's.

use super::options::Options;
use crate::proc::{Failure, Result};
use std::path::Path;

/// `wrangler.toml` for these options. What it names relative to the root of the repository is named
/// in full, since the result lies elsewhere.
pub(super) fn configure(wrangler: &str, root: &Path, options: &Options) -> Result<String> {
    let mut text = wrangler.to_owned();
    let quoted = |value: &str| format!("{value:?}");
    let path = |below: &str| quoted(&root.join(below).to_string_lossy());
    let name = quoted(&options.name);
    // A binding has a name, too.
    replace(
        &mut text,
        "name = \"pilotlight\"",
        &format!("name = {name}"),
    )?;
    set(&mut text, "main", &path("worker/shim.js"))?;
    set(&mut text, "directory", &path("site/dist"))?;
    set(&mut text, "bucket_name", &quoted(&options.settings.bucket))?;
    set(&mut text, "service", &name)?;
    for (name, value) in options.settings.preset.values() {
        set(&mut text, name, value)?;
    }
    if let Some(domain) = &options.settings.domain {
        // Before the first table, where top-level names belong.
        let table = text.find("\n[").unwrap_or(text.len());
        text.insert_str(
            table,
            &format!(
                "\nworkers_dev = false\nroutes = [{{ pattern = \"{domain}\", custom_domain = true }}]\n"
            ),
        );
    }
    Ok(text)
}

/// Replaces the value of the one line with this name.
fn set(text: &mut String, name: &str, value: &str) -> Result<()> {
    replace(text, &format!("{name} = "), &format!("{name} = {value}"))
}

/// Replaces the one line that begins so.
fn replace(text: &mut String, start: &str, by: &str) -> Result<()> {
    let begins = |line: &&str| line.starts_with(start);
    let found = text.lines().filter(begins).count();
    if found != 1 {
        return Err(Failure::new(
            format!("wrangler.toml has {found} lines that begin with `{start}`, not one"),
            "bring xtask/src/deploy/config.rs in line with wrangler.toml",
        ));
    }
    *text = text
        .lines()
        .map(|line| if begins(&line) { by } else { line })
        .flat_map(|line| [line, "\n"])
        .collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::recorded::Recorded;

    const WRANGLER: &str = include_str!("../../../wrangler.toml");

    fn configured(args: &str) -> String {
        let args: Vec<&str> = args.split_whitespace().collect();
        configure(
            WRANGLER,
            Path::new("/repository"),
            &Options::parse(&args, &Recorded::default()).unwrap(),
        )
        .unwrap()
    }

    /// The lines that differ from `wrangler.toml`.
    fn changed(args: &str) -> Vec<String> {
        let text = configured(args);
        let lines = text
            .lines()
            .filter(|line| !WRANGLER.lines().any(|given| given == *line));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn the_paid_plan_has_the_file_as_it_is() {
        assert_eq!(
            changed(""),
            [
                "main = \"/repository/worker/shim.js\"",
                "directory = \"/repository/site/dist\""
            ]
        );
    }

    #[test]
    fn the_free_plan_has_values_of_its_own() {
        assert_eq!(
            changed("--preset free")[2..],
            [
                "SUBQUERY_BYTES = \"131072\"",
                "RETENTION_RAW_DAYS = \"14\"",
                "RETENTION_SUMS_DAYS = \"90\"",
                "fee = 0.0"
            ]
        );
    }

    #[test]
    fn a_name_is_also_that_of_the_binding_to_itself() {
        let text = configured("--name other --bucket files --domain p.example.com");
        assert!(text.contains("\nname = \"other\"\n"));
        assert!(text.contains("\nservice = \"other\"\n"));
        assert!(text.contains("\nbucket_name = \"files\"\n"));
        assert!(!text.contains("= \"pilotlight\""));
        let (top, tables) = text.split_once("\n[").unwrap();
        assert!(top.contains("routes = [{ pattern = \"p.example.com\", custom_domain = true }]"));
        assert!(top.contains("workers_dev = false"));
        assert!(!tables.contains("routes = "));
    }

    #[test]
    fn a_line_that_is_not_there_is_noticed() {
        assert!(set(&mut "a = 1\n".to_owned(), "b", "2").is_err());
        assert!(set(&mut "a = 1\na = 2\n".to_owned(), "a", "3").is_err());
    }

    /// A worker that is deployed serves nobody without a token, unless told so in so many words.
    #[test]
    fn no_preset_is_open() {
        for args in ["", "--preset free"] {
            assert!(configured(args).contains("\nAUTH = \"required\"\n"));
        }
    }
}
