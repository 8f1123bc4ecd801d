//! Samples of a pprof file: by far most of its bytes.

use super::error::PprofError;
use super::ids::{Dangling, Ids, string};
use crate::base::growth::room;
use crate::base::limits::{MAX_LABELS_A_SAMPLE, MAX_STACK_DEPTH};
use crate::formats::protobuf::{Value, Wire};
use crate::model::builder::LabelSetIndex;
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::{Label, LabelValue, Profile, Stack};

/// What fills a slot until its id is read.
const FILLER: LocationId = LocationId::FIRST;

/// Samples that are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// How many.
    pub(crate) samples: u64,
    /// Why the first of them is.
    pub(crate) reason: Option<PprofError>,
}

/// Reads samples into a profile.
///
/// A stack shares its rows with the sample before as far as both agree from the root. Profilers
/// write their samples sorted or by thread, so that is most of what can be shared, and it needs no
/// table to look stacks up in. The root comes last, so frames that are shared are equal bytes at
/// the end, and are not even read.
pub(super) struct Samples<'a, 'f> {
    profile: &'a mut Profile,
    locations: &'a Ids<LocationId>,
    label_sets: LabelSetIndex,
    dangling: Dangling,
    left_out: LeftOut,
    /// Where samples begin and end in the file.
    extent: std::ops::Range<usize>,
    /// Which one is being read.
    index: usize,
    /// Where it ends.
    at: usize,
    /// The ids of the sample before, if they stood together.
    before: &'f [u8],
    /// The rows of its stack, root first.
    rows: Vec<StackId>,
    /// Scratch space.
    stack: Vec<LocationId>,
    values: Vec<i64>,
    labels: Vec<Label>,
}

impl<'a, 'f> Samples<'a, 'f> {
    pub(super) fn new(
        profile: &'a mut Profile,
        locations: &'a Ids<LocationId>,
        count: usize,
        extent: std::ops::Range<usize>,
        dangling: Dangling,
    ) -> Self {
        let types = profile.sample_types.len();
        // The least that a sample can have: its head, and its values packed or one by one.
        let count = count.min(extent.len() / (2 + (2 * types).min(2 + types)));
        let samples = &mut profile.samples;
        samples.stacks.reserve_exact(count);
        samples.labels.reserve_exact(count);
        samples
            .values
            .iter_mut()
            .for_each(|column| column.reserve_exact(count));
        Self {
            profile,
            locations,
            label_sets: LabelSetIndex::default(),
            dangling,
            left_out: LeftOut::default(),
            extent,
            index: 0,
            at: 0,
            before: &[],
            rows: Vec::new(),
            stack: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, row: Wire<'f>) -> Result<(), PprofError> {
        let read = self.read(row);
        self.index += 1;
        match (read, self.dangling) {
            (Err(reason @ PprofError::Dangling(_)), Dangling::LeftOut) => {
                self.left_out.samples += 1;
                self.left_out.reason.get_or_insert(reason);
                Ok(())
            }
            (read, _) => read,
        }
    }

    /// The samples that were left out, so far.
    pub(super) fn left_out(self) -> LeftOut {
        self.left_out
    }

    /// Adds a sample. One that is left out leaves nothing behind.
    fn read(&mut self, mut row: Wire<'f>) -> Result<(), PprofError> {
        self.at = row.end();
        self.stack.clear();
        self.values.clear();
        self.labels.clear();
        let mut together = None;
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Bytes(packed)) if together.is_none() && self.stack.is_empty() => {
                    together = Some(packed)
                }
                (1, value) => {
                    if let Some(packed) = together.take() {
                        self.frames(packed)?;
                    }
                    match value {
                        Value::Bytes(packed) => self.frames(packed)?,
                        Value::Number(id) => self.frame(id)?,
                        Value::Fixed64(_) | Value::Fixed32 => {}
                    }
                }
                (2, Value::Bytes(mut packed)) => {
                    while let Some(n) = packed.packed()? {
                        self.value(n)?;
                    }
                }
                (2, Value::Number(n)) => self.value(n)?,
                (3, Value::Bytes(label)) => {
                    // One that says nothing is nothing.
                    if let Some(label) = self.label(label)? {
                        self.labels.push(label);
                    }
                    if self.labels.len() > MAX_LABELS_A_SAMPLE {
                        let problem = format!(
                            "sample {} has too many labels; at most {MAX_LABELS_A_SAMPLE} are allowed",
                            self.index
                        );
                        return Err(PprofError::Invalid(problem));
                    }
                }
                _ => {}
            }
        }
        let stack = match together {
            Some(packed) => self.packed_row(packed)?,
            None => self.stack_row()?,
        };
        self.check_values()?;
        let profile = &mut *self.profile;
        let labels = self
            .label_sets
            .intern(&mut profile.label_sets, &mut self.labels);
        profile.samples.stacks.push(stack);
        profile.samples.labels.push(labels);
        for (column, &value) in profile.samples.values.iter_mut().zip(&self.values) {
            column.push(value);
        }
        Ok(())
    }

    #[inline(always)]
    fn frames(&mut self, mut packed: Wire<'_>) -> Result<(), PprofError> {
        // An id has at least one byte, so this is room enough, and the loop need not look for more.
        let start = self.stack.len();
        let room = packed.bytes().len();
        self.stack.resize(start + room, FILLER);
        let mut count = 0;
        for slot in &mut self.stack[start..] {
            let Some(id) = packed.packed()? else { break };
            let Some(location) = self.locations.get(id) else {
                return Err(self.missing(id));
            };
            *slot = location;
            count += 1;
        }
        self.stack.truncate(start + count);
        Ok(())
    }

    fn frame(&mut self, id: u64) -> Result<(), PprofError> {
        match self.locations.get(id) {
            Some(location) => {
                self.stack.push(location);
                Ok(())
            }
            None => Err(self.missing(id)),
        }
    }

    #[cold]
    fn missing(&self, id: u64) -> PprofError {
        PprofError::Dangling(format!("sample {} refers to location {id}", self.index))
    }

    #[inline(always)]
    fn value(&mut self, value: u64) -> Result<(), PprofError> {
        if self.values.len() == self.profile.sample_types.len() {
            let (index, types) = (self.index, self.profile.sample_types.len());
            return Err(PprofError::Invalid(format!(
                "sample {index} has more values than the {types} sample types"
            )));
        }
        self.values.push(value as i64);
        Ok(())
    }

    fn check_values(&self) -> Result<(), PprofError> {
        let (index, types) = (self.index, self.profile.sample_types.len());
        if self.values.len() != types {
            let count = self.values.len();
            return Err(PprofError::Invalid(format!(
                "sample {index} has {count} values for {types} sample types"
            )));
        }
        Ok(())
    }

    /// The row of a stack whose ids stand together.
    #[inline(always)]
    fn packed_row(&mut self, ids: Wire<'f>) -> Result<Option<StackId>, PprofError> {
        let (start, shared) = shared_ids(ids.bytes(), self.before);
        self.frames(ids.first(start))?;
        self.before = ids.bytes();
        self.append(shared)
    }

    /// The row of the stack just read.
    fn stack_row(&mut self) -> Result<Option<StackId>, PprofError> {
        let known = self
            .rows
            .iter()
            .map(|row| self.profile.stacks[row.index()].location);
        let shared = self
            .stack
            .iter()
            .rev()
            .zip(known)
            .take_while(|(now, before)| **now == *before)
            .count();
        self.stack.truncate(self.stack.len() - shared);
        self.before = &[];
        self.append(shared)
    }

    /// Appends a row for each frame in `stack` above the `shared` ones that are there.
    #[inline(always)]
    fn append(&mut self, shared: usize) -> Result<Option<StackId>, PprofError> {
        let (depth, index) = (shared + self.stack.len(), self.index);
        if depth > MAX_STACK_DEPTH {
            let problem = format!(
                "sample {index} has a stack of {depth} frames; at most {MAX_STACK_DEPTH} are allowed"
            );
            return Err(PprofError::Invalid(problem));
        }
        self.rows.truncate(shared);
        if self.profile.stacks.capacity() - self.profile.stacks.len() < self.stack.len() {
            self.reserve();
        }
        let stacks = &mut self.profile.stacks;
        let mut parent = self.rows.last().copied();
        for &location in self.stack.iter().rev() {
            let row = StackId::new(stacks.len());
            stacks.push(Stack { parent, location });
            self.rows.push(row);
            parent = Some(row);
        }
        Ok(parent)
    }

    /// Makes room for the rows of the stack just read and those to come.
    #[cold]
    fn reserve(&mut self) {
        let (stacks, new) = (&mut self.profile.stacks, self.stack.len());
        let (read, left) = (self.at - self.extent.start, self.extent.end - self.at);
        stacks.reserve_exact(new + room(stacks.len() + new, read, left));
    }

    fn label(&self, mut row: Wire<'_>) -> Result<Option<Label>, PprofError> {
        let text = |n, what| string(self.profile, n, what);
        let (mut key, mut value, mut number, mut unit) =
            (StringId::EMPTY, StringId::EMPTY, 0, StringId::EMPTY);
        while let Some((field, n)) = row.field()? {
            let Value::Number(n) = n else { continue };
            match field {
                1 => key = text(n, "a label's name")?,
                2 => value = text(n, "a label's value")?,
                3 => number = n as i64,
                4 => unit = text(n, "a label's unit")?,
                _ => {}
            }
        }
        let is_number = value.is_empty() && (number != 0 || !unit.is_empty());
        if key.is_empty() && value.is_empty() && !is_number {
            return Ok(None);
        }
        Ok(Some(Label {
            key,
            value: if is_number {
                LabelValue::Number(number, unit)
            } else {
                LabelValue::Text(value)
            },
        }))
    }
}

/// How many ids two lists have in common at their ends, and where those begin in the first. The
/// second one is valid.
#[inline(always)]
fn shared_ids(now: &[u8], before: &[u8]) -> (usize, usize) {
    let most = now.len().min(before.len());
    let word = |bytes: &[u8], from_end: usize| {
        let bytes = bytes[..bytes.len() - from_end].last_chunk::<8>();
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    // The last byte of a number is the one without the uppermost bit.
    let ends = |word: u64| !word & 0x8080_8080_8080_8080;
    let (mut same, mut ids) = (0, 0);
    while same + 8 <= most && word(now, same) == word(before, same) {
        ids += ends(word(now, same)).count_ones() as usize;
        same += 8;
    }
    while same < most && now[now.len() - 1 - same] == before[before.len() - 1 - same] {
        ids += usize::from(now[now.len() - 1 - same] < 0x80);
        same += 1;
    }
    let begins = |bytes: &[u8]| bytes.len() == same || bytes[bytes.len() - same - 1] < 0x80;
    let mut start = now.len() - same;
    if same > 0 && !(begins(now) && begins(before)) {
        // Only the end of this number is common.
        while now[start] >= 0x80 {
            start += 1;
        }
        start += 1;
        ids -= 1;
    }
    (start, ids)
}

#[cfg(test)]
mod tests {
    use super::shared_ids;

    #[test]
    fn ids_in_common_are_whole() {
        let common = |now: &[u8], before: &[u8]| shared_ids(now, before);
        assert_eq!(common(&[1, 2, 3], &[4, 2, 3]), (1, 2));
        assert_eq!(common(&[1, 2, 3], &[1, 2, 3]), (0, 3));
        assert_eq!(common(&[1, 2, 3], &[]), (3, 0));
        // 0x81 0x02 and 0x02 end alike, and are two numbers.
        assert_eq!(common(&[0x81, 2, 3], &[2, 3]), (2, 1));
        assert_eq!(common(&[2, 3], &[0x81, 2, 3]), (1, 1));
        assert_eq!(common(&[0x81, 2, 3], &[0x82, 2, 3]), (2, 1));
        let long: Vec<u8> = (0..40).flat_map(|i| [0x80 | i, 1]).collect();
        let mut other = long.clone();
        other[21] = 2;
        assert_eq!(common(&long, &other), (22, 29));
        assert_eq!(common(&[0x85], &long), (1, 0));
    }
}
