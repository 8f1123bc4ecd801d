//! Stack selectors: which stacks are asked for.

use super::call_site::call_site_stacks;
use super::frame_filter::FrameFilter;
use crate::model::profile::Profile;
use crate::verbs::rewrite::{choose_samples, with_samples};

/// Stacks by the functions that they begin with, and by those that they have anywhere.
#[derive(Clone, Debug, Default)]
pub struct StackSelector {
    /// The names of the functions from the root, one after the other.
    pub call_site: Vec<String>,
    /// What stands on the stack.
    pub frames: FrameFilter,
}

impl StackSelector {
    /// Whether every stack is selected.
    pub fn is_all(&self) -> bool {
        self.call_site.is_empty() && self.frames.is_all()
    }

    /// Keeps the samples of the stacks that are selected; the stacks stay whole.
    ///
    /// Laws: applied twice it changes nothing more; what is excluded and what is included alone part
    /// a profile.
    pub fn select(&self, profile: &Profile) -> Profile {
        let selected = self.stacks(profile);
        let samples = choose_samples(&profile.samples, |row| {
            let stack = profile.samples.stacks[row];
            let kept = stack.map_or(self.without_frames(), |stack| selected[stack.index()]);
            kept.then_some(stack)
        });
        with_samples(profile, samples)
    }

    /// Which rows of the stack table are selected.
    pub(crate) fn stacks(&self, profile: &Profile) -> Vec<bool> {
        let mut selected = call_site_stacks(profile, &self.call_site);
        if !self.frames.is_all() {
            let fits = self.frames.stacks(profile);
            for (selected, fits) in selected.iter_mut().zip(fits) {
                *selected &= fits;
            }
        }
        selected
    }

    /// Whether samples without frames are selected.
    pub(crate) fn without_frames(&self) -> bool {
        self.call_site.is_empty() && self.frames.included.is_empty()
    }
}

#[cfg(test)]
mod tests;
