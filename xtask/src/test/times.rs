//! How long everything took: `target/test-times.json`, and the slowest tests for the summary.

use super::part::Outcome;
use super::tally::{FileTime, TestTime};
use crate::folders::target_dir;
use crate::proc::{Context, Result};
use crate::step::StepTime;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// How many tests the file lists, and how many of them the summary prints.
const SLOWEST: usize = 20;
const PRINTED: usize = 10;

/// Seconds of a whole run.
#[derive(Default)]
pub(super) struct Times {
    parts: Vec<(&'static str, f64)>,
    steps: Vec<StepTime>,
    files: Vec<FileTime>,
    tests: Vec<TestTime>,
}

impl Times {
    pub(super) fn add_steps(&mut self, steps: &[StepTime]) {
        self.steps.extend_from_slice(steps);
    }

    pub(super) fn add_part(&mut self, name: &'static str, seconds: f64, outcome: &Outcome) {
        self.parts.push((name, seconds));
        self.add_steps(&outcome.steps);
        self.files.extend_from_slice(&outcome.files);
        self.tests.extend_from_slice(&outcome.tests);
    }

    fn slowest(&self, most: usize) -> Vec<&TestTime> {
        let mut tests: Vec<&TestTime> = self.tests.iter().collect();
        tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        tests.truncate(most);
        tests
    }

    /// The lines of the summary.
    pub(super) fn slowest_lines(&self) -> Vec<String> {
        let line =
            |test: &TestTime| format!("{:>8.1} s  {}: {}", test.seconds, test.file, test.name);
        self.slowest(PRINTED).into_iter().map(line).collect()
    }

    /// Writes the file, and returns its path.
    pub(super) fn write(&self, seconds: f64) -> Result<PathBuf> {
        let path = target_dir().join("test-times.json");
        let text = format!("{:#}\n", self.to_json(seconds));
        fs::write(&path, text).context(path.display())?;
        Ok(path)
    }

    fn to_json(&self, seconds: f64) -> Value {
        let parts = self
            .parts
            .iter()
            .map(|(name, s)| json!({ "name": name, "seconds": round(*s) }));
        let steps = self
            .steps
            .iter()
            .map(|step| json!({ "name": step.name, "seconds": round(step.seconds) }));
        let mut files: Vec<&FileTime> = self.files.iter().collect();
        files.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let files = files
            .iter()
            .map(|file| json!({ "name": file.file, "seconds": round(file.seconds) }));
        let tests = self.slowest(SLOWEST).into_iter();
        let tests = tests.map(
            |test| json!({ "file": test.file, "name": test.name, "seconds": round(test.seconds) }),
        );
        json!({
            "seconds": round(seconds),
            "parts": parts.collect::<Value>(),
            "steps": steps.collect::<Value>(),
            "files": files.collect::<Value>(),
            "slowest_tests": tests.collect::<Value>(),
        })
    }
}

/// The times that the browser tests noted: `{"files": {NAME: SECONDS}, "tests": [{"file", "name",
/// "seconds"}]}`.
pub(super) fn of_browser(noted: &Value, part: &str) -> (Vec<FileTime>, Vec<TestTime>) {
    let files = noted["files"].as_object().into_iter().flatten();
    let file = |(file, seconds): (&String, &Value)| FileTime {
        file: format!("{part}/{file}"),
        seconds: seconds.as_f64().unwrap_or_default(),
    };
    let tests = noted["tests"].as_array().into_iter().flatten();
    let test = |test: &Value| TestTime {
        file: format!("{part}/{}", test["file"].as_str().unwrap_or_default()),
        name: test["name"].as_str().unwrap_or_default().to_owned(),
        seconds: test["seconds"].as_f64().unwrap_or_default(),
    };
    (files.map(file).collect(), tests.map(test).collect())
}

fn round(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}
