//! Maps of stacks as bpftrace prints them at its end.
//!
//! Source: `stackcollapse-bpftrace.pl` of FlameGraph, and `src/output.cpp` of bpftrace.
//!
//! - An entry is `@name[`, a frame a line with the innermost first, and `]: 12`. Several stacks in a
//!   key are divided by a comma on a line of its own; the first is on top, as a kernel's is.
//! - What else is in a key is the label `key`; its lines begin with a comma. Other lines of an entry
//!   are left out with a warning. Each map is a sample type, whose unit its name may tell: `@wait_ns`.
//! - Maps without stacks, and those whose values are not numbers, are left out with a warning.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::Frame;
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LocationId, StringId};

/// What it is called in messages.
pub(crate) const NAME: &str = "bpftrace stacks";

/// Whether an entry begins and one ends.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let any = |test: fn(&str) -> bool| {
        let mut lines = start.lines();
        lines.any(|line| str::from_utf8(line).is_ok_and(test))
    };
    any(|line| begin(line).is_some()) && any(|line| end(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let mut open: Option<Entry> = None;
    let (mut unread, mut other) = (0u64, 0u64);
    for (number, line) in lines(bytes) {
        let error = |problem: String| FormatError::at_line(NAME, number, problem);
        if let Some((name, key)) = begin(&line) {
            unread += u64::from(open.is_some());
            let name = if name.is_empty() { "samples" } else { name };
            open = Some(Entry {
                column: rows.sample_type(name, unit(name))?,
                frames: Vec::new(),
                key: key.trim_matches([',', ' ']).to_owned(),
            });
        } else if let Some(entry) = &mut open {
            if let Some((key, value)) = end(&line) {
                entry.join(key);
                match value.parse::<i64>() {
                    Ok(value) => entry.write(&mut rows, value),
                    Err(_) => unread += 1,
                }
                open = None;
            } else if line.starts_with([' ', '\t']) {
                entry.frame(&mut rows, line.trim()).map_err(error)?;
            } else if line.is_empty() || line.starts_with(',') {
                entry.join(&line);
            } else {
                rows.warn_left_out(number, "not part of a key", &line);
            }
        } else {
            other += u64::from(line.starts_with('@'));
        }
        rows.check()?;
    }
    unread += u64::from(open.is_some());
    for (count, what) in [
        (unread, "entries have no number and are left out"),
        (other, "values of maps without stacks are left out"),
    ] {
        rows.warnings.count(count, what);
    }
    rows.finish()
}

struct Entry {
    column: usize,
    /// The innermost first.
    frames: Vec<LocationId>,
    /// What the key has besides.
    key: String,
}

impl Entry {
    fn frame(&mut self, rows: &mut Rows, text: &str) -> Result<(), String> {
        if self.frames.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        self.frames.push(location(rows, text));
        Ok(())
    }

    fn join(&mut self, text: &str) {
        let text = text.trim_matches([',', ' ']);
        if !text.is_empty() {
            if !self.key.is_empty() {
                self.key.push_str(", ");
            }
            self.key.push_str(text);
        }
    }

    fn write(&self, rows: &mut Rows, value: i64) {
        let stack = rows.builder.stack_of(self.frames.iter().rev().copied());
        let label = (!self.key.is_empty()).then(|| rows.text("key", &self.key));
        let labels = label.and_then(|label| rows.builder.label_set(&mut [label]));
        rows.sample(stack, labels, self.column, value);
    }
}

/// The unit that ends the name of a map; bpftrace itself knows none.
fn unit(name: &str) -> &'static str {
    match name.rsplit('_').next().unwrap_or(name) {
        "bytes" => "bytes",
        "ns" | "nsecs" => "nanoseconds",
        "us" | "usecs" => "microseconds",
        "ms" | "msecs" => "milliseconds",
        _ => "count",
    }
}

/// Name and first keys of `@name[comm, `.
fn begin(line: &str) -> Option<(&str, &str)> {
    let (name, key) = line.strip_prefix('@')?.split_once('[')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_open = key.is_empty() || key.ends_with(',');
    (is_name && is_open && !key.contains(']')).then_some((name, key))
}

/// Last keys and value of `, comm]: 12`.
fn end(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.rsplit_once("]:")?;
    let is_end = key.is_empty() || key.starts_with(',');
    let value = value.trim();
    let is_number = value.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (is_end && is_number).then_some((key, value))
}

/// The function of `main+12`, of `55d0c0 main+12 (/bin/a)` as `perf` has it, or an address.
fn location(rows: &mut Rows, text: &str) -> LocationId {
    let hex = |text: &str| {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        u64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| digits.len() >= 6)
    };
    let mut frame = Frame::named(StringId::EMPTY);
    let (mut name, mut address) = (text, hex(text));
    if let Some((before, module)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("))
    {
        name = before;
        frame.mapping = rows.module(module);
    }
    if let Some((word, rest)) = name.split_once(' ')
        && let Some(known) = hex(word)
    {
        (name, address) = (rest, Some(known));
    }
    if let Some((function, offset)) = name.rsplit_once('+') {
        let digits = offset.strip_prefix("0x").unwrap_or(offset);
        if !function.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            name = function;
        }
    }
    match address {
        Some(address) if hex(name).is_some() || name == "[unknown]" => frame.address = address,
        _ => frame.name = rows.builder.string(name),
    }
    frame.location(&mut rows.builder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{drawn, type_names};

    #[test]
    fn names_of_maps_have_units() {
        let maps = ["bytes", "wait_ns", "usecs", "sum_ms", "nsx", "runs"];
        let text: String = maps
            .map(|name| format!("@{name}[\n    f+1\n]: 2\n"))
            .concat();
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(
            type_names(&profile),
            [
                "bytes/bytes",
                "wait_ns/nanoseconds",
                "usecs/microseconds",
                "sum_ms/milliseconds",
                "nsx/count",
                "runs/count"
            ]
        );
    }

    #[test]
    fn entries_of_maps() {
        let text = "Attaching 2 probes...\n^C\n\n@count: 3\n@[\n    do_idle+200\n    start+0x1f\n]: 12\n\
            @bytes[comm,\n\tffffffff81 kmalloc+1 (vmlinux)\n,\n\
            \x20   operator+(a)+3\n    0x7f1234567\n, bash, 77]: 40\n\
            @[\n    f\n]:\n[1, 2)  5 |@@@|\n";
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\nbytes/bytes\nstart;do_idle 12 0\n\
             0x7f1234567;operator+(a);kmalloc key=comm, bash, 77 0 40\n"
        );
        assert_eq!(
            decoded.warnings,
            [
                "1 entries have no number and are left out",
                "1 values of maps without stacks are left out"
            ]
        );
    }

    #[test]
    fn knows_its_own() {
        let is = |text: &str| sniff(Start::of(text.as_bytes()));
        assert!(is("@[\n    f\n]: 1\n"));
        assert!(!is("@ e [12 samples]\n"));
        assert!(!is("@[bash]: 3\n"));
        assert!(!is("@[\n    f\n"));
        let error = decode(b"@[\n f\n]: x\n").expect_err("nothing").to_string();
        assert_eq!(error, "bpftrace stacks: there are no samples");
    }
}
