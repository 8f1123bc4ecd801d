//! Whose data a request is about.

use pilotlight_core::store::Tenant as TenantId;

use crate::platform::config::Config;
use crate::platform::errors::Problem;

/// The tenant that a request's `X-Scope-OrgID` names, or `anonymous` where there is but one.
pub(crate) fn tenant(config: &Config, header: Option<&str>) -> Result<TenantId, Problem> {
    if !config.multitenancy {
        return Ok(TenantId::anonymous());
    }
    match header.map(str::trim) {
        None | Some("") => Err(Problem::new(
            401,
            "unauthenticated",
            "the header X-Scope-OrgID is missing",
        )),
        Some(id) => id.parse().map_err(Problem::invalid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(multitenancy: bool, header: Option<&str>, expect: Result<&str, u16>) {
        let config = Config {
            multitenancy,
            ..Config::parse(|_| None).unwrap()
        };
        let found = tenant(&config, header)
            .map(|t| t.to_string())
            .map_err(|p| p.status);
        assert_eq!(found, expect.map(str::to_owned), "{header:?}");
    }

    #[test]
    fn one_or_many() {
        check(false, Some("t1"), Ok("anonymous"));
        check(false, Some("../"), Ok("anonymous"));
        check(true, Some(" t1 "), Ok("t1"));
        check(true, None, Err(401));
        check(true, Some(""), Err(401));
        check(true, Some("a/b"), Err(400));
        check(true, Some(".."), Err(400));
    }
}
