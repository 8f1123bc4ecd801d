//! One stack a thread, as `/threadz` of gperftools writes it: `--- Thread 7f79 (name: main/14748)
//! stack: ---`, then addresses, each with whatever else on its line; or `[same as previous
//! thread]`.

use crate::base::warnings::Warnings;
use crate::formats::legacy::draft::{Draft, Leaf};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::{Line, Lines};
use crate::formats::legacy::maps;
use crate::formats::legacy::scan::Scan;
use crate::model::profile::Profile;

/// Whether a line announces a profile of threads.
pub(crate) fn sniff(line: &str) -> bool {
    begins_list(line) || begins_thread(line)
}

pub(crate) fn decode(text: &str, warnings: &mut Warnings) -> Result<Profile, LegacyError> {
    let mut lines = Lines::new(text);
    let mut line = lines.first_of_substance();
    if line.is_some_and(|line| begins_list(line.text)) {
        line = lines.find(|line| line.begins_memory_map() || line.text.starts_with('-'));
    }
    let mut draft = Draft::new(&[("thread", "count")], ("thread", "count"), 1);
    let mut frames = Vec::new();
    while let Some(head) = line {
        if head.begins_memory_map()
            || head
                .text
                .trim_start()
                .starts_with("---- no stack trace for")
        {
            break;
        }
        if !begins_thread(head.text) {
            return Err(head.error(
                Format::Threads,
                "expected a line like \"--- Thread 7f79 (name: main/14748) stack: ---\"",
            ));
        }
        line = stack(&mut lines, &mut frames)?;
        if frames.is_empty() {
            // The same as before, or nothing to be seen: both count for the stack before, as pprof
            // has it.
            if let Some([count]) = draft.last_values() {
                *count = count.saturating_add(1);
            }
            continue;
        }
        draft
            .push(&frames, &[1], 0)
            .map_err(|problem| head.error(Format::Threads, problem))?;
    }
    let entries = maps::behind_samples(line, &mut lines, warnings);
    Ok(draft.finish(entries, Leaf::Once))
}

/// Reads a thread's frames, none when it has the stack of the thread before; gives the line behind
/// them.
fn stack<'a>(
    lines: &mut Lines<'a>,
    frames: &mut Vec<u64>,
) -> Result<Option<Line<'a>>, LegacyError> {
    frames.clear();
    let mut as_before = false;
    let mut end = None;
    for line in lines.by_ref() {
        if line.text.trim_start().starts_with("---") || line.begins_memory_map() {
            end = Some(line);
            break;
        }
        if line.text.contains("same as previous thread") {
            as_before = true;
            continue;
        }
        line.addresses(Format::Threads, line.text, frames)?;
    }
    if as_before {
        frames.clear();
    }
    // The leaf was executing; of its callers what is saved is the address behind the call.
    frames
        .iter_mut()
        .skip(1)
        .for_each(|address| *address = address.wrapping_sub(1));
    Ok(end)
}

/// `--- threadz 1 ---`
fn begins_list(line: &str) -> bool {
    behind(line, "--- threadz ")
        .is_some_and(|mut scan| scan.digits().is_some() && scan.eat(" ---").is_some())
}

/// `--- Thread 7f79 (name: main/14748) stack: ---`
fn begins_thread(line: &str) -> bool {
    let Some(mut scan) = behind(line, "--- Thread ") else {
        return false;
    };
    if scan.run(|b| b.is_ascii_hexdigit()).is_empty() || scan.eat(" (name: ").is_none() {
        return false;
    }
    let Some(end) = scan.rest().rfind(") stack: ---") else {
        return false;
    };
    let name = &scan.rest()[..end];
    let id = name.rsplit_once('/').map_or("", |(_, id)| id);
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit())
}

fn behind<'a>(line: &'a str, mark: &str) -> Option<Scan<'a>> {
    line.find(mark)
        .map(|at| Scan::new(&line[at + mark.len()..]))
}
