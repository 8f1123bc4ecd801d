//! A profile handed on, as it is or as it is seen: after its steps; and what it lacks.

use std::borrow::Cow;

use pilotlight_core::verbs::programs::wanted;
use pilotlight_core::{Profile, canonical, folded, pprof};

use crate::error::SessionError;
use crate::session::Session;
use crate::steps::derive;

/// Largest text of folded stacks, 64 MiB: the lines, the text and its copies in JavaScript stand in
/// memory at the same time.
const MAX_FOLDED_BYTES: usize = 64 << 20;

impl Session {
    /// The modules of a profile that have addresses without names, those with most of them first.
    pub fn unnamed(&self, id: u32) -> Result<Vec<String>, SessionError> {
        Ok(wanted(self.profile(id)?))
    }

    /// A profile after some steps as pprof, not compressed: browsers have gzip of their own.
    pub fn export_pprof(&self, id: u32, steps: &[String]) -> Result<Vec<u8>, SessionError> {
        let profile = self.after(id, steps)?;
        Ok(pprof::encode(&profile))
    }

    /// The stacks of one sample type after some steps as text, `root;…;leaf value` a line.
    pub fn export_folded(
        &self,
        id: u32,
        sample_type: u32,
        steps: &[String],
    ) -> Result<String, SessionError> {
        let profile = self.after(id, steps)?;
        Ok(folded::encode(
            &profile,
            sample_type as usize,
            MAX_FOLDED_BYTES,
        )?)
    }

    /// A profile after some steps. What they took out is in none of its tables any more.
    fn after(&self, id: u32, steps: &[String]) -> Result<Cow<'_, Profile>, SessionError> {
        let derived = derive(self.profile(id)?, steps)?.profile;
        Ok(match derived {
            Cow::Borrowed(whole) => Cow::Borrowed(whole),
            Cow::Owned(part) => Cow::Owned(canonical(&part)),
        })
    }
}
