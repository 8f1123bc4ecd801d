//! A server that accepts remote writes as Prometheus does, and fails when it is told to.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::faults::Faults;
use crate::api::rules::remote_write::{Version, decode};
use crate::http::outgoing::{Outgoing, Post, PostResponse};

/// What a [`Receiver`] responds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Accept,
    /// No response comes.
    Silent,
    /// This status, with the seconds of Retry-After.
    Status(u16, Option<u32>),
    /// Every second request fails.
    Half,
    /// 400 for whatever has a sample of this time.
    Refuse(i64),
}

/// A server. A request that gives a sample another value is refused as a whole.
pub(crate) struct Receiver {
    pub(crate) faults: Faults,
    pub(crate) version: Version,
    pub(crate) mode: Cell<Mode>,
    pub(crate) requests: Cell<u64>,
    /// By labels and time.
    pub(crate) samples: RefCell<BTreeMap<(String, i64), f64>>,
    pub(crate) conflicts: Cell<u64>,
}

impl Receiver {
    pub(crate) fn new(faults: &Faults, version: Version) -> Self {
        Self {
            faults: faults.clone(),
            version,
            mode: Cell::new(Mode::Accept),
            requests: Cell::default(),
            samples: RefCell::default(),
            conflicts: Cell::default(),
        }
    }

    fn answer(&self, post: &Post<'_>) -> Result<PostResponse, String> {
        self.requests.set(self.requests.get() + 1);
        let respond = |status, retry_after| PostResponse {
            status,
            retry_after,
            samples_written: Some(0),
            text: "by plan".to_owned(),
        };
        match self.mode.get() {
            Mode::Silent => return Err("no response".to_owned()),
            Mode::Status(status, retry_after) => return Ok(respond(status, retry_after)),
            Mode::Half if self.requests.get().is_multiple_of(2) => return Ok(respond(503, None)),
            _ => {}
        }
        let header = |name: &str| {
            let found = post.headers.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| *value)
        };
        assert_eq!(header("x-scope-orgid"), Some("one"));
        assert_eq!(header("authorization"), Some("Bearer secret"));
        assert_eq!(header("content-encoding"), Some("snappy"));
        let mut samples = BTreeMap::new();
        for (labels, values) in decode(self.version, &post.body) {
            for (at, value) in values {
                assert_eq!(samples.insert((labels.clone(), at), value), None);
            }
        }
        assert!(!samples.is_empty() && samples.len() <= 2_000);
        let mut there = self.samples.borrow_mut();
        let is_other = |(key, value)| there.get(key).is_some_and(|there| there != value);
        if samples.iter().any(is_other) {
            self.conflicts.set(self.conflicts.get() + 1);
            return Ok(respond(400, None));
        }
        let is_refused = |&(_, at): &(String, i64)| self.mode.get() == Mode::Refuse(at);
        if samples.keys().any(is_refused) {
            return Ok(respond(400, None));
        }
        there.extend(samples);
        Ok(respond(204, None))
    }
}

impl Outgoing for Receiver {
    async fn post(&self, post: Post<'_>) -> Result<PostResponse, String> {
        let lost = || Err("the response was lost".to_owned());
        let answer = async { self.answer(&post) };
        self.faults.around("post", answer, lost).await
    }
}
