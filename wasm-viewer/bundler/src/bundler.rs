//! Profiles → the files of a bundle.

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{IngestError, IngestLimits, Noted, Push, ingest};
use pilotlight_core::plans::{BundleFile, PlanError, bundle};
use pilotlight_core::store::chunk_head;
use thiserror::Error;

/// What a bundle is made of, so far.
#[derive(Default)]
pub struct Bundler {
    chunks: Vec<Vec<u8>>,
    /// When the first and the last profile begin.
    span: Option<(UnixNanos, UnixNanos)>,
}

/// Why there is no bundle.
#[derive(Debug, Error)]
pub enum BundleError {
    /// A profile that cannot be taken.
    #[error(transparent)]
    Profile(#[from] IngestError),
    /// Files that cannot be written.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl Bundler {
    /// Adds a profile: a body that `/ingest` would take, with its query string. `time` is that of
    /// a profile which has none. Gives what is left out of it, in words.
    pub fn add(
        &mut self,
        query: &str,
        body: &[u8],
        time: UnixNanos,
    ) -> Result<Vec<String>, BundleError> {
        let push = Push {
            query,
            content_type: "",
            body,
            tenant: "anonymous",
            client: "",
            now: time,
            limits: IngestLimits::default(),
        };
        let ingested = ingest(&push)?;
        let rejected = ingested.rejected.iter();
        let rejected = rejected.map(|part| format!("{}: {}", part.part, part.error));
        let notes = ingested.notes.iter().map(Noted::to_string);
        let told = rejected.chain(notes).collect();
        for chunk in ingested.chunks {
            let head = chunk_head(&chunk.bytes).map_err(PlanError::Output)?;
            for time in head.series.iter().map(|series| series.time) {
                let (first, last) = self.span.get_or_insert((time, time));
                (*first, *last) = ((*first).min(time), (*last).max(time));
            }
            self.chunks.push(chunk.bytes);
        }
        Ok(told)
    }

    /// When the first and the last profile begin.
    pub fn span(&self) -> Option<(UnixNanos, UnixNanos)> {
        self.span
    }

    /// Objects, and their catalog at the end. The same profiles give the same files.
    pub fn finish(self) -> Result<Vec<BundleFile>, BundleError> {
        Ok(bundle(self.chunks)?)
    }
}
