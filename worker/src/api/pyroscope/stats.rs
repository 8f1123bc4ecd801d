//! What is stored, and what a query has to read of it.

use pilotlight_core::plans::QueryPlan;

use super::messages::{
    AnalyzeQueryRequest, AnalyzeQueryResponse, GetProfileStatsRequest, GetProfileStatsResponse,
    QueryImpact, QueryScope,
};
use super::notes::Notes;
use super::{names, request, unary};
use crate::api::query::{self, EdgeQueryRunner};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/querier.v1.QuerierService/GetProfileStats",
        READ,
        |request, scope| {
            Box::pin(unary::query(request, scope, async |call, runner| {
                let GetProfileStatsRequest {} = call.request()?;
                let stats = profile_stats(runner.profile_times().await?);
                Ok((call.codec.answer(&stats)?, Notes::default()))
            }))
        },
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/AnalyzeQuery",
        READ,
        |request, scope| {
            Box::pin(unary::query(request, scope, async |call, runner| {
                let cost = analyze_query(&call.request()?, runner).await?;
                Ok((call.codec.answer(&cost)?, Notes::default()))
            }))
        },
    )
    .of_several_tenants(),
];

/// `GetProfileStats`: whether there is anything, and the first and last millisecond of it.
fn profile_stats(times: Option<(i64, i64)>) -> GetProfileStatsResponse {
    let (oldest, newest) = times.unwrap_or_default();
    GetProfileStatsResponse {
        data_ingested: times.is_some(),
        oldest_profile_time: oldest,
        newest_profile_time: newest,
    }
}

/// `AnalyzeQuery`: how many objects, bytes and profiles a query reads, and of how many series. The
/// query is a selector that begins with a profile type.
///
/// Samples are not counted: that would take reading them. Nor are bytes of an index, which is no part
/// of the bucket.
async fn analyze_query(
    request: &AnalyzeQueryRequest,
    runner: &EdgeQueryRunner,
) -> Result<AnalyzeQueryResponse, Problem> {
    let range = request::range(request.start, request.end)?;
    let (selector, profile_type) = query::typed_selector(&request.query)?;
    let objects = runner.catalog(range).await?;
    let cost = QueryPlan::new(&selector, &profile_type, range, &objects)?.cost();
    let series = names::series(&objects, std::slice::from_ref(&selector), range);
    let series = series
        .iter()
        .filter(|(_, of_type)| **of_type == profile_type);
    let series_count = series.count() as u64;
    Ok(AnalyzeQueryResponse {
        query_scopes: vec![QueryScope {
            component_type: "Bucket".to_owned(),
            component_count: 1,
            block_count: cost.objects,
            series_count,
            profile_count: cost.profiles,
            // A damaged directory may say that tables overlap, which are read once.
            profile_bytes: cost.bytes.saturating_sub(cost.symbol_bytes),
            symbol_bytes: cost.symbol_bytes,
        }],
        query_impact: Some(QueryImpact {
            total_bytes_in_time_range: cost.bytes,
            total_queried_series: series_count,
        }),
    })
}
