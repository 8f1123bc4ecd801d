//! Processes and threads.

use hashbrown::HashMap;

use super::event::Event;
use crate::imports::json::reader::Problem;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{Label, LabelValue};

/// All processes and threads of a trace.
#[derive(Default)]
pub(super) struct Threads {
    /// Interns ids and names, of which most do not come into the profile.
    texts: ProfileBuilder,
    rows: Vec<Row>,
    by_id: HashMap<(Option<u32>, StringId), u32>,
}

struct Row {
    /// The process of a thread; none of a process.
    process: Option<u32>,
    id: StringId,
    /// Empty when nothing says it.
    name: StringId,
}

impl Threads {
    /// The number of a thread.
    pub(super) fn thread(&mut self, process: &str, thread: &str) -> u32 {
        let process = self.process(process);
        self.row(Some(process), thread)
    }

    /// Reads an event of phase M, which may name a process or a thread.
    pub(super) fn name(&mut self, event: &Event<'_>) -> Result<(), Problem> {
        let row = match &*event.name {
            "process_name" => self.process(&event.process),
            "thread_name" => self.thread(&event.process, &event.thread),
            _ => return Ok(()),
        };
        let name = event.argument("name")?;
        self.rows[row as usize].name = self.texts.string(&name);
        Ok(())
    }

    /// The labels of each thread: names, else ids. Of several with one name, each has its id too.
    pub(super) fn labels(&self, builder: &mut ProfileBuilder) -> Vec<Option<LabelSetId>> {
        let mut count = HashMap::new();
        for row in &self.rows {
            *count.entry((row.process, row.shown())).or_insert(0) += 1;
        }
        let text = |id| self.texts.profile().text(id);
        let values: Vec<StringId> = self
            .rows
            .iter()
            .map(|row| {
                let shown = text(row.shown());
                if count[&(row.process, row.shown())] > 1 {
                    builder.string(&format!("{shown} ({})", text(row.id)))
                } else {
                    builder.string(shown)
                }
            })
            .collect();
        let keys = ["process", "thread"].map(|key| builder.string(key));
        let mut labels = Vec::new();
        self.rows
            .iter()
            .zip(&values)
            .map(|(row, &thread)| {
                let process = values[row.process? as usize];
                labels.clear();
                for (key, value) in keys.into_iter().zip([process, thread]) {
                    if !value.is_empty() {
                        let value = LabelValue::Text(value);
                        labels.push(Label { key, value });
                    }
                }
                builder.label_set(&mut labels)
            })
            .collect()
    }

    /// The number of a process.
    pub(super) fn process(&mut self, id: &str) -> u32 {
        self.row(None, id)
    }

    /// Interns an id of something else.
    pub(super) fn text(&mut self, id: &str) -> StringId {
        self.texts.string(id)
    }

    fn row(&mut self, process: Option<u32>, id: &str) -> u32 {
        let id = self.texts.string(id);
        let rows = &mut self.rows;
        *self.by_id.entry((process, id)).or_insert_with(|| {
            rows.push(Row {
                process,
                id,
                name: StringId::EMPTY,
            });
            rows.len() as u32 - 1
        })
    }
}

impl Row {
    fn shown(&self) -> StringId {
        if self.name.is_empty() {
            self.id
        } else {
            self.name
        }
    }
}
