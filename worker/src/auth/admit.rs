//! Lets a request in, or says why not; nothing of its body is read before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pilotlight_core::access::{Credential, Denied, TokenDigest, TokenRegistry, presented};
use worker::{Context, Env, Request};

use crate::auth::access::Access;
use crate::auth::caller::{Caller, Refusal};
use crate::auth::refusals::Reason;
use crate::auth::state::AuthState;
use crate::auth::used;
use crate::bucket::shared_object::{Cache, current};
use crate::bucket::{AnyBucket, Metered};
use crate::meter::Meter;
use crate::platform::clock;
use crate::platform::config::{Auth, Config};
use crate::platform::errors::Problem;

const MISSING: &str = "this request needs a token: send it as `Authorization: Bearer TOKEN`, or as the password in Basic authentication; an \
                       administrator can create one with `pilotlight token create`";

/// The same for all tokens that are not valid: whoever has none learns nothing.
const INVALID: &str = "this token is not valid: it is unknown, expired or revoked; an administrator can create another \
                       with `pilotlight token create`";

/// Whom a request comes from, if they may use an endpoint.
pub(crate) async fn admit(
    request: &Request,
    access: Access,
    config: &Config,
    env: &Env,
    context: &Context,
    meter: &Meter,
    state: &AuthState,
) -> Result<Caller, Problem> {
    let admitted = match config.auth {
        _ if access == Access::Anyone => return Ok(Caller::unknown()),
        Auth::Open => {
            say_open(&state.said_open);
            Ok(Caller::unrestricted())
        }
        Auth::Required => {
            let header = request.headers().get("authorization")?;
            match credential(header.as_deref()) {
                Ok(Credential { token, user }) => {
                    known(&token.digest(), config, env, meter, &state.tokens)
                        .await?
                        .map(|caller| caller.named(user))
                }
                Err(refusal) => Err(refusal),
            }
        }
    };
    let checked = admitted.and_then(|caller| caller.check(access).map(|()| caller));
    let caller = checked.map_err(|refusal| state.refusals.counted(refusal))?;
    if let Some(id) = &caller.id {
        used::note(&state.uses, id, env, context, meter, clock::now_millis());
    }
    Ok(caller)
}

/// What a 401 asks for. A browser's page asks for a token by itself; a browser that is asked for
/// Basic would keep the password and show it in requests of other sites too. `fetch_mode` is the
/// header `Sec-Fetch-Mode`, which browsers send.
pub(crate) fn challenge(fetch_mode: Option<&str>) -> &'static str {
    match fetch_mode {
        Some(_) => "Bearer realm=\"pilotlight\"",
        None => "Basic realm=\"pilotlight\"",
    }
}

fn credential(header: Option<&str>) -> Result<Credential, Refusal> {
    match presented(header) {
        Ok(Some(credential)) => Ok(credential),
        Ok(None) => Err((Reason::Missing, unauthenticated(MISSING))),
        Err(error) => {
            let message = format!("{error}; {MISSING}");
            Err((Reason::Malformed, unauthenticated(&message)))
        }
    }
}

async fn known(
    digest: &TokenDigest,
    config: &Config,
    env: &Env,
    meter: &Meter,
    tokens: &RefCell<Cache<TokenRegistry>>,
) -> Result<Result<Caller, Refusal>, Problem> {
    if config.admin_token.as_ref() == Some(digest) {
        return Ok(Ok(Caller::unrestricted()));
    }
    let bucket = Metered::new(AnyBucket::open(env)?, meter.clone());
    let registry: Rc<TokenRegistry> = current(&bucket, tokens, clock::now_millis).await?;
    Ok(of_registry(digest, &registry, clock::now_millis()))
}

fn of_registry(
    digest: &TokenDigest,
    registry: &TokenRegistry,
    now: i64,
) -> Result<Caller, Refusal> {
    registry
        .find(digest, now)
        .map(Caller::of)
        .map_err(|denied| {
            let reason = match denied {
                Denied::Unknown => Reason::Unknown,
                Denied::Expired => Reason::Expired,
                Denied::Revoked => Reason::Revoked,
            };
            (reason, unauthenticated(INVALID))
        })
}

fn unauthenticated(message: &str) -> Problem {
    Problem::new(401, "unauthenticated", message)
}

fn say_open(said: &Cell<bool>) {
    if !said.replace(true) {
        worker::console_log!(
            "AUTH is \"open\": anyone who can reach this worker can push, read, delete and see /metrics"
        );
    }
}

#[cfg(test)]
mod tests {
    use pilotlight_core::access::{Token, TokenRecord, TokenScope, TokenTenant};

    use super::*;

    #[test]
    fn tokens_that_are_not_valid_look_alike() {
        let mut registry = TokenRegistry::default();
        let token = |n: u8| Token::from_entropy([n; 32]);
        for n in 1..=3 {
            let record = TokenRecord {
                id: n.to_string(),
                name: String::new(),
                tenant: TokenTenant::All,
                scopes: TokenScope::ALL.to_vec(),
                sha256: token(n).digest(),
                created: 0,
                expires: (n == 2).then_some(10),
                revoked: (n == 3).then_some(5),
            };
            registry.add(record, 0).unwrap();
        }
        let found = |n| of_registry(&token(n).digest(), &registry, 10);
        assert_eq!(found(1).unwrap().id.as_deref(), Some("1"));
        for (n, reason) in [
            (2, Reason::Expired),
            (3, Reason::Revoked),
            (4, Reason::Unknown),
        ] {
            assert_eq!(found(n), Err((reason, unauthenticated(INVALID))));
        }
    }

    #[test]
    fn nothing_shown_is_shown_again() {
        for (header, reason) in [
            (None, Reason::Missing),
            (Some("Bearer hunter2"), Reason::Malformed),
            (Some("Basic aHVudGVyMg"), Reason::Malformed),
        ] {
            let (found, problem) = credential(header).unwrap_err();
            assert_eq!((found, problem.status), (reason, 401));
            assert!(!problem.message.contains("hunter2") && !problem.message.contains("aHVu"));
        }
    }
}
