//! Rows that most formats make: a frame of a function in a file, a library, a label.

use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, MappingId, StringId};
use crate::model::profile::{Function, Label, Line, Mapping, SymbolFlags};

/// A frame. What is not known is empty or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) name: StringId,
    pub(super) file: StringId,
    pub(super) start_line: i64,
    pub(super) line: i64,
    pub(super) column: i64,
    pub(super) address: u64,
    pub(super) mapping: Option<MappingId>,
}

impl Frame {
    /// One that has a name and nothing else.
    pub(super) fn named(name: StringId) -> Self {
        Self {
            name,
            file: StringId::EMPTY,
            start_line: 0,
            line: 0,
            column: 0,
            address: 0,
            mapping: None,
        }
    }

    /// As a location. One without a name is an address.
    pub(super) fn location(self, builder: &mut ProfileBuilder) -> LocationId {
        let line = self.line(builder);
        builder.location(self.mapping, self.address, false, line.as_slice())
    }

    /// As a line, `None` without a name.
    pub(super) fn line(self, builder: &mut ProfileBuilder) -> Option<Line> {
        let Self { name, file, .. } = self;
        let function = (!name.is_empty()).then_some(Function {
            start_line: self.start_line,
            ..Function::named(name, file)
        });
        Some(Line {
            function: Some(builder.function(function?)),
            line: self.line,
            column: self.column,
        })
    }
}

/// A library of which only its file and build id are known; addresses in it are relative to it.
pub(super) fn library(builder: &mut ProfileBuilder, file: &str, build_id: &str) -> MappingId {
    let (file, build_id) = (builder.string(file), builder.string(build_id));
    builder.mapping(Mapping {
        start: 0,
        limit: 0,
        offset: 0,
        file,
        build_id,
        symbols: SymbolFlags::default(),
    })
}

/// A label of text, `None` for an empty one.
pub(super) fn text_label(builder: &mut ProfileBuilder, key: &str, value: &str) -> Option<Label> {
    (!value.is_empty()).then(|| builder.text_label(key, value))
}

/// A number of units as a whole number of parts of it, of which a unit has `scale`.
pub(super) fn whole(value: f64, scale: f64) -> i64 {
    (value * scale).round() as i64
}

/// `name (file:line:column)` or `name (file:line)` in its parts.
pub(super) fn split_place(text: &str) -> Option<(&str, &str, i64, i64)> {
    let inner = text.strip_suffix(')')?;
    let (name, place) = inner.rsplit_once(" (")?;
    let (rest, last) = number_behind(place)?;
    Some(match number_behind(rest) {
        Some((file, line)) => (name, file, line, last),
        None => (name, rest, last, 0),
    })
}

/// What is before the last colon, and the number behind it.
fn number_behind(text: &str) -> Option<(&str, i64)> {
    let (rest, digits) = text.rsplit_once(':')?;
    let is_number = !rest.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    Some((rest, digits.parse().ok().filter(|_| is_number)?))
}

/// `name (in library)`, perhaps with ` + offset` behind it, in its parts.
pub(super) fn split_library(text: &str) -> Option<(&str, &str)> {
    let text = match text.rsplit_once(" + ") {
        Some((text, offset)) if offset.bytes().all(|b| b.is_ascii_digit()) => text,
        _ => text,
    };
    text.strip_suffix(')')?.rsplit_once(" (in ")
}

/// An address in hex.
pub(super) fn hex_address(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x")?;
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// The frame of Valgrind's `0x1084: name (file.rs:226:9)`, `0x1084: name (in /lib/libc.so)` or `[root]`.
pub(super) fn valgrind_location(text: &str, builder: &mut ProfileBuilder) -> LocationId {
    let addressed = text
        .split_once(": ")
        .and_then(|(digits, name)| Some((hex_address(digits)?, name)));
    let (address, mut name) = addressed.unwrap_or((0, text));
    let mut frame = Frame::named(StringId::EMPTY);
    frame.address = address;
    if let Some((function, file, line, column)) = split_place(name) {
        name = function;
        frame.file = builder.string(file);
        (frame.line, frame.column) = (line, column);
    } else if let Some((function, file)) = split_library(name) {
        name = function;
        frame.mapping = Some(library(builder, file, ""));
    }
    // Valgrind's words for a name that it does not know.
    if name != "???" || frame.address == 0 {
        frame.name = builder.string(name);
    }
    frame.location(builder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_their_parts() {
        assert_eq!(
            split_place("f (g) (http://a:8000/b.js:1:14)"),
            Some(("f (g)", "http://a:8000/b.js", 1, 14))
        );
        assert_eq!(split_place("f (a.c:12)"), Some(("f", "a.c", 12, 0)));
        for text in ["f", "f (a.c)", "f (:12)", "f (a:)", "f (a:-1)", "(a:1)", ""] {
            assert_eq!(split_place(text), None, "{text}");
        }
        assert_eq!(split_library("f (in libc.so)"), Some(("f", "libc.so")));
        assert_eq!(split_library("f (in libc.so) + 12"), Some(("f", "libc.so")));
        assert_eq!(split_library("a + 1"), None);
        assert_eq!(hex_address("0xff"), Some(255));
        for text in ["ff", "0x", "0x+1", "0xfffffffffffffffff", "0xg"] {
            assert_eq!(hex_address(text), None, "{text}");
        }
    }
}
