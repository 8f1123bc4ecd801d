//! What each route asks of its caller: exactly one answer a route, which the compiler checks.

use pilotlight_core::access::TokenScope;

use crate::http::route::{AnnotationsCall, LimitsCall, OfTenant, PinsCall, Route, SymbolsCall};

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody: the answer says nothing about anyone.
    Anyone,
    /// A token with this scope, about the data of its tenant.
    Tenant(TokenScope),
    /// A token of all tenants with this scope: the answer is about the whole installation.
    Installation(TokenScope),
}

impl Route {
    /// What this route asks for.
    pub(crate) fn access(self) -> Access {
        match self {
            Self::Health | Self::Ready | Self::Openapi => Access::Anyone,
            Self::BucketCheck => Access::Installation(TokenScope::Admin),
            // Prometheus reads; it needs no right to delete.
            Self::Metrics => Access::Installation(TokenScope::Read),
            Self::Tokens(_) => Access::Tenant(TokenScope::Admin),
            // Limits keep a tenant from taking what others need, so it does not choose its own.
            Self::OfTenant(OfTenant::Limits(LimitsCall::Set | LimitsCall::Reset)) => {
                Access::Installation(TokenScope::Admin)
            }
            Self::OfTenant(route) => Access::Tenant(route.scope()),
        }
    }
}

impl OfTenant {
    /// Which scope a token needs for a call.
    pub(crate) fn scope(self) -> TokenScope {
        match self {
            Self::Ingest
            | Self::Push
            | Self::OtlpExport
            | Self::ShouldInitiateUpload
            | Self::DebugInfoUpload
            // A deploy job has the token that its service pushes with.
            | Self::Annotations(AnnotationsCall::Create)
            // Who may push profiles may name what is in them.
            | Self::Symbols(SymbolsCall::Store | SymbolsCall::Delete) => TokenScope::Push,
            Self::Report(_)
            | Self::Mcp
            | Self::Timeline
            | Self::Profile
            | Self::Export
            | Self::Render
            | Self::RenderDiff
            | Self::LabelValues
            | Self::Pgo
            | Self::Rpc(_)
            | Self::Annotations(AnnotationsCall::List | AnnotationsCall::Delete)
            | Self::Share(_)
            | Self::Symbols(SymbolsCall::List)
            // Keeping costs little, and is bounded.
            | Self::Pins(PinsCall::List | PinsCall::Create)
            | Self::Source
            | Self::Explain(_) => TokenScope::Read,
            // Grafana has one token for all that it asks, and its pages keep their settings with it.
            Self::Service(_) => TokenScope::Read,
            // What a pin kept is gone within the hour.
            Self::Pins(PinsCall::Delete) | Self::Rebuild | Self::Admin(_) | Self::Limits(_) => {
                TokenScope::Admin
            }
        }
    }

    /// Whether it may be about several tenants: all that it reads are their profiles.
    pub(crate) fn takes_several_tenants(self) -> bool {
        matches!(
            self,
            Self::Report(_)
                | Self::Mcp
                | Self::Timeline
                | Self::Profile
                | Self::Render
                | Self::RenderDiff
                | Self::LabelValues
                | Self::Pgo
                | Self::Rpc(_)
        )
    }
}
