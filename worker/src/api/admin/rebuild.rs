//! `POST …/admin/rebuild`: the catalogs of all of a tenant's shards anew, from what is in the bucket.

use std::collections::BTreeMap;

use worker::Response;

use crate::auth::access::ADMIN;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::maintenance::rebuild;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::post(
    "/api/v1/admin/rebuild",
    ADMIN,
    |_, scope| Box::pin(rebuild(scope)),
)];

async fn rebuild(scope: &Scope) -> Result<Response, Problem> {
    let (bucket, mut reports) = (scope.bucket()?, BTreeMap::new());
    for shard in scope.names() {
        let report =
            rebuild::rebuild(&bucket, &scope.shard(&shard)?, &shard, &scope.admission()).await?;
        reports.insert(shard.to_string(), report);
    }
    Ok(Response::from_json(&reports)?)
}
