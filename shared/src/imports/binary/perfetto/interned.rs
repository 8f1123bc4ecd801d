//! What a sequence gives numbers to: texts, files, frames, stacks. They are read when a sample needs
//! them, for a stack may come before its frames.

use hashbrown::HashMap;

use super::packet::{Entry, Numbers, number};
use super::symbols::{Symbols, build_id, text};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::{Problem, too_deep};
use crate::imports::frames::library;
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, MappingId, StackId, StringId};
use crate::model::profile::Line;

/// Estimated bytes of memory for each text, mapping, frame and stack.
const ENTRY: usize = 80;

/// Longest path of a file, in bytes: that of Linux.
const MAX_PATH: usize = 4096;

/// Longest name of an event, in bytes. Each event reads its name again, so a name of a megabyte
/// would cost one for every few bytes of the file.
const MAX_EVENT_NAME: usize = 4096;

/// A kind of text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Event,
    Function,
    Source,
    Path,
    BuildId,
}

/// All of a sequence.
#[derive(Default)]
pub(super) struct Interned<'a> {
    texts: HashMap<(Kind, u64), StringId>,
    mappings: HashMap<u64, Entry<'a, Option<MappingId>>>,
    frames: HashMap<u64, Entry<'a, LocationId>>,
    stacks: HashMap<u64, Entry<'a, Option<StackId>>>,
    /// Stacks and frames that are nowhere.
    pub(super) missing: u64,
}

impl<'a> Interned<'a> {
    /// Reads the interned data of a packet.
    pub(super) fn add(&mut self, mut data: Wire<'a>, rows: &mut Rows) -> Result<(), Problem> {
        while let Some((field, value)) = data.next_field()? {
            let Value::Bytes(message) = value else {
                continue;
            };
            match field {
                2 => self.text(Kind::Event, message, rows)?,
                5 => self.text(Kind::Function, message, rows)?,
                6 => self.frame(message)?,
                7 => self.stack(message)?,
                16 => self.text(Kind::BuildId, message, rows)?,
                17 => self.text(Kind::Path, message, rows)?,
                18 => self.text(Kind::Source, message, rows)?,
                19 => self.mapping(message)?,
                _ => continue,
            }
            rows.beside += ENTRY;
            rows.check()?;
        }
        Ok(())
    }

    /// Reads the tables that a dump of Android 10 has within; its texts are of all kinds.
    pub(super) fn add_dump(&mut self, mut dump: Wire<'a>, rows: &mut Rows) -> Result<(), Problem> {
        while let Some((field, value)) = dump.next_field()? {
            let Value::Bytes(message) = value else {
                continue;
            };
            match field {
                1 => {
                    for kind in [Kind::Function, Kind::Path, Kind::BuildId] {
                        self.text(kind, message, rows)?;
                    }
                    rows.beside += 2 * ENTRY;
                }
                2 => self.frame(message)?,
                3 => self.stack(message)?,
                4 => self.mapping(message)?,
                _ => continue,
            }
            rows.beside += ENTRY;
            rows.check()?;
        }
        Ok(())
    }

    /// Whether there is a stack at all.
    pub(super) fn has_stacks(&self) -> bool {
        !self.stacks.is_empty()
    }

    fn text(&mut self, kind: Kind, message: Wire<'a>, rows: &mut Rows) -> Result<(), Problem> {
        let id = number(message, 1)?;
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (2, Value::Bytes(word)) = (field, value) {
                let word = match kind {
                    Kind::BuildId => build_id(word.bytes(), rows),
                    Kind::Event => {
                        let name = String::from_utf8_lossy(word.bytes());
                        let end = name.floor_char_boundary(MAX_EVENT_NAME);
                        rows.builder.string(&name[..end])
                    }
                    Kind::Function | Kind::Source | Kind::Path => text(word, rows),
                };
                self.texts.insert((kind, id), word);
            }
        }
        Ok(())
    }

    fn mapping(&mut self, message: Wire<'a>) -> Result<(), Problem> {
        let id = number(message, 1)?;
        self.mappings.insert(id, Entry::Message(message));
        Ok(())
    }

    fn frame(&mut self, message: Wire<'a>) -> Result<(), Problem> {
        let id = number(message, 1)?;
        self.frames.insert(id, Entry::Message(message));
        Ok(())
    }

    fn stack(&mut self, message: Wire<'a>) -> Result<(), Problem> {
        let id = number(message, 1)?;
        self.stacks.insert(id, Entry::Message(message));
        Ok(())
    }

    /// A text; empty where there is none.
    pub(super) fn text_of(&self, kind: Kind, id: u64) -> StringId {
        let known = self.texts.get(&(kind, id));
        known.copied().unwrap_or(StringId::EMPTY)
    }

    /// The stack of a number.
    pub(super) fn stack_of(
        &mut self,
        id: u64,
        symbols: &mut Symbols<'_>,
        rows: &mut Rows,
    ) -> Result<Option<StackId>, Problem> {
        let message = match self.stacks.get(&id) {
            Some(Entry::Made(stack)) => return Ok(*stack),
            Some(&Entry::Message(message)) => message,
            None => {
                self.missing += 1;
                return Ok(None);
            }
        };
        let stack = self.stack_in(message, symbols, rows)?;
        self.stacks.insert(id, Entry::Made(stack));
        Ok(stack)
    }

    /// The stack in a message: numbers of frames, the outermost first.
    pub(super) fn stack_in(
        &mut self,
        message: Wire<'_>,
        symbols: &mut Symbols<'_>,
        rows: &mut Rows,
    ) -> Result<Option<StackId>, Problem> {
        let mut frames = Numbers::of(message, 2);
        let (mut stack, mut depth) = (None, 0);
        while let Some(frame) = frames.next()? {
            if depth == MAX_STACK_DEPTH {
                return Err(Problem(too_deep()));
            }
            depth += 1;
            let location = self.location(frame, symbols, rows)?;
            stack = Some(rows.builder.stack(stack, location));
            rows.check()?;
        }
        Ok(stack)
    }

    fn location(
        &mut self,
        id: u64,
        symbols: &mut Symbols<'_>,
        rows: &mut Rows,
    ) -> Result<LocationId, Problem> {
        let mut message = match self.frames.get(&id) {
            Some(Entry::Made(location)) => return Ok(*location),
            Some(&Entry::Message(message)) => message,
            None => {
                self.missing += 1;
                return Ok(rows.builder.location(None, 0, false, &[]));
            }
        };
        let (mut name, mut mapping, mut address, mut source, mut line) = (0, 0, 0, 0, 0);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (2, Value::Number(number)) => name = number,
                (3, Value::Number(number)) => mapping = number,
                (4, Value::Number(number)) => address = number,
                (5, Value::Number(number)) => source = number,
                (6, Value::Number(number)) => line = i64::from(number as u32),
                _ => {}
            }
        }
        let mapping = self.mapping_of(mapping, rows)?;
        let address = mapping.map_or(0, |_| address);
        let symbol = match mapping {
            Some(mapping) => symbols.location(mapping, address, rows)?,
            None => None,
        };
        let location = symbol.unwrap_or_else(|| {
            let name = self.text_of(Kind::Function, name);
            let file = self.text_of(Kind::Source, source);
            let line = (!name.is_empty()).then(|| Line::of(rows.function_of(name, file), line));
            rows.builder
                .location(mapping, address, false, line.as_slice())
        });
        self.frames.insert(id, Entry::Made(location));
        Ok(location)
    }

    fn mapping_of(&mut self, id: u64, rows: &mut Rows) -> Result<Option<MappingId>, Problem> {
        let message = match self.mappings.get(&id) {
            Some(Entry::Made(mapping)) => return Ok(*mapping),
            Some(&Entry::Message(message)) => message,
            None => return Ok(None),
        };
        let mut path = String::new();
        let mut words = Numbers::of(message, 7);
        while let Some(word) = words.next()? {
            let word = self.text_of(Kind::Path, word);
            let word = rows.builder.profile().text(word);
            if !word.starts_with(['/', '[']) {
                path.push('/');
            }
            if path.len() + word.len() > MAX_PATH {
                return Err(Problem(format!("a path of more than {MAX_PATH} bytes")));
            }
            path.push_str(word);
        }
        let build = self.text_of(Kind::BuildId, number(message, 2)?);
        let build = rows.builder.profile().text(build).to_owned();
        let mapping = Some(library(&mut rows.builder, &path, &build));
        self.mappings.insert(id, Entry::Made(mapping));
        rows.check()?;
        Ok(mapping)
    }
}
