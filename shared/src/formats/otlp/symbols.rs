//! Rows of a request's dictionary as rows of one profile.

use hashbrown::HashMap;

use super::dictionary::{FunctionRow, MappingRow};
use super::error::{ProfileError, Stop};
use super::layout::Layout;
use super::profile::{Head, Sample};
use super::request::Request;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LocationId, MappingId, StackId, StringId};
use crate::model::profile::{Function, Line, Mapping, SymbolFlags};

/// What a new row of the stack table costs: itself and the index that finds it.
const STACK_COST: u64 = 16;

/// A builder, and which of its rows each row of the dictionary became. What has no row of its own,
/// because it says nothing, is `None`.
#[derive(Default)]
pub(crate) struct Symbols {
    pub(crate) builder: ProfileBuilder,
    functions: HashMap<u64, Option<FunctionId>>,
    mappings: HashMap<u64, Option<MappingId>>,
    locations: HashMap<u64, Option<LocationId>>,
    stacks: HashMap<u64, Option<StackId>>,
    lines: Vec<Line>,
}

impl Symbols {
    /// The stack of a sample, `None` for one without frames.
    pub(crate) fn stack(
        &mut self,
        request: &Request<'_>,
        head: &Head<'_>,
        sample: &Sample,
    ) -> Result<Option<StackId>, Stop> {
        if request.layout == Layout::V1_7 {
            let slice = usize::try_from(sample.stack)
                .ok()
                .zip(usize::try_from(sample.length).ok())
                .and_then(|(start, length)| head.locations.get(start..)?.get(..length))
                .ok_or(ProfileError::Missing {
                    what: "location index",
                    index: sample.stack.saturating_add(sample.length) as i64,
                    count: head.locations.len(),
                })?;
            check_depth(slice.len())?;
            let indices: Vec<u64> = slice.iter().map(|&index| u64::from(index)).collect();
            return self.rows(request, &indices);
        }
        if let Some(&stack) = self.stacks.get(&sample.stack) {
            return Ok(stack);
        }
        // Not kept: one in each of thousands of services is more than what is charged for.
        let mut indices = Vec::new();
        request.dictionary.stack(sample.stack, &mut indices)?;
        check_depth(indices.len())?;
        let stack = self.rows(request, &indices)?;
        self.stacks.insert(sample.stack, stack);
        Ok(stack)
    }

    /// The rows of a stack, the leaf first.
    fn rows(&mut self, request: &Request<'_>, indices: &[u64]) -> Result<Option<StackId>, Stop> {
        request.dictionary.charge(indices.len() as u64)?;
        let before = self.builder.profile().stacks().len();
        let mut parent = None;
        for &index in indices.iter().rev() {
            if let Some(location) = self.location(request, index)? {
                parent = Some(self.builder.stack(parent, location));
            }
        }
        let more = self.builder.profile().stacks().len() - before;
        request.dictionary.charge(more as u64 * STACK_COST)?;
        Ok(parent)
    }

    fn location(&mut self, request: &Request<'_>, index: u64) -> Result<Option<LocationId>, Stop> {
        if let Some(&location) = self.locations.get(&index) {
            return Ok(location);
        }
        let row = request.dictionary.location(index, request.layout)?;
        let mut mapping = match row.mapping {
            Some(index) => self.mapping(request, index)?,
            None => None,
        };
        if mapping.is_none() && !matches!(row.frame_type.as_ref(), "" | "unknown") {
            // Frames of interpreters and of the kernel have no file. Their type tells them apart,
            // and is the name of those that failed to unwind and have nothing else.
            let file = row.frame_type;
            mapping = Some(self.add_mapping(MappingRow::default(), &file));
        }
        self.lines.clear();
        for line in &row.lines {
            let function = self.function(request, line.function)?;
            if function.is_some() || line.line != 0 {
                let (line, column) = (line.line, line.column);
                self.lines.push(Line {
                    function,
                    line,
                    column,
                });
            }
        }
        let says_something = mapping.is_some() || row.address != 0 || !self.lines.is_empty();
        let location = says_something.then(|| {
            self.builder
                .location(mapping, row.address, false, &self.lines)
        });
        self.locations.insert(index, location);
        Ok(location)
    }

    fn function(&mut self, request: &Request<'_>, index: u64) -> Result<Option<FunctionId>, Stop> {
        if let Some(&function) = self.functions.get(&index) {
            return Ok(function);
        }
        let row = request.dictionary.function(index)?;
        let function = if row == FunctionRow::default() {
            None
        } else {
            let [name, system_name, file] =
                [row.name, row.system_name, row.file].map(|index| self.string(request, index));
            let start_line = row.start_line;
            Some(self.builder.function(Function {
                name: name?,
                system_name: system_name?,
                file: file?,
                start_line,
            }))
        };
        self.functions.insert(index, function);
        Ok(function)
    }

    fn mapping(&mut self, request: &Request<'_>, index: u64) -> Result<Option<MappingId>, Stop> {
        if let Some(&mapping) = self.mappings.get(&index) {
            return Ok(mapping);
        }
        let row = request.dictionary.mapping(index)?;
        let mapping = if row == MappingRow::default() {
            None
        } else {
            let file = request.dictionary.text(row.file)?;
            Some(self.add_mapping(row, &file))
        };
        self.mappings.insert(index, mapping);
        Ok(mapping)
    }

    fn add_mapping(&mut self, row: MappingRow<'_>, file: &str) -> MappingId {
        let MappingRow {
            start,
            limit,
            offset,
            build_id,
            ..
        } = row;
        let (file, build_id) = (self.builder.string(file), self.builder.string(&build_id));
        self.builder.mapping(Mapping {
            start,
            limit,
            offset,
            file,
            build_id,
            symbols: SymbolFlags::default(),
        })
    }

    fn string(&mut self, request: &Request<'_>, index: u64) -> Result<StringId, Stop> {
        Ok(self.builder.string(&request.dictionary.text(index)?))
    }
}

fn check_depth(frames: usize) -> Result<(), ProfileError> {
    if frames > MAX_STACK_DEPTH {
        return Err(ProfileError::Depth(frames));
    }
    Ok(())
}
