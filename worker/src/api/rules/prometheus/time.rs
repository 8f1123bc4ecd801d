//! Times and durations as Prometheus' API writes them.

use crate::platform::errors::Problem;

/// The last millisecond of the year 9999, so that sums of times and durations fit.
const MAX_MILLIS: f64 = 253_402_300_799_999.0;

/// Milliseconds since 1970, from seconds since 1970 or a time in RFC 3339.
pub(super) fn time(name: &str, text: &str) -> Result<i64, Problem> {
    let seconds = text.parse::<f64>().ok().map(|seconds| seconds * 1000.0);
    let millis = seconds.or_else(|| {
        let time: jiff::Timestamp = text.parse().ok()?;
        Some(time.as_millisecond() as f64)
    });
    match millis {
        Some(millis) if (0.0..=MAX_MILLIS).contains(&millis) => Ok(millis.round() as i64),
        _ => Err(Problem::invalid(format!(
            "{name} must be seconds since 1970 or a time such as 2026-11-24T10:00:00Z (got {text:?})"
        ))),
    }
}

/// Milliseconds of a step: seconds, or a duration.
pub(super) fn step(text: &str) -> Result<i64, Problem> {
    let seconds = text.parse::<f64>().ok().map(|seconds| seconds * 1000.0);
    match seconds.or_else(|| duration(text).map(|millis| millis as f64)) {
        Some(millis) if (1.0..=MAX_MILLIS).contains(&millis) => Ok(millis.round() as i64),
        _ => Err(Problem::invalid(format!(
            "step must be a number of seconds or a duration such as 5m, at least 1 ms (got {text:?})"
        ))),
    }
}

/// Milliseconds of a duration such as `1h30m`: parts from years to milliseconds, the longest first.
pub(super) fn duration(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("ms", 1),
        ("s", 1_000),
        ("m", 60_000),
        ("h", 3_600_000),
        ("d", 86_400_000),
        ("w", 7 * 86_400_000),
        ("y", 365 * 86_400_000),
    ];
    let (mut rest, mut sum, mut before) = (text, 0i64, i64::MAX);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, left) = after.split_at(end);
        let (_, millis) = *UNITS.iter().find(|(name, _)| *name == unit)?;
        if millis >= before {
            return None;
        }
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(millis)?)?;
        (rest, before) = (left, millis);
    }
    (!text.is_empty() && sum as f64 <= MAX_MILLIS).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time("start", "1795000000.5").unwrap(), 1_795_000_000_500);
        assert_eq!(time("start", "1970-01-01T00:01:00Z").unwrap(), 60_000);
        for wrong in ["", "now", "-1", "NaN", "inf", "1e300"] {
            assert!(time("start", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn steps_and_durations() {
        assert_eq!(step("15").unwrap(), 15_000);
        assert_eq!(step("1.5").unwrap(), 1_500);
        assert_eq!(step("5m").unwrap(), 300_000);
        assert_eq!(duration("1w2d3h4m5s6ms"), Some(788_645_006));
        for wrong in [
            "",
            "m",
            "5",
            "5x",
            "1m1h",
            "1m1m",
            "99999999999999999999y",
            "999999999y",
        ] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
        for wrong in ["0", "-1", "NaN", "0s"] {
            assert!(step(wrong).is_err(), "{wrong}");
        }
    }
}
