//! What is asked of the core in every engine it runs in: lists of profiles for the guest's verbs.

use pilotlight_core::pprof::encode;
use pilotlight_guest::list;

use crate::{corpus, drawn};

/// Names and lists: every profile of the corpus, groups that merge, and some of our own, damage
/// included.
pub fn inputs() -> Vec<(String, Vec<u8>)> {
    let mut inputs: Vec<(String, Vec<u8>)> = Vec::new();
    let samples = corpus::profiles();
    for sample in &samples {
        inputs.push((sample.name.clone(), list([&sample.bytes[..]])));
    }
    // Series of one agent merge; so do the five of Parca.
    for prefix in [
        "parca/many",
        "agents/go142/0",
        "agents/go142/01",
        "agents/node0413",
        "agents/node064",
    ] {
        let group = samples.iter().filter(|s| s.name.starts_with(prefix));
        inputs.push((
            format!("all of {prefix}"),
            list(group.map(|s| &s.bytes[..])),
        ));
    }
    let own = encode(&drawn::every_field());
    inputs.push(("every field, twice".to_owned(), list([&own[..], &own[..]])));
    inputs.push(("damaged".to_owned(), list([&own[..own.len() / 2]])));
    inputs
}
