//! Frames of a thread's tables as frames of the profile.

use hashbrown::HashMap;

use super::tables::{Problem, Tables, What};
use crate::imports::frames::{Frame, hex_address, library, split_library, split_place};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, MappingId, StackId, StringId};
use crate::model::profile::Stack;

/// The frame that Gecko puts below all others. Every tree has a root of its own.
const ROOT: &str = "(root)";

/// Most lines of inlined calls that are put into locations together, for each frame of a table.
/// Compilers inline a few calls at one place.
const INLINED_A_FRAME: usize = 4;

/// What the strings of a table mean.
#[derive(Default)]
pub(super) struct Names(HashMap<(usize, Kind), Name>);

/// What a string stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    File,
    /// A function, or an address.
    Function,
    /// The same, perhaps with its place in a script or its library behind it.
    Place,
}

/// A string in its parts.
#[derive(Clone, Copy)]
struct Name {
    name: StringId,
    file: StringId,
    line: i64,
    column: i64,
    address: Option<u64>,
    library: Option<MappingId>,
}

/// Adds frames to a profile.
pub(super) struct Symbols<'a> {
    tables: &'a Tables<'a>,
    /// By number of the library.
    mappings: HashMap<usize, MappingId>,
    /// By frame, and what it is inlined into.
    inlined: HashMap<(usize, LocationId), LocationId>,
    /// How many lines may still be put into locations together.
    lines_left: usize,
    pub(super) builder: &'a mut ProfileBuilder,
    names: &'a mut Names,
}

impl<'a> Symbols<'a> {
    pub(super) fn new(
        tables: &'a Tables<'a>,
        builder: &'a mut ProfileBuilder,
        names: &'a mut Names,
    ) -> Self {
        Self {
            tables,
            mappings: HashMap::new(),
            inlined: HashMap::new(),
            lines_left: INLINED_A_FRAME * tables.frames.rows(),
            builder,
            names,
        }
    }

    /// The location of a call together with those that it was inlined into, and the stack that it
    /// was called from; `None` when that would take too much.
    pub(super) fn inlined(
        &mut self,
        frame: usize,
        into: Option<StackId>,
    ) -> Result<Option<(Option<StackId>, LocationId)>, Problem> {
        let Some(into) = into else { return Ok(None) };
        let Stack { parent, location } = self.builder.profile().stacks()[into.index()];
        if let Some(&known) = self.inlined.get(&(frame, location)) {
            return Ok(Some((parent, known)));
        }
        let count = self.builder.profile().lines(location).len() + 1;
        if count == 1 || count > self.lines_left {
            return Ok(None);
        }
        let Some(line) = self.frame(frame)?.line(self.builder) else {
            return Ok(None);
        };
        self.lines_left -= count;
        let profile = self.builder.profile();
        let row = profile.locations()[location.index()];
        let mut lines = vec![line];
        lines.extend(profile.lines(location));
        let together = self
            .builder
            .location(row.mapping, row.address, false, &lines);
        self.inlined.insert((frame, location), together);
        Ok(Some((parent, together)))
    }

    /// A row of the table of frames.
    pub(super) fn frame(&mut self, frame: usize) -> Result<Frame, Problem> {
        let (name, file, start_line, mapping) = self.function(frame)?;
        let frames = self.tables.frames;
        let mut row = Frame {
            name: name.name,
            file,
            start_line,
            line: frames.column("line").whole(frame),
            column: frames.column("column").whole(frame),
            address: frames.column("address").number(frame).max(0.0) as u64,
            mapping: mapping.or(name.library),
        };
        if row.line == 0 {
            row.line = start_line;
            if row.column == 0 {
                row.column = name.column;
            }
        }
        if let Some(address) = name.address {
            row.name = StringId::EMPTY;
            if row.address == 0 {
                row.address = address;
                if let Some((library, start)) = self.tables.libraries.at(address) {
                    row.address = address.saturating_sub(start);
                    row.mapping = self.mapping(library);
                }
            }
        }
        Ok(row)
    }

    /// Name, file, first line and library of a frame's function.
    fn function(
        &mut self,
        frame: usize,
    ) -> Result<(Name, StringId, i64, Option<MappingId>), Problem> {
        let Tables {
            frames, functions, ..
        } = *self.tables;
        let names = functions.column("name");
        if let Some(location) = frames.column("location").index(frame) {
            let name = self.name(location, Kind::Place);
            let name = name.ok_or(What::Location.of(frame))?;
            return Ok((name, name.file, name.line, None));
        }
        let function = frames.column("func").index(frame);
        let function = function.filter(|&function| function < functions.rows());
        let function = function.ok_or(What::Function.of(frame))?;
        let file = self.file(function);
        let is_script = file.is_empty() && functions.column("isJS").whole(function) == 1;
        let name = names.index(function);
        let kind = if is_script {
            Kind::Place
        } else {
            Kind::Function
        };
        let name = name.and_then(|name| self.name(name, kind));
        let name = name.ok_or(What::Name.of(frame))?;
        let line = functions.column("lineNumber").whole(function);
        let library = functions.column("resource").index(function);
        let library = library.and_then(|row| self.tables.resources.column("lib").index(row));
        let mapping = library.and_then(|library| self.mapping(library));
        if is_script {
            return Ok((
                name,
                name.file,
                if line > 0 { line } else { name.line },
                mapping,
            ));
        }
        Ok((name, file, line, mapping))
    }

    /// The file of a function, empty when there is none.
    fn file(&mut self, function: usize) -> StringId {
        let Tables {
            functions, sources, ..
        } = *self.tables;
        let source = functions.column("source").index(function);
        let of_source = source.and_then(|source| sources.column("filename").index(source));
        let file = of_source.or_else(|| functions.column("fileName").index(function));
        let file = file.and_then(|file| self.name(file, Kind::File));
        file.map_or(StringId::EMPTY, |file| file.name)
    }

    fn mapping(&mut self, index: usize) -> Option<MappingId> {
        if let Some(&known) = self.mappings.get(&index) {
            return Some(known);
        }
        let (file, build_id) = self.tables.libraries.get(index)?;
        let mapping = library(self.builder, file, build_id);
        self.mappings.insert(index, mapping);
        Some(mapping)
    }

    /// A string of the table.
    fn name(&mut self, index: usize, kind: Kind) -> Option<Name> {
        if let Some(&known) = self.names.0.get(&(index, kind)) {
            return Some(known);
        }
        let text = self.tables.strings.get(index)?;
        let builder = &mut *self.builder;
        let mut name = Name {
            name: StringId::EMPTY,
            file: StringId::EMPTY,
            line: 0,
            column: 0,
            address: hex_address(text).filter(|_| kind != Kind::File),
            library: None,
        };
        let parts = kind == Kind::Place;
        if let Some((function, file, line, column)) = split_place(text).filter(|_| parts) {
            // Modules are loaded through one another: the last is the file.
            let file = file.rsplit_once(" -> ").map_or(file, |(_, file)| file);
            name.name = builder.string(function);
            name.file = builder.string(file);
            (name.line, name.column) = (line, column);
        } else if let Some((function, file)) = split_library(text).filter(|_| parts) {
            name.name = builder.string(function);
            name.library = Some(library(builder, file, ""));
        } else if name.address.is_none() {
            name.name = builder.string(text);
        }
        self.names.0.insert((index, kind), name);
        Some(name)
    }

    /// Whether a frame is the one below all others.
    pub(super) fn is_root(&self, frame: usize) -> bool {
        let Tables {
            frames, functions, ..
        } = self.tables;
        let function = || frames.column("func").index(frame);
        let location = frames.column("location").index(frame);
        let name = location.or_else(|| functions.column("name").index(function()?));
        name.and_then(|name| self.tables.strings.get(name)) == Some(ROOT)
    }
}
