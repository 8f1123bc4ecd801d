//! Samples of V8's CPU profiler: nodes of a call tree, and the times at which they were found.
//!
//! A sample lasts until the next one; the last one until the recording ends, where the file says
//! when. What is before the first belongs to none. Samples that are not in order are put in order,
//! as DevTools does: the profiler's threads deliver them so now and then.

use super::nodes::{Nodes, Stacks, id};
use crate::base::sort::{sort_by, sort_rows};
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::model::builder::ProfileBuilder;
use crate::model::id::LabelSetId;

/// Microseconds, which all times are given in.
pub(super) const MICROSECOND: i64 = 1_000;

/// What one recording says, perhaps in several pieces. Times are in nanoseconds.
#[derive(Default)]
pub(super) struct Recording {
    nodes: Nodes,
    start: Option<i64>,
    end: Option<i64>,
    pieces: Vec<Piece>,
}

/// Samples that stand together.
#[derive(Default)]
pub(super) struct Piece {
    /// When it was written.
    at: i64,
    /// Ids of nodes.
    samples: Vec<u32>,
    /// Of each sample the time since the one before, since the start for the first of all; or the
    /// times themselves, as old files have them.
    times: Vec<i64>,
    has_timestamps: bool,
}

/// A recording with its samples in order.
pub(super) struct Recorded {
    pub(super) stacks: Stacks,
    times: Vec<i64>,
    /// Of the nodes.
    ids: Vec<u32>,
    start: i64,
    end: i64,
}

impl Piece {
    /// That was written at a time.
    pub(super) fn at(at: i64) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }
}

impl Recording {
    /// Reads a key of a profile.
    pub(super) fn member(
        &mut self,
        piece: &mut Piece,
        reader: &mut Reader<'_>,
        key: &str,
        builder: &mut ProfileBuilder,
    ) -> Result<(), Problem> {
        match key {
            "nodes" => self.nodes.read_list(reader, builder),
            "head" => self.nodes.read_tree(reader, builder),
            "startTime" => {
                self.start = reader.number(MICROSECOND)?;
                Ok(())
            }
            "endTime" => {
                self.end = reader.number(MICROSECOND)?;
                Ok(())
            }
            "samples" => reader.list(&mut |reader| {
                piece.samples.push(id(reader)?);
                Ok(())
            }),
            // The deltas count where there are both, in either order.
            "timeDeltas" | "timestamps"
                if piece.times.is_empty() || key == "timeDeltas" && piece.has_timestamps =>
            {
                piece.has_timestamps = key == "timestamps";
                piece.times.clear();
                reader.list(&mut |reader| {
                    let time = reader.number(MICROSECOND)?.unwrap_or(0);
                    piece.times.push(time);
                    Ok(())
                })
            }
            _ => reader.skip(),
        }
    }

    /// Appends samples.
    pub(super) fn push(&mut self, piece: Piece) {
        if !piece.samples.is_empty() {
            self.pieces.push(piece);
        }
    }

    /// Whether it has no samples.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Makes the stacks and puts the samples in order. Those without times are left out.
    pub(super) fn finish(
        mut self,
        builder: &mut ProfileBuilder,
        format: &'static str,
        warnings: &mut Warnings,
    ) -> Result<Recorded, FormatError> {
        self.pieces.retain(|piece| !piece.times.is_empty());
        sort_by(&mut self.pieces, |a, b| a.at.cmp(&b.at));
        let count: usize = self.pieces.iter().map(|piece| piece.samples.len()).sum();
        let (mut times, mut ids) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let first = self.pieces.first().map_or(0, |piece| piece.at);
        let mut start = self.start.unwrap_or(first);
        let mut now = start;
        let mut end = self.end.unwrap_or(i64::MIN);
        for piece in self.pieces {
            let (has, wanted) = (piece.times.len(), piece.samples.len());
            // Old files may say when the last sample ended.
            let is_end = piece.has_timestamps && has == wanted + 1;
            if has != wanted && !is_end {
                warnings.add(|| format!("a list has {wanted} samples but {has} times"));
            }
            if piece.has_timestamps {
                // The keys for start and end are in seconds then.
                start = piece.times[0];
                end = piece.times.get(wanted).copied().unwrap_or(i64::MIN);
            }
            for (row, id) in piece.samples.into_iter().enumerate() {
                now = match piece.times.get(row) {
                    Some(&time) if piece.has_timestamps => time,
                    Some(&delta) => now.saturating_add(delta),
                    None => now,
                };
                times.push(now);
                ids.push(id);
            }
        }
        put_in_order(&mut times, &mut ids, warnings);
        Ok(Recorded {
            stacks: self.nodes.stacks(builder, format, warnings)?,
            start: start.min(times.first().copied().unwrap_or(start)),
            end: end.max(times.last().copied().unwrap_or(end)),
            times,
            ids,
        })
    }
}

/// Orders samples by time.
fn put_in_order(times: &mut Vec<i64>, ids: &mut Vec<u32>, warnings: &mut Warnings) {
    let back = times.windows(2).filter(|two| two[1] < two[0]).count();
    if back == 0 {
        return;
    }
    warnings.add(|| format!("{back} samples are out of order; they are sorted by time"));
    let mut rows: Vec<u32> = (0..times.len() as u32).collect();
    let time = |row: u32| times[row as usize];
    sort_rows(&mut rows, &mut |a, b| time(a).cmp(&time(b)));
    *ids = rows.iter().map(|&row| ids[row as usize]).collect();
    *times = rows.iter().map(|&row| times[row as usize]).collect();
}

impl Recorded {
    /// How many samples.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Start and end, between which all samples are; `None` without a sample.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        (!self.times.is_empty()).then_some((self.start, self.end))
    }

    /// Writes the samples, their values into a column. Times count from `origin`.
    pub(super) fn write(
        self,
        builder: &mut ProfileBuilder,
        column: usize,
        labels: Option<LabelSetId>,
        origin: i64,
        warnings: &mut Warnings,
    ) {
        let mut values = vec![0; column + 1];
        let mut missing = 0u64;
        for (row, (&time, &id)) in self.times.iter().zip(&self.ids).enumerate() {
            let stack = self.stacks.of(id).unwrap_or_else(|| {
                missing += 1;
                None
            });
            let next = self.times.get(row + 1).copied().unwrap_or(self.end);
            values[column] = next.saturating_sub(time);
            builder.sample_at(time.saturating_sub(origin), stack, labels, &values);
        }
        if missing > 0 {
            warnings.add(|| format!("{missing} samples refer to missing nodes"));
        }
    }
}

/// Makes room for samples, for doubling would take twice as much.
pub(super) fn reserve(builder: &mut ProfileBuilder, count: usize) {
    let samples = &mut builder.rows().samples;
    samples.stacks.reserve_exact(count);
    samples.labels.reserve_exact(count);
    samples
        .values
        .iter_mut()
        .for_each(|v| v.reserve_exact(count));
    samples.times.get_or_insert_default().reserve_exact(count);
}
