//! Questions over a catalog: what each wants to read, and its answer.

use std::collections::BTreeMap;

use pilotlight_core::bundles::{Bundle, Made};
use pilotlight_core::plans::{
    CatalogObject, Get, Grouping, LabelsAnswer, Plan, PlanError, QueryPlan, ServicesAnswer,
    SlicePlan, Steps, TimelineAnswer, TimelinePlan, range_before, static_catalog,
};
use pilotlight_core::store::{CatalogDay, SumWindow};
use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};
use serde::Serialize;

use crate::error::BucketError;

/// Days of a published catalog.
#[derive(Default)]
pub struct Catalog {
    /// By name: those of a day and a shard, as bytes.
    days: BTreeMap<String, Vec<u8>>,
}

/// A question, with what its plans have read.
pub struct Question {
    kind: Kind,
    /// The length of each object.
    sizes: BTreeMap<String, u64>,
}

enum Kind {
    Services {
        now: TimelinePlan,
        before: TimelinePlan,
        steps: Steps,
    },
    Timeline {
        plan: TimelinePlan,
        steps: Steps,
    },
    Profile {
        plan: Box<QueryPlan>,
        profile_type: ProfileType,
    },
    Slice {
        plan: Box<SlicePlan>,
        made: Made,
    },
}

/// A range of an object that is to be read.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Want {
    /// Name of the object in the bucket.
    pub key: String,
    /// First byte.
    pub offset: u64,
    /// How many.
    pub length: u64,
    /// How many bytes the object has.
    pub size: u64,
}

/// An answer.
#[derive(Debug, Default)]
pub struct Answer {
    /// JSON, a profile as the bytes of a chunk, or the zip of a bundle; none where there is no
    /// profile.
    pub bytes: Vec<u8>,
    /// How many profiles were added up.
    pub profiles: u64,
    /// How many objects it was made from.
    pub objects: u64,
    /// How many bytes of them.
    pub bytes_read: u64,
    /// A number is cut at 2^63 − 1.
    pub saturated: bool,
    /// Only sums are left at an end of the range.
    pub rounded: bool,
}

impl Catalog {
    /// Adds a day, or replaces the one of this name. Gives when it was written.
    pub fn add_day(&mut self, name: &str, bytes: &[u8]) -> Result<UnixNanos, BucketError> {
        let day = CatalogDay::decode(bytes).map_err(|source| PlanError::Damaged {
            key: name.to_owned(),
            offset: 0,
            source,
        })?;
        self.days.insert(name.to_owned(), bytes.to_vec());
        Ok(day.written)
    }

    /// Services that have profiles in a range, each with a timeline of so many points.
    pub fn services(&self, range: TimeRange, points: usize) -> Result<Question, BucketError> {
        let (all, steps) = (Selector::default(), Steps::of(checked(range)?, points));
        let (now, mut sizes) = self.totals(&all, None, range, steps.window)?;
        // Of the time before only its totals are told, which sum windows of any length give.
        let (before, more) = self.totals(&all, None, range_before(range), Some(SumWindow::Day))?;
        sizes.extend(more);
        let kind = Kind::Services { now, before, steps };
        Ok(Question { kind, sizes })
    }

    /// Labels of the selected series, and their values, as JSON.
    pub fn labels(&self, query: &str, range: TimeRange) -> Result<String, BucketError> {
        let selector = Selector::parse(query)?;
        let objects = self.objects(checked(range)?)?;
        let answer = LabelsAnswer::new(&objects, &selector, range);
        Ok(serde_json::to_string(&answer).expect("texts are JSON"))
    }

    /// Sums over time of the selected series.
    pub fn timeline(
        &self,
        query: &str,
        range: TimeRange,
        points: usize,
    ) -> Result<Question, BucketError> {
        let (selector, profile_type) = typed(query)?;
        let steps = Steps::of(checked(range)?, points);
        let (plan, sizes) = self.totals(&selector, Some(&profile_type), range, steps.window)?;
        let kind = Kind::Timeline { plan, steps };
        Ok(Question { kind, sizes })
    }

    /// All selected profiles as one.
    pub fn profile(&self, query: &str, range: TimeRange) -> Result<Question, BucketError> {
        let (selector, profile_type) = typed(query)?;
        let objects = self.objects(checked(range)?)?;
        let plan = QueryPlan::new(&selector, &profile_type, range, &objects)?;
        let plan = Box::new(plan);
        Ok(Question {
            kind: Kind::Profile { plan, profile_type },
            sizes: sizes(&objects),
        })
    }

    /// What a selector selects, of any type unless it names one, as a bundle. `commit` and
    /// `when` are what its description says of it.
    pub fn slice(
        &self,
        query: &str,
        range: TimeRange,
        commit: Option<String>,
        when: Option<String>,
    ) -> Result<Question, BucketError> {
        let objects = self.objects(checked(range)?)?;
        let plan = SlicePlan::new(Selector::parse(query)?, range, &objects)?;
        let made = Made {
            commit,
            when,
            ..Made::slice(query, range, plan.sums_only() > 0)
        };
        let plan = Box::new(plan);
        Ok(Question {
            kind: Kind::Slice { plan, made },
            sizes: sizes(&objects),
        })
    }

    fn totals(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        window: Option<SumWindow>,
    ) -> Result<(TimelinePlan, BTreeMap<String, u64>), BucketError> {
        let objects = self.objects(range)?;
        let grouping = Grouping::Service;
        let plan = TimelinePlan::new(selector, profile_type, range, window, grouping, &objects)?;
        Ok((plan, sizes(&objects)))
    }

    fn objects(&self, range: TimeRange) -> Result<Vec<CatalogObject>, BucketError> {
        let days = self.days.iter();
        let days = days.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        Ok(static_catalog(days, range)?)
    }
}

impl Question {
    /// What is still to be read; nothing when the answer is there.
    pub fn wants(&self) -> Vec<Want> {
        let mut gets: Vec<Get> = self.plans().iter().flat_map(|plan| plan.wants()).collect();
        gets.sort_unstable();
        gets.dedup();
        let want = |get: Get| Want {
            size: self.sizes.get(&get.key).copied().unwrap_or(0),
            key: get.key,
            offset: get.offset,
            length: get.length,
        };
        gets.into_iter().map(want).collect()
    }

    /// Takes what was wanted, in any order. After an error the question is of no use.
    pub fn provide(
        &mut self,
        key: &str,
        offset: u64,
        length: u64,
        bytes: &[u8],
    ) -> Result<(), BucketError> {
        let get = Get {
            key: key.to_owned(),
            offset,
            length,
        };
        let mut wanted = false;
        for plan in self.plans_mut() {
            if plan.wants().contains(&get) {
                plan.provide(&get, bytes)?;
                wanted = true;
            }
        }
        if !wanted {
            return Err(PlanError::NotWanted(get).into());
        }
        Ok(())
    }

    /// The answer, when nothing is wanted any more.
    pub fn finish(self) -> Result<Answer, BucketError> {
        match self.kind {
            Kind::Services { now, before, steps } => {
                let (now, before) = (now.finish()?, before.finish()?);
                let answer = ServicesAnswer::new(&now, &before, steps)?;
                Ok(Answer {
                    bytes: serde_json::to_vec(&answer).expect("numbers and texts are JSON"),
                    bytes_read: now.bytes + before.bytes,
                    rounded: now.rounded,
                    ..Answer::default()
                })
            }
            Kind::Timeline { plan, steps } => {
                let timeline = plan.finish()?;
                let answer = TimelineAnswer::new(&timeline, steps);
                Ok(Answer {
                    bytes: serde_json::to_vec(&answer).expect("numbers are JSON"),
                    bytes_read: timeline.bytes,
                    rounded: timeline.rounded,
                    ..Answer::default()
                })
            }
            Kind::Profile { plan, profile_type } => {
                let answer = plan.finish()?;
                let bytes = match answer.profiles {
                    0 => Vec::new(),
                    _ => answer.chunk(&profile_type).map_err(BucketError::Output)?,
                };
                Ok(Answer {
                    bytes,
                    profiles: answer.profiles,
                    objects: answer.objects,
                    bytes_read: answer.bytes,
                    saturated: answer.is_saturated(),
                    rounded: answer.rounded,
                })
            }
            Kind::Slice { plan, made } => {
                let (profiles, bytes_read) = (plan.profiles(), plan.bytes());
                let files = plan.finish()?;
                let objects = files.len() as u64 - 1;
                let bytes = match profiles {
                    0 => Vec::new(),
                    _ => Bundle::new(made, files).zip(Vec::new())?,
                };
                Ok(Answer {
                    bytes,
                    profiles,
                    objects,
                    bytes_read,
                    ..Answer::default()
                })
            }
        }
    }

    fn plans(&self) -> Vec<&dyn Plan> {
        match &self.kind {
            Kind::Services { now, before, .. } => vec![now, before],
            Kind::Timeline { plan, .. } => vec![plan],
            Kind::Profile { plan, .. } => vec![&**plan],
            Kind::Slice { plan, .. } => vec![&**plan],
        }
    }

    fn plans_mut(&mut self) -> Vec<&mut dyn Plan> {
        match &mut self.kind {
            Kind::Services { now, before, .. } => vec![now, before],
            Kind::Timeline { plan, .. } => vec![plan],
            Kind::Profile { plan, .. } => vec![&mut **plan],
            Kind::Slice { plan, .. } => vec![&mut **plan],
        }
    }
}

/// The length of each object.
fn sizes(objects: &[CatalogObject]) -> BTreeMap<String, u64> {
    let objects = objects.iter();
    objects
        .map(|object| (object.key.clone(), object.size))
        .collect()
}

/// A range that does not run backwards.
fn checked(range: TimeRange) -> Result<TimeRange, BucketError> {
    if range.from > range.until {
        let (from, until) = (range.from.millis(), range.until.millis());
        return Err(BucketError::Backwards(from, until));
    }
    Ok(range)
}

/// A selector that begins with a profile type.
fn typed(query: &str) -> Result<(Selector, ProfileType), BucketError> {
    let mut selector = Selector::parse(query)?;
    match selector.profile_type.take() {
        Some(profile_type) => Ok((selector, profile_type)),
        None => Err(BucketError::Untyped(query.to_owned())),
    }
}
