//! Which fields the heads of a text have. All heads of one choice (`-F`) have the same, which lines
//! of other programs with a time in them have not.

use super::line::{Header, frame, header, record, timeless_header};
use crate::imports::rows::lines;

/// How many lines are looked at: some stacks.
const FIRST: usize = 4096;

/// What a head has. A period and a processor are not among it: they differ between the events of
/// one recording. The order decides between kinds of heads that are equally frequent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fields {
    time: bool,
    thread: bool,
    event: bool,
    /// Nothing or a frame behind it, or the fields of its event.
    plain: bool,
}

impl Fields {
    /// Of a head.
    pub(super) fn of(header: &Header<'_>) -> Self {
        let event = header.event.is_some();
        Self {
            time: header.time.is_some(),
            thread: !header.thread.is_empty(),
            event,
            plain: event || header.rest.trim().is_empty() || frame(header.rest).is_some(),
        }
    }

    /// Of most heads of a text: those with a frame and those that begin a block count first. `None`
    /// for a text without heads at its beginning.
    pub(super) fn usual(bytes: &[u8]) -> Option<Self> {
        let mut kinds: Vec<(Self, usize, usize)> = Vec::new();
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
            let fields = head.as_ref().map(Self::of);
            let fields = fields.or_else(|| is_stack.then(|| Self::of(&Header::of_comm(""))));
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
        most.map(|(kind, ..)| kind)
    }
}

/// Whether a line is a frame: these are indented, which words that look like an address are not.
pub(super) fn is_frame(line: &str) -> bool {
    line.starts_with([' ', '\t']) && frame(line).is_some()
}
