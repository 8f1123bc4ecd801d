//! Fleets, several shards, several chunks a request, large queries, extreme values.

mod extremes;
mod fleet_sizes;
mod invocations;
mod several_chunks;
mod shards;
mod subqueries;
mod tenants;
mod variety;
