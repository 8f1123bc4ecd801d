//! Dumps of heapprofd: what each stack allocated and freed.

use hashbrown::HashMap;

use super::interned::Interned;
use super::packet::number;
use super::symbols::{Symbols, text};
use super::tracks::{Owner, Tracks};
use crate::formats::protobuf::{Value, Wire, WireError};
use crate::imports::error::{FormatError, Problem};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, StackId, StringId};

/// Estimated bytes of memory for each sample of an open dump.
const SAMPLE: usize = 48;
/// Estimated bytes of memory for each row, and its entry in a table.
const ROW: usize = 96;

/// What is counted, in the order of pprof.
const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

/// The dumps of a sequence of packets.
#[derive(Default)]
pub(super) struct Dumps<'a> {
    /// Tables within dumps.
    pub(super) interned: Interned<'a>,
    /// Samples of the open dump. Their stacks come after them.
    samples: Vec<Sample>,
    /// The last row of each heap, number of a stack, and stack.
    rows: HashMap<(u32, u64, Option<StackId>), u32>,
}

struct Sample {
    owner: u32,
    stack: u64,
    values: [i64; 4],
}

/// All dumps that have ended.
#[derive(Default)]
pub(super) struct Heaps {
    rows: Vec<Row>,
    /// The last dump of each heap.
    last: HashMap<u32, u32>,
    /// How many dumps have ended.
    ended: u32,
}

/// The last sample of a stack.
struct Row {
    owner: u32,
    dump: u32,
    stack: Option<StackId>,
    values: [i64; 4],
}

impl<'a> Dumps<'a> {
    /// Reads a part of a dump.
    pub(super) fn read(
        &mut self,
        message: Wire<'a>,
        tracks: &mut Tracks,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        self.interned.add_dump(message, rows)?;
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (5, Value::Bytes(process)) = (field, value) {
                self.heap(process, tracks, rows)?;
            }
        }
        Ok(())
    }

    fn heap(
        &mut self,
        message: Wire<'a>,
        tracks: &mut Tracks,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        let process = number(message, 1)?;
        let mut heap = StringId::EMPTY;
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (11, Value::Bytes(name)) = (field, value) {
                heap = text(name, rows);
            }
        }
        let owner = tracks.number(Owner::Heap(process, heap), rows);
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (2, Value::Bytes(sample)) = (field, value) {
                self.samples.push(Sample::read(owner, sample)?);
                rows.beside += SAMPLE;
                rows.check()?;
            }
        }
        Ok(())
    }
}

impl Sample {
    fn read(owner: u32, mut message: Wire<'_>) -> Result<Self, WireError> {
        // Stack, bytes allocated and freed, as often allocated and freed; the most bytes at once,
        // and in how many pieces.
        let mut fields = [0u64; 10];
        while let Some((field, value)) = message.next_field()? {
            if let (Some(kept), Value::Number(number)) = (fields.get_mut(field as usize), value) {
                *kept = number;
            }
        }
        let [
            _,
            stack,
            allocated,
            freed,
            _,
            count,
            free_count,
            _,
            most,
            most_count,
        ] = fields;
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (objects, space) = match most {
            0 => (
                whole(count).saturating_sub(whole(free_count)),
                whole(allocated).saturating_sub(whole(freed)),
            ),
            most => (whole(most_count), whole(most)),
        };
        Ok(Self {
            owner,
            stack,
            values: [whole(count), whole(allocated), objects, space],
        })
    }
}

impl Heaps {
    /// Ends the open dump of a sequence: its stacks are known now.
    pub(super) fn end<'a>(
        &mut self,
        dumps: &mut Dumps<'a>,
        interned: &mut Interned<'a>,
        symbols: &mut Symbols<'_>,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        let interned = match dumps.interned.has_stacks() {
            true => &mut dumps.interned,
            false => interned,
        };
        self.ended += 1;
        let samples = std::mem::take(&mut dumps.samples);
        for sample in &samples {
            let stack = interned.stack_of(sample.stack, symbols, rows)?;
            let row = Row {
                owner: sample.owner,
                dump: self.ended,
                stack,
                values: sample.values,
            };
            self.last.insert(row.owner, row.dump);
            let key = (sample.owner, sample.stack, stack);
            let known = dumps.rows.get(&key).map(|&at| at as usize);
            match known.and_then(|at| self.rows.get_mut(at)) {
                // Counts are of all time, but begin anew after heapprofd has dropped a stack.
                Some(known) if known.values[0] <= row.values[0] => *known = row,
                _ => {
                    dumps.rows.insert(key, self.rows.len() as u32);
                    self.rows.push(row);
                    rows.beside += ROW;
                    rows.check()?;
                }
            }
        }
        rows.beside -= samples.len() * SAMPLE;
        Ok(())
    }

    /// Writes the last sample of each stack.
    pub(super) fn write(
        self,
        labels: &[Option<LabelSetId>],
        rows: &mut Rows,
    ) -> Result<(), FormatError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut columns = [0; 4];
        for (column, (kind, unit)) in columns.iter_mut().zip(TYPES) {
            *column = rows.sample_type(kind, unit)?;
        }
        let mut values = vec![0; rows.builder.profile().sample_types().len()];
        for row in &self.rows {
            let [count, allocated, objects, space] = row.values;
            // A stack that the last dump lacks has nothing in use.
            let own = match self.last.get(&row.owner) == Some(&row.dump) {
                true => [count, allocated, objects, space],
                false => [count, allocated, 0, 0],
            };
            for (column, value) in columns.into_iter().zip(own) {
                values[column] = value;
            }
            let labels = labels.get(row.owner as usize).copied().flatten();
            rows.builder.sample(row.stack, labels, &values);
            rows.check()?;
        }
        Ok(())
    }
}
