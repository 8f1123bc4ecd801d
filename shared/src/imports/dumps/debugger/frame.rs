//! A frame of a backtrace: its function, where it is, and which brackets of its arguments are open.

use crate::imports::dumps::is_number;
use crate::imports::frames::{Frame, hex_address};
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, StringId};

/// What a function without a name is called.
const UNKNOWN: &str = "??";

/// Which brackets of a frame are open, but for those in texts.
#[derive(Default)]
pub(super) struct Brackets {
    depth: i64,
    is_text: bool,
    is_escaped: bool,
}

impl Brackets {
    pub(super) fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            b'(' if !self.is_text => self.depth += 1,
            b')' if !self.is_text => self.depth -= 1,
            _ => {}
        }
    }

    pub(super) fn are_closed(&self) -> bool {
        self.depth <= 0 && !self.is_text
    }
}

/// The location of a frame as gdb, lldb or eu-stack prints it, less its number.
pub(super) fn location(rows: &mut Rows, text: &str) -> LocationId {
    let (address, rest) = match text.split_once(' ') {
        Some((word, rest)) => match hex_address(word) {
            Some(address) => (address, rest.trim_start()),
            None => (0, text),
        },
        None => (0, text),
    };
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    let mut frame = Frame::named(StringId::EMPTY);
    let mut name = rest;
    let mut has_arguments = false;
    let mut is_signature = false;
    // What gdb says of a function has the arguments in the last brackets before these words.
    if let Some((before, place)) = rest.rsplit_once(" at ")
        && let Some((file, line, column)) = file_and_line(place)
    {
        (name, has_arguments) = (before, true);
        frame.file = rows.builder.string(file);
        (frame.line, frame.column) = (line, column);
    } else if let Some((before, module)) = rest.rsplit_once(") from ") {
        name = &rest[..=before.len()];
        frame.mapping = rows.module(module);
    } else if let Some((before, module)) = of_eu_stack(rest) {
        name = if before.is_empty() { UNKNOWN } else { before };
        is_signature = true;
        frame.mapping = rows.module(module.split(' ').next().unwrap_or(module));
    }
    if let Some((module, function)) = name.split_once('`') {
        // lldb, where a function without arguments may end with its offset.
        frame.mapping = rows.module(module);
        name = match function.rsplit_once(" + ") {
            Some((function, offset)) if is_number(offset) => function,
            _ => function,
        };
        name = name.strip_suffix(" [inlined]").unwrap_or(name);
        // Before it is the function that it was inlined into, which is a frame as well.
        name = name
            .rsplit_once(" [inlined] ")
            .map_or(name, |(_, name)| name);
        if has_arguments {
            name = without_arguments(name, '(');
        }
    } else if !is_signature {
        name = without_arguments(name, ' ');
    }
    if name == UNKNOWN && address != 0 {
        frame.address = address;
    } else {
        frame.name = rows.builder.string(name);
    }
    frame.location(&mut rows.builder)
}

/// Name and module of `f(int) - /lib/x.so`, or only the module.
fn of_eu_stack(text: &str) -> Option<(&str, &str)> {
    let is_other = text.ends_with(')') || text.contains('`');
    let parts = text.rsplit_once(" - ");
    let parts = parts.or_else(|| Some(("", text.strip_prefix("- ")?)));
    parts.filter(|_| !is_other)
}

/// Less the last pair of brackets, before which gdb has a blank; lldb has none. The line of a frame
/// may have been cut off in them.
fn without_arguments(name: &str, before: char) -> &str {
    // From the left, for texts are there with quotes at both ends.
    let (mut brackets, mut last) = (Brackets::default(), None);
    for (at, byte) in name.bytes().enumerate() {
        let is_outside = brackets.depth == 0 && !brackets.is_text && at > 0;
        if byte == b'(' && is_outside && (before == '(' || name[..at].ends_with(before)) {
            last = Some(at);
        }
        brackets.step(byte);
    }
    let is_cut = !brackets.are_closed();
    let last = last.filter(|_| is_cut || name.ends_with(')'));
    last.map_or(name, |at| name[..at].trim_end())
}

/// `a.c:5`, or `a.c:5:7` with words of lldb behind it.
fn file_and_line(place: &str) -> Option<(&str, i64, i64)> {
    let mut place = place;
    while let Some((rest, word)) = place.rsplit_once(" [") {
        place = word.ends_with(']').then_some(rest)?;
    }
    let number = |text: &str| is_number(text).then(|| text.parse().ok()).flatten();
    let (rest, last) = place.rsplit_once(':')?;
    let last = number(last)?;
    Some(match rest.rsplit_once(':') {
        Some((file, line)) if is_number(line) => (file, number(line)?, last),
        _ => (rest, last, 0),
    })
}
