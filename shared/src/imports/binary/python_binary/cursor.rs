//! Numbers one after the other.

/// Where, and what is wrong.
pub(super) type Problem = (usize, &'static str);

/// What is left of a part of the file.
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a [u8],
    length: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            length: bytes.len(),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Problem> {
        let length = usize::try_from(length).ok();
        match length.and_then(|length| self.rest.split_at_checked(length)) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err((self.at(), "the data ends too early")),
        }
    }

    pub(super) fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Problem> {
        match self.rest.split_first_chunk() {
            Some((&taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err((self.at(), "the data ends too early")),
        }
    }

    pub(super) fn varint(&mut self) -> Result<u64, Problem> {
        let start = self.at();
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err((start, "a number that is too long"))
    }

    /// A number that counts rows.
    pub(super) fn count(&mut self) -> Result<usize, Problem> {
        Ok(usize::try_from(self.varint()?).unwrap_or(usize::MAX))
    }
}

pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
