//! The docs name what exists.

use std::process::Command;

use super::*;

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

#[test]
fn the_changelog_has_notes_of_this_version() {
    let ended = Command::new(root().join(".ci/notes"))
        .arg(env!("CARGO_PKG_VERSION"))
        .output()
        .expect(".ci/notes runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
}
