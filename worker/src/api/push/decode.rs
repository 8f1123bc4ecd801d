//! Decoding a push: as fast as its tenant may push, and within the memory that there is.

use pilotlight_core::ingest::{IngestLimits, Ingested};
use pilotlight_core::limits::MAX_PUSH_BYTES;
use worker::Request;

use crate::http::body;
use crate::http::scope::Scope;
use crate::meter::{Item, cpu};
use crate::platform::Platform;
use crate::platform::admission::{Admission, Permit, push_claims};
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Reads and decodes a push. `read` makes of the body what it holds; it may be called twice.
pub(super) async fn decode<T: AsRef<Ingested>>(
    request: &mut Request,
    scope: &Scope,
    read: impl Fn(&[u8], IngestLimits) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let (tenant, rate) = (scope.tenant().as_str(), scope.limits.rate());
    scope
        .isolate()
        .rates
        .admit(tenant, rate, clock::now_millis())?;
    let body = body::read(request, &scope.isolate().bodies, body::MAX_BODY).await?;
    let limits = scope.limits.of_push(clock::now());
    let decoded = within_memory(&scope.admission(), &body, limits, read).await;
    let held = match &decoded {
        Ok(decoded) => decoded.as_ref().profile_bytes,
        Err(_) => body.len() as u64,
    };
    scope
        .isolate()
        .rates
        .charge(tenant, rate, held, clock::now_millis());
    let (decoded, body_bytes) = (decoded?, body.len());
    scope.meter.add(Item::Pushes, 1);
    scope.meter.add(Item::PushBytes, body_bytes as u64);
    let micros = cpu::push_micros(body_bytes);
    scope.meter.add(Item::WorkerCpuMicros, micros);
    Ok(decoded)
}

/// Decodes with room for what the body says of itself. One that holds more than that, as a profile
/// with compression of its own does, is decoded again with room for the largest.
async fn within_memory<T: AsRef<Ingested>>(
    admission: &Admission<impl Platform>,
    body: &[u8],
    limits: IngestLimits,
    read: impl Fn(&[u8], IngestLimits) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let attempt = |permit: Option<Permit>, max_inflated| {
        let limits = IngestLimits {
            max_inflated,
            ..limits
        };
        let decoded = read(body, limits);
        drop(permit);
        decoded
    };
    let first = push_claims(body);
    let decoded = attempt(admission.push(first).await?, first);
    if first >= MAX_PUSH_BYTES || !was_cut(&decoded) {
        return decoded;
    }
    drop(decoded);
    let permit = admission.push(MAX_PUSH_BYTES).await?;
    attempt(permit, MAX_PUSH_BYTES)
}

/// Whether something inflates to more than it had room for.
fn was_cut<T: AsRef<Ingested>>(decoded: &Result<T, Problem>) -> bool {
    match decoded {
        Ok(decoded) => {
            let rejected = &decoded.as_ref().rejected;
            rejected.iter().any(|one| one.error.is_too_large_inflated())
        }
        Err(problem) => problem.status == 413,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use pilotlight_core::ingest::{Push, ingest};
    use pilotlight_core::{ProfileBuilder, UnixNanos, pprof};

    use super::*;
    use crate::simulation::World;

    const MB: u64 = 1 << 20;

    /// A profile of so many megabytes as a gzip inside a multipart body, which does not say how large
    /// it is.
    fn multipart(megabytes: usize) -> Vec<u8> {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let name = "x".repeat(64 << 10);
        for n in 0..16 * megabytes {
            let stack = builder.named_stack(&[&format!("{n}{name}")]);
            builder.sample(stack, None, &[1]);
        }
        let part = "--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\n";
        let profile = pprof::encode_gzip(&builder.finish());
        [part.as_bytes(), &profile, b"\r\n--b--\r\n"].concat()
    }

    fn check(body: &[u8], expect: Result<&[(usize, u64)], u16>) {
        let world = World::new(&["a"]);
        let seen = RefCell::new(Vec::new());
        let read = |body: &[u8], limits: IngestLimits| {
            seen.borrow_mut().push((
                limits.max_inflated >> 20,
                world.memory.admitted().bytes / MB,
            ));
            Ok(ingest(&Push {
                query: "name=app",
                content_type: "multipart/form-data; boundary=b",
                body,
                tenant: "a",
                client: "",
                now: UnixNanos(0),
                limits,
            })?)
        };
        let admission = world.admission();
        let limits = IngestLimits::default();
        let decoded = world
            .clock
            .run(within_memory(&admission, body, limits, read));
        let outcome = decoded
            .map(|_| seen.take())
            .map_err(|problem| problem.status);
        assert_eq!(outcome, expect.map(<[_]>::to_vec));
        assert_eq!(world.memory.admitted().bytes, 0);
    }

    #[test]
    fn what_holds_more_than_it_says_asks_again() {
        check(&multipart(1), Ok(&[(4, 0)]));
        check(&multipart(5), Ok(&[(4, 0), (16, 48)]));
        check(&multipart(17), Err(413));
    }
}
