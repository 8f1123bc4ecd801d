//! What a sender of OTLP is answered, in the encoding of its request.

use serde::Serialize;

use super::{OtlpFormat, OtlpIngested};
use crate::formats::protobuf::Writer;
use crate::ingest::draft::{Noted, Rejected};

/// Longest text in an answer, in bytes. Senders log it; the protocol wants answers kept small.
const MAX_MESSAGE: usize = 512;

/// `ExportProfilesServiceResponse`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartialSuccess {
    /// 64-bit numbers are texts in protobuf's JSON.
    rejected_profiles: String,
    error_message: String,
}

/// `google.rpc.Status` without details.
#[derive(Serialize)]
struct Status<'a> {
    code: u32,
    message: &'a str,
}

impl OtlpIngested {
    /// Whether something is refused and nothing is left to store.
    pub fn is_refused(&self) -> bool {
        self.rejected_profiles > 0 && self.ingested.chunks.is_empty()
    }

    /// The refused parts that are kept, each with how many profiles it stands for: the last one
    /// also for those whose reasons are not kept.
    pub fn rejections(&self) -> impl Iterator<Item = (u64, &Rejected)> {
        let rejected = &self.ingested.rejected;
        let more = self.rejected_profiles.saturating_sub(rejected.len() as u64);
        rejected.iter().enumerate().map(move |(place, part)| {
            let last = place + 1 == rejected.len();
            (1 + if last { more } else { 0 }, part)
        })
    }

    /// The first reasons why profiles are refused, and the first notes on others, in words for the
    /// sender.
    pub fn reasons(&self) -> String {
        let rejected = self.ingested.rejected.iter();
        let rejected = rejected.map(|Rejected { part, error }| format!("{part}: {error}"));
        let notes = self.ingested.notes.iter().map(Noted::to_string);
        let reasons: Vec<_> = rejected.chain(notes).collect();
        cut(&reasons.join("; ")).to_owned()
    }

    /// The message that says what became of the request. One that refuses nothing may have a
    /// message: OTLP's way to warn.
    pub fn response(&self, format: OtlpFormat) -> Vec<u8> {
        let reasons = self.reasons();
        let refused = (!reasons.is_empty()).then_some(reasons);
        match format {
            OtlpFormat::Json => json(&Response {
                partial_success: refused.map(|error_message| PartialSuccess {
                    rejected_profiles: self.rejected_profiles.to_string(),
                    error_message,
                }),
            }),
            OtlpFormat::Protobuf => {
                let mut out = Vec::new();
                if let Some(reasons) = refused {
                    let mut partial = Vec::new();
                    let mut writer = Writer(&mut partial);
                    writer.number(1, self.rejected_profiles);
                    writer.bytes(2, reasons.as_bytes());
                    Writer(&mut out).bytes(1, &partial);
                }
                out
            }
        }
    }
}

/// A `google.rpc.Status`: what a request is refused with.
pub fn otlp_status(code: u32, message: &str, format: OtlpFormat) -> Vec<u8> {
    let message = cut(message);
    match format {
        OtlpFormat::Json => json(&Status { code, message }),
        OtlpFormat::Protobuf => {
            let mut out = Vec::new();
            let mut writer = Writer(&mut out);
            writer.number(1, code.into());
            writer.bytes(2, message.as_bytes());
            out
        }
    }
}

/// Texts and numbers always have a form in JSON.
fn json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE)]
}
