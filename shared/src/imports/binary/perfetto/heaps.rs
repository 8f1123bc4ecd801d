//! Dumps of heapprofd: what each stack allocated and freed.

use hashbrown::HashMap;

use super::interned::Interned;
use super::symbols::Symbols;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::{FormatError, Problem};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, StackId};

/// What a row takes.
const ROW: usize = 64;

/// What is counted, in the order of pprof.
const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

/// All dumps.
#[derive(Default)]
pub(super) struct Heaps {
    rows: Vec<Row>,
    /// The last dump of each heap.
    last: HashMap<u32, u32>,
    /// How many dumps have begun.
    pub(super) begun: u32,
}

struct Row {
    owner: u32,
    dump: u32,
    stack: Option<StackId>,
    values: [i64; 4],
}

impl Heaps {
    /// Reads a sample of the dump of a heap.
    pub(super) fn sample(
        &mut self,
        (owner, dump): (u32, u32),
        mut message: Wire<'_>,
        interned: &mut Interned<'_>,
        symbols: &Symbols<'_>,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
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
        let stack = interned.stack_of(stack, symbols, rows)?;
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (objects, space) = match most {
            0 => (
                whole(count).saturating_sub(whole(free_count)),
                whole(allocated).saturating_sub(whole(freed)),
            ),
            most => (whole(most_count), whole(most)),
        };
        self.last.insert(owner, dump);
        self.rows.push(Row {
            owner,
            dump,
            stack,
            values: [whole(count), whole(allocated), objects, space],
        });
        rows.beside += ROW;
        rows.check()?;
        Ok(())
    }

    /// Writes the last dump of each heap.
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
            if self.last.get(&row.owner) != Some(&row.dump) {
                continue;
            }
            for (column, value) in columns.into_iter().zip(row.values) {
                values[column] = value;
            }
            let labels = labels.get(row.owner as usize).copied().flatten();
            rows.builder.sample(row.stack, labels, &values);
            rows.check()?;
        }
        Ok(())
    }
}
