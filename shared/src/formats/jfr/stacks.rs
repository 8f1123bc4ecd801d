//! Stacks of a chunk → stacks of the profile, each once.

use hashbrown::HashMap;

use super::budget::{self, Budget};
use super::constants::{Constants, Frame};
use super::error::JfrError;
use super::reader::Reader;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LocationId, StackId, StringId};
use crate::model::profile::{Function, Line};

/// Keys of a chunk → handles of the profile.
#[derive(Default)]
pub(super) struct Stacks {
    traces: HashMap<u64, Option<StackId>>,
    methods: HashMap<u64, Option<FunctionId>>,
    locations: HashMap<(u64, i32), LocationId>,
    frames: Vec<Frame>,
    name: String,
}

impl Stacks {
    /// The stack of a key; `None` for one that is unknown or has no frame.
    pub(super) fn get(
        &mut self,
        trace: u64,
        constants: &Constants<'_>,
        builder: &mut ProfileBuilder,
        reader: &Reader<'_>,
        budget: &mut Budget,
    ) -> Result<Option<StackId>, JfrError> {
        if let Some(&known) = self.traces.get(&trace) {
            return Ok(known);
        }
        let mut frames = std::mem::take(&mut self.frames);
        constants.frames(trace, &mut frames, MAX_STACK_DEPTH)?;
        let before = builder.profile().stacks.len();
        let mut stack = None;
        for frame in frames.iter().rev() {
            if let Some(location) = self.location(frame, constants, builder, reader, budget)? {
                stack = Some(builder.stack(stack, location));
            }
        }
        self.frames = frames;
        let problem = |problem| reader.error(problem);
        let made = builder.profile().stacks.len() - before;
        budget.take(made, budget::STACK).map_err(problem)?;
        budget.take_for_chunk(1, budget::TRACE).map_err(problem)?;
        self.traces.insert(trace, stack);
        Ok(stack)
    }

    /// The location of a frame; `None` when its method is unknown.
    fn location(
        &mut self,
        frame: &Frame,
        constants: &Constants<'_>,
        builder: &mut ProfileBuilder,
        reader: &Reader<'_>,
        budget: &mut Budget,
    ) -> Result<Option<LocationId>, JfrError> {
        let key = (frame.method, frame.line);
        if let Some(&known) = self.locations.get(&key) {
            return Ok(Some(known));
        }
        let Some(function) = self.function(frame.method, constants, builder, reader, budget)?
        else {
            return Ok(None);
        };
        budget
            .take(1, budget::LOCATION)
            .map_err(|problem| reader.error(problem))?;
        let line = Line {
            function: Some(function),
            // JDK writes -1 for native methods, where there is none.
            line: i64::from(frame.line.max(0)),
            column: 0,
        };
        let location = builder.location(None, 0, false, &[line]);
        self.locations.insert(key, location);
        Ok(Some(location))
    }

    fn function(
        &mut self,
        method: u64,
        constants: &Constants<'_>,
        builder: &mut ProfileBuilder,
        reader: &Reader<'_>,
        budget: &mut Budget,
    ) -> Result<Option<FunctionId>, JfrError> {
        if let Some(&known) = self.methods.get(&method) {
            return Ok(known);
        }
        let problem = |problem| reader.error(problem);
        budget.take(1, budget::FUNCTION).map_err(problem)?;
        let function = match constants.method(method, budget)? {
            Some((class, name)) => {
                self.name.clear();
                self.name.push_str(&class);
                self.name.push('.');
                self.name.push_str(&name);
                budget.take_text(&self.name).map_err(problem)?;
                let name = builder.string(&self.name);
                Some(builder.function(Function {
                    name,
                    system_name: StringId::EMPTY,
                    file: StringId::EMPTY,
                    start_line: 0,
                }))
            }
            None => None,
        };
        self.methods.insert(method, function);
        Ok(function)
    }
}
