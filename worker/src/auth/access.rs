//! What an endpoint asks of its caller.

use pilotlight_core::access::TokenScope;

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody: the answer says nothing about anyone.
    Anyone,
    /// A token with this scope, about the data of its tenant.
    Tenant(TokenScope),
    /// A token of all tenants with this scope: the answer is about the whole installation.
    Installation(TokenScope),
}

/// A token that pushes for a tenant.
pub(crate) const PUSH: Access = Access::Tenant(TokenScope::Push);

/// A token that reads a tenant's profiles.
pub(crate) const READ: Access = Access::Tenant(TokenScope::Read);

/// A token of a tenant's administrator.
pub(crate) const ADMIN: Access = Access::Tenant(TokenScope::Admin);

/// A token of an administrator of all tenants.
pub(crate) const INSTALLATION_ADMIN: Access = Access::Installation(TokenScope::Admin);

impl Access {
    /// The scope that a token needs.
    pub(crate) fn scope(self) -> Option<TokenScope> {
        match self {
            Self::Anyone => None,
            Self::Tenant(scope) | Self::Installation(scope) => Some(scope),
        }
    }
}
