//! Verbs: plain functions from one profile to another, or from one tree to another. Merging,
//! comparing, folding into trees, the table of functions and searching stand at the root of the
//! crate.
//!
//! # On profiles
//!
//! Every verb borrows a profile and gives a new one, in time linear in the profile: patterns are
//! tried on each function, file or label set once, the stack table is rewritten in one pass
//! (callers first), and samples are translated. Most do what `go tool pprof` does with the option
//! of the same name; their docs say where they do not.
//!
//! Tables of a result may hold rows that nothing uses any more, and equal rows several times, such
//! as two stacks that became the same. That changes nothing about what it says: [`crate::merge`]
//! adds such samples up, and [`crate::canonical()`] leaves each row once.
//!
//! A verb that looks at one sample at a time (all but [`scale`], and [`focus_tags`] and
//! [`ignore_tags`] with ranges of numbers without units) commutes with merging:
//! `canonical(verb(merge(a, b))) = merge(verb(a), verb(b))`.
//!
//! # On trees
//!
//! [`callers`], [`callees`] and [`inverted`] take a tree with any number of sides and give one of
//! the same type, so all of them work on comparisons too. [`timeline`] lays visits of a tree's
//! nodes out in time.

mod filter;
mod names;
pub mod programs;
mod rewrite;
mod text;
mod trees;
mod values;

pub use filter::focus::{focus, ignore};
pub use filter::frame_filter::{FrameFilter, FunctionNames};
pub use filter::frames::FramePattern;
pub use filter::hide::{hide, show};
pub use filter::inlines::hide_inlined;
pub use filter::pgo::{PgoOptions, is_pgo_type, pgo};
pub use filter::prune_from::prune_from;
pub use filter::recursion::{Recursion, RecursionError, collapse_recursion};
pub use filter::show_from::show_from;
pub use filter::stack_selector::StackSelector;
pub(crate) use filter::stack_selector::stack_number;
pub use filter::tag_writer::{TagWriter, TextPart};
pub use filter::tags::{TagPattern, focus_tags, ignore_tags};
pub(crate) use filter::time::nanos_a_unit;
pub use filter::time::within;
pub use names::demangle::demangled;
pub use names::group::{Granularity, group};
pub use names::package::package;
pub use names::symbolize::{SymbolFrame, is_bare, symbolize};
pub use names::tag_frames::{TagEnd, TagFramesError, tag_frames};
pub use rewrite::{Filtered, MAX_NAME_BYTES};
pub use text::format::{format_exact, format_mean, format_percent, format_value};
pub use text::unit::{Dimension, Unit};
pub use trees::chart::{Chart, chart};
pub use trees::inverted::{Inverted, inverted};
pub use trees::sandwich::{callees, callers};
pub use trees::visits::{Span, TimelineError, Visit, timeline};
pub use values::scale::{Ratio, Scaled, scale};
