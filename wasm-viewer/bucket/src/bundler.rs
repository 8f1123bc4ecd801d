//! Profiles → the files of a bundle.

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{IngestLimits, Push, ingest};
use pilotlight_core::plans::{BundleFile, bundle};
use pilotlight_core::store::chunk_head;

use crate::error::BucketError;

/// What a bundle is made of, so far.
#[derive(Default)]
pub struct Bundler {
    chunks: Vec<Vec<u8>>,
    /// When the first and the last profile begin.
    span: Option<(UnixNanos, UnixNanos)>,
}

/// What came of a profile.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// How many series it has; none where it has no samples.
    pub series: usize,
    /// What of it is left out, in words.
    pub left_out: Vec<String>,
}

impl Bundler {
    /// Adds a profile: a body that `/ingest` would take, with its query string. `time` is that of
    /// a profile which has none.
    pub fn add(&mut self, query: &str, body: &[u8], time: UnixNanos) -> Result<Added, BucketError> {
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
        let mut added = Added::default();
        let left_out = ingested.rejected.iter().chain(&ingested.incomplete);
        added.left_out = left_out
            .map(|rejected| format!("{}: {}", rejected.part, rejected.error))
            .collect();
        for chunk in ingested.chunks {
            let head = chunk_head(&chunk.bytes).map_err(BucketError::Output)?;
            for time in head.series.iter().map(|series| series.time) {
                let (first, last) = self.span.get_or_insert((time, time));
                (*first, *last) = ((*first).min(time), (*last).max(time));
            }
            added.series += chunk.series;
            self.chunks.push(chunk.bytes);
        }
        Ok(added)
    }

    /// When the first and the last profile begin.
    pub fn span(&self) -> Option<(UnixNanos, UnixNanos)> {
        self.span
    }

    /// Objects, and their catalog at the end. The same profiles give the same files.
    pub fn finish(self) -> Result<Vec<BundleFile>, BucketError> {
        Ok(bundle(self.chunks)?)
    }
}
