//! A line of the text: the head of a sample, or a frame.

use crate::formats::detect::unsupported::head_in_columns;
use crate::imports::rows::perf_event;

/// The head of a sample. Which fields it has is the choice of who ran `perf script -F`.
pub(super) struct Header<'a> {
    /// Name of the thread; empty when it is not printed.
    pub(super) comm: &'a str,
    pub(super) process: Option<&'a str>,
    /// Empty when it is not printed.
    pub(super) thread: &'a str,
    /// Nanoseconds of the recorder's clock.
    pub(super) time: Option<i64>,
    pub(super) period: Option<i64>,
    pub(super) event: Option<&'a str>,
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

impl<'a> Header<'a> {
    /// Of a sample that says nothing of itself but its thread's name.
    pub(super) fn of_comm(comm: &'a str) -> Self {
        Self {
            comm: comm.trim(),
            process: None,
            thread: "",
            time: None,
            period: None,
            event: None,
            rest: "",
        }
    }

    /// Of one that says its thread's name and perhaps its event: `comm cpu-clock:`.
    pub(super) fn of_comm_and_event(line: &'a str) -> Self {
        let line = line.trim();
        let (comm, event) = match line.rsplit_once(' ') {
            Some((comm, word)) => (comm, word.strip_suffix(':').filter(|name| !name.is_empty())),
            None => (line, None),
        };
        Self {
            event,
            ..Self::of_comm(if event.is_some() { comm } else { line })
        }
    }

    /// What is counted, in which unit.
    pub(super) fn sample_type(&self) -> (&str, &'static str) {
        let event = match (self.event, self.period) {
            (Some(event), _) => event,
            (None, Some(_)) => "period",
            (None, None) => "samples",
        };
        perf_event(event, self.period.is_some())
    }

    /// The frame beside the head, as without `-g`. Of a traced branch (`f (/a) => g (/b)`), where it
    /// begins.
    pub(super) fn frame(&self) -> Option<Frame<'a>> {
        let rest = self.rest.split(" => ").next()?.trim_ascii_end();
        frame(rest)
            .filter(|frame| rest.ends_with(')') || is_sure(frame.address) && !self.is_tracepoint())
    }

    /// Behind the event of a tracepoint are its fields.
    fn is_tracepoint(&self) -> bool {
        let name = self.event.and_then(|event| event.split_once(':'));
        name.is_some_and(|(_, name)| name.len() > 3)
    }

    fn with_id(mut self, id: &'a str) -> Self {
        (self.process, self.thread) = match id.split_once('/') {
            Some((process, thread)) => (Some(process), thread),
            None => (None, id),
        };
        self
    }

    /// Of one whose frame is beside it in columns: `comm 12/34 [001]     250000 cycles:u:`, or less.
    /// The width tells periods from threads: they take ten columns.
    fn in_columns(line: &'a str) -> Option<Self> {
        const PERIOD: usize = 10;
        let (mut head, rest) = line.split_at(head_in_columns(line.as_bytes())?);
        let mut header = Self::of_comm("");
        let (before, word) = last_word(head);
        if let Some(event) = word.strip_suffix(':').filter(|name| !name.is_empty()) {
            header.event = Some(event);
            head = before.trim_ascii_end();
        }
        let (before, word) = last_word(head);
        let width = head.len() - before.trim_ascii_end().len();
        if width >= PERIOD && word.bytes().all(|b| b.is_ascii_digit()) {
            header.period = Some(word.parse().unwrap_or(i64::MAX));
            head = before.trim_ascii_end();
        }
        let (before, word) = last_word(head);
        if word.starts_with('[') && word.ends_with(']') {
            head = before.trim_ascii_end();
        }
        let (before, word) = last_word(head);
        if is_id(word) && (!before.trim().is_empty() || word.contains('/')) {
            header = header.with_id(word);
            head = before;
        }
        let comm = head.trim();
        Some(Self {
            comm,
            rest,
            ..header
        })
    }

    /// Takes the period and the event from the beginning of what is left of the line.
    fn with_event(mut self, mut rest: &'a str) -> Self {
        if let Some((word, after)) = next_word(rest)
            && let Ok(number) = word.parse::<u64>()
            && !is_address(after)
        {
            self.period = Some(i64::try_from(number).unwrap_or(i64::MAX));
            rest = after;
        }
        if let Some((word, after)) = next_word(rest)
            && let Some(name) = word.strip_suffix(':').filter(|name| !name.is_empty())
        {
            self.event = Some(name);
            rest = after;
        }
        self.rest = rest;
        self
    }
}

/// A head with the time: `comm 12/34 [001] 56.789: 250000 cycles:u:`. Names may have blanks.
pub(super) fn header(line: &str) -> Option<Header<'_>> {
    let mut id: Option<(&str, &str)> = None;
    let mut rest = line;
    loop {
        let (word, after) = next_word(rest)?;
        let before = &line[..line.len() - after.len() - word.len()];
        if let Some(time) = nanoseconds(word) {
            let header = match id {
                Some((comm, id)) => Header::of_comm(comm).with_id(id),
                None => Header::of_comm(without_cpu(before)?),
            };
            let time = Some(time);
            return Some(Header { time, ..header }.with_event(after));
        }
        if is_id(word) {
            id = Some((before, word));
        }
        rest = after;
    }
}

/// A head without the time: `comm 12/34 [001] 250000 cycles:u:`, or less. It has its frame beside it
/// in columns; or it has an event, and behind that nothing, the frame, or the fields of a tracepoint.
pub(super) fn timeless_header(line: &str) -> Option<Header<'_>> {
    if let Some(header) = Header::in_columns(line) {
        return Some(header);
    }
    let good = |header: &Header<'_>| {
        let rest = header.rest.trim();
        let is_frame = rest.ends_with(')') && header.frame().is_some();
        header.event.is_some() && (rest.is_empty() || is_frame || header.is_tracepoint())
    };
    let mut rest = line;
    while let Some((word, after)) = next_word(rest) {
        let comm = &line[..line.len() - after.len() - word.len()];
        if is_id(word) && (!comm.trim().is_empty() || word.contains('/')) {
            let header = Header::of_comm(comm).with_id(word);
            let header = header.with_event(skip_cpu(after));
            if good(&header) {
                return Some(header);
            }
        }
        rest = after;
    }
    Some(Header::of_comm("").with_event(line)).filter(good)
}

/// What `perf script` prints of records that are no samples: `PERF_RECORD_LOST lost 12` and the like,
/// behind the thread and the time.
pub(super) enum Record {
    /// So many events were lost.
    Lost(u64),
    /// A switch, a new thread, a mapping, …
    Other,
}

/// See [`Record`].
pub(super) fn record(line: &str) -> Option<Record> {
    let mut words = line.split_ascii_whitespace();
    let kind = words.find(|word| word.starts_with("PERF_RECORD_"))?;
    if !kind.starts_with("PERF_RECORD_LOST") {
        return Some(Record::Other);
    }
    let lost = words.skip_while(|word| *word != "lost").nth(1);
    let count = lost.and_then(|count| count.parse().ok()).unwrap_or(0);
    Some(Record::Lost(count))
}

/// `main.c:12`, which `-F +srcline` prints below a frame; empty for `module[7f12]` and `:0`, which
/// stand where perf knows no line.
pub(super) fn source_line(line: &str) -> Option<(&str, i64)> {
    let indented = line.starts_with([' ', '\t']);
    let text = line.trim();
    let text = text
        .split_once(" (discriminator ")
        .map_or(text, |(text, _)| text);
    let known = text
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once('['));
    if let Some((module, address)) = known
        && indented
        && !module.is_empty()
        && u64::from_str_radix(address, 16).is_ok()
    {
        return Some(("", 0));
    }
    if indented && text == ":0" {
        return Some(("", 0));
    }
    let (file, number) = text.rsplit_once(':')?;
    let number: u32 = number.parse().ok()?;
    (indented && !file.is_empty() && !file.ends_with([':', ' '])).then_some((file, number.into()))
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

/// Whether a number is the address of a frame and not a period, by what is behind it: a name, and
/// neither an event nor a frame.
fn is_address(after: &str) -> bool {
    let is_name = next_word(after).is_some_and(|(word, _)| !word.ends_with(':'));
    is_name && !frame(after).is_some_and(|frame| is_sure(frame.address))
}

/// Whether an address is none of the words and small numbers that also look like one.
pub(super) fn is_sure(address: u64) -> bool {
    address > 0xfff
}

/// The first word, and what is behind it, blanks included.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = text
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The last word, behind what is before it, blanks included.
fn last_word(text: &str) -> (&str, &str) {
    text.split_at(text.rfind(' ').map_or(0, |blank| blank + 1))
}

/// `12` or `12/34`.
fn is_id(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match word.split_once('/') {
        Some((process, thread)) => digits(process) && digits(thread),
        None => digits(word),
    }
}

/// Less `[001]` at the end; `None` when that leaves what other tracers than perf print: `comm-12`.
fn without_cpu(before: &str) -> Option<&str> {
    let before = before.trim_ascii_end();
    let comm = match before.rsplit_once('[') {
        Some((comm, cpu)) if cpu.ends_with(']') => comm,
        _ => before,
    };
    let number = comm
        .trim_ascii_end()
        .rsplit_once('-')
        .map(|(_, number)| number);
    (!number.is_some_and(is_id) && !comm.contains('[')).then_some(comm)
}

/// Less `[001]` at the beginning.
fn skip_cpu(rest: &str) -> &str {
    match next_word(rest) {
        Some((word, after)) if word.starts_with('[') && word.ends_with(']') => after,
        _ => rest,
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
mod tests;
