//! `.cpuprofile`: what DevTools saves, and Node.js with `--cpu-prof`.
//!
//! New files have `nodes`, `samples` and `timeDeltas`; old ones a tree in `head`, and `timestamps`.
//! A file without samples has hits of nodes, which have no times. Its start and end are points of a
//! clock of the machine's own, so only the time between them is kept.

use super::recording::{Piece, Recording, reserve};
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::json::reader::Reader;
use crate::model::builder::ProfileBuilder;

pub(crate) const NAME: &str = "V8 CPU profile";

pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::V8CpuProfile)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader::of(bytes, NAME)?;
    let mut builder = ProfileBuilder::new();
    let mut recording = Recording::default();
    let mut piece = Piece::at(0);
    reader
        .object(&mut |reader, key| recording.member(&mut piece, reader, key, &mut builder))
        .map_err(|problem| problem.of(NAME))?;
    recording.push(piece);
    let mut warnings = Warnings::default();
    let recorded = recording.finish(&mut builder, NAME, &mut warnings)?;
    if let Some((start, end)) = recorded.range() {
        let cpu = builder.sample_type("cpu", "nanoseconds");
        builder.header().duration_nanos = end.saturating_sub(start);
        reserve(&mut builder, recorded.len());
        recorded.write(&mut builder, cpu, None, start, &mut warnings);
    } else {
        builder.sample_type("samples", "count");
        for (stack, hits) in recorded.stacks.values().filter(|&(_, hits)| hits > 0) {
            builder.sample(stack, None, &[hits]);
        }
    }
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}
