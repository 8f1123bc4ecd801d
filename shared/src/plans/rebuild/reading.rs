//! Reads the end of an object: its directory and, before it in a block, where that comes from.

use crate::plans::plan::Get;
use crate::store::{Directory, Footer, Ids, Level, ObjectKey, StoreError, read_ids};

/// How much of an object's end is read at first: 64 kB. The directory of a segment has hundreds of
/// bytes and that of a block thousands; ids of 2,400 chunks are 40 kB.
const TAIL: u64 = 64 << 10;

/// An object that is being read.
pub(super) struct Reading {
    pub(super) key: ObjectKey,
    pub(super) name: String,
    pub(super) size: u64,
    /// Its last bytes, as far as they are there.
    end: Vec<u8>,
    /// Where the next read begins; it ends where those begin.
    from: u64,
}

impl Reading {
    pub(super) fn new(key: ObjectKey, name: String, size: u64) -> Self {
        Self {
            key,
            name,
            size,
            end: Vec::new(),
            from: size.saturating_sub(TAIL),
        }
    }

    /// What is needed next.
    pub(super) fn get(&self) -> Get {
        let length = self.size - self.end.len() as u64 - self.from;
        Get {
            key: self.name.clone(),
            offset: self.from,
            length,
        }
    }

    /// Takes that, and gives what the object says unless more is needed.
    pub(super) fn provide(&mut self, bytes: &[u8]) -> Result<Option<(Directory, Ids)>, StoreError> {
        let needed = self.get().length;
        if bytes.len() as u64 != needed {
            return Err(StoreError::Length {
                section: "object",
                needed,
                found: bytes.len() as u64,
            });
        }
        self.end = [bytes, &self.end].concat();
        let corrupt = |problem| StoreError::Corrupt {
            section: "directory",
            offset: 0,
            problem,
        };
        let end = self.end.len().saturating_sub(Footer::LEN as usize);
        let footer = Footer::read(&self.end[end..])?;
        let first = self.size - self.end.len() as u64;
        let short = StoreError::Length {
            section: "object",
            needed: footer.directory_len,
            found: self.size,
        };
        let start = (self.size - Footer::LEN)
            .checked_sub(footer.directory_len)
            .ok_or(short)?;
        if start < first {
            self.from = start;
            return Ok(None);
        }
        let directory = Directory::decode(&self.end[(start - first) as usize..end])?;
        if [footer.block, directory.block().is_some()] != [self.key.level > Level::Segment; 2] {
            return Err(corrupt("the object is a different kind than its name says"));
        }
        let (raw, part) = (
            self.key.level.is_block_of_profiles(),
            directory.block().and_then(|block| block.ids),
        );
        let ids = match part {
            Some(part) if raw => {
                // Right before the directory.
                if part.offset.checked_add(part.len) != Some(start) {
                    return Err(corrupt("the IDs don't end where the directory begins"));
                }
                if part.offset < first {
                    self.from = part.offset;
                    return Ok(None);
                }
                read_ids(&self.end[(part.offset - first) as usize..(start - first) as usize])?
            }
            None if !raw => Ids::default(),
            _ => return Err(corrupt("IDs are missing or unexpected at this level")),
        };
        Ok(Some((directory, ids)))
    }
}
