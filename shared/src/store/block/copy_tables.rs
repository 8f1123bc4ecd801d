//! Tables of many chunks as one.

use crate::model::builder::ProfileBuilder;
use crate::model::id::StackId;
use crate::model::profile::Profile;
use crate::model::tables::Tables;

/// Copies the tables of `from` that stacks are made of and says where each stack went.
pub(crate) fn copy_tables(from: &Profile, to: &mut ProfileBuilder) -> Vec<StackId> {
    let tables = Tables::copy(from, to);
    let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
    for stack in &from.stacks {
        let parent = stack.parent.map(|parent| stacks[parent.index()]);
        stacks.push(to.stack(parent, tables.locations[stack.location.index()]));
    }
    stacks
}

/// About how much memory the tables of a profile take, with the index that finds their rows.
pub(crate) fn table_bytes(p: &Profile) -> usize {
    p.table_bytes()
}
