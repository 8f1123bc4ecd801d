//! Plans: what takes several reads, as values without I/O.
//!
//! A plan says what it needs with `wants()` and takes it with `provide()`, in any order; a driver
//! is one short loop for each environment. A plan never asks for the same bytes twice.

mod answers;
mod bundle;
mod catalog;
mod compact;
mod counted_chunks;
mod cover;
mod disjoint_sets;
mod plan;
mod query;
mod reads;
mod rebuild;
mod slice;
mod static_catalog;
mod timeline;
mod values;

pub use answers::{LabelsAnswer, MAX_NUMBERS, ServicesAnswer, TimelineAnswer, range_before};
pub use bundle::{BundleFile, bundle};
pub use catalog::{label_values, series};
pub use compact::{
    CompactJob, CompactOutput, CompactPlan, CompactTask, Deletion, JobCandidate, MAX_FAILURES,
    MAX_JOB_BYTES, MAX_JOB_OBJECTS, MAX_PARTITION_BYTES, MIN_JOB_OBJECTS, pick_job, pick_rewrite,
};
pub use counted_chunks::{CountedChunks, RETRY_WINDOW_MILLIS};
pub use plan::{CatalogObject, Get, Plan, PlanError};
pub use query::{
    AnswerSum, MAX_HELD, Outgrown, QueryAnswer, QueryCost, QueryPlan, SampleQueryPlan, SplitQuery,
    Subquery, split,
};
pub use rebuild::{Dropped, RebuildPlan, Rebuilt};
pub use slice::{MAX_SLICE_BYTES, MAX_SLICE_READS, SlicePlan};
pub use static_catalog::{ObjectSizes, StaticCatalog, Want, static_catalog};
pub use timeline::{
    Grouping, Point, Points, StepSums, Steps, Timeline, TimelinePlan, TimelineSeries, Totals,
    window_of,
};
pub use values::{StacksOf, StacksPlan, Value, Values, ValuesOf, ValuesPlan};
