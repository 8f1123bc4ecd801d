//! The modules of a profile, and which of them a program is.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::build_id::BuildId;
use crate::model::id::{MappingId, StringId};
use crate::model::profile::{Mapping, Profile};
use crate::verbs::names::symbolize::is_bare;

/// Modules without names that are listed.
const LISTED: usize = 8;

/// How much further apart than in the file two mappings of it may lie: 16 MiB. Segments are aligned to
/// 2 MiB at most, and there are few.
const MAX_GAP: u64 = 16 << 20;

/// What a program is told by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its build ids.
    pub ids: Vec<String>,
    /// Names of its file; none where a build id alone is to decide.
    pub names: Vec<String>,
}

/// The mappings of a profile that a program is.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// One for each mapping.
    mappings: Vec<bool>,
    /// How many of their addresses have no name.
    pub addresses: u32,
    /// Whether the program is part of the profile.
    pub fits: bool,
    /// Whether one was told by its file's name alone.
    pub by_name: bool,
}

impl Fit {
    /// Of a program in a profile.
    pub fn of(identity: &Identity, profile: &Profile) -> Self {
        let names: Vec<&str> = identity.names.iter().map(|name| stem(name)).collect();
        let own: Vec<BuildId> = identity
            .ids
            .iter()
            .filter_map(|id| BuildId::of(id))
            .collect();
        let is_own =
            |id: &str| BuildId::of(id).is_some_and(|id| own.iter().any(|own| own.is_same(&id)));
        // Each process has mappings of its own, with the same ids.
        let mut known: HashMap<StringId, bool> = HashMap::new();
        let mut fit = Self::default();
        for mapping in profile.mappings() {
            let (id, file) = (profile.text(mapping.build_id), profile.text(mapping.file));
            let by_id = *known.entry(mapping.build_id).or_insert_with(|| is_own(id));
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
    pub fn is_empty(&self) -> bool {
        self.addresses == 0
    }

    /// Whether each mapping is the program's.
    pub(super) fn mappings(&self) -> impl Iterator<Item = bool> {
        self.mappings.iter().copied()
    }
}

/// Where files begin in memory.
#[derive(Default)]
pub(super) struct Images(HashMap<(StringId, StringId), Vec<u64>>);

impl Images {
    /// Of the mappings that begin with their file.
    pub(super) fn of(profile: &Profile) -> Self {
        let mut starts: HashMap<_, Vec<u64>> = HashMap::new();
        for m in profile.mappings() {
            if m.offset == 0 && m.limit > 0 {
                starts
                    .entry((m.file, m.build_id))
                    .or_default()
                    .push(m.start);
            }
        }
        starts
            .values_mut()
            .for_each(|starts| starts.sort_unstable());
        Self(starts)
    }

    /// Where the file of a mapping begins.
    pub(super) fn start(&self, mapping: &Mapping) -> u64 {
        let starts = self.0.get(&(mapping.file, mapping.build_id));
        let starts = starts.map_or(&[][..], Vec::as_slice);
        // Of a program that runs several times, the one below is its own, unless that is too far away.
        let before = starts.partition_point(|&start| start <= mapping.start);
        let own = starts[..before].last().copied();
        own.filter(|start| mapping.start - start <= mapping.offset.saturating_add(MAX_GAP))
            .unwrap_or_else(|| mapping.start.saturating_sub(mapping.offset))
    }
}

/// The modules that have addresses without names, those with most first.
pub fn wanted(profile: &Profile) -> Vec<String> {
    let module = |(mapping, _): (MappingId, u64)| {
        let mapping = &profile.mappings()[mapping.index()];
        (profile.text(mapping.file), profile.text(mapping.build_id))
    };
    let mut all: Vec<(&str, &str)> = bare(profile).map(module).collect();
    all.sort_unstable();
    let mut modules: Vec<((&str, &str), usize)> = Vec::new();
    for module in all {
        match modules.last_mut().filter(|(last, _)| *last == module) {
            Some((_, count)) => *count += 1,
            None => modules.push((module, 1)),
        }
    }
    // Stable, so that equal ones are in the order of their names.
    modules.sort_by_key(|&(_, count)| Reverse(count));
    let text = |((file, id), _): ((&str, &str), usize)| match id {
        "" => format!("{} (no build ID)", base_name(file)),
        id => format!("{} ({id})", base_name(file)),
    };
    modules.into_iter().take(LISTED).map(text).collect()
}

/// The build ids of modules that have addresses without names, those with most of them first.
pub fn wanted_ids(profile: &Profile) -> Vec<&str> {
    let mut counts: HashMap<StringId, usize> = HashMap::new();
    for (mapping, _) in bare(profile) {
        *counts
            .entry(profile.mappings()[mapping.index()].build_id)
            .or_default() += 1;
    }
    let ids = counts
        .into_iter()
        .map(|(id, count)| (Reverse(count), profile.text(id)));
    let mut ids: Vec<_> = ids.filter(|(_, id)| !id.is_empty()).collect();
    ids.sort_unstable();
    ids.into_iter().map(|(_, id)| id).collect()
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
pub(super) fn is_of_process(address: u64) -> bool {
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
    use crate::model::builder::ProfileBuilder;
    use crate::model::profile::SymbolFlags;

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
            fit(
                &[("/a.so", "AB01CD23"), ("/b.so", "cd012345")],
                "ab01cd23",
                "b.so"
            ),
            (2, false)
        );
        assert_eq!(
            fit(&[("/a.so", "ab01cd23")], "cd012345", "a.so"),
            (0, false)
        );
        assert_eq!(
            fit(&[("/lib/a.so (deleted)", "")], "cd012345", "a.so.debug"),
            (2, true)
        );
        assert_eq!(
            fit(&[("[kernel.kallsyms]", "ab01cd23")], "ab01cd23", ""),
            (0, false)
        );
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
            ["a.so (ab)", "b.so (no build ID)"]
        );
    }
}
