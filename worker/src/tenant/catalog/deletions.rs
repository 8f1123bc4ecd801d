//! Deletions of profiles: each is a row, with the objects that hold some of its profiles, until all
//! of these are rewritten.
//!
//! No job is under way when a deletion begins (the running one loses its lease), and each later one
//! leaves out what is deleted. So what has no row in `deletion_work` holds nothing of it. Blocks
//! that sum up such objects go at once: queries then read what the sums were made of, and new ones
//! are made when that is rewritten.

use pilotlight_core::{
    Selector, TimeRange,
    plans::{CompactJob, Deletion, JobCandidate, MAX_FAILURES, pick_rewrite},
    store::Directory,
};
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::lease_table::drop_lease;
use crate::tenant::catalog::objects::replace_summaries;
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, each_directory, level_of, next, shape, texts};

pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS deletions (number INTEGER PRIMARY KEY, wanted TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deletion_work (
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (key, number)
) WITHOUT ROWID;";

/// Most deletions at once: 32. A job asks each of them about each profile.
const MAX_DELETIONS: usize = 32;

/// What is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeletionRequest {
    /// Selects series.
    pub(crate) query: String,
    /// Profiles that start from this millisecond on ...
    pub(crate) from: i64,
    /// ... and before this one.
    pub(crate) until: i64,
}

/// How far a deletion is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingDeletion {
    #[serde(flatten)]
    pub(crate) wanted: DeletionRequest,
    /// Objects that still hold some of it; until then queries may show it.
    pub(crate) left: i64,
    /// Those of them over which jobs have failed too often.
    pub(crate) parked: i64,
}

/// What a deletion has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartedDeletion {
    /// Objects that will be rewritten.
    pub(crate) objects: u64,
    /// Blocks of sums whose sources are gone: what they have of it stays until it is over.
    pub(crate) sums_kept: u64,
}

impl DeletionRequest {
    fn deletion(&self) -> Result<Deletion, Problem> {
        let selector = Selector::parse(&self.query).map_err(Problem::invalid)?;
        let range = TimeRange::of_millis(self.from, self.until);
        Ok(Deletion {
            selector,
            range,
            others: false,
        })
    }
}

/// What a job has to leave out.
pub(crate) fn parsed(wanted: &[DeletionRequest]) -> Result<Vec<Deletion>, Problem> {
    wanted.iter().map(DeletionRequest::deletion).collect()
}

impl<S: Sql> Catalog<S> {
    /// Begins a deletion of what is stored by now.
    pub(in crate::tenant) fn delete_profiles(
        &self,
        wanted: DeletionRequest,
        now: i64,
    ) -> Result<StartedDeletion, Problem> {
        let deletion = wanted.deletion()?;
        if self
            .wanted("SELECT wanted FROM deletions", Vec::new())?
            .len()
            >= MAX_DELETIONS
        {
            return Err(Problem::overloaded(format!(
                "{MAX_DELETIONS} deletions are in progress; wait for one to finish"
            )));
        }
        let (mut begun, mut work, mut summaries) =
            (StartedDeletion::default(), Vec::new(), Vec::new());
        let touched = self.sql.query(
            "SELECT o.key, o.level, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.state = 'live' AND o.max_millis >= ? AND o.min_millis <= ? ORDER BY o.key, d.part",
            vec![number(wanted.from), number(wanted.until)],
        )?;
        each_directory(touched, |key, level, directory| {
            let directory = Directory::decode(&directory).map_err(Problem::internal)?;
            match directory
                .block()
                .is_some_and(|block| !block.summarizes.is_empty())
            {
                _ if !deletion.touches(&directory) => {}
                true => summaries.push(key),
                false if !level_of(level)?.has_profiles() => begun.sums_kept += 1,
                false => work.push(key),
            }
            Ok(())
        })?;
        begun.objects = work.len() as u64;
        let json = |keys: Vec<String>| serde_json::to_string(&keys).map_err(Problem::internal);
        let (work, summaries, wanted) = (json(work)?, json(summaries)?, json_of(&wanted)?);
        self.sql.transaction(move |sql| {
            drop_lease(sql, now)?;
            let change = next(sql)?;
            sql.exec(
                "INSERT INTO deletions VALUES (?, ?)",
                vec![number(change), wanted.into()],
            )?;
            sql.exec(
                "INSERT INTO deletion_work SELECT value, ? FROM json_each(?)",
                vec![number(change), work.into()],
            )?;
            // All blocks of a job over a day go, since all of its sources will be summarized anew.
            replace_summaries(sql, &summaries, change, now)?;
            drop_finished_deletions(sql)
        })?;
        Ok(begun)
    }

    /// Those under way.
    pub(in crate::tenant) fn pending(&self) -> Result<Vec<PendingDeletion>, Problem> {
        let found = self.sql.query(
            "SELECT d.wanted, count(o.key), coalesce(sum(o.failures >= ?), 0) FROM deletions d
             LEFT JOIN deletion_work w ON w.number = d.number
             LEFT JOIN objects o ON o.key = w.key AND o.state = 'live' GROUP BY d.number ORDER BY d.number",
            vec![i64::from(MAX_FAILURES).into()],
        )?;
        let pending = |values: Result<Vec<Value>, Problem>| match <[Value; 3]>::try_from(values?) {
            Ok(
                [
                    Value::String(wanted),
                    Value::Integer(left),
                    Value::Integer(parked),
                ],
            ) => Ok(PendingDeletion {
                wanted: serde_json::from_str(&wanted).map_err(|_| shape())?,
                left,
                parked,
            }),
            _ => Err(shape()),
        };
        found.map(pending).collect()
    }

    fn wanted(&self, query: &str, values: Vec<Value>) -> Result<Vec<DeletionRequest>, Problem> {
        let found = texts(self.sql.query(query, values)?)?;
        found
            .iter()
            .map(|json| serde_json::from_str(json).map_err(|_| shape()))
            .collect()
    }

    /// The next job over objects that hold deleted profiles, and what it has to leave out. A
    /// deletion does not cover later pushes, so a job takes only objects with the same set of
    /// deletions.
    pub(in crate::tenant) fn rewrite(
        &self,
    ) -> Result<Option<(CompactJob, Vec<DeletionRequest>)>, Problem> {
        let found = self.sql.query(
            "SELECT o.key, o.size, json_group_array(w.number) FROM deletion_work w JOIN objects o ON o.key = w.key
             WHERE o.state = 'live' AND o.failures < ? GROUP BY w.key",
            vec![i64::from(MAX_FAILURES).into()],
        )?;
        let (mut objects, mut first) = (Vec::new(), None::<String>);
        for values in found {
            let Ok(
                [
                    Value::String(key),
                    Value::Integer(size),
                    Value::String(numbers),
                ],
            ) = <[Value; 3]>::try_from(values?)
            else {
                return Err(shape());
            };
            if *first.get_or_insert_with(|| numbers.clone()) == numbers {
                objects.push(JobCandidate {
                    key,
                    size: size as u64,
                    segments: 0,
                    day_bytes: 0,
                    summarized: false,
                    failures: 0,
                });
            }
        }
        let (Some(numbers), Some(job)) = (first, pick_rewrite(&objects)) else {
            return Ok(None);
        };
        let of_job =
            "SELECT wanted FROM deletions WHERE number IN (SELECT value FROM json_each(?))";
        Ok(Some((job, self.wanted(of_job, vec![numbers.into()])?)))
    }
}

/// Drops what is done; inside the transaction that replaced objects.
pub(in crate::tenant) fn drop_finished_deletions(sql: &impl Sql) -> Result<(), Problem> {
    sql.exec(
        "DELETE FROM deletion_work WHERE key NOT IN (SELECT key FROM objects WHERE state = 'live')",
        Vec::new(),
    )?;
    sql.exec(
        "DELETE FROM deletions WHERE number NOT IN (SELECT number FROM deletion_work)",
        Vec::new(),
    )
}

fn json_of(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(Problem::internal)
}
