//! The pages of a group until they have a place in the block: each different one once.
//!
//! A CPU profile says everything twice, as samples and as nanoseconds, which are so many times the
//! samples. Divided by what they have in common the values of both are equal, and so are the pages,
//! which then take the room of one.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::base::units::UnixNanos;
use crate::store::codec::bytes::Reader;
use crate::store::codec::part::Part;
use crate::store::codec::section::{Packer, section};
use crate::store::codec::sum_window::{SumScope, SumWindow};
use crate::store::directory::block_entry::PageEntry;
use crate::store::error::StoreError;

/// Whose pages may be one: they stand together in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PageUse {
    /// Profiles as they were pushed.
    Profiles,
    /// Which of their rows belong to which spans.
    Links,
    /// Sums over windows.
    Sums(SumWindow, SumScope),
}

/// Pages of the group that is being gathered. There is one at a time.
pub(crate) struct PagePool {
    pub(crate) packer: Packer,
    pages: Vec<Pooled>,
    /// By use, length and hash of what is compressed.
    index: HashMap<(PageUse, usize, u64), usize>,
}

/// A page as a section, then its place.
enum Pooled {
    Waiting(Vec<u8>),
    Placed(Part),
}

/// A page that has no place yet.
#[derive(Clone, Copy)]
pub(crate) struct UnplacedPage {
    /// Number in the pool.
    pub(crate) number: usize,
    /// Length of its section.
    pub(crate) len: u64,
    pub(crate) min_time: UnixNanos,
    pub(crate) max_time: UnixNanos,
    pub(crate) divisor: u64,
}

impl PagePool {
    pub(crate) fn new() -> Result<Self, StoreError> {
        Ok(Self {
            packer: Packer::new()?,
            pages: Vec::new(),
            index: HashMap::new(),
        })
    }

    /// Takes in a page whose profiles begin at `times`; one without profiles is none.
    pub(crate) fn put_page(
        &mut self,
        page_use: PageUse,
        raw: &[u8],
        times: impl Iterator<Item = UnixNanos> + Clone,
        divisor: u64,
    ) -> Result<Option<UnplacedPage>, StoreError> {
        let (Some(min_time), Some(max_time)) = (times.clone().min(), times.max()) else {
            return Ok(None);
        };
        let (number, len) = self.put(page_use, raw)?;
        Ok(Some(UnplacedPage {
            number,
            len,
            min_time,
            max_time,
            divisor,
        }))
    }

    /// Takes a page in, unless an equal one is there; gives its number and the length of its
    /// section.
    fn put(&mut self, page_use: PageUse, raw: &[u8]) -> Result<(usize, u64), StoreError> {
        let key = (page_use, raw.len(), xxh3_64(raw));
        if let Some(&number) = self.index.get(&key)
            && let Pooled::Waiting(bytes) = &self.pages[number]
            // Equal hashes do not make equal pages. To decompress the other takes less time than to
            // compress this one.
            && *section(&mut Reader::new(bytes, "page"), "page")? == *raw
        {
            return Ok((number, bytes.len() as u64));
        }
        let mut bytes = Vec::new();
        self.packer.put(&mut bytes, raw, "page")?;
        let (number, len) = (self.pages.len(), bytes.len() as u64);
        self.pages.push(Pooled::Waiting(bytes));
        self.index.insert(key, number);
        Ok((number, len))
    }

    /// Appends the pages that are not in the block yet to `out`; gives the entries of all.
    pub(crate) fn place_pages(
        &mut self,
        pages: &[UnplacedPage],
        out: &mut Vec<u8>,
    ) -> Vec<PageEntry> {
        let mut entries = Vec::with_capacity(pages.len());
        for &UnplacedPage {
            number,
            min_time,
            max_time,
            divisor,
            ..
        } in pages
        {
            let page = &mut self.pages[number];
            let part = match page {
                Pooled::Placed(part) => *part,
                Pooled::Waiting(bytes) => {
                    let part = Part {
                        offset: out.len() as u64,
                        len: bytes.len() as u64,
                    };
                    out.append(bytes);
                    *page = Pooled::Placed(part);
                    part
                }
            };
            entries.push(PageEntry {
                part,
                min_time,
                max_time,
                divisor,
            });
        }
        entries
    }

    /// Makes room for the next group.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.index.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pages_of_one_use_are_one() {
        let mut pool = PagePool::new().unwrap();
        let minutes = PageUse::Sums(SumWindow::Minute, SumScope::All);
        let profiles = PageUse::Profiles;
        let puts = [
            (profiles, "aaa"),
            (minutes, "aaa"),
            (profiles, "aab"),
            (profiles, "aaa"),
            (minutes, "aaa"),
        ];
        let numbers = puts.map(|(page_use, raw)| pool.put(page_use, raw.as_bytes()).unwrap().0);
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
    }

    #[test]
    fn equal_hashes_are_not_enough() {
        let mut pool = PagePool::new().unwrap();
        pool.put(PageUse::Links, b"one").unwrap();
        let (_, number) = pool.index.drain().next().unwrap();
        pool.index
            .insert((PageUse::Links, 5, xxh3_64(b"other")), number);
        let (number, len) = pool.put(PageUse::Links, b"other").unwrap();
        assert_eq!(number, 1);
        let page = UnplacedPage {
            number,
            len,
            min_time: UnixNanos(1),
            max_time: UnixNanos(2),
            divisor: 3,
        };
        let mut out = vec![0; 7];
        let entries = pool.place_pages(&[page, page], &mut out);
        assert_eq!(
            entries.iter().map(|entry| entry.part).collect::<Vec<_>>(),
            [Part { offset: 7, len }; 2]
        );
        assert_eq!(
            *section(&mut Reader::new(&out[7..], "page"), "page").unwrap(),
            *b"other"
        );
    }
}
