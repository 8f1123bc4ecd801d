//! A query in parts: sets of objects whose answers add up to the answer of all.
//!
//! A block of level 3 and what it sums up answer a query together, so they are in one part
//! ([`crate::plans::cover`]). What lies wholly inside the range has an answer that does not depend on the
//! range, and such parts are formed by spans of arrival that begin and end at fixed times: the
//! query of tomorrow finds the parts of today again, and with them their answers.

use std::ops::Range;

use hashbrown::HashMap;

use super::QueryPlan;
use crate::base::sort::sort_by;
use crate::base::units::TimeRange;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::{has_no_sources, service};
use crate::plans::disjoint_sets::DisjointSets;
use crate::plans::plan::{CatalogObject, Plan, PlanError};
use crate::selector::Selector;
use crate::store::{Contents, Directory, Level, ObjectKey};

/// Most reads of a part: 256. Six at once at some 30 ms each are over after 1.3 s.
const MAX_READS: usize = 256;

/// Fewest bytes whose answer is worth keeping: 256 kB. Reading and merging them takes some 20 ms of
/// CPU and as long on the way, a look into a cache about as long as one read.
const MIN_FIXED_BYTES: u64 = 256 << 10;

/// Most bytes of several days together: four times the least that is worth keeping. With more, each
/// day (or two, or four) is a part, so that a range that ends a day later has all but the last from
/// before.
const MAX_DAYS_BYTES: u64 = 4 * MIN_FIXED_BYTES;

const DAY_MILLIS: i64 = 86_400_000;

/// The longest span of a part: eight days, which halve down to one.
const SPAN_MILLIS: i64 = 8 * DAY_MILLIS;

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subquery {
    /// Its objects. Their directories have nothing but what the query asks for.
    pub objects: Vec<CatalogObject>,
    /// How many bytes it reads.
    pub bytes: u64,
    /// Whether the answer depends on nothing but selector, type and the names of the objects, and
    /// is worth keeping.
    ///
    /// So it is for blocks that lie wholly inside the range: an object never changes, and what
    /// compaction, deletion of profiles or retention makes of it has another name, or is not in the
    /// catalog.
    pub fixed: bool,
}

/// How a query is answered.
pub enum SplitQuery {
    /// By one plan.
    Whole(Box<QueryPlan>),
    /// By several, whose answers are added up ([`super::AnswerSum`]).
    Subqueries(Vec<Subquery>),
}

/// Objects that answer together.
struct Closed {
    objects: Vec<CatalogObject>,
    /// When the first of them was written.
    millis: i64,
    bytes: u64,
    reads: usize,
    fixed: bool,
}

/// Splits a query into parts that read at most `subquery_bytes` each, unless a single block with what
/// it sums up reads more. What reads that little at all, and has nothing worth keeping, stays
/// whole.
pub fn split(
    selector: &Selector,
    profile_type: &ProfileType,
    range: TimeRange,
    objects: Vec<CatalogObject>,
    subquery_bytes: u64,
) -> Result<SplitQuery, PlanError> {
    let plan = Box::new(QueryPlan::new(selector, profile_type, range, &objects)?);
    let (mut of_key, mut bytes, mut reads) = (HashMap::<String, (u64, usize)>::new(), 0, 0);
    for get in plan.wants() {
        (bytes, reads) = (bytes + get.length, reads + 1);
        let (bytes, reads) = of_key.entry(get.key).or_default();
        (*bytes, *reads) = (*bytes + get.length, *reads + 1);
    }
    if reads <= MAX_READS && bytes <= subquery_bytes.min(MIN_FIXED_BYTES) {
        return Ok(SplitQuery::Whole(plan));
    }
    let asked = objects.into_iter().filter_map(|object| {
        let directory = asked(object.directory, selector, profile_type)?;
        Some(CatalogObject {
            directory,
            ..object
        })
    });
    let mut all = closed(asked.collect(), range, &of_key);
    // A range may round a day away. Its part stays, so that the answer says that it is rounded.
    all.retain(|closed| closed.reads > 0 || closed.objects.iter().any(has_no_sources));
    sort_by(&mut all, |a, b| {
        (a.millis, &a.objects[0].key).cmp(&(b.millis, &b.objects[0].key))
    });
    let parts = parts(all, subquery_bytes);
    Ok(match parts.as_slice() {
        [] | [Subquery { fixed: false, .. }] => SplitQuery::Whole(plan),
        _ => SplitQuery::Subqueries(parts),
    })
}

/// What a directory says of the services and type that a query asks for; `None` when that is
/// nothing. A service's datasets stay together, since a summary answers for all of them or none.
fn asked(
    mut directory: Directory,
    selector: &Selector,
    profile_type: &ProfileType,
) -> Option<Directory> {
    let of_type = directory.types.iter().position(|t| t == profile_type)? as u32;
    let selected: Vec<bool> = directory
        .label_sets
        .iter()
        .map(|l| selector.matches(profile_type, l))
        .collect();
    let is_selected = |labels: &u32| selected[*labels as usize];
    let of_datasets = directory.datasets().iter().map(|dataset| {
        let any = dataset.profile_type == of_type && dataset.series.iter().any(is_selected);
        any.then(|| service(&directory, dataset).to_owned())
    });
    let services: Vec<String> = of_datasets.flatten().collect();
    let keeps = directory.datasets().iter().map(|dataset| {
        dataset.profile_type == of_type
            && services
                .iter()
                .any(|name| *name == service(&directory, dataset))
    });
    let mut keeps = keeps.collect::<Vec<bool>>().into_iter();
    let mut used = vec![false; selected.len()];
    match &mut directory.contents {
        Contents::Segment(chunks) => {
            chunks.retain(|chunk| {
                chunk
                    .series
                    .iter()
                    .any(|s| s.profile_type == of_type && is_selected(&s.labels))
            });
            chunks
                .iter()
                .flat_map(|chunk| &chunk.series)
                .for_each(|s| used[s.labels as usize] = true);
        }
        Contents::Block(block) => {
            block.datasets.retain(|_| keeps.next().unwrap_or(false));
            block.ids = None;
            block
                .datasets
                .iter()
                .flat_map(|dataset| &dataset.series)
                .for_each(|&l| used[l as usize] = true);
        }
    }
    // Others keep their places.
    directory
        .label_sets
        .iter_mut()
        .zip(&used)
        .filter(|(_, used)| !**used)
        .for_each(|(l, _)| *l = Labels::default());
    (!directory.chunks().is_empty() || !directory.datasets().is_empty()).then_some(directory)
}

/// Objects that are connected by summaries, together. Several blocks may sum up one source.
fn closed(
    objects: Vec<CatalogObject>,
    range: TimeRange,
    of_key: &HashMap<String, (u64, usize)>,
) -> Vec<Closed> {
    let mut sets = DisjointSets::new(objects.len());
    let mut places: HashMap<&str, usize> = objects
        .iter()
        .enumerate()
        .map(|(at, object)| (object.key.as_str(), at))
        .collect();
    for (at, object) in objects.iter().enumerate() {
        let summarizes = object
            .directory
            .block()
            .into_iter()
            .flat_map(|block| &block.summarizes);
        for key in summarizes {
            // A source that is gone still ties the blocks that sum it up.
            sets.union(at, *places.entry(key).or_insert(at));
        }
    }
    drop(places);
    let (mut all, mut place_of) = (Vec::<Closed>::new(), HashMap::new());
    for (at, object) in objects.into_iter().enumerate() {
        let place = *place_of.entry(sets.find(at)).or_insert(all.len());
        if place == all.len() {
            all.push(Closed {
                objects: Vec::new(),
                millis: i64::MAX,
                bytes: 0,
                reads: 0,
                fixed: true,
            });
        }
        let closed = &mut all[place];
        let (bytes, reads) = of_key.get(&object.key).copied().unwrap_or_default();
        (closed.bytes, closed.reads) = (closed.bytes + bytes, closed.reads + reads);
        // One whose name says nothing is of the beginning of time.
        let millis = object.key.parse::<ObjectKey>().map_or(0, |key| key.millis);
        closed.millis = closed.millis.min(millis);
        closed.fixed &= object.level >= Level::Hour && is_inside(&object.directory, range);
        closed.objects.push(object);
    }
    all
}

fn is_inside(directory: &Directory, range: TimeRange) -> bool {
    directory
        .series()
        .all(|(_, _, first, last)| range.from <= first && last < range.until)
}

/// Parts, in order of time, of what is in that order.
fn parts(all: Vec<Closed>, subquery_bytes: u64) -> Vec<Subquery> {
    let (fixed, mut rest): (Vec<Closed>, Vec<Closed>) =
        all.into_iter().partition(|closed| closed.fixed);
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < fixed.len() {
        let from = fixed[at].millis.div_euclid(SPAN_MILLIS) * SPAN_MILLIS;
        let end = at + fixed[at..].partition_point(|closed| closed.millis - from < SPAN_MILLIS);
        halve(
            &fixed,
            at..end,
            from,
            SPAN_MILLIS,
            subquery_bytes,
            &mut ranges,
        );
        at = end;
    }
    let (mut fixed, mut parts) = (fixed.into_iter(), Vec::new());
    for range in ranges {
        let some: Vec<Closed> = fixed.by_ref().take(range.len()).collect();
        if some.iter().map(|closed| closed.bytes).sum::<u64>() < MIN_FIXED_BYTES {
            rest.extend(some);
        } else {
            parts.push(part(some, true));
        }
    }
    let mut open = Vec::new();
    for closed in rest {
        if !open.is_empty() && !fits(open.iter().chain([&closed]), subquery_bytes) {
            parts.push(part(std::mem::take(&mut open), false));
        }
        open.push(closed);
    }
    if !open.is_empty() {
        parts.push(part(open, false));
    }
    parts
}

/// Halves a span until each part fits, and is at most a day unless it is small.
fn halve(
    all: &[Closed],
    at: Range<usize>,
    from: i64,
    span: i64,
    subquery_bytes: u64,
    out: &mut Vec<Range<usize>>,
) {
    let most = if span > DAY_MILLIS {
        subquery_bytes.min(MAX_DAYS_BYTES)
    } else {
        subquery_bytes
    };
    if at.is_empty() {
        return;
    }
    if at.len() == 1 || fits(all[at.clone()].iter(), most) {
        out.push(at);
        return;
    }
    if span <= 1 {
        // All of one instant: halves of them.
        let middle = at.start + at.len() / 2;
        halve(all, at.start..middle, from, span, subquery_bytes, out);
        return halve(all, middle..at.end, from, span, subquery_bytes, out);
    }
    let half = span / 2;
    let middle = at.start + all[at.clone()].partition_point(|closed| closed.millis - from < half);
    halve(all, at.start..middle, from, half, subquery_bytes, out);
    halve(
        all,
        middle..at.end,
        from + half,
        span - half,
        subquery_bytes,
        out,
    );
}

fn fits<'a>(all: impl Iterator<Item = &'a Closed>, most: u64) -> bool {
    let (bytes, reads) = all.fold((0, 0), |(bytes, reads), closed| {
        (bytes + closed.bytes, reads + closed.reads)
    });
    bytes <= most && reads <= MAX_READS
}

fn part(all: Vec<Closed>, fixed: bool) -> Subquery {
    let bytes = all.iter().map(|closed| closed.bytes).sum();
    Subquery {
        objects: all.into_iter().flat_map(|closed| closed.objects).collect(),
        bytes,
        fixed,
    }
}

#[cfg(test)]
mod tests;
