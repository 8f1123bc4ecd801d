//! What a shard is asked, and how it answers: the same over a stub and within a test.

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;

/// The calls of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TenantRpc {
    /// Stores chunks.
    Append,
    /// Gives a page of the catalog.
    Catalog,
    /// Tells from when to when there are profiles.
    ProfileTimes,
    /// Leases a compaction job.
    Lease,
    /// Replaces a job's sources by its output.
    Commit,
    /// Ends a job that came to nothing.
    Fail,
    /// Tells what a visit is to do before any job.
    BeginVisit,
    /// Tells what visits did and what is due.
    VisitState,
    /// Notes that they are deleted.
    Forget,
    /// Begins a publication of the catalog.
    BeginPublication,
    /// Takes note of the days of the catalog that are in the bucket.
    DaysFound,
    /// Gives a page of what is published.
    OfDay,
    /// Ends a publication.
    EndPublication,
    /// Does what an operator wants: an [`crate::tenant::AdminCommand`].
    AdminCommand,
    /// Leases the catalog to one who rebuilds it.
    BeginRebuild,
    /// Replaces the catalog.
    ReplaceCatalog,
    /// Tells which names no row has.
    Unknown,
    /// Notes that a sweep is done.
    EndSweep,
    /// Does nothing but take along what the caller used.
    Book,
    /// Tells what was used this month.
    Month,
}

const PATHS: [(TenantRpc, &str); 20] = [
    (TenantRpc::Append, "/append"),
    (TenantRpc::Catalog, "/catalog"),
    (TenantRpc::ProfileTimes, "/catalog/times"),
    (TenantRpc::Lease, "/compaction/lease"),
    (TenantRpc::Commit, "/compaction/commit"),
    (TenantRpc::Fail, "/compaction/fail"),
    (TenantRpc::BeginVisit, "/visit/begin"),
    (TenantRpc::VisitState, "/visit/state"),
    (TenantRpc::Forget, "/compaction/forget"),
    (TenantRpc::BeginPublication, "/publication/begin"),
    (TenantRpc::DaysFound, "/publication/found"),
    (TenantRpc::OfDay, "/publication/day"),
    (TenantRpc::EndPublication, "/publication/end"),
    (TenantRpc::AdminCommand, "/order"),
    (TenantRpc::BeginRebuild, "/rebuild/begin"),
    (TenantRpc::ReplaceCatalog, "/rebuild/replace"),
    (TenantRpc::Unknown, "/sweep/unknown"),
    (TenantRpc::EndSweep, "/sweep/end"),
    (TenantRpc::Book, "/usage/book"),
    (TenantRpc::Month, "/usage/month"),
];

impl TenantRpc {
    /// The path of its request.
    pub(crate) fn path(self) -> &'static str {
        PATHS
            .iter()
            .find(|(call, _)| *call == self)
            .map_or("/", |(_, path)| path)
    }

    /// The call of a path.
    pub(in crate::tenant) fn of(path: &str) -> Option<Self> {
        PATHS
            .iter()
            .find(|(_, p)| *p == path)
            .map(|(call, _)| *call)
    }
}

/// What became of a push that is answered with success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Appended {
    /// It is stored.
    Stored,
    /// It repeats a push of the last minutes, and nothing was stored for it.
    Repeated,
}

/// An answer as it goes over the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Seconds.
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Vec<u8>,
}

impl From<Result<Vec<u8>, Problem>> for Reply {
    fn from(outcome: Result<Vec<u8>, Problem>) -> Self {
        match outcome {
            Ok(body) => Self {
                status: 200,
                retry_after: None,
                body,
            },
            Err(problem) => {
                let body = serde_json::to_vec(&problem).unwrap_or_default();
                Self {
                    status: problem.status,
                    retry_after: problem.retry_after,
                    body,
                }
            }
        }
    }
}

impl Reply {
    /// What it says, on the other side.
    pub(in crate::tenant) fn outcome(self) -> Result<Vec<u8>, Problem> {
        let Self {
            status,
            retry_after,
            body,
        } = self;
        if status < 400 {
            return Ok(body);
        }
        Err(match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Problem {
                status,
                retry_after,
                ..problem
            },
            Err(error) => Problem::unavailable(format!("the shard returned {status}: {error}")),
        })
    }
}

/// A line to one of a tenant's shards.
pub(crate) trait Transport {
    /// Asks and waits for the answer.
    async fn call(&self, call: TenantRpc, body: &[u8]) -> Result<Reply, Problem>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_path() {
        for (call, path) in PATHS {
            assert_eq!((call.path(), TenantRpc::of(path)), (path, Some(call)));
        }
        assert_eq!(TenantRpc::of("/"), None);
    }

    #[test]
    fn problems_go_over_the_line() {
        for problem in [
            Problem::overloaded("full"),
            Problem::new(409, "aborted", "stale"),
        ] {
            assert_eq!(Reply::from(Err(problem.clone())).outcome(), Err(problem));
        }
        assert_eq!(Reply::from(Ok(vec![1, 2])).outcome(), Ok(vec![1, 2]));
        let broken = Reply {
            status: 500,
            retry_after: None,
            body: b"<html>".to_vec(),
        };
        assert_eq!(broken.outcome().unwrap_err().status, 503);
    }
}
