//! Varints and fixed integers, and a reader that cannot leave its bytes.
//!
//! Unsigned varints are LEB128; signed ones are zigzagged first. Fixed integers are little-endian.

use crate::store::error::StoreError;

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_varint(out, ((value << 1) ^ (value >> 63)) as u64);
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// A column of signed values, each as its difference from the one before. Wraps, so any values go.
pub(crate) fn put_deltas(out: &mut Vec<u8>, values: impl Iterator<Item = i64>) {
    let mut before = 0i64;
    for value in values {
        put_signed(out, value.wrapping_sub(before));
        before = value;
    }
}

/// A column of unsigned values.
pub(crate) fn put_column(out: &mut Vec<u8>, values: impl Iterator<Item = u64>) {
    values.for_each(|v| put_varint(out, v));
}

/// Most bytes that the names of a block's sources may take: a name has at most 250, and a job 800
/// sources.
const MAX_NAMES: u64 = 256 << 10;

/// Names of objects: how many, their lengths, and all end to end.
pub(crate) fn put_names(out: &mut Vec<u8>, names: &[String]) {
    put_varint(out, names.len() as u64);
    put_column(out, names.iter().map(|name| name.len() as u64));
    names
        .iter()
        .for_each(|name| out.extend_from_slice(name.as_bytes()));
}

/// Reads forward through bytes; `section` names them in errors.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    section: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], section: &'static str) -> Self {
        Self {
            bytes,
            at: 0,
            section,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn corrupt(&self, problem: &'static str) -> StoreError {
        StoreError::Corrupt {
            section: self.section,
            offset: self.at as u64,
            problem,
        }
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], StoreError> {
        if len > self.remaining() {
            let (needed, found) = (self.at as u64 + len as u64, self.bytes.len() as u64);
            return Err(StoreError::Length {
                section: self.section,
                needed,
                found,
            });
        }
        let taken = &self.bytes[self.at..self.at + len];
        self.at += len;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        Ok(self
            .take(N)?
            .try_into()
            .expect("take gives as many bytes as asked"))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, StoreError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(self.corrupt("the section ends inside a number"));
            };
            self.at += 1;
            // The tenth byte has room for one bit.
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.corrupt("a number is longer than 64 bits"))
    }

    pub(crate) fn signed(&mut self) -> Result<i64, StoreError> {
        Ok(unzigzag(self.varint()?))
    }

    /// A varint of a column whose values are mostly equal and of one byte.
    #[inline(always)]
    pub(crate) fn next_byte(&mut self) -> Result<u64, StoreError> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.varint(),
        }
    }

    /// A varint of a column. Most have a byte or two, which are read without a jump that nobody
    /// could foresee.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<u64, StoreError> {
        let word = match self.bytes.get(self.at..self.at + 2) {
            Some(&[low, high]) => u64::from(low) | u64::from(high) << 8,
            _ => return self.varint(),
        };
        if word & 0x8080 == 0x8080 {
            return self.varint();
        }
        let second = word >> 7 & 1;
        self.at += 1 + second as usize;
        Ok(word & 0x7f | ((word >> 1 & 0x3f80) * second))
    }

    /// A signed varint of a column.
    #[inline(always)]
    pub(crate) fn next_signed(&mut self) -> Result<i64, StoreError> {
        Ok(unzigzag(self.next()?))
    }

    /// A count of things that take at least `width` bytes each, so that what is allocated for them
    /// is bounded by what is really there.
    pub(crate) fn count(&mut self, width: usize) -> Result<usize, StoreError> {
        let count = self.varint()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.remaining() / width => Ok(count),
            _ => Err(self.corrupt("a count is too large for the bytes that follow")),
        }
    }

    /// An index into a table of `len` rows.
    pub(crate) fn index(&mut self, len: usize) -> Result<usize, StoreError> {
        let index = self.varint()?;
        self.check_index(index, len)
    }

    /// An index of a column.
    #[inline(always)]
    pub(crate) fn next_index(&mut self, len: usize) -> Result<usize, StoreError> {
        let index = self.next()?;
        self.check_index(index, len)
    }

    #[inline(always)]
    pub(crate) fn check_index(&self, index: u64, len: usize) -> Result<usize, StoreError> {
        match usize::try_from(index) {
            Ok(index) if index < len => Ok(index),
            _ => Err(self.corrupt("a reference points outside its table")),
        }
    }

    /// `count` values written by [`put_deltas`].
    pub(crate) fn deltas(&mut self, count: usize) -> Result<Vec<i64>, StoreError> {
        let mut before = 0i64;
        let mut values = Vec::with_capacity(count.min(self.remaining()));
        for _ in 0..count {
            before = before.wrapping_add(self.next_signed()?);
            values.push(before);
        }
        Ok(values)
    }

    /// `count` indices into a table of `len` rows, written by [`put_deltas`].
    pub(crate) fn index_deltas(
        &mut self,
        count: usize,
        len: usize,
    ) -> Result<Vec<u32>, StoreError> {
        let mut before = 0i64;
        let mut values = Vec::with_capacity(count.min(self.remaining()));
        for _ in 0..count {
            before = before.wrapping_add(self.next_signed()?);
            // A negative index becomes a huge one and fails the same test.
            values.push(self.check_index(before as u64, len)? as u32);
        }
        Ok(values)
    }

    /// `count` values written by [`put_column`].
    pub(crate) fn column(&mut self, count: usize) -> Result<Vec<u64>, StoreError> {
        let mut values = Vec::with_capacity(count.min(self.remaining()));
        for _ in 0..count {
            values.push(self.next()?);
        }
        Ok(values)
    }

    /// What [`put_names`] wrote, of at most 256 KiB.
    pub(crate) fn names(&mut self) -> Result<Vec<String>, StoreError> {
        let count = self.count(1)?;
        let lengths = self.column(count)?;
        if lengths.iter().fold(0u64, |sum, &n| sum.saturating_add(n)) > MAX_NAMES {
            return Err(self.corrupt("the names of the sources are too long"));
        }
        let mut names = Vec::with_capacity(count);
        for length in lengths {
            let name = std::str::from_utf8(self.take(length as usize)?);
            names.push(
                name.map_err(|_| self.corrupt("a name is not UTF-8"))?
                    .to_owned(),
            );
        }
        Ok(names)
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<(), StoreError> {
        if self.remaining() == 0 {
            Ok(())
        } else {
            Err(self.corrupt("bytes are left over at the end"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn columns_come_back(values: Vec<i64>) {
            let mut out = Vec::new();
            put_deltas(&mut out, values.iter().copied());
            put_column(&mut out, values.iter().map(|&v| v as u64));
            values.iter().for_each(|&v| put_signed(&mut out, v));
            let mut reader = Reader::new(&out, "test");
            prop_assert_eq!(reader.deltas(values.len()).unwrap(), values.clone());
            prop_assert_eq!(reader.column(values.len()).unwrap(), values.iter().map(|&v| v as u64).collect::<Vec<_>>());
            for v in values {
                prop_assert_eq!(reader.signed().unwrap(), v);
            }
            reader.end().unwrap();
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes, "test");
            while reader.varint().is_ok() {}
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_refused() {
        let check = |bytes: &[u8], expect: Option<u64>| {
            assert_eq!(Reader::new(bytes, "test").varint().ok(), expect)
        };
        check(
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            Some(u64::MAX),
        );
        check(
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            None,
        );
        check(&[0x80; 11], None);
        check(&[0x80], None);
    }

    #[test]
    fn counts_are_bounded_by_the_bytes() {
        assert_eq!(Reader::new(&[4, 0, 0, 0, 0], "test").count(1), Ok(4));
        assert!(Reader::new(&[5, 0, 0, 0, 0], "test").count(1).is_err());
        assert!(Reader::new(&[3, 0, 0, 0, 0], "test").count(2).is_err());
    }
}
