//! CPU profiles among the events: whole ones, or pieces of several.

use hashbrown::HashMap;

use super::event::{Event, NAME};
use super::threads::Threads;
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::json::reader::Problem;
use crate::imports::v8::recording::{Piece, Recorded, Recording};
use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;

/// All profiles of a trace.
#[derive(Default)]
pub(super) struct Profiles {
    /// Each with its thread.
    rows: Vec<(u32, Recording)>,
    /// By process and id.
    by_id: HashMap<(u32, StringId), usize>,
}

impl Profiles {
    /// Reads an event that may be a profile or a piece of one.
    pub(super) fn take(
        &mut self,
        event: &Event<'_>,
        threads: &mut Threads,
        builder: &mut ProfileBuilder,
    ) -> Result<(), Problem> {
        let is_whole = match &*event.name {
            "CpuProfile" => true,
            "Profile" | "ProfileChunk" => false,
            _ => return Ok(()),
        };
        let thread = threads.thread(&event.process, &event.thread);
        let next = self.rows.len();
        let row = if is_whole {
            next
        } else {
            let key = (threads.process(&event.process), threads.text(&event.id));
            *self.by_id.entry(key).or_insert(next)
        };
        if row == next {
            self.rows.push((thread, Recording::default()));
        }
        let (thread_of, recording) = &mut self.rows[row];
        // Pieces are written by the profiler's thread.
        if event.name == "Profile" {
            *thread_of = thread;
        }
        let mut piece = Piece::at(event.time.unwrap_or(0));
        event.arguments(&mut |reader, key| {
            if key != "data" || reader.peek()? != b'{' {
                return reader.skip();
            }
            reader.object(&mut |reader, key| match key {
                "cpuProfile" => reader
                    .object(&mut |reader, key| recording.member(&mut piece, reader, key, builder)),
                key => recording.member(&mut piece, reader, key, builder),
            })
        })?;
        recording.push(piece);
        if is_whole && recording.is_empty() {
            self.rows.pop();
        }
        Ok(())
    }

    /// Makes the stacks of all.
    pub(super) fn finish(
        self,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<Vec<(u32, Recorded)>, FormatError> {
        self.rows
            .into_iter()
            .map(|(thread, recording)| {
                let recorded = recording.finish(builder, NAME, warnings)?;
                Ok((thread, recorded))
            })
            .collect()
    }
}
