//! Recursion collapsed.

use super::*;

/// What makes two frames of one line equal, for recursion: name and file, or else address and file
/// of the mapping.
type Key = (Option<(String, String)>, Option<(String, u64)>);

/// Frames of one line each, with their keys.
fn single(stack: &[Frame]) -> Vec<(Key, Frame)> {
    let mut frames = Vec::new();
    for frame in stack {
        let nowhere = || {
            (
                None,
                Some((frame.module.clone().unwrap_or_default(), frame.address)),
            )
        };
        if frame.places.is_empty() {
            frames.push((nowhere(), frame.clone()));
        }
        for place in &frame.places {
            let key = match &place.function {
                Some(f) => {
                    let name = if f.name.is_empty() {
                        &f.system_name
                    } else {
                        &f.name
                    };
                    (Some((name.clone(), f.file.clone())), None)
                }
                None => nowhere(),
            };
            frames.push((key, frame.with(vec![place.clone()])));
        }
    }
    frames
}

/// Direct recursion collapsed.
pub fn collapse_direct(samples: &[Sample]) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let mut frames = single(stack);
        frames.dedup_by(|a, b| a.0 == b.0);
        Some(frames.into_iter().map(|(_, frame)| frame).collect())
    })
}

/// Cycles cut back to where they began.
pub fn collapse_cycles(samples: &[Sample]) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let mut kept: Vec<(Key, Frame)> = Vec::new();
        for (key, frame) in single(stack) {
            match kept.iter().position(|(k, _)| *k == key) {
                Some(at) => kept.truncate(at + 1),
                None => kept.push((key, frame)),
            }
        }
        Some(kept.into_iter().map(|(_, frame)| frame).collect())
    })
}
