//! Pushes: request → chunks (the core) → the tenant's shards, which answer when they are in the
//! bucket. One file for each surface that senders speak to.

pub(crate) mod connect;
pub(crate) mod debug_info;
mod decode;
pub(crate) mod ingest;
pub(crate) mod otlp;

use pilotlight_core::ingest::{Chunk, DiscardReason, Noted, Rejected};
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

/// Counts the parts of a request of which something is lost, once for each reason.
fn count_notes(scope: &Scope, notes: &[Noted]) {
    for (reason, noted) in losses(notes) {
        scope.discards.note(reason, 1, &format!("push of {noted}"));
    }
}

/// The first note of each part and reason by which something is lost.
fn losses(notes: &[Noted]) -> Vec<(DiscardReason, &Noted)> {
    let mut losses: Vec<(DiscardReason, &Noted)> = Vec::new();
    for noted in notes {
        let Some(reason) = noted.note.reason() else {
            continue;
        };
        let is_same =
            |known: &(DiscardReason, &Noted)| known.0 == reason && known.1.part == noted.part;
        if !losses.iter().any(is_same) {
            losses.push((reason, noted));
        }
    }
    losses
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

#[cfg(test)]
mod tests {
    use pilotlight_core::UnixNanos;
    use pilotlight_core::ingest::{IngestLimits, Note, Push, ingest};

    use super::*;

    fn notes(body: &str) -> Vec<Noted> {
        let push = Push {
            query: "name=app&format=groups&from=100",
            content_type: "",
            body: body.as_bytes(),
            tenant: "a",
            client: "",
            now: UnixNanos(1_790_000_000_000_000_000),
            limits: IngestLimits::default(),
        };
        ingest(&push).expect("is stored").notes
    }

    #[test]
    fn a_part_counts_once_for_each_reason() {
        let body = format!("main 0.0000000001\n{}", "lost\n".repeat(30));
        let mut all = notes(&body);
        assert_eq!(all.len(), 16);
        let found = losses(&all);
        let [(reason, noted)] = found[..] else {
            panic!("one loss: {found:?}")
        };
        assert_eq!(reason.name(), "malformed_profile");
        assert_eq!(
            noted.to_string(),
            "the profile: 30 of 31 lines do not end in a number and are left out"
        );
        let label = || Note::Label {
            name: "request".to_owned(),
            values: 300,
        };
        for part in ["the profile", "another"] {
            all.extend([label(), label()].map(|note| Noted {
                part: part.to_owned(),
                note,
            }));
        }
        let found = losses(&all);
        let reasons = found
            .iter()
            .map(|(reason, noted)| (reason.name(), noted.part.as_str()));
        let expect = [
            ("malformed_profile", "the profile"),
            ("label_values_limit", "the profile"),
            ("label_values_limit", "another"),
        ];
        assert_eq!(reasons.collect::<Vec<_>>(), expect);
    }

    #[test]
    fn what_is_rounded_or_moved_is_not_discarded() {
        let all = notes("main 0.0000000001\nmain 1");
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(losses(&all).is_empty());
    }
}
