//! How values of a class are read: a list of steps, made once for a chunk from what the metadata
//! says of the class.

use super::budget::{self, Budget};
use super::error::{JfrError, JfrProblem};
use super::metadata::{Class, Classes, Field, Place, Repeat};
use super::reader::{Integers, Reader};

/// How many values of one event or constant are kept; one more takes all others.
pub(super) const SLOTS: usize = 10;

/// The slot that nobody reads.
const IGNORED: u8 = SLOTS as u8;

/// Numbers; of a text, its offset.
pub(super) type Values = [u64; SLOTS + 1];

/// Classes within classes: JDK's have 2 levels, a stack and its frames.
const MAX_NESTING: u32 = 8;

/// Most fields of one class, those of inlined classes included. JDK's largest event has some 60.
const MAX_FIELDS: usize = 4096;

/// One step of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A compressed number.
    Varint(u8),
    /// Compressed numbers that nobody reads.
    SkipVarints(u32),
    /// A big-endian number of so many bytes.
    Fixed { length: u8, slot: u8 },
    /// A text; its offset is kept.
    Text(u8),
    /// A number, and so many times the steps that follow; never none.
    Array { steps: u32 },
    /// The length of an array whose elements take no byte.
    EmptyArray,
}

/// How values of a class are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    steps: Vec<Step>,
}

/// Makes layouts of one chunk.
pub(super) struct Layouts<'c, 'a> {
    pub(super) classes: &'c Classes<'a>,
    /// For the kind of integers, and for errors.
    pub(super) reader: Reader<'a>,
}

impl Layouts<'_, '_> {
    /// Of a class; `slots` says where the values of which fields go.
    pub(super) fn of(
        &self,
        id: u64,
        slots: &[(&str, u8)],
        budget: &mut Budget,
    ) -> Result<Layout, JfrError> {
        let mut writer = Writer::new(self);
        let problem = |problem| self.reader.error(problem);
        writer
            .value(Place::Inline, id, IGNORED, slots, 0)
            .map_err(problem)?;
        writer.finish(budget).map_err(problem)
    }

    /// Of the fields of a class before an array, and of an element of this array.
    pub(super) fn of_array(
        &self,
        id: u64,
        array: &str,
        slots: &[(&str, u8)],
        budget: &mut Budget,
    ) -> Result<(Layout, Layout), JfrError> {
        let problem = |problem| self.reader.error(problem);
        let missing = || {
            problem(JfrProblem::Invalid(
                "the metadata doesn't describe stack traces",
            ))
        };
        let fields = self.classes.get(&id).map(|class| &class.fields);
        let fields = fields.ok_or_else(missing)?;
        let is_array = |field: &&Field<'_>| {
            field.name == array && field.repeat == Repeat::Array && field.place == Place::Inline
        };
        let element = fields.iter().find(is_array).ok_or_else(missing)?.class;
        let mut before = Writer::new(self);
        for field in fields.iter().take_while(|field| !is_array(field)) {
            before.field(field, &[], 0).map_err(problem)?;
        }
        let before = before.finish(budget).map_err(problem)?;
        let element = self.of(element, slots, budget)?;
        // Elements of no bytes could come in any number.
        if element.steps.is_empty() {
            return Err(missing());
        }
        Ok((before, element))
    }
}

/// Writes one layout.
struct Writer<'c, 'a> {
    layouts: &'c Layouts<'c, 'a>,
    steps: Vec<Step>,
    /// Steps before this are of an array that is complete, so nothing is joined to them.
    closed: usize,
    /// How many fields were looked at.
    fields: usize,
}

impl<'c, 'a> Writer<'c, 'a> {
    fn new(layouts: &'c Layouts<'c, 'a>) -> Self {
        Self {
            layouts,
            steps: Vec::new(),
            closed: 0,
            fields: 0,
        }
    }

    fn finish(self, budget: &mut Budget) -> Result<Layout, JfrProblem> {
        budget.take_for_chunk(self.fields, budget::STEP)?;
        // Classes within classes have more fields than bytes.
        budget.work(self.fields)?;
        Ok(Layout { steps: self.steps })
    }

    fn class(
        &mut self,
        id: u64,
        class: &Class<'_>,
        slots: &[(&str, u8)],
        nesting: u32,
    ) -> Result<(), JfrProblem> {
        for field in &class.fields {
            self.fields += 1;
            if nesting > MAX_NESTING || self.fields > MAX_FIELDS {
                return Err(JfrProblem::TooNested(id));
            }
            self.field(field, slots, nesting)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field<'_>,
        slots: &[(&str, u8)],
        nesting: u32,
    ) -> Result<(), JfrProblem> {
        match field.repeat {
            Repeat::Once => {
                let slot = slots.iter().find(|(name, _)| *name == field.name);
                let slot = slot.map_or(IGNORED, |&(_, slot)| slot);
                self.value(field.place, field.class, slot, &[], nesting + 1)
            }
            Repeat::Array => {
                self.steps.push(Step::EmptyArray);
                let start = self.steps.len();
                self.closed = start;
                self.value(field.place, field.class, IGNORED, &[], nesting + 1)?;
                let steps = (self.steps.len() - start) as u32;
                if steps > 0 {
                    self.steps[start - 1] = Step::Array { steps };
                }
                self.closed = self.steps.len();
                Ok(())
            }
        }
    }

    fn value(
        &mut self,
        place: Place,
        id: u64,
        slot: u8,
        slots: &[(&str, u8)],
        nesting: u32,
    ) -> Result<(), JfrProblem> {
        let class = self.layouts.classes.get(&id);
        let class = class.ok_or(JfrProblem::UnknownClass(id))?;
        let fixed = |length| Step::Fixed { length, slot };
        let integer = |length| match self.layouts.reader.integers() {
            Integers::Compressed => Step::Varint(slot),
            Integers::Raw => fixed(length),
        };
        let step = match (place, class.name.as_ref()) {
            (Place::Pool, _) | (_, "long") => integer(8),
            (_, "int") => integer(4),
            (_, "short" | "char") => integer(2),
            (_, "boolean" | "byte") => fixed(1),
            (_, "float") => fixed(4),
            (_, "double") => fixed(8),
            (_, "java.lang.String") => Step::Text(slot),
            _ => return self.class(id, class, slots, nesting),
        };
        self.push(step);
        Ok(())
    }

    /// Appends a step; numbers that nobody reads become one step.
    fn push(&mut self, step: Step) {
        if step != Step::Varint(IGNORED) {
            return self.steps.push(step);
        }
        match self.steps[self.closed..].last_mut() {
            Some(Step::SkipVarints(count)) => *count += 1,
            _ => self.steps.push(Step::SkipVarints(1)),
        }
    }
}

impl Layout {
    /// Reads one value of the class. Slots that it has no field for stay as they are.
    pub(super) fn read(
        &self,
        reader: &mut Reader<'_>,
        values: &mut Values,
    ) -> Result<(), JfrError> {
        run(&self.steps, reader, values)
    }

    /// Passes over one value.
    pub(super) fn skip(&self, reader: &mut Reader<'_>) -> Result<(), JfrError> {
        run(&self.steps, reader, &mut Values::default())
    }
}

fn run(steps: &[Step], reader: &mut Reader<'_>, values: &mut Values) -> Result<(), JfrError> {
    let mut at = 0;
    while let Some(&step) = steps.get(at) {
        at += 1;
        match step {
            Step::Varint(slot) => values[usize::from(slot)] = reader.varint()?,
            Step::SkipVarints(count) => reader.skip_varints(u64::from(count))?,
            Step::Fixed { length, slot } => {
                values[usize::from(slot)] = reader.fixed(usize::from(length))?;
            }
            Step::Text(slot) => {
                values[usize::from(slot)] = reader.offset() as u64;
                reader.skip_text()?;
            }
            Step::EmptyArray => drop(reader.int()?),
            Step::Array { steps: length } => {
                let body = &steps[at..at + length as usize];
                at += body.len();
                let count = reader.count(1, "a list")?;
                if let [Step::SkipVarints(each)] = body {
                    reader.skip_varints(u64::from(count) * u64::from(*each))?;
                    continue;
                }
                // Runs nest as classes do, which is bounded.
                for _ in 0..count {
                    run(body, reader, values)?;
                }
            }
        }
    }
    Ok(())
}
