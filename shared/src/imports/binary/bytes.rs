//! Numbers in a file, the least byte first, at the places that it says.

/// A number at a place; `None` beyond the end.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// See [`u16_at`].
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// See [`u16_at`].
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The same as a place in the file.
pub(super) fn place_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(bytes, at)?).ok()
}

/// A part of the file, `length` bytes from `start` on.
pub(super) fn part(bytes: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    bytes.get(start..start.checked_add(length)?)
}

/// A text at a place, which ends at a zero.
pub(super) fn text_at(bytes: &[u8], at: usize) -> Option<std::borrow::Cow<'_, str>> {
    let text = bytes.get(at..)?;
    let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
    Some(String::from_utf8_lossy(&text[..end]))
}
