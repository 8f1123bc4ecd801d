//! A segment (level 0): chunks end to end, as they came, then their links to traces, and a
//! directory. Writing one decodes nothing but chunk heads.

use super::chunk::{ChunkHead, chunk_head};
use crate::store::codec::label_table::LabelTable;
use crate::store::codec::part::Part;
use crate::store::codec::section::{SEGMENT_MAGIC, put_magic};
use crate::store::codec::series::SeriesEntry;
use crate::store::directory::contents::{ChunkEntry, Contents, Directory, put_footer};
use crate::store::error::StoreError;

/// Puts chunks into a segment.
pub struct SegmentWriter {
    bytes: Vec<u8>,
    /// Those of all chunks. They stand behind all chunks, so that whoever reads several chunks at
    /// once doesn't read them.
    links: Vec<u8>,
    label_table: LabelTable,
    chunks: Vec<ChunkEntry>,
}

impl Default for SegmentWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentWriter {
    /// A segment without chunks.
    pub fn new() -> Self {
        let mut bytes = Vec::new();
        put_magic(&mut bytes, SEGMENT_MAGIC);
        Self {
            bytes,
            links: Vec::new(),
            label_table: LabelTable::default(),
            chunks: Vec::new(),
        }
    }

    /// Appends a chunk, and refuses one whose head is damaged or that is not there in full.
    pub fn push(&mut self, chunk: &[u8]) -> Result<ChunkHead, StoreError> {
        let head = chunk_head(chunk)?;
        let series = head
            .series
            .iter()
            .map(|s| SeriesEntry::new(s, &mut self.label_table))
            .collect();
        let (chunk, links) = chunk.split_at(head.len as usize);
        self.chunks.push(ChunkEntry {
            id: head.id,
            offset: self.bytes.len() as u64,
            len: head.len,
            series,
            // From the first of all links, until their place is known.
            links: (!links.is_empty()).then_some(Part {
                offset: self.links.len() as u64,
                len: head.links_len,
            }),
        });
        self.bytes.extend_from_slice(chunk);
        self.links.extend_from_slice(links);
        Ok(head)
    }

    /// The object, and its directory for the catalog.
    pub fn finish(mut self) -> Result<(Vec<u8>, Directory), StoreError> {
        let behind = self.bytes.len() as u64;
        for links in self.chunks.iter_mut().filter_map(|c| c.links.as_mut()) {
            links.offset += behind;
        }
        self.bytes.append(&mut self.links);
        let (label_sets, types) = self.label_table.finish();
        let directory = Directory {
            label_sets,
            types,
            contents: Contents::Segment(self.chunks),
        };
        put_footer(&mut self.bytes, &directory, SEGMENT_MAGIC)?;
        Ok((self.bytes, directory))
    }
}
