//! Plans: what takes several reads, as values without I/O.
//!
//! A plan says what it needs with `wants()` and takes it with `provide()`, in any order; a driver
//! is one short loop for each environment. A plan never asks for the same bytes twice.

mod answer;
mod catalog;
mod compact;
mod cover;
mod dataset_group;
mod dedup;
mod deletion;
mod input;
mod job;
mod partitions;
mod plan;
mod query;
mod reading;
mod reads;
mod rebuild;
mod reconcile;
mod static_catalog;
mod steps;
mod subqueries;
mod timeline;

pub use answer::{AnswerSum, MAX_HELD, QueryAnswer};
pub use catalog::{Service, label_values, services};
pub use compact::{CompactOutput, CompactPlan, CompactTask};
pub use dedup::{CountedChunks, RETRY_WINDOW_MILLIS};
pub use deletion::{Deletion, pick_rewrite};
pub use job::{
    CompactJob, MAX_FAILURES, MAX_JOB_BYTES, MAX_JOB_OBJECTS, MAX_PARTITION_BYTES, MIN_JOB_OBJECTS,
    ObjectSummary, pick_job,
};
pub use plan::{CatalogObject, Get, Plan, PlanError};
pub use query::QueryPlan;
pub use rebuild::{Dropped, RebuildPlan, Rebuilt};
pub use static_catalog::static_catalog;
pub use steps::{Steps, window_of};
pub use subqueries::{SplitQuery, Subquery, split};
pub use timeline::{Grouping, Point, Timeline, TimelinePlan, TimelineSeries};
