//! The supported part of PromQL: an instant selector, or `sum_over_time` or `avg_over_time` of a
//! range selector; `sum` of these, overall or `by` labels; multiplied or divided by numbers. And
//! sums of numbers, because Grafana queries `1+1` to test a data source.
//!
//! ```text
//! query      = number { "+" number } | sum { ("*" | "/") number }
//! sum        = "sum" [ by ] "(" sum ")" [ by ] | "(" sum ")" | range | selector
//! by         = "by" "(" [ label { "," label } ] ")"
//! range      = ( "sum_over_time" | "avg_over_time" ) "(" selector "[" duration "]" ")"
//! selector   = [ metric name ] [ "{" matchers "}" ]
//! ```

use std::collections::BTreeMap;

use pilotlight_core::Selector;

use super::time::duration;
use crate::platform::errors::Problem;

/// The label with a metric's name. If the name has a colon, our selector parser turns a matcher of
/// it into one of the profile type.
pub(super) const NAME: &str = "__name__";
const TYPE: &str = "__profile_type__";

/// What a query asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Query {
    Number(f64),
    Series(Box<Expression>),
}

/// A query of series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    pub(super) selector: MetricSelector,
    /// Which points make a value.
    pub(super) over: Over,
    /// The labels that `sum` groups by; `None` without `sum`.
    pub(super) by: Option<Vec<String>>,
    /// Values are multiplied by this.
    pub(super) factor: f64,
    /// Whether the query has a factor: then series lose the metric's name, as in Prometheus.
    pub(super) is_scaled: bool,
}

/// Which points make a value. Windows are in milliseconds and end at the value's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The latest point.
    Latest,
    /// The sum of the points of a window.
    Sum(i64),
    /// Their average.
    Average(i64),
}

/// Which series of which metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MetricSelector {
    name: Option<String>,
    labels: Selector,
}

impl MetricSelector {
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let mut parser = Parser::new(text);
        let selector = parser.selector()?;
        parser.end()?;
        Ok(selector)
    }

    /// Whether the metric's name is selected. Its series still have to match by their labels.
    pub(super) fn is_of(&self, metric: &str) -> bool {
        self.name.as_ref().is_none_or(|name| name == metric)
            && [NAME, TYPE]
                .iter()
                .all(|name| self.labels.allows(name, metric))
    }

    /// Whether a series of a metric is selected.
    pub(super) fn matches(&self, metric: &str, labels: &BTreeMap<String, String>) -> bool {
        let value = |name: &str| match name {
            NAME | TYPE => metric,
            name => labels.get(name).map_or("", String::as_str),
        };
        self.name.as_ref().is_none_or(|name| name == metric) && self.labels.matches_labels(value)
    }
}

impl Query {
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let mut parser = Parser::new(text);
        let query = match parser.number() {
            Some(mut sum) => {
                while parser.take("+") {
                    sum += parser.number().ok_or_else(|| parser.wrong("a number"))?;
                }
                Self::Number(sum)
            }
            None => Self::Series(parser.scaled()?.into()),
        };
        parser.end()?;
        Ok(query)
    }
}

/// How deep parentheses may be.
const MAX_DEPTH: usize = 16;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Problem> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.wrong(&format!("{token:?}")))
    }

    fn end(&mut self) -> Result<(), Problem> {
        if self.rest().is_empty() {
            return Ok(());
        }
        Err(self.wrong("the end of the query"))
    }

    /// An error: something else was expected here.
    fn wrong(&self, expected: &str) -> Problem {
        let column = self.text[..self.at].chars().count() + 1;
        Problem::invalid(format!(
            "query, column {column}: expected {expected}. Supported are NAME{{…}}, sum_over_time(NAME{{…}}[5m]), avg_over_time, sum and sum by (…) of these, and * and / with numbers"
        ))
    }

    /// A word of letters, digits, underscores and colons.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// Takes this word if one of `next` follows it: a metric may have the name of a function.
    fn keyword(&mut self, word: &str, next: &[&str]) -> bool {
        let at = self.at;
        let found = self.word() == word && {
            let rest = self.rest();
            next.iter().any(|token| rest.starts_with(token))
        };
        if !found {
            self.at = at;
        }
        found
    }

    fn number(&mut self) -> Option<f64> {
        let rest = self.rest();
        let ends = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E'));
        let mut end = rest.find(ends).unwrap_or(rest.len());
        // An exponent may have a sign.
        if rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['+', '-']) {
            let exponent = &rest[end + 1..];
            end += 1 + exponent.find(ends).unwrap_or(exponent.len());
        }
        let number: f64 = rest[..end].parse().ok()?;
        self.at += end;
        Some(number)
    }

    fn scaled(&mut self) -> Result<Expression, Problem> {
        let mut expression = self.sum()?;
        loop {
            let divides = self.take("/");
            if !divides && !self.take("*") {
                return Ok(expression);
            }
            let number = self.number().ok_or_else(|| self.wrong("a number"))?;
            expression.is_scaled = true;
            match divides {
                true => expression.factor /= number,
                false => expression.factor *= number,
            }
        }
    }

    fn sum(&mut self) -> Result<Expression, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("fewer parentheses"));
        }
        if self.keyword("sum", &["(", "by"]) {
            let before = self.by()?;
            self.expect("(")?;
            let mut inner = self.scaled()?;
            self.expect(")")?;
            let by = match before {
                Some(by) => by,
                None => self.by()?.unwrap_or_default(),
            };
            // A sum has only the labels that it was grouped by.
            let left = |name: &String| inner.by.as_ref().is_none_or(|inner| inner.contains(name));
            inner.by = Some(by.into_iter().filter(left).collect());
            return Ok(inner);
        }
        if self.take("(") {
            let inner = self.scaled()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let sums = self.keyword("sum_over_time", &["("]);
        let averages = !sums && self.keyword("avg_over_time", &["("]);
        if sums || averages {
            self.expect("(")?;
        }
        let selector = self.selector()?;
        let over = match sums || averages {
            false => Over::Latest,
            true => {
                self.expect("[")?;
                let window = self.word();
                let window = duration(window)
                    .filter(|&millis| millis > 0)
                    .ok_or_else(|| self.wrong("a duration, such as 5m, before this"))?;
                self.expect("]")?;
                self.expect(")")?;
                match sums {
                    true => Over::Sum(window),
                    false => Over::Average(window),
                }
            }
        };
        Ok(Expression {
            selector,
            over,
            by: None,
            factor: 1.0,
            is_scaled: false,
        })
    }

    fn by(&mut self) -> Result<Option<Vec<String>>, Problem> {
        if !self.keyword("by", &["("]) {
            return Ok(None);
        }
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.take(")") {
            let name = self.word();
            if name.is_empty() {
                return Err(self.wrong("the name of a label"));
            }
            names.push(name.to_owned());
            if !self.take(",") && !self.rest().starts_with(')') {
                return Err(self.wrong("\",\" or \")\""));
            }
        }
        Ok(Some(names))
    }

    fn selector(&mut self) -> Result<MetricSelector, Problem> {
        let name = self.word();
        let name = (!name.is_empty()).then(|| name.to_owned());
        let rest = self.rest();
        if !rest.starts_with('{') {
            if name.is_none() {
                return Err(self.wrong("a metric"));
            }
            let labels = Selector::default();
            return Ok(MetricSelector { name, labels });
        }
        let end = closing_brace(rest).ok_or_else(|| self.wrong("a closing brace after this"))?;
        let labels = Selector::parse(&rest[..=end]).map_err(Problem::invalid)?;
        self.at += end + 1;
        Ok(MetricSelector { name, labels })
    }
}

/// The place of the brace that closes the one at the beginning. Braces in quotes don't count.
fn closing_brace(text: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some('"' | '\'') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if c == '}' => return Some(at),
            None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
