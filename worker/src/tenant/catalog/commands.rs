//! What an operator wants of a shard: objects that no job takes any more, deletion.

use pilotlight_core::plans::MAX_FAILURES;
use serde::{Deserialize, Serialize};

use crate::meter::Discarded;
use crate::platform::errors::Problem;
use crate::tenant::catalog::deletions::{DeletionRequest, drop_finished_deletions};
use crate::tenant::catalog::discards::{add_discarded, discarded, forget_messages};
use crate::tenant::catalog::lease_table::drop_lease;
use crate::tenant::catalog::objects::{forgive_failures, replace_all};
use crate::tenant::catalog::published::change_all_days;
use crate::tenant::catalog::sql::{Sql, Value};
use crate::tenant::catalog::table::{Catalog, next, shape, texts};
use crate::tenant::catalog::token_use::{TokenUse, note_use, uses};

/// Most parked objects that are shown: 1,000. Who has that many has one cause for all.
const MAX_PARKED: i64 = 1_000;

/// An order of an operator. All shards of a tenant get the same one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AdminCommand {
    /// Answered with a list of [`Parked`].
    Parked,
    /// Lets jobs take parked objects again; answered with their number.
    RetryParked,
    /// Removes everything that is stored by now.
    DeleteAll,
    /// Answered with those of these names that no row has.
    Unknown(Vec<String>),
    /// Begins a deletion; answered with [`crate::tenant::StartedDeletion`].
    DeleteProfiles(DeletionRequest),
    /// Answered with a list of [`crate::tenant::PendingDeletion`].
    Deletions,
    /// Answered with how many replaced objects may still be in the bucket.
    Left,
    /// Notes when a token was used.
    TokenUsed(TokenUse),
    /// Answered with a list of [`TokenUse`].
    TokensUsed,
    /// Counts pushes that were refused.
    Discard(Vec<Discarded>),
    /// Answered with a list of [`Discarded`].
    Discarded,
}

/// An object over which so many jobs have failed that none takes it any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parked {
    pub(crate) key: String,
    pub(crate) size: i64,
    pub(crate) level: i64,
    pub(crate) failures: i64,
    /// What the last of them said.
    pub(crate) error: String,
}

impl<S: Sql> Catalog<S> {
    /// Does what an operator wants; the answer is JSON.
    pub(in crate::tenant) fn order(
        &self,
        order: AdminCommand,
        now: i64,
    ) -> Result<Vec<u8>, Problem> {
        match order {
            AdminCommand::Parked => json(&self.parked()?),
            AdminCommand::RetryParked => json(&forgive_failures(&self.sql)?),
            AdminCommand::DeleteAll => json(&self.delete_all(now)?),
            AdminCommand::Unknown(keys) => json(&self.absent(&keys)?),
            AdminCommand::DeleteProfiles(wanted) => json(&self.delete_profiles(wanted, now)?),
            AdminCommand::Deletions => json(&self.pending()?),
            AdminCommand::Left => json(&self.left(now)?),
            AdminCommand::TokenUsed(used) => json(&note_use(&self.sql, &used)?),
            AdminCommand::TokensUsed => json(&uses(&self.sql)?),
            AdminCommand::Discard(new) => json(&add_discarded(&self.sql, new)?),
            AdminCommand::Discarded => json(&discarded(&self.sql)?),
        }
    }

    fn parked(&self) -> Result<Vec<Parked>, Problem> {
        let found = self.sql.query(
            "SELECT key, size, level, failures, coalesce(error, '') FROM objects
             WHERE state = 'live' AND failures >= ? ORDER BY key LIMIT ?",
            vec![i64::from(MAX_FAILURES).into(), MAX_PARKED.into()],
        )?;
        let parked = |values: Result<Vec<Value>, Problem>| match <[Value; 5]>::try_from(values?) {
            Ok(
                [
                    Value::String(key),
                    Value::Integer(size),
                    Value::Integer(level),
                    Value::Integer(failures),
                    Value::String(error),
                ],
            ) => Ok(Parked {
                key,
                size,
                level,
                failures,
                error,
            }),
            _ => Err(shape()),
        };
        found.map(parked).collect()
    }

    /// Removes every row, in one change, so that nobody waits for the bytes to be deleted. The
    /// running job loses its lease, and no push is known any more.
    fn delete_all(&self, now: i64) -> Result<(), Problem> {
        self.sql.transaction(move |sql| {
            let change = next(sql)?;
            // No push is known any more; what comes again is to be stored.
            replace_all(sql, change)?;
            change_all_days(sql)?;
            drop_lease(sql, now)?;
            drop_finished_deletions(sql)?;
            forget_messages(sql)
        })
    }

    /// Those names that no row has, or only one of an object that is deleted.
    pub(in crate::tenant) fn absent(&self, keys: &[String]) -> Result<Vec<String>, Problem> {
        let keys = serde_json::to_string(keys).map_err(Problem::internal)?;
        let found = self.sql.query(
            "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM objects WHERE key = value AND state <> 'deleted')",
            vec![keys.into()],
        )?;
        texts(found)
    }

    /// How many objects may still be in the bucket; a day that may be written yet is one of them.
    fn left(&self, now: i64) -> Result<i64, Problem> {
        let mut found = self.sql.query(
            "SELECT count(*) FROM objects WHERE state = 'replaced'",
            Vec::new(),
        )?;
        match found.next().transpose()?.as_deref() {
            Some([Value::Integer(count)]) => Ok(count + i64::from(self.may_be_written(now)?)),
            _ => Err(shape()),
        }
    }
}

fn json(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(Problem::internal)
}
