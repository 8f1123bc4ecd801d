//! The beginning of a file, where formats are told apart.

/// How far into a file the rules look. Names of JSON's keys come early, and an error should cost
/// little.
const LOOKED_AT: usize = 64 << 10;

/// The beginning of a file.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    /// From the first byte on.
    pub(crate) bytes: &'a [u8],
    /// The same less a byte order mark and white space.
    pub(crate) text: &'a [u8],
}

impl<'a> Start<'a> {
    /// Of these bytes.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
        let text = without_mark(bytes).trim_ascii_start();
        Self { bytes, text }
    }

    /// Whether these words occur, in letters of either case.
    pub(crate) fn has(self, words: &[&str]) -> bool {
        words.iter().all(|word| {
            self.text
                .windows(word.len())
                .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    /// Whether it is a JSON object in which these words occur, quotes included.
    pub(crate) fn object_with(self, words: &[&str]) -> bool {
        self.text.starts_with(b"{") && self.has(words)
    }

    /// Its lines that are not empty, less white space at their ends.
    pub(crate) fn lines(self) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
        lines.filter(|line| !line.is_empty())
    }
}

/// Less a byte order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
