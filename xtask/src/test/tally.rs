//! How many tests passed, by the output of the programs that ran them.

use crate::proc::Result;

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub(super) passed: u64,
    pub(super) failed: u64,
}

/// Seconds that a file of tests took. Tests that ran side by side count one by one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FileTime {
    pub(super) file: String,
    pub(super) seconds: f64,
}

/// Seconds of one test.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TestTime {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) seconds: f64,
}

impl Count {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
        }
    }
}

/// The tests in the output of libtest with `--report-time`. Those of `tests/` belong to the file of
/// their module, others to their program.
pub(super) fn rust_tests(program: &str, text: &str) -> Vec<TestTime> {
    let test = |line: &str| {
        let (name, rest) = test_line(line)?;
        let seconds = rest.split_once('<')?.1.strip_suffix("s>")?.parse().ok()?;
        let module = name.split_once("::").map(|(module, _)| module);
        let file = match module.filter(|_| program.contains("tests/")) {
            Some(module) => format!("{program}/{module}"),
            None => program.to_owned(),
        };
        Some(TestTime {
            file,
            name: name.to_owned(),
            seconds,
        })
    };
    text.lines().filter_map(test).collect()
}

/// Name and end of a line such as `test s3::contract ... ok <1.250s>`.
pub(super) fn test_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

/// Counts the tests in the output. A part that counts none is one test itself.
pub(super) fn tally(outcome: &Result<()>, text: &str) -> Count {
    let counts: Vec<Count> = text.lines().filter_map(count).collect();
    let mut sum = Count {
        passed: counts.iter().map(|count| count.passed).sum(),
        failed: counts.iter().map(|count| count.failed).sum(),
    };
    match outcome {
        Ok(()) if counts.is_empty() => sum.passed = 1,
        // A crash may end the output before it counts; a part that failed has a failure.
        Err(_) if sum.failed == 0 => sum.failed = 1,
        _ => {}
    }
    sum
}

/// Reads one line of a test runner's summary: cargo's, node's, or the plain one that we print.
fn count(line: &str) -> Option<Count> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("test result: ") {
        let number = |word: &str| {
            let part = rest
                .split([';', '.'])
                .find(|part| part.trim_end().ends_with(word))?;
            part.trim().split(' ').next()?.parse().ok()
        };
        return Some(Count {
            passed: number("passed")?,
            failed: number("failed")?,
        });
    }
    for (word, passed) in [("pass ", true), ("fail ", false)] {
        let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
        if let Some(number) = rest.and_then(|rest| rest.strip_prefix(word)?.parse().ok()) {
            return Some(if passed {
                Count {
                    passed: number,
                    failed: 0,
                }
            } else {
                Count {
                    passed: 0,
                    failed: number,
                }
            });
        }
    }
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Count {
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
    })
}

/// The last lines of an output, at most `most`.
pub(super) fn last_lines(text: &str, most: usize) -> &str {
    let text = text.trim_end();
    match text.rmatch_indices('\n').nth(most - 1) {
        Some((before, _)) => &text[before + 1..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proc::Failure;

    fn check(text: &str, ok: bool, passed: u64, failed: u64) {
        let outcome = if ok {
            Ok(())
        } else {
            Err(Failure::new("it failed", ""))
        };
        assert_eq!(tally(&outcome, text), Count { passed, failed }, "{text:?}");
    }

    #[test]
    fn counts_what_test_runners_print() {
        let cargo = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        check(cargo, true, 12, 0);
        check(&format!("{cargo}\nnoise\n{cargo}"), true, 24, 0);
        check(
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
            false,
            3,
            2,
        );
        check("# tests 5\n# pass 4\n# fail 1", false, 4, 1);
        check("ℹ pass 7\nℹ fail 0", true, 7, 0);
        check("9 passed, 1 failed", false, 9, 1);
    }

    #[test]
    fn tests_of_libtest_have_times() {
        let text = "running 2 tests\ntest s3::contract ... ok <1.250s>\ntest slow ... FAILED <0.5s>\ntest x ... ignored\n";
        let found = rust_tests("tests/worker", text);
        let found: Vec<_> = found
            .iter()
            .map(|t| (t.file.as_str(), t.name.as_str(), t.seconds))
            .collect();
        assert_eq!(
            found,
            [
                ("tests/worker/s3", "s3::contract", 1.25),
                ("tests/worker", "slow", 0.5)
            ]
        );
    }

    #[test]
    fn an_output_ends_with_its_last_lines() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a\nb\n\n", 2), "a\nb");
        assert_eq!(last_lines("", 2), "");
    }

    #[test]
    fn a_part_without_counts_is_one_test_and_a_failed_part_has_a_failure() {
        check("Finished", true, 1, 0);
        check("", false, 0, 1);
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            false,
            12,
            1,
        );
    }
}
