//! Going through a JSON text without reading it: only brackets and quotes count. It takes no memory,
//! and a small part of the time that reading takes.

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// At the beginning of a text.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next byte that is not white space, a comma or a colon; `None` at the end of the text, as
    /// in all of these functions.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let rest = self.bytes.get(self.at..)?;
        let passed = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b':');
        self.at += rest.iter().take_while(|b| passed(b)).count();
        self.bytes.get(self.at).copied()
    }

    /// Goes into an object or a list if one begins here.
    pub(crate) fn enter(&mut self, bracket: u8) -> bool {
        let is_there = self.peek() == Some(bracket);
        self.at += usize::from(is_there);
        is_there
    }

    /// The next key of an object as it is written, and the place of its value; `None` also behind
    /// the last one.
    pub(crate) fn key(&mut self) -> Option<&'a [u8]> {
        if self.peek()? == b'"' {
            self.string()
        } else {
            None
        }
    }

    /// A text in quotes as it is written, without them.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at = find(self.bytes, at, |word| {
                equal(word, b'"') | equal(word, b'\\')
            })?;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                return Some(&self.bytes[start..at]);
            }
            at += 2;
        }
    }

    /// Passes a value, however deep it is.
    pub(crate) fn skip(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' | b'[' => {
                self.at += 1;
                self.leave()
            }
            b'}' | b']' => None,
            _ => {
                let rest = &self.bytes[self.at..];
                let ends = |b: &u8| b.is_ascii_whitespace() || b",:[]{}\"".contains(b);
                self.at += rest.iter().position(ends)?;
                Some(())
            }
        }
    }

    /// Goes behind the end of the object or list that this place is in.
    pub(crate) fn leave(&mut self) -> Option<()> {
        let mut depth = 1u32;
        while depth > 0 {
            // Square and curly brackets differ in this bit; no other byte becomes one by it.
            self.at = find(self.bytes, self.at, |word| {
                let curly = word | (0x20 * EACH);
                equal(curly, b'{') | equal(curly, b'}') | equal(word, b'"')
            })?;
            let found = self.bytes[self.at];
            if found == b'"' {
                self.string()?;
                continue;
            }
            self.at += 1;
            if matches!(found, b'{' | b'[') {
                depth += 1;
            } else {
                depth -= 1;
            }
        }
        Some(())
    }
}

/// A one in each byte of a word.
const EACH: u64 = u64::MAX / 0xff;

/// The highest bit of the first byte that equals this one, perhaps with bits above it.
fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (u64::from(byte) * EACH);
    zero.wrapping_sub(EACH) & !zero & (0x80 * EACH)
}

/// The next place where `hit`, which is asked for eight bytes at a time, finds a byte that is not
/// zero.
fn find(bytes: &[u8], mut at: usize, hit: impl Fn(u64) -> u64) -> Option<usize> {
    while let Some(&word) = bytes.get(at..)?.first_chunk() {
        let found = hit(u64::from_le_bytes(word));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let mut rest = bytes[at..].iter();
    let found = rest.position(|&byte| hit(u64::from(byte)) != 0);
    found.map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_passed_whole() {
        for value in [
            "1",
            "-1.5e+10",
            "null",
            "\"\"",
            r#""a long text with \"quotes\", {brackets} and \\""#,
            "[]",
            "{}",
            r#"[1,[2,[3,"]"]],{"a":{"b":"}\""}}]"#,
            "{ \"é\" : [ ] , \"\u{7b}\u{7d}\" : \"\\u007b\" }",
            "[0,\u{1}\u{5b}\u{5d}\u{3b}\u{3d}\u{2}]",
        ] {
            for before in 0..9 {
                let text = format!("{}{value},\"next\"", " ".repeat(before));
                let mut scan = Scan::new(text.as_bytes());
                assert_eq!(scan.skip(), Some(()), "{text}");
                assert_eq!(scan.at, before + value.len(), "{text}");
                assert_eq!(scan.key(), Some(&b"next"[..]), "{text}");
                assert_eq!(scan.peek(), None);
            }
            let nested = value.starts_with(['"', '[', '{']);
            for end in (0..value.len()).filter(|_| nested) {
                let cut = &value.as_bytes()[..end];
                assert_eq!(Scan::new(cut).skip(), None, "{value} cut at {end}");
            }
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}", "[{".repeat(1 << 20), "}]".repeat(1 << 20));
        let mut scan = Scan::new(deep.as_bytes());
        assert_eq!((scan.skip(), scan.at), (Some(()), deep.len()));
    }

    #[test]
    fn keys_of_an_object() {
        let mut scan = Scan::new(br#" {"a" : {"b":1}, "c\"d":[1,{"e":2}],"f":3}"#);
        assert!(!scan.enter(b'[') && scan.enter(b'{'));
        for key in [&b"a"[..], b"c\\\"d", b"f"] {
            assert_eq!(scan.key(), Some(key));
            assert_eq!(scan.skip(), Some(()));
        }
        assert_eq!((scan.key(), scan.peek()), (None, Some(b'}')));
        assert_eq!((scan.leave(), scan.peek()), (Some(()), None));
    }
}
