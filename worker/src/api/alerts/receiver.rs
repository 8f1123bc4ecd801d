//! A receiver of messages, the messages that wait for it, and how the last attempt went.

use serde::{Deserialize, Serialize};
use url::Url;

use super::alert::check_name;
use super::attempt::SendError;
use super::message::Message;
use crate::api::rules::points::MINUTE;
use crate::platform::errors::Problem;

/// Longest name in bytes.
const MAX_NAME: usize = 64;

/// Longest URL in bytes.
const MAX_URL: usize = 2_048;

/// Most waiting messages and series in them; the oldest are dropped first.
const MAX_WAITING: usize = 500;

/// How long a message is sent again: a day after its minute.
const MAX_AGE: i64 = 1_440 * MINUTE;

/// Longest pause between attempts, in minutes: half an hour.
const MAX_PAUSE: i64 = 30 * MINUTE;

/// The format of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// [`Message`] as JSON.
    #[default]
    Webhook,
    Slack,
    /// Version 2 of Alertmanager's API.
    Alertmanager,
}

/// Where messages are sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Receiver {
    pub(super) name: String,
    pub(super) kind: Format,
    pub(super) url: String,
    /// The bearer token; empty for none.
    pub(super) token: String,
    /// The URL of the site, for links in messages.
    pub(super) site: String,
    /// Oldest first.
    pub(super) waiting: Vec<Message>,
    /// When the receiver last accepted a message; 0 for never.
    pub(super) sent: i64,
    /// Why the last attempt failed; empty if it didn't.
    pub(super) error: String,
    /// Failed attempts since the last accepted message.
    pub(super) failures: u32,
    /// When the next attempt is due.
    pub(super) next: i64,
    /// The number of messages that were dropped.
    pub(super) dropped: u64,
}

/// A receiver in a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewReceiver {
    name: String,
    kind: Format,
    url: String,
    #[serde(default)]
    token: String,
}

/// A receiver in a response: without its URL, which can be a secret, as Slack's is.
#[derive(Serialize)]
pub(super) struct ListedReceiver {
    name: String,
    kind: Format,
    host: String,
    sent: i64,
    error: String,
    waiting: usize,
    dropped: u64,
}

impl NewReceiver {
    /// The receiver, if its fields are valid. `site` is the URL of the site.
    pub(super) fn checked(self, site: String) -> Result<Receiver, Problem> {
        let Self {
            name,
            kind,
            url,
            token,
        } = self;
        check_name(&name, MAX_NAME)?;
        if host_of(&url).is_none() || url.len() > MAX_URL {
            return Err(Problem::invalid(
                "url must be a web address, such as https://hooks.example.com/alerts",
            ));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Problem::invalid(
                "token must consist of visible ASCII characters",
            ));
        }
        Ok(Receiver {
            name,
            kind,
            url,
            token,
            site,
            ..Receiver::default()
        })
    }
}

impl Receiver {
    pub(super) fn shown(&self) -> ListedReceiver {
        ListedReceiver {
            name: self.name.clone(),
            kind: self.kind,
            host: host_of(&self.url).unwrap_or_default(),
            sent: self.sent,
            error: self.error.clone(),
            waiting: self.waiting.len(),
            dropped: self.dropped,
        }
    }

    /// Queues a message unless it is waiting already.
    pub(super) fn queue(&mut self, message: Message) {
        if self.waiting.iter().any(|waiting| waiting.id == message.id) {
            return;
        }
        let size = |message: &Message| 1 + message.instances.len();
        let mut sizes: usize = self.waiting.iter().map(size).sum();
        sizes += size(&message);
        while sizes > MAX_WAITING && !self.waiting.is_empty() {
            sizes -= size(&self.waiting.remove(0));
            self.dropped += 1;
        }
        self.waiting.push(message);
    }

    pub(super) fn is_due(&self, now: i64) -> bool {
        let is_paused = now < self.next && self.next <= now + MAX_PAUSE;
        !self.waiting.is_empty() && !is_paused
    }

    /// Stores the outcome of an attempt to send the message with this ID.
    pub(super) fn record_attempt(&mut self, id: &str, outcome: &Result<(), SendError>, now: i64) {
        let is_over = outcome.as_ref().err().is_none_or(SendError::is_refusal);
        let count = self.waiting.len();
        if is_over {
            self.waiting.retain(|waiting| waiting.id != id);
            self.failures = 0;
            self.next = 0;
        }
        match outcome {
            Ok(()) => {
                self.sent = now;
                self.error.clear();
            }
            Err(error) => {
                self.error = error.summary();
                if !is_over {
                    self.next = now + (MINUTE << self.failures.min(5)).min(MAX_PAUSE);
                    self.failures = self.failures.saturating_add(1);
                    self.waiting.retain(|waiting| now - waiting.at < MAX_AGE);
                }
                self.dropped += (count - self.waiting.len()) as u64;
            }
        }
    }

    /// Removes waiting messages that say that an alert still fires: a newer one says it, too.
    pub(super) fn remove_repeated(&mut self, alert: &str) {
        self.waiting
            .retain(|waiting| !waiting.is_repeated() || waiting.alert.id != alert);
    }
}

/// Host and port of a web address, without user and password.
fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url
        .host_str()
        .filter(|_| matches!(url.scheme(), "http" | "https"))?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::alert::Alert;
    use crate::api::alerts::message::Status;

    fn message(minute: i64) -> Message {
        Message::new(
            &Alert::default(),
            "",
            Status::Firing,
            minute * MINUTE,
            Vec::new(),
            String::new(),
        )
    }

    fn new(name: &str, url: &str, token: &str) -> Result<Receiver, Problem> {
        NewReceiver {
            name: name.to_owned(),
            kind: Format::Slack,
            url: url.to_owned(),
            token: token.to_owned(),
        }
        .checked("https://site".to_owned())
    }

    #[test]
    fn checked_and_shown() {
        let receiver = new("ops", "https://me:secret@hooks.example.com:8443/a/b", "t").unwrap();
        let shown = serde_json::to_string(&receiver.shown()).unwrap();
        assert_eq!(
            shown,
            r#"{"name":"ops","kind":"slack","host":"hooks.example.com:8443","sent":0,"error":"","waiting":0,"dropped":0}"#
        );
        assert_eq!(
            new("a", "http://localhost:9093", "").unwrap().shown().host,
            "localhost:9093"
        );
        for (name, url, token) in [
            ("", "https://x/", ""),
            ("a", "ftp://x/", ""),
            ("a", "https://", ""),
            ("a", "https://x /", ""),
            ("a", "https://x/", "a b"),
        ] {
            assert_eq!(
                new(name, url, token).unwrap_err().status,
                400,
                "{name} {url} {token}"
            );
        }
    }

    #[test]
    fn a_message_waits_until_it_is_accepted_or_a_day_old() {
        let mut receiver = Receiver::default();
        receiver.queue(message(1));
        receiver.queue(message(1));
        assert_eq!(receiver.waiting.len(), 1);
        let mut now = MINUTE;
        let (mut pauses, mut last) = (Vec::new(), now);
        while receiver.is_due(now) {
            last = now;
            receiver.record_attempt("x", &Err(SendError::Status(503, String::new())), now);
            pauses.push((receiver.next - now) / MINUTE);
            now = receiver.next;
        }
        assert_eq!(pauses[..7], [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!((receiver.dropped, receiver.waiting.len()), (1, 0));
        assert!((MAX_AGE..MAX_AGE + 30 * MINUTE).contains(&(last - MINUTE)));
        receiver.queue(message(2_000));
        let id = receiver.waiting[0].id.clone();
        receiver.record_attempt(&id, &Ok(()), now);
        assert_eq!(
            (
                receiver.sent,
                receiver.error.as_str(),
                receiver.waiting.len()
            ),
            (now, "", 0)
        );
    }

    #[test]
    fn a_message_that_is_refused_does_not_block_the_next() {
        let mut receiver = Receiver::default();
        (1..=2).for_each(|minute| receiver.queue(message(minute)));
        let id = receiver.waiting[0].id.clone();
        let refused = Err(SendError::Status(413, String::new()));
        receiver.record_attempt(&id, &refused, MINUTE);
        assert_eq!((receiver.waiting.len(), receiver.dropped), (1, 1));
        assert!(receiver.is_due(MINUTE));
        assert_eq!(receiver.error, "the receiver returned 413");
    }

    #[test]
    fn the_newest_wait() {
        let mut receiver = Receiver::default();
        (0..550).for_each(|minute| receiver.queue(message(minute)));
        assert_eq!(
            (receiver.waiting.len(), receiver.dropped),
            (MAX_WAITING, 50)
        );
        assert_eq!(receiver.waiting[0].at, 50 * MINUTE);
    }

    #[test]
    fn one_that_says_that_it_still_fires_replaces_another() {
        let mut receiver = Receiver::default();
        receiver.queue(message(1));
        receiver.queue(message(2).repeated());
        receiver.remove_repeated("");
        receiver.queue(message(3).repeated());
        let waiting: Vec<i64> = receiver.waiting.iter().map(|m| m.at / MINUTE).collect();
        assert_eq!(waiting, [1, 3]);
    }
}
