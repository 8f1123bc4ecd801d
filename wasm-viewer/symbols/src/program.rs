//! A program that is read, and what it does for profiles.

use pilotlight_core::Profile;
use pilotlight_core::verbs::programs::{Fit, Layout, Symbols, name_addresses, wanted};

/// Largest program together with what its compressed sections inflate to: 1 GiB, a quarter of what a
/// WASM can address.
pub const MAX_BINARY_BYTES: u64 = 1 << 30;

/// Largest text of Breakpad: 256 MiB. Its shortest records become tables of ten times their size.
pub const MAX_TEXT_BYTES: u64 = 256 << 20;

/// What a program did for a profile.
#[derive(Clone, Debug)]
pub struct Symbolized {
    /// The profile with names; `None` when nothing was named.
    pub profile: Option<Profile>,
    /// Whether the program is part of the profile.
    pub fits: bool,
    /// Whether a mapping without a build id was told by its file's name.
    pub by_name: bool,
    /// Addresses that were named.
    pub named: u32,
    /// Addresses without a name in the modules that the program is.
    pub addresses: u32,
    /// Build ids of the program, in its own form.
    pub ids: Vec<String>,
    /// Oddities for the person to know.
    pub warnings: Vec<String>,
    /// The modules that had addresses without names, those with most of them first: the name of the
    /// file and the build id.
    pub wanted: Vec<String>,
}

/// A program, as far as it is read.
pub(crate) struct Program<'a> {
    /// The name of its file.
    pub(crate) name: &'a str,
    pub(crate) ids: Vec<String>,
    pub(crate) layout: Layout,
    pub(crate) symbols: &'a dyn Symbols,
}

impl Program<'_> {
    /// Names the addresses of the profiles that the program fits.
    pub(crate) fn names(&self, profiles: &[Profile], fits: &[Fit]) -> Vec<Symbolized> {
        let pairs = profiles.iter().zip(fits);
        pairs
            .map(|(profile, fit)| one(self, profile, fit))
            .collect()
    }
}

fn one(program: &Program<'_>, profile: &Profile, fit: &Fit) -> Symbolized {
    let mut result = Symbolized {
        profile: None,
        fits: fit.fits,
        by_name: fit.by_name,
        named: 0,
        addresses: fit.addresses,
        ids: program.ids.clone(),
        warnings: Vec::new(),
        wanted: wanted(profile),
    };
    if fit.is_empty() {
        return result;
    }
    let (named, count) = name_addresses(profile, fit, &program.layout, program.symbols);
    result.named = count;
    if fit.by_name {
        let name = program.name;
        result.warnings.push(format!(
            "{name} is matched only by name: the profile has no build ID for it"
        ));
    }
    result.profile = (result.named > 0).then_some(named);
    result
}
