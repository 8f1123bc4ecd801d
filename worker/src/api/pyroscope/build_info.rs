//! Which server this is: `status.v1.StatusService/GetBuildInfo` and `GET /api/v1/status/buildinfo`.

use worker::{Request, Response};

use super::messages::{GetBuildInfoData, GetBuildInfoRequest, GetBuildInfoResponse};
use super::unary::{Call, MAX_REQUEST};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/status/buildinfo", READ, |_, _| {
        Box::pin(async { Ok(Response::from_json(&message())?) })
    }),
    Endpoint::post(
        "/status.v1.StatusService/GetBuildInfo",
        READ,
        |request, scope| Box::pin(build_info(request, scope)),
    ),
];

async fn build_info(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let call = Call::read(request, scope, MAX_REQUEST).await?;
    let GetBuildInfoRequest {} = call.request()?;
    call.answer(&message())
}

/// A build is known by its version alone.
fn message() -> GetBuildInfoResponse {
    GetBuildInfoResponse {
        status: "success".to_owned(),
        data: Some(GetBuildInfoData {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..GetBuildInfoData::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_there() {
        let version = env!("CARGO_PKG_VERSION");
        let text = serde_json::to_string(&message()).unwrap();
        let expect = format!(
            r#"{{"status":"success","data":{{"version":"{version}","revision":"","branch":"","buildUser":"","buildDate":"","goVersion":""}}}}"#
        );
        assert_eq!(text, expect);
    }
}
