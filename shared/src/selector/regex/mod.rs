//! Regular expressions that come from outside: RE2's syntax, linear time, and bounded before
//! anything is built.
//!
//! The engine simulates all alternatives at once, so a match takes at most (states × bytes of the
//! text) steps, whatever the expression; the states are those that [`STATES_BASE`] and
//! [`STATES_A_BYTE`] leave room for, about a hundred and one more for each byte of the expression.

mod re2;

use regex_lite::{Regex, RegexBuilder};
use thiserror::Error;

pub(crate) use re2::Case;
use re2::for_engine;

/// Longest expression in bytes: an alternative of 100 names of pods. While it is parsed, each byte
/// takes up to 200.
pub(crate) const MAX_PATTERN: usize = 4 << 10;

/// Deepest nesting of groups. People need three or four; parsing recurses once a level.
const MAX_NESTING: u32 = 32;

/// Bytes of compiled states that any expression may have: room for `[0-9a-f]{64}` and `.{0,100}`,
/// which grow by counting.
const STATES_BASE: usize = 16 << 10;

/// Bytes of compiled states for each byte of the expression: a letter is one state of 32, and where
/// case does not count two ranges of 8 more.
const STATES_A_BYTE: usize = 48;

/// Why a regular expression was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum RegexError {
    #[error("the regular expression has {0} bytes; at most {MAX_PATTERN} are allowed")]
    TooLong(usize),
    /// Not valid, nested too deep, or too large once its repetitions are written out.
    #[error("invalid regular expression: {0}")]
    Refused(String),
}

/// An expression that must match the whole text, and in which a dot is any character, as in PromQL.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, RegexError> {
    let written = translate(pattern, Case::Exact)?;
    // Alone first: in a group, `a)(b` would be valid.
    compile(pattern, &written, Case::Exact)?;
    compile(pattern, &format!("^(?s:{written})$"), Case::Exact)
}

/// An expression that may match anywhere.
pub(crate) fn unanchored(pattern: &str, case: Case) -> Result<Regex, RegexError> {
    compile(pattern, &translate(pattern, case)?, case)
}

fn translate(pattern: &str, case: Case) -> Result<String, RegexError> {
    if pattern.len() > MAX_PATTERN {
        return Err(RegexError::TooLong(pattern.len()));
    }
    for_engine(pattern, case).map_err(RegexError::Refused)
}

/// Compiles `whole`, which is `pattern` as the engine reads it and what we put around it.
fn compile(pattern: &str, whole: &str, case: Case) -> Result<Regex, RegexError> {
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
        let pods: Vec<String> = (0..MAX_PATTERN / 26)
            .map(|i| format!("checkout-7d9f8b6c5d-x{i:04}"))
            .collect();
        for pattern in [
            &pods.join("|"),
            "[0-9a-f]{64}",
            ".{0,100}",
            r"(?i)(GET|POST) /api/v\d+/[^/]+",
            r"[\w.-]+@[\w-]+(\.[\w-]+)*",
            &"ab".repeat(MAX_PATTERN / 2),
        ] {
            assert!(
                anchored(pattern).is_ok(),
                "{pattern}: {:?}",
                anchored(pattern)
            );
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
            "[a-z]{1000}",
        ] {
            let problem = refused(pattern);
            assert_eq!(
                problem, "invalid regular expression: compiled regex exceeded size limit",
                "{pattern}"
            );
        }
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(anchored(&nested(20)).is_ok());
        assert!(
            refused(&nested(100)).contains("nest"),
            "{}",
            refused(&nested(100))
        );
        assert!(refused(&nested(MAX_PATTERN / 3)).contains("nest"));
        let long = "a".repeat(MAX_PATTERN + 1);
        assert_eq!(
            refused(&long),
            "the regular expression has 4097 bytes; at most 4096 are allowed"
        );
        assert!(refused("a)(b").contains("closing ')'"));
    }

    /// An expression, what it matches as a whole and what it does not, as Go's `regexp` has it.
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let regex = anchored(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        matching
            .iter()
            .for_each(|text| assert!(regex.is_match(text), "{pattern} does not match {text:?}"));
        others
            .iter()
            .for_each(|text| assert!(!regex.is_match(text), "{pattern} matches {text:?}"));
    }

    #[test]
    fn it_means_what_re2_means() {
        check(r"\Qa.b\E", &["a.b"], &["axb"]);
        check(r"\Qa.b", &["a.b"], &["axb"]);
        check(r"\Q(a|b)*\n[c]{2}$\E", &[r"(a|b)*\n[c]{2}$"], &["a"]);
        check(r"\Qab\E+", &["ab", "abb"], &["abab"]);
        check(r"a\Q\Eb\Q", &["ab"], &["a"]);
        check(r"\Q\\E", &[r"\"], &[""]);
        check(r"(\Q?i\E)a", &["?ia"], &["A"]);
        check(r"\\Qa\\E", &[r"\Qa\E"], &["a"]);
        check(r"\d+", &["17"], &["", "१७", "x"]);
        check(r"\w+", &["a_Z9"], &["é", "-"]);
        check(r"\s", &["\t", "\n", "\x0C", "\r", " "], &["\u{a0}", "x"]);
        check(r"[^\S\t]", &[" ", "\r"], &["\t", "x"]);
        check(r"[\D]", &["x", "é"], &["4"]);
        check(r"[[:space:]]", &["\x0B", "\t"], &["x"]);
        check(r"[[:alpha:]_]+", &["aZ_"], &["é", "1"]);
        check(r"[^[:^word:]x]", &["a", "_"], &["x", "-"]);
        check(r"[-[:alpha:]{]", &["-", "a", "{"], &[":", "]"]);
        check("[!-[:a:]", &["!", "[", ":", "a"], &["b", "]"]);
        check(".", &["é", "\n", "\u{1F600}"], &["", "ab"]);
        check("(?-s:.)", &["a"], &["\n"]);
        check(r"\Aa\z", &["a"], &["a\n"]);
        check("a$", &["a"], &["a\n"]);
        check("(?m)a$\n^b", &["a\nb"], &["ab"]);
        check(r".*\bgo\b.*", &["go", "égoé", "to go"], &["ago"]);
        check(r"\-\_\/\#\ \&\~\!\%\,\=\'\`", &["-_/# &~!%,='`"], &[]);
        check(r"\a\f\t\n\r\v", &["\x07\x0C\t\n\r\x0B"], &[]);
        check(r"\x41\x{42}\x{000e9}\u00e9\U000000e9", &["ABééé"], &[]);
        check(r"[\x5d\x5e-\x{60}]", &["]", "^", "_", "`"], &["a"]);
        check("(?U)a+(?P<n>b)(?<m>c)", &["aabc"], &["bc"]);
        check("(?<a[>b)", &["b"], &[]);
        check("a{2,}b{0}c{1,2}", &["aac", "aaaacc"], &["ac", "aabc"]);
        check("a{2}?", &["aa"], &["a", "a?"]);
        check("a}]", &["a}]"], &[]);
        check("[]a]", &["]", "a"], &["[]a]"]);
        check("[^]a]", &["b"], &["]", "a"]);
        check("[a-]", &["a", "-"], &["b"]);
        check("[-a]", &["a", "-"], &["b"]);
        check(r"[\--0]", &["-", ".", "0"], &["1", ","]);
        check("[é-ü]", &["é", "ö"], &["è", "a"]);
        check("a||b", &["", "a", "b"], &["ab"]);
        check("(|a)b", &["b", "ab"], &["a"]);
        check("^*a$?", &["a"], &["aa"]);
    }

    #[test]
    fn letters_without_case() {
        check("(?i)get", &["get", "GET", "Get"], &["got"]);
        check("(?i:g)et", &["get", "Get"], &["GET"]);
        check("((?i)g)e(?i)t", &["GeT", "get"], &["GET"]);
        check("(?i)a(?-i)b|c", &["Ab", "c"], &["AB", "C"]);
        check("(?i)[r-t0-Z]", &["r", "S", "a"], &["é", "-"]);
        check("(?i)[0-z][A-Z_a-z]", &["aB", "_q"], &["-a"]);
        check(r"(?i)[^\W_k]", &["a", "B"], &["k", "K", "_", "é"]);
        check("(?i)[[:upper:]]", &["a", "Z"], &["é", "1"]);
        check(r"(?i)\Qs.\E", &["S."], &["sx"]);
        check("[Q-d]é(?-i)É", &["QéÉ"], &["qéÉ"]);
        let search =
            |pattern: &str, text: &str| unanchored(pattern, Case::Ignored).unwrap().is_match(text);
        assert!(search("é.K", "xÉéxkx") && search("(?-i)é", "é") && !search("(?-i)a", "A"));
        let uneven = unanchored("[0-f]", Case::Ignored).unwrap_err().to_string();
        assert!(
            uneven.ends_with(": [0-f] is not supported when case is ignored"),
            "{uneven}"
        );
    }

    #[test]
    fn what_it_does_not_know_is_refused_by_name() {
        let check = |pattern: &str, problem: &str| {
            let refused = anchored(pattern).expect_err(pattern).to_string();
            assert_eq!(
                refused,
                format!("invalid regular expression: {problem}"),
                "{pattern}"
            );
            assert!(unanchored(pattern, Case::Ignored).is_err(), "{pattern}");
        };
        let unicode = |name: &str| {
            format!(
                "\\{name}: Unicode classes are not supported; write the characters or a range such as [а-я]"
            )
        };
        check(r"\pL+", &unicode("p"));
        check(r"[a\P{^Lu}]", &unicode("P"));
        for escape in [r"\C", r"a\Z", r"\é", r"\E", r"[\Qa\E]", r"\G", r"\k<n>"] {
            let name: String = escape.chars().skip_while(|c| *c != '\\').take(2).collect();
            check(escape, &[&name, " is not supported"].concat());
        }
        check(
            r"\<a",
            "\\< is not supported; write it without the backslash",
        );
        check(
            r"[a\>]",
            "\\> is not supported; write it without the backslash",
        );
        check(r"a\b{start}", "\\b{ is not supported");
        check(r"\b{2}", "\\b{ is not supported");
        check(
            r"\1",
            "\\1: backreferences and octal escapes are not supported",
        );
        check(
            r"\012",
            "\\0: backreferences and octal escapes are not supported",
        );
        check(
            r"\x4",
            "expected fixed length hexadecimal number, but saw end of pattern first",
        );
        check(r"\x{d800}", "got invalid hexadecimal number in braces");
        for brace in [
            "{id}",
            "a{,5}",
            "a{ 1, 2 }",
            "a{01}",
            "a{1,02}",
            "a{1",
            "a{1 }",
            "a{}",
            r"\x{41}{a",
        ] {
            check(
                brace,
                "{ must begin a count such as {2} or {2,5}; write \\{ for a brace",
            );
        }
        for quote in [r"(\Q\E?i)a", r"a{2}\Q\E?", r"a\Q\E\Q\E*"] {
            check(quote, "\\Q\\E is empty and can't be repeated");
        }
        for pattern in [
            "(?i)é",
            "é(?s-mi:a)(?si:[a])",
            "(?i)[а-я]",
            "(?i)日",
            r"\Qé\E(?i)",
        ] {
            let c = pattern.chars().find(|c| !c.is_ascii()).unwrap();
            check(
                pattern,
                &format!("(?i) with {c} is not supported; write both cases instead, as in [éÉ]"),
            );
        }
        check(
            r"(?i)\xe9",
            "\\x is not supported after (?i); write the character itself",
        );
        check(
            r"(?i:[\u00c9])",
            "\\u is not supported after (?i); write the character itself",
        );
        for class in [
            "[Q-d]",
            "[^0-f]",
            "[[:punct:]X-Za]",
            "[[:^lower:]]",
            "[a[:^alpha:]]",
        ] {
            check(
                &format!("(?i){class}"),
                &format!("{class} is not supported when case is ignored"),
            );
        }
        for flags in ["(?x) a b", "(?P=n)", "(?-i:a)(?R)", "(?us)", "(?#a)"] {
            let flag = flags.chars().find(|c| "xPRu#".contains(*c)).unwrap();
            check(
                flags,
                &format!("(?{flag} is not supported; the supported flags are i, m, s and U"),
            );
        }
        // The bracket is the end of a range, so the class ends before the parenthesis.
        check(
            "[!-[:alpha:](?x)]",
            "(?x is not supported; the supported flags are i, m, s and U",
        );
        check("(?=a)", "look-around is not supported");
        check("(?<!a)", "look-around is not supported");
        for class in ["[--0]", "[^--0]", "[]-a]", "[^]-a]"] {
            check(
                class,
                "a range from - or ] at the start of a class is not supported; write \\- or \\]",
            );
        }
        check("[a&&b]", "character class intersection is not supported");
        check("[a--b]", "character class difference is not supported");
        check(
            "[a~~b]",
            "character class symmetric difference is not supported",
        );
        check("[[a]", "nested character classes are not supported");
        check("[[:foo:]]", "nested character classes are not supported");
        check(
            r"[\d-z]",
            "character class ranges must start and end with a single character",
        );
        check("[b-a]", "invalid range in character class");
        check("[a", "non-empty character class has no closing bracket");
        check(
            "a\\",
            "saw start of escape sequence, but saw end of pattern before it finished",
        );
        check(
            "*a",
            "uncounted repetition operator must be applied to a sub-expression",
        );
    }
}
