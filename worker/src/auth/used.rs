//! When tokens were last used, to the hour: noted once an hour by each isolate, in one object of the
//! installation. It is a help for whoever cleans up; an object that is lost forgets it.

use std::cell::RefCell;
use std::collections::HashMap;

use pilotlight_core::access::MAX_TOKENS;
use pilotlight_core::store::TenantId;
use worker::{Context, Env};

use crate::meter::Meter;
use crate::platform::errors::Problem;
use crate::tenant::{AdminCommand, Shard, StubLine, TenantClient, TokenUse};

const HOUR_MILLIS: i64 = 3_600_000;

/// The hour that this isolate noted last, by id.
#[derive(Default)]
pub(super) struct NotedUses(RefCell<HashMap<String, i64>>);

impl NotedUses {
    /// Whether a use is the first of the hour that begins at `at`.
    fn is_first(&self, id: &str, at: i64) -> bool {
        let mut noted = self.0.borrow_mut();
        // Of tokens that are gone.
        if noted.len() > 2 * MAX_TOKENS {
            noted.clear();
        }
        noted.insert(id.to_owned(), at) != Some(at)
    }
}

/// Notes a use after the answer has gone, if it is the first of the hour.
pub(super) fn note(
    uses: &NotedUses,
    id: &str,
    env: &Env,
    context: &Context,
    meter: &Meter,
    now: i64,
) {
    let at = now - now.rem_euclid(HOUR_MILLIS);
    if !uses.is_first(id, at) {
        return;
    }
    let (id, env, meter) = (id.to_owned(), env.clone(), meter.clone());
    context.wait_until(async move {
        let order = AdminCommand::TokenUsed(TokenUse { id, at });
        let noted = match client(&env, meter) {
            Ok(client) => client.order::<()>(&order).await,
            Err(problem) => Err(problem),
        };
        if let Err(problem) = noted {
            worker::console_error!("a token's use was not recorded: {}", problem.message);
        }
    });
}

/// The last use of each token that was used.
pub(crate) async fn last_used(env: &Env, meter: &Meter) -> Result<Vec<TokenUse>, Problem> {
    let client = client(env, meter.clone())?;
    client.order(&AdminCommand::TokensUsed).await
}

/// Of the one object that has the uses of all tokens, so that a list asks once.
fn client(env: &Env, meter: Meter) -> Result<TenantClient<StubLine>, Problem> {
    let shard = Shard {
        tenant: TenantId::anonymous(),
        number: 0,
    };
    Ok(TenantClient::new(StubLine::new(env, &shard, meter)?))
}
