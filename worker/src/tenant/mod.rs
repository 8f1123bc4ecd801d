//! The Durable Object of a tenant: group commit of pushes, the catalog of objects, and leases for
//! compaction.

mod catalog;
mod durable_object;
mod own_retention;
mod rpc;
mod shard_server;
mod visit_log;
mod write;

pub(crate) use catalog::commands::{AdminCommand, Parked};
pub(crate) use catalog::deletions::{DeletionRequest, PendingDeletion, StartedDeletion};
pub(crate) use catalog::lease_table::Blame;
pub(crate) use catalog::leases::{CompletedJob, FailedJob};
pub(crate) use catalog::published::{Publication, PublishedDay};
pub(crate) use catalog::replacement::{NewCatalog, RebuildLease};
#[cfg(test)]
pub(crate) use catalog::sql::{Rows, Sql, Value, memory};
pub(crate) use catalog::token_use::TokenUse;
pub(crate) use catalog::tombstones::DueWork;
pub(crate) use catalog::{Detail, Row};
pub use durable_object::Tenant;
pub(crate) use own_retention::{OwnRetention, Pin, change_retention, own_retention, retention_key};
pub(crate) use rpc::client::{Job, TenantClient, TenantShards, catalog_objects};
pub(crate) use rpc::packet;
pub(crate) use rpc::reply::{Appended, Transport};
#[cfg(test)]
pub(crate) use rpc::reply::{Reply, TenantRpc};
pub(crate) use rpc::shard::Shard;
pub(crate) use rpc::stub::{StubLine, USAGE_HEADER};
#[cfg(test)]
pub(crate) use shard_server::ShardServer;
pub(crate) use visit_log::VisitState;
