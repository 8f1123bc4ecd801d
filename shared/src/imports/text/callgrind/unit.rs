//! Names of events and their units.

/// What is counted, the unit, and by what costs are multiplied: `Time_(10ns)` counts tens of
/// nanoseconds.
pub(super) fn of(event: &str) -> (&str, &str, i64) {
    let parts = event
        .strip_suffix(')')
        .and_then(|inner| inner.rsplit_once('('))
        .filter(|(kind, unit)| !kind.is_empty() && !unit.is_empty());
    let Some((kind, unit)) = parts else {
        return (event, "count", 1);
    };
    let letters = unit.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &unit[..unit.len() - letters.len()];
    let scale = if digits.is_empty() {
        1
    } else {
        digits.parse().unwrap_or(1)
    };
    let name = match letters {
        "ns" => "nanoseconds",
        "us" | "µs" | "μs" => "microseconds",
        "ms" => "milliseconds",
        "s" => "seconds",
        "B" => "bytes",
        "" => "count",
        other => other,
    };
    (kind.trim_end_matches('_'), name, scale)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn units_of_xdebug_and_pprof() {
        assert_eq!(of("Time_(10ns)"), ("Time", "nanoseconds", 10));
        assert_eq!(of("Time_(µs)"), ("Time", "microseconds", 1));
        assert_eq!(of("Memory_(bytes)"), ("Memory", "bytes", 1));
        assert_eq!(of("cpu(ms)"), ("cpu", "milliseconds", 1));
        assert_eq!(of("Ir"), ("Ir", "count", 1));
        assert_eq!(of("(x)"), ("(x)", "count", 1));
        assert_eq!(of("a()"), ("a()", "count", 1));
    }
}
