//! Fleets, several shards, large queries, extreme values.

mod extremes;
mod fleet_sizes;
mod shards;
mod subqueries;
