//! The core of Pilotlight: decode, merge, diff, store and query profiles.
//!
//! Everything here is a plain function of its arguments: no clock, no randomness, no async, no I/O,
//! no platform. The same code runs in the edge worker, in the browser and in native tests, and
//! gives the same bytes in each.
//!
//! In scope: profile formats, the model, the verbs on it (merge, diff, call tree, table), the
//! stored formats and the plans that read and write them. Out of scope: HTTP, buckets and schedules
//! (the worker), drawing (the site).
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

pub mod access;
mod base;
pub mod bundles;
mod formats;
pub mod imports;
pub mod ingest;
mod merge;
mod model;
pub mod plans;
pub mod reports;
mod selector;
pub mod store;
#[cfg(test)]
mod testing;
mod tree;
pub mod verbs;
mod views;

pub use base::{limits, sort};
pub use formats::{folded, gzip, jfr, legacy, pprof, preorder, push_v1, speedscope};
pub use views::{call_graph, dot, flame, flamebearer, heatmap, pyroscope, tags};

pub use base::parse_time::{parse_duration, parse_time};
pub use base::units::{TimeRange, UnixNanos};
pub use formats::compression::CompressionError;
pub use formats::detect::{OpenError, UnsupportedFormat, open, open_named};
pub use formats::otlp::{OtlpError, ProfileError};
pub use merge::merger::{MergeError, Merged, Merger, canonical, merge};
pub use merge::stored::ErrorBounds;
pub use merge::units::{UnitError, finer_unit, in_unit};
pub use model::builder::ProfileBuilder;
pub use model::id::{FunctionId, LabelSetId, LocationId, MappingId, StackId, StringId};
pub use model::labels::{LabelError, Labels, SERVICE_NAME, parse_name};
pub use model::profile::{
    Function, Header, Label, LabelSets, LabelValue, Line, Location, Mapping, Profile, Samples,
    Stack, SymbolFlags, ValueType,
};
pub use model::profile_id::{ProfileId, ProfileIdError, SeriesHash};
pub use model::profile_type::{ProfileType, ProfileTypeError};
pub use model::strings::Strings;
pub use model::trace::{SpanId, TraceId, TraceIdError, TraceLink};
pub use selector::{
    OneTypeError, ProfileIds, SampleSelector, Selector, SelectorError, SpanSelector, TYPE_LABELS,
    expression_problem, label_of,
};
pub use tree::call_tree::{CallTree, Frame, NodeId, Shape, Tree};
pub use tree::diff::{DiffTree, Scale, diff};
pub use tree::frames::By;
pub use tree::lines::{LineRow, LineTable};
pub use tree::search::{Matches, Pattern, PatternError, search};
pub use tree::table::{FunctionRow, function_table};
