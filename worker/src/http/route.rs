//! Routing: method and path to an [`Endpoint`].

mod unknown_call;

use crate::http::endpoint::{Endpoint, Rest};
use crate::platform::errors::Problem;

/// The endpoint of a request among these lists, or what to answer instead.
pub(crate) fn route(
    endpoints: &[&'static [Endpoint]],
    method: &str,
    path: &str,
) -> Result<&'static Endpoint, Problem> {
    let all = || endpoints.iter().copied().flatten();
    // A service may be called like another endpoint.
    if let Some(found) = all().find(|of| of.serves(method) && ends_with_service(of, path)) {
        return Ok(found);
    }
    let whole = || all().filter(|of| matches!(of.rest, Rest::Nothing) && path.ends_with(of.path));
    // Any prefix is allowed, so /prometheus/api/v1/series also ends like /api/v1/series: the
    // longest path is meant.
    let longest = whole().map(|of| of.path.len()).max();
    let whole = whole().filter(|of| Some(of.path.len()) == longest);
    if let Some(found) = chosen(whole, method, path) {
        return found;
    }
    let any_id = |of: &&Endpoint| matches!(of.rest, Rest::AnyId) && path.contains(of.path);
    if let Some(found) = all().filter(any_id).find(|of| of.serves(method)) {
        return Ok(found);
    }
    let mut of_id = Vec::new();
    for endpoint in all() {
        if let (Rest::Id(check), Some((_, id))) = (endpoint.rest, path.split_once(endpoint.path)) {
            check(id)?;
            of_id.push(endpoint);
        }
    }
    if let Some(found) = chosen(of_id.into_iter(), method, path) {
        return found;
    }
    if let Some(call) = unknown_call::name(path) {
        return Err(Problem::unimplemented(format!("{call} is not implemented")));
    }
    // Some proxies decode the slashes of a name.
    let service = all().filter(|of| matches!(of.rest, Rest::Service) && path.contains(of.path));
    if let Some(found) = chosen(service, method, path) {
        return found;
    }
    // The files of the site are served before a request comes here.
    let mut message = format!("no such path: {method} {path}");
    if path.contains("/api/v1/") {
        message += "; /api/v1/openapi.json lists the paths under /api/v1/";
    }
    Err(Problem::not_found(message))
}

fn ends_with_service(endpoint: &Endpoint, path: &str) -> bool {
    let service = path.rsplit_once(endpoint.path);
    matches!(endpoint.rest, Rest::Service) && service.is_some_and(|(_, name)| !name.contains('/'))
}

/// The one with a method among endpoints of one path; `None` when there are none at all.
fn chosen(
    at_path: impl Iterator<Item = &'static Endpoint>,
    method: &str,
    path: &str,
) -> Option<Result<&'static Endpoint, Problem>> {
    let at_path: Vec<_> = at_path.collect();
    if let Some(found) = at_path.iter().copied().find(|of| of.serves(method)) {
        return Some(Ok(found));
    }
    let methods: Vec<_> = at_path.iter().map(|of| of.method).collect();
    (!methods.is_empty()).then(|| {
        let message = format!("{path} accepts {}, not {method}", methods.join(" or "));
        Err(Problem::new(405, "unimplemented", message))
    })
}

#[cfg(test)]
mod tests;
