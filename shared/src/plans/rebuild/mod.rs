//! Rebuilding a catalog from the objects of a bucket, when there is nothing else to go by.
//!
//! Of each object the end is read, where its directory stands and before it, in a block, where it
//! comes from. What counts is then judged by [`reconcile`]: blocks by the names of their
//! sources and by the chunks that went into them, segments by their chunks. The sources of a block
//! arrived in one hour, so only blocks of the same hour can have a source in common.

mod known;
mod reading;
mod reconcile;
mod summaries;

use std::collections::{BTreeMap, VecDeque};

use hashbrown::{HashMap, HashSet};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::base::sort::sort_by;
use crate::plans::counted_chunks::{CountedChunks, RETRY_WINDOW_MILLIS};
use crate::plans::plan::{Get, Plan, PlanError};
use crate::store::{
    CatalogRow, ChunkId, Contents, Counted, Directory, Ids, Level, ObjectKey, Partition, StoreError,
};
use known::{Known, digest};
use reading::Reading;
use reconcile::{BlockFacts, reconcile};
use summaries::Summaries;

/// Objects that are read at once: 64, whose ends are 4 MB.
const READING: usize = 64;

const HOUR_MILLIS: i64 = 3_600_000;

/// What a catalog should hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// The objects that count, in order of arrival. Directories list only what counts.
    pub rows: Vec<CatalogRow>,
    /// The objects that do not, and why.
    pub dropped: Vec<(String, Dropped)>,
    /// The objects that cannot be judged.
    pub damaged: Vec<(String, StoreError)>,
    /// The highest token of a block. Later leases must have higher ones.
    pub last_token: u64,
}

/// Why an object does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Dropped {
    /// Another block holds what is in it, or some of that.
    #[error("replaced by a block")]
    Replaced,
    /// All of its chunks were counted before.
    #[error("all of its chunks were counted before")]
    Repeated,
    /// A summary of what has changed since, or of what another sums up.
    #[error("its sources have changed or have a newer summary")]
    Outdated,
    /// What is left of the sources of a summary, some of which have expired.
    #[error("other sources of its summary have expired")]
    Expired,
}

/// Reads what a catalog is rebuilt from.
pub struct RebuildPlan {
    waiting: VecDeque<Reading>,
    reading: BTreeMap<String, Reading>,
    /// Arrivals of all segments, in order.
    arrivals: Vec<i64>,
    /// How many blocks with profiles there are of an hour.
    of_hour: HashMap<i64, usize>,
    /// What there is.
    there: HashSet<u64>,
    known: Vec<Known>,
    damaged: Vec<(String, StoreError)>,
}

impl RebuildPlan {
    /// From the names and lengths of a bucket's objects, which must be of one shard. Other names
    /// are left out.
    ///
    /// A catalog that is there still may know some of them for `removed`: those count for nothing,
    /// and may be gone at any time.
    pub fn new(
        listing: impl IntoIterator<Item = (String, u64)>,
        removed: impl IntoIterator<Item = String>,
    ) -> Self {
        let removed: HashSet<String> = removed.into_iter().collect();
        let mut plan = Self {
            waiting: VecDeque::new(),
            reading: BTreeMap::new(),
            arrivals: Vec::new(),
            of_hour: HashMap::new(),
            there: HashSet::new(),
            known: Vec::new(),
            damaged: Vec::new(),
        };
        let named =
            |(name, size): (String, u64)| Some((name.parse::<ObjectKey>().ok()?, name, size));
        let listed = listing
            .into_iter()
            .filter(|(name, _)| !removed.contains(name));
        let mut objects: Vec<_> = listed.filter_map(named).collect();
        sort_by(&mut objects, |a, b| {
            (a.0.millis, &a.1).cmp(&(b.0.millis, &b.1))
        });
        objects
            .into_iter()
            .for_each(|(key, name, size)| plan.add(key, name, size));
        plan.begin();
        plan
    }

    /// Takes in an object that is there.
    fn add(&mut self, key: ObjectKey, name: String, size: u64) {
        self.there.insert(digest(&name));
        match key.level {
            Level::Segment => self.arrivals.push(key.millis),
            Level::Minutes | Level::Hour => *self.of_hour.entry(hour(&key)).or_default() += 1,
            Level::Day => {}
        }
        self.waiting.push_back(Reading::new(key, name, size));
    }

    /// Takes further objects, as far as there may be more at once.
    fn begin(&mut self) {
        while self.reading.len() < READING {
            let Some(reading) = self.waiting.pop_front() else {
                return;
            };
            self.reading.insert(reading.name.clone(), reading);
        }
    }

    /// Goes on without an object that was deleted since it was listed.
    pub fn gone(&mut self, key: &str) {
        self.reading.remove(key);
        self.begin();
    }

    fn known(&self, reading: Reading, directory: Directory, ids: Ids) -> Result<Known, StoreError> {
        let Reading {
            key, name, size, ..
        } = reading;
        let mut claims: Vec<u64> = ids.made_of.iter().map(|name| digest(name)).collect();
        let summarizes = directory
            .block()
            .map_or(&[][..], |block| &block.summarizes)
            .iter()
            .map(|name| digest(name));
        let sources_left = claims
            .iter()
            .copied()
            .chain(summarizes)
            .any(|name| self.there.contains(&name));
        if self
            .of_hour
            .get(&hour(&key))
            .is_some_and(|&blocks| blocks > 1)
        {
            // Of each segment that went into it one chunk: segments go into blocks whole.
            let mut first: BTreeMap<i64, ChunkId> = BTreeMap::new();
            for Counted { id, arrival_millis } in &ids.counted {
                let first = first.entry(*arrival_millis).or_insert(*id);
                *first = (*first).min(*id);
            }
            claims.extend(
                first
                    .into_iter()
                    .map(|(at, id)| xxh3_64_with_seed(&id.0, at as u64)),
            );
        }
        let counted = ids
            .counted
            .into_iter()
            .filter(|c| self.is_near(c.arrival_millis))
            .collect();
        let chunks = directory.chunks().iter().map(|chunk| chunk.id).collect();
        let row = CatalogRow {
            key: name,
            size,
            directory: directory.encode()?,
        };
        let (token, partition, summarizes) = match directory.contents {
            Contents::Segment(..) => (0, Partition::default(), Vec::new()),
            Contents::Block(block) => (block.token, block.partition, block.summarizes),
        };
        Ok(Known {
            key,
            row,
            chunks,
            token,
            partition,
            sources_left,
            claims,
            counted,
            summarizes,
        })
    }

    /// Whether a segment arrived within the retry window of a time.
    fn is_near(&self, millis: i64) -> bool {
        let first = self
            .arrivals
            .partition_point(|&at| at < millis.saturating_sub(RETRY_WINDOW_MILLIS));
        self.arrivals
            .get(first)
            .is_some_and(|&at| at <= millis.saturating_add(RETRY_WINDOW_MILLIS))
    }

    /// The judgement, when nothing is wanted any more.
    pub fn finish(mut self) -> Result<Rebuilt, PlanError> {
        if !self.reading.is_empty() {
            return Err(PlanError::Unfinished(
                self.reading.len() + self.waiting.len(),
            ));
        }
        // Reads end in any order.
        sort_by(&mut self.known, |a, b| {
            (a.key.millis, &a.row.key).cmp(&(b.key.millis, &b.row.key))
        });
        let mut rebuilt = Rebuilt {
            damaged: self.damaged,
            ..Rebuilt::default()
        };
        sort_by(&mut rebuilt.damaged, |a, b| a.0.cmp(&b.0));
        rebuilt.last_token = self
            .known
            .iter()
            .map(|known| known.token)
            .max()
            .unwrap_or(0);
        let blocks = self
            .known
            .iter_mut()
            .filter(|known| known.key.level > Level::Segment);
        let facts = blocks.map(|known| BlockFacts {
            key: digest(&known.row.key),
            token: known.token,
            partition: known.partition,
            sources_left: known.sources_left,
            made_of: std::mem::take(&mut known.claims),
            summarizes: known.summarizes.iter().map(|name| digest(name)).collect(),
        });
        let (counting, replaced) = reconcile(facts.collect());
        let summaries = Summaries::of(&self.known, &counting);

        let mut chunks = CountedChunks::default();
        for known in self
            .known
            .iter_mut()
            .filter(|known| counting.contains(&digest(&known.row.key)))
        {
            chunks.extend(std::mem::take(&mut known.counted));
        }
        for known in self.known {
            let name = digest(&known.row.key);
            let judged = match known.key.level {
                Level::Segment if replaced.contains(&name) => Err(Dropped::Replaced),
                Level::Segment => segment(&known, &mut chunks)?,
                Level::Minutes | Level::Hour if !counting.contains(&name) => Err(Dropped::Replaced),
                Level::Minutes | Level::Hour if summaries.expired.contains(&name) => {
                    Err(Dropped::Expired)
                }
                Level::Minutes | Level::Hour => Ok(known.row.directory),
                Level::Day if !counting.contains(&name) || summaries.outdated.contains(&name) => {
                    Err(Dropped::Outdated)
                }
                Level::Day if summaries.alone.contains(&name) => {
                    Ok(alone(&known.row.directory).map_err(PlanError::Output)?)
                }
                Level::Day => Ok(known.row.directory),
            };
            match judged {
                Ok(directory) => rebuilt.rows.push(CatalogRow {
                    directory,
                    ..known.row
                }),
                Err(why) => rebuilt.dropped.push((known.row.key, why)),
            }
        }
        Ok(rebuilt)
    }
}

impl Plan for RebuildPlan {
    fn wants(&self) -> Vec<Get> {
        self.reading.values().map(Reading::get).collect()
    }

    /// Damage is no error: it is noted, and the others go on.
    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        let reading = self
            .reading
            .remove(&get.key)
            .filter(|reading| reading.get() == *get);
        let mut reading = reading.ok_or_else(|| PlanError::NotWanted(get.clone()))?;
        let name = || get.key.clone();
        match reading.provide(bytes) {
            Ok(None) => drop(self.reading.insert(name(), reading)),
            Ok(Some((directory, ids))) => match self.known(reading, directory, ids) {
                Ok(known) => self.known.push(known),
                Err(error) => self.damaged.push((name(), error)),
            },
            Err(error) => self.damaged.push((name(), error)),
        }
        self.begin();
        Ok(())
    }
}

/// The directory of what counts in a segment.
fn segment(
    known: &Known,
    counted: &mut CountedChunks,
) -> Result<Result<Vec<u8>, Dropped>, PlanError> {
    let counts = counted.count(known.chunks.iter().copied(), known.key.millis);
    if !counts.contains(&true) {
        return Ok(Err(Dropped::Repeated));
    }
    if !counts.contains(&false) {
        return Ok(Ok(known.row.directory.clone()));
    }
    changed(&known.row.directory, |directory| {
        directory.keep_chunks(&counts)
    })
    .map(Ok)
    .map_err(PlanError::Output)
}

fn alone(directory: &[u8]) -> Result<Vec<u8>, StoreError> {
    changed(directory, Directory::drop_lineage)
}

fn changed(directory: &[u8], change: impl FnOnce(&mut Directory)) -> Result<Vec<u8>, StoreError> {
    let mut directory = Directory::decode(directory)?;
    change(&mut directory);
    directory.encode()
}

fn hour(key: &ObjectKey) -> i64 {
    key.millis.div_euclid(HOUR_MILLIS)
}
