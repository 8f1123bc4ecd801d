//! Calls about what is stored: profile types, labels and series.

use super::messages::{LabelNamesRequest, LabelValuesRequest, ProfileTypesRequest, SeriesRequest};
use super::names::{self, Matched};
use super::notes::Notes;
use super::request;
use super::unary::{Call, query};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::connect::Answer;
use crate::http::endpoint::Endpoint;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/querier.v1.QuerierService/ProfileTypes",
        READ,
        |request, scope| Box::pin(query(request, scope, profile_types)),
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/LabelNames",
        READ,
        |request, scope| Box::pin(query(request, scope, label_names)),
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/LabelValues",
        READ,
        |request, scope| Box::pin(query(request, scope, label_values)),
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/Series",
        READ,
        |request, scope| Box::pin(query(request, scope, series)),
    )
    .of_several_tenants(),
];

async fn profile_types(call: &Call, runner: &EdgeQueryRunner) -> Result<(Answer, Notes), Problem> {
    let request: ProfileTypesRequest = call.request()?;
    let range = request::range_or_day(request.start, request.end, clock::now())?;
    let matched = Matched::read(runner, range, Vec::new()).await?;
    let answer = call
        .codec
        .answer(&names::profile_types(&matched.series()))?;
    Ok((answer, Notes::default()))
}

async fn label_names(call: &Call, runner: &EdgeQueryRunner) -> Result<(Answer, Notes), Problem> {
    let request: LabelNamesRequest = call.request()?;
    let any_names = call.accept.contains("allow-utf8-labelnames=true");
    let matched = matched(runner, request.start, request.end, &request.matchers).await?;
    let names = names::label_names(&matched.series(), any_names);
    Ok((call.codec.answer(&names)?, Notes::default()))
}

async fn label_values(call: &Call, runner: &EdgeQueryRunner) -> Result<(Answer, Notes), Problem> {
    let request: LabelValuesRequest = call.request()?;
    let matched = matched(runner, request.start, request.end, &request.matchers).await?;
    let values = names::label_values(&matched.series(), &request.name);
    Ok((call.codec.answer(&values)?, Notes::default()))
}

async fn series(call: &Call, runner: &EdgeQueryRunner) -> Result<(Answer, Notes), Problem> {
    let request: SeriesRequest = call.request()?;
    let label_names = request::label_names(&request.label_names)?;
    let matched = matched(runner, request.start, request.end, &request.matchers).await?;
    let sets = names::label_sets(&matched.series(), &label_names);
    Ok((call.codec.answer(&sets)?, Notes::default()))
}

async fn matched(
    runner: &EdgeQueryRunner,
    start: i64,
    end: i64,
    matchers: &[String],
) -> Result<Matched, Problem> {
    let (range, selectors) = (request::range(start, end)?, request::selectors(matchers)?);
    Matched::read(runner, range, selectors).await
}
