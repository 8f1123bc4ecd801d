//! Stack selectors: which stacks are asked for.

use super::call_site::call_site_stacks;
use super::frame_filter::{FrameFilter, FunctionNames};
use super::leaf::leaf_stacks;
use crate::model::id::StackId;
use crate::model::profile::Profile;
use crate::verbs::rewrite::{choose_samples, with_samples};

/// Stacks by the functions that they begin with, by those that they have anywhere, and by the one
/// that they end with.
#[derive(Clone, Debug, Default)]
pub struct StackSelector {
    /// The names of the functions from the root, one after the other.
    pub call_site: Vec<String>,
    /// What stands on the stack.
    pub frames: FrameFilter,
    /// The function that they end with is one of these, if there are any: what such stacks count is
    /// these functions' self value.
    pub leaf: FunctionNames,
}

impl StackSelector {
    /// Whether every stack is selected.
    pub fn is_all(&self) -> bool {
        self.call_site.is_empty() && self.frames.is_all() && self.leaf.is_empty()
    }

    /// Keeps the samples of the stacks that are selected; the stacks stay whole.
    ///
    /// Laws: applied twice it changes nothing more; what is excluded and what is included alone part
    /// a profile.
    pub fn select(&self, profile: &Profile) -> Profile {
        let selected = self.selected(profile);
        let samples = choose_samples(&profile.samples, |row| {
            let stack = profile.samples.stacks[row];
            selected[stack_number(stack)].then_some(stack)
        });
        with_samples(profile, samples)
    }

    /// Which stacks of a profile are selected, by their [`stack_number`].
    pub(crate) fn selected(&self, profile: &Profile) -> Vec<bool> {
        // A sample without frames begins with nothing, and has nothing.
        let without_frames =
            self.call_site.is_empty() && self.frames.included.is_empty() && self.leaf.is_empty();
        let mut selected = vec![without_frames];
        selected.append(&mut call_site_stacks(profile, &self.call_site));
        let mut keep = |fits: Vec<bool>| {
            for (selected, fits) in selected[1..].iter_mut().zip(fits) {
                *selected &= fits;
            }
        };
        if !self.frames.is_all() {
            keep(self.frames.stacks(profile));
        }
        if !self.leaf.is_empty() {
            keep(leaf_stacks(profile, &self.leaf));
        }
        selected
    }
}

/// The number of a stack in stored rows: 0 is that of samples without frames.
pub(crate) fn stack_number(stack: Option<StackId>) -> usize {
    stack.map_or(0, |stack| stack.index() + 1)
}

#[cfg(test)]
mod tests;
