//! Profiles from elsewhere, in the folder `shared/corpus` beside the checkout. A clone without it
//! skips what needs it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::recorded::Recorded;

/// A file of the corpus.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its path below the corpus.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Agents whose recorded requests carry pprof.
pub const AGENTS: [&str; 3] = ["go142", "node0413", "node064"];

/// Where the corpus is; without one, says so and gives nothing.
pub fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: corpus not found at ../shared/corpus");
    None
}

/// A file of the corpus.
pub fn read(name: &str) -> Option<Sample> {
    let path = root()?.join(name);
    let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(Sample {
        name: name.to_owned(),
        bytes,
    })
}

/// Every pprof protobuf of the corpus: files, and the bodies of recorded requests. Empty without a
/// corpus.
pub fn profiles() -> Vec<Sample> {
    let Some(root) = root() else {
        return Vec::new();
    };
    let mut names = vec![
        "pprof/sample.cpu".to_owned(),
        "speedscope/pprof/simple.prof".to_owned(),
    ];
    for folder in ["parca", "parca/many"] {
        names.extend(
            files(&root.join(folder), "gz")
                .into_iter()
                .map(|file| format!("{folder}/{file}")),
        );
    }
    let mut samples: Vec<Sample> = names.iter().filter_map(|name| read(name)).collect();
    for agent in AGENTS.into_iter().chain(["py0816"]) {
        samples.extend(recordings(agent).into_iter().map(|r| Sample {
            bytes: r.profile().to_vec(),
            name: r.name,
        }));
    }
    assert!(
        samples.len() > 20,
        "the corpus has shrunk to {} profiles",
        samples.len()
    );
    samples
}

/// The requests recorded from an agent, in the order in which they came.
pub fn recordings(agent: &str) -> Vec<Recorded> {
    let Some(root) = root() else {
        return Vec::new();
    };
    let folder = root.join("agents").join(agent);
    let read =
        |name: &str| fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{agent}/{name}: {e}"));
    let requests = files(&folder, "head").into_iter().map(|file| {
        let stem = file.trim_end_matches(".head");
        Recorded::parse(
            format!("agents/{agent}/{stem}"),
            &read(&file),
            read(&format!("{stem}.body")),
        )
    });
    requests.collect()
}

/// Names of the files in a folder that end so, in order.
fn files(folder: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("a readable folder")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| {
            name.rsplit_once('.')
                .is_some_and(|(_, end)| end == extension)
        })
        .collect();
    names.sort();
    names
}
