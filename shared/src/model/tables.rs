//! Carrying the tables of one profile over into another.

use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LabelSetId, LocationId, StringId};
use crate::model::profile::{Function, Label, LabelValue, Line, Location, Mapping, Profile};

/// Where each row of one profile's tables went in another's.
pub(crate) struct Tables {
    pub(crate) strings: Vec<StringId>,
    pub(crate) locations: Vec<LocationId>,
}

impl Tables {
    /// Copies strings, mappings, functions and locations, each once.
    ///
    /// Profiles of one process have much the same tables in much the same order, so each row is
    /// first held against the row after the one found last: reading on is several times quicker
    /// than looking up.
    pub(crate) fn copy(from: &Profile, to: &mut ProfileBuilder) -> Self {
        to.reserve_tables(from);
        let mut next = 0;
        let mut strings = Vec::with_capacity(from.strings.len());
        for text in from.strings.iter() {
            let id = to
                .profile()
                .strings
                .at(next, text)
                .unwrap_or_else(|| to.string(text));
            next = id.index() + 1;
            strings.push(id);
        }
        let string = |id: StringId| strings[id.index()];
        let mappings: Vec<_> = from
            .mappings
            .iter()
            .map(|m| {
                to.mapping(Mapping {
                    file: string(m.file),
                    build_id: string(m.build_id),
                    ..*m
                })
            })
            .collect();
        let mut next = 0;
        let mut functions = Vec::with_capacity(from.functions.len());
        for f in &from.functions {
            let row = Function {
                name: string(f.name),
                system_name: string(f.system_name),
                file: string(f.file),
                ..*f
            };
            let is_next = to.profile().functions.get(next) == Some(&row);
            let id = if is_next {
                FunctionId::new(next)
            } else {
                to.function(row)
            };
            next = id.index() + 1;
            functions.push(id);
        }
        let mut next = 0;
        let mut lines = Vec::new();
        let mut locations = Vec::with_capacity(from.locations.len());
        for l in &from.locations {
            lines.clear();
            let own = &from.lines[l.first_line as usize..(l.first_line + l.line_count) as usize];
            lines.extend(own.iter().map(|line| Line {
                function: line.function.map(|f| functions[f.index()]),
                ..*line
            }));
            let l = Location {
                mapping: l.mapping.map(|m| mappings[m.index()]),
                ..*l
            };
            let is_next = to.profile().is_location(next, &l, &lines);
            let id = if is_next {
                LocationId::new(next)
            } else {
                to.location(l.mapping, l.address, l.folded, &lines)
            };
            next = id.index() + 1;
            locations.push(id);
        }
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
