//! The table of label sets and profile types of a chunk head or a directory: each set once, each
//! text in them once.

use std::sync::Arc;

use hashbrown::HashMap;

use super::bytes::{Reader, put_column, put_varint};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::store::error::StoreError;

/// Most text that label sets and types may come to when each is written out in full: 64 MiB.
///
/// The encoded form refers to a text by a byte or two, so a few kilobytes could claim gigabytes. A
/// directory that fits its catalog row (2 MB) and grows thirty times is the largest one imaginable.
const MAX_TEXT: usize = 64 << 20;

/// Collects label sets and profile types, each once, in order of first appearance.
#[derive(Default)]
pub(crate) struct LabelTable {
    label_sets: Vec<Labels>,
    types: Vec<ProfileType>,
    label_index: HashMap<Labels, u32>,
    type_index: HashMap<ProfileType, u32>,
}

impl LabelTable {
    pub(crate) fn label_set(&mut self, labels: &Labels) -> u32 {
        if let Some(&index) = self.label_index.get(labels) {
            return index;
        }
        let index = self.label_sets.len() as u32;
        self.label_sets.push(labels.clone());
        self.label_index.insert(labels.clone(), index);
        index
    }

    pub(crate) fn profile_type(&mut self, profile_type: &ProfileType) -> u32 {
        if let Some(&index) = self.type_index.get(profile_type) {
            return index;
        }
        let index = self.types.len() as u32;
        self.types.push(profile_type.clone());
        self.type_index.insert(profile_type.clone(), index);
        index
    }

    pub(crate) fn finish(self) -> (Vec<Labels>, Vec<ProfileType>) {
        (self.label_sets, self.types)
    }
}

/// Writes label sets and types, each text once.
pub(crate) fn put_label_table(out: &mut Vec<u8>, label_sets: &[Labels], types: &[ProfileType]) {
    let mut texts: Vec<&str> = Vec::new();
    let mut index: HashMap<&str, u64> = HashMap::new();
    let mut refs = Vec::new();
    let mut put_text = |text, refs: &mut Vec<u8>| {
        let number = *index.entry(text).or_insert_with(|| {
            texts.push(text);
            texts.len() as u64 - 1
        });
        put_varint(refs, number);
    };
    put_varint(&mut refs, label_sets.len() as u64);
    for labels in label_sets {
        put_varint(&mut refs, labels.len() as u64);
        for (name, value) in labels.iter() {
            put_text(name, &mut refs);
            put_text(value, &mut refs);
        }
    }
    put_varint(&mut refs, types.len() as u64);
    for t in types {
        parts(t)
            .into_iter()
            .for_each(|part| put_text(part, &mut refs));
    }
    put_varint(out, texts.len() as u64);
    put_column(out, texts.iter().map(|text| text.len() as u64));
    texts
        .iter()
        .for_each(|text| out.extend_from_slice(text.as_bytes()));
    out.extend_from_slice(&refs);
}

fn parts(t: &ProfileType) -> [&str; 5] {
    [
        &t.name,
        &t.sample_type,
        &t.sample_unit,
        &t.period_type,
        &t.period_unit,
    ]
    .map(String::as_str)
}

/// Reads what [`put_label_table`] wrote.
pub(crate) fn label_table(r: &mut Reader) -> Result<(Vec<Labels>, Vec<ProfileType>), StoreError> {
    let count = r.count(1)?;
    let mut texts = Vec::with_capacity(count);
    for length in r.column(count)? {
        let length =
            usize::try_from(length).map_err(|_| r.corrupt("a string doesn't fit in memory"))?;
        let text = std::str::from_utf8(r.take(length)?);
        texts.push(Arc::<str>::from(
            text.map_err(|_| r.corrupt("a string is not UTF-8"))?,
        ));
    }
    let mut length = 0;
    let mut text = |r: &mut Reader| -> Result<Arc<str>, StoreError> {
        let text = &texts[r.index(texts.len())?];
        length += text.len();
        if length > MAX_TEXT {
            Err(r.corrupt("labels exceed 64 MiB"))
        } else {
            Ok(text.clone())
        }
    };
    let count = r.count(1)?;
    let mut label_sets = Vec::with_capacity(count);
    for _ in 0..count {
        let pairs = (0..r.count(2)?)
            .map(|_| Ok((text(r)?, text(r)?)))
            .collect::<Result<Vec<_>, StoreError>>()?;
        label_sets.push(Labels::of_shared(pairs).map_err(|_| r.corrupt("a label set is invalid"))?);
    }
    let count = r.count(5)?;
    let mut types = Vec::with_capacity(count);
    for _ in 0..count {
        let parts = [text(r)?, text(r)?, text(r)?, text(r)?, text(r)?];
        types.push(ProfileType::of_parts(parts.map(|part| part.to_string())));
    }
    Ok((label_sets, types))
}
