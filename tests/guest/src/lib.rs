//! The core as a WASM module without imports: bytes in, bytes out, so that a test can hold its
//! answers against the native ones.
//!
//! The host asks [`alloc`] for room, writes the input there, calls a verb, and reads the answer at
//! the address that the verb returns: a `u32` length (little-endian), then that many bytes. The
//! input is a list of profiles, each a `u32` length and its bytes. Nothing is ever freed: a host
//! makes a new instance for each test.

use pilotlight_core::flame::{Viewport, layout};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::pprof::{encode, open};
use pilotlight_core::{
    By, CallTree, NodeId, Profile, Scale, canonical, diff, function_table, merge,
};

/// What can be asked of the guest: each verb takes a list of profiles and gives bytes.
pub type Verb = fn(&[u8]) -> Vec<u8>;

/// All of them by name; the module exports each under that name.
pub const VERBS: [(&str, Verb); 5] = [
    ("merged", merged),
    ("trees", trees),
    ("boxes", boxes),
    ("differences", differences),
    ("each_in_order", each_in_order),
];

pub mod push;
pub mod query;
pub mod work;

/// The merge of all profiles, encoded; the error's text when they do not merge.
pub fn merged(input: &[u8]) -> Vec<u8> {
    let read = profiles(input);
    match read.and_then(|profiles| merge(&profiles).map_err(|e| e.to_string())) {
        Ok(merged) => encode(&merged.profile),
        Err(problem) => problem.into_bytes(),
    }
}

/// Each profile in canonical order, encoded.
pub fn each_in_order(input: &[u8]) -> Vec<u8> {
    match profiles(input) {
        Ok(profiles) => profiles
            .iter()
            .flat_map(|profile| encode(&canonical(profile)))
            .collect(),
        Err(problem) => problem.into_bytes(),
    }
}

/// Every node of every call tree of the first profile, with the table of its functions.
pub fn trees(input: &[u8]) -> Vec<u8> {
    with_first(input, |profile, out| {
        for column in 0..profile.sample_types().len() {
            for by in [By::Name, By::Function] {
                let tree = CallTree::new(profile, column, by);
                for node in (0..tree.shape().len() as u32).map(NodeId) {
                    out.extend(tree.shape().name(node).as_bytes());
                    out.extend(tree.shape().key(node).to_le_bytes());
                    out.extend(tree.shape().parent(node).0.to_le_bytes());
                    out.extend(tree.self_value(node).to_le_bytes());
                    out.extend(tree.total_value(node).to_le_bytes());
                }
                for row in function_table(&tree) {
                    out.extend((row.frame as u64).to_le_bytes());
                    out.extend(row.own[0].to_le_bytes());
                    out.extend(row.total[0].to_le_bytes());
                    out.extend(row.nodes.to_le_bytes());
                }
            }
        }
    })
}

/// The boxes of the first profile in several viewports, to the bit of their coordinates.
pub fn boxes(input: &[u8]) -> Vec<u8> {
    with_first(input, |profile, out| {
        let tree = CallTree::new(profile, 0, By::Name);
        for zoom in (0..tree.shape().len() as u32).step_by(tree.shape().len() / 9 + 1) {
            for (x0, x1, width) in [(0.0, 1.0, 1400.0), (0.25, 0.5, 390.0), (0.1, 0.11, 777.7)] {
                let view = Viewport {
                    zoom: NodeId(zoom),
                    x0,
                    x1,
                    width,
                    depth0: 0,
                    depth1: 256,
                };
                for b in layout(&tree, view) {
                    for word in [
                        b.x.to_bits(),
                        b.width.to_bits(),
                        b.depth,
                        b.node.0,
                        b.kind as u32,
                    ] {
                        out.extend(word.to_le_bytes());
                    }
                }
            }
        }
    })
}

/// The first profile against the last, absolute and normalised.
pub fn differences(input: &[u8]) -> Vec<u8> {
    let read = profiles(input).unwrap_or_default();
    let (Some(base), Some(comparison)) = (read.first(), read.last()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for (scale, by) in [
        (Scale::Absolute, By::Name),
        (Scale::Normalised, By::Name),
        (Scale::Normalised, By::Function),
    ] {
        let d = diff((base, 0), (comparison, 0), by, scale);
        for row in function_table(&d) {
            row.own
                .into_iter()
                .chain(row.total)
                .for_each(|value| out.extend(value.to_le_bytes()));
        }
        for node in (0..d.shape().len() as u32).map(NodeId) {
            out.extend(d.shape().name(node).as_bytes());
            let [before, after] = d.totals(node);
            for value in [before, after] {
                out.extend(value.to_le_bytes());
            }
        }
    }
    out
}

fn with_first(input: &[u8], write: impl Fn(&Profile, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    match profiles(input) {
        Ok(profiles) => profiles
            .first()
            .into_iter()
            .for_each(|first| write(&canonical(first), &mut out)),
        Err(problem) => out = problem.into_bytes(),
    }
    out
}

fn profiles(input: &[u8]) -> Result<Vec<Profile>, String> {
    split(input)
        .map(|bytes| {
            Ok(open(bytes, MAX_PROFILE_BYTES)
                .map_err(|e| e.to_string())?
                .profile)
        })
        .collect()
}

/// The items of a list.
fn split(mut input: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = input.split_first_chunk::<4>()?;
        let (bytes, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        input = rest;
        Some(bytes)
    })
}

/// The input as the verbs want it.
pub fn list<'a>(profiles: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    profiles
        .into_iter()
        .flat_map(|p| [&(p.len() as u32).to_le_bytes()[..], p].concat())
        .collect()
}

#[cfg(target_arch = "wasm32")]
mod exports {
    //! Raw pointers, because that is all a WASM export can take; the rest of the project has none.
    #![allow(unsafe_code)]

    /// Room for so many bytes.
    #[unsafe(no_mangle)]
    extern "C" fn alloc(length: u32) -> *mut u8 {
        Box::leak(vec![0; length as usize].into_boxed_slice()).as_mut_ptr()
    }

    macro_rules! export {
        ($($verb:path as $name:ident)*) => {$(
            #[unsafe(no_mangle)]
            extern "C" fn $name(input: *const u8, length: u32) -> *const u8 {
                // SAFETY: the host passes what `alloc` gave it, with the length it asked for.
                let input = unsafe { std::slice::from_raw_parts(input, length as usize) };
                let bytes = $verb(input);
                let answer = [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat();
                Box::leak(answer.into_boxed_slice()).as_ptr()
            }
        )*};
    }
    export!(
        super::merged as merged
        super::trees as trees
        super::boxes as boxes
        super::differences as differences
        super::each_in_order as each_in_order
        super::work::prepare as prepare
        super::push::prepare_pushes as prepare_pushes
        super::query::prepare_query as prepare_query
    );

    macro_rules! export_work {
        ($($from:ident::$name:ident)*) => {$(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> u64 {
                super::$from::$name()
            }
        )*};
    }
    export_work!(work::work_decode work::work_merge4 work::work_tree work::work_diff work::work_table work::work_encode);
    export_work!(work::work_open_and_merge push::prepare_chunks push::gather query::query);

    /// One of the requests that were prepared.
    #[unsafe(no_mangle)]
    extern "C" fn push(index: u32) -> u64 {
        super::push::push(index)
    }
}
