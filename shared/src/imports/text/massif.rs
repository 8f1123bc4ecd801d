//! Profiles of the heap by Valgrind's massif.
//!
//! Source: "Massif: a heap profiler" in the manual of Valgrind, and `massif/ms_main.c`.
//!
//! - A file is a list of snapshots, of which some have a tree: what allocated how many bytes, with
//!   the callers below. Read are the one at the peak and the last one behind it, as two sample
//!   types.
//! - What massif left out for being small is one frame.
//! - Lines of other programs are left out with a warning.

use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::{FIRST_LINES, Start};
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, valgrind_location};
use crate::imports::outline::{Below, Outline};
use crate::imports::rows::{Rows, lines};
use crate::model::id::LocationId;

/// What it is called in messages.
pub(crate) const NAME: &str = "massif profile";

const SMALL: &str = "(below massif's threshold)";

/// Whether it begins as massif begins.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.lines().take(FIRST_LINES);
    lines.any(|line| line.starts_with(b"desc:")) && start.has(&["\ncmd:", "\ntime_unit:"])
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let (mut peak, mut last, mut is_tree) = (None, None, false);
    for (number, line) in lines(bytes) {
        match &*line {
            "heap_tree=peak" => peak = Some(number),
            "heap_tree=detailed" => last = Some(number),
            line if is_tree && is_node(line) => continue,
            line if is_head(line) => {}
            line => {
                rows.warn_left_out(number, "not in massif's format", line);
                continue;
            }
        }
        // A blank line ends nothing.
        is_tree = line.starts_with("heap_tree=") || is_tree && line.is_empty();
    }
    if peak > last {
        last = None;
    }
    for (snapshot, kind) in [(peak, "peak_space"), (last, "inuse_space")] {
        if let Some(snapshot) = snapshot {
            let column = rows.sample_type(kind, "bytes")?;
            tree(&mut rows, bytes, snapshot, column)?;
        }
    }
    if peak.is_some() {
        let default = rows.builder.string("peak_space");
        rows.builder.header().default_sample_type = default;
    }
    rows.finish()
}

/// Reads the tree below a line.
fn tree(rows: &mut Rows, bytes: &[u8], head: usize, column: usize) -> Result<(), FormatError> {
    let mut tree = Outline::new(Below::Callers, column);
    let mut heap: Option<i64> = None;
    for (number, line) in lines(bytes) {
        if number <= head {
            if let Some(bytes) = line.strip_prefix("mem_heap_B=") {
                heap = bytes.parse().ok();
            }
            continue;
        }
        if line.starts_with('#') {
            break;
        }
        // Others are noted.
        if !is_node(&line) {
            continue;
        }
        let error = |problem: String| FormatError::at_line(NAME, number, problem);
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let (bytes, name) = node(text).ok_or_else(|| {
            error(format!(
                "expected a line like \"n1: 234 function\", got {:?}",
                cut(&line)
            ))
        })?;
        if indent == 0 && heap.is_some_and(|heap| heap != bytes) {
            let heap = heap.unwrap_or(0);
            rows.warnings.add(|| {
                format!("line {number}: the tree has {bytes} bytes, but the heap has {heap}")
            });
        }
        let location = if name.contains("massif's threshold") {
            named(rows, SMALL)
        } else if indent == 0 && name.starts_with('(') {
            // `(heap allocation functions) malloc/new/new[], --alloc-fns, etc.`
            let end = name.find(')').map_or(name.len(), |end| end + 1);
            named(rows, &name[..end])
        } else {
            valgrind_location(name, &mut rows.builder)
        };
        tree.push(rows, indent, Some(location), bytes)
            .map_err(error)?;
        rows.check()?;
    }
    tree.finish(rows)
}

fn named(rows: &mut Rows, name: &str) -> LocationId {
    let name = rows.builder.string(name);
    Frame::named(name).location(&mut rows.builder)
}

/// Whether a line stands outside of trees, or is blank.
fn is_head(line: &str) -> bool {
    let is_key = |key: &str| key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let has_value = || line.split_once('=').is_some_and(|(key, _)| is_key(key));
    let begins = ["#", "desc:", "cmd:", "time_unit:"];
    line.is_empty() || begins.iter().any(|begin| line.starts_with(begin)) || has_value()
}

/// Whether a line is a node of a tree, be it damaged.
fn is_node(line: &str) -> bool {
    let node = line.trim_start_matches(' ').strip_prefix('n');
    node.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Bytes and name of `n2: 1234 0x109164: f (a.c:4)`.
fn node(text: &str) -> Option<(i64, &str)> {
    let (count, rest) = text.strip_prefix('n')?.split_once(": ")?;
    let (bytes, name) = rest.split_once(' ')?;
    let is_count = count.bytes().all(|b| b.is_ascii_digit());
    Some((bytes.parse().ok().filter(|_| is_count)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const HEAD: &str = "desc: --massif-out-file=x\ncmd: ./m\ntime_unit: i\n";
    const TREE: &str = "#-----------\nsnapshot=3\n#-----------\ntime=7\nmem_heap_B=159\n\
        mem_heap_extra_B=62\nmem_stacks_B=0\nheap_tree=peak\n\
        n2: 159 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n\
        \x20n2: 150 0x10: a (m.c:4)\n  n0: 100 0x20: main (m.c:7)\n  n1: 45 0x30: b (in /bin/m)\n\
        \x20  n0: 45 0x40: main (m.c:9)\n n0: 9 in 3 places, all below massif's threshold (1.00%)\n";

    #[test]
    fn the_peak_and_what_comes_behind_it() {
        let text = format!(
            "{HEAD}#-----------\nsnapshot=2\n#-----------\nmem_heap_B=1\nheap_tree=detailed\n\
             n0: 1 (heap allocation functions) malloc\n{TREE}#-----------\nsnapshot=4\n\
             #-----------\nmem_heap_B=5\nheap_tree=detailed\n\
             n1: 5 (heap allocation functions) malloc\n n0: 5 0x20: main (m.c:7)\n\
             #-----------\nsnapshot=5\n#-----------\nmem_heap_B=0\nheap_tree=empty\n"
        );
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "peak_space/bytes\ninuse_space/bytes\n\
             main m.c:7;a m.c:4;(heap allocation functions) 100 0\n\
             main m.c:9;b;a m.c:4;(heap allocation functions) 45 0\n\
             a m.c:4;(heap allocation functions) 5 0\n\
             (below massif's threshold);(heap allocation functions) 9 0\n\
             main m.c:7;(heap allocation functions) 0 5\n"
        );
        assert_eq!(
            (decoded.profile.total(0), decoded.profile.total(1)),
            (159, 5)
        );
        assert_eq!(decoded.warnings.len(), 0);
        assert_eq!(decoded.profile.default_type(), 0);
    }

    #[test]
    fn what_is_wrong() {
        let text = format!("{HEAD}{}", TREE.replace("mem_heap_B=159", "mem_heap_B=160"));
        assert_eq!(
            decode(text.as_bytes()).expect("good").warnings,
            ["line 12: the tree has 159 bytes, but the heap has 160"]
        );
        let text = format!("{HEAD}{TREE} n1 x\n");
        let error = decode(text.as_bytes()).expect_err("is damaged").to_string();
        assert_eq!(
            error,
            "massif profile, line 18: expected a line like \"n1: 234 function\", got \" n1 x\""
        );
        let error = decode(HEAD.as_bytes()).expect_err("nothing").to_string();
        assert_eq!(error, "massif profile: there are no samples");
    }
}
