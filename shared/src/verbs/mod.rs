//! Verbs: plain functions from one profile to another, or from one tree to another. Merging, comparing, folding into trees,
//! the table of functions and searching stand at the root of the crate.
//!
//! # On profiles
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
//!
//! # On trees
//!
//! [`callers`], [`callees`], [`inverted`] and [`trim`] take a tree with any number of sides and give one of the same type,
//! so all of them work on comparisons too; [`crate::DiffTree::new`] makes a comparison of the result. [`timeline`] lays
//! visits of a tree's nodes out in time.

mod demangle;
mod diff_base;
mod focus;
mod format;
mod frames;
mod group;
mod hide;
mod inverted;
mod package;
mod prune;
mod recursion;
mod rename;
mod rewrite;
mod rows;
mod sandwich;
mod scale;
mod select;
mod show_from;
mod subtract;
mod tag_range;
mod tags;
mod timeline;
mod trim;
mod unit;

pub use demangle::{Demangle, Detail, GoGenerics, RustHash, demangle};
pub use diff_base::{diff_base, report_total};
pub use focus::{Focused, focus};
pub use format::{format_exact, format_in, format_percent, format_rate, format_value};
pub use frames::FramePattern;
pub use group::{Granularity, group};
pub use hide::{hide, show};
pub use inverted::{Inverted, inverted};
pub use package::package;
pub use prune::{prune, prune_by_header, prune_from};
pub use recursion::{Recursion, RecursionError, collapse_recursion};
pub use rename::{RenameRules, rename};
pub use rewrite::{Filtered, MAX_NAME_BYTES};
pub use sandwich::{callees, callers};
pub use scale::{Ratio, Scaled, negate, scale};
pub use select::{SelectError, ZeroSamples, select};
pub use show_from::show_from;
pub use subtract::subtract;
pub use tags::{TagPattern, focus_tags, hide_tags, show_tags};
pub use timeline::{Span, TimelineError, Visit, timeline, visits};
pub(crate) use trim::largest;
pub use trim::{Folded, Trimmed, trim};
pub use unit::{Dimension, Unit};
