//! The tables of symbols: mappings, functions, locations and their lines.

use super::decode::Decoder;
use super::error::PprofError;
use super::ids::Dangling;
use super::outline::Outline;
use crate::base::limits::MAX_INLINED;
use crate::formats::protobuf::{Value, Wire};
use crate::model::id::StringId;
use crate::model::profile::{Function, Line, Location, Mapping, SymbolFlags};

impl Decoder {
    pub(super) fn mappings(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
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
                    6 => m.build_id = self.string(n, "a build ID")?,
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

    pub(super) fn functions(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile.functions.reserve_exact(outline.rows(5));
        let mut lent = Vec::new();
        outline.for_each(5, |mut row| {
            let mut id = 0;
            let empty = StringId::EMPTY;
            let mut f = Function::named(empty, empty);
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
            let row = self.profile.functions.len();
            if id == 0 && row == 0 && self.dangling == Dangling::LeftOut {
                lent = ids_of_locations(outline)?;
            }
            if id == 0 {
                id = lent.get(row).copied().unwrap_or(0);
            }
            self.functions.push(id)?;
            self.profile.functions.push(f);
            Ok(())
        })
    }

    pub(super) fn locations(&mut self, outline: &Outline<'_>) -> Result<(), PprofError> {
        self.profile.locations.reserve_exact(outline.rows(4));
        self.profile.lines.reserve_exact(count_lines(outline)?);
        outline.for_each(4, |row| {
            let lines = self.profile.lines.len();
            match (self.location(row), self.dangling) {
                // Samples that refer to it are left out, then.
                (Err(problem @ PprofError::Dangling(_)), Dangling::LeftOut) => {
                    self.profile.lines.truncate(lines);
                    self.broken_location.get_or_insert(problem);
                    Ok(())
                }
                (read, _) => read,
            }
        })
    }

    fn location(&mut self, mut row: Wire<'_>) -> Result<(), PprofError> {
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
                    "location {id} refers to mapping {mapping}, which does not exist"
                ));
            }
        }
        self.locations.push(id)?;
        self.profile.locations.push(l);
        Ok(())
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
                    let missing = || PprofError::Dangling(format!("a line refers to function {n}"));
                    line.function = Some(self.functions.get(n).ok_or_else(missing)?);
                }
                2 => line.line = n as i64,
                3 => line.column = n as i64,
                _ => {}
            }
        }
        Ok(line)
    }
}

/// The ids of locations, for functions that have none: .NET's agents up to 0.13 write a function for
/// each location, in the same order, and leave its id out. Empty where that is not so.
fn ids_of_locations(outline: &Outline<'_>) -> Result<Vec<u64>, PprofError> {
    let ids = |field| {
        let mut ids = Vec::with_capacity(outline.count(field));
        outline.for_each(field, |mut row| {
            let mut id = 0;
            while let Some((field, value)) = row.field()? {
                if let (1, Value::Number(n)) = (field, value) {
                    id = n;
                }
            }
            ids.push(id);
            Ok(())
        })?;
        Ok::<_, PprofError>(ids)
    };
    let (functions, locations) = (ids(5)?, ids(4)?);
    let unnumbered = functions.iter().all(|&id| id == 0);
    Ok(if unnumbered && functions.len() == locations.len() {
        locations
    } else {
        Vec::new()
    })
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
                "location {index} (counted from 0) has {lines} lines; at most {MAX_INLINED} are allowed"
            );
            return Err(PprofError::Invalid(problem));
        }
        all += lines;
        index += 1;
        Ok(())
    })?;
    Ok(all)
}
