//! The edge of Pilotlight: takes pushes, groups them into objects in a bucket, answers queries,
//! compacts by cron.
//!
//! In scope: HTTP, the bucket, the Durable Object of a tenant, schedules. Out of scope: what a
//! profile is, how it is stored and how queries are planned, which is `pilotlight-core`; drawing,
//! which is the site.
//!
//! A request is routed to one of [`api::ENDPOINTS`], answered by its function, and every error leaves
//! as one [`platform::errors::Problem`]. What needs no platform (routing, configuration, group commit, the
//! shapes of answers) is plain code with native tests.

// A panic ends the WASM instance and with it every request in flight, of other tenants too. So no
// code that answers may panic on what is stored or sent; serde_json's `json!` does when a value
// does not fit.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![cfg_attr(test, allow(clippy::disallowed_macros))]

mod api;
mod auth;
mod bucket;
mod http;
mod isolate;
mod limits;
mod maintenance;
mod meter;
mod platform;
#[cfg(test)]
mod simulation;
// The attribute of a Durable Object makes public functions without a word about them.
#[allow(missing_docs)]
mod tenant;

use std::rc::Rc;

use pilotlight_core::access::TokenScope;
use pilotlight_core::store::TenantId;
use worker::wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use worker::worker_sys::{self, web_sys};
use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

use api::{limits as limits_api, metrics, model, query, rules, source};
use auth::access::Access;
use auth::{Caller, Reason, admit};
use http::endpoint::{Endpoint, Handler, Installation, TenantHandler};
use http::hosts::AllowedHosts;
use http::origin::{Origins, PREFLIGHT, Page};
use http::route::route;
use http::scope::Scope;
use http::{body, grpc, grpc_web, headers, page_not_found};
use isolate::State;
use maintenance::schedule;
use meter::{Item, Meter};
use platform::config::{Auth, Config};
use platform::errors::Problem;
pub use tenant::Tenant;

thread_local! {
    /// Only the entry points in this file read it; they pass it on.
    static ISOLATE: Rc<State> = Rc::default();
}

/// Answers a request.
#[event(fetch)]
async fn fetch(mut request: Request, env: Env, context: Context) -> worker::Result<Response> {
    let (context, isolate) = (Rc::new(context), ISOLATE.with(Rc::clone));
    let page = page(&request)?;
    let origins = Origins::of(&env).unwrap_or_default();
    let found = route(api::ENDPOINTS, request.method().as_ref(), &request.path());
    let of_endpoint = found.as_ref().ok().and_then(|of| of.error_response);
    let response = match answer(
        found,
        &mut request,
        &page,
        &origins,
        &env,
        &context,
        &isolate,
    )
    .await
    {
        Ok(response) => response,
        Err(problem) => {
            body::drain(&mut request, &isolate.bodies).await;
            let fetch_mode = request.headers().get("sec-fetch-mode")?;
            let response = grpc::error_response(&request, &problem)
                .or_else(|| of_endpoint.map(|respond| respond(&request, &problem)))
                .or_else(|| grpc_web::error_response(&request, &problem))
                .or_else(|| page_not_found::response(fetch_mode.as_deref(), &problem))
                .unwrap_or_else(|| problem.response())?;
            if problem.status == 401 && asks_for_tokens(&env) {
                let challenge = auth::challenge(fetch_mode.as_deref());
                response.headers().set("www-authenticate", challenge)?;
            }
            response
        }
    };
    headers::finish(response, origins.allowed(&page))
}

/// Whether a 401 is about a token; without tokens it is about the tenant.
fn asks_for_tokens(env: &Env) -> bool {
    Config::of(env).is_ok_and(|config| config.auth == Auth::Required)
}

/// What a request says about the page that makes it, if a browser does.
fn page(request: &Request) -> worker::Result<Page> {
    let headers = request.headers();
    Ok(Page {
        origin: headers.get("origin")?,
        fetch_site: headers.get("sec-fetch-site")?,
        host: headers.get("host")?,
    })
}

/// Refuses what comes under a name that nobody allowed, where no token is asked for.
fn check_host(
    page: &Page,
    endpoint: &Endpoint,
    config: &Config,
    env: &Env,
) -> Result<(), (Reason, Problem)> {
    if config.auth == Auth::Required || endpoint.access == Access::Anyone {
        return Ok(());
    }
    let host = page.host.as_deref().unwrap_or_default();
    if AllowedHosts::of(env).unwrap_or_default().allows(host) {
        return Ok(());
    }
    let message = format!(
        "this server needs no token, so it only answers requests to localhost, not to {host:?}; to allow that name, add it to the variable ALLOWED_HOSTS"
    );
    Err((
        Reason::Host,
        Problem::new(403, "permission_denied", message),
    ))
}

/// What is wrong with the variables, if anything is; asked once, before the first request.
#[wasm_bindgen(wasm_bindgen = ::worker::wasm_bindgen)]
pub fn configuration_problem(env: Env) -> Option<String> {
    problem_of(Config::of(&env))
        .or_else(|| problem_of(Origins::of(&env)))
        .or_else(|| problem_of(AllowedHosts::of(&env)))
        .or_else(|| problem_of(metrics::prices(&env)))
        .or_else(|| problem_of(source::SourceHost::of(&env)))
        .or_else(|| problem_of(model::Model::of(&env)))
        .or_else(|| problem_of(rules::remote_write::Target::of(&env)))
        .or_else(|| problem_of(rules::record::provisioned(&env).map_err(|wrong| wrong.message)))
}

fn problem_of<T>(read: Result<T, impl ToString>) -> Option<String> {
    read.err().map(|error| error.to_string())
}

/// Runs once a minute.
#[event(scheduled)]
async fn scheduled(event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    let isolate = ISOLATE.with(Rc::clone);
    if let Err(problem) =
        schedule::run(&env, event.schedule() as i64, &isolate, api::minute::run).await
    {
        worker::console_error!("cron: {}", problem.message);
    }
}

/// Visits one of a tenant's shards for the schedule, or answers parts of a query; only the binding
/// `SELF` comes here.
#[wasm_bindgen(
    wasm_bindgen = ::worker::wasm_bindgen,
    wasm_bindgen_futures = ::worker::wasm_bindgen_futures,
    js_sys = ::worker::js_sys
)]
pub async fn visit(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
) -> Result<JsValue, JsValue> {
    let mut request = Request::from(request);
    let isolate = ISOLATE.with(Rc::clone);
    let answered = if request.path() == query::SUBQUERIES_PATH {
        query::answer(&mut request, &env, Context::new(context), &isolate).await
    } else {
        schedule::answer(&mut request, &env, &isolate, api::minute::run).await
    };
    let response = answered.or_else(|problem| problem.response())?;
    Ok(web_sys::Response::from(response).into())
}

async fn answer(
    found: Result<&Endpoint, Problem>,
    request: &mut Request,
    page: &Page,
    origins: &Origins,
    env: &Env,
    context: &Rc<Context>,
    isolate: &Rc<State>,
) -> Result<Response, Problem> {
    let counted = |refusal| isolate.auth.refusals.counted(refusal);
    let method = request.method();
    if method.as_ref() == "OPTIONS" && origins.allowed(page).is_some() {
        return preflight();
    }
    let endpoint = found.map_err(|problem| counted((Reason::Route, problem)))?;
    if origins.forbids(page, method.as_ref()) {
        let message = "a page from another site can't change data here; to allow it, add its origin to CORS_ORIGINS";
        let problem = Problem::new(403, "permission_denied", message);
        return Err(counted((Reason::Origin, problem)));
    }
    let config = Config::of(env).map_err(Problem::internal)?;
    check_host(page, endpoint, &config, env).map_err(counted)?;
    let meter = Meter::default();
    let caller = admit(
        request,
        endpoint.access,
        &config,
        env,
        context,
        &meter,
        &isolate.auth,
    )
    .await?;
    match endpoint.handler {
        Handler::Public(answer) => answer(),
        Handler::Installation(answer) => {
            let installation = Installation {
                env: env.clone(),
                config,
                caller,
                meter,
                isolate: isolate.clone(),
            };
            answer(request, &installation).await
        }
        Handler::Tenant(answer) => {
            let tenants = tenants(endpoint, request, &caller, &config).map_err(counted)?;
            let [tenant, others @ ..] = tenants.as_slice() else {
                return Err(Problem::internal("no tenant"));
            };
            let mut scope = Scope::new(env, config, tenant.clone(), meter, isolate)
                .beside(others.to_vec())
                .within(context);
            scope.meter.add(Item::WorkerRequests, 1);
            let answer = answer_tenant(endpoint, answer, request, &mut scope).await;
            if let (true, Err(problem)) = (endpoint.is_push, &answer) {
                scope.discards.note_problem(problem);
            }
            scope.book_discards(context);
            // What a refused request cost is not worth a call.
            if answer
                .as_ref()
                .map_or_else(|problem| problem.status >= 500, |_| true)
            {
                scope.book_usage(context);
            }
            answer
        }
    }
}

/// The tenants that a request is about.
fn tenants(
    endpoint: &Endpoint,
    request: &Request,
    caller: &Caller,
    config: &Config,
) -> Result<Vec<TenantId>, (Reason, Problem)> {
    let header = request.headers().get("x-scope-orgid");
    let header = header.map_err(|error| (Reason::Tenant, error.into()))?;
    let tenants = caller.tenants(config, header.as_deref())?;
    if tenants.len() > 1 && !endpoint.takes_several_tenants {
        let message =
            "X-Scope-OrgID names several tenants; only profile queries accept more than one";
        return Err((Reason::Tenant, Problem::invalid(message)));
    }
    Ok(tenants)
}

async fn answer_tenant(
    endpoint: &Endpoint,
    answer: TenantHandler,
    request: &mut Request,
    scope: &mut Scope,
) -> Result<Response, Problem> {
    // What administrators do is not limited.
    if endpoint.access.scope() != Some(TokenScope::Admin) {
        scope.limits = limits_api::of_request(scope).await?;
    }
    answer(request, scope).await
}

/// What a page of an allowed origin asks before it calls.
fn preflight() -> Result<Response, Problem> {
    let response = Response::empty()?.with_status(204);
    for (name, value) in PREFLIGHT {
        response.headers().set(name, value)?;
    }
    Ok(response)
}
