//! Values in quotes, in each way of writing them.

use super::*;

/// How a character of a quoted value is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Written {
    /// As it is, where that can be.
    Plain,
    /// `\n`, `\"` and so on, where there is a letter.
    Letter,
    /// `\xhh`, one for each byte.
    Hex,
    /// Three octal digits for each byte.
    Octal,
    /// `\uhhhh` or `\Uhhhhhhhh`.
    Code,
}

/// A value between quotes, each character written in one of the ways.
pub(super) fn quoted(value: &str, quote: char, ways: &[Written]) -> String {
    let bytes = |c: char, write: fn(&u8) -> String| {
        c.to_string()
            .as_bytes()
            .iter()
            .map(write)
            .collect::<String>()
    };
    let letters = [
        ('\x07', 'a'),
        ('\x08', 'b'),
        ('\x0C', 'f'),
        ('\n', 'n'),
        ('\r', 'r'),
        ('\t', 't'),
        ('\x0B', 'v'),
        ('\\', '\\'),
        ('\'', '\''),
        ('"', '"'),
    ];
    let character = |(c, way): (char, &Written)| match way {
        Written::Plain if c != quote && c != '\\' => c.to_string(),
        Written::Plain | Written::Letter => letters
            .iter()
            .find(|(plain, _)| *plain == c)
            .map_or(c.to_string(), |(_, letter)| format!("\\{letter}")),
        Written::Hex => bytes(c, |byte| format!("\\x{byte:02x}")),
        Written::Octal => bytes(c, |byte| format!("\\{byte:03o}")),
        Written::Code if c as u32 <= 0xFFFF => format!("\\u{:04x}", c as u32),
        Written::Code => format!("\\U{:08X}", c as u32),
    };
    let text: String = value
        .chars()
        .zip(ways.iter().cycle())
        .map(character)
        .collect();
    format!("{quote}{text}{quote}")
}

/// Any text: of all characters, of control characters, and of what quoting is made of.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        2 => any::<char>(),
        1 => (0u8..0xA0).prop_map(char::from),
        1 => prop::sample::select(vec!['\\', '"', '\'', '`', '\n', '\r', '\0', 'x', 'u', '1', '}', '{', 'b']),
    ];
    prop::collection::vec(character, 0..16).prop_map(String::from_iter)
}

pub(super) fn ways() -> impl Strategy<Value = Vec<Written>> {
    let ways = [
        Written::Plain,
        Written::Letter,
        Written::Hex,
        Written::Octal,
        Written::Code,
    ];
    prop::collection::vec(prop::sample::select(ways.to_vec()), 1..5)
}
