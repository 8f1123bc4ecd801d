//! What formats are told apart by: the beginning of a file, and the keys of one in JSON.

use crate::formats::json::format::JsonFormat;

/// How far into a file the rules for bytes and texts look: an error should cost little.
const LOOKED_AT: usize = 64 << 10;

/// How many lines of a text are looked at where lines of other programs may come first.
pub(crate) const FIRST_LINES: usize = 16;

/// The beginning of a file, and its format if that is one in JSON.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    /// From the first byte on.
    pub(crate) bytes: &'a [u8],
    /// The same less a byte order mark and white space.
    pub(crate) text: &'a [u8],
    /// Told by its keys, wherever they are.
    pub(crate) json: Option<JsonFormat>,
}

impl<'a> Start<'a> {
    /// Of these bytes.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let json = JsonFormat::of(bytes);
        let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
        let text = without_mark(bytes).trim_ascii_start();
        Self { bytes, text, json }
    }

    /// Whether these words occur, in letters of either case.
    pub(crate) fn has(self, words: &[&str]) -> bool {
        words.iter().all(|word| {
            self.text
                .windows(word.len())
                .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    /// Its lines that are not empty, less white space at their ends.
    pub(crate) fn lines(self) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
        lines.filter(|line| !line.is_empty())
    }

    /// The same of those that are UTF-8.
    pub(crate) fn texts(self) -> impl Iterator<Item = &'a str> {
        self.lines().filter_map(|line| str::from_utf8(line).ok())
    }
}

/// Less a byte order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
