//! The memory map behind the samples: what was mapped where.
//!
//! Lines are those of Linux' `/proc/self/maps`, or briefer ones (`START-END[:] [PERMISSIONS] [FILE]
//! [(@OFFSET)] [BUILD-ID]`, numbers hexadecimal). A log's prefix (`… file.cc:12] `) is taken off.
//! `name=value` lets later lines say `$name`. What is not executable, and lines of any other kind,
//! are passed over.

use super::lines::{Line, Lines};
use crate::base::warnings::Warnings;

/// Most mappings kept: Linux allows a process 65,530 (`vm.max_map_count`), of which a few hundred
/// are executable.
const MAX_MAPPINGS: usize = 1 << 16;

/// Most `name=value` lines heeded, and their longest name and value in bytes. gperftools writes
/// one, `build=PATH`.
const MAX_ATTRIBUTES: usize = 16;
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 4096;

/// Most bytes that values may be put in for names: 64 for each mapping. Values may name values, so
/// that a few lines could otherwise grow without end.
const MAX_EXPANSION: usize = MAX_MAPPINGS * 64;

/// A part of the address space and the file that is mapped there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) start: u64,
    /// The first address beyond.
    pub(super) limit: u64,
    /// Offset of `start` in the file.
    pub(super) offset: u64,
    pub(super) file: String,
    pub(super) build_id: String,
}

impl Entry {
    /// What stands for a mapping where none is known.
    pub(super) fn everywhere() -> Self {
        Self {
            start: 0,
            limit: u64::MAX,
            offset: 0,
            file: String::new(),
            build_id: String::new(),
        }
    }
}

/// The memory map behind the samples. `last` is the line at which they ended; other sections before
/// the map are skipped.
pub(super) fn behind_samples(
    last: Option<Line<'_>>,
    lines: &mut Lines<'_>,
    warnings: &mut Warnings,
) -> Vec<Entry> {
    let mut line = last;
    while let Some(here) = line {
        if here.begins_memory_map() {
            return read(lines, warnings);
        }
        line = lines.next();
    }
    Vec::new()
}

/// Reads all lines that are left.
pub(super) fn read(lines: &mut Lines<'_>, warnings: &mut Warnings) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut attributes = Attributes {
        pairs: Vec::new(),
        room: MAX_EXPANSION,
    };
    for line in lines {
        let text = attributes.expand(without_log_prefix(line.text));
        match mapping(&text) {
            Some(Found::Executable(_)) if entries.len() == MAX_MAPPINGS => {
                warnings.add(|| {
                    format!(
                        "line {}: more than {MAX_MAPPINGS} mappings; the others are left out",
                        line.number
                    )
                });
                break;
            }
            Some(Found::Executable(entry)) => entries.push(entry),
            Some(Found::Data) => {}
            None => attributes.add(&text),
        }
    }
    entries
}

enum Found {
    Executable(Entry),
    Data,
}

fn mapping(text: &str) -> Option<Found> {
    let (start, rest) = hex(text.trim_start())?;
    let between = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    // Something has to stand between the two numbers.
    let (limit, rest) = hex(between).filter(|_| between.len() < rest.len())?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if rest.chars().next().is_some_and(|c| !c.is_whitespace()) {
        return None;
    }
    let mut words = rest.split_whitespace().peekable();
    let permissions = words.next_if(|word| word.bytes().all(|b| b"-rwxp".contains(&b)));
    let words: Vec<&str> = words.take(4).collect();
    let (offset, file, build_id) = kernel(&words).or_else(|| brief(&words))?;
    if permissions.is_some_and(|permissions| !permissions.contains('x')) {
        return Some(Found::Data);
    }
    Some(Found::Executable(Entry {
        start,
        limit,
        offset,
        file: file.to_owned(),
        build_id: build_id.to_owned(),
    }))
}

/// Offset, file and build id behind the range, as Linux writes them: `00023000 08:01 7482
/// /lib/ld.so`.
fn kernel<'a>(words: &[&'a str]) -> Option<(u64, &'a str, &'a str)> {
    let (offset, words) = match words {
        [offset, rest @ ..] if !is_device(offset) => (whole_hex(offset)?, rest),
        _ => (0, words),
    };
    match words {
        [device, inode, rest @ ..]
            if is_device(device) && inode.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Some((offset, rest.first().copied().unwrap_or(""), ""))
        }
        _ => None,
    }
}

/// The same of a briefer line: `/lib/ld.so (@23000) abc123`, each of them optional.
fn brief<'a>(words: &[&'a str]) -> Option<(u64, &'a str, &'a str)> {
    let (file, words) = words
        .split_first()
        .map_or(("", words), |(file, rest)| (*file, rest));
    let offset = words
        .first()
        .and_then(|word| word.strip_prefix("(@")?.strip_suffix(')'));
    let build_id = words.get(usize::from(offset.is_some())).copied();
    let build_id = build_id
        .filter(|word| word.bytes().all(|b| b.is_ascii_hexdigit()))
        .unwrap_or("");
    Some((offset.map_or(Some(0), whole_hex)?, file, build_id))
}

/// Major and minor number of a device, `08:01`.
fn is_device(word: &str) -> bool {
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    word.split_once(':')
        .is_some_and(|(major, minor)| is_hex(major) && is_hex(minor))
}

/// A hexadecimal number at the start of a text, with `0x` or without, and what is behind it.
fn hex(text: &str) -> Option<(u64, &str)> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let (digits, rest) = text.split_at(
        text.bytes()
            .position(|b| !b.is_ascii_hexdigit())
            .unwrap_or(text.len()),
    );
    Some((u64::from_str_radix(digits, 16).ok()?, rest))
}

fn whole_hex(text: &str) -> Option<u64> {
    // `from_str_radix` takes a sign.
    u64::from_str_radix(text, 16)
        .ok()
        .filter(|_| text.starts_with(|c: char| c.is_ascii_hexdigit()))
}

/// A line without `I0102 15:04:05.000000 123 file.cc:12] `.
fn without_log_prefix(line: &str) -> &str {
    let message = || {
        let (prefix, message) = line.split_at(line.find(['[', ']'])?);
        let message = message
            .strip_prefix(']')
            .filter(|message| message.starts_with(char::is_whitespace))?;
        let (file, number) = prefix.rsplit_once(':')?;
        let is_place =
            !file.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_place.then_some(message)
    };
    message().unwrap_or(line)
}

/// What `name=value` lines have set.
struct Attributes {
    /// Names with their `$`, in the order in which they were set.
    pairs: Vec<(String, String)>,
    /// How many bytes may still be put in.
    room: usize,
}

impl Attributes {
    fn add(&mut self, line: &str) {
        let Some((name, value)) = line.split_once('=') else {
            return;
        };
        let (name, value) = (name.trim(), value.trim());
        let short = (1..=MAX_NAME).contains(&name.len()) && value.len() <= MAX_VALUE;
        if short && self.pairs.len() < MAX_ATTRIBUTES {
            self.pairs.push((format!("${name}"), value.to_owned()));
        }
    }

    /// The line with values for names. Of two names that fit, the one that was set first counts.
    fn expand<'a>(&mut self, line: &'a str) -> std::borrow::Cow<'a, str> {
        if self.pairs.is_empty() || !line.contains('$') {
            return line.into();
        }
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let fits = self
                .pairs
                .iter()
                .find(|(name, value)| rest.starts_with(name) && value.len() <= self.room);
            let (text, step) = fits.map_or(("$", 1), |(name, value)| (value.as_str(), name.len()));
            self.room -= if step == 1 { 0 } else { text.len() };
            out.push_str(text);
            rest = &rest[step..];
        }
        out.push_str(rest);
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `start-limit offset file build` of each mapping.
    fn check(text: &str, expect: &[&str]) {
        let mut warnings = Warnings::default();
        let entries = read(&mut Lines::new(text), &mut warnings);
        let drawn: Vec<String> = entries
            .iter()
            .map(|e| {
                format!(
                    "{:x}-{:x} {:x} {} {}",
                    e.start, e.limit, e.offset, e.file, e.build_id
                )
                .trim_end()
                .to_owned()
            })
            .collect();
        assert_eq!(drawn, expect, "{text}");
        assert_eq!(warnings.finish(), Vec::<String>::new());
    }

    #[test]
    fn as_linux_writes_them() {
        check(
            "00400000-00fcb000 r-xp 00001000 08:01 7482       /bin/a b\n\
             00fcb000-00fcc000 rw-p 00fcb000 08:01 7482       /bin/a\n\
             7ffffb56b000-7ffffb56d000 r-xp 00000000 00:00 0          [vdso]\n\
             7ffffb56d000-7ffffb56e000 --xp 00000000 00:00 0\n\
             1000-2000 00:00 5 nothing-before\n\
             1000-2000 r-xp 00:00 5",
            &[
                "400000-fcb000 1000 /bin/a",
                "7ffffb56b000-7ffffb56d000 0 [vdso]",
                "7ffffb56d000-7ffffb56e000 0",
                "1000-2000 0 nothing-before",
                "1000-2000 0",
            ],
        );
    }

    #[test]
    fn as_others_write_them() {
        check(
            "  40000-80000: /path/to/binary      (@FF00)            abc123456\n\
             0x40000 0x80000 /b (@10)\n\
             40000-80000 /c abc1 more\n\
             40000- 80000\n\
             40000-80000 r-xp /d (@zz)\n\
             40000-80000 r--p /data\n\
             I0102 15:04:05.000000   123 dump.cc:12] 40000-80000 /e\n\
             40000\n40000-80000tail\n-1-2\n\nno map\n11112222333344445-8 /f",
            &[
                "40000-80000 ff00 /path/to/binary abc123456",
                "40000-80000 10 /b",
                "40000-80000 0 /c abc1",
                "40000-80000 0",
                "40000-80000 0 /e",
            ],
        );
    }

    #[test]
    fn names_stand_for_values() {
        check(
            "build=/usr\n src = $build/src \nsrcdir=never\nbuild=later\n1-2 $build/x\n2-3 $src/$y$\n3-4 $srcdir",
            &["1-2 0 /usr/x", "2-3 0 /usr/src/$y$", "3-4 0 /usr/srcdir"],
        );
    }

    #[test]
    fn names_do_not_grow_without_end() {
        let mut text = "a=0123456789abcdef\n".to_owned();
        // Each line is sixteen times the one before. `d` would be longer than a value may be, so
        // `$d` stays as it is.
        for (name, before) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
            text.push_str(&format!("{name}={}\n", format!("${before}").repeat(16)));
        }
        text.push_str("1-2 $c$d$e\n");
        let entries = read(&mut Lines::new(&text), &mut Warnings::default());
        assert_eq!((entries.len(), entries[0].file.len()), (1, 4096 + 2 + 32));
        let many = format!("a={}\n{}", "x".repeat(4096), "1-2 $a\n".repeat(3000));
        let total: usize = read(&mut Lines::new(&many), &mut Warnings::default())
            .iter()
            .map(|e| e.file.len())
            .sum();
        assert!(total <= MAX_EXPANSION + 3000 * 2);
    }
}
