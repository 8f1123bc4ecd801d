//! protobuf → [`Profile`].
//!
//! Fields may come in any order, so the message is walked once per kind of row, in the order in
//! which rows refer to each other; a walk passes over the bytes of other rows without looking at
//! them. Tables keep the file's rows and order, repeats included: looking for equal rows is a
//! merge's work, and a viewer or a merge does it once anyway.

use super::error::PprofError;
use super::ids::{Dangling, Ids, string};
use super::outline::{FIELDS, Outline};
use super::samples::{LeftOut, Samples};
use crate::base::limits::{MAX_FRAMES_PER_BYTE, MAX_PROFILE_BYTES, MAX_SAMPLE_TYPES};
use crate::formats::decoded::Decoded;
use crate::formats::protobuf::{Value, Wire};
use crate::model::id::{FunctionId, LocationId, MappingId, StringId};
use crate::model::profile::{Header, Profile, ValueType};

/// Most warnings kept; a file with more of them is odd in the same way many times.
const MAX_WARNINGS: usize = 20;

/// Decodes an uncompressed profile. Time and memory are linear in its size.
///
/// Refused, with the offending value: broken protobuf, references to rows that do not exist, ids
/// that are zero or come twice, samples whose number of values is not the number of sample types.
/// Tolerated with a warning: text that is not UTF-8, a first string that is not empty, a mapping
/// that does not exist.
pub fn decode(bytes: &[u8]) -> Result<Decoded, PprofError> {
    decode_samples(bytes, Dangling::Refused).map(|(decoded, _)| decoded)
}

/// The same, but that samples whose stacks refer to rows that do not exist may be left out.
pub(super) fn decode_samples(
    bytes: &[u8],
    dangling: Dangling,
) -> Result<(Decoded, LeftOut), PprofError> {
    if bytes.is_empty() {
        return Err(PprofError::Empty);
    }
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(PprofError::TooLarge {
            length: bytes.len(),
            cap: MAX_PROFILE_BYTES,
        });
    }
    let outline = Outline::of(Wire::new(bytes))?;
    let mut decoder = Decoder {
        profile: Profile::default(),
        mappings: Ids::new("mapping", outline.rows(3)),
        functions: Ids::new("function", outline.rows(5)),
        locations: Ids::new("location", outline.rows(4)),
        dangling,
        broken_location: None,
        warnings: Vec::new(),
    };
    decoder.string_table(&outline)?;
    decoder.sample_types(&outline)?;
    decoder.mappings(&outline)?;
    decoder.functions(&outline)?;
    decoder.locations(&outline)?;
    decoder.header(&outline)?;
    let Decoder {
        mut profile,
        locations,
        broken_location,
        warnings,
        ..
    } = decoder;
    let mut samples = Samples::new(
        &mut profile,
        &locations,
        outline.count(2),
        outline.extents[2].clone(),
        dangling,
    );
    outline.for_each(2, |row| samples.add(row))?;
    let mut left_out = samples.left_out();
    if left_out.samples > 0 {
        left_out.reason = broken_location.or(left_out.reason);
    }
    // Giving back little would cost a copy of all.
    if profile.stacks.capacity() / 5 > profile.stacks.len() / 4 {
        profile.stacks.shrink_to_fit();
    }
    check_frames(&profile, bytes.len())?;
    Ok((Decoded { profile, warnings }, left_out))
}

/// Refuses a file whose inlined calls multiply: a location of 4,096 lines on each of a million rows
/// is a tree of four billion nodes.
fn check_frames(profile: &Profile, bytes: usize) -> Result<(), PprofError> {
    let most = bytes as u64 * MAX_FRAMES_PER_BYTE;
    let lines = |location: LocationId| u64::from(profile.locations[location.index()].line_count);
    let longest = profile.location_ids().map(lines).max().unwrap_or(0);
    if longest * profile.stacks.len() as u64 <= most {
        return Ok(());
    }
    let frames: u64 = profile
        .stacks
        .iter()
        .map(|stack| lines(stack.location))
        .sum();
    if frames <= most {
        return Ok(());
    }
    let problem = format!(
        "{bytes} bytes expand to {frames} frames, counting inlined calls; at most {MAX_FRAMES_PER_BYTE} per byte are allowed"
    );
    Err(PprofError::Invalid(problem))
}

/// What a warning shows of a text.
fn start(text: &str) -> String {
    text.chars().take(64).collect()
}

/// A profile as it is read, up to its samples.
pub(super) struct Decoder {
    pub(super) profile: Profile,
    pub(super) mappings: Ids<MappingId>,
    pub(super) functions: Ids<FunctionId>,
    pub(super) locations: Ids<LocationId>,
    pub(super) dangling: Dangling,
    /// Why the first location that is left out is.
    pub(super) broken_location: Option<PprofError>,
    warnings: Vec<String>,
}

impl Decoder {
    pub(super) fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }

    pub(super) fn string(&self, index: u64, what: &str) -> Result<StringId, PprofError> {
        string(&self.profile, index, what)
    }

    fn string_table(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile
            .strings
            .reserve(outline.count(6), outline.string_bytes);
        let mut index = 0usize;
        outline.for_each(6, |row| {
            let text = String::from_utf8_lossy(row.bytes());
            if index == 0 {
                // Row 0 is there already, and empty.
                if !text.is_empty() {
                    self.warn(format!(
                        "the first entry of the string table must be empty (got {:?}); it is read as empty",
                        start(&text)
                    ));
                }
            } else {
                if matches!(text, std::borrow::Cow::Owned(_)) {
                    self.warn(format!(
                        "string {index} is not UTF-8 and is read as {:?}",
                        start(&text)
                    ));
                }
                self.profile.strings.push(&text);
            }
            index += 1;
            Ok(())
        })
    }

    fn value_type(&self, mut row: Wire<'_>) -> Result<ValueType, PprofError> {
        let mut value_type = ValueType {
            kind: StringId::EMPTY,
            unit: StringId::EMPTY,
        };
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Number(n)) => value_type.kind = self.string(n, "a sample type")?,
                (2, Value::Number(n)) => value_type.unit = self.string(n, "a unit")?,
                _ => {}
            }
        }
        Ok(value_type)
    }

    fn sample_types(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        let mut types = Vec::new();
        outline.for_each(1, |row| {
            types.push(self.value_type(row)?);
            Ok(())
        })?;
        if types.is_empty() {
            return Err(PprofError::Invalid(
                "there is no sample type; is this a pprof profile?".to_owned(),
            ));
        }
        if types.len() > MAX_SAMPLE_TYPES {
            return Err(PprofError::Invalid(format!(
                "{} sample types; at most {MAX_SAMPLE_TYPES} are allowed",
                types.len()
            )));
        }
        self.profile.samples.values = vec![Vec::new(); types.len()];
        self.profile.sample_types = types;
        Ok(())
    }

    fn header(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        let mut header = std::mem::take(&mut self.profile.header);
        for field in (7..FIELDS).filter(|&field| outline.counts[field] > 0) {
            let mut rest = outline.message.part(outline.extents[field].clone());
            while let Some((number, value)) = rest.field()? {
                if number as usize == field {
                    self.header_field(&mut header, number, value)?;
                }
            }
        }
        self.profile.header = header;
        Ok(())
    }

    fn header_field(
        &self,
        header: &mut Header,
        field: u32,
        value: Value<'_>,
    ) -> Result<(), PprofError> {
        match (field, value) {
            (7, Value::Number(n)) => header.drop_frames = self.string(n, "drop_frames")?,
            (8, Value::Number(n)) => header.keep_frames = self.string(n, "keep_frames")?,
            (9, Value::Number(n)) => header.time_nanos = n as i64,
            (10, Value::Number(n)) => header.duration_nanos = n as i64,
            (11, Value::Bytes(row)) => header.period_type = Some(self.value_type(row)?),
            (12, Value::Number(n)) => header.period = n as i64,
            (13, Value::Number(n)) => header.comments.push(self.string(n, "a comment")?),
            (13, Value::Bytes(mut packed)) => {
                while let Some(n) = packed.packed()? {
                    header.comments.push(self.string(n, "a comment")?);
                }
            }
            (14, Value::Number(n)) => {
                header.default_sample_type = self.string(n, "the default sample type")?
            }
            (15, Value::Number(n)) => header.doc_url = self.string(n, "the doc URL")?,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::formats::pprof::encode;
    use crate::model::builder::ProfileBuilder;
    use crate::model::profile::Line;

    #[test]
    fn inlined_calls_may_not_multiply() {
        let check = |lines: usize| {
            let mut builder = ProfileBuilder::new();
            builder.sample_type("cpu", "nanoseconds");
            let line = Line {
                function: None,
                line: 1,
                column: 0,
            };
            let [one, two] =
                [1, 2].map(|address| builder.location(None, address, false, &vec![line; lines]));
            for i in 0..100 {
                // Neighbours share no frame.
                let root = builder.stack(None, if i % 2 == 0 { one } else { two });
                let stack = (0..100).fold(root, |parent, _| builder.stack(Some(parent), one));
                builder.sample(Some(stack), None, &[1]);
            }
            decode(&encode(&builder.finish()))
                .map(|decoded| decoded.profile.len())
                .map_err(|error| error.to_string())
        };
        assert_eq!(check(4), Ok(100));
        let problem = "pprof: 18840 bytes expand to 10100000 frames, counting inlined calls; at most 16 per byte are allowed";
        assert_eq!(check(1000), Err(problem.to_owned()));
    }
}
