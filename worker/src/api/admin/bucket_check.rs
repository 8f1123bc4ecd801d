//! `POST …/admin/bucket-check?part=NAME`: whether the bucket keeps what Pilotlight needs of one.

use worker::{Request, Response};

use crate::auth::access::INSTALLATION_ADMIN;
use crate::bucket::AnyBucket;
use crate::bucket::contract::{self, Part};
use crate::http::endpoint::{Endpoint, Installation};
use crate::http::parameters::Parameters;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::of_installation(
    "POST",
    "/api/v1/admin/bucket-check",
    INSTALLATION_ADMIN,
    |request, installation| Box::pin(check(request, installation)),
)];

/// What is checked when nothing is named: all but the part that writes a thousand objects.
const USUAL: [Part; 3] = [Part::Objects, Part::Conditions, Part::Lists];

/// The status is 200 whatever is found.
async fn check(request: &Request, installation: &Installation) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let parts = match parameters.get("part") {
        None => USUAL.to_vec(),
        Some(name) => vec![part(name)?],
    };
    let bucket = AnyBucket::open(&installation.env)?;
    let report = contract::check(&bucket, clock::random(), &parts).await;
    Ok(Response::from_json(&report)?)
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
}
