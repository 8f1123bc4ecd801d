//! CPU profiles among the events: whole ones, or pieces of several.

use hashbrown::HashMap;

use super::event::{Event, NAME};
use super::left_out::LeftOut;
use super::threads::Threads;
use crate::base::warnings::Warnings;
use crate::imports::json::reader::Problem;
use crate::imports::v8::recording::{Piece, Recorded, Recording};
use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;

/// All profiles of a trace.
#[derive(Default)]
pub(super) struct Profiles {
    rows: Vec<Row>,
    /// By process and id.
    by_id: HashMap<(u32, StringId), usize>,
}

struct Row {
    thread: u32,
    recording: Recording,
    /// A recording whose pieces are not all read would have samples at wrong times.
    is_damaged: bool,
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
            self.rows.push(Row {
                thread,
                recording: Recording::default(),
                is_damaged: false,
            });
        }
        let Row {
            thread: thread_of,
            recording,
            is_damaged,
        } = &mut self.rows[row];
        // Pieces are written by the profiler's thread.
        if event.name == "Profile" {
            *thread_of = thread;
        }
        let mut piece = Piece::at(event.time.unwrap_or(0));
        let read = event.arguments(&mut |reader, key| {
            if key != "data" || reader.peek()? != b'{' {
                return reader.skip();
            }
            reader.object(&mut |reader, key| match key {
                "cpuProfile" => reader
                    .object(&mut |reader, key| recording.member(&mut piece, reader, key, builder)),
                key => recording.member(&mut piece, reader, key, builder),
            })
        });
        if read.is_err() {
            *is_damaged = true;
            return read;
        }
        recording.push(piece);
        if is_whole && recording.is_empty() {
            self.rows.pop();
        }
        Ok(())
    }

    /// Makes the stacks of all that are sound.
    pub(super) fn finish(
        self,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
        left_out: &mut LeftOut,
    ) -> Vec<(u32, Recorded)> {
        let mut all = Vec::new();
        for row in self.rows {
            if row.is_damaged {
                warnings.add(|| "a CPU profile with a damaged part is left out".to_owned());
                continue;
            }
            match row.recording.finish(builder, NAME, warnings) {
                Ok(recorded) => all.push((row.thread, recorded)),
                Err(error) => left_out.add(error),
            }
        }
        all
    }
}
