//! [`Profile`] → protobuf.
//!
//! Rows are numbered from 1 in the order of their tables, so equal profiles give equal bytes.

use std::io::Write as _;

use super::wire::Writer;
use crate::id::{LocationId, StackId, StringId};
use crate::profile::{LabelValue, Profile, ValueType};

/// Encodes a profile, uncompressed. Fields come in the order of their numbers, string table included.
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
        let flags = [m.symbols.functions, m.symbols.filenames, m.symbols.line_numbers, m.symbols.inline_frames];
        let numbers = [i as u64 + 1, m.start, m.limit, m.offset, index(m.file), index(m.build_id)];
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
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let raw = encode(profile);
    // Writing into a Vec cannot fail; an empty answer would be caught by every reader.
    encoder.write_all(&raw).and_then(|()| encoder.finish()).unwrap_or_default()
}

fn samples(profile: &Profile, out: &mut Vec<u8>) {
    let mut row = Vec::new();
    let mut packed = Vec::new();
    let mut label_row = Vec::new();
    for i in 0..profile.len() {
        row.clear();
        stack(profile, profile.samples.stacks[i], &mut packed);
        if !packed.is_empty() {
            Writer(&mut row).bytes(1, &packed);
        }
        packed.clear();
        for column in &profile.samples.values {
            Writer(&mut packed).varint(column[i] as u64);
        }
        Writer(&mut row).bytes(2, &packed);
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
        Writer(out).bytes(2, &row);
    }
}

/// Location ids of a stack, leaf first, packed.
fn stack(profile: &Profile, stack: Option<StackId>, packed: &mut Vec<u8>) {
    packed.clear();
    for location in profile.frames(stack) {
        Writer(packed).varint(location.index() as u64 + 1);
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
        h.comments.iter().for_each(|&c| Writer(&mut packed).varint(index(c)));
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
