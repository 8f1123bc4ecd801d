//! What `perf script` prints of a sample besides its frames: branches (`-F +brstack`, `+brstacksym`)
//! and the bytes of the instruction (`+insn`). It stands behind a frame, or below the last one.

use super::line::header;

/// The part of a line that is before its branches or its instruction; `None` for a line without.
pub(super) fn before(line: &str) -> Result<Option<&str>, String> {
    if line.starts_with('\t') && line.contains("\tinsn: ") {
        return Err("listings of branches (brstackinsn) are not read; run perf script with +brstack instead".to_owned());
    }
    for field in [" ilen: ", " insn: "] {
        if let Some((before, _)) = line.split_once(field) {
            return Ok(Some(before));
        }
    }
    let Some(first) = first(line) else {
        return Ok(None);
    };
    // Addresses of branches begin so, those of frames do not.
    if let Some((before, _)) = line[..first].split_once(" 0x") {
        return Ok(Some(before));
    }
    if header(line).is_some() {
        return Err("the name of a branch runs into that of the frame; run perf script with +brstack instead of +brstacksym".to_owned());
    }
    Ok(Some(""))
}

/// Where the first branch has its flags: `/P/-/-/0` or `/MN/X/A/12/CALL/-`, behind both addresses.
fn first(line: &str) -> Option<usize> {
    let mut slashes = line.match_indices('/').map(|(at, _)| at);
    slashes.find(|&at| {
        let mut fields = line[at + 1..].split('/');
        let mut next = || fields.next().unwrap_or("");
        let (prediction, transaction, abort, cycles) = (next(), next(), next(), next());
        matches!(prediction, "P" | "M" | "-" | "PN" | "MN" | "N")
            && matches!(transaction, "X" | "-")
            && matches!(abort, "A" | "-")
            && cycles.starts_with(|c: char| c.is_ascii_digit())
    })
}
