//! What is served: `capabilities.v1.FeatureFlagsService/GetFeatureFlags` and
//! `version.v1.Version/Version`.

use super::messages::{
    FeatureFlag, GetFeatureFlagsRequest, GetFeatureFlagsResponse, VersionRequest, VersionResponse,
};
use super::notes::Notes;
use super::unary::query;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/capabilities.v1.FeatureFlagsService/GetFeatureFlags",
        READ,
        |request, scope| {
            Box::pin(query(request, scope, async |call, _| {
                let GetFeatureFlagsRequest {} = call.request()?;
                Ok((call.codec.answer(&feature_flags())?, Notes::default()))
            }))
        },
    )
    .of_several_tenants(),
    Endpoint::post("/version.v1.Version/Version", READ, |request, scope| {
        Box::pin(query(request, scope, async |call, _| {
            let VersionRequest {} = call.request()?;
            let version = VersionResponse {
                querier_api: QUERIER_API,
            };
            Ok((call.codec.answer(&version)?, Notes::default()))
        }))
    })
    .of_several_tenants(),
];

/// The version of `querier.v1` that clients ask for.
const QUERIER_API: u64 = 1;

/// What a client may rely on: the names are Pyroscope's.
fn feature_flags() -> GetFeatureFlagsResponse {
    let flag = |name: &str, enabled| FeatureFlag {
        name: name.to_owned(),
        enabled,
    };
    GetFeatureFlagsResponse {
        feature_flags: vec![
            flag("v2StorageLayer", true),
            flag("pyroscopeRuler", true),
            flag("pyroscopeRulerFunctions", true),
            flag("utf8LabelNames", true),
            flag("functionProjections", true),
        ],
    }
}
