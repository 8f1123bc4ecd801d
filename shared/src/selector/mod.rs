//! Selectors of series: `type{name="value", other=~"a|b"}` as in PromQL, `app{…}` as in FlameQL.
//!
//! Grammar: an optional head, then optional matchers in braces.
//!
//! - A head with colons is a profile type id and selects that type.
//! - A head without colons is an application. `shop` selects what has that `service_name`. Where
//!   its last segment names what is measured, as in `shop.cpu`, it selects that type of the service
//!   `shop`, and anything of a service `shop.cpu`.
//! - Values stand in double or single quotes, with PromQL's escapes, or in backticks; names may be
//!   quoted when they hold unusual characters. A label that a series lacks counts as empty, and the
//!   parts of the profile type are labels, too.
//! - Regular expressions are RE2's and anchored at both ends; in quotes, escapes that PromQL does
//!   not know are left to them. A match takes time in proportion to the value times the
//!   expression's size, and both are capped.

mod application;
mod parse;
mod quoting;
pub(crate) mod regex;
mod series_labels;
mod span_selector;

use std::fmt;

use regex_lite::Regex;
use thiserror::Error;

use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::selector::regex::anchored;
use application::Application;
use quoting::{is_name_character, quoted};
pub use series_labels::{TYPE_LABELS, label_of};
pub use span_selector::SpanSelector;

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

/// What is wrong with the regular expression of a matcher, if anything: what [`Selector::parse`]
/// would say of it.
pub fn expression_problem(expression: &str) -> Option<String> {
    anchored(expression).err().map(|error| error.to_string())
}

impl Selector {
    /// Whether a series with these labels is selected.
    pub fn matches(&self, profile_type: &ProfileType, labels: &Labels) -> bool {
        self.profile_type.as_ref().is_none_or(|t| t == profile_type)
            && self
                .application
                .as_ref()
                .is_none_or(|a| a.matches(profile_type, labels))
            && self
                .matchers
                .iter()
                .all(|m| m.test.passes(&label_of(&m.name, profile_type, labels)))
    }

    /// A label that this asks for and no series can have: names with two underscores in front are
    /// the server's own, and this is none of them. Such a label is empty everywhere, so `!=`
    /// selects everything, which a deletion cannot mean.
    pub fn unknown_label(&self) -> Option<&str> {
        let mut names = self.matchers.iter().map(|m| m.name.as_str());
        names.find(|name| name.starts_with("__") && !TYPE_LABELS.contains(name))
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
    use super::parse::MAX_SELECTOR;
    use super::*;

    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    fn selects_of(profile_type: &str, selector: &str, name: &str) -> bool {
        let labels = crate::model::labels::parse_name(name).unwrap();
        Selector::parse(selector)
            .unwrap()
            .matches(&profile_type.parse().unwrap(), &labels)
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
        assert!(
            !selects(r#"{service_name=~"a."}"#, "app"),
            "regular expressions are anchored"
        );
        assert!(
            !selects(r#"{service_name=~"x|ap"}"#, "app"),
            "an alternative is anchored as a whole"
        );
        assert!(selects(
            r#"{service_name!~"b.*", region != "us",}"#,
            "app{region=eu}"
        ));
        assert!(
            selects(r#"{missing=""}"#, "app"),
            "a label that is not there is empty"
        );
        assert!(selects(
            "{'otel.scope.name'=`go`, otel.scope.name=\"go\"}",
            "app{otel.scope.name=go}"
        ));
        assert!(selects(
            &format!(r#"{CPU}{{region="eu"}}"#),
            "app{region=eu}"
        ));
        assert!(!selects("memory:alloc_space:bytes:space:bytes{}", "app"));
        assert!(selects(
            r#"{__profile_type__=~"process_cpu:.*", __name__="process_cpu"}"#,
            "app"
        ));
        assert!(selects(r#"{v="a\"b"}"#, "app{v=a\"b}"));
    }

    #[test]
    fn the_parts_of_the_type_are_labels() {
        let check = |selector: &str, profile_type: &str, expect: bool| {
            assert_eq!(
                selects_of(profile_type, selector, "app"),
                expect,
                "{selector} of {profile_type}"
            );
        };
        let memory = "memory:alloc_space:bytes::";
        let both = |selector: &str, of_cpu: bool, of_memory: bool| {
            check(selector, CPU, of_cpu);
            check(selector, memory, of_memory);
        };
        both(r#"{__type__="cpu"}"#, true, false);
        both(r#"{__type__!="cpu"}"#, false, true);
        both(r#"{__unit__=~"nano.*"}"#, true, false);
        both(r#"{__unit__!~"nano.*"}"#, false, true);
        both(r#"{__period_type__="cpu"}"#, true, false);
        both(r#"{__period_type__=""}"#, false, true);
        both(r#"{__period_unit__!="nanoseconds"}"#, false, true);
        both(r#"{__name__="memory"}"#, false, true);
        both(r#"{__service_name__!="app"}"#, false, false);
        both(
            r#"{__profile_type__="memory:alloc_space:bytes::"}"#,
            false,
            true,
        );
        both(r#"{__name__="memory:alloc_space:bytes::"}"#, false, true);
        both(r#"{__name__!="memory:alloc_space:bytes::"}"#, true, false);
        // Nobody has it, so it is empty.
        both(r#"{__session_id__="1"}"#, false, false);
        both(r#"{__session_id__!="1"}"#, true, true);
        let unknown = |text: &str| {
            Selector::parse(text)
                .unwrap()
                .unknown_label()
                .map(str::to_owned)
        };
        assert_eq!(
            unknown(r#"{a="b", __session_id__!="1"}"#).as_deref(),
            Some("__session_id__")
        );
        assert_eq!(unknown(r#"{_="", __type__="x"}"#), None);
        TYPE_LABELS
            .iter()
            .for_each(|name| assert_eq!(unknown(&format!("{{{name}=''}}")), None));
    }

    #[test]
    fn escapes_are_those_of_promql() {
        let check = |selector: &str, value: &str| {
            let labels = Labels::new(vec![("k".to_owned(), value.to_owned())]).unwrap();
            for (operator, expect) in [("=", true), ("!=", false)] {
                let selector = Selector::parse(&format!("{{k{operator}{selector}}}")).unwrap();
                assert_eq!(
                    selector.matches(&CPU.parse().unwrap(), &labels),
                    expect,
                    "{selector}"
                );
            }
        };
        check(r#""a\x62c""#, "abc");
        check(r#""\a\b\f\n\r\t\v\\\'\"""#, "\x07\x08\x0C\n\r\t\x0B\\'\"");
        check(r#"'\a\b\f\n\r\t\v\\\'\"'"#, "\x07\x08\x0C\n\r\t\x0B\\'\"");
        check(r#""\101\000\x7F""#, "A\0\x7F");
        check(r#""\u00e9\U0001F600é""#, "é😀é");
        check(r#""\xc3\xa9\303\251\xF0\x9f\230\x80""#, "éé😀");
        check(r"`a\x62\n\`", r"a\x62\n\");
    }

    #[test]
    fn regular_expressions_keep_what_is_no_escape_of_promql() {
        let check = |expression: &str, matching: &[&str], others: &[&str]| {
            for (values, expect) in [(matching, true), (others, false)] {
                for &value in values {
                    let labels = Labels::new(vec![("k".to_owned(), value.to_owned())]).unwrap();
                    let passes = |operator: &str| {
                        let text = format!("{{k{operator}{expression}}}");
                        Selector::parse(&text)
                            .unwrap()
                            .matches(&CPU.parse().unwrap(), &labels)
                    };
                    assert_eq!(
                        (passes("=~"), passes("!~")),
                        (expect, !expect),
                        "{expression} on {value:?}"
                    );
                }
            }
        };
        check(r#""a\.b\d+""#, &["a.b17"], &["axb1", "a.b"]);
        check(r#"'a\.b\d+'"#, &["a.b17"], &["axb1", "a.b"]);
        check(r#""a\\.b""#, &["a.b"], &["axb"]);
        // PromQL: a backspace.
        check(r#"".*\bgo\b.*""#, &["go", "to go home"], &["ago", "gone"]);
        check(r#""a\x08""#, &["a\x08"], &["a"]);
        // The value is unquoted first, as in PromQL: this dot is any character, the other one a
        // dot.
        check(r#""a\x2eb""#, &["a.b", "axb"], &["ab"]);
        check(r"`a\x2eb`", &["a.b"], &["axb"]);
        check(r#""\u00e9\U000000e9\xc3\xa9\303\251""#, &["éééé"], &["e"]);
        check(r"`\xe9\x{e9}\u00e9`", &["ééé"], &[]);
        check(r#""\x{e9}""#, &["é"], &[]);
        check(r#""\Qa.b\E+""#, &["a.b", "a.bb"], &["axb"]);
        check(r#""\101""#, &["A"], &["101"]);
    }

    #[test]
    fn an_application_is_a_service() {
        assert!(selects("shop", "shop"));
        assert!(selects("shop{}", "shop"));
        assert!(selects(" shop.front-end/v2_1 { } ", "shop.front-end/v2_1"));
        assert!(!selects("shop", "shop.cpu"));
        assert!(!selects("shop", "shopping"));
        assert!(selects(
            r#"shop{region="eu",pod=~"a.*"}"#,
            "shop{region=eu,pod=a1}"
        ));
        assert!(!selects(r#"shop{region="eu"}"#, "shop{region=us}"));
        assert!(
            !selects(r#"shop{service_name="other"}"#, "shop"),
            "both must hold"
        );
        assert!(
            selects("shop", "x{service_name=shop}"),
            "a label wins over the name of the push"
        );
    }

    #[test]
    fn an_application_may_end_in_what_is_measured() {
        let check = |selector: &str, profile_type: &str, name: &str, expect: bool| {
            assert_eq!(
                selects_of(profile_type, selector, name),
                expect,
                "{selector} of {name}, {profile_type}"
            );
        };
        check("shop.cpu{}", CPU, "shop", true);
        check(
            "shop.cpu{}",
            "process_cpu:samples:count:cpu:nanoseconds",
            "shop",
            true,
        );
        check(
            "shop.cpu{}",
            "wall:wall:nanoseconds:cpu:nanoseconds",
            "shop",
            false,
        );
        check(
            "shop.cpu{}",
            "wall:wall:nanoseconds:cpu:nanoseconds",
            "shop.cpu",
            true,
        );
        check("shop.cpu{}", CPU, "shop.cpu", true);
        check("shop.cpu{}", CPU, "cpu", false);
        check("shop.cpu.cpu{}", CPU, "shop.cpu", true);
        check("shop.frontend.cpu", CPU, "shop.frontend", true);
        check("shop.frontend.cpu", CPU, "shop", false);
        check("shop.itimer", CPU, "shop", true);
        check(
            "shop.wall",
            "wall:wall:nanoseconds:cpu:nanoseconds",
            "shop",
            true,
        );
        check(
            "shop.alloc_space",
            "memory:alloc_space:bytes:space:bytes",
            "shop",
            true,
        );
        check(
            "shop.alloc_space",
            "memory:alloc_objects:count:space:bytes",
            "shop",
            false,
        );
        check(
            "shop.inuse_objects",
            "memory:inuse_objects:count::",
            "shop",
            true,
        );
        check(
            "shop.goroutines",
            "goroutines:goroutine:count:goroutine:count",
            "shop",
            true,
        );
        check(
            "shop.goroutines",
            "goroutine:goroutines:count::",
            "shop",
            true,
        );
        check(
            "shop.mutex_duration",
            "mutex:delay:nanoseconds:contentions:count",
            "shop",
            true,
        );
        check(
            "shop.mutex_duration",
            "block:delay:nanoseconds:contentions:count",
            "shop",
            false,
        );
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
        check(
            "{a='x',b!=\"y\" , c =~ `\\d` ,d!~'',}",
            r#"{a="x", b!="y", c=~"\\d", d!~""}"#,
        );
        check("{\"a b\"='\"'}", r#"{"a b"="\""}"#);
        check(r#"{a=~"it's\n\t\\ \.é"}"#, r#"{a=~"it's\n\t\\ \\.é"}"#);
        check(r#"{"\x61\142"="\a\\\u00e9"}"#, "{ab=\"\x07\\\\é\"}");
        check(
            &format!("{{__name__='{CPU}',__name__!=`a:b`}}"),
            &format!("{{__profile_type__=\"{CPU}\", __profile_type__!=\"a:b\"}}"),
        );
        check(
            "{__name__='a',__name__=~'(?:a)'}",
            r#"{__name__="a", __name__=~"(?:a)"}"#,
        );
        let longest =
            Selector::parse(&format!("{{a=`{}`}}", "\\".repeat(MAX_SELECTOR - 6))).unwrap();
        assert_eq!(Selector::parse_printed(&longest.to_string()), Ok(longest));
        assert_ne!(Selector::parse("{a=\"x\"}"), Selector::parse("{a=~\"x\"}"));
    }
}
