//! Waiting for locks, as gperftools (`--- contentionz 1 ---`) and Go's runtime (`--- mutex:`, `---
//! contention:`) write it: lines of `name = value`, then a line a stack, `1200 3 @ 0x42 0x17`: how
//! long in cycles, and how often.

use super::java;
use crate::base::warnings::Warnings;
use crate::formats::legacy::draft::{Draft, Leaf};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::{Line, Lines};
use crate::formats::legacy::maps;
use crate::formats::legacy::scan::{address_list, find_at_number, integer};
use crate::model::profile::Profile;

/// Whether a first line announces a contention profile.
pub(crate) fn sniff(line: &str) -> bool {
    ["--- contentionz ", "--- mutex:", "--- contention:"]
        .iter()
        .any(|start| line.starts_with(start))
}

pub(crate) fn decode(text: &str, warnings: &mut Warnings) -> Result<Profile, LegacyError> {
    let mut lines = Lines::new(text);
    let first = lines.next();
    let types = [("contentions", "count"), ("delay", "nanoseconds")];
    let mut draft = Draft::new(&types, ("contentions", "count"), 1);
    let mut cycles_per_second = 0;
    let mut line = lines.first_of_substance();
    while let Some(here) = line.filter(|line| !line.text.trim_start().starts_with("---")) {
        let Some((name, value)) = here.text.split_once('=') else {
            break;
        };
        let number =
            || integer(value.trim()).ok_or_else(|| here.error(Format::Contention, "not a number"));
        match name.trim() {
            "cycles/second" => cycles_per_second = number()?,
            "sampling period" => draft.period = number()?,
            "ms since reset" => draft.duration_nanos = number()?.saturating_mul(1_000_000),
            "discarded samples" => {}
            // Only Java agents say these.
            "format" | "resolution"
                if first.is_some_and(|line| line.text.trim() == java::CONTENTION) =>
            {
                return java::contention(text);
            }
            _ => return Err(here.error(Format::Contention, "an unknown name")),
        }
        line = lines.first_of_substance();
    }
    let mut frames = Vec::new();
    while let Some(here) =
        line.filter(|line| !line.text.trim_start().starts_with("---") && !line.begins_memory_map())
    {
        let values = row(here, &mut frames, draft.period, cycles_per_second)?;
        draft
            .push(&frames, &values, 0)
            .map_err(|problem| here.error(Format::Contention, problem))?;
        line = lines.first_of_substance();
    }
    let entries = maps::behind_samples(line, &mut lines, warnings);
    Ok(draft.finish(entries, Leaf::AsRead))
}

/// How often and for how many nanoseconds, and the stack.
fn row(
    line: Line<'_>,
    frames: &mut Vec<u64>,
    period: i64,
    cycles_per_second: i64,
) -> Result<[i64; 2], LegacyError> {
    let error = |problem: &str| line.error(Format::Contention, problem);
    let found = find_at_number(line.text, |mut scan| {
        let delay = scan.digits()?;
        let count = scan.blanks().digits()?;
        scan.eat(" @")?;
        Some((delay, count, address_list(&mut scan)))
    });
    let (delay, count, list) = found.ok_or_else(|| error("expected a line like \"1 2 @ 0x3\""))?;
    line.calls(Format::Contention, list, frames)?;
    let number = |digits: &str| {
        digits
            .parse::<i64>()
            .map_err(|_| error(&format!("{digits} has more than 64 bits")))
    };
    let (mut delay, mut count) = (number(delay)?, number(count)?);
    if period > 0 {
        if cycles_per_second > 0 {
            let cycles_per_nanosecond = cycles_per_second as f64 / 1e9;
            delay = (delay as f64 * period as f64 / cycles_per_nanosecond) as i64;
        }
        let all = count.checked_mul(period);
        count = all.ok_or_else(|| {
            error(&format!(
                "{count} samples times the period {period} exceed 64 bits"
            ))
        })?;
    }
    Ok([count, delay])
}
