//! Calls for an operator.

use std::collections::BTreeMap;

use pilotlight_core::{
    Selector, TYPE_LABELS,
    store::{TenantId, catalog_prefix, shares_prefix, symbols_prefix},
};
use serde::Serialize;
use worker::{Env, Request, Response};

use crate::api::annotations::annotations_key;
use crate::api::maintenance::maintenance;
use crate::api::pyroscope::settings_key;
use crate::bucket::contract::{self, Part};
use crate::bucket::{AnyBucket, Bucket, List, MAX_PAGE, list_all};
use crate::http::body;
use crate::http::parameters::Parameters;
use crate::http::route::Admin;
use crate::http::scope::Scope;
use crate::maintenance::rebuild;
use crate::meter::Discarded;
use crate::platform::Edge;
use crate::platform::admission::Admission;
use crate::platform::clock;
use crate::platform::config::Retention;
use crate::platform::errors::Problem;
use crate::tenant::{
    AdminCommand, DeletionRequest, OwnRetention, Parked, PendingDeletion, StartedDeletion,
    TenantShards, Transport, change_retention, own_retention, retention_key,
};

/// Most bytes of a body: one kilobyte, many times what two numbers take.
const MAX_REQUEST: usize = 1 << 10;

/// Most times that up to a thousand objects are deleted in one call: 24. Each takes three requests,
/// or two and one for each of at most 32 shards of a tenant; a worker may make 1,000 in one
/// invocation, so with many objects a call may have to be repeated.
const MAX_ROUNDS: usize = 24;

/// How long an object may be in the bucket before its row is written: 15 minutes, as long as an
/// invocation lives.
const YOUNG_MILLIS: i64 = 15 * 60_000;

/// What is checked when nothing is named: all but the part that writes a thousand objects.
const USUAL: [Part; 3] = [Part::Objects, Part::Conditions, Part::Lists];

/// `POST …/api/v1/admin/bucket-check?part=NAME`: whether the bucket keeps what Pilotlight needs of
/// one. The status is 200 whatever is found.
pub(crate) async fn bucket_check(request: &Request, env: &Env) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let parts = match parameters.get("part") {
        None => USUAL.to_vec(),
        Some(name) => vec![part(name)?],
    };
    let report = contract::check(&AnyBucket::open(env)?, clock::random(), &parts).await;
    Ok(Response::from_json(&report)?)
}

/// Calls about a tenant.
///
/// | call | answer |
/// |---|---|
/// | `GET …/admin/retention` | `{"raw_days","sums_days","own"}` |
/// | `PUT …/admin/retention` with `{"raw_days","sums_days"}` or `null` | the same |
/// | `GET …/admin/parked` | `{"parked":[{"key","size","level","failures","error"}]}` |
/// | `POST …/admin/parked/retry` | `{"retried":n}` |
/// | `GET …/admin/refusals` | `{"refusals":[{"reason","count","last_millis","last_message"}]}` |
/// | `GET …/admin/maintenance` | `{"shards":[{"shard","visited_millis","duties":[{"duty","last","is_due"}]}]}` |
/// | `DELETE …/admin/tenant` | `{"deleted":n,"left":n}` |
/// | `DELETE …/admin/profiles?query&from&until` | `{"objects":n,"sums_kept":n}` |
/// | `GET …/admin/deletions` | `{"deletions":[{"query","from","until","left","parked"}]}` |
pub(crate) async fn call(
    call: Admin,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let (shards, bucket, tenant) = (scope.shards()?, scope.bucket()?, scope.tenant());
    let effective = |own: OwnRetention| EffectiveRetention {
        retention: own.retention.unwrap_or(scope.config().retention),
        own: own.retention.is_some(),
    };
    let answer = match call {
        Admin::Retention => Response::from_json(&effective(own_retention(&bucket, tenant).await?)),
        Admin::SetRetention => {
            let body = body::read(request, MAX_REQUEST).await?;
            let own: Option<Retention> = serde_json::from_slice(&body).map_err(|error| {
                Problem::invalid(format!(
                    "the body is neither {{\"raw_days\",\"sums_days\"}} nor null: {error}"
                ))
            })?;
            let set = |kept: &mut OwnRetention| kept.set(own);
            let now = clock::now_millis;
            Response::from_json(&effective(
                change_retention(&bucket, tenant, now, set).await?,
            ))
        }
        Admin::Parked => Response::from_json(&ParkedAnswer {
            parked: parked(&shards).await?,
        }),
        Admin::DeleteTenant => {
            let now = clock::now_millis();
            Response::from_json(&delete_tenant(&bucket, &shards, tenant, now).await?)
        }
        Admin::DeleteProfiles => {
            Response::from_json(&delete_profiles(&shards, wanted(&Parameters::of(request))?).await?)
        }
        Admin::Deletions => Response::from_json(&DeletionsAnswer {
            deletions: deletions(&shards).await?,
        }),
        Admin::Refusals => Response::from_json(&DiscardsAnswer {
            refusals: discarded(&shards).await?,
        }),
        Admin::Maintenance => Response::from_json(&maintenance(scope).await?),
        Admin::RetryParked => Response::from_json(&RetriedAnswer {
            retried: retry_parked(&shards).await?,
        }),
    };
    Ok(answer?)
}

/// How long a tenant's profiles are kept.
#[derive(Serialize)]
struct EffectiveRetention {
    #[serde(flatten)]
    retention: Retention,
    /// Whether that is the tenant's own retention and not the configured one.
    own: bool,
}

#[derive(Serialize)]
struct ParkedAnswer {
    parked: Vec<Parked>,
}

#[derive(Serialize)]
struct DeletionsAnswer {
    deletions: Vec<PendingDeletion>,
}

#[derive(Serialize)]
struct DiscardsAnswer {
    refusals: Vec<Discarded>,
}

#[derive(Serialize)]
struct RetriedAnswer {
    retried: u64,
}

pub(crate) async fn parked<T: Transport>(shards: &TenantShards<T>) -> Result<Vec<Parked>, Problem> {
    let mut all = Vec::new();
    for client in shards.each() {
        all.extend(client.order::<Vec<Parked>>(&AdminCommand::Parked).await?);
    }
    Ok(all)
}

/// Why pushes were discarded; only the first object has it.
async fn discarded<T: Transport>(shards: &TenantShards<T>) -> Result<Vec<Discarded>, Problem> {
    match shards.each().first() {
        Some(first) => first.order(&AdminCommand::Discarded).await,
        None => Ok(Vec::new()),
    }
}

pub(crate) async fn retry_parked<T: Transport>(shards: &TenantShards<T>) -> Result<u64, Problem> {
    let mut sum = 0;
    for client in shards.each() {
        sum += client.order::<u64>(&AdminCommand::RetryParked).await?;
    }
    Ok(sum)
}

/// What the parameters name. Elsewhere a range that is left away means the last hour; here it has
/// to be written out.
fn wanted(parameters: &Parameters) -> Result<DeletionRequest, Problem> {
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
    wanted: DeletionRequest,
) -> Result<StartedDeletion, Problem> {
    let (mut begun, order) = (
        StartedDeletion::default(),
        AdminCommand::DeleteProfiles(wanted),
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

/// What came of the deletion of a tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Deleted {
    /// Objects deleted by this call.
    deleted: u64,
    /// Objects that are still there: the schedule deletes them, or another call.
    pub(crate) left: u64,
}

/// Deletes everything of a tenant that is stored by now. From the first step on nothing of it is in
/// any answer.
///
/// Then all that the catalogs know is deleted, and what the bucket has beyond that unless it is so
/// young that its row may be yet to come. What is pushed meanwhile stays. A push that was stored
/// before is stored again. What was used this month remains to be paid for.
pub(crate) async fn delete_tenant<T: Transport>(
    bucket: &impl Bucket,
    shards: &TenantShards<T>,
    tenant: &TenantId,
    now: i64,
) -> Result<Deleted, Problem> {
    let mut outcome = Deleted::default();
    for client in shards.each() {
        client.order::<()>(&AdminCommand::DeleteAll).await?;
    }
    // First, so that nobody looks for what the days of the catalog name.
    for (number, _) in (0..).zip(shards.each()) {
        delete_all(bucket, &catalog_prefix(tenant, number)).await?;
    }
    // Shares and symbol tables have no rows that may be yet to come.
    for prefix in [shares_prefix(tenant), symbols_prefix(tenant)] {
        outcome.deleted += delete_all(bucket, &prefix).await?;
    }
    let records = [settings_key, annotations_key, retention_key].map(|key| key(tenant));
    bucket.delete(&records).await?;
    let mut rounds = 0;
    for client in shards.each() {
        loop {
            let keys = client.begin_visit().await?.keys;
            if keys.is_empty() || rounds == MAX_ROUNDS {
                break;
            }
            bucket.delete(&keys).await?;
            client.forget(&keys).await?;
            outcome.deleted += keys.len() as u64;
            rounds += 1;
        }
        outcome.left += client.order::<u64>(&AdminCommand::Left).await?;
    }
    let (prefix, mut after) = (format!("t/{tenant}/"), None::<String>);
    while rounds < MAX_ROUNDS {
        let page = bucket
            .list(List {
                prefix: &prefix,
                delimiter: None,
                after: after.as_deref(),
            })
            .await?;
        let mut keys = Vec::new();
        for object in page.objects {
            if now.saturating_sub(object.uploaded_millis) > YOUNG_MILLIS {
                keys.push(object.key)
            } else {
                outcome.left += 1
            }
        }
        for client in shards.each() {
            keys = client.order(&AdminCommand::Unknown(keys)).await?;
        }
        if !keys.is_empty() {
            bucket.delete(&keys).await?;
        }
        outcome.deleted += keys.len() as u64;
        (rounds, after) = (rounds + 1, page.next);
        if after.is_none() {
            return Ok(outcome);
        }
    }
    // At least one more: the list has not been seen to its end.
    Ok(Deleted {
        left: outcome.left.max(1),
        ..outcome
    })
}

/// Deletes all objects whose names begin so; gives their number.
async fn delete_all(bucket: &impl Bucket, prefix: &str) -> Result<u64, Problem> {
    let listed = list_all(bucket, prefix).await?;
    let keys: Vec<String> = listed.into_iter().map(|listed| listed.key).collect();
    for keys in keys.chunks(MAX_PAGE) {
        bucket.delete(keys).await?;
    }
    Ok(keys.len() as u64)
}

/// `POST …/api/v1/admin/rebuild`: the catalogs of all of a tenant's shards anew, from what is in
/// the bucket.
pub(crate) async fn rebuild(scope: &Scope) -> Result<Response, Problem> {
    let (bucket, mut reports) = (scope.bucket()?, BTreeMap::new());
    for shard in scope.names() {
        let report =
            rebuild::rebuild(&bucket, &scope.shard(&shard)?, &shard, &Admission(Edge)).await?;
        reports.insert(shard.to_string(), report);
    }
    Ok(Response::from_json(&reports)?)
}

fn part(name: &str) -> Result<Part, Problem> {
    let found = Part::ALL.into_iter().find(|part| part.name() == name);
    found.ok_or_else(|| {
        let names = Part::ALL.map(Part::name).join(", ");
        Problem::invalid(format!("unknown part {name:?}; expected one of {names}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_name() {
        assert_eq!(part("conditions"), Ok(Part::Conditions));
        let problem = part("all").unwrap_err();
        assert_eq!(
            problem.message,
            "unknown part \"all\"; expected one of objects, conditions, lists, pages"
        );
    }

    #[test]
    fn a_deletion_names_labels_that_there_are() {
        let wanted = |query: &str| {
            let query = form_urlencoded::Serializer::new(String::new())
                .append_pair("query", query)
                .finish();
            wanted(&Parameters::parse(
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
                wanted(query).map(|wanted| wanted.query),
                Ok(query.to_owned())
            );
        }
        for query in [
            r#"{__foo__!="x"}"#,
            r#"{a="b",__session_id__=""}"#,
            r#"{"__delta__"!~"x"}"#,
        ] {
            let problem = wanted(query).unwrap_err();
            assert_eq!(problem.status, 400);
            assert!(
                problem
                    .message
                    .starts_with("no profile has the reserved label __"),
                "{}",
                problem.message
            );
        }
        assert_eq!(wanted(r#"{k!="a\.b"}"#).unwrap_err().status, 400);
        assert_eq!(
            wanted(" \t").unwrap_err().message,
            "the query is empty; {} selects everything"
        );
    }
}
