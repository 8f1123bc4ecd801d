//! Questions over a catalog: what each wants to read, and its answer.

use pilotlight_core::plans::{
    CatalogObject, Get, Grouping, LabelsAnswer, ObjectSizes, Plan, PlanError, QueryPlan,
    ServicesAnswer, StaticCatalog, Steps, TimelineAnswer, TimelinePlan, Want, range_before,
};
use pilotlight_core::store::SumWindow;
use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};

use crate::error::BucketError;

/// What questions are about.
#[derive(Default)]
pub struct Catalog(StaticCatalog);

/// A question, with what its plans have read.
pub struct Question {
    kind: Kind,
    sizes: ObjectSizes,
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
}

/// An answer.
#[derive(Debug, Default)]
pub struct Answer {
    /// JSON, or a profile as the bytes of a chunk; none where there is no profile.
    pub bytes: Vec<u8>,
    /// How many profiles were added up.
    pub profiles: u64,
    /// How many bytes of objects it was made from.
    pub bytes_read: u64,
    /// A number is cut at 2^63 − 1.
    pub saturated: bool,
    /// Only sums are left at an end of the range.
    pub rounded: bool,
}

impl Catalog {
    /// Adds a day, or replaces the one of this name. Gives when it was written.
    pub fn add_day(&mut self, name: &str, bytes: &[u8]) -> Result<UnixNanos, BucketError> {
        Ok(self.0.add_day(name, bytes)?)
    }

    /// Services that have profiles in a range, each with a timeline of so many points.
    pub fn services(&self, range: TimeRange, points: usize) -> Result<Question, BucketError> {
        let (all, steps) = (Selector::default(), Steps::of(checked(range)?, points));
        let (now, mut objects) = self.totals(&all, None, range, steps.window)?;
        // Of the time before only its totals are told, which sum windows of any length give.
        let (before, more) = self.totals(&all, None, range_before(range), Some(SumWindow::Day))?;
        objects.extend(more);
        let kind = Kind::Services { now, before, steps };
        let sizes = ObjectSizes::of(&objects);
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
        let (plan, objects) = self.totals(&selector, Some(&profile_type), range, steps.window)?;
        let kind = Kind::Timeline { plan, steps };
        let sizes = ObjectSizes::of(&objects);
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
            sizes: ObjectSizes::of(&objects),
        })
    }

    fn totals(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        window: Option<SumWindow>,
    ) -> Result<(TimelinePlan, Vec<CatalogObject>), BucketError> {
        let objects = self.objects(range)?;
        let grouping = Grouping::Service;
        let plan = TimelinePlan::new(selector, profile_type, range, window, grouping, &objects)?;
        Ok((plan, objects))
    }

    fn objects(&self, range: TimeRange) -> Result<Vec<CatalogObject>, BucketError> {
        Ok(self.0.objects(range)?)
    }
}

impl Question {
    /// What is still to be read; nothing when the answer is there.
    pub fn wants(&self) -> Vec<Want> {
        self.sizes.wants(&self.plans())
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
                    bytes_read: answer.bytes,
                    saturated: answer.is_saturated(),
                    rounded: answer.rounded,
                })
            }
        }
    }

    fn plans(&self) -> Vec<&dyn Plan> {
        match &self.kind {
            Kind::Services { now, before, .. } => vec![now, before],
            Kind::Timeline { plan, .. } => vec![plan],
            Kind::Profile { plan, .. } => vec![&**plan],
        }
    }

    fn plans_mut(&mut self) -> Vec<&mut dyn Plan> {
        match &mut self.kind {
            Kind::Services { now, before, .. } => vec![now, before],
            Kind::Timeline { plan, .. } => vec![plan],
            Kind::Profile { plan, .. } => vec![&mut **plan],
        }
    }
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
