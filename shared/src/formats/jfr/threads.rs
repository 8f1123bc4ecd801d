//! The names of threads, by which labels tell them apart.

use hashbrown::HashMap;

use super::budget::{self, Budget};
use super::constants::Constants;
use super::error::JfrError;
use super::event_labels::intern;
use super::reader::Reader;
use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;

/// Threads of a recording.
#[derive(Default)]
pub(super) struct Threads {
    /// By the key of the chunk.
    of_chunk: HashMap<u64, Option<StringId>>,
    /// By name: the first thread that has it. Others have their id behind it.
    ids: HashMap<StringId, u64>,
}

impl Threads {
    /// Keys are those of a chunk.
    pub(super) fn begin_chunk(&mut self) {
        self.of_chunk.clear();
    }

    /// The name of a thread; `None` for an unknown one.
    pub(super) fn name(
        &mut self,
        key: u64,
        constants: &Constants<'_>,
        builder: &mut ProfileBuilder,
        reader: &Reader<'_>,
        budget: &mut Budget,
    ) -> Result<Option<StringId>, JfrError> {
        if let Some(&known) = self.of_chunk.get(&key) {
            return Ok(known);
        }
        let problem = |problem| reader.error(problem);
        budget
            .take_for_chunk(1, budget::CONSTANT)
            .map_err(problem)?;
        let name = match constants.thread(key, budget)? {
            None => None,
            Some(thread) if thread.name.is_empty() => {
                let name = format!("thread {}", thread.id);
                Some(intern(builder, &name, budget).map_err(problem)?)
            }
            Some(thread) => {
                let name = intern(builder, &thread.name, budget).map_err(problem)?;
                budget.take(1, budget::CONSTANT).map_err(problem)?;
                if *self.ids.entry(name).or_insert(thread.id) == thread.id {
                    Some(name)
                } else {
                    let name = format!("{} ({})", thread.name, thread.id);
                    Some(intern(builder, &name, budget).map_err(problem)?)
                }
            }
        };
        self.of_chunk.insert(key, name);
        Ok(name)
    }
}
