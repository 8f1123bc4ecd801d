//! Deletions of profiles.
//!
//! | call | answer |
//! |---|---|
//! | `DELETE …/admin/profiles?query&from&until` | `{"objects":n,"sums_kept":n}` |
//! | `GET …/admin/deletions` | `{"deletions":[{"query","from","until","left","parked"}]}` |

use pilotlight_core::{Selector, TYPE_LABELS};
use serde::Serialize;
use worker::{Request, Response};

use crate::auth::access::ADMIN;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::tenant::{
    AdminCommand, DeletionRequest, PendingDeletion, StartedDeletion, TenantShards, Transport,
};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::delete("/api/v1/admin/profiles", ADMIN, |request, scope| {
        Box::pin(delete(request, scope))
    }),
    Endpoint::get("/api/v1/admin/deletions", ADMIN, |_, scope| {
        Box::pin(list(scope))
    }),
];

#[derive(Serialize)]
struct DeletionsAnswer {
    deletions: Vec<PendingDeletion>,
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let request = deletion(&Parameters::of(request))?;
    let started = delete_profiles(&scope.shards()?, request).await?;
    Ok(Response::from_json(&started)?)
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    let deletions = deletions(&scope.shards()?).await?;
    Ok(Response::from_json(&DeletionsAnswer { deletions })?)
}

/// What the parameters name. Elsewhere a range that is left away means the last hour; here it has
/// to be written out.
fn deletion(parameters: &Parameters) -> Result<DeletionRequest, Problem> {
    let query = parameters.required("query")?.to_owned();
    if query.trim().is_empty() {
        return Err(Problem::invalid(
            "the query is empty; {} selects everything",
        ));
    }
    if let Some(label) = Selector::parse(&query)
        .map_err(Problem::invalid)?
        .unknown_label()
    {
        // As in a query such a label would be empty, and {__x__!="y"} everything that there is.
        let known = TYPE_LABELS.join(", ");
        return Err(Problem::invalid(format!(
            "no profile has the reserved label {label}; the reserved labels are {known}"
        )));
    }
    parameters
        .required("from")
        .and(parameters.required("until"))?;
    let range = parameters.range_millis()?;
    Ok(DeletionRequest {
        query,
        from: range.from.millis(),
        until: range.until.millis(),
    })
}

/// Begins a deletion in every shard of a tenant. Queries may show what is deleted until the
/// schedule has rewritten the objects that hold it; new sums are made after that.
pub(crate) async fn delete_profiles<T: Transport>(
    shards: &TenantShards<T>,
    request: DeletionRequest,
) -> Result<StartedDeletion, Problem> {
    let (mut begun, order) = (
        StartedDeletion::default(),
        AdminCommand::DeleteProfiles(request),
    );
    for client in shards.each() {
        let of_one: StartedDeletion = client.order(&order).await?;
        begun.objects += of_one.objects;
        begun.sums_kept += of_one.sums_kept;
    }
    Ok(begun)
}

pub(crate) async fn deletions<T: Transport>(
    shards: &TenantShards<T>,
) -> Result<Vec<PendingDeletion>, Problem> {
    let mut all = Vec::new();
    for client in shards.each() {
        all.extend(
            client
                .order::<Vec<PendingDeletion>>(&AdminCommand::Deletions)
                .await?,
        );
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_names_labels_that_there_are() {
        let deletion = |query: &str| {
            let query = form_urlencoded::Serializer::new(String::new())
                .append_pair("query", query)
                .finish();
            super::deletion(&Parameters::parse(
                &format!("{query}&from=1&until=2"),
                pilotlight_core::UnixNanos(0),
            ))
        };
        for query in [
            "{}",
            r#"{__type__!="cpu"}"#,
            r#"{none="x"}"#,
            r#"{_x!="y"}"#,
        ] {
            assert_eq!(
                deletion(query).map(|deletion| deletion.query),
                Ok(query.to_owned())
            );
        }
        for query in [
            r#"{__foo__!="x"}"#,
            r#"{a="b",__session_id__=""}"#,
            r#"{"__delta__"!~"x"}"#,
        ] {
            let problem = deletion(query).unwrap_err();
            assert_eq!(problem.status, 400);
            assert!(
                problem
                    .message
                    .starts_with("no profile has the reserved label __"),
                "{}",
                problem.message
            );
        }
        assert_eq!(deletion(r#"{k!="a\.b"}"#).unwrap_err().status, 400);
        assert_eq!(
            deletion(" \t").unwrap_err().message,
            "the query is empty; {} selects everything"
        );
    }
}
