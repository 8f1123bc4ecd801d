//! What failed, for the end of a run: the last lines are what a cut log still shows.

use super::tally::test_line;
use serde_json::Value;

/// Lines of an error that the end of a run repeats.
const ERROR_LINES: usize = 12;

/// A test that failed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FailedTest {
    /// Its file and its name.
    pub(super) test: String,
    /// What it said.
    pub(super) error: String,
}

impl FailedTest {
    /// The lines of the summary.
    pub(super) fn lines(&self) -> Vec<String> {
        let error = self.error.lines().filter(|line| !line.trim().is_empty());
        let said = error.take(ERROR_LINES).map(|line| format!("      {line}"));
        std::iter::once(format!("  {}", self.test))
            .chain(said)
            .collect()
    }
}

/// The failed tests in the output of libtest, with what each printed.
pub(super) fn of_rust(program: &str, text: &str) -> Vec<FailedTest> {
    let failures = text.lines().filter_map(test_line);
    let failures = failures.filter(|(_, end)| end.starts_with("FAILED"));
    let failed = |(name, _): (&str, &str)| {
        let begin = format!("---- {name} stdout ----\n");
        let said = text.split_once(&begin).map_or("", |(_, rest)| rest);
        let said = said.split("\n---- ").next().unwrap_or_default();
        FailedTest {
            test: format!("{program}: {name}"),
            error: said.to_owned(),
        }
    };
    failures.map(failed).collect()
}

/// Those that the browser tests noted: `{"failures": [{"file", "name", "error"}]}`.
pub(super) fn of_browser(noted: &Value) -> Vec<FailedTest> {
    let failures = noted["failures"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let failed = |failure: &Value| FailedTest {
        test: format!(
            "browser/{}: {}",
            text(&failure["file"]),
            text(&failure["name"])
        ),
        error: text(&failure["error"]),
    };
    failures.map(failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_names_each_failed_test_and_what_it_said() {
        let output = "test a::b ... FAILED <0.5s>\ntest c ... ok <0.1s>\ntest d ... FAILED <0.1s>\n\nfailures:\n\n\
            ---- a::b stdout ----\n\nthread 'a::b' panicked at x.rs:1:2:\nleft is not right\n\n\
            ---- d stdout ----\nit broke\n\nfailures:\n    a::b\n    d\n";
        let found = of_rust("tests/worker", output);
        let lines: Vec<Vec<String>> = found.iter().map(FailedTest::lines).collect();
        assert_eq!(
            lines[0],
            [
                "  tests/worker: a::b",
                "      thread 'a::b' panicked at x.rs:1:2:",
                "      left is not right"
            ]
        );
        assert_eq!(lines[1][..2], ["  tests/worker: d", "      it broke"]);
    }
}
