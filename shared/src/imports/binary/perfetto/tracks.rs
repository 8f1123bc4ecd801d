//! Whose samples and slices are: threads, tracks, heaps; and what all of them are called.

use hashbrown::HashMap;

use super::symbols::text;
use crate::formats::protobuf::{Value, Wire, WireError};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{Label, LabelValue};

/// Estimated bytes of memory for each owner, track, thread and process, with its labels.
const ROW: usize = 128;
/// How far up a track looks for its thread.
const MAX_PARENTS: usize = 8;

/// Whose a sample is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// A thread of a process.
    Thread(u64, u64),
    Track(u64),
    /// A heap of a process.
    Heap(u64, StringId),
}

impl Owner {
    /// Nobody that is known.
    pub(super) const UNKNOWN: Self = Self::Track(0);
}

/// A track.
#[derive(Clone, Copy)]
struct Track {
    parent: Option<u64>,
    process: Option<u64>,
    thread: Option<(u64, u64)>,
    name: StringId,
}

/// One of which nothing is known.
const UNKNOWN: Track = Track {
    parent: None,
    process: None,
    thread: None,
    name: StringId::EMPTY,
};

/// All of them.
#[derive(Default)]
pub(super) struct Tracks {
    owners: Vec<Owner>,
    by_owner: HashMap<Owner, u32>,
    tracks: HashMap<u64, Track>,
    threads: HashMap<(u64, u64), StringId>,
    processes: HashMap<u64, StringId>,
}

/// A thread, and when the events of its writer begin, in microseconds.
pub(super) struct Thread {
    pub(super) ids: (u64, u64),
    pub(super) reference: Option<u64>,
}

impl Tracks {
    /// The number of an owner.
    pub(super) fn number(&mut self, owner: Owner, rows: &mut Rows) -> u32 {
        let owners = &mut self.owners;
        *self.by_owner.entry(owner).or_insert_with(|| {
            rows.beside += ROW;
            owners.push(owner);
            owners.len() as u32 - 1
        })
    }

    /// Reads the description of a track.
    pub(super) fn track(
        &mut self,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<(), WireError> {
        let (mut id, mut track) = (0, UNKNOWN);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (2 | 10, Value::Bytes(name)) => track.name = text(name, rows),
                (3, Value::Bytes(process)) => track.process = Some(self.process(process, rows)?),
                (4, Value::Bytes(thread)) => track.thread = Some(self.thread(thread, rows)?.ids),
                (5, Value::Number(number)) => track.parent = Some(number),
                _ => {}
            }
        }
        if self.tracks.insert(id, track).is_none() {
            rows.beside += ROW;
        }
        Ok(())
    }

    /// Reads the description of a thread.
    pub(super) fn thread(
        &mut self,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<Thread, WireError> {
        let (mut process, mut id, mut name, mut reference) = (0, 0, StringId::EMPTY, None);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => process = number,
                (2, Value::Number(number)) => id = number,
                (5, Value::Bytes(word)) => name = text(word, rows),
                (6, Value::Number(number)) => reference = Some(number),
                _ => {}
            }
        }
        let ids = (process, id);
        self.name_thread(ids, name, rows);
        Ok(Thread { ids, reference })
    }

    /// Reads the description of a process. Its number.
    pub(super) fn process(
        &mut self,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<u64, WireError> {
        let (mut id, mut name, mut command) = (0, StringId::EMPTY, StringId::EMPTY);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (2, Value::Bytes(word)) if command.is_empty() => command = text(word, rows),
                (6, Value::Bytes(word)) => name = text(word, rows),
                _ => {}
            }
        }
        let name = if name.is_empty() { command } else { name };
        self.name_process(id, name, rows);
        Ok(id)
    }

    /// Reads what processes and threads there are.
    pub(super) fn tree(&mut self, mut message: Wire<'_>, rows: &mut Rows) -> Result<(), WireError> {
        while let Some((field, value)) = message.next_field()? {
            let Value::Bytes(mut message) = value else {
                continue;
            };
            let (mut id, mut process, mut name) = (0, 0, StringId::EMPTY);
            while let Some((inner, value)) = message.next_field()? {
                match (inner, value) {
                    (1, Value::Number(number)) => id = number,
                    (3, Value::Number(number)) => process = number,
                    (2, Value::Bytes(word)) if field == 2 => name = text(word, rows),
                    (3, Value::Bytes(word)) if field == 1 && name.is_empty() => {
                        name = text(word, rows);
                    }
                    _ => {}
                }
            }
            match field {
                1 => self.name_process(id, name, rows),
                2 => self.name_thread((process, id), name, rows),
                _ => {}
            }
        }
        Ok(())
    }

    fn name_thread(&mut self, ids: (u64, u64), name: StringId, rows: &mut Rows) {
        if !name.is_empty() && self.threads.insert(ids, name).is_none() {
            rows.beside += ROW;
        }
    }

    fn name_process(&mut self, id: u64, name: StringId, rows: &mut Rows) {
        if !name.is_empty() && self.processes.insert(id, name).is_none() {
            rows.beside += ROW;
        }
    }

    /// The labels of each owner.
    pub(super) fn labels(&self, rows: &mut Rows) -> Vec<Option<LabelSetId>> {
        let mut all = Vec::with_capacity(self.owners.len());
        for &owner in &self.owners {
            let mut labels = Vec::new();
            match owner {
                Owner::Thread(process, thread) => {
                    self.thread_labels((process, thread), &mut labels, rows);
                }
                Owner::Heap(process, heap) => {
                    labels.push(self.process_label(process, rows));
                    if !heap.is_empty() {
                        labels.push(label("heap", heap, rows));
                    }
                }
                Owner::Track(id) => self.track_labels(id, &mut labels, rows),
            }
            all.push(rows.builder.label_set(&mut labels));
        }
        all
    }

    fn process_label(&self, id: u64, rows: &mut Rows) -> Label {
        match self.processes.get(&id) {
            Some(&name) => label("process", name, rows),
            None => rows.text("process", &id.to_string()),
        }
    }

    fn thread_labels(&self, ids: (u64, u64), labels: &mut Vec<Label>, rows: &mut Rows) {
        let (process, thread) = ids;
        // Samples of some writers have no process.
        if process != 0 {
            labels.push(self.process_label(process, rows));
        }
        labels.push(match self.threads.get(&ids) {
            Some(&name) => label("thread", name, rows),
            None => rows.text("thread", &thread.to_string()),
        });
        labels.push(rows.number("thread_id", i64::try_from(thread).unwrap_or(i64::MAX), ""));
    }

    /// Those of the thread or process that a track is of, and its own name where it is another.
    fn track_labels(&self, id: u64, labels: &mut Vec<Label>, rows: &mut Rows) {
        let first = self.tracks.get(&id).copied().unwrap_or(UNKNOWN);
        if first.thread.is_none() {
            if !first.name.is_empty() {
                labels.push(label("track", first.name, rows));
            } else if first.process.is_none() && id != 0 {
                labels.push(rows.text("track", &format!("{id:#x}")));
            }
        }
        let mut track = first;
        for _ in 0..MAX_PARENTS {
            if let Some(ids) = track.thread {
                return self.thread_labels(ids, labels, rows);
            }
            if let Some(process) = track.process {
                return labels.push(self.process_label(process, rows));
            }
            match track.parent.and_then(|parent| self.tracks.get(&parent)) {
                Some(&parent) => track = parent,
                None => return,
            }
        }
    }
}

/// A label of a text that is interned, for all owners that have it.
fn label(key: &str, value: StringId, rows: &mut Rows) -> Label {
    Label {
        key: rows.builder.string(key),
        value: LabelValue::Text(value),
    }
}
