//! What answers parts of a query: a cache, and other invocations.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::query::{AnswerCache, Invocations, answer_subqueries};
use crate::bucket::Metered;
use crate::bucket::memory::MemoryBucket;
use crate::meter::Meter;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;
use crate::simulation::world::Simulated;

/// A cache in memory.
#[derive(Clone, Default)]
pub(super) struct Kept(pub(super) Rc<RefCell<BTreeMap<String, Vec<u8>>>>);

impl AnswerCache for Kept {
    async fn find(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow().get(name).cloned()
    }

    async fn keep(&self, name: &str, bytes: Vec<u8>) {
        self.0.borrow_mut().insert(name.to_owned(), bytes);
    }
}

/// Other invocations, which hand over what they used as the binding does.
pub(super) struct Others {
    pub(super) bucket: MemoryBucket,
    pub(super) cache: Kept,
    pub(super) meter: Meter,
    pub(super) calls: Rc<Cell<usize>>,
    pub(super) admission: Admission<Simulated>,
}

impl Invocations for Others {
    async fn call(&self, ask: Vec<u8>) -> Result<Vec<u8>, Problem> {
        self.calls.set(self.calls.get() + 1);
        let meter = Meter::default();
        let bucket = Metered::new(self.bucket.clone(), meter.clone());
        let answer = answer_subqueries(&ask, &bucket, &self.cache, &self.admission, &meter).await;
        self.meter.book(meter.take());
        // The way over the line.
        answer.map_err(|problem| {
            Problem::of_answer(
                problem.status,
                problem.retry_after,
                &serde_json::to_vec(&problem).unwrap(),
            )
        })
    }
}
