//! Why a step failed, in words for a person.

use std::fmt;

use super::interrupt::interrupted;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Why a step could not be done, and what a person can do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) step: Option<String>,
    pub(crate) cause: String,
    pub(crate) remedy: String,
}

impl Failure {
    pub(crate) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            step: None,
            cause: cause.into(),
            remedy: remedy.into(),
        }
    }

    /// Adds what a person can do, except after Ctrl-C.
    pub(crate) fn advise(mut self, remedy: impl Into<String>) -> Self {
        if !interrupted() {
            self.remedy = remedy.into();
        }
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = &self.step {
            writeln!(f, "This step failed: {step}")?;
        }
        write!(f, "Cause: {}", self.cause)?;
        if self.remedy.is_empty() {
            Ok(())
        } else {
            write!(f, "\nWhat to do: {}", self.remedy)
        }
    }
}

/// `context("…")` for I/O errors, which on their own name no file.
pub(crate) trait Context<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T>;
}

impl<T> Context<T> for std::io::Result<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.map_err(|error| Failure::new(format!("{doing}: {error}"), ""))
    }
}
