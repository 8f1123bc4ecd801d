//! The formats from before `profile.proto`: what gperftools, old Go runtimes and old Java agents
//! write, and what Go's `/debug/pprof/…?debug=1` still does.
//!
//! | first bytes | what | read by |
//! |---|---|---|
//! | five words: 0, 3, 0 or 1, period, 0 | CPU, binary | `cpu`, `java` |
//! | `heap profile: 1: 2 [3: 4] @ …` | heap, growth, fragmentation | `heap` |
//! | `NAME profile: total 5` | goroutines, created threads and other counts | `count` |
//! | `--- threadz 1 ---`, `--- Thread …` | stacks of all threads | `threads` |
//! | `--- contentionz 1 ---`, `--- mutex:`, `--- contention:` | waiting for locks | `contention`, `java` |
//! | `--- heapz 1 ---` | heap of a Java program | `java` |
//!
//! The contract is what `go tool pprof` makes of the same bytes: the same samples, values,
//! locations and mappings, and the same `drop_frames`. Return addresses are moved back by one onto
//! the call. Kinder than Go: lines may be longer than 64 KiB, a list of threads may end without a
//! memory map. Stricter: numbers that would overflow are errors; leading zeros do not make a number
//! octal.

mod draft;
mod drop_frames;
mod error;
mod lines;
mod mapping_search;
mod maps;
mod readers;
mod scan;
mod unsample;

use crate::base::limits::MAX_PROFILE_BYTES;
use crate::base::warnings::{Warnings, cut};
use crate::formats::decoded::Decoded;
pub use error::{Format, LegacyError};
use readers::cpu::Words;
use readers::{contention, count, cpu, heap, java, threads};

/// The format that the first bytes announce. Looks at the first line, where blank lines and
/// comments may come before it.
pub fn sniff(bytes: &[u8]) -> Option<Format> {
    if Words::sniff(bytes).is_some() {
        return Some(Format::Cpu);
    }
    let line_end = |bytes: &[u8]| {
        bytes
            .iter()
            .position(|&b| b == b'\n')
            .unwrap_or(bytes.len())
    };
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(&bytes[..line_end(bytes).min(MAX_FIRST_LINE)]).into_owned()
    };
    let first = text(bytes);
    let first = first.trim_end_matches('\r');
    if heap::sniff(first) {
        return Some(Format::Heap);
    }
    if contention::sniff(first) {
        return Some(Format::Contention);
    }
    if first.trim() == java::HEAP {
        return Some(Format::JavaHeap);
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let line = text(rest);
        if !lines::is_blank_or_comment(&line) {
            let line = line.trim_end_matches('\r');
            let threads = threads::sniff(line).then_some(Format::Threads);
            return count::sniff(line).map(|_| Format::Count).or(threads);
        }
        rest = &rest[(line_end(rest) + 1).min(rest.len())..];
    }
    None
}

/// Longest first line that is looked at. Real ones have 100 bytes; those of other files may have
/// megabytes.
const MAX_FIRST_LINE: usize = 4096;

/// Decodes an uncompressed profile. Time is linear in its size, but for a binary search a location.
pub fn decode(bytes: &[u8]) -> Result<Decoded, LegacyError> {
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(LegacyError::TooLarge {
            length: bytes.len(),
            cap: MAX_PROFILE_BYTES,
        });
    }
    let format = sniff(bytes).ok_or_else(|| LegacyError::Unknown(cut(&beginning(bytes))))?;
    let mut warnings = Warnings::default();
    let profile = if format == Format::Cpu {
        cpu::decode(bytes, &mut warnings)?
    } else {
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            warnings.add(|| "some bytes are not UTF-8 and are read as \u{fffd}".to_owned());
        }
        match format {
            Format::Heap => heap::decode(&text, &mut warnings)?,
            Format::Count => count::decode(&text, &mut warnings)?,
            Format::Threads => threads::decode(&text, &mut warnings)?,
            Format::Contention => contention::decode(&text, &mut warnings)?,
            Format::JavaHeap | Format::Cpu => java::heap(&text)?,
        }
    };
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}

fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)])
        .lines()
        .next()
        .unwrap_or("")
        .to_owned()
}
