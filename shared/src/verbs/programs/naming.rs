//! A program's names for the addresses of a profile.

use super::layout::Layout;
use super::modules::{Fit, Images, is_of_process};
use crate::model::profile::{Location, Profile};
use crate::verbs::names::symbolize::{SymbolFrame, symbolize};

/// What knows the frames of an address of a file.
pub trait Symbols {
    /// Adds the frames, the innermost call first; none for an address that is not known.
    fn frames(&self, address: u64, frames: &mut Vec<SymbolFrame>);
}

/// Names the bare addresses of the mappings that a program fits, and says how many it named.
pub fn name_addresses(
    profile: &Profile,
    fit: &Fit,
    layout: &Layout,
    symbols: &dyn Symbols,
) -> (Profile, u32) {
    let known = match layout {
        Layout::Image(_) => Images::of(profile),
        Layout::Segments(_) => Images::default(),
    };
    let images: Vec<Option<u64>> = profile
        .mappings()
        .iter()
        .zip(fit.mappings())
        .map(|(mapping, fits)| fits.then(|| known.start(mapping)))
        .collect();
    let in_file = |location: &Location| {
        let id = location.mapping?;
        let image = images[id.index()]?;
        let address = Some(location.address).filter(|&address| is_of_process(address))?;
        layout.address(&profile.mappings()[id.index()], image, address)
    };
    let mut count = 0;
    let named = symbolize(profile, &mut |id, frames| {
        if let Some(address) = in_file(&profile.locations()[id.index()]) {
            symbols.frames(address, frames);
            count += u32::from(!frames.is_empty());
        }
    });
    (named, count)
}
