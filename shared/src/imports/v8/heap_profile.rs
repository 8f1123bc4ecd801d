//! `.heapprofile`: what V8's sampling heap profiler found alive, as a tree of sizes.
//!
//! The list `samples`, which has the same sizes one by one, is not read.

use super::nodes::Nodes;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::json::reader::Reader;
use crate::model::builder::ProfileBuilder;

pub(crate) const NAME: &str = "V8 heap profile";

pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::V8HeapProfile)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader::of(bytes, NAME)?;
    let mut builder = ProfileBuilder::new();
    let mut nodes = Nodes::default();
    reader
        .object(&mut |reader, key| match key {
            "head" => nodes.read_tree(reader, &mut builder),
            _ => reader.skip(),
        })
        .map_err(|problem| problem.of(NAME))?;
    let mut warnings = Warnings::default();
    let stacks = nodes.stacks(&mut builder, NAME, &mut warnings)?;
    builder.sample_type("inuse_space", "bytes");
    for (stack, size) in stacks.values().filter(|&(_, size)| size > 0) {
        builder.sample(stack, None, &[size]);
    }
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}
