//! Selectors of series: `type{name="value", other=~"a|b"}` as in PromQL, `app{…}` as in FlameQL.
//!
//! Grammar: an optional head, then optional matchers in braces.
//!
//! - A head with colons is a profile type id and selects that type.
//! - A head without colons is an application. `shop` selects what has that `service_name`. Where its last segment names what
//!   is measured, as in `shop.cpu`, it selects that type of the service `shop`, and anything of a service `shop.cpu`.
//! - Values are double-quoted (`\"`, `\\`, `\n`, `\t` inside) or in single quotes or backticks; names may be quoted when they
//!   hold unusual characters. A label that a series lacks counts as empty.
//! - Regular expressions are anchored at both ends. A match takes time in proportion to the value times the expression's
//!   size, and both are capped.

mod application;
mod parse;

use std::fmt;

use regex_lite::Regex;
use thiserror::Error;

use crate::labels::{Labels, SERVICE_NAME};
use crate::profile_type::ProfileType;
use application::Application;
use parse::{ESCAPES, is_name_character};

/// The pseudo-label by which a selector names the profile type.
const PROFILE_TYPE: &str = "__profile_type__";

/// A parsed selector. Its text form parses to an equal one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selector {
    /// The profile type, when one stands before the braces.
    pub profile_type: Option<ProfileType>,
    application: Option<Application>,
    matchers: Vec<Matcher>,
}

#[derive(Clone, Debug, PartialEq)]
struct Matcher {
    name: String,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Equal(String),
    NotEqual(String),
    Match(Expression),
    NotMatch(Expression),
}

/// A regular expression and the text it was made from.
#[derive(Clone, Debug)]
struct Expression {
    text: String,
    regex: Regex,
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
        parse::selector(text)
    }

    /// Whether a series with these labels is selected.
    pub fn matches(&self, profile_type: &ProfileType, labels: &Labels) -> bool {
        self.profile_type.as_ref().is_none_or(|t| t == profile_type)
            && self.application.as_ref().is_none_or(|a| a.matches(profile_type, labels))
            && self.matchers.iter().all(|m| match m.name.as_str() {
                PROFILE_TYPE => m.test.passes(&profile_type.to_string()),
                "__name__" => m.test.passes(&profile_type.name),
                "__service_name__" => m.test.passes(labels.get(SERVICE_NAME).unwrap_or("")),
                name => m.test.passes(labels.get(name).unwrap_or("")),
            })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(profile_type) = &self.profile_type {
            write!(f, "{profile_type}")?;
        }
        if let Some(application) = &self.application {
            f.write_str(application.name())?;
        }
        f.write_str("{")?;
        for (i, Matcher { name, test }) in self.matchers.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            if name.chars().all(is_name_character) {
                f.write_str(name)?
            } else {
                quoted(f, name)?
            }
            let (operator, value) = test.parts();
            f.write_str(operator)?;
            quoted(f, value)?;
        }
        f.write_str("}")
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match ESCAPES.iter().find(|(_, plain)| *plain == c && c != '\'') {
            Some((letter, _)) => write!(f, "\\{letter}")?,
            None => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

impl Test {
    fn passes(&self, value: &str) -> bool {
        match self {
            Self::Equal(text) => text == value,
            Self::NotEqual(text) => text != value,
            Self::Match(expression) => expression.regex.is_match(value),
            Self::NotMatch(expression) => !expression.regex.is_match(value),
        }
    }

    /// Operator and value as they are written.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Equal(text) => ("=", text),
            Self::NotEqual(text) => ("!=", text),
            Self::Match(expression) => ("=~", &expression.text),
            Self::NotMatch(expression) => ("!~", &expression.text),
        }
    }
}

impl PartialEq for Test {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    fn selects_of(profile_type: &str, selector: &str, name: &str) -> bool {
        let labels = crate::labels::parse_name(name).unwrap();
        Selector::parse(selector).unwrap().matches(&profile_type.parse().unwrap(), &labels)
    }

    fn selects(selector: &str, name: &str) -> bool {
        selects_of(CPU, selector, name)
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
        assert!(selects(&format!(r#"{CPU}{{region="eu"}}"#), "app{region=eu}"));
        assert!(!selects("memory:alloc_space:bytes:space:bytes{}", "app"));
        assert!(selects(r#"{__profile_type__=~"process_cpu:.*", __name__="process_cpu"}"#, "app"));
        assert!(selects(r#"{v="a\"b"}"#, "app{v=a\"b}"));
    }

    #[test]
    fn an_application_is_a_service() {
        assert!(selects("shop", "shop"));
        assert!(selects("shop{}", "shop"));
        assert!(selects(" shop.front-end/v2_1 { } ", "shop.front-end/v2_1"));
        assert!(!selects("shop", "shop.cpu"));
        assert!(!selects("shop", "shopping"));
        assert!(selects(r#"shop{region="eu",pod=~"a.*"}"#, "shop{region=eu,pod=a1}"));
        assert!(!selects(r#"shop{region="eu"}"#, "shop{region=us}"));
        assert!(!selects(r#"shop{service_name="other"}"#, "shop"), "both must hold");
        assert!(selects("shop", "x{service_name=shop}"), "a label wins over the name of the push");
    }

    #[test]
    fn an_application_may_end_in_what_is_measured() {
        let check = |selector: &str, profile_type: &str, name: &str, expect: bool| {
            assert_eq!(selects_of(profile_type, selector, name), expect, "{selector} of {name}, {profile_type}");
        };
        check("shop.cpu{}", CPU, "shop", true);
        check("shop.cpu{}", "process_cpu:samples:count:cpu:nanoseconds", "shop", true);
        check("shop.cpu{}", "wall:wall:nanoseconds:cpu:nanoseconds", "shop", false);
        check("shop.cpu{}", "wall:wall:nanoseconds:cpu:nanoseconds", "shop.cpu", true);
        check("shop.cpu{}", CPU, "shop.cpu", true);
        check("shop.cpu{}", CPU, "cpu", false);
        check("shop.cpu.cpu{}", CPU, "shop.cpu", true);
        check("shop.frontend.cpu", CPU, "shop.frontend", true);
        check("shop.frontend.cpu", CPU, "shop", false);
        check("shop.itimer", CPU, "shop", true);
        check("shop.wall", "wall:wall:nanoseconds:cpu:nanoseconds", "shop", true);
        check("shop.alloc_space", "memory:alloc_space:bytes:space:bytes", "shop", true);
        check("shop.alloc_space", "memory:alloc_objects:count:space:bytes", "shop", false);
        check("shop.inuse_objects", "memory:inuse_objects:count::", "shop", true);
        check("shop.goroutines", "goroutines:goroutine:count:goroutine:count", "shop", true);
        check("shop.goroutines", "goroutine:goroutines:count::", "shop", true);
        check("shop.mutex_duration", "mutex:delay:nanoseconds:contentions:count", "shop", true);
        check("shop.mutex_duration", "block:delay:nanoseconds:contentions:count", "shop", false);
        check("shop.lock_count", "block:contentions:count::", "shop", true);
        check("cpu", CPU, "cpu", true);
        check(".cpu", CPU, "app", false);
        check("shop.pears", CPU, "shop", false);
    }

    #[test]
    fn text_form() {
        let check = |text: &str, expect: &str| {
            let selector = Selector::parse(text).unwrap();
            assert_eq!(selector.to_string(), expect);
            assert_eq!(Selector::parse(expect).unwrap(), selector);
        };
        check("", "{}");
        check(" shop.cpu ", "shop.cpu{}");
        check(&format!("{CPU} {{ }}"), &format!("{CPU}{{}}"));
        check("{a='x',b!=\"y\" , c =~ `\\d` ,d!~'',}", r#"{a="x", b!="y", c=~"\\d", d!~""}"#);
        check("{\"a b\"='\"'}", r#"{"a b"="\""}"#);
        check(r#"{a="it's\n\t\\ \.é"}"#, r#"{a="it's\n\t\\ \\.é"}"#);
        assert_ne!(Selector::parse("{a=\"x\"}"), Selector::parse("{a=~\"x\"}"));
    }
}
