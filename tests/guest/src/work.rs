//! What takes long enough to be timed, for a bench that holds engines against each other.
//!
//! [`prepare`] keeps a list of profiles and what is made of the first; each piece of work then goes
//! over that and gives a number that follows from its result, which must be the same in every
//! engine. Results are dropped within the time.

use std::cell::RefCell;

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::pprof::{encode, open};
use pilotlight_core::{By, CallTree, Merger, Profile, Scale, diff, function_table};

/// A piece of work.
pub type Work = fn() -> u64;

/// All of it by name; the module exports each under that name.
pub const WORK: [(&str, Work); 7] = [
    ("work_decode", work_decode),
    ("work_merge4", work_merge4),
    ("work_tree", work_tree),
    ("work_diff", work_diff),
    ("work_table", work_table),
    ("work_encode", work_encode),
    ("work_open_and_merge", work_open_and_merge),
];

struct Prepared {
    inputs: Vec<Vec<u8>>,
    profile: Profile,
    merged: Profile,
    tree: CallTree,
}

thread_local! {
    static PREPARED: RefCell<Option<Prepared>> = const { RefCell::new(None) };
}

/// Keeps profiles to work on; gives how many.
pub fn prepare(input: &[u8]) -> Vec<u8> {
    let inputs: Vec<Vec<u8>> = super::split(input).map(<[u8]>::to_vec).collect();
    let profile = inputs
        .first()
        .map(|bytes| opened(bytes))
        .unwrap_or_default();
    let merged = merge((0..4).map(|_| &profile));
    let tree = CallTree::new(&profile, 0, By::Function);
    let count = inputs.len() as u64;
    PREPARED.set(Some(Prepared {
        inputs,
        profile,
        merged,
        tree,
    }));
    count.to_le_bytes().to_vec()
}

/// Decodes the first.
pub fn work_decode() -> u64 {
    with(|p| opened(&p.inputs[0]).len() as u64)
}

/// Adds it up four times.
pub fn work_merge4() -> u64 {
    with(|p| number(&merge((0..4).map(|_| &p.profile))))
}

/// Its call tree.
pub fn work_tree() -> u64 {
    with(|p| CallTree::new(&p.profile, 0, By::Function).shape().len() as u64)
}

/// It against the sum, normalised.
pub fn work_diff() -> u64 {
    with(|p| {
        diff(
            (&p.profile, 0),
            (&p.merged, 0),
            By::Function,
            Scale::Normalised,
        )
        .shape()
        .len() as u64
    })
}

/// The table of its functions.
pub fn work_table() -> u64 {
    with(|p| {
        function_table(&p.tree)
            .iter()
            .map(|row| row.total[0] as u64 ^ row.own[0] as u64)
            .fold(0, u64::wrapping_add)
    })
}

/// Its bytes.
pub fn work_encode() -> u64 {
    with(|p| encode(&p.profile).len() as u64)
}

/// Inflates, decodes and adds up all of them.
pub fn work_open_and_merge() -> u64 {
    with(|p| {
        let mut merger = Merger::new();
        for bytes in &p.inputs {
            merger.add(&opened(bytes)).expect("profiles of one type");
        }
        number(&merger.finish_as_met().profile)
    })
}

fn with(work: impl Fn(&Prepared) -> u64) -> u64 {
    PREPARED.with_borrow(|prepared| prepared.as_ref().map_or(0, work))
}

fn opened(bytes: &[u8]) -> Profile {
    open(bytes, MAX_PROFILE_BYTES)
        .expect("a good profile")
        .profile
}

fn merge<'a>(profiles: impl Iterator<Item = &'a Profile>) -> Profile {
    let mut merger = Merger::new();
    for profile in profiles {
        merger.add(profile).expect("profiles of one type");
    }
    merger.finish_as_met().profile
}

/// Samples and sum of a profile in one number.
fn number(profile: &Profile) -> u64 {
    (profile.len() as u64) << 40 ^ profile.total(0) as u64
}
