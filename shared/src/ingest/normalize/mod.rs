//! What pushed profiles say, made fit to be added up: each rule a function. Files that a viewer
//! opens are shown as they are.
//!
//! Sources: what published agents send, and what Grafana Pyroscope's documentation says that it
//! makes of it.

pub(super) mod dotnet;
pub(super) mod go;

use crate::formats::pprof::{self, LeftOut, PprofError};
use crate::ingest::note::Note;
use crate::model::profile::Profile;

/// A pushed profile of pprof.
pub(super) struct Pushed {
    pub(super) profile: Profile,
    /// That some samples are left out, as their stacks refer to what does not exist.
    pub(super) note: Option<Note>,
}

/// Reads a pushed profile of pprof, of `cap` bytes at most. One without any sample that can be read is refused.
pub(super) fn read_pprof(raw: &[u8], cap: usize) -> Result<Pushed, PprofError> {
    let (decoded, LeftOut { samples, reason }) = pprof::open_lenient(raw, cap)?;
    let mut profile = decoded.profile;
    let note = match reason {
        Some(reason) if profile.is_empty() => return Err(reason),
        reason => reason.map(|reason| Note::LeftOut {
            samples,
            of: samples + profile.len() as u64,
            reason,
        }),
    };
    go::cut_type_parameters(&mut profile);
    Ok(Pushed { profile, note })
}
