//! Reading a request's body: within a cap for one, and within a bound for all that are in memory at
//! once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use futures_util::StreamExt;
use pilotlight_core::limits::MAX_PUSH_BYTES;
use worker::Request;

use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most bytes of a push: those of the largest profile, and 64 kB for what multipart puts around it.
pub(crate) const MAX_BODY: usize = MAX_PUSH_BYTES + (64 << 10);

/// Most bytes of bodies in memory at once, over all requests of an isolate: one of the largest, or
/// 500 usual ones. What else an isolate's memory is for is said in [`crate::admission`].
const MAX_HELD: usize = MAX_BODY;

/// Bodies up to this size always have room: 64 kB, twice a usual push. Those that wait for a slow
/// client's large upload must not be refused for it.
const SMALL_BODY: usize = 64 << 10;

/// How long a body counts after its last byte came: one minute. The platform may abandon a request
/// whose client has left without a word to us, and what it held must not count for ever. Uploads
/// make progress sooner, decoding takes seconds.
const HOLD_MILLIS: i64 = 60_000;

thread_local! {
    static HELD: RefCell<Ledger> = RefCell::default();
}

/// Bytes in memory for each body, and when its last part came.
#[derive(Default)]
struct Ledger {
    last: u64,
    held: HashMap<u64, (usize, i64)>,
}

impl Ledger {
    /// Counts `more` bytes for a body if there is room.
    fn grow(&mut self, body: u64, more: usize, now: i64) -> bool {
        self.held
            .retain(|_, (_, at)| now.saturating_sub(*at) < HOLD_MILLIS);
        let total = self.total();
        let (bytes, at) = self.held.entry(body).or_default();
        if total + more > MAX_HELD && *bytes + more > SMALL_BODY {
            return false;
        }
        *bytes += more;
        *at = now;
        true
    }

    fn total(&self) -> usize {
        self.held.values().map(|(bytes, _)| bytes).sum()
    }
}

/// A body in memory.
pub(crate) struct Body {
    bytes: Vec<u8>,
    held: Reservation,
}

/// A body's entry in the ledger, gone when this is dropped.
struct Reservation(u64);

impl Reservation {
    fn new() -> Self {
        HELD.with_borrow_mut(|ledger| {
            ledger.last += 1;
            Self(ledger.last)
        })
    }

    fn grow(&self, more: usize, now: i64) -> bool {
        HELD.with_borrow_mut(|ledger| ledger.grow(self.0, more, now))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|ledger| ledger.held.remove(&self.0));
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body as it comes in.
struct Intake {
    cap: usize,
    length: usize,
    crowded: bool,
    body: Body,
}

impl Intake {
    fn new(cap: usize) -> Self {
        Self {
            cap,
            length: 0,
            crowded: false,
            body: Body {
                bytes: Vec::new(),
                held: Reservation::new(),
            },
        }
    }

    /// Takes a part, or throws it away when the body is refused already: most clients look for an
    /// answer only after they have sent everything.
    fn add(&mut self, part: &[u8], now: i64) {
        self.length += part.len();
        if self.length <= self.cap && !self.crowded && self.body.held.grow(part.len(), now) {
            self.body.bytes.extend_from_slice(part);
        } else {
            self.crowded |= self.length <= self.cap;
            // What was kept is of no use any more.
            self.body = Body {
                bytes: Vec::new(),
                held: Reservation::new(),
            };
        }
    }

    fn finish(self) -> Result<Body, Problem> {
        if self.length > self.cap {
            return Err(too_large(self.cap));
        }
        if self.crowded {
            return Err(Problem::overloaded(
                "too many large requests at once; send again shortly",
            ));
        }
        Ok(self.body)
    }
}

/// Refuses a body whose compression cannot be undone, by the header that names it.
pub(crate) fn check_encoding(request: &Request, known: &[&str]) -> Result<(), Problem> {
    let header = request.headers().get("content-encoding")?;
    check_encoding_named(header.as_deref().unwrap_or(""), known)
}

fn check_encoding_named(given: &str, known: &[&str]) -> Result<(), Problem> {
    let given = given.trim();
    let is = |name: &str| given.eq_ignore_ascii_case(name);
    if is("") || is("identity") || known.iter().any(|name| is(name)) {
        return Ok(());
    }
    let known = match known {
        [] => "no compression".to_owned(),
        known => known.join(", "),
    };
    Err(Problem::unimplemented(format!(
        "the content-encoding is {given:?}; expected {known}"
    )))
}

/// Reads a body of at most `cap` bytes. One that says that it is larger is refused before a byte is
/// read.
pub(crate) async fn read(request: &mut Request, cap: usize) -> Result<Body, Problem> {
    if declared(request) > cap as u64 {
        return Err(too_large(cap));
    }
    intake(request, cap).await
}

async fn intake(request: &mut Request, cap: usize) -> Result<Body, Problem> {
    let mut intake = Intake::new(cap);
    // A request without a body has no stream.
    if let Ok(mut stream) = request.stream() {
        while let Some(part) = stream.next().await {
            let part = part.map_err(|error| {
                Problem::new(408, "canceled", format!("the body was cut off: {error}"))
            })?;
            intake.add(&part, clock::now_millis());
        }
    }
    intake.finish()
}

/// Throws a body away that nobody has read, so that its sender sees the answer. The platform itself
/// does that with one that says that it is too large.
pub(crate) async fn drain(request: &mut Request) {
    if declared(request) > MAX_BODY as u64 {
        return;
    }
    // What is refused from the first byte is only counted.
    let _ = intake(request, 0).await;
}

/// How long the body is by the request's own word, 0 when it says nothing.
fn declared(request: &Request) -> u64 {
    let header = request.headers().get("content-length").ok().flatten();
    header
        .and_then(|length| length.trim().parse().ok())
        .unwrap_or(0)
}

fn too_large(cap: usize) -> Problem {
    Problem::new(
        413,
        "resource_exhausted",
        format!("the body is larger than the {cap} bytes allowed"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_by_name() {
        let check = |given, known: &[&str]| {
            check_encoding_named(given, known).map_err(|problem| problem.message)
        };
        for given in ["", "identity", "gzip", " GZIP "] {
            assert_eq!(check(given, &["gzip"]), Ok(()), "{given}");
        }
        assert_eq!(
            check("br", &["gzip"]),
            Err("the content-encoding is \"br\"; expected gzip".to_owned())
        );
        assert_eq!(
            check("gzip", &[]),
            Err("the content-encoding is \"gzip\"; expected no compression".to_owned())
        );
    }

    const MB: usize = 1 << 20;

    fn held() -> usize {
        HELD.with_borrow(Ledger::total)
    }

    fn body(cap: usize, parts: &[usize]) -> Result<Body, u16> {
        let mut intake = Intake::new(cap);
        parts.iter().for_each(|&len| intake.add(&vec![7; len], 0));
        intake.finish().map_err(|problem| problem.status)
    }

    #[test]
    fn within_the_cap() {
        assert_eq!(body(10, &[]).unwrap().len(), 0);
        assert_eq!(body(10, &[4, 6]).unwrap().len(), 10);
        assert_eq!(body(10, &[4, 7]).err(), Some(413));
        assert_eq!(body(10, &[11, 1]).err(), Some(413));
    }

    #[test]
    fn what_is_thrown_away_is_not_held() {
        let mut intake = Intake::new(0);
        (0..200).for_each(|_| intake.add(&vec![0; MB], 0));
        assert_eq!(held(), 0);
        assert_eq!(
            intake.finish().err().map(|problem| problem.status),
            Some(413)
        );
    }

    #[test]
    fn small_bodies_have_room_beside_large_ones() {
        let large = body(MAX_BODY, &[MAX_BODY]).unwrap();
        assert_eq!(body(MAX_BODY, &[SMALL_BODY]).unwrap().len(), SMALL_BODY);
        assert_eq!(body(MAX_BODY, &[SMALL_BODY, 1]).err(), Some(429));
        drop(large);
    }

    #[test]
    fn all_bodies_together_are_bounded() {
        let first = body(MAX_BODY, &[4 * MB, 4 * MB]).unwrap();
        let second = body(MAX_BODY, &[7 * MB, SMALL_BODY]).unwrap();
        assert_eq!(held(), MAX_HELD - MB);
        assert_eq!(body(MAX_BODY, &[MB, 1]).err(), Some(429));
        assert_eq!(
            body(MB, &[MB, 1]).err(),
            Some(413),
            "too large stays too large"
        );
        drop(first);
        assert_eq!(body(MAX_BODY, &[MB, 1]).unwrap().len(), MB + 1);
        drop(second);
        assert_eq!(held(), 0);
    }

    #[test]
    fn what_was_abandoned_counts_for_a_minute() {
        let mut ledger = Ledger::default();
        assert!(ledger.grow(1, MAX_HELD - 1, 0));
        assert!(!ledger.grow(2, SMALL_BODY + 1, HOLD_MILLIS - 1));
        assert!(ledger.grow(2, SMALL_BODY + 1, HOLD_MILLIS));
        assert_eq!(ledger.total(), SMALL_BODY + 1);
    }
}
