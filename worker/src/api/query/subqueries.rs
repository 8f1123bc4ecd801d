//! A large query: its parts are answered in invocations of their own, those that never change from
//! a cache, and their answers are added up as they come.
//!
//! An invocation is asked through the binding `SELF`, as visits of the schedule are: it has
//! requests, time and CPU of its own. It is told the parts' rows of the catalog, so it asks no
//! Durable Object, and what it used comes back with its answer.

use std::rc::Rc;

use futures_util::{StreamExt, stream};
use pilotlight_core::{
    ProfileType, Selector, TimeRange,
    plans::{
        AnswerSum, CatalogObject, Outgrown, QueryAnswer, QueryPlan, SplitQuery, Subquery, split,
    },
};
use worker::{Context, Env, Request, Response};

use super::cache::{AnswerCache, EdgeCache, name};
use super::calls::{CalledSubquery, SubqueryCall, calls};
use super::invocations::Invocations;
use crate::bucket::Metered;
use crate::bucket::drive::{drive, drive_while};
use crate::bucket::{AnyBucket, Bucket};
use crate::isolate::State;
use crate::meter::{Item, Meter, cpu};
use crate::platform::admission::{Admission, Sum};
use crate::platform::errors::Problem;
use crate::platform::{CONNECTIONS, Edge, Platform};
use crate::tenant::{Row, USAGE_HEADER, catalog_objects, packet};

/// Most bytes that parts read at once: 16 MiB. Invocations mostly share an isolate and its 128 MB:
/// each is admitted for six times what it reads.
const AT_ONCE_BYTES: u64 = 16 << 20;

/// Largest answer that is kept: 4 MiB. A larger one is quicker made than found.
const MAX_KEPT: usize = 4 << 20;

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) selector: &'a Selector,
    pub(crate) profile_type: &'a ProfileType,
    pub(crate) range: TimeRange,
    pub(crate) outgrown: Outgrown,
}

/// What a query may use beside this invocation.
pub(crate) struct Fanout<C, I, P> {
    /// The way into this isolate's memory.
    pub(crate) admission: Admission<P>,
    pub(crate) cache: C,
    /// `None` where the worker has no binding to itself.
    pub(crate) invocations: Option<I>,
    /// What a part reads at most.
    pub(crate) subquery_bytes: u64,
}

/// A sum of which the isolate's memory is told after each answer.
struct CountedSum<'a, P> {
    sum: AnswerSum,
    held: Sum,
    admission: &'a Admission<P>,
}

impl<P: Platform> CountedSum<'_, P> {
    fn add(&mut self, answer: &QueryAnswer) -> Result<(), Problem> {
        self.sum.add(answer)?;
        self.admission.resize(&self.held, self.sum.held())
    }
}

/// How a query was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FanoutStats {
    /// Into how many subqueries it was split; 1 when it was not.
    pub(crate) subqueries: usize,
    /// How many of them were found in the cache.
    pub(crate) cached: usize,
    /// How many invocations answered the others; none when this one did.
    pub(crate) calls: usize,
}

impl<'a> Query<'a> {
    /// For all there is, or nothing.
    pub(crate) fn whole(
        selector: &'a Selector,
        profile_type: &'a ProfileType,
        range: TimeRange,
    ) -> Self {
        Self {
            selector,
            profile_type,
            range,
            outgrown: Outgrown::Refuse,
        }
    }

    /// The answer over these objects.
    pub(crate) async fn answer(
        self,
        objects: Vec<CatalogObject>,
        bucket: &impl Bucket,
        fan: &Fanout<impl AnswerCache, impl Invocations, impl Platform>,
        meter: &Meter,
    ) -> Result<(QueryAnswer, FanoutStats), Problem> {
        let parts = match split(
            self.selector,
            self.profile_type,
            self.range,
            objects,
            fan.subquery_bytes,
        )? {
            SplitQuery::Subqueries(parts) => parts,
            SplitQuery::Whole(plan) => {
                let permit = fan.admission.plan(&*plan).await?;
                let grow = |plan: &QueryPlan| fan.admission.grow(&permit, plan.held());
                let driven = drive_while(plan.when(self.outgrown), bucket, grow).await?;
                let answer = driven.finish()?;
                meter.add(Item::WorkerCpuMicros, cpu::query_micros(answer.bytes));
                let stats = FanoutStats {
                    subqueries: 1,
                    ..FanoutStats::default()
                };
                return Ok((answer, stats));
            }
        };
        let mut stats = FanoutStats {
            subqueries: parts.len(),
            ..FanoutStats::default()
        };
        // It holds no permit while it waits for parts, which ask for theirs wherever they run.
        let mut sum = CountedSum {
            sum: AnswerSum::new().when(self.outgrown),
            held: fan.admission.hold(),
            admission: &fan.admission,
        };
        let missing = self.find(parts, &fan.cache, &mut sum, meter).await?;
        stats.cached = stats.subqueries - missing.len();
        let bytes: u64 = missing.iter().map(|part| part.bytes).sum();
        match &fan.invocations {
            Some(invocations) if bytes > fan.subquery_bytes => {
                let calls = calls(missing, fan.subquery_bytes);
                stats.calls = calls.len();
                let at_once = (AT_ONCE_BYTES / fan.subquery_bytes.max(1))
                    .clamp(1, CONNECTIONS as u64) as usize;
                let asks = calls.into_iter().map(|parts| self.ask(parts));
                let mut answers = stream::iter(asks)
                    .map(async |ask| invocations.call(ask?).await)
                    .buffer_unordered(at_once);
                while let Some(answered) = answers.next().await {
                    let ((), answers) =
                        packet::decode::<()>(&answered?).map_err(Problem::internal)?;
                    for answer in answers {
                        meter.add(
                            Item::WorkerCpuMicros,
                            cpu::query_micros(answer.len() as u64),
                        );
                        sum.add(
                            &QueryAnswer::decode(&answer, self.profile_type)
                                .map_err(Problem::internal)?,
                        )?;
                    }
                }
            }
            _ => {
                for part in missing {
                    sum.add(
                        &self
                            .part(part, bucket, &fan.cache, &fan.admission, meter)
                            .await?
                            .0,
                    )?;
                }
            }
        }
        // Canonical order is counted with the sum, and waits for the plans that run beside it.
        let _permit = fan.admission.enter(0).await?;
        Ok((sum.sum.finish(), stats))
    }

    /// Adds the answers that the cache has, and gives the parts that it has not.
    async fn find(
        self,
        parts: Vec<Subquery>,
        cache: &impl AnswerCache,
        sum: &mut CountedSum<'_, impl Platform>,
        meter: &Meter,
    ) -> Result<Vec<Subquery>, Problem> {
        let look = async |part: Subquery| {
            let found = match name(self.selector, self.profile_type, self.outgrown, &part) {
                Some(name) => cache.find(&name).await,
                None => None,
            };
            (part, found)
        };
        let mut looks = stream::iter(parts).map(look).buffered(CONNECTIONS);
        let mut missing = Vec::new();
        while let Some((part, found)) = looks.next().await {
            // What does not read as it was written is as good as nothing.
            match found.and_then(|bytes| {
                Some((
                    bytes.len(),
                    QueryAnswer::decode(&bytes, self.profile_type).ok()?,
                ))
            }) {
                Some((len, answer)) => {
                    meter.add(Item::SubqueriesCached, 1);
                    meter.add(Item::WorkerCpuMicros, cpu::query_micros(len as u64));
                    sum.add(&answer)?;
                }
                None => missing.push(part),
            }
        }
        Ok(missing)
    }

    /// Reads a part's answer and keeps it if it stays; gives its bytes, too, if those were made.
    async fn part(
        self,
        part: Subquery,
        bucket: &impl Bucket,
        cache: &impl AnswerCache,
        admission: &Admission<impl Platform>,
        meter: &Meter,
    ) -> Result<(QueryAnswer, Option<Vec<u8>>), Problem> {
        let name = name(self.selector, self.profile_type, self.outgrown, &part);
        let plan = QueryPlan::new(self.selector, self.profile_type, self.range, &part.objects)?;
        drop(part);
        let _permit = admission.plan(&plan).await?;
        let answer = drive(plan.when(self.outgrown.of_part()), bucket)
            .await?
            .finish()?;
        meter.add(Item::WorkerCpuMicros, cpu::query_micros(answer.bytes));
        // What was folded is not kept: others may ask for all of it.
        let Some(name) = name.filter(|_| answer.error_bounds.is_exact()) else {
            return Ok((answer, None));
        };
        let bytes = answer
            .encode(self.profile_type)
            .map_err(Problem::internal)?;
        if bytes.len() <= MAX_KEPT {
            cache.keep(&name, bytes.clone()).await;
        }
        Ok((answer, Some(bytes)))
    }

    /// What an invocation is asked.
    fn ask(self, parts: Vec<Subquery>) -> Result<Vec<u8>, Problem> {
        let (selector, profile_type) = (self.selector.to_string(), self.profile_type.to_string());
        let (mut asked, mut directories) = (Vec::with_capacity(parts.len()), Vec::new());
        for Subquery {
            objects,
            bytes,
            fixed,
        } in parts
        {
            let mut rows = Vec::with_capacity(objects.len());
            for CatalogObject {
                key,
                level,
                size,
                directory,
            } in objects
            {
                rows.push(Row { key, level, size });
                directories.push(directory.encode().map_err(Problem::internal)?);
            }
            asked.push(CalledSubquery { rows, bytes, fixed });
        }
        let ask = SubqueryCall {
            selector,
            profile_type,
            range: self.range,
            outgrown: self.outgrown,
            parts: asked,
        };
        packet::encode(&ask, &directories).map_err(Problem::internal)
    }
}

/// Answers an [`SubqueryCall`], one part after the other.
pub(crate) async fn answer_subqueries(
    ask: &[u8],
    bucket: &impl Bucket,
    cache: &impl AnswerCache,
    admission: &Admission<impl Platform>,
    meter: &Meter,
) -> Result<Vec<u8>, Problem> {
    let (ask, directories) = packet::decode::<SubqueryCall>(ask).map_err(Problem::internal)?;
    let selector = Selector::parse_printed(&ask.selector).map_err(Problem::internal)?;
    let profile_type: ProfileType = ask.profile_type.parse().map_err(Problem::internal)?;
    let query = Query {
        selector: &selector,
        profile_type: &profile_type,
        range: ask.range,
        outgrown: ask.outgrown,
    };
    let (mut directories, mut answers) =
        (directories.into_iter(), Vec::with_capacity(ask.parts.len()));
    for CalledSubquery { rows, bytes, fixed } in ask.parts {
        let of_part = directories.by_ref().take(rows.len()).collect();
        let objects = catalog_objects(rows, of_part)?;
        let (answer, encoded) = query
            .part(
                Subquery {
                    objects,
                    bytes,
                    fixed,
                },
                bucket,
                cache,
                admission,
                meter,
            )
            .await?;
        answers.push(match encoded {
            Some(bytes) => bytes,
            None => answer.encode(&profile_type).map_err(Problem::internal)?,
        });
    }
    packet::encode(&(), &answers).map_err(Problem::internal)
}

/// The other end of [`super::invocations::EdgeInvocations`]: answers with what it used beside.
pub(crate) async fn answer(
    request: &mut Request,
    env: &Env,
    context: Context,
    isolate: &State,
) -> Result<Response, Problem> {
    let meter = Meter::default();
    meter.add(Item::WorkerRequests, 1);
    let ask = request.bytes().await?;
    let bucket = Metered::new(AnyBucket::open(env)?, meter.clone());
    let cache = EdgeCache::new(Some(Rc::new(context)));
    let admission = Admission::new(Edge, &isolate.memory);
    let response = match answer_subqueries(&ask, &bucket, &cache, &admission, &meter).await {
        Ok(answers) => Response::from_bytes(answers)?,
        Err(problem) => problem.response()?,
    };
    if let Some(usage) = meter.take_header()? {
        response.headers().set(USAGE_HEADER, &usage)?;
    }
    Ok(response)
}
