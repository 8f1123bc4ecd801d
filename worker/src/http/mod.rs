//! What every request goes through: its endpoint, the page it comes from, its body and parameters, and
//! what it is answered with.

pub(crate) mod body;
pub(crate) mod connect;
pub(crate) mod content_type;
pub(crate) mod endpoint;
pub(crate) mod grpc;
pub(crate) mod grpc_web;
pub(crate) mod headers;
pub(crate) mod hosts;
pub(crate) mod origin;
pub(crate) mod outgoing;
pub(crate) mod page_not_found;
pub(crate) mod parameters;
pub(crate) mod percent;
pub(crate) mod route;
pub(crate) mod scope;
