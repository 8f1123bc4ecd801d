//! How often each stack occurs, as Go's runtime writes its goroutines and the threads it made:
//! `goroutine profile: total 3`, then a line a stack, `2 @ 0x42 0x17`. What `debug=1` adds for
//! people, symbols included, stands in comments.

use crate::base::warnings::Warnings;
use crate::formats::legacy::draft::{Draft, Leaf};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::{Line, Lines};
use crate::formats::legacy::maps;
use crate::formats::legacy::scan::Scan;
use crate::model::profile::Profile;

/// What is counted, if a line announces a profile of counts: `goroutine` of `goroutine profile:
/// total 3`.
pub(crate) fn sniff(line: &str) -> Option<&str> {
    let (name, total) = line.split_once(" profile: total ")?;
    let is_number = !total.is_empty() && total.bytes().all(|b| b.is_ascii_digit());
    (is_number && !name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

pub(crate) fn decode(text: &str, warnings: &mut Warnings) -> Result<Profile, LegacyError> {
    let mut lines = Lines::new(text);
    let name = lines.first_of_substance().and_then(|line| sniff(line.text));
    let no_header = || LegacyError::Whole {
        format: Format::Count,
        problem: "there is no header".to_owned(),
    };
    let name = name.ok_or_else(no_header)?;
    let mut draft = Draft::new(&[(name, "count")], (name, "count"), 1);
    let mut frames = Vec::new();
    let mut last = None;
    for line in lines.by_ref().filter(|line| !line.is_blank_or_comment()) {
        if line.text.starts_with("---") || line.begins_memory_map() {
            last = Some(line);
            break;
        }
        let count = row(line, &mut frames)?;
        draft
            .push(&frames, &[count], 0)
            .map_err(|problem| line.error(Format::Count, problem))?;
    }
    let entries = maps::behind_samples(last, &mut lines, warnings);
    Ok(draft.finish(entries, Leaf::AsRead))
}

fn row(line: Line<'_>, frames: &mut Vec<u64>) -> Result<i64, LegacyError> {
    let error = |problem: &str| line.error(Format::Count, problem);
    let mut scan = Scan::new(line.text);
    let mut read = || {
        let count = scan.digits()?;
        scan.eat(" @")?;
        let list = scan.rest();
        let is_address = |word: &str| {
            word.strip_prefix("0x").is_some_and(|digits| {
                !digits.is_empty()
                    && digits
                        .bytes()
                        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            })
        };
        list.strip_prefix(' ')?
            .split(' ')
            .all(is_address)
            .then_some((count, list))
    };
    let (count, list) = read().ok_or_else(|| error("expected a line like \"1 @ 0x2 0x3\""))?;
    line.calls(Format::Count, list, frames)?;
    count
        .parse()
        .map_err(|_| error(&format!("{count} has more than 64 bits")))
}
