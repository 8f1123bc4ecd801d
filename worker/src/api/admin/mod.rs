//! Calls for an operator, a file each.

pub(crate) mod bucket_check;

pub(crate) mod delete_tenant;
pub(crate) mod deletions;
pub(crate) mod maintenance;
pub(crate) mod parked;
pub(crate) mod rebuild;
pub(crate) mod refusals;
pub(crate) mod retention;
