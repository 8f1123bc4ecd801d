//! Text → [`Profile`](crate::Profile).

use std::borrow::Cow;

use super::FoldedError;
use super::number::{Number, Scale, rounded};
use crate::base::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use crate::base::warnings::{Warnings, cut};
use crate::formats::decoded::Decoded;
use crate::formats::stack_sums::NamedStacks;
use crate::formats::start::without_mark;
use crate::formats::unpack::DAMAGED_TEXT;

/// How many lines decide what a text is, and in how many bytes they are looked for. A line of a
/// deep Java stack has 3 kB.
pub(super) const LINES_LOOKED_AT: usize = 16;
const BYTES_LOOKED_AT: usize = 64 << 10;

/// Whether a text looks like folded stacks, by its first lines: more than half of them end in a
/// number, and one of these has a `;`; or half of them have both; or, as far as there are only stacks
/// of one frame, all of them end in a number.
///
/// Headers of other formats (`pid: 41`) and prose end in a number now and then; a blank line or a
/// `#` comment counts neither way.
pub fn sniff(bytes: &[u8]) -> bool {
    let text = beginning(bytes);
    let lines = text
        .lines()
        .filter(|line| !is_comment(line))
        .take(LINES_LOOKED_AT);
    let (mut seen, mut stacks, mut deep) = (0, 0, 0);
    for line in lines {
        // Other text files have no control characters, and binary ones soon have some.
        if line.contains(|c: char| c.is_control() && c != '\t') {
            return false;
        }
        seen += 1;
        let is_whole = match value(line) {
            Some((_, number)) => number.is_whole(),
            None if is_too_large(line) => true,
            None => continue,
        };
        let stack = last_word(line).map_or("", |(stack, _)| stack);
        // `real 1.25` says how long a command took.
        if !is_whole && !stack.contains(';') {
            continue;
        }
        stacks += usize::from(!stack.is_empty());
        deep += usize::from(stack.contains(';'));
    }
    stacks > 0 && (stacks == seen || (deep > 0 && (stacks * 2 > seen || deep * 2 >= seen)))
}

/// Decodes text. Time and memory are linear in its size.
pub fn decode(bytes: &[u8]) -> Result<Decoded, FoldedError> {
    decode_counted(bytes).map(|(decoded, _)| decoded)
}

/// The same, and how many lines are left out.
pub(crate) fn decode_counted(bytes: &[u8]) -> Result<(Decoded, u64), FoldedError> {
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(FoldedError::TooLarge {
            length: bytes.len(),
            cap: MAX_PROFILE_BYTES,
        });
    }
    let mut warnings = Warnings::default();
    let (text, damaged) = text(bytes);
    if damaged {
        warnings.add(|| DAMAGED_TEXT.to_owned());
    }
    let scale = scale_of(&text);
    let mut stacks = NamedStacks::of(&["samples"], scale.unit());
    let mut left = text.len();
    let (mut lines, mut left_out, mut inexact) = (0u64, 0u64, 0u64);
    let (mut too_large, mut too_large_lines) = (None, 0);
    for (number, line) in (1..).zip(text.lines()) {
        left = left.saturating_sub(line.len() + 1);
        stacks.sums.progress(text.len() - left, left);
        match value(line) {
            Some((stack, value)) => {
                let (value, is_rounded) = scale.of(value);
                inexact += u64::from(is_rounded);
                add(&mut stacks, number, stack, value)?;
            }
            None if is_comment(line) => continue,
            None => {
                left_out += 1;
                let why = if is_too_large(line) {
                    too_large.get_or_insert_with(|| cut(line));
                    too_large_lines += 1;
                    "has a value that exceeds 64 bits"
                } else {
                    "does not end in a number"
                };
                warnings.add(|| format!("line {number} {why} and is left out: {:?}", cut(line)));
            }
        }
        lines += 1;
    }
    let profile = stacks.sums.finish(&mut warnings);
    if profile.is_empty() {
        if let Some(line) = too_large {
            return Err(FoldedError::TooLargeValue(line));
        }
        return Err(FoldedError::NoStack(cut(text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or(""))));
    }
    if inexact > 0 {
        warnings.lead(rounded(inexact, scale));
    }
    // One line is named already.
    let numberless = left_out - too_large_lines;
    if numberless > 1 {
        warnings.lead(format!(
            "{numberless} of {lines} lines do not end in a number and are left out"
        ));
    }
    let decoded = Decoded {
        profile,
        warnings: warnings.finish(),
    };
    Ok((decoded, left_out))
}

/// How the values of a text are kept, which depends on all of them where there are decimals.
fn scale_of(text: &str) -> Scale {
    let mut words = text.lines().filter_map(last_word).map(|(_, word)| word);
    if !words.any(|word| word.contains('.')) {
        return Scale::default();
    }
    let numbers = text.lines().filter_map(value).map(|(_, number)| number);
    Scale::for_all(numbers)
}

/// The whole lines at the beginning of a text.
pub(super) fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.len() <= BYTES_LOOKED_AT {
        return text(bytes).0;
    }
    let cut = &bytes[..BYTES_LOOKED_AT];
    let end = cut.iter().rposition(|&byte| byte == b'\n');
    text(&cut[..end.unwrap_or(0)]).0
}

/// Bytes as text, and whether some of them were not.
fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let text = String::from_utf8_lossy(without_mark(bytes));
    let damaged = matches!(text, Cow::Owned(_));
    (text, damaged)
}

/// Stack and value of a line.
pub(super) fn value(line: &str) -> Option<(&str, Number)> {
    let (stack, word) = last_word(line)?;
    let number = Number::parse(word)?;
    // `# sampled at 99.5` is a comment.
    let is_stack = number.is_whole() || !line.starts_with('#');
    is_stack.then_some((stack, number))
}

/// Whether a line ends in a number that 64 bits have no room for.
fn is_too_large(line: &str) -> bool {
    last_word(line).is_some_and(|(_, word)| Number::is_too_large(word))
}

fn last_word(line: &str) -> Option<(&str, &str)> {
    line.trim_end().rsplit_once([' ', '\t'])
}

pub(super) fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.trim().is_empty()
}

/// Adds a line.
pub(super) fn add(
    stacks: &mut NamedStacks,
    line: u64,
    stack: &str,
    value: i64,
) -> Result<(), FoldedError> {
    let frames = || stack.split(';').filter(|name| !name.is_empty());
    let depth = frames().count();
    if depth > MAX_STACK_DEPTH {
        return Err(FoldedError::TooDeep {
            line,
            depth,
            cap: MAX_STACK_DEPTH,
        });
    }
    let stack = frames().fold(None, |parent, name| Some(stacks.call(parent, name)));
    stacks.sums.add(stack, 0, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::folded::encode;

    /// What is read, written again, and the warnings.
    fn check(text: &[u8], expect: &str, warnings: &[&str]) {
        let decoded = decode(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        assert_eq!(encode(&decoded.profile, 0, 1 << 20).as_deref(), Ok(expect));
        assert_eq!(decoded.warnings, warnings);
    }

    #[test]
    fn lines_are_stacks() {
        check(
            b"main;b 5\r\nmain;a 7\nmain;b 2",
            "main;a 7\nmain;b 7\n",
            &[],
        );
        check(
            "std::vec<int, é>;operator new(unsigned long) 3 \n".as_bytes(),
            "std::vec<int, é>;operator new(unsigned long) 3\n",
            &[],
        );
        check(
            b"a\t1\n  b;c -2\n;;d; 3\n 4\n#x 5\n",
            " 4\n  b;c -2\n#x 5\na 1\nd 3\n",
            &[],
        );
        check(
            b"a 9223372036854775807\na 1\n",
            "a 9223372036854775807\n",
            &["1 totals of equal stacks exceed 64 bits and are capped"],
        );
    }

    #[test]
    fn decimals_add_up() {
        check(b"a;b 0.1\na;c 12\na;b 0.2\n", "a;b 0.3\na;c 12\n", &[]);
        check(b"# at 99.5\na;b 3\n", "a;b 3\n", &[]);
        check(
            b"a 0.30000000000000004\nb 1e3\nb 2.\n",
            "a 0.3\nb 2\n",
            &[
                "1 value is rounded to 9 decimal places",
                "line 2 does not end in a number and is left out: \"b 1e3\"",
            ],
        );
    }

    #[test]
    fn text_of_several_kinds() {
        check(b"\xef\xbb\xbfa;b 1\n", "a;b 1\n", &[]);
        check(
            b"a;\xff 1\n",
            "a;\u{fffd} 1\n",
            &["some bytes are not valid text and are read as \u{fffd}"],
        );
    }

    #[test]
    fn lines_without_a_value_are_left_out() {
        check(
            b"# one\n\n// two\na 1\n#\na;b\n12\na 1,5\na +1\n",
            "a 1\n",
            &[
                "5 of 6 lines do not end in a number and are left out",
                "line 3 does not end in a number and is left out: \"// two\"",
                "line 6 does not end in a number and is left out: \"a;b\"",
                "line 7 does not end in a number and is left out: \"12\"",
                "line 8 does not end in a number and is left out: \"a 1,5\"",
                "line 9 does not end in a number and is left out: \"a +1\"",
            ],
        );
        check(
            b"main;b 3\nmain;c 9223372036854775808\n",
            "main;b 3\n",
            &[
                "line 2 has a value that exceeds 64 bits and is left out: \"main;c 9223372036854775808\"",
            ],
        );
        let too_large = b"main;c 9223372036854775808\n";
        assert!(sniff(too_large));
        assert_eq!(
            decode(too_large).unwrap_err().to_string(),
            "folded stacks: the value in \"main;c 9223372036854775808\" exceeds 64 bits"
        );
        assert_eq!(
            decode(b"\nhello\n").unwrap_err(),
            FoldedError::NoStack("hello".to_owned())
        );
        assert_eq!(
            decode(b"").unwrap_err(),
            FoldedError::NoStack(String::new())
        );
        let deep = format!("a 1\n{} 1", "a;".repeat(MAX_STACK_DEPTH + 1));
        let too_deep = FoldedError::TooDeep {
            line: 2,
            depth: MAX_STACK_DEPTH + 1,
            cap: MAX_STACK_DEPTH,
        };
        assert_eq!(decode(deep.as_bytes()).unwrap_err(), too_deep);
    }

    #[test]
    fn knows_its_own() {
        for text in [
            "a;b 1",
            "a 1\nb 2\n",
            "// x\n// y\na;b 1\na;c 2\na;d 3",
            "# 1\n\na;b 1\n\n\n",
            "Killed\na;b 1\n",
            "a;b 1\n2026-11-28 12:00:00 INFO hello\n",
        ] {
            assert!(sniff(text.as_bytes()), "{text}");
        }
        let log = "version: 1\ncreator: c\npid: 41\ncmd: ./a\n";
        for text in [
            "",
            "hello",
            "{\n\"a\": 1\n}",
            "in 2020\nthere was; it 1\nand more\nand",
            "real 1.25\nuser 0.50\nsys 0.10\n",
            log,
            "a;b 1\n\u{0}\u{1} 2",
            " 5",
            "# a 1",
        ] {
            assert!(!sniff(text.as_bytes()), "{text}");
        }
        assert!(sniff("a;b 1\n".repeat(1 << 15).as_bytes()));
    }
}
