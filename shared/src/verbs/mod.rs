//! Verbs: plain functions from one profile to another.
//!
//! Every verb borrows a profile and gives a new one, in time linear in the profile: patterns are tried on each function,
//! file or label set once, the stack table is rewritten in one pass (callers first), and samples are translated. Most do
//! what `go tool pprof` does with the option of the same name; their docs say where they do not.
//!
//! Tables of a result may hold rows that nothing uses any more, and equal rows several times, such as two stacks that
//! became the same. That changes nothing about what it says: [`crate::merge`] adds such samples up, and
//! [`crate::canonical`] leaves each row once.
//!
//! A verb that looks at one sample at a time (all but [`scale`] and [`focus_tags`] with ranges of numbers without units)
//! commutes with merging: `canonical(verb(merge(a, b))) = merge(verb(a), verb(b))`.

mod demangle;
mod focus;
mod frames;
mod group;
mod hide;
mod package;
mod prune;
mod recursion;
mod rename;
mod rewrite;
mod scale;
mod select;
mod show_from;
mod tag_range;
mod tags;

pub use demangle::{Demangle, Detail, GoGenerics, RustHash, demangle};
pub use focus::{Focused, focus};
pub use frames::{FramePattern, MAX_PATTERN_BYTES};
pub use group::{Granularity, group};
pub use hide::{hide, show};
pub use package::package;
pub use prune::{prune, prune_by_header, prune_from};
pub use recursion::{Recursion, RecursionError, collapse_recursion};
pub use rename::{RenameRules, rename};
pub use rewrite::{Filtered, MAX_NAME_BYTES};
pub use scale::{Ratio, Scaled, negate, scale};
pub use select::{SelectError, ZeroSamples, select};
pub use show_from::show_from;
pub use tags::{TagPattern, focus_tags, hide_tags, show_tags};
