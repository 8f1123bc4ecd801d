//! An endpoint: what a method of a path serves, who may use it and the function that answers.
//!
//! Each module of `api` declares its own, and `api::ENDPOINTS` lists them. The router, the check of
//! who may and the tests read that list, so nothing is served without saying whom it is for.

use std::fmt;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use worker::{Env, Request, Response};

use crate::auth::Caller;
use crate::auth::access::Access;
use crate::http::scope::Scope;
use crate::isolate::State;
use crate::meter::Meter;
use crate::platform::config::Config;
use crate::platform::errors::Problem;

/// What a method of a path serves.
#[derive(Clone, Copy)]
pub(crate) struct Endpoint {
    /// `GET` serves `HEAD`, too.
    pub(crate) method: &'static str,
    /// What a path has after any prefix, since agents and proxies add their own.
    pub(crate) path: &'static str,
    /// What follows it.
    pub(crate) rest: Rest,
    pub(crate) access: Access,
    /// Whether it may be about several tenants: all that it reads are their profiles.
    pub(crate) takes_several_tenants: bool,
    /// Whether it takes profiles.
    pub(crate) is_push: bool,
    /// How its errors are written where that is not as JSON.
    pub(crate) error_response: Option<ErrorResponse>,
    pub(crate) handler: Handler,
}

/// What follows the path of an endpoint in the path of a request.
#[derive(Clone, Copy)]
pub(crate) enum Rest {
    Nothing,
    /// An id that this accepts.
    Id(fn(&str) -> Result<(), Problem>),
    /// An id of any kind. Other methods of such a path are not found.
    AnyId,
    /// The name of a service, which may be that of another endpoint.
    Service,
}

/// The function that answers.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// What everybody may know.
    Public(fn() -> Result<Response, Problem>),
    /// About no single tenant.
    Installation(InstallationHandler),
    /// About the data of a tenant.
    Tenant(TenantHandler),
}

pub(crate) type InstallationHandler = for<'a> fn(&'a mut Request, &'a Installation) -> Answer<'a>;

pub(crate) type TenantHandler = for<'a> fn(&'a mut Request, &'a Scope) -> Answer<'a>;

pub(crate) type Answer<'a> = LocalBoxFuture<'a, Result<Response, Problem>>;

pub(crate) type ErrorResponse = fn(&Request, &Problem) -> worker::Result<Response>;

/// What a request about no single tenant is answered with.
pub(crate) struct Installation {
    pub(crate) env: Env,
    pub(crate) config: Config,
    pub(crate) caller: Caller,
    pub(crate) meter: Meter,
    /// What outlives the request.
    pub(crate) isolate: Rc<State>,
}

impl Endpoint {
    /// `GET` for everybody.
    pub(crate) const fn public(
        path: &'static str,
        answer: fn() -> Result<Response, Problem>,
    ) -> Self {
        Self::new("GET", path, Access::Anyone, Handler::Public(answer))
    }

    pub(crate) const fn get(path: &'static str, access: Access, answer: TenantHandler) -> Self {
        Self::of_tenant("GET", path, access, answer)
    }

    pub(crate) const fn post(path: &'static str, access: Access, answer: TenantHandler) -> Self {
        Self::of_tenant("POST", path, access, answer)
    }

    pub(crate) const fn put(path: &'static str, access: Access, answer: TenantHandler) -> Self {
        Self::of_tenant("PUT", path, access, answer)
    }

    pub(crate) const fn delete(path: &'static str, access: Access, answer: TenantHandler) -> Self {
        Self::of_tenant("DELETE", path, access, answer)
    }

    const fn of_tenant(
        method: &'static str,
        path: &'static str,
        access: Access,
        answer: TenantHandler,
    ) -> Self {
        Self::guarded(method, path, access, Handler::Tenant(answer))
    }

    /// One that is about no single tenant.
    pub(crate) const fn of_installation(
        method: &'static str,
        path: &'static str,
        access: Access,
        answer: InstallationHandler,
    ) -> Self {
        Self::guarded(method, path, access, Handler::Installation(answer))
    }

    const fn guarded(
        method: &'static str,
        path: &'static str,
        access: Access,
        handler: Handler,
    ) -> Self {
        // Holds at compile time: all endpoints are constants.
        assert!(
            !matches!(access, Access::Anyone),
            "only public endpoints may use Access::Anyone"
        );
        Self::new(method, path, access, handler)
    }

    const fn new(
        method: &'static str,
        path: &'static str,
        access: Access,
        handler: Handler,
    ) -> Self {
        Self {
            method,
            path,
            rest: Rest::Nothing,
            access,
            takes_several_tenants: false,
            is_push: false,
            error_response: None,
            handler,
        }
    }

    /// The same for paths that go on.
    pub(crate) const fn followed_by(self, rest: Rest) -> Self {
        Self { rest, ..self }
    }

    /// The same for several tenants at once.
    pub(crate) const fn of_several_tenants(self) -> Self {
        Self {
            takes_several_tenants: true,
            ..self
        }
    }

    /// The same as one that takes profiles.
    pub(crate) const fn push(self) -> Self {
        Self {
            is_push: true,
            ..self
        }
    }

    /// The same with errors in the form that its senders read.
    pub(crate) const fn with_errors(self, error_response: ErrorResponse) -> Self {
        Self {
            error_response: Some(error_response),
            ..self
        }
    }

    /// Whether it serves a method.
    pub(crate) fn serves(&self, method: &str) -> bool {
        self.method == method || (self.method == "GET" && method == "HEAD")
    }
}

/// As the documentation has it: `GET /pgo/SERVICE`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self.rest {
            Rest::Nothing => "",
            Rest::Id(_) | Rest::AnyId => "ID",
            Rest::Service => "SERVICE",
        };
        write!(f, "{} {}{rest}", self.method, self.path)
    }
}
