//! Does a frame match a pattern? Each text of a profile is tried once, however many functions,
//! locations and samples it is in.

use regex_lite::Regex;

use crate::model::id::{LocationId, MappingId, StringId};
use crate::model::profile::{Line, Profile};
use crate::selector::regex::{Case, unanchored};
use crate::tree::search::PatternError;

/// Most capture groups of a pattern. Each doubles what a state remembers: 2 × 16 offsets × 8 bytes
/// × 16,384 states = 4 MiB.
const MAX_GROUPS: usize = 16;

/// A pattern for the names and files of frames: a regular expression that may match anywhere in a
/// text.
///
/// The syntax is that of Go's, without Unicode classes (`\pL`), and with `(?i)` for ASCII letters
/// only; both are refused.
#[derive(Clone, Debug)]
pub struct FramePattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// No operator in it but anchors: a tenth of a regular expression's time.
    Literal {
        text: String,
        start: bool,
        end: bool,
    },
    Regex(Regex),
}

impl FramePattern {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        // Compiled in any case, so that the limits do not depend on which kind it is.
        let regex = compile(pattern)?;
        Ok(Self(literal(pattern).unwrap_or(Kind::Regex(regex))))
    }

    /// Whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        match &self.0 {
            Kind::Literal {
                text: literal,
                start: false,
                end: false,
            } => text.contains(literal.as_str()),
            Kind::Literal {
                text: literal,
                start: true,
                end: false,
            } => text.starts_with(literal.as_str()),
            Kind::Literal {
                text: literal,
                start: false,
                end: true,
            } => text.ends_with(literal.as_str()),
            Kind::Literal {
                text: literal,
                start: true,
                end: true,
            } => text == literal,
            Kind::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Compiles a regular expression within the limits.
pub(crate) fn compile(pattern: &str) -> Result<Regex, PatternError> {
    let refused = |reason: String| {
        let shown = pattern.chars().take(80).collect();
        PatternError {
            pattern: shown,
            reason,
        }
    };
    let regex = unanchored(pattern, Case::Exact).map_err(|e| refused(e.to_string()))?;
    let groups = regex.captures_len() - 1;
    if groups > MAX_GROUPS {
        return Err(refused(format!(
            "the expression has {groups} groups; at most {MAX_GROUPS} are allowed"
        )));
    }
    Ok(regex)
}

/// A pattern without operators, as the text it stands for.
fn literal(pattern: &str) -> Option<Kind> {
    let (start, rest) = pattern
        .strip_prefix('^')
        .map_or((false, pattern), |rest| (true, rest));
    let mut text = String::with_capacity(rest.len());
    let mut chars = rest.chars().peekable();
    let mut end = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped) if escaped.is_ascii_punctuation() => text.push(escaped),
                _ => return None,
            },
            '$' if chars.peek().is_none() => end = true,
            '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                return None;
            }
            c => text.push(c),
        }
    }
    Some(Kind::Literal { text, start, end })
}

/// What a pattern matches in a profile.
pub(crate) struct Matched {
    /// By function: its name or its file.
    functions: Vec<bool>,
    /// By mapping: its file.
    mappings: Vec<bool>,
}

impl Matched {
    pub(crate) fn new(pattern: &FramePattern, profile: &Profile) -> Self {
        let mut tested = Tested::new(profile);
        let mut text = |id: StringId| tested.test(id, |text| pattern.matches(text));
        let mappings = profile.mappings.iter().map(|m| text(m.file)).collect();
        let functions = profile
            .functions
            .iter()
            .map(|f| text(f.name) || text(f.file))
            .collect();
        Self {
            functions,
            mappings,
        }
    }

    pub(crate) fn mapping(&self, mapping: Option<MappingId>) -> bool {
        mapping.is_some_and(|m| self.mappings[m.index()])
    }

    /// A line without a function matches nothing.
    pub(crate) fn line(&self, line: &Line) -> bool {
        line.function.is_some_and(|f| self.functions[f.index()])
    }

    /// For each location, whether one of its lines or its mapping matches.
    pub(crate) fn locations(&self, profile: &Profile) -> Vec<bool> {
        let lines = |i: usize| {
            profile
                .lines(LocationId::new(i))
                .iter()
                .any(|line| self.line(line))
        };
        profile
            .locations
            .iter()
            .enumerate()
            .map(|(i, l)| self.mapping(l.mapping) || lines(i))
            .collect()
    }
}

/// Answers already given, by string.
pub(crate) struct Tested<'a> {
    profile: &'a Profile,
    answers: Vec<Option<bool>>,
}

impl<'a> Tested<'a> {
    pub(crate) fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            answers: vec![None; profile.strings.len()],
        }
    }

    pub(crate) fn test(&mut self, id: StringId, ask: impl FnOnce(&str) -> bool) -> bool {
        *self.answers[id.index()].get_or_insert_with(|| ask(self.profile.text(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_match_as_the_regular_expression_does() {
        let texts = [
            "",
            "a",
            "runtime.gc",
            "runtimexgc",
            "go/runtime.gc",
            "runtime.gc2",
            "a$b",
            "{",
            "a\\b",
            "^a",
        ];
        let literals = [
            "",
            "^",
            "$",
            "^$",
            "a",
            "runtime\\.gc",
            "^runtime\\.gc",
            "runtime\\.gc$",
            "^runtime\\.gc$",
            "a\\$b",
        ];
        for pattern in literals {
            let (matcher, regex) = (
                FramePattern::new(pattern).unwrap(),
                Regex::new(pattern).unwrap(),
            );
            assert!(matches!(matcher.0, Kind::Literal { .. }), "{pattern}");
            for text in texts {
                assert_eq!(
                    matcher.matches(text),
                    regex.is_match(text),
                    "{pattern} on {text}"
                );
            }
        }
        for pattern in ["a.b", "a|b", "\\d", "(?i)a", "a\\b", "[a]", "a{2}", "a^"] {
            assert!(
                !FramePattern::new(pattern).is_ok_and(|p| matches!(p.0, Kind::Literal { .. })),
                "{pattern}"
            );
        }
    }

    #[test]
    fn hostile_patterns_are_refused() {
        let refused = |pattern: &str| FramePattern::new(pattern).unwrap_err().reason;
        assert!(refused("(").contains("group"), "{}", refused("("));
        assert!(refused(&"a".repeat(5000)).contains("5000 bytes"));
        assert!(refused("((a{500}){500}){500}").contains("size limit"));
        assert!(refused(&"()".repeat(17)).contains("17 groups"));
        assert!(FramePattern::new(&"ab|".repeat(1365)).is_ok());
    }
}
