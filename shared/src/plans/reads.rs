//! The reads of a plan: parts of objects, put together where they are near each other.

use std::collections::BTreeMap;

use super::plan::{Get, PlanError};
use crate::base::sort::sort_by;
use crate::store::{Part, StoreError};

/// Largest gap read along with what is needed: 64 kB. A request costs tens of milliseconds, in
/// which at 100 Mbit/s some hundred kilobytes arrive; this is below that and keeps waste small.
const MAX_GAP: u64 = 64 << 10;

/// Longest read, unless a single part is longer: 8 MB. Six at once, as many as a worker may have
/// open, are 48 MB.
const MAX_READ: u64 = 8 << 20;

/// Outstanding reads; `What` says what a part is for.
pub(super) struct Reads<What> {
    waiting: BTreeMap<Get, Vec<(Part, What)>>,
    max_gap: u64,
    /// Bytes provided so far.
    pub(super) bytes: u64,
    /// Reads asked for so far.
    pub(super) requests: u64,
}

impl<What> Reads<What> {
    pub(super) fn new() -> Self {
        Self::with_gap(MAX_GAP)
    }

    /// Parts with at most `max_gap` bytes between them are read together.
    pub(super) fn with_gap(max_gap: u64) -> Self {
        Self {
            waiting: BTreeMap::new(),
            max_gap,
            bytes: 0,
            requests: 0,
        }
    }

    /// Adds what is needed of an object.
    pub(super) fn add(&mut self, key: &str, mut parts: Vec<(Part, What)>) {
        sort_by(&mut parts, |(a, _), (b, _)| a.cmp(b));
        let mut open: Option<(Part, Vec<(Part, What)>)> = None;
        for (part, what) in parts {
            if let Some((read, parts)) = &mut open {
                let read_end = read.offset + read.len;
                let len = read_end.max(part.offset + part.len) - read.offset;
                if part.offset <= read_end.saturating_add(self.max_gap) && len <= MAX_READ {
                    read.len = len;
                    parts.push((part, what));
                    continue;
                }
            }
            self.wait(key, open.replace((part, vec![(part, what)])));
        }
        self.wait(key, open);
    }

    fn wait(&mut self, key: &str, read: Option<(Part, Vec<(Part, What)>)>) {
        if let Some((read, parts)) = read {
            let get = Get {
                key: key.to_owned(),
                offset: read.offset,
                length: read.len,
            };
            self.requests += 1;
            self.waiting.entry(get).or_default().extend(parts);
        }
    }

    pub(super) fn wants(&self) -> Vec<Get> {
        self.waiting.keys().cloned().collect()
    }

    /// Every part that is waited for, with the read that brings it.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (&Get, &Part, &What)> {
        self.waiting
            .iter()
            .flat_map(|(get, parts)| parts.iter().map(move |(part, what)| (get, part, what)))
    }

    /// Takes a read off the list and gives its parts, each with its bytes.
    pub(super) fn take<'a>(
        &mut self,
        get: &Get,
        bytes: &'a [u8],
    ) -> Result<impl Iterator<Item = (Part, What, &'a [u8])> + use<'a, What>, PlanError> {
        if !self.waiting.contains_key(get) {
            return Err(PlanError::NotWanted(get.clone()));
        }
        if bytes.len() as u64 != get.length {
            return Err(PlanError::Length {
                get: get.clone(),
                found: bytes.len() as u64,
            });
        }
        self.bytes += get.length;
        let (parts, base) = (self.waiting.remove(get).unwrap_or_default(), get.offset);
        Ok(parts.into_iter().map(move |(part, what)| {
            let start = (part.offset - base) as usize;
            (part, what, &bytes[start..start + part.len as usize])
        }))
    }

    pub(super) fn finished(&self) -> Result<(), PlanError> {
        if self.waiting.is_empty() {
            Ok(())
        } else {
            Err(PlanError::Unfinished(self.waiting.len()))
        }
    }
}

/// Names the place of damage.
pub(super) fn damaged(key: &str, part: Part) -> impl FnOnce(StoreError) -> PlanError {
    move |source| PlanError::Damaged {
        key: key.to_owned(),
        offset: part.offset,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: &[(u64, u64)], expect: &[(u64, u64)]) {
        let mut reads = Reads::new();
        reads.add(
            "k",
            parts
                .iter()
                .map(|&(offset, len)| (Part { offset, len }, ()))
                .collect(),
        );
        let gets: Vec<_> = reads
            .wants()
            .iter()
            .map(|get| (get.offset, get.length))
            .collect();
        assert_eq!(gets, expect);
        assert_eq!(reads.requests, expect.len() as u64);
    }

    #[test]
    fn near_parts_are_read_together() {
        let far = MAX_GAP + 1;
        check(&[], &[]);
        check(&[(100, 10), (0, 100)], &[(0, 110)]);
        check(&[(0, 10), (10 + MAX_GAP, 5)], &[(0, 15 + MAX_GAP)]);
        check(&[(0, 10), (10 + far, 5)], &[(0, 10), (10 + far, 5)]);
        check(
            &[(0, MAX_READ), (MAX_READ, 1)],
            &[(0, MAX_READ), (MAX_READ, 1)],
        );
        check(&[(0, MAX_READ + 7)], &[(0, MAX_READ + 7)]);
    }

    #[test]
    fn parts_get_their_bytes() {
        let mut reads = Reads::new();
        reads.add(
            "k",
            vec![
                (Part { offset: 12, len: 2 }, 'b'),
                (Part { offset: 10, len: 1 }, 'a'),
            ],
        );
        let get = reads.wants().remove(0);
        let short = reads.take(&get, &[1, 2, 3]).map(|_| ()).unwrap_err();
        assert_eq!(short.to_string(), "k, byte 10: expected 4 bytes, got 3");
        let parts: Vec<_> = reads
            .take(&get, &[1, 2, 3, 4])
            .unwrap()
            .map(|(_, what, bytes)| (what, bytes))
            .collect();
        assert_eq!(parts, [('a', &[1u8][..]), ('b', &[3, 4])]);
        assert_eq!(
            reads.take(&get, &[1, 2, 3, 4]).map(|_| ()),
            Err(PlanError::NotWanted(get))
        );
        assert_eq!((reads.bytes, reads.finished()), (4, Ok(())));
    }
}
