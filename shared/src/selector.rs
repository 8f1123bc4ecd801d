//! Label selectors: `type{name="value", other=~"a|b"}`, PromQL's matchers on series labels.
//!
//! Grammar: an optional profile type id, then optional matchers in braces. Values are double-quoted (`\"`, `\\`, `\n`,
//! `\t` inside) or in single quotes or backticks; names may be quoted when they hold unusual characters. Regular expressions
//! are anchored at both ends and match in linear time. A label that a series lacks counts as empty.

use regex_lite::Regex;
use thiserror::Error;

use crate::labels::{Labels, SERVICE_NAME};
use crate::profile_type::ProfileType;

/// The pseudo-label by which a selector names the profile type.
const PROFILE_TYPE: &str = "__profile_type__";

/// Longest selector in bytes. People write a few hundred; a URL holds 16 kB.
const MAX_SELECTOR: usize = 16 << 10;

/// A parsed selector.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    /// The profile type, when one stands before the braces.
    pub profile_type: Option<ProfileType>,
    matchers: Vec<Matcher>,
}

#[derive(Clone, Debug)]
struct Matcher {
    name: String,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Equal(String),
    NotEqual(String),
    Match(Regex),
    NotMatch(Regex),
}

/// Why a selector was refused, and at which column (counted in characters from 1).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("selector, column {column}: {problem}")]
pub struct SelectorError {
    /// Where.
    pub column: usize,
    /// What.
    pub problem: String,
}

impl Selector {
    /// Parses a selector; the empty text and `{}` select everything.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        Parser { text, at: 0 }.selector()
    }

    /// Whether a series with these labels is selected.
    pub fn matches(&self, profile_type: &ProfileType, labels: &Labels) -> bool {
        self.profile_type.as_ref().is_none_or(|t| t == profile_type)
            && self.matchers.iter().all(|m| match m.name.as_str() {
                PROFILE_TYPE => m.test.passes(&profile_type.to_string()),
                "__name__" => m.test.passes(&profile_type.name),
                "__service_name__" => m.test.passes(labels.get(SERVICE_NAME).unwrap_or("")),
                name => m.test.passes(labels.get(name).unwrap_or("")),
            })
    }
}

impl Test {
    fn passes(&self, value: &str) -> bool {
        match self {
            Self::Equal(text) => text == value,
            Self::NotEqual(text) => text != value,
            Self::Match(regex) => regex.is_match(value),
            Self::NotMatch(regex) => !regex.is_match(value),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn selector(mut self) -> Result<Selector, SelectorError> {
        if self.text.len() > MAX_SELECTOR {
            return Err(self.error(format!("{} bytes are more than the {MAX_SELECTOR} allowed", self.text.len())));
        }
        self.blanks();
        let start = self.at;
        while self.peek().is_some_and(|c| c != '{' && !c.is_whitespace()) {
            self.bump();
        }
        let head = &self.text[start..self.at];
        let profile_type = match head {
            "" => None,
            _ => Some(head.parse().map_err(|e: crate::profile_type::ProfileTypeError| self.error_at(start, e.to_string()))?),
        };
        self.blanks();
        let mut matchers = Vec::new();
        if self.peek() == Some('{') {
            self.bump();
            loop {
                self.blanks();
                if self.take('}') {
                    break;
                }
                matchers.push(self.matcher()?);
                self.blanks();
                if !self.take(',') && self.peek() != Some('}') {
                    return Err(self.expected("',' or '}'"));
                }
            }
            self.blanks();
        }
        if self.peek().is_some() {
            return Err(self.expected("the end"));
        }
        Ok(Selector { profile_type, matchers })
    }

    fn matcher(&mut self) -> Result<Matcher, SelectorError> {
        let name = match self.peek() {
            Some('"' | '\'' | '`') => self.quoted()?,
            _ => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_alphanumeric() || "_.:-/".contains(c)) {
                    self.bump();
                }
                self.text[start..self.at].to_owned()
            }
        };
        if name.is_empty() {
            return Err(self.expected("a label name"));
        }
        self.blanks();
        let before = self.at;
        let operator = match (self.bump(), self.peek()) {
            (Some('='), Some('~')) => "=~",
            (Some('!'), Some('~')) => "!~",
            (Some('!'), Some('=')) => "!=",
            (Some('='), _) => "=",
            _ => {
                self.at = before;
                return Err(self.expected("one of = != =~ !~"));
            }
        };
        if operator.len() == 2 {
            self.bump();
        }
        self.blanks();
        let start = self.at;
        let value = self.quoted()?;
        let test = match operator {
            "=" => Test::Equal(value),
            "!=" => Test::NotEqual(value),
            _ => {
                let regex = Regex::new(&format!("^(?s:{value})$")).map_err(|e| self.error_at(start, e.to_string()))?;
                if operator == "=~" { Test::Match(regex) } else { Test::NotMatch(regex) }
            }
        };
        Ok(Matcher { name, test })
    }

    fn quoted(&mut self) -> Result<String, SelectorError> {
        let start = self.at;
        let quote = match self.peek() {
            Some(c @ ('"' | '\'' | '`')) => c,
            _ => return Err(self.expected("a quoted value")),
        };
        self.bump();
        let mut value = String::new();
        loop {
            match self.bump() {
                None => return Err(self.error_at(start, "this quote is never closed".to_owned())),
                Some(c) if c == quote => return Ok(value),
                Some('\\') if quote != '`' => match self.bump() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(c @ ('\\' | '"' | '\'')) => value.push(c),
                    // PromQL refuses unknown escapes; a regex such as "a\.b" is what people mean by them.
                    Some(c) => value.extend(['\\', c]),
                    None => return Err(self.error_at(start, "this quote is never closed".to_owned())),
                },
                Some(c) => value.push(c),
            }
        }
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.bump();
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.bump();
        }
        found
    }

    fn expected(&self, what: &str) -> SelectorError {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("{c:?}"));
        self.error(format!("expected {what}, found {found}"))
    }

    fn error(&self, problem: String) -> SelectorError {
        self.error_at(self.at, problem)
    }

    fn error_at(&self, at: usize, problem: String) -> SelectorError {
        let at = self.text.floor_char_boundary(at);
        SelectorError { column: self.text[..at].chars().count() + 1, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, name: &str) -> bool {
        let labels = crate::labels::parse_name(name).unwrap();
        let cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds".parse().unwrap();
        Selector::parse(selector).unwrap().matches(&cpu, &labels)
    }

    #[test]
    fn matchers() {
        assert!(selects("", "app"));
        assert!(selects("{}", "app"));
        assert!(selects(r#"{service_name="app"}"#, "app"));
        assert!(!selects(r#"{service_name="ap"}"#, "app"));
        assert!(selects(r#"{service_name=~"a.."}"#, "app"));
        assert!(!selects(r#"{service_name=~"a."}"#, "app"), "regular expressions are anchored");
        assert!(!selects(r#"{service_name=~"x|ap"}"#, "app"), "an alternative is anchored as a whole");
        assert!(selects(r#"{service_name!~"b.*", region != "us",}"#, "app{region=eu}"));
        assert!(selects(r#"{missing=""}"#, "app"), "a label that is not there is empty");
        assert!(selects("{'otel.scope.name'=`go`, otel.scope.name=\"go\"}", "app{otel.scope.name=go}"));
        assert!(selects(r#"process_cpu:cpu:nanoseconds:cpu:nanoseconds{region="eu"}"#, "app{region=eu}"));
        assert!(!selects("memory:alloc_space:bytes:space:bytes{}", "app"));
        assert!(selects(r#"{__profile_type__=~"process_cpu:.*", __name__="process_cpu"}"#, "app"));
        assert!(selects(r#"{v="a\"b"}"#, "app{v=a\"b}"));
    }

    #[test]
    fn errors_point_at_the_column() {
        let check = |text: &str, expect: &str| assert_eq!(Selector::parse(text).unwrap_err().to_string(), expect);
        check("{a}", "selector, column 3: expected one of = != =~ !~, found '}'");
        check("{a=b}", "selector, column 4: expected a quoted value, found 'b'");
        check(r#"{ä="b"#, "selector, column 4: this quote is never closed");
        check(r#"{a="b" c="d"}"#, "selector, column 8: expected ',' or '}', found 'c'");
        check("{\"ä\"ß", "selector, column 5: expected one of = != =~ !~, found 'ß'");
        check("{} x", "selector, column 4: expected the end, found 'x'");
        check("cpu{}", "selector, column 1: profile type \"cpu\" is not of the form name:type:unit:period_type:period_unit");
    }
}
