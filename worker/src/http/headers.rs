//! Headers that every answer carries, whatever it is.

use worker::{Headers, Response};

/// What a browser must not do with an answer: guess at its type, run or frame it, keep it, or tell
/// others where it was.
const GUARDS: [(&str, &str); 4] = [
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// What a page of another site may read beside the body.
const EXPOSED_HEADERS: &str = "retry-after, x-pilotlight-bytes, x-pilotlight-error-bound, x-pilotlight-folded, \
                               x-pilotlight-incomplete, x-pilotlight-millis, x-pilotlight-objects, x-pilotlight-profiles, \
                               x-pilotlight-push, x-pilotlight-rounded, x-pilotlight-saturated, \
                               x-pilotlight-warning";

/// Adds what every answer carries; `origin` is that of an allowed page of another site.
pub(crate) fn finish(response: Response, origin: Option<&str>) -> worker::Result<Response> {
    let headers = response.headers();
    for (name, value) in GUARDS {
        headers.set(name, value)?;
    }
    // Answers are of one caller. Only a share says itself that it may be kept.
    if headers.get("cache-control")?.is_none() {
        headers.set("cache-control", "no-store")?;
    }
    if let Some(origin) = origin {
        allow(headers, origin)?;
    }
    Ok(response)
}

fn allow(headers: &Headers, origin: &str) -> worker::Result<()> {
    headers.set("access-control-allow-origin", origin)?;
    headers.set("access-control-expose-headers", EXPOSED_HEADERS)?;
    headers.set("cross-origin-resource-policy", "cross-origin")?;
    headers.append("vary", "origin")
}
