//! Limits of each tenant: which hold for it, and how fast it pushes.
//!
//! In scope: the stored table of what tenants have of their own, and the rate of pushes. Out of
//! scope: what each limit means, which is `platform::limits`.

pub(crate) mod rate;
mod tenant_limits;

pub(crate) use tenant_limits::TenantLimits;
