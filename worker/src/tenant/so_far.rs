//! The sums of an hour that is not over ([`SO_FAR`]): when a reader gets them, and when they end.
//!
//! They stand beside the blocks of level 1 of their hour that arrived until the time in their name, and a reader who asks for
//! them gets them in the place of those. So they end with the first change after which they would not stand for just these:
//! when a block comes or goes among them that no job made out of others among them.

use pilotlight_core::store::SO_FAR;

use super::catalog::LEASED;
use super::sql::{Sql, Value, number};
use crate::errors::Problem;

/// On a row `o` and rows `s`: whether those are sums that reach as far as the arrival of that.
fn reach() -> String {
    let [sums, object] = ["s", "o"].map(|of| format!("CAST(substr({of}.key, -34, 13) AS INTEGER)"));
    format!("s.level = {SO_FAR} AND {sums} / 3600000 = {object} / 3600000 AND {object} <= {sums}")
}

/// A condition on a row `o`: whether a reader of state ?2 gets it who asks for profiles from ?3 until ?4 and, with ?6, for sums
/// so far, as far as those are concerned. They must lie inside the span, and shares of one job count together.
pub(super) fn is_read() -> String {
    let inside = "SELECT min(s.min_millis > ?3 AND s.max_millis < ?4) FROM objects s
                  WHERE s.added <= ?2 AND (s.removed IS NULL OR s.removed > ?2)";
    format!(
        "CASE o.level WHEN {SO_FAR} THEN ?6 AND ({inside} AND s.level = {SO_FAR})
         WHEN 1 THEN NOT (?6 AND coalesce(({inside} AND {}), 0)) ELSE 1 END",
        reach()
    )
}

/// Ends sums that would not hold any more, before a job over the leased sources is done; inside its transaction, after its
/// output was added. New ones take the place of those before.
pub(super) fn settle(sql: &impl Sql, level: u8, token: i64, now: i64) -> Result<(), Problem> {
    // A job that leaves something out has not the same profiles.
    let hold = format!(
        "SELECT max(early) = 0 OR ?1 = 1 AND min(early AND level = 1)
         AND NOT EXISTS (SELECT 1 FROM deletion_work WHERE key IN {LEASED})
         FROM (SELECT o.level, EXISTS (SELECT 1 FROM objects s WHERE s.removed IS NULL AND {}) AS early
               FROM objects o WHERE o.key IN {LEASED})",
        reach()
    );
    let hold = level != SO_FAR && {
        let found = sql.query(&hold, vec![i64::from(level).into()])?.next().transpose()?;
        matches!(found.as_deref(), Some([Value::Integer(1)]))
    };
    if hold { Ok(()) } else { end(sql, token, now) }
}

/// Ends all sums so far but those of a job, with the last change; inside a transaction.
pub(super) fn end(sql: &impl Sql, but: i64, now: i64) -> Result<(), Problem> {
    sql.exec(
        &format!(
            "UPDATE objects SET removed = (SELECT last FROM sequence), removed_millis = ?
             WHERE level = {SO_FAR} AND removed IS NULL AND job <> ?"
        ),
        vec![number(now), number(but)],
    )
}
