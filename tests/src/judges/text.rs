//! A profile as text, laid out as Go's `pprof -raw` does: samples, locations, mappings, numbered
//! from 1.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pilotlight_core::{Label, LabelValue, Line, Profile};

/// The whole profile as text.
pub fn raw(profile: &Profile) -> String {
    let mut out = String::new();
    header(profile, &mut out);
    samples(profile, &mut out);
    locations(profile, &mut out);
    out.push_str("Mappings\n");
    for (i, m) in profile.mappings().iter().enumerate() {
        let flags = [
            (m.symbols.functions, "[FN]"),
            (m.symbols.filenames, "[FL]"),
            (m.symbols.line_numbers, "[LN]"),
            (m.symbols.inline_frames, "[IN]"),
        ];
        let flags: String = flags
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, text)| text)
            .collect();
        let (file, build_id) = (profile.text(m.file), profile.text(m.build_id));
        push(
            &mut out,
            format_args!(
                "{}: {:#x}/{:#x}/{:#x} {file} {build_id} {flags}",
                i + 1,
                m.start,
                m.limit,
                m.offset
            ),
        );
    }
    out
}

fn header(profile: &Profile, out: &mut String) {
    let h = profile.header();
    for &comment in &h.comments {
        push(out, format_args!("Comment: {}", profile.text(comment)));
    }
    if !h.doc_url.is_empty() {
        push(out, format_args!("Doc: {}", profile.text(h.doc_url)));
    }
    if let Some(t) = h.period_type {
        let (kind, unit) = profile.type_text(t);
        push(out, format_args!("PeriodType: {kind} {unit}"));
    }
    push(out, format_args!("Period: {}", h.period));
    if h.time_nanos != 0 {
        push(out, format_args!("Time: {}", time(h.time_nanos)));
    }
    if h.duration_nanos != 0 {
        push(
            out,
            format_args!(
                "Duration: {}",
                duration(h.duration_nanos)
                    .chars()
                    .take(4)
                    .collect::<String>()
            ),
        );
    }
}

fn samples(profile: &Profile, out: &mut String) {
    let default = profile.header().default_sample_type;
    let types = profile.sample_types().iter().map(|&t| {
        let (kind, unit) = profile.type_text(t);
        format!(
            "{kind}/{unit}{}",
            if t.kind == default { "[dflt]" } else { "" }
        )
    });
    push(
        out,
        format_args!("Samples:\n{}", types.collect::<Vec<_>>().join(" ")),
    );
    let samples = profile.samples();
    for row in 0..profile.len() {
        let values: String = samples
            .values
            .iter()
            .map(|column| format!(" {:>10}", column[row]))
            .collect();
        let frames: String = profile
            .frames(samples.stacks[row])
            .map(|l| format!("{} ", l.index() + 1))
            .collect();
        push(out, format_args!("{values}: {frames}"));
        let labels = profile.labels(samples.labels[row]);
        for line in [text_labels(profile, labels), number_labels(profile, labels)] {
            if !line.is_empty() {
                push(out, format_args!("                {line}"));
            }
        }
    }
}

fn text_labels(profile: &Profile, labels: &[Label]) -> String {
    let mut by_key: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for label in labels {
        // Go drops a label whose value is neither text nor number.
        if let LabelValue::Text(text) = label.value
            && !text.is_empty()
        {
            by_key
                .entry(profile.text(label.key))
                .or_default()
                .push(profile.text(text));
        }
    }
    bracketed(
        by_key
            .into_iter()
            .map(|(key, values)| format!("{key}:[{}]", values.join(" "))),
    )
}

fn number_labels(profile: &Profile, labels: &[Label]) -> String {
    let mut by_key: BTreeMap<&str, Vec<(i64, &str)>> = BTreeMap::new();
    for label in labels {
        if let LabelValue::Number(number, unit) = label.value {
            by_key
                .entry(profile.text(label.key))
                .or_default()
                .push((number, profile.text(unit)));
        }
    }
    bracketed(by_key.into_iter().map(|(key, values)| {
        let has_units = values.iter().any(|(_, unit)| !unit.is_empty());
        let shown = values.iter().map(|(n, unit)| {
            if has_units {
                format!("{n} {unit}")
            } else {
                n.to_string()
            }
        });
        format!("{key}:[{}]", shown.collect::<Vec<_>>().join(" "))
    }))
}

fn bracketed(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.collect();
    parts.sort();
    parts.join(" ")
}

fn locations(profile: &Profile, out: &mut String) {
    out.push_str("Locations\n");
    for (i, (location, id)) in profile
        .locations()
        .iter()
        .zip(profile.location_ids())
        .enumerate()
    {
        let mapping = location
            .mapping
            .map_or(String::new(), |m| format!("M={} ", m.index() + 1));
        let folded = if location.folded { "[F] " } else { "" };
        let mut head = format!("{:>6}: {:#x} {mapping}{folded}", i + 1, location.address);
        let lines = profile.lines(id);
        if lines.is_empty() {
            push(out, format_args!("{head}"));
        }
        for line in lines {
            push(out, format_args!("{head}{}", source(profile, line)));
            head = " ".repeat(13);
        }
    }
}

fn source(profile: &Profile, line: &Line) -> String {
    let Some(function) = line.function else {
        return "??".to_owned();
    };
    let f = &profile.functions()[function.index()];
    let (name, system, file) = (
        profile.text(f.name),
        profile.text(f.system_name),
        profile.text(f.file),
    );
    let system = if name == system {
        String::new()
    } else {
        format!("({system})")
    };
    format!(
        "{name} {file}:{}:{} s={}{system}",
        line.line, line.column, f.start_line
    )
}

fn push(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("a String takes all");
}

/// A point in time as Go prints it in UTC. Days to dates after Howard Hinnant's `civil_from_days`.
fn time(nanos: i64) -> String {
    let (seconds, fraction) = (
        nanos.div_euclid(1_000_000_000),
        nanos.rem_euclid(1_000_000_000),
    );
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if fraction == 0 {
        String::new()
    } else {
        format!(".{}", format!("{fraction:09}").trim_end_matches('0'))
    };
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction} +0000 UTC")
}

/// A length of time as Go prints it: `1h2m3.5s`, `2.5ms`.
fn duration(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let n = nanos.unsigned_abs();
    let decimal = |unit: u64, digits: usize| {
        let fraction = format!("{:0digits$}", n % unit);
        let fraction = fraction.trim_end_matches('0');
        format!(
            "{}{}{fraction}",
            n / unit,
            if fraction.is_empty() { "" } else { "." }
        )
    };
    let text = match n {
        0 => "0s".to_owned(),
        1..1_000 => format!("{n}ns"),
        1_000..1_000_000 => format!("{}µs", decimal(1_000, 3)),
        1_000_000..1_000_000_000 => format!("{}ms", decimal(1_000_000, 6)),
        _ => {
            let minutes = n / 60_000_000_000;
            let rest = n % 60_000_000_000;
            let fraction = format!("{:09}", rest % 1_000_000_000);
            let fraction = fraction.trim_end_matches('0');
            let seconds = format!(
                "{}{}{fraction}s",
                rest / 1_000_000_000,
                if fraction.is_empty() { "" } else { "." }
            );
            match (minutes / 60, minutes % 60) {
                (0, 0) => seconds,
                (0, m) => format!("{m}m{seconds}"),
                (h, m) => format!("{h}h{m}m{seconds}"),
            }
        }
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations() {
        assert_eq!(
            time(1_795_236_340_821_911_300),
            "2026-11-21 04:45:40.8219113 +0000 UTC"
        );
        assert_eq!(
            time(951_782_400_000_000_000),
            "2000-02-29 00:00:00 +0000 UTC"
        );
        assert_eq!(time(-1), "1969-12-31 23:59:59.999999999 +0000 UTC");
        let shown = [
            0,
            15,
            1_500,
            2_500_000,
            2_001_000_000,
            61_000_000_000,
            3_600_000_000_000,
            -1_000_000_000,
        ]
        .map(duration);
        assert_eq!(
            shown,
            [
                "0s", "15ns", "1.5µs", "2.5ms", "2.001s", "1m1s", "1h0m0s", "-1s"
            ]
        );
    }
}
