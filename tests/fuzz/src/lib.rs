//! Properties of the readers of untrusted input: a target accepts any bytes, and panics when a property fails.
//! libFuzzer searches for such bytes (`cargo xtask fuzz`); `tests/tests/bounds/fuzz.rs` replays its seeds and what it kept.

mod properties;
mod targets;

pub use targets::{TARGETS, Target};

/// Most bytes that a target may have allocated at a time (tests), or in one allocation (libFuzzer). Inputs have 24 kB, or a
/// megabyte after inflation; of those, rows of tables make a few times as many. More means that a length in the input was
/// believed.
pub const MAX_ALLOCATED: usize = 64 << 20;
