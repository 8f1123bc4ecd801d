//! Calls for an operator.

use std::collections::BTreeMap;

use worker::{Env, Request, Response};

use crate::bucket::AnyBucket;
use crate::bucket::contract::{self, Part};
use crate::clock;
use crate::errors::Problem;
use crate::parameters::Parameters;
use crate::rebuild;
use crate::scope::Scope;

/// What is checked when nothing is named: all but the part that writes a thousand objects.
const USUAL: [Part; 3] = [Part::Objects, Part::Conditions, Part::Lists];

/// `POST …/api/v1/admin/bucket-check?part=NAME`: whether the bucket keeps what Pilotlight needs of one. The status is 200
/// whatever is found.
pub(crate) async fn bucket_check(request: &Request, env: &Env) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let parts = match parameters.get("part") {
        None => USUAL.to_vec(),
        Some(name) => vec![part(name)?],
    };
    let report = contract::check(&AnyBucket::open(env)?, clock::random(), &parts).await;
    Ok(Response::from_json(&report)?)
}

/// `POST …/api/v1/admin/rebuild`: the catalogs of all of a tenant's objects anew, from what is in the bucket.
pub(crate) async fn rebuild(scope: &Scope) -> Result<Response, Problem> {
    let (bucket, mut reports) = (scope.bucket()?, BTreeMap::new());
    for shard in scope.names() {
        let report = rebuild::rebuild(&bucket, &scope.shard(&shard)?, &shard).await?;
        reports.insert(shard.to_string(), report);
    }
    Ok(Response::from_json(&reports)?)
}

fn part(name: &str) -> Result<Part, Problem> {
    let found = Part::ALL.into_iter().find(|part| part.name() == name);
    found.ok_or_else(|| {
        let names = Part::ALL.map(Part::name).join(", ");
        Problem::invalid(format!("part {name:?} is none of {names}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_name() {
        assert_eq!(part("conditions"), Ok(Part::Conditions));
        let problem = part("all").unwrap_err();
        assert_eq!(problem.message, "part \"all\" is none of objects, conditions, lists, pages");
    }
}
