//! The metadata of a chunk: a tree of elements that describes the classes of its values.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::budget::{self, Budget};
use super::error::{JfrError, JfrProblem};
use super::reader::{Reader, Text};

/// Deepest nesting of elements. JDK's have 5: root, metadata, class, field, annotation.
const MAX_DEPTH: usize = 16;

/// Longest number, with its sign.
const MAX_DIGITS: usize = 20;

/// A class of events or of constants.
#[derive(Debug, Default)]
pub(super) struct Class<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) fields: Vec<Field<'a>>,
}

/// A field of a class.
#[derive(Debug, Default)]
pub(super) struct Field<'a> {
    pub(super) name: Cow<'a, str>,
    /// Id of the class of its value.
    pub(super) class: u64,
    pub(super) place: Place,
    pub(super) repeat: Repeat,
    /// What `jdk.jfr.Timespan` says of it; empty without.
    pub(super) timespan: Cow<'a, str>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// In the event.
    #[default]
    Inline,
    /// In a pool of constants; the event has its key.
    Pool,
}

/// How many values a field has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Repeat {
    /// One.
    #[default]
    Once,
    /// As many as a number before them says.
    Array,
}

/// The classes by id.
pub(super) type Classes<'a> = HashMap<u64, Class<'a>>;

/// What an element is, as far as that matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Class,
    Field,
    Annotation,
    Other,
}

/// Reads the metadata event that begins at the reader.
pub(super) fn read<'a>(
    mut reader: Reader<'a>,
    budget: &mut Budget,
) -> Result<Classes<'a>, JfrError> {
    let start = reader.offset();
    let size = reader.int()? as usize;
    let mut reader = reader.part(reader.offset(), start.saturating_add(size));
    if reader.long()? != 0 {
        return Err(reader.error(JfrProblem::Invalid(
            "no metadata at the offset given in the header",
        )));
    }
    // Start, duration and id.
    for _ in 0..3 {
        reader.long()?;
    }
    let texts = texts(&mut reader, budget)?;
    let mut tree = Tree {
        texts,
        classes: Classes::new(),
        timespan: None,
        pending: Vec::new(),
        class: None,
    };
    tree.read(&mut reader, budget)?;
    Ok(tree.classes)
}

fn texts<'a>(reader: &mut Reader<'a>, budget: &mut Budget) -> Result<Vec<Cow<'a, str>>, JfrError> {
    let count = reader.count(1, "the metadata's string table")?;
    budget
        .take_for_chunk(count as usize, budget::TEXT)
        .map_err(|problem| reader.error(problem))?;
    let mut texts = Vec::new();
    for _ in 0..count {
        texts.push(match reader.text()? {
            Text::Here(text) => text,
            Text::Pooled(_) => {
                return Err(reader.error(JfrProblem::Invalid(
                    "a string in the metadata refers to a constant pool",
                )));
            }
        });
    }
    Ok(texts)
}

struct Tree<'a> {
    texts: Vec<Cow<'a, str>>,
    classes: Classes<'a>,
    /// Id of `jdk.jfr.Timespan`.
    timespan: Option<u64>,
    /// Annotations of fields: class and field that have them, class of the annotation, and value.
    pending: Vec<(u64, usize, u64, usize)>,
    /// Id of the class that is read.
    class: Option<u64>,
}

impl<'a> Tree<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, budget: &mut Budget) -> Result<(), JfrError> {
        // How many children each open element still has.
        let mut open: Vec<(Kind, u32)> = vec![(Kind::Other, 1)];
        while let Some((_, left)) = open.last_mut() {
            let Some(next) = left.checked_sub(1) else {
                open.pop();
                continue;
            };
            *left = next;
            if open.len() > MAX_DEPTH {
                return Err(reader.error(JfrProblem::Invalid("elements nested too deeply")));
            }
            let parent = open.last().map_or(Kind::Other, |&(kind, _)| kind);
            let kind = self.element(reader, parent, budget)?;
            let rows = match kind {
                Kind::Class => budget::CLASS,
                Kind::Field | Kind::Annotation => budget::FIELD,
                Kind::Other => 0,
            };
            budget
                .take_for_chunk(1, rows)
                .map_err(|problem| reader.error(problem))?;
            // An element has three numbers at least.
            open.push((kind, reader.count(3, "the metadata's element list")?));
        }
        for &(class, field, annotation, value) in &self.pending {
            if Some(annotation) != self.timespan {
                continue;
            }
            let timespan = self.copy(Some(value), reader, budget)?;
            let class = self.classes.get_mut(&class);
            if let Some(field) = class.and_then(|class| class.fields.get_mut(field)) {
                field.timespan = timespan;
            }
        }
        Ok(())
    }

    /// Reads an element up to its children.
    fn element(
        &mut self,
        reader: &mut Reader<'a>,
        parent: Kind,
        budget: &mut Budget,
    ) -> Result<Kind, JfrError> {
        let index = self.index(reader)?;
        let kind = match self.texts[index].as_ref() {
            "class" => Kind::Class,
            "field" if parent == Kind::Class => Kind::Field,
            "annotation" if parent == Kind::Field => Kind::Annotation,
            _ => Kind::Other,
        };
        let (mut name, mut id, mut class, mut value) = (None, 0, 0, None);
        let (mut place, mut repeat) = (Place::Inline, Repeat::Once);
        for _ in 0..reader.count(2, "the metadata's attribute list")? {
            let (key, text) = (self.index(reader)?, self.index(reader)?);
            let at = text;
            let text = &self.texts[text];
            match self.texts[key].as_ref() {
                "name" => name = Some(at),
                "id" => id = number(text),
                "class" => class = number(text),
                "constantPool" if text == "true" => place = Place::Pool,
                "dimension" if number(text) > 0 => repeat = Repeat::Array,
                "value" => value = Some(at),
                _ => {}
            }
        }
        match (kind, self.class) {
            (Kind::Class, _) => {
                let name = self.copy(name, reader, budget)?;
                if name == "jdk.jfr.Timespan" {
                    self.timespan = Some(id);
                }
                self.class = Some(id);
                let fields = Vec::new();
                self.classes.insert(id, Class { name, fields });
            }
            (Kind::Field, Some(owner)) => {
                let name = self.copy(name, reader, budget)?;
                if let Some(owner) = self.classes.get_mut(&owner) {
                    owner.fields.push(Field {
                        name,
                        class,
                        place,
                        repeat,
                        timespan: Cow::Borrowed(""),
                    });
                }
            }
            (Kind::Annotation, Some(owner)) => {
                let fields = self.classes.get(&owner).map_or(0, |c| c.fields.len());
                if let (Some(value), Some(field)) = (value, fields.checked_sub(1)) {
                    self.pending.push((owner, field, class, value));
                }
            }
            _ => {}
        }
        Ok(kind)
    }

    /// A text, whose copy is accounted for: any number of elements may have it.
    fn copy(
        &self,
        text: Option<usize>,
        reader: &Reader<'a>,
        budget: &mut Budget,
    ) -> Result<Cow<'a, str>, JfrError> {
        let Some(text) = text.map(|at| &self.texts[at]) else {
            return Ok(Cow::Borrowed(""));
        };
        if let Cow::Owned(text) = text {
            budget
                .take_for_chunk(text.len(), 1)
                .and_then(|()| budget.work(text.len()))
                .map_err(|problem| reader.error(problem))?;
        }
        Ok(text.clone())
    }

    fn index(&self, reader: &mut Reader<'a>) -> Result<usize, JfrError> {
        let index = reader.int()? as usize;
        if index < self.texts.len() {
            Ok(index)
        } else {
            Err(reader.error(JfrProblem::Invalid("a string is missing from the metadata")))
        }
    }
}

/// Ids are decimal; what is no number names no class.
fn number(text: &str) -> u64 {
    // One text may be the number of any number of elements.
    if text.len() > MAX_DIGITS {
        return 0;
    }
    text.parse::<i64>()
        .map_or_else(|_| text.parse().unwrap_or(0), |number| number as u64)
}
