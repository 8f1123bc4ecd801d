//! Go's own `pprof` as a judge, on machines that have it.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use pilotlight_core::Profile;

use super::brute::{Sums, Value, spell, sums};

/// Whether `go tool pprof` answers; says so when it does not.
pub fn available() -> bool {
    let found = Command::new("go")
        .args(["tool", "pprof", "-help"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let available = found.is_ok();
    if !available {
        println!("skipped: go is not installed");
    }
    available
}

/// What `go tool pprof -raw` prints, in UTC and without looking at binaries.
pub fn raw(profile: &[u8]) -> String {
    String::from_utf8(run(profile, &["-raw"])).expect("text")
}

/// What `go tool pprof -proto` makes of a profile in any format that Go reads.
pub fn to_proto(profile: &[u8]) -> Vec<u8> {
    run(profile, &["-proto"])
}

/// What `go tool pprof -proto` makes of a profile with further options, such as `-focus=main`.
pub fn proto_with(profile: &[u8], options: &[&str]) -> Vec<u8> {
    run(profile, &[&["-proto"], options].concat())
}

/// What `go tool pprof -top` prints, with all rows, in a unit: flat and cumulative value of each
/// name. Rows of nothing are left out.
pub fn top_with(profile: &[u8], unit: &str, options: &[&str]) -> HashMap<String, (i128, i128)> {
    let unit = format!("-unit={unit}");
    let fixed = ["-top", "-trim=false", &unit];
    let text = String::from_utf8(run(profile, &[&fixed, options].concat())).expect("text");
    let (_, rows) = text.split_once("cum%\n").expect("a head of the table");
    let mut found = HashMap::new();
    for row in rows.lines() {
        let mut rest = row;
        let mut word = || {
            let text = rest.trim_start();
            let (word, after) = text.split_once(' ').expect("five columns and a name");
            rest = after;
            word.to_owned()
        };
        let [flat, _, _, cum, _] = [(); 5].map(|()| word());
        let [flat, cum] = [flat, cum].map(|text| {
            let number = text.trim_end_matches(char::is_alphabetic);
            number.parse::<i128>().expect("a whole number")
        });
        let name = rest.trim();
        let name = name.strip_suffix(" (inline)").unwrap_or(name);
        let name = name.strip_suffix(" (partial-inline)").unwrap_or(name);
        if (flat, cum) != (0, 0) {
            found.insert(name.to_owned(), (flat, cum));
        }
    }
    found
}

/// A profile spelt out as far as pprof keeps it: labels without a value go, and a mapping without a
/// file is named like its profile.
pub fn sums_as_kept(profile: &Profile) -> Sums {
    let mut samples = spell(profile);
    for sample in &mut samples {
        sample
            .labels
            .retain(|(_, value)| *value != Value::Text(String::new()));
        for frame in &mut sample.stack {
            frame.module = frame
                .module
                .take()
                .filter(|file| !file.is_empty() && !file.ends_with("/input"));
        }
    }
    sums(&samples)
}

fn run(profile: &[u8], options: &[&str]) -> Vec<u8> {
    let folder = Scratch::new();
    let (input, output) = (folder.0.join("input"), folder.0.join("output"));
    fs::write(&input, profile).expect("a writable scratch folder");
    let run = Command::new("go")
        .args(["tool", "pprof", "-symbolize=none"])
        .args(options)
        .arg("-output")
        .arg(&output)
        .arg(&input)
        .env("TZ", "UTC")
        // Nothing of this machine may be taken for the profiled binary.
        .env("PPROF_BINARY_PATH", &folder.0)
        .env("PPROF_TMPDIR", &folder.0)
        .output()
        .expect("go runs");
    assert!(
        run.status.success(),
        "go tool pprof {options:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    fs::read(output).expect("pprof's output")
}

/// Renumbers a raw text by order of appearance, with equal locations and mappings as one: the
/// numbering that [`crate::text::raw`] has. Files number their rows as they like, and some say the
/// same thing twice.
pub fn renumbered(raw: &str) -> String {
    let (head, rest) = raw
        .split_once("Locations\n")
        .expect("a section of locations");
    let (locations, mappings) = rest
        .split_once("Mappings\n")
        .expect("a section of mappings");
    let mut mapping_numbers = Numbers::default();
    let mapping_lines = mappings.lines().filter_map(|line| {
        let (id, text) = line.split_once(": ").expect("a mapping");
        mapping_numbers
            .place(id.trim(), text)
            .map(|number| format!("{number}: {text}\n"))
    });
    let mappings: String = mapping_lines.collect();
    let mut location_numbers = Numbers::default();
    let location_lines = location_rows(locations).into_iter().filter_map(|row| {
        let (id, text) = row.split_once(": ").expect("a location");
        let text = match text.split_once(" M=") {
            Some((address, rest)) => {
                let (id, rest) = rest.split_once(' ').expect("a blank behind the mapping");
                format!("{address} M={} {rest}", mapping_numbers.of(id))
            }
            None => text.to_owned(),
        };
        location_numbers
            .place(id.trim(), &text)
            .map(|number| format!("{number:>6}: {text}\n"))
    });
    let locations: String = location_lines.collect();
    let (before, samples) = head.split_once("Samples:\n").expect("a section of samples");
    let sample_lines = samples
        .lines()
        .enumerate()
        .map(|(i, line)| match line.split_once(": ") {
            // Line 0 names the types; labels stand on lines of their own, behind 16 blanks.
            Some((values, ids)) if i > 0 && !line.starts_with("                ") => {
                let ids: String = ids
                    .split_whitespace()
                    .map(|id| format!("{} ", location_numbers.of(id)))
                    .collect();
                format!("{values}: {ids}\n")
            }
            _ => format!("{line}\n"),
        });
    let samples: String = sample_lines.collect();
    format!("{before}Samples:\n{samples}Locations\n{locations}Mappings\n{mappings}")
}

/// Locations with the further lines of inlined calls, which are indented by 13 blanks.
fn location_rows(text: &str) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for line in text.lines() {
        match rows.last_mut() {
            Some(row) if line.starts_with("             ") => {
                row.push('\n');
                row.push_str(line);
            }
            _ => rows.push(line.to_owned()),
        }
    }
    rows
}

#[derive(Default)]
struct Numbers {
    by_id: HashMap<String, usize>,
    by_text: HashMap<String, usize>,
}

impl Numbers {
    /// Notes a row; its number when no equal one came before.
    fn place(&mut self, id: &str, text: &str) -> Option<usize> {
        let next = self.by_text.len() + 1;
        let number = *self.by_text.entry(text.to_owned()).or_insert(next);
        self.by_id.insert(id.to_owned(), number);
        (number == next).then_some(number)
    }

    fn of(&self, id: &str) -> usize {
        self.by_id[id]
    }
}

/// A folder of its own, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "pprof-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a writable folder for scratch files");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
