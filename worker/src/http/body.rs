//! Reading a request's body: within a cap for one, and within a bound for all that are in memory at
//! once.

use std::ops::Deref;

use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use worker::Request;

pub(crate) use crate::platform::admission::MAX_BODY;
use crate::platform::admission::{Bodies, Reservation};
use crate::platform::clock;
use crate::platform::errors::Problem;

/// A body in memory.
pub(crate) struct Body {
    bytes: Vec<u8>,
    held: Reservation,
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body as it comes in.
struct Intake<'a> {
    bodies: &'a Bodies,
    cap: usize,
    length: usize,
    crowded: bool,
    body: Body,
}

impl<'a> Intake<'a> {
    fn new(bodies: &'a Bodies, cap: usize) -> Self {
        Self {
            bodies,
            cap,
            length: 0,
            crowded: false,
            body: Body {
                bytes: Vec::new(),
                held: bodies.reserve(),
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
                held: self.bodies.reserve(),
            };
        }
    }

    fn finish(self) -> Result<Body, Problem> {
        if self.length > self.cap {
            return Err(too_large(self.cap));
        }
        if self.crowded {
            return Err(Problem::overloaded(
                "too many large requests at once; try again shortly",
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
pub(crate) async fn read(
    request: &mut Request,
    bodies: &Bodies,
    cap: usize,
) -> Result<Body, Problem> {
    if declared(request) > cap as u64 {
        return Err(too_large(cap));
    }
    intake(request, bodies, cap).await
}

/// Most bytes of a body that describes a thing: a rule, an alert, a receiver.
pub(crate) const MAX_JSON: usize = 64 << 10;

/// Parses a JSON body of at most `cap` bytes; `what` names what it has to be.
pub(crate) async fn json<T: DeserializeOwned>(
    request: &mut Request,
    bodies: &Bodies,
    cap: usize,
    what: &str,
) -> Result<T, Problem> {
    let body = read(request, bodies, cap).await?;
    serde_json::from_slice(&body)
        .map_err(|error| Problem::invalid(format!("invalid {what}: {error}")))
}

async fn intake(request: &mut Request, bodies: &Bodies, cap: usize) -> Result<Body, Problem> {
    let mut intake = Intake::new(bodies, cap);
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
pub(crate) async fn drain(request: &mut Request, bodies: &Bodies) {
    if declared(request) > MAX_BODY as u64 {
        return;
    }
    // What is refused from the first byte is only counted.
    let _ = intake(request, bodies, 0).await;
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
    use crate::platform::admission::bodies::{MAX_HELD, SMALL_BODY};

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

    fn body(bodies: &Bodies, cap: usize, parts: &[usize]) -> Result<Body, u16> {
        let mut intake = Intake::new(bodies, cap);
        parts.iter().for_each(|&len| intake.add(&vec![7; len], 0));
        intake.finish().map_err(|problem| problem.status)
    }

    #[test]
    fn within_the_cap() {
        let bodies = Bodies::default();
        assert_eq!(body(&bodies, 10, &[]).unwrap().len(), 0);
        assert_eq!(body(&bodies, 10, &[4, 6]).unwrap().len(), 10);
        assert_eq!(body(&bodies, 10, &[4, 7]).err(), Some(413));
        assert_eq!(body(&bodies, 10, &[11, 1]).err(), Some(413));
    }

    #[test]
    fn what_is_thrown_away_is_not_held() {
        let bodies = Bodies::default();
        let mut intake = Intake::new(&bodies, 0);
        (0..200).for_each(|_| intake.add(&vec![0; MB], 0));
        assert_eq!(bodies.total(), 0);
        assert_eq!(
            intake.finish().err().map(|problem| problem.status),
            Some(413)
        );
    }

    #[test]
    fn small_bodies_have_room_beside_large_ones() {
        let bodies = Bodies::default();
        let large = body(&bodies, MAX_BODY, &[MAX_BODY]).unwrap();
        assert_eq!(
            body(&bodies, MAX_BODY, &[SMALL_BODY]).unwrap().len(),
            SMALL_BODY
        );
        assert_eq!(body(&bodies, MAX_BODY, &[SMALL_BODY, 1]).err(), Some(429));
        drop(large);
    }

    #[test]
    fn all_bodies_together_are_bounded() {
        let bodies = Bodies::default();
        let first = body(&bodies, MAX_BODY, &[4 * MB, 4 * MB]).unwrap();
        let second = body(&bodies, MAX_BODY, &[7 * MB, SMALL_BODY]).unwrap();
        assert_eq!(bodies.total(), MAX_HELD - MB);
        assert_eq!(body(&bodies, MAX_BODY, &[MB, 1]).err(), Some(429));
        assert_eq!(
            body(&bodies, MB, &[MB, 1]).err(),
            Some(413),
            "too large stays too large"
        );
        drop(first);
        assert_eq!(body(&bodies, MAX_BODY, &[MB, 1]).unwrap().len(), MB + 1);
        drop(second);
        assert_eq!(bodies.total(), 0);
    }
}
