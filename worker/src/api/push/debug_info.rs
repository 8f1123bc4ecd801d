//! `debuginfo.v1alpha1.DebuginfoService`: senders of unsymbolized frames ask whether they should
//! upload the program's symbols. They should not: nothing here reads them.

use worker::{Request, Response};

use crate::auth::access::PUSH;
use crate::http::body;
use crate::http::connect::Codec;
use crate::http::endpoint::{Endpoint, Rest, TenantHandler};
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload",
        PUSH,
        |request, scope| Box::pin(should_initiate_upload(request, scope)),
    ),
    Endpoint::post(
        "/debuginfo.v1alpha1.DebuginfoService/UploadFinished",
        PUSH,
        NOT_INITIATED,
    ),
    Endpoint::post(
        "/debuginfo.v1alpha1.DebuginfoService/Upload/",
        PUSH,
        NOT_INITIATED,
    )
    .followed_by(Rest::AnyId),
];

/// Why not, in the answer.
const REASON: &str = "this server does not store debug info";

/// `ShouldInitiateUpload`: no, with a reason. What is asked about is thrown away: a connection with
/// an unread body is closed, and the next request on it is lost.
async fn should_initiate_upload(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let header = request.headers().get("content-type")?.unwrap_or_default();
    let codec = Codec::of(&header)?;
    body::drain(request, &scope.isolate().bodies).await;
    // Field 1, the answer, is left out when it is false; field 2 is the reason.
    let mut message = vec![2 << 3 | 2, REASON.len() as u8];
    message.extend(REASON.bytes());
    let json = format!(r#"{{"shouldInitiateUpload":false,"reason":"{REASON}"}}"#);
    codec
        .answer_of(|| message, || Ok(json.into_bytes()))?
        .response("")
}

/// `Upload/{id}` and `UploadFinished`: nobody was told to upload.
const NOT_INITIATED: TenantHandler = |_, _| Box::pin(async { Err(not_initiated()) });

fn not_initiated() -> Problem {
    Problem::new(
        412,
        "failed_precondition",
        "this upload was not initiated; this server does not store debug info",
    )
}
