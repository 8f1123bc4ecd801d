//! Reports of macOS's `sample` and of "Sample Process" in Activity Monitor.
//!
//! Source: the manual page sample(1), and reports in public issues of macOS 10.5 to 15.
//!
//! - Below `Call graph:` is a tree for each thread, a function a line: how many samples it was in,
//!   its name, its library, addresses. What stands before the number draws lines and means nothing.
//! - Threads are the label `thread`, dispatch queues the label `queue`.
//! - A function without a name is its address in its library, where that is known.

use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, hex_address};
use crate::imports::outline::{Below, Outline};
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LabelSetId, LocationId, StringId};

/// What it is called in messages.
pub(crate) const NAME: &str = "macOS sample report";

const TREE: &str = "Call graph:";
/// What may come behind the tree.
const ENDS: [&str; 3] = [
    "Total number in stack",
    "Sort by top of stack",
    "Binary Images:",
];
/// What draws the lines of the tree.
const LINES: [char; 5] = [' ', '+', '!', ':', '|'];
const UNKNOWN: &str = "???";

/// Whether it says that it is one, and has a tree.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let begins = |word: &[u8]| start.lines().any(|line| line.starts_with(word));
    (begins(b"Analysis of sampling ") || begins(b"Analysis Tool:")) && begins(TREE.as_bytes())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let samples = rows.sample_type("samples", "count")?;
    let mut tree = Outline::new(Below::Callees, samples);
    let (mut is_tree, mut unread) = (false, 0u64);
    for (number, line) in lines(bytes) {
        if line.starts_with(TREE) {
            is_tree = true;
        } else if ENDS.iter().any(|end| line.starts_with(end)) {
            is_tree = false;
        } else if is_tree && !line.is_empty() {
            let error = |problem: String| FormatError::at_line(NAME, number, problem);
            let text = line.trim_start_matches(LINES);
            let indent = line.len() - text.len();
            let Some((count, name)) = counted(text) else {
                unread += 1;
                rows.warnings.add(|| {
                    format!(
                        "line {number} is not a function and was skipped: {:?}",
                        cut(&line)
                    )
                });
                continue;
            };
            tree.close(&mut rows, indent);
            let location = if tree.depth() == 0 {
                tree.labels = thread(&mut rows, name);
                None
            } else {
                Some(location(&mut rows, name))
            };
            tree.push(&mut rows, indent, location, count)
                .map_err(error)?;
            rows.check()?;
        }
    }
    tree.finish(&mut rows)?;
    if unread > 0 {
        rows.warnings.add(|| {
            format!("the samples of {unread} skipped lines count toward the functions above them")
        });
    }
    rows.finish()
}

/// The number of a line and what it counts.
fn counted(text: &str) -> Option<(i64, &str)> {
    let (count, name) = text.split_once(' ')?;
    let is_number = count.bytes().all(|b| b.is_ascii_digit());
    Some((count.parse().ok().filter(|_| is_number)?, name.trim()))
}

/// The labels of `Thread_18   DispatchQueue_1: com.apple.main-thread  (serial)`.
fn thread(rows: &mut Rows, name: &str) -> Option<LabelSetId> {
    let (thread, queue) = match name.split_once("DispatchQueue_") {
        Some((thread, queue)) => (thread.trim(), queue.split_once(": ").map(|(_, name)| name)),
        None => (name, None),
    };
    let mut labels = vec![rows.text("thread", thread)];
    if let Some(queue) = queue {
        let queue = queue.split("  (").next().unwrap_or(queue);
        labels.push(rows.text("queue", queue));
    }
    rows.builder.label_set(&mut labels)
}

/// The function of `start  (in dyld) + 1,7,...  [0x7fff7,...]  a.c:5` or
/// `???  (in x)  load address 0x1000 + 0x28  [0x1028]`.
fn location(rows: &mut Rows, text: &str) -> LocationId {
    let (name, rest) = text.split_once("  (in ").unwrap_or((text, ""));
    let (library, rest) = rest.split_once(')').unwrap_or((rest, ""));
    let mut frame = Frame::named(StringId::EMPTY);
    frame.mapping = rows.module(library);
    let (place, source) = match rest.rsplit_once(']') {
        Some((place, source)) => (place, source.trim()),
        None => (rest, ""),
    };
    if name == UNKNOWN {
        let offset = place
            .split_once("load address ")
            .and_then(|(_, rest)| rest.split_once(" + ")?.1.split_ascii_whitespace().next());
        let address = place
            .rsplit_once('[')
            .and_then(|(_, rest)| rest.split(',').next());
        let known = offset.or(address).and_then(hex_address);
        frame.address = known.unwrap_or(0);
    }
    if frame.address == 0 {
        frame.name = rows.builder.string(name);
        if let Some((file, line)) = source.rsplit_once(':') {
            frame.file = rows.builder.string(file);
            frame.line = line.parse().unwrap_or(0);
        }
    }
    frame.location(&mut rows.builder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const TEXT: &str = "Analysis of sampling a.out (pid 77) every 1 millisecond\n\
        Process:         a.out [77]\nAnalysis Tool:   /usr/bin/sample\n----\n\nCall graph:\n\
        \x20   26 Thread_18   DispatchQueue_1: com.apple.main-thread  (serial)\n\
        \x20   + 25 start  (in libdyld.dylib) + 1  [0x7fff7]\n\
        \x20   + ! 20 main  (in a.out) + 4,9,...  [0x10,0x15,...]  a.c:5\n\
        \x20   + ! : 12 f(int, char)  (in a.out) + 3  [0x20]\n\
        \x20   + ! 5 -[NSView draw:]  (in AppKit) + 3  [0x20]\n\
        \x20   + 1 ???  (in OpenCL)  load address 0x1000 + 0x28  [0x1028]\n\
        \x20   9 Thread_19: com.apple.NSEventThread\n\
        \x20     9 ???  (in <unknown binary>)  [0x99]\n\
        \x20     odd\n\
        \nTotal number in stack (recursive counted multiple, when >=5):\n\
        \x20       7       f  (in a.out) + 0  [0x1]\n\nBinary Images:\n";

    #[test]
    fn each_thread_is_a_tree() {
        assert!(sniff(Start::of(TEXT.as_bytes())));
        let decoded = decode(TEXT.as_bytes()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\n\
             start;main a.c:5;f(int, char) thread=Thread_18 queue=com.apple.main-thread 12\n\
             start;main a.c:5 thread=Thread_18 queue=com.apple.main-thread 8\n\
             start;-[NSView draw:] thread=Thread_18 queue=com.apple.main-thread 5\n\
             0x28 [OpenCL] thread=Thread_18 queue=com.apple.main-thread 1\n\
             0x99 [<unknown binary>] thread=Thread_19: com.apple.NSEventThread 9\n"
        );
        assert_eq!(decoded.profile.total(0), 26 + 9);
        assert_eq!(decoded.profile.mappings().len(), 5);
        assert_eq!(
            decoded.warnings,
            [
                "line 15 is not a function and was skipped: \"      odd\"",
                "the samples of 1 skipped lines count toward the functions above them"
            ]
        );
    }

    #[test]
    fn what_is_wrong() {
        let text = "Analysis of sampling a (pid 7) every 1 millisecond\nCall graph:\n";
        let error = decode(text.as_bytes()).expect_err("nothing").to_string();
        assert_eq!(error, format!("{NAME}: there are no samples"));
        let text = format!("{text}    5 Thread_1\n      7 f  (in a) + 1  [0x1]\n");
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            decoded.warnings,
            [
                "1 functions have smaller values than their callees, so their self values are set to 0"
            ]
        );
        assert!(!sniff(Start::of(b"Call graph:\n    5 Thread_1\n")));
    }
}
