//! Samples of the CPU in binary words of 4 or 8 bytes, least or most significant byte first, as
//! gperftools and old Go runtimes write them:
//!
//! ```text
//! 0  3  0 (Java: 1)  period in µs  0       the header
//! count  depth  address…                   a sample, leaf first
//! 0  1  0                                  the end of the samples
//! text                                     the memory map (Java: what the addresses mean)
//! ```

use hashbrown::HashMap;

use super::java;
use crate::base::warnings::Warnings;
use crate::formats::legacy::draft::{Draft, Leaf};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::Lines;
use crate::formats::legacy::maps;
use crate::model::profile::Profile;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Bytes a word.
    width: usize,
    big_endian: bool,
}

/// The four ways.
const ALL: [Words; 4] = [
    Words {
        width: 4,
        big_endian: false,
    },
    Words {
        width: 4,
        big_endian: true,
    },
    Words {
        width: 8,
        big_endian: false,
    },
    Words {
        width: 8,
        big_endian: true,
    },
];

/// Words of the header.
const HEADER: usize = 5;

/// Most frames above the leaf that the signal handler leaves in every stack.
const HANDLER_FRAMES: usize = 2;

/// One sample in so many may lack the handler's frame.
const STRAYS: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Native,
    Java,
}

struct Header {
    words: Words,
    language: Language,
    period_micros: u64,
}

impl Words {
    /// The way in which bytes are a CPU profile's header, if they are one.
    pub(crate) fn sniff(bytes: &[u8]) -> Option<Self> {
        header(bytes).map(|header| header.words)
    }

    /// The word at an offset.
    fn at(self, bytes: &[u8], offset: usize) -> Option<u64> {
        let word = bytes.get(offset..)?.get(..self.width)?;
        let add = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
        Some(if self.big_endian {
            word.iter().fold(0, add)
        } else {
            word.iter().rev().fold(0, add)
        })
    }
}

fn header(bytes: &[u8]) -> Option<Header> {
    ALL.into_iter().find_map(|words| {
        let mut header = [0; HEADER];
        for (i, word) in header.iter_mut().enumerate() {
            *word = words.at(bytes, i * words.width)?;
        }
        match header {
            [0, 3, kind @ (0 | 1), period_micros, 0] if period_micros > 0 => {
                let language = if kind == 0 {
                    Language::Native
                } else {
                    Language::Java
                };
                Some(Header {
                    words,
                    language,
                    period_micros,
                })
            }
            _ => None,
        }
    })
}

pub(crate) fn decode(bytes: &[u8], warnings: &mut Warnings) -> Result<Profile, LegacyError> {
    let error = |offset: usize, problem: String| LegacyError::Word {
        format: Format::Cpu,
        offset,
        problem,
    };
    let Some(Header {
        words,
        language,
        period_micros,
    }) = header(bytes)
    else {
        return Err(error(0, "there is no header".to_owned()));
    };
    let period = i64::try_from(period_micros)
        .ok()
        .and_then(|micros| micros.checked_mul(1000));
    let period = period.ok_or_else(|| {
        error(
            3 * words.width,
            format!("invalid period: {period_micros} µs"),
        )
    })?;
    let types = [("samples", "count"), ("cpu", "nanoseconds")];
    let mut draft = Draft::new(&types, ("cpu", "nanoseconds"), period);
    let end = samples(bytes, words, language, &mut draft)?;
    let text = String::from_utf8_lossy(&bytes[end..]);
    if language == Language::Java {
        return Ok(draft.finish_symbolised(&java::symbols(&mut Lines::new(&text), Format::Cpu)?));
    }
    take_handler(&mut draft);
    let entries = maps::read(&mut Lines::new(&text), warnings);
    Ok(draft.finish(entries, Leaf::Once))
}

/// Reads the samples; gives the offset behind them.
fn samples(
    bytes: &[u8],
    words: Words,
    language: Language,
    draft: &mut Draft,
) -> Result<usize, LegacyError> {
    let mut frames = Vec::new();
    let mut offset = HEADER * words.width;
    while offset < bytes.len() {
        let error = |problem: String| LegacyError::Word {
            format: Format::Cpu,
            offset,
            problem,
        };
        let cut_short = || error("the profile ends inside a sample".to_owned());
        let count = words.at(bytes, offset).ok_or_else(cut_short)?;
        let depth = words
            .at(bytes, offset + words.width)
            .ok_or_else(cut_short)?;
        let start = offset + 2 * words.width;
        let room = (bytes.len() - start) / words.width;
        let depth = usize::try_from(depth).ok().filter(|&depth| depth <= room);
        let depth =
            depth.ok_or_else(|| error(format!("a stack is deeper than the {room} words left")))?;
        frames.clear();
        frames.extend((0..depth).filter_map(|i| words.at(bytes, start + i * words.width)));
        let end = start + depth * words.width;
        if count == 0 && frames == [0] {
            return Ok(end);
        }
        if language == Language::Native {
            // The leaf was executing; of its callers what is saved is the address behind the call.
            frames
                .iter_mut()
                .skip(1)
                .for_each(|address| *address = address.wrapping_sub(1));
        }
        let count = i64::try_from(count)
            .ok()
            .and_then(|count| Some((count, count.checked_mul(draft.period)?)));
        let (count, nanos) =
            count.ok_or_else(|| error("a sample's time exceeds 64 bits".to_owned()))?;
        draft.push(&frames, &[count, nanos], 0).map_err(error)?;
        offset = end;
    }
    // The mark of the end is missing, but no sample is.
    Ok(offset)
}

/// Takes out what the signal handler has pushed below the leaf: a caller that (nearly) all samples
/// share.
///
/// The leaf itself is right, for it comes from the signal's context and not from unwinding.
fn take_handler(draft: &mut Draft) {
    let enough = draft.len() - draft.len() / STRAYS;
    for _ in 0..HANDLER_FRAMES {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        draft
            .leaf_callers()
            .for_each(|caller| *counts.entry(caller).or_default() += 1);
        let Some((handler, _)) = counts.into_iter().find(|&(_, count)| count >= enough) else {
            return;
        };
        draft.take_leaf_callers(|_, caller| caller == handler);
    }
}
