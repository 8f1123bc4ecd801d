//! OTLP profiles: `ExportProfilesServiceRequest` of `opentelemetry.proto.collector.profiles`,
//! `v1development`, in every layout from 1.7 to 1.11 ([`votes`]), as protobuf and as JSON.
//!
//! Source of the format: opentelemetry-proto, tags v1.7.0 to v1.11.0. All profiles of a request
//! share one dictionary, which may stand before or behind them, so a request is walked twice. What
//! is asked of a row that many profiles share is bounded by what the request is long
//! (`dictionary`): tables are not copied for nothing.
//!
//! This module says what a request holds. What that means (services, labels, types) is said by
//! [`crate::ingest`].

mod attribute;
mod dictionary;
mod error;
mod json;
mod layout;
mod profile;
mod request;
mod symbols;
mod votes;

pub(crate) use attribute::{Attribute, AttributeValue};
pub(crate) use error::Stop;
pub use error::{OtlpError, ProfileError};
pub(crate) use json::to_protobuf;
pub(crate) use profile::{Head, Profile, Sample, ValueType};
pub(crate) use request::Request;
pub(crate) use symbols::Symbols;
