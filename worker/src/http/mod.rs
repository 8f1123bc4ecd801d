//! What every request goes through: its route, its body, its parameters, whose it is, and what it
//! is answered with.

pub(crate) mod body;
pub(crate) mod grpc_web;
pub(crate) mod parameters;
pub(crate) mod route;
pub(crate) mod scope;
pub(crate) mod tenancy;
