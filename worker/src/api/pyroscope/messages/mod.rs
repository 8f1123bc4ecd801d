//! The messages of Pyroscope's services: one struct each, for protobuf and for protobuf's JSON.
//! `messages!` declares them as a `.proto` file does.
//!
//! Source: the field tables of Pyroscope's public API. Requests are read in both spellings of a
//! field; answers leave out what is zero or empty. Fields that nothing here answers are not listed,
//! and ignored.

#[macro_use]
mod macros;

mod ad_hoc;
mod capabilities;
mod functions;
mod heatmap;
mod json;
mod pprof;
mod profiles;
mod querier;
mod recording_rules;
mod settings;
mod status;
mod types;

pub(super) use ad_hoc::*;
pub(super) use capabilities::{FeatureFlag, GetFeatureFlagsRequest, GetFeatureFlagsResponse};
pub(super) use capabilities::{VersionRequest, VersionResponse};
pub(super) use functions::*;
pub(super) use heatmap::*;
pub(super) use pprof::{fits_json as pprof_fits_json, to_json as pprof_json};
pub(super) use profiles::*;
pub(super) use querier::*;
pub(super) use recording_rules::*;
pub(super) use settings::*;
pub(super) use status::*;
pub(super) use types::*;

#[cfg(test)]
mod tests;
