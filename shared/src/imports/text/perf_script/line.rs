//! A line of the text: the head of a sample, or a frame.

use crate::imports::rows::perf_event;

/// The head of a sample.
pub(super) struct Header<'a> {
    /// Name of the thread; empty when it is not printed.
    pub(super) comm: &'a str,
    pub(super) process: Option<&'a str>,
    pub(super) thread: &'a str,
    /// Nanoseconds of the recorder's clock.
    pub(super) time: i64,
    pub(super) period: Option<i64>,
    event: Option<&'a str>,
    /// What stands behind the event.
    pub(super) rest: &'a str,
}

/// A frame.
pub(super) struct Frame<'a> {
    pub(super) address: u64,
    /// Empty when it has none.
    pub(super) name: &'a str,
    /// Empty when it is not known.
    pub(super) module: &'a str,
}

impl Header<'_> {
    /// What is counted, in which unit.
    pub(super) fn sample_type(&self) -> (&str, &'static str) {
        let event = match (self.event, self.period) {
            (Some(event), _) => event,
            (None, Some(_)) => "period",
            (None, None) => "samples",
        };
        perf_event(event, self.period.is_some())
    }
}

/// `comm 12/34 [001] 56.789: 250000 cycles:u:`. Names may have blanks; a thread's number and a time
/// are always there.
pub(super) fn header(line: &str) -> Option<Header<'_>> {
    let mut id: Option<(&str, &str)> = None;
    let mut rest = line;
    let time = loop {
        let (word, after) = next_word(rest)?;
        if id.is_some()
            && let Some(time) = nanoseconds(word)
        {
            rest = after;
            break time;
        }
        if is_id(word) {
            let before = &line[..line.len() - after.len() - word.len()];
            id = Some((before, word));
        }
        rest = after;
    };
    let (comm, id) = id?;
    let (process, thread) = match id.split_once('/') {
        Some((process, thread)) => (Some(process), thread),
        None => (None, id),
    };
    let mut period = None;
    if let Some((word, after)) = next_word(rest)
        && let Ok(number) = word.parse::<u64>()
    {
        period = Some(i64::try_from(number).unwrap_or(i64::MAX));
        rest = after;
    }
    let mut event = None;
    if let Some((word, after)) = next_word(rest)
        && let Some(name) = word.strip_suffix(':').filter(|name| !name.is_empty())
    {
        event = Some(name);
        rest = after;
    }
    Some(Header {
        comm: comm.trim(),
        process,
        thread,
        time,
        period,
        event,
        rest,
    })
}

/// `ffff1234 symbol+0x12 (module)`.
pub(super) fn frame(line: &str) -> Option<Frame<'_>> {
    let (word, rest) = next_word(line)?;
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let address = u64::from_str_radix(digits, 16).ok()?;
    let (name, module) = match rest.strip_suffix(')') {
        Some(inner) => {
            let path = inner.strip_suffix(" (deleted)").unwrap_or(inner);
            match path.rfind(" (") {
                Some(open) => (&inner[..open], &inner[open + 2..]),
                None => (rest, ""),
            }
        }
        None => (rest, ""),
    };
    let name = without_offset(name.trim());
    let known = |text| if text == "[unknown]" { "" } else { text };
    Some(Frame {
        address,
        name: known(name),
        module: known(module),
    })
}

/// The first word, and what is behind it, blanks included.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = text
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `12` or `12/34`.
fn is_id(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match word.split_once('/') {
        Some((process, thread)) => digits(process) && digits(thread),
        None => digits(word),
    }
}

/// Of `12.345678:`.
fn nanoseconds(word: &str) -> Option<i64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(seconds) || !digits(fraction) || fraction.is_empty() {
        return None;
    }
    let mut nanos: i64 = seconds.parse().ok()?;
    for digit in fraction.bytes().chain([b'0'; 9]).take(9) {
        nanos = nanos
            .checked_mul(10)?
            .checked_add(i64::from(digit - b'0'))?;
    }
    Some(nanos)
}

/// Less `+0x12`.
fn without_offset(name: &str) -> &str {
    match name.rsplit_once("+0x") {
        Some((symbol, offset)) if offset.bytes().all(|b| b.is_ascii_hexdigit()) => symbol,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_samples() {
        let read = |line: &str| {
            let Header {
                comm,
                process,
                thread,
                time,
                period,
                rest,
                ..
            } = header(line).unwrap_or_else(|| panic!("{line}"));
            format!("{comm}|{process:?}|{thread}|{time}|{period:?}|{rest}")
        };
        assert_eq!(
            read("a 1 b 2 [000] 3.25: 4 x:"),
            "a 1 b|None|2|3250000000|Some(4)|"
        );
        assert_eq!(
            read("Gecko\t25 [007] 1.9366012349:\t\t9 task-clock:u:"),
            "Gecko|None|25|1936601234|Some(9)|"
        );
        assert_eq!(
            read("12/34 5.0: raw_syscalls:sys_enter: NR 1 (x)"),
            "|Some(\"12\")|34|5000000000|None| NR 1 (x)"
        );
        for line in [
            "",
            "comm 1.5: cycles:",
            "a 1 2 cycles:",
            "a 1 1.x: y:",
            "a 1 99999999999999999999.5: y:",
            "bash-12 [000] d..1 1.5: sched_switch: x",
        ] {
            assert!(header(line).is_none(), "{line}");
        }
    }

    #[test]
    fn frames() {
        for (line, expect) in [
            ("\t  7f f+0x1 (/a)", "127|f|/a"),
            (" 0x7f a b(c) (d) (/e f)", "127|a b(c) (d)|/e f"),
            (" 7f f (/a (deleted))", "127|f|/a (deleted)"),
            (" 7f [unknown] (/a)", "127||/a"),
            (" 7f [unknown] ([unknown])", "127||"),
            (" 7f (/a)", "127||/a"),
            (" 7f f", "127|f|"),
            (" 7f", "127||"),
            (" 7f f+0xzz (/a)", "127|f+0xzz|/a"),
        ] {
            let Frame {
                address,
                name,
                module,
            } = frame(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(format!("{address}|{name}|{module}"), expect, "{line}");
        }
        for line in ["", "xyz f (/a)", " 12345678901234567 f (/a)"] {
            assert!(frame(line).is_none(), "{line}");
        }
    }
}
