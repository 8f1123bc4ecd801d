//! One part of a run of the tests: what it needs, and what it did.

use super::failures::FailedTest;
use super::fixtures::Fixtures;
use super::tally::{Count, FileTime, TestTime, tally};
use crate::proc::Result;
use crate::step::StepTime;

/// A part of the tests.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// The parts that must have succeeded before.
    pub(super) after: &'static [&'static str],
    pub(super) run: fn(&mut Fixtures) -> Outcome,
}

/// What a part did.
pub(super) struct Outcome {
    pub(super) result: Result<()>,
    pub(super) count: Count,
    /// What it printed, or how the programs that failed ended.
    pub(super) output: String,
    pub(super) steps: Vec<StepTime>,
    pub(super) files: Vec<FileTime>,
    pub(super) tests: Vec<TestTime>,
    /// Empty where the part can't tell one test from another.
    pub(super) failures: Vec<FailedTest>,
}

impl Outcome {
    /// A part that is one test itself, such as a linter.
    pub(super) fn one(result: Result<()>) -> Self {
        Self::counted((result, String::new()))
    }

    /// A part whose output counts tests.
    pub(super) fn counted((result, output): (Result<()>, String)) -> Self {
        Self {
            count: tally(&result, &output),
            result,
            output,
            steps: Vec::new(),
            files: Vec::new(),
            tests: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// A part that builds, step by step. It counts as a test only where it fails.
    pub(super) fn built(built: Result<Vec<StepTime>>) -> Self {
        match built {
            Ok(steps) => Self {
                steps,
                count: Count::default(),
                ..Self::one(Ok(()))
            },
            Err(failure) => Self::one(Err(failure)),
        }
    }
}
