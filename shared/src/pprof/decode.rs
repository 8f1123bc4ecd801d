//! protobuf → [`Profile`].
//!
//! Fields may come in any order, so the message is walked once per kind of row, in the order in which rows refer to each
//! other; a walk passes over the bytes of other rows without looking at them.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::PprofError;
use super::wire::{Value, Wire};
use crate::builder::ProfileBuilder;
use crate::id::{FunctionId, LocationId, MappingId, StringId};
use crate::limits::{MAX_INLINED, MAX_PROFILE_BYTES, MAX_SAMPLE_TYPES, MAX_STACK_DEPTH};
use crate::profile::{Function, Label, LabelValue, Line, Mapping, Profile, SymbolFlags, ValueType};

/// A decoded profile, and what was odd about it.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The profile.
    pub profile: Profile,
    /// Oddities that lost nothing that matters, in words for people.
    pub warnings: Vec<String>,
}

/// Decodes an uncompressed profile. Time and memory are linear in its size.
///
/// Refused, with the offending value: broken protobuf, references to rows that do not exist, ids that are zero or come
/// twice, samples whose number of values is not the number of sample types. Tolerated with a warning: text that is not
/// UTF-8, a first string that is not empty, a mapping that does not exist.
pub fn decode(bytes: &[u8]) -> Result<Decoded, PprofError> {
    if bytes.is_empty() {
        return Err(PprofError::Empty);
    }
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(PprofError::TooLarge { length: bytes.len(), cap: MAX_PROFILE_BYTES });
    }
    let message = Wire::new(bytes);
    let counts = Counts::of(message)?;
    let mut decoder = Decoder {
        strings: Vec::with_capacity(counts.strings),
        interned: Vec::new(),
        builder: ProfileBuilder::new(),
        mappings: Ids::new("mapping", counts.mappings),
        functions: Ids::new("function", counts.functions),
        locations: Ids::new("location", counts.locations),
        sample_count: counts.samples,
        warnings: Vec::new(),
    };
    decoder.string_table(message)?;
    decoder.sample_types(message)?;
    decoder.mappings(message)?;
    decoder.functions(message)?;
    decoder.locations(message)?;
    decoder.samples(message)?;
    decoder.header(message)?;
    Ok(Decoded { profile: decoder.builder.finish(), warnings: decoder.warnings })
}

/// How many rows of each kind there are: sizes for the tables, and a first check of the whole message.
#[derive(Default)]
struct Counts {
    samples: usize,
    mappings: usize,
    locations: usize,
    functions: usize,
    strings: usize,
}

impl Counts {
    fn of(mut message: Wire<'_>) -> Result<Self, PprofError> {
        let mut counts = Self::default();
        loop {
            let offset = message.offset();
            let Some((field, value)) = message.field()? else { return Ok(counts) };
            let count = match field {
                2 => &mut counts.samples,
                3 => &mut counts.mappings,
                4 => &mut counts.locations,
                5 => &mut counts.functions,
                6 => &mut counts.strings,
                _ => continue,
            };
            *count += 1;
            if !matches!(value, Value::Bytes(_)) {
                return Err(PprofError::Wire { offset, problem: "a number stands where a message should" });
            }
        }
    }
}

struct Decoder<'a> {
    strings: Vec<&'a [u8]>,
    /// The handle of each string that was used so far.
    interned: Vec<Option<StringId>>,
    builder: ProfileBuilder,
    mappings: Ids<MappingId>,
    functions: Ids<FunctionId>,
    locations: Ids<LocationId>,
    sample_count: usize,
    warnings: Vec<String>,
}

impl<'a> Decoder<'a> {
    fn string_table(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        for_each(message, 6, |row| {
            self.strings.push(row.bytes());
            Ok(())
        })?;
        if let Some(first) = self.strings.first().filter(|first| !first.is_empty()) {
            let first = String::from_utf8_lossy(first).into_owned();
            self.warnings.push(format!("the first string is {first:?} and not empty; index 0 is read as \"not given\""));
        }
        self.interned = vec![None; self.strings.len()];
        Ok(())
    }

    fn string(&mut self, index: u64, what: &str) -> Result<StringId, PprofError> {
        if index == 0 {
            return Ok(StringId::EMPTY);
        }
        let slot = usize::try_from(index).ok().filter(|&i| i < self.strings.len());
        let Some(slot) = slot else {
            let count = self.strings.len();
            return Err(PprofError::Invalid(format!("{what} is string {}, but there are {count} strings", index as i64)));
        };
        if let Some(id) = self.interned[slot] {
            return Ok(id);
        }
        let text = String::from_utf8_lossy(self.strings[slot]);
        if let Cow::Owned(text) = &text {
            self.warnings.push(format!("string {slot} is not UTF-8 and is read as {text:?}"));
        }
        let id = self.builder.string(&text);
        self.interned[slot] = Some(id);
        Ok(id)
    }

    fn value_type(&mut self, mut row: Wire<'a>) -> Result<ValueType, PprofError> {
        let mut value_type = ValueType { kind: StringId::EMPTY, unit: StringId::EMPTY };
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Number(n)) => value_type.kind = self.string(n, "a sample type")?,
                (2, Value::Number(n)) => value_type.unit = self.string(n, "a unit")?,
                _ => {}
            }
        }
        Ok(value_type)
    }

    fn sample_types(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        let mut types = Vec::new();
        for_each(message, 1, |row| {
            types.push(self.value_type(row)?);
            Ok(())
        })?;
        if types.is_empty() {
            return Err(PprofError::Invalid("there is no sample type; is this a pprof profile?".to_owned()));
        }
        if types.len() > MAX_SAMPLE_TYPES {
            return Err(PprofError::Invalid(format!("{} sample types; {MAX_SAMPLE_TYPES} are allowed", types.len())));
        }
        for t in types {
            self.builder.add_sample_type(t);
        }
        Ok(())
    }

    fn mappings(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        for_each(message, 3, |mut row| {
            let mut id = 0;
            let empty = StringId::EMPTY;
            let symbols = SymbolFlags::default();
            let mut m = Mapping { start: 0, limit: 0, offset: 0, file: empty, build_id: empty, symbols };
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
            let handle = self.builder.mapping(m);
            self.mappings.insert(id, handle)
        })
    }

    fn functions(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        for_each(message, 5, |mut row| {
            let mut id = 0;
            let empty = StringId::EMPTY;
            let mut f = Function { name: empty, system_name: empty, file: empty, start_line: 0 };
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
            let handle = self.builder.function(f);
            self.functions.insert(id, handle)
        })
    }

    fn locations(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        let mut lines = Vec::new();
        for_each(message, 4, |mut row| {
            let (mut id, mut mapping, mut address, mut folded) = (0, 0, 0, false);
            lines.clear();
            while let Some((field, value)) = row.field()? {
                match (field, value) {
                    (1, Value::Number(n)) => id = n,
                    (2, Value::Number(n)) => mapping = n,
                    (3, Value::Number(n)) => address = n,
                    (4, Value::Bytes(line)) => lines.push(self.line(line)?),
                    (5, Value::Number(n)) => folded = n != 0,
                    _ => {}
                }
            }
            if lines.len() > MAX_INLINED {
                let count = lines.len();
                return Err(PprofError::Invalid(format!("location {id} has {count} lines; {MAX_INLINED} are allowed")));
            }
            let known = if mapping == 0 { None } else { self.mappings.get(mapping) };
            if mapping != 0 && known.is_none() {
                self.warnings.push(format!("location {id} names mapping {mapping}, which does not exist"));
            }
            let handle = self.builder.location(known, address, folded, &lines);
            self.locations.insert(id, handle)
        })
    }

    fn line(&mut self, mut row: Wire<'a>) -> Result<Line, PprofError> {
        let mut line = Line { function: None, line: 0, column: 0 };
        while let Some((field, value)) = row.field()? {
            let Value::Number(n) = value else { continue };
            match field {
                1 if n != 0 => {
                    let missing = || PprofError::Invalid(format!("a line names function {n}, which does not exist"));
                    line.function = Some(self.functions.get(n).ok_or_else(missing)?);
                }
                2 => line.line = n as i64,
                3 => line.column = n as i64,
                _ => {}
            }
        }
        Ok(line)
    }

    fn samples(&mut self, message: Wire<'a>) -> Result<(), PprofError> {
        let types = self.builder.profile().sample_types.len();
        // A sample adds a few frames of its own to the stacks before it; rows that turn out unused cost little.
        self.builder.reserve(self.sample_count, self.sample_count);
        let (mut ids, mut values, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        let mut index = 0usize;
        for_each(message, 2, |mut row| {
            (ids.clear(), values.clear(), labels.clear());
            while let Some((field, value)) = row.field()? {
                match (field, value) {
                    (1, Value::Number(n)) => ids.push(n),
                    (1, Value::Bytes(mut packed)) => {
                        while let Some(n) = packed.packed()? {
                            ids.push(n);
                        }
                    }
                    (2, Value::Number(n)) => values.push(n as i64),
                    (2, Value::Bytes(mut packed)) => {
                        while let Some(n) = packed.packed()? {
                            values.push(n as i64);
                        }
                    }
                    (3, Value::Bytes(label)) => labels.push(self.label(label)?),
                    _ => {}
                }
            }
            if values.len() != types {
                let count = values.len();
                let problem = format!("sample {index} has {count} values for {types} sample types");
                return Err(PprofError::Invalid(problem));
            }
            if ids.len() > MAX_STACK_DEPTH {
                let depth = ids.len();
                let problem = format!("sample {index} has a stack of {depth} frames; {MAX_STACK_DEPTH} are allowed");
                return Err(PprofError::Invalid(problem));
            }
            let mut stack = None;
            for &id in ids.iter().rev() {
                let Some(location) = self.locations.get(id) else {
                    let problem = format!("sample {index} refers to location {id}, which does not exist");
                    return Err(PprofError::Invalid(problem));
                };
                stack = Some(self.builder.stack(stack, location));
            }
            let set = self.builder.label_set(&mut labels);
            self.builder.sample(stack, set, &values);
            index += 1;
            Ok(())
        })
    }

    fn label(&mut self, mut row: Wire<'a>) -> Result<Label, PprofError> {
        let (mut key, mut text, mut number, mut unit) = (StringId::EMPTY, StringId::EMPTY, 0, StringId::EMPTY);
        while let Some((field, value)) = row.field()? {
            let Value::Number(n) = value else { continue };
            match field {
                1 => key = self.string(n, "a label's name")?,
                2 => text = self.string(n, "a label's value")?,
                3 => number = n as i64,
                4 => unit = self.string(n, "a label's unit")?,
                _ => {}
            }
        }
        let is_number = text.is_empty() && (number != 0 || !unit.is_empty());
        Ok(Label { key, value: if is_number { LabelValue::Number(number, unit) } else { LabelValue::Text(text) } })
    }

    fn header(&mut self, mut message: Wire<'a>) -> Result<(), PprofError> {
        let mut comments = Vec::new();
        while let Some((field, value)) = message.field()? {
            match (field, value) {
                (7, Value::Number(n)) => self.builder.header().drop_frames = self.string(n, "drop_frames")?,
                (8, Value::Number(n)) => self.builder.header().keep_frames = self.string(n, "keep_frames")?,
                (9, Value::Number(n)) => self.builder.header().time_nanos = n as i64,
                (10, Value::Number(n)) => self.builder.header().duration_nanos = n as i64,
                (11, Value::Bytes(row)) => self.builder.header().period_type = Some(self.value_type(row)?),
                (12, Value::Number(n)) => self.builder.header().period = n as i64,
                (13, Value::Number(n)) => comments.push(self.string(n, "a comment")?),
                (13, Value::Bytes(mut packed)) => {
                    while let Some(n) = packed.packed()? {
                        comments.push(self.string(n, "a comment")?);
                    }
                }
                (14, Value::Number(n)) => {
                    self.builder.header().default_sample_type = self.string(n, "the default sample type")?;
                }
                (15, Value::Number(n)) => self.builder.header().doc_url = self.string(n, "the doc url")?,
                _ => {}
            }
        }
        self.builder.header().comments = comments;
        Ok(())
    }
}

/// Calls `row` for every message in `field`. [`Counts::of`] has seen the whole message before.
fn for_each<'a>(
    mut message: Wire<'a>,
    field: u32,
    mut row: impl FnMut(Wire<'a>) -> Result<(), PprofError>,
) -> Result<(), PprofError> {
    while let Some((number, value)) = message.field()? {
        if let (true, Value::Bytes(inner)) = (number == field, value) {
            row(inner)?;
        }
    }
    Ok(())
}

/// Ids of a file → handles. Producers number from 1, so a plain column serves; outliers go into a map, so that one huge
/// id cannot make the column huge.
struct Ids<Handle> {
    what: &'static str,
    dense: Vec<Option<Handle>>,
    sparse: HashMap<u64, Handle>,
}

impl<Handle: Copy> Ids<Handle> {
    fn new(what: &'static str, count: usize) -> Self {
        Self { what, dense: vec![None; count + 1], sparse: HashMap::new() }
    }

    fn insert(&mut self, id: u64, handle: Handle) -> Result<(), PprofError> {
        if id == 0 {
            return Err(PprofError::Invalid(format!("a {} has id 0", self.what)));
        }
        let slot = usize::try_from(id).ok().and_then(|i| self.dense.get_mut(i));
        let before = match slot {
            Some(slot) => slot.replace(handle),
            None => self.sparse.insert(id, handle),
        };
        match before {
            None => Ok(()),
            Some(_) => Err(PprofError::Invalid(format!("{} id {id} comes twice", self.what))),
        }
    }

    fn get(&self, id: u64) -> Option<Handle> {
        match usize::try_from(id).ok().and_then(|i| self.dense.get(i)) {
            Some(slot) => *slot,
            None => self.sparse.get(&id).copied(),
        }
    }
}
