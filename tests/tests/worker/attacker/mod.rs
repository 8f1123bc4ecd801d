//! Somebody who may not, at every endpoint of the built worker: without a token, with a wrong one, with
//! one that ended, that lacks the scope or is another tenant's, and by tricks. Each attempt is
//! refused and counted, while honest requests are served.

mod endpoints;
mod flood;
mod locked;
mod request;
mod routes;
mod settings;
mod tenants;
mod tricks;
