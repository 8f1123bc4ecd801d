//! Text → [`Selector`].

use super::application::Application;
use super::quoting::{Unknown, Unquoted, is_name_character};
use super::series_labels::{NAME, PROFILE_TYPE};
use super::{Expression, Matcher, Selector, SelectorError, Test};
use crate::model::profile_type::ProfileTypeError;
use crate::selector::regex::anchored;

/// Longest selector in bytes. People write a few hundred; the names of 300 pods fit.
pub(super) const MAX_SELECTOR: usize = 8 << 10;

/// Most matchers: two for each label that a series may have, and some for its type.
const MAX_MATCHERS: usize = 2 * crate::base::limits::MAX_LABELS + 4;

/// Most regular expressions: 16 of 16 KiB and the rest by their length keep a selector below a
/// megabyte.
const MAX_EXPRESSIONS: usize = 16;

/// What may stand in an application's name besides letters and digits, as on `/ingest`.
const APPLICATION_SIGNS: &str = "_.-/";

impl Selector {
    /// Parses a selector; the empty text and `{}` select everything.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        selector(text, MAX_SELECTOR)
    }

    /// Parses what a selector was printed as. That may be longer than what was typed: with a
    /// backslash before each character, twice as long.
    pub fn parse_printed(text: &str) -> Result<Self, SelectorError> {
        selector(text, 2 * MAX_SELECTOR)
    }
}

/// Parses a text of at most `most` bytes.
fn selector(text: &str, most: usize) -> Result<Selector, SelectorError> {
    let parser = Parser {
        text,
        at: 0,
        expressions: 0,
    };
    if text.len() > most {
        let problem = format!(
            "the selector has {} bytes; at most {most} are allowed",
            text.len()
        );
        return Err(parser.error(problem));
    }
    parser.selector()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Regular expressions so far.
    expressions: usize,
}

impl<'a> Parser<'a> {
    fn selector(mut self) -> Result<Selector, SelectorError> {
        self.blanks();
        let mut selector = Selector::default();
        self.head(&mut selector)?;
        self.blanks();
        if self.take('{') {
            self.matchers(&mut selector.matchers)?;
            self.blanks();
        }
        if self.peek().is_some() {
            return Err(self.expected("the end"));
        }
        Ok(selector)
    }

    /// A profile type, an application, or nothing.
    fn head(&mut self, selector: &mut Selector) -> Result<(), SelectorError> {
        let start = self.at;
        let head = self.take_while(|c| c != '{' && !c.is_whitespace());
        if head.contains(':') {
            let profile_type = head
                .parse()
                .map_err(|e: ProfileTypeError| self.error_at(start, e.to_string()))?;
            selector.profile_type = Some(profile_type);
        } else if let Some(at) =
            head.find(|c: char| !(c.is_alphanumeric() || APPLICATION_SIGNS.contains(c)))
        {
            self.at = start + at;
            return Err(self.expected(if at == 0 {
                "a profile type, an application or '{'"
            } else {
                "an application name of letters, digits and _.-/"
            }));
        } else if !head.is_empty() {
            selector.application = Some(Application::new(head));
        }
        Ok(())
    }

    /// Matchers up to and with the closing brace.
    fn matchers(&mut self, matchers: &mut Vec<Matcher>) -> Result<(), SelectorError> {
        loop {
            self.blanks();
            if self.take('}') {
                return Ok(());
            }
            if matchers.len() == MAX_MATCHERS {
                return Err(self.error(format!("at most {MAX_MATCHERS} matchers are allowed")));
            }
            matchers.push(self.matcher()?);
            self.blanks();
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.expected("',' or '}'"));
            }
        }
    }

    fn matcher(&mut self) -> Result<Matcher, SelectorError> {
        let start = self.at;
        let name = match self.peek() {
            Some('"' | '\'' | '`') => self.quoted(Unknown::Refused)?,
            _ => self.take_while(is_name_character).to_owned(),
        };
        if name.is_empty() {
            self.at = start;
            return Err(self.expected("a label name or '}'"));
        }
        self.blanks();
        let test = self.test()?;
        Ok(match &test {
            // To PromQL what stands before the braces is the name, and that is a whole profile type
            // here.
            Test::Equal(value) | Test::NotEqual(value) if name == NAME && value.contains(':') => {
                Matcher {
                    name: PROFILE_TYPE.to_owned(),
                    test,
                }
            }
            _ => Matcher { name, test },
        })
    }

    /// Operator and value.
    fn test(&mut self) -> Result<Test, SelectorError> {
        let rest = &self.text[self.at..];
        let operator = ["=~", "!~", "!=", "="]
            .into_iter()
            .find(|operator| rest.starts_with(operator));
        let Some(operator) = operator else {
            return Err(self.expected("one of = != =~ !~"));
        };
        self.at += operator.len();
        self.blanks();
        let start = self.at;
        let unknown = if operator.ends_with('~') {
            Unknown::Kept
        } else {
            Unknown::Refused
        };
        let value = self.quoted(unknown)?;
        Ok(match operator {
            "=" => Test::Equal(value),
            "!=" => Test::NotEqual(value),
            "=~" => Test::Match(self.expression(value, start)?),
            _ => Test::NotMatch(self.expression(value, start)?),
        })
    }

    /// The regular expression that stood at `start`.
    fn expression(&mut self, text: String, start: usize) -> Result<Expression, SelectorError> {
        self.expressions += 1;
        if self.expressions > MAX_EXPRESSIONS {
            return Err(self.error_at(
                start,
                format!("at most {MAX_EXPRESSIONS} regular expressions are allowed"),
            ));
        }
        let regex = anchored(&text).map_err(|e| self.error_at(start, e.to_string()))?;
        Ok(Expression { text, regex })
    }

    fn quoted(&mut self, unknown: Unknown) -> Result<String, SelectorError> {
        let start = self.at;
        let quote = match self.peek() {
            Some(c @ ('"' | '\'' | '`')) => c,
            _ => return Err(self.expected("a quoted value")),
        };
        self.bump();
        let mut value = Unquoted::default();
        loop {
            let at = self.at;
            match self.bump() {
                Some(c) if c == quote => break,
                Some('\\') if quote != '`' && self.peek().is_some() => {
                    self.at = value
                        .escape(self.text, at, unknown)
                        .map_err(|problem| self.error_at(at, problem))?;
                }
                Some('\\') if quote != '`' => return Err(self.unclosed(quote, start)),
                Some(c) => value.push(c),
                None => return Err(self.unclosed(quote, start)),
            }
        }
        value
            .text()
            .map_err(|at| self.error_at(at, "these bytes are not UTF-8".to_owned()))
    }

    fn unclosed(&self, quote: char, start: usize) -> SelectorError {
        self.error_at(start, format!("this {quote} is never closed"))
    }

    fn blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let taken = &rest[..rest.find(|c| !wanted(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
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
        let found = self
            .peek()
            .map_or("the end".to_owned(), |c| format!("{c:?}"));
        self.error(format!("expected {what}, found {found}"))
    }

    fn error(&self, problem: String) -> SelectorError {
        self.error_at(self.at, problem)
    }

    fn error_at(&self, at: usize, problem: String) -> SelectorError {
        SelectorError {
            column: self.text[..at].chars().count() + 1,
            problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> SelectorError {
        Selector::parse(text).expect_err(text)
    }

    /// A selector, a caret below the character that is wrong, and what is said of it.
    fn check(drawn: &str) {
        let [text, caret] = drawn.lines().collect::<Vec<_>>()[..] else {
            panic!("two lines: {drawn}")
        };
        let error = refused(text);
        let pointing = format!("{}^ {}", " ".repeat(error.column - 1), error.problem);
        assert_eq!(pointing, caret, "for {text}");
    }

    #[test]
    fn errors_point_at_the_column() {
        check("{a}\n  ^ expected one of = != =~ !~, found '}'");
        check("{a\n  ^ expected one of = != =~ !~, found the end");
        check("{\"ä\"ß\n    ^ expected one of = != =~ !~, found 'ß'");
        check("{a!\"b\"}\n  ^ expected one of = != =~ !~, found '!'");
        check("{a=b}\n   ^ expected a quoted value, found 'b'");
        check("{a= \n    ^ expected a quoted value, found the end");
        check("{ä=\"b\n   ^ this \" is never closed");
        check("{ä='b\\\n   ^ this ' is never closed");
        check("{`ä=\"b\"}\n ^ this ` is never closed");
        check("{a=\"b\" c=\"d\"}\n       ^ expected ',' or '}', found 'c'");
        check("{a=\"b\"\n      ^ expected ',' or '}', found the end");
        check("{\n ^ expected a label name or '}', found the end");
        check("{a=\"b\",,}\n       ^ expected a label name or '}', found ','");
        check("{ =\"b\"}\n  ^ expected a label name or '}', found '='");
        check("{\"\"=\"b\"}\n ^ expected a label name or '}', found '\"'");
        check("{} x\n   ^ expected the end, found 'x'");
        check("shop cpu\n     ^ expected the end, found 'c'");
        check("é!p{}\n ^ expected an application name of letters, digits and _.-/, found '!'");
        check("=x{}\n^ expected a profile type, an application or '{', found '='");
        check(
            "  a:b{}\n  ^ profile type \"a:b\" is not of the form name:type:unit:period_type:period_unit",
        );
        check("{é=~\"(\"}\n    ^ invalid regular expression: found open group without closing ')'");
        check("{é=\"\\n\\.\"}\n      ^ \\. is not an escape; write a backslash as \\\\");
        check("{é!='\\x4g'}\n     ^ incomplete escape \\x: it needs 2 hexadecimal digits");
        check("{é='\\u12é4'}\n    ^ incomplete escape \\u: it needs 4 hexadecimal digits");
        check("{é='\\18'}\n    ^ incomplete escape \\1: it needs 3 octal digits");
        check("{é='\\400'}\n    ^ \\400 is not a character");
        check("{é='\\ud800'}\n    ^ \\ud800 is not a character");
        check("{é='\\U00110000'}\n    ^ \\U00110000 is not a character");
        check("{é='é\\xc3\\xa9\\xc3.'}\n             ^ these bytes are not UTF-8");
        check("{é=~'\\303'}\n     ^ these bytes are not UTF-8");
        check("{'\\d'='x'}\n  ^ \\d is not an escape; write a backslash as \\\\");
        check(
            "{é!~ 'a)(b'}\n     ^ invalid regular expression: found closing ')' without matching '('",
        );
    }

    #[test]
    fn limits() {
        let check = |text: &str, column: usize, problem: &str| {
            let error = refused(text);
            assert_eq!((error.column, error.problem.as_str()), (column, problem));
        };
        let of_length = |length: usize| format!("{{a=\"{}\"}}", "x".repeat(length - 6));
        assert!(Selector::parse(&of_length(MAX_SELECTOR)).is_ok());
        check(
            &of_length(MAX_SELECTOR + 1),
            1,
            "the selector has 8193 bytes; at most 8192 are allowed",
        );
        let of = |matcher: &str, count: usize| format!("{{{}}}", vec![matcher; count].join(","));
        assert!(Selector::parse(&of("a=''", MAX_MATCHERS)).is_ok());
        check(
            &of("a=''", MAX_MATCHERS + 1),
            5 * MAX_MATCHERS + 2,
            "at most 64 matchers are allowed",
        );
        assert!(Selector::parse(&of("a=~''", MAX_EXPRESSIONS)).is_ok());
        check(
            &of("a=~''", MAX_EXPRESSIONS + 1),
            6 * MAX_EXPRESSIONS + 5,
            "at most 16 regular expressions are allowed",
        );
    }
}
