//! What stands behind the records, or between them in a pipe: build ids, the names of events, the
//! command.

use super::record::{Record, Records};
use super::recording::Recording;
use crate::imports::binary::bytes::{part, text_at, u32_at};

/// Numbers of the features that are read.
const BUILD_IDS: u64 = 2;
const COMMAND: u64 = 11;
const EVENTS: u64 = 12;

/// A build id has at most so many bytes.
const BUILD_ID: usize = 20;

impl<'a> Recording<'a> {
    /// Reads a feature as far as it can be read: there are samples without any.
    pub(super) fn feature(&mut self, number: u64, bytes: &'a [u8]) {
        match number {
            BUILD_IDS => {
                let mut records = Records::new(bytes);
                while let Ok(Some(record)) = records.next() {
                    self.build_id(record);
                }
            }
            COMMAND => self.command = command(bytes).unwrap_or_default(),
            EVENTS => {
                self.event_names(bytes);
            }
            _ => {}
        }
    }

    /// Reads the build id of a file.
    pub(super) fn build_id(&mut self, record: Record<'a>) {
        let body = record.body;
        let (Some(id), Some(&size), Some(name)) =
            (part(body, 4, BUILD_ID), body.get(24), body.get(28..))
        else {
            return;
        };
        // Older ones don't say how long they are and end in zeros.
        let has_size = record.misc & 1 << 15 != 0;
        let size = match has_size {
            true => usize::from(size).min(BUILD_ID),
            false => id.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1),
        };
        let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
        let size = if has_size {
            size
        } else {
            size.next_multiple_of(4)
        };
        self.build_ids.insert(&name[..end], &id[..size]);
    }

    /// Reads the names of events, which are in the order of the events.
    fn event_names(&mut self, bytes: &[u8]) -> Option<()> {
        let (count, attribute) = (u32_at(bytes, 0)?, u32_at(bytes, 4)? as usize);
        let mut at = 8usize;
        for row in 0..count as usize {
            at = at.checked_add(attribute)?;
            let ids = u32_at(bytes, at)? as usize;
            let length = u32_at(bytes, at + 4)? as usize;
            let name = text_at(part(bytes, at + 8, length)?, 0)?;
            self.attributes.get_mut(row)?.name = Some(name.into_owned());
            at = at
                .checked_add(8 + length)?
                .checked_add(ids.checked_mul(8)?)?;
        }
        Some(())
    }
}

/// The words of the command line.
fn command(bytes: &[u8]) -> Option<String> {
    let mut words = String::new();
    let mut at = 4;
    for row in 0..u32_at(bytes, 0)? {
        let length = u32_at(bytes, at)? as usize;
        if row > 0 {
            words.push(' ');
        }
        words.push_str(&text_at(part(bytes, at + 4, length)?, 0)?);
        at = at.checked_add(4 + length)?;
    }
    Some(words)
}
