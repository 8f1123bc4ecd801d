//! Whom a request comes from, and whose data it is about.

use pilotlight_core::access::{TokenRecord, TokenScope, TokenTenant};
use pilotlight_core::store::TenantId;

use crate::auth::access::Access;
use crate::auth::refusals::Reason;
use crate::platform::config::{Auth, Config};
use crate::platform::errors::Problem;

/// Most tenants that a query is about: 8. Each of their shards is asked for its catalog.
const MAX_TENANTS: usize = 8;

/// One who was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The record of the token; `None` without one, or with the first administrator's.
    pub(crate) id: Option<String>,
    /// Whose data it may touch.
    pub(crate) reach: TokenTenant,
    /// What it may do.
    pub(crate) scopes: Vec<TokenScope>,
    /// The user of Basic.
    pub(crate) user: Option<String>,
}

/// A refusal and the reason under which it counts.
pub(crate) type Refusal = (Reason, Problem);

impl Caller {
    /// One who may do everything: the first administrator, or anybody where `AUTH` is `open`.
    pub(crate) fn unrestricted() -> Self {
        Self {
            id: None,
            reach: TokenTenant::All,
            scopes: TokenScope::ALL.to_vec(),
            user: None,
        }
    }

    /// One who was not asked, and may do nothing else.
    pub(crate) fn unknown() -> Self {
        Self {
            scopes: Vec::new(),
            ..Self::unrestricted()
        }
    }

    pub(crate) fn of(record: &TokenRecord) -> Self {
        Self {
            id: Some(record.id.clone()),
            reach: record.tenant.clone(),
            scopes: record.scopes.clone(),
            user: None,
        }
    }

    /// The same with the user that it gave.
    pub(crate) fn named(self, user: Option<String>) -> Self {
        Self { user, ..self }
    }

    /// Whether this may use an endpoint.
    pub(crate) fn check(&self, access: Access) -> Result<(), Refusal> {
        let (wanted, whole) = match access {
            Access::Anyone => return Ok(()),
            Access::Tenant(scope) => (scope, false),
            Access::Installation(scope) => (scope, true),
        };
        if !self.scopes.contains(&wanted) {
            let message = format!("this token lacks the {} scope", wanted.name());
            return Err((Reason::Scope, forbidden(message)));
        }
        if whole && self.reach != TokenTenant::All {
            let message =
                "this call needs a token for all tenants, but this one is for a single tenant";
            return Err((Reason::Tenant, forbidden(message)));
        }
        Ok(())
    }

    /// The tenants that a request is about, each once: several are given as `a|b`, and each must be
    /// one that may be asked for alone.
    pub(crate) fn tenants(
        &self,
        config: &Config,
        header: Option<&str>,
    ) -> Result<Vec<TenantId>, Refusal> {
        let wrong = |message: String| (Reason::Tenant, Problem::invalid(message));
        let mut tenants = Vec::new();
        let several = header.filter(|ids| ids.contains('|'));
        for id in several.into_iter().flat_map(|ids| ids.split('|')) {
            if id.trim().is_empty() {
                let message = "X-Scope-OrgID contains an empty tenant ID next to a |";
                return Err(wrong(message.to_owned()));
            }
            let tenant = self.tenant(config, Some(id))?;
            if !tenants.contains(&tenant) {
                tenants.push(tenant);
            }
            if tenants.len() > MAX_TENANTS {
                let message =
                    format!("X-Scope-OrgID names more than the {MAX_TENANTS} tenants allowed");
                return Err(wrong(message));
            }
        }
        if tenants.is_empty() {
            tenants.push(self.tenant(config, header)?);
        }
        Ok(tenants)
    }

    /// The tenant that a request is about, given its `X-Scope-OrgID`. A token of one tenant says
    /// which, and the header may only agree. With a token of all tenants the header chooses, then
    /// the user of Basic, and `anonymous` is meant without both.
    fn tenant(&self, config: &Config, header: Option<&str>) -> Result<TenantId, Refusal> {
        let header = header.map(str::trim).filter(|id| !id.is_empty());
        let parse = |id: &str| -> Result<TenantId, Refusal> {
            id.parse()
                .map_err(|error| (Reason::Tenant, Problem::invalid(error)))
        };
        match (&self.reach, config.auth) {
            (TokenTenant::One(tenant), _) => match header {
                Some(id) if id != tenant.as_str() => {
                    let message = "X-Scope-OrgID doesn't match the token's tenant";
                    Err((Reason::Tenant, forbidden(message)))
                }
                _ => Ok(tenant.clone()),
            },
            // Without tokens only the header tells tenants apart, where that is wanted.
            (TokenTenant::All, Auth::Open) if !config.multitenancy => Ok(TenantId::anonymous()),
            (TokenTenant::All, Auth::Open) => header.map_or_else(
                || {
                    let message = "the X-Scope-OrgID header is missing";
                    let problem = Problem::new(401, "unauthenticated", message);
                    Err((Reason::Missing, problem))
                },
                parse,
            ),
            (TokenTenant::All, Auth::Required) => {
                let named = header.or(self.user.as_deref());
                named.map_or_else(|| Ok(TenantId::anonymous()), parse)
            }
        }
    }
}

fn forbidden(message: impl std::fmt::Display) -> Problem {
    Problem::new(403, "permission_denied", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(tenant: &str, scopes: &[TokenScope]) -> Caller {
        Caller {
            id: Some("x".to_owned()),
            reach: tenant.parse().unwrap(),
            scopes: scopes.to_vec(),
            user: None,
        }
    }

    fn tenant(
        caller: &Caller,
        auth: Auth,
        multitenancy: bool,
        header: Option<&str>,
    ) -> Result<String, u16> {
        let config = Config {
            auth,
            multitenancy,
            ..Config::parse(|_| None).unwrap()
        };
        let found = caller.tenant(&config, header);
        found
            .map(|tenant| tenant.to_string())
            .map_err(|(_, problem)| problem.status)
    }

    #[test]
    fn open_to_all() {
        let check = |multitenancy, header, expect: Result<&str, u16>| {
            let found = tenant(&Caller::unrestricted(), Auth::Open, multitenancy, header);
            assert_eq!(found, expect.map(str::to_owned), "{header:?}");
        };
        check(false, Some("t1"), Ok("anonymous"));
        check(false, Some("../"), Ok("anonymous"));
        check(true, Some(" t1 "), Ok("t1"));
        check(true, None, Err(401));
        check(true, Some(""), Err(401));
        check(true, Some("a/b"), Err(400));
        check(true, Some(".."), Err(400));
    }

    #[test]
    fn the_token_says_which_tenant() {
        for multitenancy in [false, true] {
            let check = |reach: &str, header, expect: Result<&str, u16>| {
                let caller = caller(reach, &[]);
                let found = tenant(&caller, Auth::Required, multitenancy, header);
                assert_eq!(found, expect.map(str::to_owned), "{reach} {header:?}");
            };
            check("t1", None, Ok("t1"));
            check("t1", Some("t1"), Ok("t1"));
            check("t1", Some(" "), Ok("t1"));
            check("t1", Some("t2"), Err(403));
            check("t1", Some("t1, t2"), Err(403));
            check("t1", Some("../t1"), Err(403));
            check("t1", Some("*"), Err(403));
            check("*", None, Ok("anonymous"));
            check("*", Some("t2"), Ok("t2"));
            check("*", Some("../"), Err(400));
            check("*", Some("t1, t2"), Err(400));
        }
    }

    #[test]
    fn the_user_of_basic_names_a_tenant_where_the_token_does_not() {
        let check = |reach: &str, user: &str, header, expect: Result<&str, u16>| {
            let caller = caller(reach, &[]).named(Some(user.to_owned()));
            let found = tenant(&caller, Auth::Required, false, header);
            assert_eq!(
                found,
                expect.map(str::to_owned),
                "{reach} {user} {header:?}"
            );
        };
        check("*", "t2", None, Ok("t2"));
        check("*", "t2", Some("t3"), Ok("t3"));
        check("*", "a/b", None, Err(400));
        check("t1", "t2", None, Ok("t1"));
        check("t1", "any body", None, Ok("t1"));
    }

    #[test]
    fn several_tenants_where_each_may_be_asked_for() {
        let check = |caller: Caller, auth, header, expect: Result<&str, u16>| {
            let config = Config {
                auth,
                multitenancy: true,
                ..Config::parse(|_| None).unwrap()
            };
            let found = caller.tenants(&config, Some(header));
            let found = found.map_err(|(_, problem)| problem.status);
            let names = found.map(|tenants| {
                let names: Vec<&str> = tenants.iter().map(TenantId::as_str).collect();
                names.join(",")
            });
            assert_eq!(names, expect.map(str::to_owned), "{header}");
        };
        let of_all = || caller("*", &[]);
        for (caller, auth) in [
            (of_all(), Auth::Required),
            (Caller::unrestricted(), Auth::Open),
        ] {
            let check = |header, expect| check(caller.clone(), auth, header, expect);
            check("t1", Ok("t1"));
            check("t2|t1", Ok("t2,t1"));
            check(" t1 | t2|t1", Ok("t1,t2"));
            check("1|2|3|4|5|6|7|8|8", Ok("1,2,3,4,5,6,7,8"));
            check("1|2|3|4|5|6|7|8|9", Err(400));
            for wrong in ["t1|", "|t1", "|", "t1||t2", "t1|../t2", "t1|a b"] {
                check(wrong, Err(400));
            }
        }
        let of_one = caller("t1", &[]);
        check(of_one.clone(), Auth::Required, "t1|t1", Ok("t1"));
        check(of_one.clone(), Auth::Required, "t1|t2", Err(403));
        check(of_one, Auth::Required, "t1|", Err(400));
    }

    #[test]
    fn scopes_imply_nothing() {
        let check = |caller: &Caller, access, expect: Result<(), Reason>| {
            let found = caller.check(access).map_err(|(reason, problem)| {
                assert_eq!(problem.status, 403);
                reason
            });
            assert_eq!(found, expect, "{access:?}");
        };
        for scope in TokenScope::ALL {
            let (one, all) = (caller("t1", &[scope]), caller("*", &[scope]));
            check(&one, Access::Anyone, Ok(()));
            for wanted in TokenScope::ALL {
                let expect = match scope == wanted {
                    true => Ok(()),
                    false => Err(Reason::Scope),
                };
                check(&one, Access::Tenant(wanted), expect);
                check(&all, Access::Tenant(wanted), expect);
                check(&all, Access::Installation(wanted), expect);
                let whole = expect.and(Err(Reason::Tenant));
                check(&one, Access::Installation(wanted), whole);
            }
        }
    }
}
