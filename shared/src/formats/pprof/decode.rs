//! protobuf → [`Profile`].
//!
//! Fields may come in any order, so the message is walked once per kind of row, in the order in
//! which rows refer to each other; a walk passes over the bytes of other rows without looking at
//! them. Tables keep the file's rows and order, repeats included: looking for equal rows is a
//! merge's work, and a viewer or a merge does it once anyway.

use super::error::PprofError;
use super::ids::{Ids, string};
use super::outline::{FIELDS, Outline};
use super::samples::Samples;
use crate::base::limits::{MAX_FRAMES_PER_BYTE, MAX_INLINED, MAX_PROFILE_BYTES, MAX_SAMPLE_TYPES};
use crate::formats::decoded::Decoded;
use crate::formats::protobuf::{Value, Wire};
use crate::model::id::{FunctionId, LocationId, MappingId, StringId};
use crate::model::profile::{
    Function, Header, Line, Location, Mapping, Profile, SymbolFlags, ValueType,
};

/// Most warnings kept; a file with more of them is odd in the same way many times.
const MAX_WARNINGS: usize = 20;

/// Decodes an uncompressed profile. Time and memory are linear in its size.
///
/// Refused, with the offending value: broken protobuf, references to rows that do not exist, ids
/// that are zero or come twice, samples whose number of values is not the number of sample types.
/// Tolerated with a warning: text that is not UTF-8, a first string that is not empty, a mapping
/// that does not exist.
pub fn decode(bytes: &[u8]) -> Result<Decoded, PprofError> {
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
        warnings,
        ..
    } = decoder;
    let mut samples = Samples::new(
        &mut profile,
        &locations,
        outline.count(2),
        outline.extents[2].clone(),
    );
    outline.for_each(2, |row| samples.add(row))?;
    // Giving back little would cost a copy of all.
    if profile.stacks.capacity() / 5 > profile.stacks.len() / 4 {
        profile.stacks.shrink_to_fit();
    }
    check_frames(&profile, bytes.len())?;
    Ok(Decoded { profile, warnings })
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
        "inlined calls make {frames} frames of {bytes} bytes; {MAX_FRAMES_PER_BYTE} a byte are allowed"
    );
    Err(PprofError::Invalid(problem))
}

/// What a warning shows of a text.
fn start(text: &str) -> String {
    text.chars().take(64).collect()
}

/// How many lines all locations have: a line may take two bytes, so that room is made for just what
/// is there.
fn count_lines(outline: &Outline<'_>) -> Result<usize, PprofError> {
    let (mut all, mut index) = (0, 0);
    outline.for_each(4, |mut row| {
        let mut lines = 0;
        while let Some((field, value)) = row.field()? {
            lines += usize::from(matches!((field, value), (4, Value::Bytes(_))));
        }
        if lines > MAX_INLINED {
            let problem = format!(
                "location {index} (counted from 0) has {lines} lines; {MAX_INLINED} are allowed"
            );
            return Err(PprofError::Invalid(problem));
        }
        all += lines;
        index += 1;
        Ok(())
    })?;
    Ok(all)
}

struct Decoder {
    profile: Profile,
    mappings: Ids<MappingId>,
    functions: Ids<FunctionId>,
    locations: Ids<LocationId>,
    warnings: Vec<String>,
}

impl Decoder {
    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }

    fn string(&self, index: u64, what: &str) -> Result<StringId, PprofError> {
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
                        "the first string is {:?} and not empty; index 0 is read as \"not given\"",
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
                "{} sample types; {MAX_SAMPLE_TYPES} are allowed",
                types.len()
            )));
        }
        self.profile.samples.values = vec![Vec::new(); types.len()];
        self.profile.sample_types = types;
        Ok(())
    }

    fn mappings(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile.mappings.reserve_exact(outline.rows(3));
        outline.for_each(3, |mut row| {
            let mut id = 0;
            let empty = StringId::EMPTY;
            let symbols = SymbolFlags::default();
            let mut m = Mapping {
                start: 0,
                limit: 0,
                offset: 0,
                file: empty,
                build_id: empty,
                symbols,
            };
            while let Some((field, value)) = row.field()? {
                let Value::Number(n) = value else { continue };
                match field {
                    1 => id = n,
                    2 => m.start = n,
                    3 => m.limit = n,
                    4 => m.offset = n,
                    5 => m.file = self.string(n, "a mapping's file")?,
                    6 => m.build_id = self.string(n, "a build id")?,
                    7 => m.symbols.functions = n != 0,
                    8 => m.symbols.filenames = n != 0,
                    9 => m.symbols.line_numbers = n != 0,
                    10 => m.symbols.inline_frames = n != 0,
                    _ => {}
                }
            }
            self.mappings.push(id)?;
            self.profile.mappings.push(m);
            Ok(())
        })
    }

    fn functions(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile.functions.reserve_exact(outline.rows(5));
        outline.for_each(5, |mut row| {
            let mut id = 0;
            let empty = StringId::EMPTY;
            let mut f = Function {
                name: empty,
                system_name: empty,
                file: empty,
                start_line: 0,
            };
            while let Some((field, value)) = row.field()? {
                let Value::Number(n) = value else { continue };
                match field {
                    1 => id = n,
                    2 => f.name = self.string(n, "a function's name")?,
                    3 => f.system_name = self.string(n, "a function's system name")?,
                    4 => f.file = self.string(n, "a function's file")?,
                    5 => f.start_line = n as i64,
                    _ => {}
                }
            }
            self.functions.push(id)?;
            self.profile.functions.push(f);
            Ok(())
        })
    }

    fn locations(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile.locations.reserve_exact(outline.rows(4));
        self.profile.lines.reserve_exact(count_lines(outline)?);
        outline.for_each(4, |mut row| {
            let (mut id, mut mapping) = (0, 0);
            let first_line = self.profile.lines.len();
            let mut l = Location {
                mapping: None,
                address: 0,
                folded: false,
                first_line: first_line as u32,
                line_count: 0,
            };
            while let Some((field, value)) = row.field()? {
                match (field, value) {
                    (1, Value::Number(n)) => id = n,
                    (2, Value::Number(n)) => mapping = n,
                    (3, Value::Number(n)) => l.address = n,
                    (4, Value::Bytes(line)) => {
                        let line = self.line(line)?;
                        self.profile.lines.push(line);
                    }
                    (5, Value::Number(n)) => l.folded = n != 0,
                    _ => {}
                }
            }
            l.line_count = (self.profile.lines.len() - first_line) as u32;
            if mapping != 0 {
                l.mapping = self.mappings.get(mapping);
                if l.mapping.is_none() {
                    self.warn(format!(
                        "location {id} names mapping {mapping}, which does not exist"
                    ));
                }
            }
            self.locations.push(id)?;
            self.profile.locations.push(l);
            Ok(())
        })
    }

    fn line(&self, mut row: Wire<'_>) -> Result<Line, PprofError> {
        let mut line = Line {
            function: None,
            line: 0,
            column: 0,
        };
        while let Some((field, value)) = row.field()? {
            let Value::Number(n) = value else { continue };
            match field {
                1 if n != 0 => {
                    let missing = || {
                        PprofError::Invalid(format!(
                            "a line names function {n}, which does not exist"
                        ))
                    };
                    line.function = Some(self.functions.get(n).ok_or_else(missing)?);
                }
                2 => line.line = n as i64,
                3 => line.column = n as i64,
                _ => {}
            }
        }
        Ok(line)
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
            (15, Value::Number(n)) => header.doc_url = self.string(n, "the doc url")?,
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
        let problem =
            "pprof: inlined calls make 10100000 frames of 18840 bytes; 16 a byte are allowed";
        assert_eq!(check(1000), Err(problem.to_owned()));
    }
}
