//! The modules of a profile, and which of them a program is.

use std::collections::BTreeMap;

use pilotlight_core::verbs::is_bare;
use pilotlight_core::{Mapping, MappingId, Profile};

use crate::build_id::same;

/// Modules without names that are listed.
const LISTED: usize = 8;

/// What a program is told by.
pub(crate) struct Identity {
    /// Its build ids.
    pub(crate) ids: Vec<String>,
    /// Names of its file.
    pub(crate) names: Vec<String>,
}

/// The mappings of a profile that a program is.
#[derive(Default)]
pub(crate) struct Fit {
    /// One for each mapping.
    mappings: Vec<bool>,
    /// How many of their addresses have no name.
    pub(crate) addresses: u32,
    /// Whether the program is part of the profile.
    pub(crate) fits: bool,
    /// Whether one was told by its file's name alone.
    pub(crate) by_name: bool,
}

impl Fit {
    /// Of a program in a profile.
    pub(crate) fn of(identity: &Identity, profile: &Profile) -> Self {
        let names: Vec<&str> = identity.names.iter().map(|name| stem(name)).collect();
        let mut fit = Self::default();
        for mapping in profile.mappings() {
            let (id, file) = (profile.text(mapping.build_id), profile.text(mapping.file));
            let by_id = identity.ids.iter().any(|own| same(own, id));
            let by_name = id.is_empty() && is_file(file) && names.contains(&stem(file));
            fit.mappings.push(by_id || by_name);
            fit.by_name |= by_name;
            fit.fits |= by_id || by_name;
        }
        let bare = bare(profile).filter(|(mapping, _)| fit.mappings[mapping.index()]);
        fit.addresses = bare.count() as u32;
        fit
    }

    /// Whether there is anything to name.
    pub(crate) fn is_empty(&self) -> bool {
        self.addresses == 0
    }

    /// Whether each mapping is the program's.
    pub(crate) fn mappings(&self) -> impl Iterator<Item = bool> {
        self.mappings.iter().copied()
    }
}

/// Where the beginning of a mapping's file is mapped.
pub(crate) fn image_start(profile: &Profile, mapping: &Mapping) -> u64 {
    let is_first = |m: &&Mapping| {
        (m.file, m.build_id, m.offset) == (mapping.file, mapping.build_id, 0)
            && m.start <= mapping.start
            && m.limit > 0
    };
    let first = profile.mappings().iter().filter(is_first);
    // Of a program that runs several times, the one below is its own.
    let first = first.map(|m| m.start).max();
    first.unwrap_or_else(|| mapping.start.saturating_sub(mapping.offset))
}

/// The modules that have addresses without names, those with most first.
pub(crate) fn wanted(profile: &Profile) -> Vec<String> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (mapping, _) in bare(profile) {
        let mapping = &profile.mappings()[mapping.index()];
        let module = (profile.text(mapping.file), profile.text(mapping.build_id));
        *counts.entry(module).or_default() += 1;
    }
    let mut modules: Vec<_> = counts.into_iter().collect();
    modules.sort_by_key(|&(module, count)| (std::cmp::Reverse(count), module));
    let text = |((file, id), _): ((&str, &str), usize)| match id {
        "" => format!("{} (no build id)", base_name(file)),
        id => format!("{} ({id})", base_name(file)),
    };
    modules.into_iter().take(LISTED).map(text).collect()
}

/// The addresses without names in files, and their mappings.
fn bare(profile: &Profile) -> impl Iterator<Item = (MappingId, u64)> {
    profile
        .location_ids()
        .zip(profile.locations())
        .filter_map(|(id, location)| {
            let mapping = location.mapping?;
            let file = profile.text(profile.mappings()[mapping.index()].file);
            let is_wanted =
                is_file(file) && is_of_process(location.address) && is_bare(profile, id);
            is_wanted.then_some((mapping, location.address))
        })
}

/// Whether an address is not the kernel's.
pub(crate) fn is_of_process(address: u64) -> bool {
    address < 1 << 63
}

/// Names in brackets are the kernel's, or of memory that no file is behind.
fn is_file(name: &str) -> bool {
    !name.starts_with('[')
}

/// The name of a file less what tells its debug file from it.
fn stem(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = base_name(path);
    let ends = [".debug", ".dbg", ".sym"];
    let stem = ends.iter().find_map(|end| name.strip_suffix(end));
    stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::{ProfileBuilder, SymbolFlags};

    /// Two addresses of each module.
    fn profile(modules: &[(&str, &str)]) -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        for (i, (file, id)) in (1..).zip(modules) {
            let (file, build_id) = (builder.string(file), builder.string(id));
            let mapping = builder.mapping(Mapping {
                start: i << 20,
                limit: (i + 1) << 20,
                offset: 0,
                file,
                build_id,
                symbols: SymbolFlags::default(),
            });
            for at in 0..2 {
                let location = builder.location(Some(mapping), (i << 20) + at, false, &[]);
                let stack = builder.stack(None, location);
                builder.sample(Some(stack), None, &[1]);
            }
        }
        builder.finish()
    }

    fn fit(modules: &[(&str, &str)], id: &str, name: &str) -> (u32, bool) {
        let identity = Identity {
            ids: vec![id.to_owned()],
            names: vec![name.to_owned()],
        };
        let fit = Fit::of(&identity, &profile(modules));
        (fit.addresses, fit.by_name)
    }

    #[test]
    fn a_build_id_decides_and_a_name_stands_in_for_it() {
        assert_eq!(
            fit(&[("/a.so", "AB"), ("/b.so", "cd")], "ab", "b.so"),
            (2, false)
        );
        assert_eq!(fit(&[("/a.so", "ab")], "cd", "a.so"), (0, false));
        assert_eq!(
            fit(&[("/lib/a.so (deleted)", "")], "cd", "a.so.debug"),
            (2, true)
        );
        assert_eq!(fit(&[("[kernel.kallsyms]", "ab")], "ab", ""), (0, false));
        assert_eq!(fit(&[("", "")], "", ""), (2, true));
    }

    #[test]
    fn modules_that_are_wanted_are_listed() {
        let modules = [
            ("/a.so", "ab"),
            ("/b.so", ""),
            ("[vdso]", ""),
            ("/a.so", "ab"),
        ];
        assert_eq!(
            wanted(&profile(&modules)),
            ["a.so (ab)", "b.so (no build id)"]
        );
    }
}
