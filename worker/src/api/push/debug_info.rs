//! `debuginfo.v1alpha1.DebuginfoService`: senders of unsymbolized frames ask whether they should
//! upload the program's symbols. They should not: nothing here reads them.

use worker::{Request, Response};

use crate::http::body;
use crate::http::connect::Codec;
use crate::platform::errors::Problem;

/// Why not, in the answer.
const REASON: &str = "debug info is not stored here";

/// `ShouldInitiateUpload`: no, with a reason. What is asked about is thrown away: a connection with
/// an unread body is closed, and the next request on it is lost.
pub(crate) async fn should_initiate_upload(request: &mut Request) -> Result<Response, Problem> {
    let header = request.headers().get("content-type")?.unwrap_or_default();
    let codec = Codec::of(&header)?;
    body::drain(request).await;
    // Field 1, the answer, is left out when it is false; field 2 is the reason.
    let mut message = vec![2 << 3 | 2, REASON.len() as u8];
    message.extend(REASON.bytes());
    let json = format!(r#"{{"shouldInitiateUpload":false,"reason":"{REASON}"}}"#);
    codec
        .answer_of(|| message, || Ok(json.into_bytes()))?
        .response("")
}

/// `Upload/{id}` and `UploadFinished`: nobody was told to upload.
pub(crate) fn not_initiated() -> Problem {
    Problem::new(
        412,
        "failed_precondition",
        "this upload was not initiated; debug info is not stored here",
    )
}
