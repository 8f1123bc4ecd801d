//! Samples beside the events, as Hermes and perf have them: `samples`, each of a frame of
//! `stackFrames`, which names its parent.

use super::event::NAME;
use super::left_out::LeftOut;
use super::threads::Threads;
use crate::base::sort::sort_rows;
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::v8::frames::location;
use crate::imports::v8::nodes::{Nodes, Stacks};
use crate::imports::v8::recording::{MICROSECOND, reserve};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, StringId};

/// Frames and samples as they are read.
#[derive(Default)]
pub(super) struct Sampled {
    frames: Nodes,
    rows: Vec<Row>,
}

struct Row {
    thread: u32,
    frame: Option<StringId>,
    time: i64,
    weight: i64,
}

/// The same with stacks.
pub(super) struct Ready {
    stacks: Stacks,
    rows: Vec<Row>,
}

impl Sampled {
    /// Reads the frames. Ids are texts.
    pub(super) fn read_frames(
        &mut self,
        reader: &mut Reader<'_>,
        threads: &mut Threads,
        builder: &mut ProfileBuilder,
        left_out: &mut LeftOut,
    ) -> Result<(), Problem> {
        let mut frame = |reader: &mut Reader<'_>, id: &str| {
            let id = threads.text(id);
            let (mut name, mut parent) = (None, None);
            let (mut line, mut column) = (0, 0);
            reader.object(&mut |reader, key| {
                match key {
                    "name" => name = Some(reader.text()?),
                    "parent" => parent = reader.scalar()?.map(|parent| threads.text(&parent)),
                    "line" => line = reader.number(1)?.unwrap_or(0).max(0),
                    "column" => column = reader.number(1)?.unwrap_or(0).max(0),
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            let Some(name) = name else {
                return Err(reader.problem("a frame has no \"name\""));
            };
            let location = location(builder, &name, "", line, column);
            let number = |id| StringId::number(Some(id));
            self.frames.add(number(id), parent.map(number), location);
            Ok(())
        };
        reader.object(&mut |reader, id| {
            let start = *reader;
            let read = frame(reader, id);
            left_out.pass(read, start, reader)
        })
    }

    /// Reads the samples.
    pub(super) fn read_samples(
        &mut self,
        reader: &mut Reader<'_>,
        threads: &mut Threads,
        left_out: &mut LeftOut,
    ) -> Result<(), Problem> {
        let mut sample = |reader: &mut Reader<'_>| {
            let (mut process, mut thread) = Default::default();
            let (mut time, mut weight, mut frame) = (None, 1, None);
            reader.object(&mut |reader, key| {
                match key {
                    "pid" => process = reader.text()?,
                    "tid" => thread = reader.text()?,
                    "ts" => time = reader.number(MICROSECOND)?,
                    "weight" => weight = reader.number(1)?.unwrap_or(1),
                    "sf" => frame = reader.scalar()?.map(|id| threads.text(&id)),
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            let Some(time) = time else {
                return Err(reader.problem("a sample has no \"ts\""));
            };
            self.rows.push(Row {
                thread: threads.thread(&process, &thread),
                frame,
                time,
                weight,
            });
            Ok(())
        };
        reader.list(&mut |reader| {
            let start = *reader;
            let read = sample(reader);
            left_out.pass(read, start, reader)
        })
    }

    /// Makes the stacks.
    pub(super) fn finish(
        self,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<Ready, FormatError> {
        Ok(Ready {
            stacks: self.frames.stacks(builder, NAME, warnings)?,
            rows: self.rows,
        })
    }
}

impl Ready {
    /// First and last time, if there is a sample.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let times = self.rows.iter().map(|row| (row.time, row.time));
        times.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Writes the samples, their values into a column. Times count from `origin`.
    pub(super) fn write(
        self,
        builder: &mut ProfileBuilder,
        column: usize,
        labels: &[Option<LabelSetId>],
        origin: i64,
        warnings: &mut Warnings,
    ) {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        let place = |row: u32| {
            let row = &self.rows[row as usize];
            (row.thread, row.time)
        };
        sort_rows(&mut order, &mut |a, b| place(a).cmp(&place(b)));
        let mut values = vec![0; column + 1];
        let (mut missing, mut negative) = (0u64, 0u64);
        reserve(builder, order.len());
        for row in order {
            let row = &self.rows[row as usize];
            let number = StringId::number(row.frame);
            let stack = match row.frame {
                Some(_) => self.stacks.of(number),
                None => Some(None),
            };
            missing += u64::from(stack.is_none());
            negative += u64::from(row.weight < 0);
            values[column] = row.weight.max(0);
            let (time, labels) = (row.time.saturating_sub(origin), labels[row.thread as usize]);
            builder.sample_at(time, stack.flatten(), labels, &values);
        }
        if missing > 0 {
            warnings.add(|| format!("{missing} samples refer to missing frames"));
        }
        if negative > 0 {
            warnings.add(|| format!("{negative} samples have a negative weight and count as 0"));
        }
    }
}
