//! What was refused, counted by reason.

use std::cell::Cell;

use crate::platform::errors::Problem;

/// Why a request was refused before anything was read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// No token is shown.
    Missing,
    /// What is shown is no token.
    Malformed,
    /// No record has the token.
    Unknown,
    /// The token's time is over.
    Expired,
    /// The token was revoked.
    Revoked,
    /// The token does not allow this kind of call.
    Scope,
    /// The token is for another tenant.
    Tenant,
    /// A page of another site wants to change something.
    Origin,
    /// A worker without tokens is asked under a name that nobody allowed.
    Host,
    /// There is no such path, or it does not take this method.
    Route,
}

impl Reason {
    /// All, in order.
    pub(crate) const ALL: [Self; 10] = [
        Self::Missing,
        Self::Malformed,
        Self::Unknown,
        Self::Expired,
        Self::Revoked,
        Self::Scope,
        Self::Tenant,
        Self::Origin,
        Self::Host,
        Self::Route,
    ];

    /// Its name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::Scope => "scope",
            Self::Tenant => "tenant",
            Self::Origin => "origin",
            Self::Host => "host",
            Self::Route => "route",
        }
    }
}

/// How often each reason applied, in this isolate: a refusal costs no request to anything that keeps
/// counts.
#[derive(Default)]
pub(crate) struct Refusals(Cell<[u64; Reason::ALL.len()]>);

impl Refusals {
    /// Counts a refusal.
    pub(crate) fn count(&self, reason: Reason) {
        let mut counts = self.0.get();
        counts[reason as usize] += 1;
        self.0.set(counts);
    }

    /// Counts a refusal and gives what it is answered with.
    pub(crate) fn counted(&self, (reason, problem): (Reason, Problem)) -> Problem {
        self.count(reason);
        problem
    }

    /// The count of each reason.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().zip(self.0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_count() {
        let refusals = Refusals::default();
        for (times, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, times);
            (0..times).for_each(|_| refusals.count(reason));
        }
        assert!(refusals.counts().map(|(_, count)| count).eq(0..10));
    }
}
