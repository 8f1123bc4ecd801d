//! The query string of a request, and what its parameters mean.

use pilotlight_core::{TimeRange, UnixNanos, parse_time};
use worker::Request;

use crate::platform::clock;
use crate::platform::errors::Problem;

/// The query string as it came, without the question mark.
pub(crate) fn raw_query(request: &Request) -> String {
    let url = request.inner().url();
    let url = url.split('#').next().unwrap_or("");
    url.split_once('?')
        .map_or("", |(_, query)| query)
        .to_owned()
}

/// The parameters of a query string.
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
    now: UnixNanos,
}

impl Parameters {
    pub(crate) fn of(request: &Request) -> Self {
        Self::parse(&raw_query(request), clock::now())
    }

    pub(crate) fn parse(query: &str, now: UnixNanos) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        Self::new(pairs.collect(), now)
    }

    /// Of names and values that were given in another way.
    pub(crate) fn new(pairs: Vec<(String, String)>, now: UnixNanos) -> Self {
        Self { pairs, now }
    }

    /// The names of all parameters, as often as they were given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| name.as_str())
    }

    /// The first value of a parameter, `None` when it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .pairs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str());
        found.filter(|value| !value.is_empty())
    }

    /// All values of a parameter that may come several times, without the empty ones.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.pairs.iter().filter(move |(n, _)| n == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn required(&self, name: &str) -> Result<&str, Problem> {
        self.get(name)
            .ok_or_else(|| Problem::invalid(format!("the query parameter {name:?} is missing")))
    }

    /// A whole number within bounds, `default` when it is missing.
    pub(crate) fn number(
        &self,
        name: &str,
        least: usize,
        most: usize,
        default: usize,
    ) -> Result<usize, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        match text.parse() {
            Ok(value) if (least..=most).contains(&value) => Ok(value),
            _ => Err(Problem::invalid(format!(
                "{name} must be a number from {least} to {most} (got {text:?})"
            ))),
        }
    }

    /// `from` and `until` as our own API has them: milliseconds, relative such as `now-1h`, or as
    /// RFC 3339 writes them. The last hour by default.
    pub(crate) fn range_millis(&self) -> Result<TimeRange, Problem> {
        let hour_ago = self.now.plus(-3_600_000_000_000);
        let default = TimeRange {
            from: hour_ago,
            until: self.now,
        };
        self.range_millis_of("from", "until", default)
    }

    /// The same under other names.
    pub(crate) fn range_millis_of(
        &self,
        from: &str,
        until: &str,
        default: TimeRange,
    ) -> Result<TimeRange, Problem> {
        let time = |text: &str| {
            let millis = text.parse().ok().map(UnixNanos::from_millis);
            let written = || {
                let time: jiff::Timestamp = text.parse().ok()?;
                Some(UnixNanos::from_millis(time.as_millisecond()))
            };
            millis
                .or_else(|| parse_time(text, self.now))
                .or_else(written)
        };
        let parsed = |name, default| {
            let parsed = self.time(name, time, default);
            parsed.map_err(|problem| Problem {
                message: format!(
                    "{}; use now-1h, 2026-11-24T10:00:00Z or milliseconds since 1970",
                    problem.message
                ),
                ..problem
            })
        };
        checked(TimeRange {
            from: parsed(from, default.from)?,
            until: parsed(until, default.until)?,
        })
    }

    /// `from` and `until` as Pyroscope's HTTP API has them; both are now by default.
    pub(crate) fn render_range(&self) -> Result<TimeRange, Problem> {
        self.render_range_of("from", "until")
    }

    /// The same under other names.
    pub(crate) fn render_range_of(&self, from: &str, until: &str) -> Result<TimeRange, Problem> {
        let range = TimeRange {
            from: self.render_time(from)?,
            until: self.render_time(until)?,
        };
        checked(range).map_err(|problem| Problem {
            message: format!("{from} and {until}: {}", problem.message),
            ..problem
        })
    }

    /// The same, with `from` so many nanoseconds ago by default.
    pub(crate) fn render_range_back(&self, nanos: i64) -> Result<TimeRange, Problem> {
        let parse = |text: &str| parse_time(text, self.now);
        checked(TimeRange {
            from: self.time("from", parse, self.now.plus(-nanos))?,
            until: self.render_time("until")?,
        })
    }

    /// The day before `until`.
    pub(crate) fn render_day(&self) -> Result<TimeRange, Problem> {
        let until = self.render_time("until")?;
        let from = until.plus(-86_400_000_000_000);
        Ok(TimeRange { from, until })
    }

    fn render_time(&self, name: &str) -> Result<UnixNanos, Problem> {
        self.time(name, |text| parse_time(text, self.now), self.now)
    }

    fn time(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<UnixNanos>,
        default: UnixNanos,
    ) -> Result<UnixNanos, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        parse(text).ok_or_else(|| Problem::invalid(format!("{name}: {text:?} is not a time")))
    }
}

/// Refuses a time that is a date, or seconds, microseconds or nanoseconds since 1970, where
/// milliseconds are asked for: the answer would be about 1970, or a year far away.
pub(crate) fn check_millis(name: &str, text: &str) -> Result<(), Problem> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let what = match text.len() {
        8 if text.starts_with("20") => "a date",
        9..=10 => "seconds",
        15..=17 => "microseconds",
        18.. => "nanoseconds",
        _ => return Ok(()),
    };
    let message = format!("{name} must be milliseconds (got {text}, which looks like {what})");
    Err(Problem::invalid(message))
}

/// A range that does not run backwards.
pub(crate) fn checked(range: TimeRange) -> Result<TimeRange, Problem> {
    if range.from > range.until {
        let (from, until) = (range.from.millis(), range.until.millis());
        return Err(Problem::invalid(format!(
            "the range begins ({from}) after its end ({until})"
        )));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Parameters {
        Parameters::parse(query, UnixNanos::from_millis(1_700_000_000_000))
    }

    #[test]
    fn values() {
        let p = parse("query=a%7Bx%3D%22y%22%7D&points=7&empty=&points=8");
        assert_eq!(p.get("query"), Some("a{x=\"y\"}"));
        assert_eq!((p.get("empty"), p.get("none")), (None, None));
        assert_eq!(p.number("points", 1, 10, 3), Ok(7));
        assert_eq!(p.number("none", 1, 10, 3), Ok(3));
        assert_eq!(
            p.number("points", 1, 5, 3).unwrap_err().message,
            "points must be a number from 1 to 5 (got \"7\")"
        );
        assert_eq!(p.required("none").unwrap_err().status, 400);
    }

    #[test]
    fn ranges() {
        let millis = |r: TimeRange| (r.from.millis(), r.until.millis());
        assert_eq!(
            parse("from=5&until=9").range_millis().map(millis),
            Ok((5, 9))
        );
        assert_eq!(
            parse("").range_millis().map(millis),
            Ok((1_699_996_400_000, 1_700_000_000_000))
        );
        assert_eq!(
            parse("from=2023-11-14T22:13:20Z&until=2023-11-15T00:13:20%2B02:00")
                .range_millis()
                .map(millis),
            Ok((1_700_000_000_000, 1_700_000_000_000))
        );
        assert_eq!(
            parse("from=now-1m").render_range().map(millis),
            Ok((1_699_999_940_000, 1_700_000_000_000))
        );
        assert_eq!(
            parse("from=1699999999").render_range().map(millis),
            Ok((1_699_999_999_000, 1_700_000_000_000))
        );
        for (text, says) in [
            ("20261124", "a date"),
            ("1700000000", "seconds"),
            ("1700000000000000", "microseconds"),
            ("1700000000000000000", "nanoseconds"),
        ] {
            let problem = check_millis("from", text).unwrap_err();
            assert!(problem.message.contains(says), "{}", problem.message);
        }
        for text in [
            "0",
            "9999999",
            "10000000",
            "1700000000000",
            "now-1h",
            "-1",
            "",
        ] {
            assert_eq!(check_millis("from", text), Ok(()), "{text}");
        }
        let message = |r: Result<TimeRange, Problem>| r.unwrap_err().message;
        assert_eq!(
            message(parse("from=x").range_millis()),
            "from: \"x\" is not a time; use now-1h, 2026-11-24T10:00:00Z or milliseconds since 1970"
        );
        assert_eq!(
            message(parse("from=9&until=5").range_millis()),
            "the range begins (9) after its end (5)"
        );
        let p = parse("leftFrom=20231114&leftUntil=now-1d&rightFrom=now&rightUntil=1h");
        assert_eq!(
            p.render_range_of("leftFrom", "leftUntil").map(millis),
            Err(Problem::invalid(
                "leftFrom and leftUntil: the range begins (1699920000000) after its end (1699913600000)"
            ))
        );
        assert_eq!(
            message(p.render_range_of("rightFrom", "rightUntil")),
            "rightUntil: \"1h\" is not a time"
        );
        assert_eq!(
            parse("until=1699999999").render_day().map(millis),
            Ok((1_699_913_599_000, 1_699_999_999_000))
        );
        // Both are now.
        assert_eq!(
            p.render_range().map(millis),
            Ok((1_700_000_000_000, 1_700_000_000_000))
        );
    }
}
