//! Numbers and texts of a chunk.

use std::borrow::Cow;

use super::error::{JfrError, JfrProblem};

/// How the integers of a chunk are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// Seven bits a byte, the lowest first; a ninth byte has all of its eight.
    Compressed,
    /// Big-endian.
    Raw,
}

/// A cursor over one part of a chunk. Offsets are those of the file.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The file up to the end of the part.
    bytes: &'a [u8],
    at: usize,
    chunk: u32,
    integers: Integers,
}

/// A text, or where it stands.
pub(super) enum Text<'a> {
    /// The text.
    Here(Cow<'a, str>),
    /// A key of the pool of texts.
    Pooled(u64),
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], chunk: u32, integers: Integers) -> Self {
        Self {
            bytes,
            at: 0,
            chunk,
            integers,
        }
    }

    /// The part from `start` to `end`, which is cut where this one ends.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.bytes.len());
        Self {
            bytes: &self.bytes[..end],
            at: start.min(end),
            ..*self
        }
    }

    pub(super) fn integers(&self) -> Integers {
        self.integers
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at the place that was read last.
    pub(super) fn error(&self, problem: JfrProblem) -> JfrError {
        JfrError {
            chunk: self.chunk,
            offset: self.at,
            problem,
        }
    }

    pub(super) fn byte(&mut self) -> Result<u8, JfrError> {
        let Some(&byte) = self.bytes.get(self.at) else {
            return Err(self.error(JfrProblem::BeyondEnd("a number")));
        };
        self.at += 1;
        Ok(byte)
    }

    /// A number of 64 bits.
    #[inline(always)]
    pub(super) fn long(&mut self) -> Result<u64, JfrError> {
        match self.integers {
            Integers::Compressed => self.varint(),
            Integers::Raw => self.fixed(8),
        }
    }

    /// A number of 32 bits.
    #[inline(always)]
    pub(super) fn int(&mut self) -> Result<u32, JfrError> {
        match self.integers {
            Integers::Compressed => self.varint().map(|number| number as u32),
            Integers::Raw => self.fixed(4).map(|number| number as u32),
        }
    }

    #[inline(always)]
    pub(super) fn varint(&mut self) -> Result<u64, JfrError> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, JfrError> {
        let mut number = 0;
        for shift in 0..8 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * shift);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Ok(number | u64::from(self.byte()?) << 56)
    }

    /// Passes over compressed numbers.
    pub(super) fn skip_varints(&mut self, count: u64) -> Result<(), JfrError> {
        // Each takes a byte, so a count beyond the rest ends at its end.
        for _ in 0..count {
            self.varint()?;
        }
        Ok(())
    }

    /// A big-endian number of up to 8 bytes.
    pub(super) fn fixed(&mut self, length: usize) -> Result<u64, JfrError> {
        let bytes = self.take(length, "a number")?;
        Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], JfrError> {
        if length > self.left() {
            return Err(self.error(JfrProblem::BeyondEnd(what)));
        }
        let bytes = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(bytes)
    }

    /// How many follow of what takes at least `each` bytes.
    pub(super) fn count(&mut self, each: usize, what: &'static str) -> Result<u32, JfrError> {
        let count = self.int()?;
        if u64::from(count) * each as u64 > self.left() as u64 {
            return Err(self.error(JfrProblem::BeyondEnd(what)));
        }
        Ok(count)
    }

    /// A text in any of the encodings; none counts as empty. What is no valid text is replaced.
    pub(super) fn text(&mut self) -> Result<Text<'a>, JfrError> {
        Ok(Text::Here(match self.byte()? {
            0 | 1 => Cow::Borrowed(""),
            2 => return self.long().map(Text::Pooled),
            3 => String::from_utf8_lossy(self.encoded()?),
            4 => {
                let units = self.count(1, "a string")?;
                let mut text = Vec::with_capacity(units as usize);
                for _ in 0..units {
                    text.push(self.unit()?);
                }
                Cow::Owned(String::from_utf16_lossy(&text))
            }
            5 => {
                let bytes = self.encoded()?;
                std::str::from_utf8(bytes)
                    .ok()
                    .filter(|text| text.is_ascii())
                    .map_or_else(
                        || bytes.iter().map(|&byte| char::from(byte)).collect(),
                        Cow::Borrowed,
                    )
            }
            other => return Err(self.error(JfrProblem::Encoding(other))),
        }))
    }

    pub(super) fn skip_text(&mut self) -> Result<(), JfrError> {
        match self.byte()? {
            0 | 1 => Ok(()),
            2 => self.long().map(drop),
            3 | 5 => self.encoded().map(drop),
            4 => {
                let units = self.count(1, "a string")?;
                for _ in 0..units {
                    self.unit()?;
                }
                Ok(())
            }
            other => Err(self.error(JfrProblem::Encoding(other))),
        }
    }

    fn encoded(&mut self) -> Result<&'a [u8], JfrError> {
        let length = self.count(1, "a string")?;
        self.take(length as usize, "a string")
    }

    fn unit(&mut self) -> Result<u16, JfrError> {
        match self.integers {
            Integers::Compressed => self.varint().map(|unit| unit as u16),
            Integers::Raw => self.fixed(2).map(|unit| unit as u16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, 1, Integers::Compressed)
    }

    #[test]
    fn numbers() {
        let all = [0xff; 9];
        for (bytes, number) in [
            (&[0][..], 0),
            (&[0x7f], 127),
            (&[0x80, 1], 128),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], u64::from(u32::MAX)),
            // The ninth byte has eight bits, also when its highest is set.
            (&all, u64::MAX),
            (
                &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80],
                1 << 63,
            ),
        ] {
            let mut reader = reader(bytes);
            assert_eq!(reader.varint(), Ok(number));
            assert_eq!(reader.left(), 0);
        }
        assert_eq!(reader(&[0xff; 8]).varint().unwrap_err().offset, 8);
        let mut raw = Reader::new(&[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2], 1, Integers::Raw);
        assert_eq!((raw.int(), raw.long()), (Ok(256), Ok(2)));
    }

    #[test]
    fn texts_of_all_encodings() {
        let text = |bytes: &[u8]| {
            let mut skipped = reader(bytes);
            skipped.skip_text().expect("the same bytes");
            assert_eq!(skipped.left(), 0);
            match reader(bytes).text() {
                Ok(Text::Here(text)) => text.into_owned(),
                Ok(Text::Pooled(key)) => format!("→ {key}"),
                Err(error) => error.to_string(),
            }
        };
        assert_eq!(text(&[0]), "");
        assert_eq!(text(&[1]), "");
        assert_eq!(text(&[2, 0x80, 1]), "→ 128");
        assert_eq!(text(&[3, 3, 0xc3, 0xa9, b'!']), "é!");
        assert_eq!(text(&[3, 1, 0xff]), "\u{fffd}");
        assert_eq!(text(&[4, 2, 0xe9, 1, b'!']), "é!");
        assert_eq!(text(&[5, 2, 0xe9, b'!']), "é!");
        let message = |bytes| match reader(bytes).text() {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        assert_eq!(
            message(&[3, 2, 0]),
            "JFR, chunk 1, byte 2: a string runs past the end"
        );
        assert_eq!(
            message(&[6]),
            "JFR, chunk 1, byte 1: a string has the unknown encoding 6"
        );
    }
}
