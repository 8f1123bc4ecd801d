//! Sends messages to receivers.

use super::attempt::{Attempt, SendError};
use super::message::Message;
use super::receiver::Receiver;
use super::request::ReceiverRequest;
use crate::http::outgoing::{Outgoing, Post};
use crate::platform::Platform;

/// Most messages that are sent to a receiver in a minute.
const MAX_SENT: usize = 20;

/// When no further message is sent to a receiver: 15 seconds after the first, so that a slow one
/// doesn't hold up the others.
const SENDING_MILLIS: i64 = 15_000;

/// Most characters of a receiver's response in an error.
const MAX_ANSWER: usize = 200;

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
