//! Operations that fail when they are told to: before they do anything, or after they have done it,
//! so that only the answer is lost; and those who ask for them die.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::task::Waker;

use super::clock::{Clock, pause};
use crate::bucket::{Bucket, BucketError, Condition, List, Object, Page};
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::memory::MemorySql;
use crate::tenant::{Rows, Sql, Value};

/// What happens at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not done, and an error comes.
    FailBefore,
    /// It is done, and an error comes.
    FailAfter,
    /// The tenants' objects die before it is done.
    KillObjectsBefore,
    /// They die after it is done.
    KillObjectsAfter,
    /// The invocation that asked for it dies before it is done.
    KillWorkerBefore,
    /// It dies after it is done.
    KillWorkerAfter,
    /// It takes longer than a lease lasts: six minutes.
    Stall,
    /// It takes longer than an invocation may live: half an hour.
    Lag,
    /// It is done, and then new code is deployed: the objects that live go on without storage, and
    /// new ones take over.
    Deploy,
}

pub(crate) const FAULTS: [Fault; 8] = [
    Fault::FailBefore,
    Fault::FailAfter,
    Fault::KillObjectsBefore,
    Fault::KillObjectsAfter,
    Fault::KillWorkerBefore,
    Fault::KillWorkerAfter,
    Fault::Stall,
    Fault::Deploy,
];

/// Counts operations, and lets one of them go wrong. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Faults(Rc<State>);

struct State {
    clock: Clock,
    done: RefCell<Vec<&'static str>>,
    planned: Cell<Option<(usize, Fault)>>,
    /// How often the objects have died.
    deaths: Cell<u64>,
    /// Those who wait for an object, and must hear of its death.
    callers: RefCell<Callers>,
    /// How often new code was deployed.
    deploys: Cell<u64>,
    /// The invocation that runs, and the one that is to die.
    current: Cell<u64>,
    last: Cell<u64>,
    doomed: Cell<u64>,
}

/// Wakers, each once, in the order in which they came.
#[derive(Default)]
struct Callers {
    wakers: Vec<Waker>,
    /// Their data pointers, which stay unique while the wakers are held.
    known: HashSet<*const ()>,
}

impl Faults {
    pub(crate) fn new(clock: &Clock) -> Self {
        let (done, planned) = (RefCell::default(), Cell::default());
        let (deaths, deploys) = (Cell::new(0), Cell::new(0));
        let (current, last, doomed) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Self(Rc::new(State {
            clock: clock.clone(),
            done,
            planned,
            deaths,
            callers: RefCell::default(),
            deploys,
            current,
            last,
            doomed,
        }))
    }

    /// Plans a fault at the operation of that number, counted from the beginning.
    pub(crate) fn plan(&self, at: usize, fault: Fault) {
        self.0.planned.set(Some((at, fault)));
    }

    /// Nothing goes wrong any more.
    pub(crate) fn stop(&self) {
        self.0.planned.set(None);
    }

    /// All operations so far.
    pub(crate) fn operations(&self) -> Vec<&'static str> {
        self.0.done.borrow().clone()
    }

    pub(super) fn deaths(&self) -> u64 {
        self.0.deaths.get()
    }

    /// Wakes at the next death.
    pub(super) fn wake_at_death(&self, caller: &Waker) {
        let mut callers = self.0.callers.borrow_mut();
        if callers.known.insert(caller.data()) {
            callers.wakers.push(caller.clone());
        }
    }

    pub(super) fn deploys(&self) -> u64 {
        self.0.deploys.get()
    }

    /// Runs an invocation of the worker, which may die.
    pub(crate) async fn invocation<T>(
        &self,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let mut work = Some(Box::pin(work));
        self.0.last.set(self.0.last.get() + 1);
        let own = self.0.last.get();
        poll_fn(|cx| {
            let Some(running) = work.as_mut() else {
                return Poll::Ready(Err(Problem::unavailable("gone")));
            };
            let before = self.0.current.replace(own);
            let polled = running.as_mut().poll(cx);
            self.0.current.set(before);
            if self.0.doomed.get() == own {
                work = None;
                return Poll::Ready(Err(Problem::unavailable("the invocation died")));
            }
            polled
        })
        .await
    }

    /// Does an operation, or what is planned at its place; `lost` is the error of one that fails.
    pub(crate) async fn around<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = T>,
        lost: impl FnOnce() -> T,
    ) -> T {
        let number = self.0.done.borrow().len();
        self.0.done.borrow_mut().push(name);
        let fault = self
            .0
            .planned
            .get()
            .filter(|(at, _)| *at == number)
            .map(|(_, fault)| fault);
        pause().await;
        match fault {
            Some(Fault::FailBefore) => return lost(),
            Some(Fault::KillObjectsBefore) => self.kill_objects().await,
            Some(Fault::KillWorkerBefore) => self.kill_worker().await,
            Some(Fault::Stall) => self.0.clock.sleep(6 * 60_000).await,
            Some(Fault::Lag) => self.0.clock.sleep(30 * 60_000).await,
            _ => {}
        }
        let value = pin!(work).await;
        match fault {
            Some(Fault::FailAfter) => return lost(),
            Some(Fault::KillObjectsAfter) => self.kill_objects().await,
            Some(Fault::KillWorkerAfter) => self.kill_worker().await,
            Some(Fault::Deploy) => self.0.deploys.set(self.deploys() + 1),
            _ => {}
        }
        pause().await;
        value
    }

    async fn kill_objects(&self) {
        self.0.deaths.set(self.0.deaths.get() + 1);
        let callers = self.0.callers.take();
        callers.wakers.iter().for_each(Waker::wake_by_ref);
        pause().await;
    }

    async fn kill_worker(&self) {
        self.0.doomed.set(self.0.current.get());
        pause().await;
    }
}

/// A bucket whose operations may fail.
#[derive(Clone)]
pub(crate) struct FaultyBucket<B> {
    pub(crate) bucket: B,
    pub(crate) faults: Faults,
}

fn lost<T>() -> Result<T, BucketError> {
    Err(BucketError::Unavailable {
        message: "by plan".to_owned(),
    })
}

impl<B: Bucket> Bucket for FaultyBucket<B> {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        self.faults
            .around("put", self.bucket.put(key, bytes, condition), lost)
            .await
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        self.faults
            .around("get", self.bucket.get(key, range), lost)
            .await
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        self.faults
            .around("list", self.bucket.list(list), lost)
            .await
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        self.faults
            .around("delete", self.bucket.delete(keys), lost)
            .await
    }
}

/// A database to which those have no access that lived before new code was deployed.
#[derive(Clone)]
pub(crate) struct DeployedSql {
    sql: MemorySql,
    faults: Faults,
    /// How often code had been deployed when the one who has this came to life.
    deploys: u64,
}

impl DeployedSql {
    /// For an object that comes to life now.
    pub(in crate::simulation) fn new(sql: MemorySql, faults: Faults) -> Self {
        let deploys = faults.deploys();
        Self {
            sql,
            faults,
            deploys,
        }
    }

    fn accessible(&self) -> Result<&MemorySql, Problem> {
        if self.faults.deploys() == self.deploys {
            return Ok(&self.sql);
        }
        Err(Problem::unavailable(
            "this object was reset because its code was updated",
        ))
    }
}

impl Sql for DeployedSql {
    fn define(&self, statements: &str) -> Result<(), Problem> {
        self.accessible()?.define(statements)
    }

    fn query(&self, statement: &str, values: Vec<Value>) -> Result<Rows, Problem> {
        self.accessible()?.query(statement, values)
    }

    fn transaction<T: 'static>(
        &self,
        change: impl FnOnce(&Self) -> Result<T, Problem> + 'static,
    ) -> Result<T, Problem> {
        let inside = self.clone();
        self.accessible()?.transaction(move |_| change(&inside))
    }
}

/// A platform with a clock of its own.
#[derive(Clone)]
pub(crate) struct Simulated {
    pub(crate) clock: Clock,
    pub(crate) faults: Faults,
}

impl Platform for Simulated {
    fn now_millis(&self) -> i64 {
        self.clock.now()
    }

    fn random(&self) -> u64 {
        self.clock.random()
    }

    async fn delay(&self, millis: u32) {
        self.faults
            .around("delay", self.clock.sleep(millis.into()), || ())
            .await;
    }

    fn note(&self, _: &str) {}
}
