//! Pushes: request → chunks (the core) → the tenant's shards, which answer when they are in the
//! bucket. One file for each surface that senders speak to.

pub(crate) mod connect;
pub(crate) mod debug_info;
mod decode;
pub(crate) mod ingest;
pub(crate) mod otlp;

use pilotlight_core::ingest::{Chunk, Noted, Rejected};
use worker::Response;

use crate::http::scope::Scope;
use crate::meter::Item;
use crate::platform::errors::Problem;
use crate::tenant::Appended;

/// Says what a success stands for: an [`Outcome`].
const PUSH_HEADER: &str = "x-pilotlight-push";

/// Says what is stored otherwise than it was sent, in words.
const WARNING_HEADER: &str = "x-pilotlight-warning";

/// Longest text in [`WARNING_HEADER`], in bytes.
const MAX_WARNING: usize = 1024;

/// What became of a request that is answered with success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All of it is in the bucket, and some of it was not before.
    Stored,
    /// All of it came before, within the last minutes, and was not stored again, even if what it
    /// repeats has been deleted since.
    Repeated,
    /// It has no sample above zero, so there is nothing to store.
    Empty,
}

impl Outcome {
    /// As [`PUSH_HEADER`] says it.
    fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Repeated => "repeated",
            Self::Empty => "empty",
        }
    }
}

/// Counts the parts of a request that are refused.
fn count_rejected(scope: &Scope, parts: &[Rejected]) {
    for Rejected { part, error } in parts {
        let message = format!("push of {part}: {error}");
        scope.discards.note(error.reason(), 1, &message);
    }
}

/// Counts the notes by which something is lost.
fn count_notes(scope: &Scope, notes: &[Noted]) {
    for noted in notes {
        if let Some(reason) = noted.note.reason() {
            scope.discards.note(reason, 1, &format!("push of {noted}"));
        }
    }
}

/// Tells the sender of a successful push what is stored otherwise than it was sent. A header has no
/// room for characters beyond ASCII, so these are escaped.
fn warn(response: &Response, notes: &[Noted]) -> worker::Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    let texts: Vec<_> = notes.iter().map(Noted::to_string).collect();
    let text: String = texts.join("; ").chars().map(ascii).collect();
    let text = &text[..text.len().min(MAX_WARNING)];
    response.headers().set(WARNING_HEADER, text)
}

/// A character as it may stand in a header.
fn ascii(c: char) -> String {
    match c {
        ' '..='~' => c.to_string(),
        _ => c.escape_unicode().to_string(),
    }
}

/// Returns once all chunks of a request are in the bucket.
async fn store(scope: &Scope, chunks: Vec<Chunk>) -> Result<Outcome, Problem> {
    if chunks.is_empty() {
        return Ok(Outcome::Empty);
    }
    let lost_links = chunks.iter().map(|chunk| chunk.lost_links).sum();
    scope.meter.add(Item::LostLinks, lost_links);
    let chunks: Vec<_> = chunks.into_iter().map(|chunk| chunk.bytes).collect();
    let appended = scope.shards()?.append_all(&chunks).await?;
    Ok(if appended.contains(&Appended::Stored) {
        Outcome::Stored
    } else {
        Outcome::Repeated
    })
}
