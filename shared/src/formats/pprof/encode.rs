//! [`Profile`] → protobuf.
//!
//! Rows are numbered from 1 in the order of their tables, so equal profiles give equal bytes.

use crate::formats::gzip;
use crate::formats::protobuf::{Writer, varint_length};
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::{LabelValue, Profile, ValueType};

/// Encodes a profile, uncompressed. Fields come in the order of their numbers, string table
/// included.
pub fn encode(profile: &Profile) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + profile.len() * 24 + profile.locations.len() * 16);
    let mut row = Vec::new();
    let mut nested = Vec::new();
    for &t in &profile.sample_types {
        value_type(&mut out, 1, t);
    }
    samples(profile, &mut out);
    for (i, m) in profile.mappings.iter().enumerate() {
        row.clear();
        let mut w = Writer(&mut row);
        let flags = [
            m.symbols.functions,
            m.symbols.filenames,
            m.symbols.line_numbers,
            m.symbols.inline_frames,
        ];
        let numbers = [
            i as u64 + 1,
            m.start,
            m.limit,
            m.offset,
            index(m.file),
            index(m.build_id),
        ];
        for (field, n) in (1..).zip(numbers.into_iter().chain(flags.map(u64::from))) {
            w.number(field, n);
        }
        Writer(&mut out).bytes(3, &row);
    }
    for (i, l) in profile.locations.iter().enumerate() {
        row.clear();
        let mut w = Writer(&mut row);
        w.number(1, i as u64 + 1);
        w.number(2, l.mapping.map_or(0, |m| m.index() as u64 + 1));
        w.number(3, l.address);
        for line in profile.lines(LocationId::new(i)) {
            nested.clear();
            let mut n = Writer(&mut nested);
            n.number(1, line.function.map_or(0, |f| f.index() as u64 + 1));
            n.number(2, line.line as u64);
            n.number(3, line.column as u64);
            w.bytes(4, &nested);
        }
        w.number(5, u64::from(l.folded));
        Writer(&mut out).bytes(4, &row);
    }
    for (i, f) in profile.functions.iter().enumerate() {
        row.clear();
        let mut w = Writer(&mut row);
        w.number(1, i as u64 + 1);
        w.number(2, index(f.name));
        w.number(3, index(f.system_name));
        w.number(4, index(f.file));
        w.number(5, f.start_line as u64);
        Writer(&mut out).bytes(5, &row);
    }
    for text in profile.strings.iter() {
        Writer(&mut out).bytes(6, text.as_bytes());
    }
    header(profile, &mut out);
    out
}

/// Encodes a profile and compresses it, as agents and `go tool pprof` exchange it.
pub fn encode_gzip(profile: &Profile) -> Vec<u8> {
    gzip::deflate(&encode(profile), flate2::Compression::default())
}

fn samples(profile: &Profile, out: &mut Vec<u8>) {
    let mut row = Vec::new();
    let mut packed = Vec::new();
    let mut label_row = Vec::new();
    let mut stack = PackedStack::default();
    for i in 0..profile.len() {
        let ids = stack.of(profile, profile.samples.stacks[i]);
        row.clear();
        for label in profile.labels(profile.samples.labels[i]) {
            label_row.clear();
            let mut w = Writer(&mut label_row);
            w.number(1, index(label.key));
            match label.value {
                LabelValue::Text(text) => w.number(2, index(text)),
                LabelValue::Number(n, unit) => {
                    w.number(3, n as u64);
                    w.number(4, index(unit));
                }
            }
            Writer(&mut row).bytes(3, &label_row);
        }
        packed.clear();
        for column in &profile.samples.values {
            Writer(&mut packed).varint(column[i] as u64);
        }
        let ids_field = if ids.is_empty() {
            0
        } else {
            field_length(ids.len())
        };
        let mut w = Writer(out);
        w.begin(2, ids_field + field_length(packed.len()) + row.len());
        if !ids.is_empty() {
            w.bytes(1, ids);
        }
        w.bytes(2, &packed);
        out.extend_from_slice(&row);
    }
}

/// Bytes of a field with a number below 16 that holds so many bytes.
fn field_length(bytes: usize) -> usize {
    1 + varint_length(bytes as u64) + bytes
}

/// Longest varint of an id, whose rows are fewer than 2^32, in bytes: five, in a word of eight.
const LONGEST_ID: usize = 8;

/// A varint of that many bytes at the end of a word.
#[inline(always)]
fn last_bytes(id: u64, bytes: usize) -> [u8; LONGEST_ID] {
    let spread = (id & 0x7f)
        | (id & 0x7f << 7) << 1
        | (id & 0x7f << 14) << 2
        | (id & 0x7f << 21) << 3
        | (id & 0x7f << 28) << 4;
    let unused = 8 * (LONGEST_ID - bytes);
    let more = 0x0080_8080_8080_8080 >> unused;
    ((spread | more) << unused).to_le_bytes()
}

/// Location ids of a stack, leaf first, packed.
///
/// Leaf first means that the bytes of a stack end with those of its caller's stack, so they are
/// kept at the end of a buffer, and from one sample to the next only the frames that differ are
/// written, to the front.
#[derive(Default)]
struct PackedStack {
    buffer: Vec<u8>,
    /// Rows of the stack, the root first, and how many bytes each has with its callers.
    rows: Vec<(StackId, usize)>,
    /// Rows that are to be written.
    new: Vec<StackId>,
}

impl PackedStack {
    fn of(&mut self, profile: &Profile, stack: Option<StackId>) -> &[u8] {
        // Callers come first in the table: of two rows the greater cannot be below the other one.
        let mut at = stack;
        while let Some(row) = at {
            while self.rows.last().is_some_and(|&(last, _)| last > row) {
                self.rows.pop();
            }
            if self.rows.last().is_some_and(|&(last, _)| last == row) {
                break;
            }
            self.new.push(row);
            at = profile.stacks[row.index()].parent;
        }
        if at.is_none() {
            self.rows.clear();
        }
        let mut length = self.rows.last().map_or(0, |&(_, length)| length);
        while let Some(row) = self.new.pop() {
            let id = profile.stacks[row.index()].location.index() as u64 + 1;
            let bytes = varint_length(id);
            if length + 2 * LONGEST_ID > self.buffer.len() {
                self.grow(length);
            }
            let end = self.buffer.len() - length;
            // The length of an id is a coin's throw, so there is no branch on it: what stands
            // further to the front is free.
            self.buffer[end - LONGEST_ID..end].copy_from_slice(&last_bytes(id, bytes));
            length += bytes;
            self.rows.push((row, length));
        }
        &self.buffer[self.buffer.len() - length..]
    }

    /// Doubles the room in front of the bytes that are used.
    #[cold]
    fn grow(&mut self, used: usize) {
        let old = std::mem::take(&mut self.buffer);
        self.buffer = vec![0; (old.len() * 2).max(64)];
        let end = self.buffer.len();
        self.buffer[end - used..].copy_from_slice(&old[old.len() - used..]);
    }
}

fn header(profile: &Profile, out: &mut Vec<u8>) {
    let h = &profile.header;
    let mut w = Writer(out);
    w.number(7, index(h.drop_frames));
    w.number(8, index(h.keep_frames));
    w.number(9, h.time_nanos as u64);
    w.number(10, h.duration_nanos as u64);
    if let Some(t) = h.period_type {
        value_type(out, 11, t);
    }
    let mut w = Writer(out);
    w.number(12, h.period as u64);
    if !h.comments.is_empty() {
        let mut packed = Vec::new();
        h.comments
            .iter()
            .for_each(|&c| Writer(&mut packed).varint(index(c)));
        w.bytes(13, &packed);
    }
    w.number(14, index(h.default_sample_type));
    w.number(15, index(h.doc_url));
}

fn value_type(out: &mut Vec<u8>, field: u32, t: ValueType) {
    let mut row = Vec::new();
    let mut w = Writer(&mut row);
    w.number(1, index(t.kind));
    w.number(2, index(t.unit));
    Writer(out).bytes(field, &row);
}

fn index(id: StringId) -> u64 {
    id.index() as u64
}
