//! What Go's compiler reads of a profile: by brute force over protobuf, and by Go's own
//! `preprofile`.
//!
//! Source of the rules: `cmd/internal/pgo/pprof.go` and `internal/profile/graph.go` of Go 1.26.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use prost::Message;

use super::oracle::{RawFunction, RawLocation, RawProfile, unzip};

/// A call, as the compiler finds it in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The function that calls.
    pub caller: String,
    /// The function that is called.
    pub callee: String,
    /// Lines between the first of the caller and the call.
    pub offset: i64,
}

/// Weight of each call; none is zero.
pub type Calls = BTreeMap<Call, i128>;

/// What the compiler takes for one frame: address, name, first line, line.
type Frame = (u64, String, i64, i64);

/// The calls of a profile of which a column is read.
pub fn calls(profile: &[u8], column: usize) -> Calls {
    let raw = RawProfile::decode(&*unzip(profile)).expect("protobuf");
    let text = |i: i64| String::from_utf8_lossy(&raw.string_table[i as usize]).into_owned();
    let functions: BTreeMap<u64, &RawFunction> = raw.function.iter().map(|f| (f.id, f)).collect();
    let frames_of = |location: &RawLocation| -> Vec<Frame> {
        let address = location.address;
        let frame = |(id, line): (u64, i64)| match functions.get(&id) {
            Some(f) => (address, text(f.name), f.start_line, line),
            None => (address, String::new(), 0, 0),
        };
        let lines = location.line.iter().rev();
        let frames: Vec<Frame> = lines
            .map(|line| frame((line.function_id, line.line)))
            .collect();
        match frames.is_empty() {
            true => vec![frame((0, 0))],
            false => frames,
        }
    };
    let locations: BTreeMap<u64, Vec<Frame>> = raw
        .location
        .iter()
        .map(|location| (location.id, frames_of(location)))
        .collect();
    let mut calls = Calls::new();
    for sample in raw.sample.iter().filter(|s| s.value[column] != 0) {
        let innermost = sample.location_id.iter().take(2).rev();
        let frames: Vec<&Frame> = innermost.flat_map(|id| &locations[id]).collect();
        let pairs = frames.windows(2).map(|pair| (pair[0], pair[1]));
        // A frame that calls itself is no call, and a sample counts once for each.
        let once: BTreeSet<_> = pairs.filter(|(caller, callee)| caller != callee).collect();
        for ((_, caller, start_line, line), (_, callee, ..)) in once {
            let call = Call {
                caller: caller.clone(),
                callee: callee.clone(),
                offset: line - start_line,
            };
            *calls.entry(call).or_default() += i128::from(sample.value[column]);
        }
    }
    calls.retain(|_, weight| *weight != 0);
    calls
}

/// The same as `go tool preprofile` says, of the first column that it takes.
pub fn go_calls(profile: &Path) -> Calls {
    let run = Command::new("go")
        .args(["tool", "preprofile", "-i"])
        .arg(profile)
        .output()
        .expect("go runs");
    let problem = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "go tool preprofile: {problem}");
    let text = String::from_utf8(run.stdout).expect("text");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let call = |lines: &[&str]| {
        let (offset, weight) = lines[2].split_once(' ').expect("two numbers");
        let call = Call {
            caller: lines[0].to_owned(),
            callee: lines[1].to_owned(),
            offset: offset.parse().expect("an offset"),
        };
        (call, weight.parse().expect("a weight"))
    };
    lines.chunks_exact(3).map(call).collect()
}
