//! Lines of a text, numbered.

use super::error::{Format, LegacyError};
use super::scan::addresses;
use crate::base::warnings::cut;

/// A line without its end, and its number from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) number: u64,
    pub(super) text: &'a str,
}

impl Line<'_> {
    pub(super) fn is_blank_or_comment(&self) -> bool {
        is_blank_or_comment(self.text)
    }

    /// Whether the memory map begins behind this line.
    pub(super) fn begins_memory_map(&self) -> bool {
        ["--- Memory map: ---", "MAPPED_LIBRARIES:"]
            .iter()
            .any(|mark| self.text.contains(mark))
    }

    /// Appends the addresses of `list`, a part of the line.
    pub(super) fn addresses(
        &self,
        format: Format,
        list: &str,
        into: &mut Vec<u64>,
    ) -> Result<(), LegacyError> {
        addresses(list, into).map_err(|address| {
            self.error(
                format,
                format!("the address {address} has more than 64 bits"),
            )
        })
    }

    /// Reads the calls of a stack: what is saved of each is the address behind it.
    pub(super) fn calls(
        &self,
        format: Format,
        list: &str,
        frames: &mut Vec<u64>,
    ) -> Result<(), LegacyError> {
        frames.clear();
        self.addresses(format, list, frames)?;
        for address in frames {
            *address = address.wrapping_sub(1);
        }
        Ok(())
    }

    pub(super) fn error(&self, format: Format, problem: impl Into<String>) -> LegacyError {
        LegacyError::Line {
            format,
            line: self.number,
            problem: problem.into(),
            text: cut(self.text.trim()),
        }
    }
}

pub(super) fn is_blank_or_comment(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('#')
}

/// The lines of a text.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: Option<&'a str>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: Some(text).filter(|text| !text.is_empty()),
            number: 0,
        }
    }

    /// The first line that is neither blank nor a comment.
    pub(super) fn first_of_substance(&mut self) -> Option<Line<'a>> {
        self.find(|line| !line.is_blank_or_comment())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let (text, rest) = rest
            .split_once('\n')
            .map_or((rest, ""), |(line, rest)| (line, rest));
        self.rest = Some(rest).filter(|rest| !rest.is_empty());
        self.number += 1;
        Some(Line {
            number: self.number,
            text: text.strip_suffix('\r').unwrap_or(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines() {
        let lines = |text| {
            Lines::new(text)
                .map(|line| (line.number, line.text))
                .collect::<Vec<_>>()
        };
        assert_eq!(lines("a\r\n\nb"), [(1, "a"), (2, ""), (3, "b")]);
        assert_eq!(lines("a\n"), [(1, "a")]);
        assert_eq!(lines(""), []);
    }
}
