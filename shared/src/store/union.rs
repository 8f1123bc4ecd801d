//! Tables of many chunks as one.

use crate::builder::ProfileBuilder;
use crate::id::StackId;
use crate::profile::{Function, Line, Mapping, Profile};

/// Copies the tables of `from` that stacks are made of and says where each stack went.
pub(crate) fn copy_tables(from: &Profile, to: &mut ProfileBuilder) -> Vec<StackId> {
    to.reserve(from.stacks.len(), 0);
    let strings: Vec<_> = from.strings.iter().map(|text| to.string(text)).collect();
    let string = |id: crate::id::StringId| strings[id.index()];
    let mapping = |m: &Mapping| Mapping { file: string(m.file), build_id: string(m.build_id), ..*m };
    let mappings: Vec<_> = from.mappings.iter().map(|m| to.mapping(mapping(m))).collect();
    let function = |f: &Function| {
        let (name, system_name, file) = (string(f.name), string(f.system_name), string(f.file));
        Function { name, system_name, file, ..*f }
    };
    let functions: Vec<_> = from.functions.iter().map(|f| to.function(function(f))).collect();
    let lines: Vec<_> =
        from.lines.iter().map(|line| Line { function: line.function.map(|f| functions[f.index()]), ..*line }).collect();
    let mut locations = Vec::with_capacity(from.locations.len());
    for l in &from.locations {
        let own = &lines[l.first_line as usize..(l.first_line + l.line_count) as usize];
        locations.push(to.location(l.mapping.map(|m| mappings[m.index()]), l.address, l.folded, own));
    }
    let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
    for stack in &from.stacks {
        let parent = stack.parent.map(|parent| stacks[parent.index()]);
        stacks.push(to.stack(parent, locations[stack.location.index()]));
    }
    stacks
}

/// About how much memory the tables of a profile take, with the index that finds their rows.
pub(crate) fn table_bytes(p: &Profile) -> usize {
    let text: usize = p.strings.iter().map(str::len).sum();
    text + p.strings.len() * 12
        + (p.mappings.len() + p.functions.len()) * 48
        + p.lines.len() * 24
        + p.locations.len() * 40
        + p.stacks.len() * 16
}
