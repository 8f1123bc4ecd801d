//! Sends messages to receivers.

use super::message::Message;
use super::receiver::Receiver;
use super::request::ReceiverRequest;
use crate::http::outgoing::{Outgoing, Post};
use crate::platform::Platform;

/// Most messages that are sent to a receiver in a minute.
const MAX_SENT: usize = 20;

/// When no further message is sent: 15 seconds after the first. With the time that one may take, the
/// next minute begins later.
const SENDING_MILLIS: i64 = 15_000;

/// Most characters of a receiver's response in an error.
const MAX_ANSWER: usize = 200;

/// Statuses of a message that won't be accepted later either.
const REFUSED: [u16; 3] = [400, 413, 422];

/// Why a message wasn't accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SendError {
    /// The status and the beginning of the body.
    Status(u16, String),
    /// Why there was no response.
    NoResponse(String),
}

/// An attempt to send a message to a receiver.
pub(super) struct Attempt {
    pub(super) receiver: String,
    /// The URL at the time: another one may have taken the receiver's place meanwhile.
    pub(super) url: String,
    pub(super) message: String,
    pub(super) outcome: Result<(), SendError>,
}

impl SendError {
    /// Whether the message itself is at fault.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Status(status, _) if REFUSED.contains(status))
    }

    /// For everyone who may see alerts: responses and errors of requests can repeat a secret URL.
    pub(super) fn summary(&self) -> String {
        match self {
            Self::Status(status, _) => format!("the receiver returned {status}"),
            Self::NoResponse(_) => "the receiver didn't respond".to_owned(),
        }
    }

    /// For administrators.
    pub(super) fn details(&self) -> String {
        let summary = self.summary();
        let (Self::Status(_, text) | Self::NoResponse(text)) = self;
        match text.is_empty() {
            true => summary,
            false => format!("{summary}: {text}"),
        }
    }
}

/// Sends the waiting messages in order, and stops at the first that has to be sent again.
pub(super) async fn send_waiting(
    receiver: &Receiver,
    outgoing: &impl Outgoing,
    platform: &impl Platform,
) -> Vec<Attempt> {
    let (began, mut attempts) = (platform.now_millis(), Vec::new());
    for message in receiver.waiting.iter().take(MAX_SENT) {
        if platform.now_millis() - began > SENDING_MILLIS {
            break;
        }
        let outcome = send(receiver, message, outgoing).await.map(|_| ());
        let has_failed = outcome.as_ref().is_err_and(|error| !error.is_refusal());
        attempts.push(Attempt {
            receiver: receiver.name.clone(),
            url: receiver.url.clone(),
            message: message.id.clone(),
            outcome,
        });
        if has_failed {
            break;
        }
    }
    attempts
}

/// Sends a message and returns the status of the response.
pub(super) async fn send(
    receiver: &Receiver,
    message: &Message,
    outgoing: &impl Outgoing,
) -> Result<u16, SendError> {
    let request = ReceiverRequest::new(receiver.kind, &receiver.url, message);
    let ReceiverRequest { url, json } =
        request.map_err(|problem| SendError::NoResponse(problem.message))?;
    let bearer = format!("Bearer {}", receiver.token);
    let mut headers = vec![("content-type", "application/json")];
    if !receiver.token.is_empty() {
        headers.push(("authorization", &bearer));
    }
    let post = Post {
        url: &url,
        headers: &headers,
        body: json.into_bytes(),
    };
    let response = outgoing.post(post).await.map_err(SendError::NoResponse)?;
    if (200..300).contains(&response.status) {
        return Ok(response.status);
    }
    let text = response.text.trim().chars().take(MAX_ANSWER).collect();
    Err(SendError::Status(response.status, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let status = |status| SendError::Status(status, "no".to_owned());
        assert_eq!(status(503).summary(), "the receiver returned 503");
        assert_eq!(status(503).details(), "the receiver returned 503: no");
        assert!(status(413).is_refusal() && !status(503).is_refusal());
        let lost = SendError::NoResponse("no response within 10 s".to_owned());
        assert_eq!(lost.summary(), "the receiver didn't respond");
        assert!(!lost.is_refusal());
        assert_eq!(
            SendError::Status(500, String::new()).details(),
            "the receiver returned 500"
        );
    }
}
