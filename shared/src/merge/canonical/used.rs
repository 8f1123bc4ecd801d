//! Which rows of a profile's tables its samples need.

use crate::model::id::{LabelSetId, LocationId, StackId, StringId};
use crate::model::profile::{LabelValue, Profile};

/// Which table rows something refers to.
pub(super) struct Used {
    pub(super) strings: Vec<bool>,
    pub(super) mappings: Vec<bool>,
    pub(super) functions: Vec<bool>,
    pub(super) locations: Vec<bool>,
    pub(super) stacks: Vec<bool>,
    pub(super) label_sets: Vec<bool>,
}

impl Used {
    pub(super) fn of(p: &Profile, rows: &[u32]) -> Self {
        let mut used = Self {
            strings: vec![false; p.strings.len()],
            mappings: vec![false; p.mappings.len()],
            functions: vec![false; p.functions.len()],
            locations: vec![false; p.locations.len()],
            stacks: vec![false; p.stacks.len()],
            label_sets: vec![false; p.label_sets.len()],
        };
        for row in rows.iter().map(|&row| row as usize) {
            if let Some(stack) = p.samples.stacks[row] {
                used.stacks[stack.index()] = true;
            }
            if let Some(set) = p.samples.labels[row] {
                used.label_sets[set.index()] = true;
            }
        }
        for i in (0..p.stacks.len())
            .rev()
            .filter(|&i| used.stacks[i])
            .collect::<Vec<_>>()
        {
            // Parents come earlier in the table, so walking up at once keeps this one pass.
            let mut next = Some(StackId::new(i));
            while let Some(stack) = next {
                let row = p.stacks[stack.index()];
                used.stacks[stack.index()] = true;
                used.locations[row.location.index()] = true;
                next = row.parent.filter(|parent| !used.stacks[parent.index()]);
            }
        }
        for i in (0..p.locations.len()).filter(|&i| used.locations[i]) {
            if let Some(mapping) = p.locations[i].mapping {
                used.mappings[mapping.index()] = true;
            }
            for function in p
                .lines(LocationId::new(i))
                .iter()
                .filter_map(|line| line.function)
            {
                used.functions[function.index()] = true;
            }
        }
        used.mark_strings(p);
        used
    }

    fn mark_strings(&mut self, p: &Profile) {
        let mut mark = |id: StringId| self.strings[id.index()] = true;
        for (_, m) in p
            .mappings
            .iter()
            .enumerate()
            .filter(|(i, _)| self.mappings[*i])
        {
            [m.file, m.build_id].into_iter().for_each(&mut mark);
        }
        for (_, f) in p
            .functions
            .iter()
            .enumerate()
            .filter(|(i, _)| self.functions[*i])
        {
            [f.name, f.system_name, f.file]
                .into_iter()
                .for_each(&mut mark);
        }
        for i in (0..p.label_sets.len()).filter(|&i| self.label_sets[i]) {
            for label in p.label_sets.get(LabelSetId::new(i)) {
                mark(label.key);
                match label.value {
                    LabelValue::Text(text) => mark(text),
                    LabelValue::Number(_, unit) => mark(unit),
                }
            }
        }
        let h = &p.header;
        for t in p.sample_types.iter().chain(&h.period_type) {
            [t.kind, t.unit].into_iter().for_each(&mut mark);
        }
        [
            h.drop_frames,
            h.keep_frames,
            h.default_sample_type,
            h.doc_url,
        ]
        .into_iter()
        .for_each(&mut mark);
        h.comments.iter().copied().for_each(mark);
    }
}
