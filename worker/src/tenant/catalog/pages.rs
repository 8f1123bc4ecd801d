//! The catalog as its readers get it: pages of rows with their directories, all of one state.

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::{Rows, Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, Row, level_of, shape};

/// Size at which a page of the catalog ends: 4 MB. A reader holds one page as bytes and what it
/// decodes to.
pub(in crate::tenant) const PAGE_BYTES: usize = 4 << 20;

/// Which part of the catalog is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CatalogQuery {
    /// First and last millisecond, both inside.
    pub(crate) first_millis: i64,
    pub(crate) last_millis: i64,
    #[serde(default)]
    pub(crate) detail: Detail,
    /// The key after which to go on, and the state of the catalog to go on with; absent at first.
    pub(crate) after: Option<(String, i64)>,
}

/// Which objects a query needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Detail {
    /// All.
    #[default]
    Each,
    /// Those that a summary stands for whose profiles all lie in the span may be left out.
    Summarized,
}

/// Head of a page; the rows' directories follow as blobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    /// What to ask for next, `None` at the end.
    pub(crate) after: Option<(String, i64)>,
}

impl<S: Sql> Catalog<S> {
    /// A page of the rows that touch a span of time; it ends when their directories are more than
    /// `page_bytes`.
    pub(crate) fn page(
        &self,
        query: &CatalogQuery,
        page_bytes: usize,
    ) -> Result<(Page, Vec<Vec<u8>>), Problem> {
        let (after, state) = match query.after.clone() {
            // One part would have a block beside its sources, the other a block that stands for
            // them.
            Some((_, state)) if state < self.last_source_drop()? => {
                return Err(Problem::unavailable("the catalog has changed; try again"));
            }
            Some((key, state)) => (key, state),
            None => (String::new(), self.last()?),
        };
        let found = self.sql.query(
            "SELECT o.key, o.level, o.size, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.key > ?1 AND o.added_change <= ?2 AND (o.replaced_change IS NULL OR o.replaced_change > ?2)
               AND o.max_millis >= ?3 AND o.min_millis <= ?4
               AND NOT (?5 AND o.summary IS NOT NULL AND coalesce((
                 SELECT min(s.added_change <= ?2 AND (s.replaced_change IS NULL OR s.replaced_change > ?2)
                   AND s.min_millis > ?3 AND s.max_millis < ?4)
                 FROM objects s WHERE s.level = 3 AND s.job = o.summary), 0))
             ORDER BY o.key, d.part",
            vec![
                after.into(),
                number(state),
                number(query.first_millis),
                number(query.last_millis),
                i64::from(query.detail == Detail::Summarized).into(),
            ],
        )?;
        read_page(found, state, page_bytes)
    }

    /// The rows of objects by name, in that order, with their directories.
    pub(in crate::tenant) fn rows(
        &self,
        keys: &[String],
    ) -> Result<(Vec<Row>, Vec<Vec<u8>>), Problem> {
        let keys_json = serde_json::to_string(keys).map_err(Problem::internal)?;
        let found = self.sql.query(
            "SELECT o.key, o.level, o.size, d.bytes FROM json_each(?) j
             JOIN objects o ON o.key = j.value JOIN directories d ON d.key = o.key ORDER BY j.id, d.part",
            vec![keys_json.into()],
        )?;
        let (mut rows, mut directories) = (Vec::<Row>::new(), Vec::<Vec<u8>>::new());
        for values in found {
            let (row, part) = row(values?)?;
            match (rows.last(), directories.last_mut()) {
                (Some(last), Some(directory)) if last.key == row.key => directory.extend(part),
                _ => {
                    rows.push(row);
                    directories.push(part);
                }
            }
        }
        if rows.len() == keys.len() {
            Ok((rows, directories))
        } else {
            Err(shape())
        }
    }

    /// The number of the last change.
    pub(in crate::tenant) fn last(&self) -> Result<i64, Problem> {
        let mut found = self.sql.query("SELECT last FROM sequence", Vec::new())?;
        match found.next().transpose()?.as_deref() {
            None => Ok(0),
            Some([Value::Integer(last)]) => Ok(*last),
            Some(_) => Err(shape()),
        }
    }
}

/// Reads rows of a state until their directories are more than `page_bytes`.
pub(in crate::tenant) fn read_page(
    found: Rows,
    state: i64,
    page_bytes: usize,
) -> Result<(Page, Vec<Vec<u8>>), Problem> {
    let (mut page, mut directories, mut bytes) = (Page::default(), Vec::<Vec<u8>>::new(), 0);
    for values in found {
        let (row, part) = row(values?)?;
        bytes += part.len() + row.key.len();
        match (page.rows.last(), directories.last_mut()) {
            (Some(last), Some(directory)) if last.key == row.key => directory.extend(part),
            (Some(last), _) if bytes > page_bytes => {
                page.after = Some((last.key.clone(), state));
                break;
            }
            _ => {
                page.rows.push(row);
                directories.push(part);
            }
        }
    }
    Ok((page, directories))
}

fn row(values: Vec<Value>) -> Result<(Row, Vec<u8>), Problem> {
    match <[Value; 4]>::try_from(values) {
        Ok(
            [
                Value::String(key),
                Value::Integer(level),
                Value::Integer(size),
                Value::Blob(part),
            ],
        ) => Ok((
            Row {
                key,
                level: level_of(level)?,
                size: size as u64,
            },
            part,
        )),
        _ => Err(shape()),
    }
}
