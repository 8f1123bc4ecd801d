//! A merged profile as the bytes of one chunk with one series.

use pilotlight_core::{
    ProfileType, UnixNanos,
    plans::QueryAnswer,
    store::{ChunkId, Series, SeriesRows, encode_chunk},
};

use crate::errors::Problem;

/// The answer's profile as a chunk. It is not stored, so its id is zero.
pub(super) fn chunk(answer: &QueryAnswer, profile_type: ProfileType) -> Result<Vec<u8>, Problem> {
    let (header, samples) = (answer.profile.header(), answer.profile.samples());
    let series = Series {
        profile_type,
        time: UnixNanos(header.time_nanos),
        duration_nanos: header.duration_nanos,
        ..Series::default()
    };
    let values = samples.values.first().map_or(&[][..], Vec::as_slice);
    let rows = samples.stacks.iter().copied().zip(values.iter().copied()).collect();
    encode_chunk(ChunkId::default(), &answer.profile, &[SeriesRows { series, rows }]).map_err(Problem::internal)
}
