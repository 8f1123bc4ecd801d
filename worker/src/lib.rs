//! The edge of Pilotlight: takes pushes, groups them into objects in a bucket, answers queries,
//! compacts by cron.
//!
//! In scope: HTTP, the bucket, the Durable Object of a tenant, schedules. Out of scope: what a
//! profile is, how it is stored and how queries are planned, which is `pilotlight-core`; drawing,
//! which is the site.
//!
//! A request is routed by [`route`], answered by a function of [`api`], and every error leaves as
//! one [`platform::errors::Problem`]. What needs no platform (routing, configuration, group commit, the
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
mod bucket;
mod http;
mod maintenance;
mod meter;
mod platform;
#[cfg(test)]
mod simulation;
// The attribute of a Durable Object makes public functions without a word about them.
#[allow(missing_docs)]
mod tenant;

use std::rc::Rc;

use worker::wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use worker::worker_sys::{self, web_sys};
use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

use api::{admin, metrics, push, pyroscope, query};
use http::route::{OfTenant, Route, route};
use http::scope::Scope;
use http::{body, tenancy};
use maintenance::schedule;
use meter::{Item, Meter};
use platform::config::Config;
use platform::errors::Problem;
pub use tenant::Tenant;

/// Answers a request.
#[event(fetch)]
async fn fetch(mut request: Request, env: Env, context: Context) -> worker::Result<Response> {
    let context = Rc::new(context);
    match answer(&mut request, &env, &context).await {
        Ok(response) => Ok(response),
        Err(problem) => {
            body::drain(&mut request).await;
            problem.response()
        }
    }
}

/// What is wrong with the variables, if anything is; asked once, before the first request.
#[wasm_bindgen(wasm_bindgen = ::worker::wasm_bindgen)]
pub fn configuration_problem(env: Env) -> Option<String> {
    let config = Config::of(&env).err().map(|error| error.to_string());
    config.or_else(|| metrics::prices(&env).err().map(|error| error.to_string()))
}

/// Runs once a minute.
#[event(scheduled)]
async fn scheduled(event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    if let Err(problem) = schedule::run(&env, event.schedule() as i64).await {
        worker::console_error!("cron: {}", problem.message);
    }
}

/// Visits one of a tenant's objects for the schedule, or answers parts of a query; only the binding
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
    let answered = if request.path() == query::SUBQUERIES_PATH {
        query::answer(&mut request, &env, Context::new(context)).await
    } else {
        schedule::answer(&mut request, &env).await
    };
    let response = answered.or_else(|problem| problem.response())?;
    Ok(web_sys::Response::from(response).into())
}

async fn answer(
    request: &mut Request,
    env: &Env,
    context: &Rc<Context>,
) -> Result<Response, Problem> {
    let route = route(request.method().as_ref(), &request.path())?;
    let config = Config::of(env).map_err(Problem::internal)?;
    match route {
        Route::Health => Ok(Response::ok("ok")?),
        Route::BucketCheck => admin::bucket_check(request, env).await,
        Route::Metrics => metrics::answer(env, config).await,
        Route::OfTenant(route) => {
            let header = request.headers().get("x-scope-orgid")?;
            let tenant = tenancy::tenant(&config, header.as_deref())?;
            let scope = Scope::new(env, config, tenant, Meter::default()).within(context);
            scope.meter.add(Item::WorkerRequests, 1);
            let answer = answer_tenant(route, request, &scope).await;
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

async fn answer_tenant(
    route: OfTenant,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    match route {
        OfTenant::Ingest => push::ingest::ingest(request, scope).await,
        OfTenant::Push => push::connect::push(request, scope).await,
        OfTenant::ShouldInitiateUpload => push::debug_info::should_initiate_upload(request),
        OfTenant::DebugInfoUpload => Err(push::debug_info::not_initiated()),
        OfTenant::Rebuild => admin::rebuild(scope).await,
        OfTenant::Services => query::services(request, scope).await,
        OfTenant::Labels => query::labels(request, scope).await,
        OfTenant::Timeline => query::timeline(request, scope).await,
        OfTenant::Profile => query::profile(request, scope).await,
        OfTenant::Render => pyroscope::render(request, scope).await,
        OfTenant::LabelValues => pyroscope::label_values(request, scope).await,
        OfTenant::Admin(call) => admin::call(call, request, scope).await,
        OfTenant::Rpc(rpc) => pyroscope::call(rpc, request, scope).await,
    }
}
