//! Which fields the heads of a text have. `perf script -F` chooses them for all heads of a text, so a
//! line with other fields comes from another program.

use super::line::{Header, frame, header, record, timeless_header};
use crate::imports::rows::lines;

/// How many lines are looked at: some stacks.
const FIRST: usize = 4096;

/// What a head has. Periods and processors don't count: events of one recording differ in them. Of
/// kinds of heads that are equally frequent, the one with more fields wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fields {
    time: bool,
    process: bool,
    thread: bool,
    event: bool,
    /// Nothing or a frame follows, or the fields of its event.
    plain: bool,
}

/// What is usual in a text.
pub(super) struct Usual {
    /// The fields of most heads.
    pub(super) fields: Fields,
    /// Whether frames stand below heads.
    pub(super) has_stacks: bool,
}

impl Fields {
    /// Of a head.
    pub(super) fn of(header: &Header<'_>) -> Self {
        let event = header.event.is_some();
        Self {
            time: header.time.is_some(),
            process: header.process.is_some(),
            thread: !header.thread.is_empty(),
            event,
            plain: event || header.rest.trim().is_empty() || frame(header.rest).is_some(),
        }
    }
}

impl Usual {
    /// Of a text. Heads with a frame and heads behind a blank line decide, if there are any. `None` for
    /// a text without heads in its first lines.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let mut kinds: Vec<(Fields, usize, usize)> = Vec::new();
        let mut has_stacks = false;
        let mut begins = true;
        let mut lines = lines(bytes).take(FIRST).peekable();
        while let Some((_, line)) = lines.next() {
            if line.is_empty() || line.starts_with('#') || record(&line).is_some() {
                begins = true;
                continue;
            }
            let has_frame = lines.peek().is_some_and(|(_, next)| is_frame(next));
            let head = header(&line).or_else(|| timeless_header(&line));
            let is_stack = begins && (has_frame || is_frame(&line));
            has_stacks |= is_stack;
            let fields = head.as_ref().map(Fields::of);
            let fields = fields.or_else(|| is_stack.then(|| Fields::of(&Header::of_comm(""))));
            let has_frame = has_frame || head.is_some_and(|head| head.frame().is_some());
            if let Some(fields) = fields {
                let place = usize::from(has_frame) + usize::from(begins);
                match kinds.iter_mut().find(|(kind, ..)| *kind == fields) {
                    Some((_, places, count)) => {
                        *places += place;
                        *count += 1;
                    }
                    None => kinds.push((fields, place, 1)),
                }
            }
            begins = false;
        }
        let most = kinds
            .into_iter()
            .max_by_key(|&(kind, places, count)| (places, count, kind));
        most.map(|(fields, ..)| Self { fields, has_stacks })
    }
}

/// Whether a line is a frame. Frames are indented; text that begins like an address usually isn't.
/// Nor is a head whose thread has a name like one (`dd`), which stands right in its column.
pub(super) fn is_frame(line: &str) -> bool {
    let is_head = || timeless_header(line).is_some_and(|header| !header.comm.is_empty());
    match line.as_bytes() {
        [b'\t', ..] => frame(line).is_some(),
        [b' ', ..] => frame(line).is_some() && !is_head(),
        _ => false,
    }
}
