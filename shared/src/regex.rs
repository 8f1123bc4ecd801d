//! Regular expressions that come from outside: linear time, and bounded before anything is built.
//!
//! The engine simulates all alternatives at once, so a match takes at most (states × bytes of the text) steps, whatever the
//! expression; the states are those that [`STATES_BASE`] and [`STATES_A_BYTE`] leave room for, about a hundred and one more
//! for each byte of the expression.

use regex_lite::{Regex, RegexBuilder};
use thiserror::Error;

/// Longest expression in bytes: an alternative of 100 names of pods. While it is parsed, each byte takes up to 200.
pub(crate) const MAX_PATTERN: usize = 4 << 10;

/// Deepest nesting of groups. People need three or four; parsing recurses once a level.
const MAX_NESTING: u32 = 32;

/// Bytes of compiled states that any expression may have: room for `[0-9a-f]{64}` and `.{0,100}`, which grow by counting.
const STATES_BASE: usize = 16 << 10;

/// Bytes of compiled states for each byte of the expression: a letter is one state of 32, and where case does not count
/// two ranges of 8 more.
const STATES_A_BYTE: usize = 48;

/// Whether `A` is `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Ignored,
}

/// Why a regular expression was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum RegexError {
    #[error("a regular expression of {0} bytes; {MAX_PATTERN} are allowed")]
    TooLong(usize),
    /// Not valid, nested too deep, or too large once its repetitions are written out.
    #[error("not a regular expression that can be used: {0}")]
    Refused(String),
}

/// An expression that must match the whole text.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, RegexError> {
    // Alone first: in a group, `a)(b` would be valid.
    compile(pattern, pattern, Case::Exact)?;
    compile(pattern, &format!("^(?s:{pattern})$"), Case::Exact)
}

/// An expression that may match anywhere.
pub(crate) fn unanchored(pattern: &str, case: Case) -> Result<Regex, RegexError> {
    compile(pattern, pattern, case)
}

/// Compiles `whole`, which is `pattern` and what we put around it.
fn compile(pattern: &str, whole: &str, case: Case) -> Result<Regex, RegexError> {
    if pattern.len() > MAX_PATTERN {
        return Err(RegexError::TooLong(pattern.len()));
    }
    RegexBuilder::new(whole)
        .case_insensitive(case == Case::Ignored)
        .nest_limit(MAX_NESTING)
        .size_limit(STATES_BASE + STATES_A_BYTE * pattern.len())
        .build()
        .map_err(|e| RegexError::Refused(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_ask_for_fits() {
        let pods: Vec<String> = (0..MAX_PATTERN / 26).map(|i| format!("checkout-7d9f8b6c5d-x{i:04}")).collect();
        for pattern in [
            &pods.join("|"),
            "[0-9a-f]{64}",
            ".{0,100}",
            r"(?i)(GET|POST) /api/v\d+/[^/]+",
            r"[\w.-]+@[\w-]+(\.[\w-]+)*",
            &"ab".repeat(MAX_PATTERN / 2),
        ] {
            assert!(anchored(pattern).is_ok(), "{pattern}: {:?}", anchored(pattern));
            assert!(unanchored(pattern, Case::Ignored).is_ok(), "{pattern}");
        }
        assert!(anchored("a|b").unwrap().is_match("b"));
        assert!(!anchored("a|b").unwrap().is_match("ba"));
        assert!(unanchored("A", Case::Ignored).unwrap().is_match("bad"));
    }

    #[test]
    fn what_multiplies_is_refused() {
        let refused = |pattern: &str| anchored(pattern).unwrap_err().to_string();
        for pattern in [
            "(((a{100}){100}){100})",
            "((((((((((a{99}){99}){99}){99}){99}){99}){99}){99}){99}){99})",
            "(?:(?:(?:(?:){1000}){1000}){1000}){1000}",
            "(?:(?:(?:(?:a{0}){1000}){1000}){1000}){1000}",
            "(?:a?){4000000000}",
            "(?:a{0,1000}){0,1000}",
            "[a-z]{2000}",
        ] {
            let problem = refused(pattern);
            assert_eq!(
                problem, "not a regular expression that can be used: compiled regex exceeded size limit",
                "{pattern}"
            );
        }
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(anchored(&nested(20)).is_ok());
        assert!(refused(&nested(100)).contains("nest"), "{}", refused(&nested(100)));
        assert!(refused(&nested(MAX_PATTERN / 3)).contains("nest"));
        let long = "a".repeat(MAX_PATTERN + 1);
        assert_eq!(refused(&long), "a regular expression of 4097 bytes; 4096 are allowed");
        assert!(refused("a)(b").contains("closing ')'"));
    }
}
