//! What `perf script` prints of a sample besides its frames: branches (`-F +brstack`, `+brstacksym`)
//! and the bytes of the instruction (`+insn`). It stands behind a frame, or below the last one.

use super::line::header;

/// The part of a line that is before its branches or its instruction; `None` for a line without.
pub(super) fn before(line: &str) -> Result<Option<&str>, String> {
    if let Some(at) = find(line, b"insn: ") {
        let before = &line[..at];
        if before.ends_with('\t') {
            return Err("branch listings (brstackinsn) are not supported; run perf script with +brstack instead".to_owned());
        }
        return Ok(Some(before));
    }
    let Some(first) = first(line) else {
        return Ok(None);
    };
    // Addresses of branches begin so, those of frames do not.
    if let Some(at) = find(&line[..first], b" 0x") {
        return Ok(Some(&line[..at]));
    }
    if header(line).is_some() {
        return Err("the branch name runs into the frame name; run perf script with +brstack instead of +brstacksym".to_owned());
    }
    Ok(Some(""))
}

fn find(line: &str, word: &[u8]) -> Option<usize> {
    let mut parts = line.as_bytes().windows(word.len());
    parts.position(|part| part == word)
}

/// Where the first branch has its flags: `/P/-/-/0` or `/MN/X/A/12/CALL/-`, behind both addresses.
fn first(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    (0..bytes.len()).find(|&at| bytes[at] == b'/' && begins_with_flags(&bytes[at + 1..]))
}

fn begins_with_flags(text: &[u8]) -> bool {
    let prediction = text.iter().take_while(|b| b"PMN-".contains(b)).count();
    matches!(prediction, 1 | 2)
        && matches!(
            text[prediction..],
            [b'/', b'X' | b'-', b'/', b'A' | b'-', b'/', b'0'..=b'9', ..]
        )
}
