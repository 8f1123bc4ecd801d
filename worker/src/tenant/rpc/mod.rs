//! Calls to the Durable Object: which there are, how they travel, and who makes them.

pub(crate) mod client;
pub(crate) mod packet;
pub(crate) mod reply;
pub(crate) mod shard;
pub(crate) mod stub;
