//! Text → [`Profile`](crate::Profile).

use std::borrow::Cow;

use hashbrown::HashMap;

use super::FoldedError;
use crate::builder::ProfileBuilder;
use crate::id::{LocationId, StackId, StringId};
use crate::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use crate::pprof::Decoded;
use crate::profile::{Function, Line};
use crate::warnings::{Warnings, cut};

/// How many lines decide what a text is, and in how many bytes they are looked for. A line of a deep Java stack has 3 kB.
const LINES_LOOKED_AT: usize = 16;
const BYTES_LOOKED_AT: usize = 64 << 10;

/// Whether a text looks like folded stacks, by its first lines: more than half of them end in a number, and one of these
/// has a `;`; or, as far as there are only stacks of one frame, all of them end in one.
///
/// Headers of other formats (`pid: 41`) and prose end in a number now and then; a blank line or a `#` comment counts
/// neither way.
pub fn sniff(bytes: &[u8]) -> bool {
    let Some((text, _)) = text(&bytes[..bytes.len().min(BYTES_LOOKED_AT)]) else { return false };
    // Where text was cut off, the last line says nothing.
    let whole = if bytes.len() > BYTES_LOOKED_AT { text.rfind('\n').map_or("", |end| &text[..end]) } else { &text };
    let lines = whole.lines().filter(|line| !is_comment(line)).take(LINES_LOOKED_AT);
    let (mut seen, mut stacks, mut deep) = (0, 0, 0);
    for line in lines {
        // Other text files have no control characters, and binary ones soon have some.
        if line.contains(|c: char| c.is_control() && c != '\t') {
            return false;
        }
        seen += 1;
        let Some((stack, _)) = value(line) else { continue };
        stacks += usize::from(!stack.is_empty());
        deep += usize::from(stack.contains(';'));
    }
    stacks > 0 && (stacks == seen || (deep > 0 && stacks * 2 > seen))
}

/// Decodes text. Time and memory are linear in its size.
pub fn decode(bytes: &[u8]) -> Result<Decoded, FoldedError> {
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(FoldedError::TooLarge { length: bytes.len(), cap: MAX_PROFILE_BYTES });
    }
    let mut warnings = Warnings::default();
    let (text, damaged) = text(bytes).unwrap_or((Cow::Borrowed(""), false));
    if damaged {
        warnings.add(|| "some of it is not valid text and is read as \u{fffd}".to_owned());
    }
    let mut reader = Reader::new();
    let mut saturated = 0;
    for (number, line) in (1..).zip(text.lines()) {
        match value(line) {
            Some((stack, value)) => saturated += reader.add(number, stack, value)?,
            None if is_comment(line) => {}
            None => {
                warnings.add(|| format!("line {number} does not end in a whole number and is left out: {:?}", cut(line)))
            }
        }
    }
    if saturated > 0 {
        warnings.add(|| format!("{saturated} sums of equal stacks go beyond 64 bits and are cut off there"));
    }
    if reader.builder.profile().is_empty() {
        return Err(FoldedError::NoStack(cut(text.lines().find(|line| !line.trim().is_empty()).unwrap_or(""))));
    }
    Ok(Decoded { profile: reader.builder.finish(), warnings: warnings.finish() })
}

/// Bytes as text, and whether some of them were not; `None` for UTF-16 of an odd length.
fn text(bytes: &[u8]) -> Option<(Cow<'_, str>, bool)> {
    let wide = |unit: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.as_chunks().0.iter().map(|&pair| unit(pair));
        let mut damaged = bytes.len() % 2 == 1;
        let chars = char::decode_utf16(units).map(|c| {
            damaged |= c.is_err();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        let text: String = chars.collect();
        (text.into(), damaged)
    };
    Some(match bytes {
        [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => {
            let text = String::from_utf8_lossy(rest);
            let damaged = matches!(text, Cow::Owned(_));
            (text, damaged)
        }
    })
}

/// Stack and value of a line.
fn value(line: &str) -> Option<(&str, i64)> {
    let (stack, value) = line.trim_end().rsplit_once([' ', '\t'])?;
    // `parse` takes a plus, which no writer writes.
    value.parse().ok().filter(|_| !value.starts_with('+')).map(|value| (stack, value))
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.trim().is_empty()
}

struct Reader<'a> {
    builder: ProfileBuilder,
    /// A location for each name: found with one look instead of four.
    locations: HashMap<&'a str, LocationId>,
    /// The sample of each stack.
    rows: HashMap<Option<StackId>, usize>,
}

impl<'a> Reader<'a> {
    fn new() -> Self {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("samples", "count");
        Self { builder, locations: HashMap::new(), rows: HashMap::new() }
    }

    /// Adds a line; says how many sums went beyond 64 bits.
    fn add(&mut self, line: u64, stack: &'a str, value: i64) -> Result<u64, FoldedError> {
        let frames = || stack.split(';').filter(|name| !name.is_empty());
        let depth = frames().count();
        if depth > MAX_STACK_DEPTH {
            return Err(FoldedError::TooDeep { line, depth, cap: MAX_STACK_DEPTH });
        }
        let stack = frames().fold(None, |parent, name| {
            let location = self.location(name);
            Some(self.builder.stack(parent, location))
        });
        match self.rows.get(&stack) {
            Some(&row) => Ok(self.builder.add_values(row, &[value])),
            None => {
                self.rows.insert(stack, self.builder.profile().len());
                self.builder.sample(stack, None, &[value]);
                Ok(0)
            }
        }
    }

    fn location(&mut self, name: &'a str) -> LocationId {
        if let Some(&location) = self.locations.get(name) {
            return location;
        }
        let text = self.builder.string(name);
        let row = Function { name: text, system_name: text, file: StringId::EMPTY, start_line: 0 };
        let function = self.builder.function(row);
        let location = self.builder.location(None, 0, false, &[Line { function: Some(function), line: 0, column: 0 }]);
        self.locations.insert(name, location);
        location
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::encode;

    /// What is read, written again, and the warnings.
    fn check(text: &[u8], expect: &str, warnings: &[&str]) {
        let decoded = decode(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        assert_eq!(encode(&decoded.profile, 0, 1 << 20).as_deref(), Ok(expect));
        assert_eq!(decoded.warnings, warnings);
    }

    fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn lines_are_stacks() {
        check(b"main;b 5\r\nmain;a 7\nmain;b 2", "main;a 7\nmain;b 7\n", &[]);
        check(
            "std::vec<int, é>;operator new(unsigned long) 3 \n".as_bytes(),
            "std::vec<int, é>;operator new(unsigned long) 3\n",
            &[],
        );
        check(b"a\t1\n  b;c -2\n;;d; 3\n 4\n#x 5\n", " 4\n  b;c -2\n#x 5\na 1\nd 3\n", &[]);
        check(
            b"a 9223372036854775807\na 1\n",
            "a 9223372036854775807\n",
            &["1 sums of equal stacks go beyond 64 bits and are cut off there"],
        );
    }

    #[test]
    fn text_of_several_kinds() {
        check(b"\xef\xbb\xbfa;b 1\n", "a;b 1\n", &[]);
        for text in [wide("a;é 1\r\nb 2", u16::to_le_bytes), wide("a;é 1\r\nb 2", u16::to_be_bytes)] {
            check(&text, "a;é 1\nb 2\n", &[]);
        }
        check(b"a;\xff 1\n", "a;\u{fffd} 1\n", &["some of it is not valid text and is read as \u{fffd}"]);
    }

    #[test]
    fn lines_without_a_value_are_left_out() {
        let left_out = |line, text| format!("line {line} does not end in a whole number and is left out: {text:?}");
        let warnings =
            [left_out(3, "// two"), left_out(6, "a;b"), left_out(7, "12"), left_out(8, "a 1.5"), left_out(9, "a +1")];
        let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
        check(b"# one\n\n// two\na 1\n#\na;b\n12\na 1.5\na +1\n", "a 1\n", &warnings);
        assert_eq!(decode(b"\nhello\n").unwrap_err(), FoldedError::NoStack("hello".to_owned()));
        assert_eq!(decode(b"").unwrap_err(), FoldedError::NoStack(String::new()));
        let deep = format!("a 1\n{} 1", "a;".repeat(MAX_STACK_DEPTH + 1));
        let too_deep = FoldedError::TooDeep { line: 2, depth: MAX_STACK_DEPTH + 1, cap: MAX_STACK_DEPTH };
        assert_eq!(decode(deep.as_bytes()).unwrap_err(), too_deep);
    }

    #[test]
    fn knows_its_own() {
        for text in ["a;b 1", "a 1\nb 2\n", "// x\n// y\na;b 1\na;c 2\na;d 3", "# 1\n\na;b 1\n\n\n"] {
            assert!(sniff(text.as_bytes()), "{text}");
        }
        let log = "version: 1\ncreator: c\npid: 41\ncmd: ./a\n";
        for text in [
            "",
            "hello",
            "{\n\"a\": 1\n}",
            "in 2020\nthere was; it 1\nand more\nand",
            log,
            "a;b 1\n\u{0}\u{1} 2",
            " 5",
            "# a 1",
        ] {
            assert!(!sniff(text.as_bytes()), "{text}");
        }
        assert!(sniff(&wide("a;b 1", u16::to_le_bytes)));
        assert!(sniff("a;b 1\n".repeat(1 << 15).as_bytes()));
    }
}
