//! The labels of an open profile, to choose from.

use pilotlight_core::LabelValue;
use pilotlight_core::tags::{TagValue, tag_keys, tag_values};
use pilotlight_core::verbs::{TagWriter, TextPart};

use crate::answers::{LabelKey, LabelPage, LabelRow};
use crate::error::SessionError;
use crate::session::Session;

impl Session {
    /// The keys of a profile's labels, by name.
    pub fn label_keys(&self, id: u32, sample_type: u32) -> Result<Vec<LabelKey>, SessionError> {
        let profile = self.profile(id)?;
        let whole = self.whole(id, sample_type)?;
        let keys = tag_keys(profile, sample_type as usize);
        let keys = keys.into_iter().map(|key| LabelKey {
            name: key.name.to_owned(),
            values: key.values as u32,
            fraction: share(key.total, whole),
        });
        Ok(keys.collect())
    }

    /// Some of the values of a key that contain a text, the largest first, each with the pattern
    /// that steps take for it; and the pattern of all of them.
    pub fn label_values(
        &self,
        id: u32,
        sample_type: u32,
        key: &str,
        filter: &str,
        page: (u32, u32),
    ) -> Result<LabelPage, SessionError> {
        let profile = self.profile(id)?;
        let whole = self.whole(id, sample_type)?;
        let (offset, limit) = page;
        let part = TextPart::new(filter);
        let mut values = tag_values(profile, sample_type as usize, key);
        values.retain(|value| part.is_in(&value.text));
        let writer = TagWriter::new(profile);
        let rows = values.iter().skip(offset as usize).take(limit as usize);
        let rows = rows.map(|value| LabelRow {
            text: value.text.clone(),
            pattern: writer.exactly(&value.label),
            fraction: share(value.total, whole),
        });
        let is_text = |value: &TagValue| matches!(value.label.value, LabelValue::Text(_));
        Ok(LabelPage {
            rows: rows.collect(),
            count: values.len() as u32,
            // Numbers have ranges, not expressions.
            pattern: (!filter.is_empty() && values.iter().all(is_text))
                .then(|| writer.containing(key, &part))
                .flatten(),
        })
    }

    fn whole(&self, id: u32, sample_type: u32) -> Result<i128, SessionError> {
        let profile = self.profile(id)?;
        if profile.samples().values.len() <= sample_type as usize {
            return Err(SessionError::NoType(sample_type));
        }
        Ok(profile.total(sample_type as usize))
    }
}

fn share(part: i128, whole: i128) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}
