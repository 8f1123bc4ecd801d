//! Carrying the tables of one profile over into another.

use crate::builder::ProfileBuilder;
use crate::id::{LabelSetId, LocationId, StringId};
use crate::profile::{Function, Label, LabelValue, Line, Mapping, Profile};

/// Where each row of one profile's tables went in another's.
pub(crate) struct Tables {
    pub(crate) strings: Vec<StringId>,
    pub(crate) locations: Vec<LocationId>,
}

impl Tables {
    /// Copies strings, mappings, functions and locations, each once.
    pub(crate) fn copy(from: &Profile, to: &mut ProfileBuilder) -> Self {
        let strings: Vec<_> = from.strings.iter().map(|s| to.string(s)).collect();
        let string = |id: StringId| strings[id.index()];
        let mappings: Vec<_> = from
            .mappings
            .iter()
            .map(|m| to.mapping(Mapping { file: string(m.file), build_id: string(m.build_id), ..*m }))
            .collect();
        let functions: Vec<_> = from
            .functions
            .iter()
            .map(|f| {
                let (name, system_name, file) = (string(f.name), string(f.system_name), string(f.file));
                to.function(Function { name, system_name, file, ..*f })
            })
            .collect();
        let mut lines = Vec::new();
        let locations = from
            .locations
            .iter()
            .map(|l| {
                lines.clear();
                let own = &from.lines[l.first_line as usize..(l.first_line + l.line_count) as usize];
                lines.extend(own.iter().map(|line| Line { function: line.function.map(|f| functions[f.index()]), ..*line }));
                to.location(l.mapping.map(|m| mappings[m.index()]), l.address, l.folded, &lines)
            })
            .collect();
        Self { strings, locations }
    }

    /// Copies label sets and says where each went.
    pub(crate) fn label_sets(&self, from: &Profile, to: &mut ProfileBuilder) -> Vec<LabelSetId> {
        let string = |id: StringId| self.strings[id.index()];
        let sets = (0..from.label_sets.len()).filter_map(|i| {
            let mut labels: Vec<Label> = from.label_sets.get(LabelSetId::new(i)).to_vec();
            for label in &mut labels {
                label.key = string(label.key);
                label.value = match label.value {
                    LabelValue::Text(text) => LabelValue::Text(string(text)),
                    LabelValue::Number(n, unit) => LabelValue::Number(n, string(unit)),
                };
            }
            // No stored set is empty, so none is filtered out here.
            to.label_set(&mut labels)
        });
        sets.collect()
    }
}
