//! The table of the site's files: which path is answered with which file and headers, as Cloudflare's
//! static assets answer it.

use crate::proc::{Context, Failure, Result};
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Headers for paths, as in the file `_headers` of Cloudflare's static assets.
struct Rule {
    pattern: String,
    headers: Vec<(String, String)>,
}

/// The module `pages.js` for the files of a folder; their names are relative to it.
pub(super) fn table(folder: &Path, files: &[String]) -> Result<String> {
    let rules = match fs::read_to_string(folder.join("_headers")) {
        Ok(text) => rules(&text)?,
        Err(_) => Vec::new(),
    };
    let mut table = String::from("export const pages = new Map([\n");
    for file in files.iter().filter(|file| *file != "_headers") {
        let path = folder.join(file);
        let content = fs::read(&path).context(path.display())?;
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let mut headers = vec![
            ("content-type".to_owned(), content_type(file)?.to_owned()),
            ("etag".to_owned(), format!("\"{:016x}\"", hasher.finish())),
            (
                "cache-control".to_owned(),
                "public, max-age=0, must-revalidate".to_owned(),
            ),
        ];
        let (page, aliases) = addresses(file);
        for rule in rules.iter().filter(|rule| matches(&rule.pattern, &page)) {
            for (name, value) in &rule.headers {
                headers.retain(|(there, _)| there != name);
                headers.push((name.clone(), value.clone()));
            }
        }
        let headers: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name:?}: {value:?}"))
            .collect();
        let _ = writeln!(
            table,
            "  [{page:?}, {{ file: {file:?}, headers: {{ {} }} }}],",
            headers.join(", ")
        );
        for alias in aliases {
            let _ = writeln!(table, "  [{alias:?}, {{ location: {page:?} }}],");
        }
    }
    table.push_str("]);\n");
    Ok(table)
}

/// Where a file is found, and from where one is sent there: pages have no `.html` in their address.
fn addresses(file: &str) -> (String, Vec<String>) {
    match file.strip_suffix(".html") {
        Some("index") => (
            "/".to_owned(),
            vec!["/index.html".to_owned(), "/index".to_owned()],
        ),
        Some(page) if page.ends_with("/index") => {
            let folder = page.trim_end_matches("/index");
            (
                format!("/{folder}/"),
                vec![
                    format!("/{folder}"),
                    format!("/{page}.html"),
                    format!("/{page}"),
                ],
            )
        }
        Some(page) => (
            format!("/{page}"),
            vec![format!("/{page}.html"), format!("/{page}/")],
        ),
        None => (format!("/{file}"), Vec::new()),
    }
}

fn content_type(file: &str) -> Result<&'static str> {
    Ok(match file.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        // The search of the docs.
        "pagefind" | "pf_fragment" | "pf_index" | "pf_meta" => "application/octet-stream",
        _ => {
            return Err(Failure::new(
                format!("the site has a file of unknown type: {file}"),
                "add its type to content_type in xtask/src/selfhost/pages.rs",
            ));
        }
    })
}

/// Lines of paths, and below each its headers.
fn rules(text: &str) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let unknown = || {
            Failure::new(
                format!("site/public/_headers: {line:?} is not understood here"),
                "use paths with at most one `*`, at their end, and headers below them",
            )
        };
        if line.starts_with('/') {
            let stars = trimmed.matches('*').count();
            if stars > 1 || (stars == 1 && !trimmed.ends_with('*')) || trimmed.contains(':') {
                return Err(unknown());
            }
            rules.push(Rule {
                pattern: trimmed.to_owned(),
                headers: Vec::new(),
            });
            continue;
        }
        let (name, value) = trimmed.split_once(':').ok_or_else(unknown)?;
        if !line.starts_with([' ', '\t']) || name.starts_with('!') {
            return Err(unknown());
        }
        rules
            .last_mut()
            .ok_or_else(unknown)?
            .headers
            .push((name.to_lowercase(), value.trim().to_owned()));
    }
    Ok(rules)
}

fn matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => path == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_no_ending_and_files_have_the_headers_of_their_rules() {
        let folder = crate::folders::own_dir().join(format!("pages-{}", std::process::id()));
        for inner in ["assets", "docs"] {
            fs::create_dir_all(folder.join(inner)).unwrap();
        }
        for (file, text) in [
            ("index.html", "first"),
            ("diff.html", "second"),
            ("assets/a.js", "third"),
            ("docs/index.html", "fourth"),
            (
                "_headers",
                "# all\n/*\n  X-Frame-Options: DENY\n/assets/*\n  Cache-Control: immutable\n",
            ),
        ] {
            fs::write(folder.join(file), text).unwrap();
        }
        let files = [
            "_headers",
            "assets/a.js",
            "diff.html",
            "docs/index.html",
            "index.html",
        ]
        .map(str::to_owned);
        let table = table(&folder, &files).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let line = |path: &str| {
            table
                .lines()
                .find(|line| line.contains(&format!("[{path:?},")))
                .unwrap_or_else(|| panic!("no {path} in {table}"))
        };
        assert!(line("/").contains("file: \"index.html\""));
        assert!(line("/index.html").contains("location: \"/\""));
        assert!(line("/diff").contains("text/html"));
        assert!(line("/diff.html").contains("location: \"/diff\""));
        assert!(line("/docs/").contains("file: \"docs/index.html\""));
        assert!(line("/docs").contains("location: \"/docs/\""));
        let asset = line("/assets/a.js");
        assert!(asset.contains("\"cache-control\": \"immutable\"") && !asset.contains("max-age"));
        assert!(asset.contains("\"x-frame-options\": \"DENY\""));
        assert!(!table.contains("_headers"));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "/a/*/b\n",
            "/:name\n",
            "  X: y\n",
            "/*\nX: y\n",
            "/*\n  ! X\n",
        ] {
            assert!(rules(text).is_err(), "{text:?}");
        }
        assert!(content_type("a.exe").is_err());
    }
}
