//! Writes what another engine needs to be held against the native core: `identity FOLDER` makes
//! `N.bin`, the input lists, and `answers.json`, with the SHA-256 of what each verb answers to
//! each.

use std::path::Path;
use std::process::ExitCode;
use std::{fs, thread};

use pilotlight_guest::VERBS;
use pilotlight_tests::identity::inputs;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [folder] => write(Path::new(folder)),
        _ => Err("usage: identity FOLDER".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("identity: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<(), String> {
    let written = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let inputs = inputs();
    for (number, (_, input)) in inputs.iter().enumerate() {
        written(&folder.join(format!("{number}.bin")), input)?;
    }
    // A verb a thread: hashing and drawing everything is seconds of work in a build for tests.
    let answers: Vec<Vec<Value>> = thread::scope(|scope| {
        let inputs = &inputs;
        let verbs = VERBS.map(|(name, verb)| {
            scope.spawn(move || {
                let all = inputs.iter().enumerate().map(|(number, (of, input))| {
                    let answer = verb(input);
                    let sha256: String = Sha256::digest(&answer).iter().map(|byte| format!("{byte:02x}")).collect();
                    json!({ "verb": name, "input": number, "of": of, "length": answer.len(), "sha256": sha256 })
                });
                all.collect()
            })
        });
        verbs
            .into_iter()
            .map(|verb| verb.join().expect("a verb does not panic"))
            .collect()
    });
    let answers: Vec<Value> = answers.into_iter().flatten().collect();
    written(
        &folder.join("answers.json"),
        json!(answers).to_string().as_bytes(),
    )
}
