//! Memory by allocating stack, as gperftools and Go's runtime write it: `heap profile: 2: 96 [5:
//! 320] @ heap/1048576`, then a line a stack, `1: 64 [3: 192] @ 0x42 0x17`: objects and bytes in
//! use, in brackets all that were ever allocated. The word at the end says how samples were taken:
//!
//! | word | rate |
//! |---|---|
//! | `heap_v2/N`, `heapz_v2/N` | a sample every N bytes: values are estimated |
//! | `heap/N` (Go) | the same with N / 2 |
//! | `heapprofile`, `growthz`, `fragmentationz` | everything was counted |

use crate::base::warnings::Warnings;
use crate::formats::legacy::draft::{Draft, Leaf};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::{Line, Lines};
use crate::formats::legacy::maps;
use crate::formats::legacy::scan::{Scan, address_list, find_at_number};
use crate::formats::legacy::unsample::unsample;
use crate::model::profile::Profile;

const IN_USE: [(&str, &str); 2] = [("objects", "count"), ("space", "bytes")];
/// What is in use comes last: viewers show the last type first.
const ALLOCATED_AND_IN_USE: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

/// Whether a first line announces a heap profile.
pub(crate) fn sniff(line: &str) -> bool {
    header(line).is_some()
}

pub(crate) fn decode(text: &str, warnings: &mut Warnings) -> Result<Profile, LegacyError> {
    let mut lines = Lines::new(text);
    let unknown = || LegacyError::Whole {
        format: Format::Heap,
        problem: "there is no header".to_owned(),
    };
    let first = lines.next().ok_or_else(unknown)?;
    let header = header(first.text).ok_or_else(unknown)?;
    let sampling = header
        .sampling()
        .ok_or_else(|| first.error(Format::Heap, "unknown sampling method"))?;
    let types = if header.has_allocated {
        &ALLOCATED_AND_IN_USE[..]
    } else {
        &IN_USE[..]
    };
    let mut draft = Draft::new(types, ("space", "bytes"), sampling.period);
    let mut frames = Vec::new();
    let mut last = None;
    for line in lines.by_ref().filter(|line| !line.is_blank_or_comment()) {
        if line.begins_memory_map() {
            last = Some(line);
            break;
        }
        let row = Row::read(line, &mut frames)?;
        let (values, object_size) = row.values(line, &sampling, header.has_allocated)?;
        draft
            .push(&frames, &values[4 - types.len()..], object_size)
            .map_err(|problem| line.error(Format::Heap, problem))?;
    }
    let entries = maps::behind_samples(last, &mut lines, warnings);
    Ok(draft.finish(entries, Leaf::AsRead))
}

/// What the first line says.
struct Header<'a> {
    has_allocated: bool,
    /// `heap_v2` of `heap_v2/524288`.
    kind: &'a str,
    /// The number behind it.
    rate: &'a str,
}

fn header(line: &str) -> Option<Header<'_>> {
    let mark = "heap profile:";
    let mut scan = Scan::new(&line[line.find(mark)? + mark.len()..]);
    let [in_use, in_use_bytes, allocated, allocated_bytes] = four_numbers(scan.blanks())?;
    scan.blanks().eat("@")?;
    let kind = scan
        .blanks()
        .run(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit());
    if !["heap", "growth", "fragmentation"]
        .iter()
        .any(|start| kind.starts_with(start))
    {
        return None;
    }
    let _ = scan.eat("/");
    let rate = scan.run(|b| b.is_ascii_digit());
    let differs = |all: &str, now: &str| all != now && all != "0";
    let has_allocated = kind.starts_with("heap")
        && (differs(allocated, in_use) || differs(allocated_bytes, in_use_bytes));
    Some(Header {
        has_allocated,
        kind,
        rate,
    })
}

/// How samples were taken.
struct Sampling {
    /// As the profile's period.
    period: i64,
    /// Whether values are estimated from it.
    estimates: bool,
}

impl Header<'_> {
    fn sampling(&self) -> Option<Sampling> {
        let rate = if self.rate.is_empty() {
            0
        } else {
            self.rate.parse().ok()?
        };
        match self.kind {
            "heapz_v2" | "heap_v2" => Some(Sampling {
                period: rate,
                estimates: true,
            }),
            "heap" => Some(Sampling {
                period: rate / 2,
                estimates: true,
            }),
            "heapprofile" => Some(Sampling {
                period: 1,
                estimates: false,
            }),
            kind if !kind.starts_with("heap") => Some(Sampling {
                period: 1,
                estimates: false,
            }),
            _ => None,
        }
    }
}

/// A line of a stack: objects and bytes in use, then all that were allocated.
struct Row([i64; 4]);

impl Row {
    fn read(line: Line<'_>, frames: &mut Vec<u64>) -> Result<Self, LegacyError> {
        let error = |problem: &str| line.error(Format::Heap, problem);
        let found = find_at_number(line.text, |mut scan| {
            let numbers = four_numbers(&mut scan)?;
            scan.eat(" @")?;
            Some((numbers, address_list(&mut scan)))
        });
        let (numbers, list) =
            found.ok_or_else(|| error("expected a line like \"1: 2 [3: 4] @ 0x5\""))?;
        line.calls(Format::Heap, list, frames)?;
        let mut row = [0; 4];
        for (value, digits) in row.iter_mut().zip(numbers) {
            *value = digits
                .parse()
                .map_err(|_| error(&format!("{digits} has more than 64 bits")))?;
        }
        Ok(Self(row))
    }

    /// Allocated, then in use, and the mean size of an object.
    fn values(
        &self,
        line: Line<'_>,
        sampling: &Sampling,
        has_allocated: bool,
    ) -> Result<([i64; 4], i64), LegacyError> {
        let [in_use, in_use_bytes, allocated, allocated_bytes] = self.0;
        let mut values = [0; 4];
        let mut object_size = 0;
        let pairs = [(allocated, allocated_bytes), (in_use, in_use_bytes)];
        for (i, (count, bytes)) in pairs
            .into_iter()
            .enumerate()
            .skip(usize::from(!has_allocated))
        {
            if count == 0 && bytes != 0 {
                return Err(line.error(Format::Heap, format!("{bytes} bytes in 0 objects")));
            }
            let mut pair = (count, bytes);
            if count != 0 {
                object_size = bytes.wrapping_div(count);
                if sampling.estimates {
                    pair = unsample(count, bytes, sampling.period);
                }
            }
            (values[2 * i], values[2 * i + 1]) = pair;
        }
        Ok((values, object_size))
    }
}

/// `1: 2 [3: 4]`.
fn four_numbers<'a>(scan: &mut Scan<'a>) -> Option<[&'a str; 4]> {
    let one = scan.signed()?;
    scan.eat(":")?;
    let two = scan.blanks().signed()?;
    scan.blanks().eat("[")?;
    let three = scan.blanks().digits()?;
    scan.eat(":")?;
    let four = scan.blanks().digits()?;
    scan.blanks().eat("]")?;
    Some([one, two, three, four])
}
