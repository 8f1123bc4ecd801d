//! Quoted text in selectors, as PromQL has it.
//!
//! Between double or single quotes a backslash begins an escape: `\a \b \f \n \r \t \v \\ \' \"`,
//! three octal digits, `\xhh`, `\uhhhh` and `\Uhhhhhhhh`. Octal and `\x` are bytes; together they
//! have to be UTF-8. Any other escape is refused. Between backticks a backslash is a character like
//! any other.

use std::fmt;

/// What is written as a letter behind a backslash.
const LETTERS: [(char, char); 10] = [
    ('a', '\x07'),
    ('b', '\x08'),
    ('f', '\x0C'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
    ('v', '\x0B'),
    ('\\', '\\'),
    ('"', '"'),
    ('\'', '\''),
];

/// What is done with a backslash that begins no escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    Refused,
    /// It stays, for regular expressions: `"\d+\.\d+"` is what people write, and PromQL refuses.
    /// `\b` stays, too: nobody looks for a backspace, and everyone for the end of a word.
    Kept,
}

/// Whether a name with this character can stand without quotes.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || "_.:-/".contains(c)
}

/// Writes a text between double quotes.
pub(super) fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\\' | '"' => write!(f, "\\{c}")?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// A text of which single bytes may be written.
#[derive(Default)]
pub(super) struct Unquoted {
    bytes: Vec<u8>,
    /// Where bytes of escapes are that are no character alone: here and in the selector.
    byte_escapes: Vec<(usize, usize)>,
}

impl Unquoted {
    pub(super) fn push(&mut self, c: char) {
        self.bytes
            .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Takes the escape whose backslash is at `at` in `text`; returns where it ends. Errors tell
    /// what is wrong with it.
    pub(super) fn escape(
        &mut self,
        text: &str,
        at: usize,
        unknown: Unknown,
    ) -> Result<usize, String> {
        let behind = &text[at + 1..];
        match escaped(behind) {
            Ok(_) if unknown == Unknown::Kept && behind.starts_with('b') => {}
            Ok((code, length)) => {
                match code {
                    Code::Character(c) => self.push(c),
                    Code::Byte(byte) => {
                        self.byte_escapes.push((self.bytes.len(), at));
                        self.bytes.push(byte);
                    }
                }
                return Ok(at + 1 + length);
            }
            Err(problem) if unknown == Unknown::Refused => return Err(problem),
            Err(_) => {}
        }
        // The next character goes with it, so that no quote behind a backslash ends the text.
        self.push('\\');
        let next = behind.chars().next();
        next.into_iter().for_each(|c| self.push(c));
        Ok(at + 1 + next.map_or(0, char::len_utf8))
    }

    /// The text, or where in the selector the first byte is that belongs to no character.
    pub(super) fn text(self) -> Result<String, usize> {
        let Self {
            bytes,
            byte_escapes,
        } = self;
        String::from_utf8(bytes).map_err(|e| {
            let wrong = e.utf8_error().valid_up_to();
            byte_escapes
                .iter()
                .find(|(here, _)| *here >= wrong)
                .map_or(0, |(_, at)| *at)
        })
    }
}

enum Code {
    Character(char),
    /// Not below 128.
    Byte(u8),
}

/// What stands behind a backslash, and how long it is.
fn escaped(text: &str) -> Result<(Code, usize), String> {
    let letter = text.chars().next().unwrap_or_default();
    if let Some((_, plain)) = LETTERS.iter().find(|(known, _)| *known == letter) {
        return Ok((Code::Character(*plain), 1));
    }
    let (from, count, radix) = match letter {
        'x' => (1, 2, 16),
        'u' => (1, 4, 16),
        'U' => (1, 8, 16),
        '0'..='7' => (0, 3, 8),
        _ => {
            return Err([
                "\\",
                &letter.to_string(),
                " is not an escape; write a backslash as \\\\",
            ]
            .concat());
        }
    };
    let length = from + count;
    let digits = text
        .get(from..length)
        .filter(|digits| digits.chars().all(|c| c.is_digit(radix)));
    let Some(digits) = digits else {
        let kind = if radix == 8 { "octal" } else { "hexadecimal" };
        return Err(format!(
            "incomplete escape \\{letter}: it needs {count} {kind} digits"
        ));
    };
    // At most eight digits fit.
    let value = u32::from_str_radix(digits, radix).unwrap_or_default();
    let code = match u8::try_from(value) {
        Ok(byte) if count < 4 && !byte.is_ascii() => Some(Code::Byte(byte)),
        Err(_) if count < 4 => None,
        _ => char::from_u32(value).map(Code::Character),
    };
    let code = code.ok_or_else(|| ["\\", &text[..length], " is not a character"].concat())?;
    Ok((code, length))
}
