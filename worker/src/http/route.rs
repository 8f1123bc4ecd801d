//! From method and path to what is wanted. A path may stand under any prefix, since agents and
//! proxies add their own.

mod rpc;
mod services;
mod table;
mod wanted;

use crate::platform::errors::Problem;
pub(crate) use rpc::Rpc;
pub(crate) use services::{AdHocCall, ServiceCall, SettingsCall};
use table::ROUTES;
pub(crate) use wanted::{
    Admin, AnnotationsCall, ExplainCall, LimitsCall, OfTenant, PinsCall, ReportCall, Route,
    ShareCall, SymbolsCall, Tokens,
};

/// What the name of a service stands behind.
pub(crate) const PGO: &str = "/pgo/";

/// The route of a request, or what to answer instead.
pub(crate) fn route(method: &str, path: &str) -> Result<Route, Problem> {
    let of_service = path.rsplit_once(PGO).filter(|_| is_read(method));
    // A service may be called like a route.
    if of_service.is_some_and(|(_, service)| !service.contains('/')) {
        return Ok(Route::OfTenant(OfTenant::Pgo));
    }
    let of_path: Vec<_> = ROUTES
        .iter()
        .filter(|(suffix, ..)| path.ends_with(suffix))
        .collect();
    if !of_path.is_empty() {
        let same = |expected: &str| expected == method || (expected == "GET" && is_read(method));
        let found = of_path.iter().find(|(_, expected, _)| same(expected));
        let expected = || {
            of_path
                .iter()
                .map(|(_, expected, _)| *expected)
                .collect::<Vec<_>>()
                .join(" or ")
        };
        return found
            .map(|(.., route)| *route)
            .ok_or_else(|| wrong_method(method, &expected(), path));
    }
    if method == "POST" && path.contains("/debuginfo.v1alpha1.DebuginfoService/Upload/") {
        return Ok(Route::OfTenant(OfTenant::DebugInfoUpload));
    }
    if let Some(rpc) = Rpc::of(path) {
        return match method {
            "POST" => Ok(Route::OfTenant(OfTenant::Rpc(rpc))),
            _ => Err(wrong_method(method, "POST", path)),
        };
    }
    if let Some((_, id)) = path.split_once("/api/v1/shares/") {
        return share(method, path, id);
    }
    let mut segments = path.rsplit('/');
    let (call, service) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
    if let Some(call) = services::call(service, call) {
        return match method {
            "POST" => Ok(Route::OfTenant(OfTenant::Service(call))),
            _ => Err(wrong_method(method, "POST", path)),
        };
    }
    if services::is_call(service, call) {
        return Err(Problem::unimplemented(format!(
            "{service}/{call} is not implemented"
        )));
    }
    // Some proxies decode the slashes of a name.
    if path.contains(PGO) {
        return of_service
            .map(|_| Route::OfTenant(OfTenant::Pgo))
            .ok_or_else(|| wrong_method(method, "GET", path));
    }
    // The files of the site are served before a request comes here.
    let mut message = format!("there is nothing at {method} {path}");
    if path.contains("/api/v1/") {
        message += "; /api/v1/openapi.json says what reports there are";
    }
    Err(Problem::not_found(message))
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

/// A call about one share. What is no id is nobody's name in the bucket.
fn share(method: &str, path: &str, id: &str) -> Result<Route, Problem> {
    let id = id.parse().map_err(Problem::invalid)?;
    let call = match method {
        "GET" | "HEAD" => ShareCall::Read(id),
        "DELETE" => ShareCall::Delete(id),
        _ => return Err(wrong_method(method, "GET or DELETE", path)),
    };
    Ok(Route::OfTenant(OfTenant::Share(call)))
}

fn wrong_method(method: &str, expected: &str, path: &str) -> Problem {
    Problem::new(
        405,
        "unimplemented",
        format!("{path} takes {expected}, not {method}"),
    )
}

#[cfg(test)]
mod tests;
