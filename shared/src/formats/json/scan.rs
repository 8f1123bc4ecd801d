//! Going through a JSON text without reading it: only brackets and quotes count. It takes no memory,
//! and a small part of the time that reading takes.

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// At the beginning of a text, behind a byte order mark.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self { bytes, at }
    }

    /// The next byte that is not white space, a comma or a colon; `None` at the end of the text, as
    /// in all of these functions.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                ..=b' ' | b',' | b':' => self.at += 1,
                found => return Some(found),
            }
        }
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
        loop {
            match self.peek()? {
                b'"' => return self.string(),
                b'{' | b'}' | b'[' | b']' => return None,
                // Of a number or a word, which is the value before.
                _ => self.at += 1,
            }
        }
    }

    /// A text in quotes as it is written, without them.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at = find(self.bytes, at, [b'\\'; 2], 0)?;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                return Some(&self.bytes[start..at]);
            }
            at += 2;
        }
    }

    /// Passes a value, however deep it is; of a number or a word only a byte, for neither is a key nor
    /// a bracket.
    pub(crate) fn skip(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'}' | b']' => None,
            found => {
                self.at += 1;
                if matches!(found, b'{' | b'[') {
                    self.leave()
                } else {
                    Some(())
                }
            }
        }
    }

    /// Goes behind the end of the object or list that this place is in.
    pub(crate) fn leave(&mut self) -> Option<()> {
        let mut depth = 1u32;
        while depth > 0 {
            // Square and curly brackets differ in this bit; no other byte becomes one by it.
            self.at = find(self.bytes, self.at, [b'{', b'}'], 0x20)?;
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

/// The next place of a quote, or of a byte that is one of two when these bits are set in it. Eight
/// bytes are looked at in one step.
fn find(bytes: &[u8], mut at: usize, others: [u8; 2], bits: u8) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        let mut word = [0; 8];
        match rest.first_chunk() {
            Some(chunk) => word = *chunk,
            None => word[..rest.len()].copy_from_slice(rest),
        }
        let word = u64::from_le_bytes(word);
        let changed = word | (u64::from(bits) * EACH);
        let found = equal(word, b'"') | equal(changed, others[0]) | equal(changed, others[1]);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
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
        assert_eq!((scan.skip(), scan.peek()), (Some(()), None));
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
