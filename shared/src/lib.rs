//! The core of Pilotlight: decode, merge, diff, store and query profiles.
//!
//! Everything here is a plain function of its arguments: no clock, no randomness, no async, no I/O, no platform. The same
//! code runs in the edge worker, in the browser and in native tests, and gives the same bytes in each.
//!
//! In scope: profile formats, the model, the verbs on it (merge, diff, call tree, table), the stored formats and the plans
//! that read and write them. Out of scope: HTTP, buckets and schedules (the worker), drawing (the site).
//!
//! ```
//! use pilotlight_core::{By, CallTree, ProfileBuilder};
//!
//! let mut builder = ProfileBuilder::new();
//! builder.sample_type("cpu", "nanoseconds");
//! let stack = builder.named_stack(&["main", "work"]);
//! builder.sample(stack, None, &[7]);
//! let tree = CallTree::new(&builder.finish(), 0, By::Name);
//! assert_eq!(tree.total(), 7);
//! ```

mod attime;
mod builder;
mod canonical;
mod detect;
mod diff;
pub mod flame;
pub mod folded;
mod forest;
mod growth;
pub mod gzip;
mod id;
pub mod ingest;
mod labels;
pub mod legacy;
pub mod limits;
mod merge;
mod merge_stacks;
mod merge_stored;
pub mod plans;
pub mod pprof;
mod profile;
mod profile_type;
pub mod pyroscope;
mod regex;
mod sample_index;
mod search;
mod selector;
mod self_values;
pub mod sort;
pub mod store;
mod strings;
mod table;
mod tables;
#[cfg(test)]
mod testing;
mod text_order;
mod tree;
mod tree_builder;
mod units;
pub mod verbs;
mod warnings;

pub use attime::parse_time;
pub use builder::ProfileBuilder;
pub use detect::{OpenError, UnsupportedFormat, open};
pub use diff::{DiffTree, Scale, StackChange, Status, diff};
pub use id::{FunctionId, LabelSetId, LocationId, MappingId, StackId, StringId};
pub use labels::{LabelError, Labels, SERVICE_NAME, parse_name};
pub use merge::{MergeError, Merged, Merger, canonical, merge};
pub use profile::{
    Function, Header, Label, LabelSets, LabelValue, Line, Location, Mapping, Profile, Samples, Stack, SymbolFlags, ValueType,
};
pub use profile_type::{ProfileType, ProfileTypeError};
pub use search::{Matches, Pattern, PatternError, search};
pub use selector::{Selector, SelectorError, TYPE_LABELS, expression_problem, label_of};
pub use strings::Strings;
pub use table::{FunctionRow, Order, Top, TopRow, function_table, top};
pub use tree::{CallTree, Frame, NodeId, Shape, Tree};
pub use tree_builder::By;
pub use units::{TimeRange, UnixNanos};
