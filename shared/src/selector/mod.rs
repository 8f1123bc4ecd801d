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
mod sample_selector;
mod series_labels;
mod span_selector;

use std::fmt;

use regex_lite::Regex;
use thiserror::Error;

use crate::model::labels::{Labels, SERVICE_NAME};
use crate::model::profile_type::{ProfileType, ProfileTypeError};
use crate::selector::regex::anchored;
use application::Application;
use quoting::{is_name_character, quoted};
pub use sample_selector::{ProfileIds, SampleSelector};
use series_labels::PROFILE_TYPE;
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

/// Why selectors don't select exactly one profile type.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OneTypeError {
    /// None of them names one, or they name several.
    #[error("exactly one profile type must be given as __profile_type__=\"…\"; found {0}")]
    Count(usize),
    /// One begins with an application.
    #[error("{0:?} must be a matcher in braces, like {{service_name={0:?}}}")]
    Application(String),
    /// What they name isn't a profile type.
    #[error(transparent)]
    Type(#[from] ProfileTypeError),
    /// Together they are longer than a selector may be.
    #[error(transparent)]
    Selector(#[from] SelectorError),
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

    /// Whether the matchers select labels that aren't those of profiles, such as a metric's.
    /// `value` returns the value of a label, empty if it is missing; profile type and application
    /// don't count.
    pub fn matches_labels<'a>(&self, value: impl Fn(&str) -> &'a str) -> bool {
        let mut matchers = self.matchers.iter();
        matchers.all(|m| m.test.passes(value(&m.name)))
    }

    /// Names, operators and values of its matchers.
    pub fn matchers(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.matchers.iter().map(|Matcher { name, test }| {
            let (operator, value) = test.parts();
            (name.as_str(), operator, value)
        })
    }

    /// Whether the matchers of this label select a value; those of other labels don't count.
    pub fn allows(&self, name: &str, value: &str) -> bool {
        let mut matchers = self.matchers.iter().filter(|m| m.name == name);
        matchers.all(|m| m.test.passes(value))
    }

    /// The same of one service only. Fails where that is longer than a selector may be.
    pub fn of_service(mut self, service: &str) -> Result<Self, SelectorError> {
        self.matchers.push(Matcher {
            name: SERVICE_NAME.to_owned(),
            test: Test::Equal(service.to_owned()),
        });
        // Parts of a query are asked for by what is printed.
        Self::parse_printed(&self.to_string())
    }

    /// What all of these select, and the profile type that one of them names as `__profile_type__` or
    /// before its braces. Fails where they name none or several, or where one names an application:
    /// its text depends on the type.
    pub fn of_one_type(selectors: Vec<Self>) -> Result<(Self, ProfileType), OneTypeError> {
        let (mut types, mut matchers) = (Vec::new(), Vec::new());
        for selector in selectors {
            if let Some(application) = selector.application {
                return Err(OneTypeError::Application(application.name().to_owned()));
            }
            types.extend(selector.profile_type.map(|t| t.to_string()));
            for matcher in selector.matchers {
                match matcher.test {
                    Test::Equal(text) if matcher.name == PROFILE_TYPE => types.push(text),
                    _ => matchers.push(matcher),
                }
            }
        }
        types.dedup();
        let [text] = types.as_slice() else {
            return Err(OneTypeError::Count(types.len()));
        };
        let joined = Self {
            matchers,
            ..Self::default()
        };
        let joined = Self::parse(&joined.to_string())?;
        Ok((joined, text.parse()?))
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
mod tests;
