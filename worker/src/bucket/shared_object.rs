//! A small object that a whole installation shares: kept in the isolate for a short while.

use std::cell::RefCell;
use std::rc::Rc;

use crate::bucket::Bucket;
use crate::bucket::record::{self, Record};
use crate::platform::errors::Problem;

/// How long it is used without a look at the bucket: 20 s. Wrong tokens cost no request meanwhile.
pub(crate) const FRESH_MILLIS: i64 = 20_000;

/// How long it is used at most, while another request reads it or the bucket is away: 30 s, which
/// is what a change takes to be heard everywhere.
pub(crate) const MAX_AGE_MILLIS: i64 = 30_000;

/// What such an object holds.
pub(crate) trait Shared: Record {
    /// Where it is.
    const KEY: &'static str;
}

/// What an isolate keeps.
pub(crate) struct Cache<T> {
    kept: Option<Kept<T>>,
    /// When a request began to read that has not finished yet.
    reading_since: Option<i64>,
}

struct Kept<T> {
    value: Rc<T>,
    /// When the read began.
    read_at: i64,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self {
            kept: None,
            reading_since: None,
        }
    }
}

impl<T> Cache<T> {
    /// What is kept, if it is at most so old. A clock that was set back makes it old.
    fn within(&self, millis: i64, now: i64) -> Option<Rc<T>> {
        let kept = self.kept.as_ref()?;
        let fresh = (0..millis).contains(&(now - kept.read_at));
        fresh.then(|| kept.value.clone())
    }

    /// What can be used as it is; otherwise the caller is to read.
    pub(crate) fn usable(&mut self, now: i64) -> Option<Rc<T>> {
        let patience = MAX_AGE_MILLIS - FRESH_MILLIS;
        let being_read = |since: &i64| (0..patience).contains(&(now - since));
        let millis = match self.reading_since.filter(being_read) {
            Some(_) => MAX_AGE_MILLIS,
            None => FRESH_MILLIS,
        };
        let usable = self.within(millis, now);
        if usable.is_none() {
            self.reading_since = Some(now);
        }
        usable
    }

    /// Keeps what was read; a read that began earlier does not replace what a later one found.
    fn keep(&mut self, value: Rc<T>, read_at: i64, now: i64) {
        self.reading_since = None;
        let later = self.within(MAX_AGE_MILLIS, now).is_some()
            && self
                .kept
                .as_ref()
                .is_some_and(|kept| kept.read_at > read_at);
        if !later {
            self.kept = Some(Kept { value, read_at });
        }
    }
}

/// What the object holds, at most [`MAX_AGE_MILLIS`] old.
pub(crate) async fn current<T: Shared>(
    bucket: &impl Bucket,
    cache: &RefCell<Cache<T>>,
    now: impl Fn() -> i64,
) -> Result<Rc<T>, Problem> {
    let began = now();
    let usable = cache.borrow_mut().usable(began);
    if let Some(usable) = usable {
        return Ok(usable);
    }
    let read = record::read::<T>(bucket, T::KEY).await;
    let mut cache = cache.borrow_mut();
    match read {
        Ok(value) => {
            let value = Rc::new(value);
            cache.keep(value.clone(), began, now());
            Ok(value)
        }
        Err(problem) => {
            cache.reading_since = None;
            // Nothing holds for whom it cannot be looked up.
            cache.within(MAX_AGE_MILLIS, now()).ok_or(problem)
        }
    }
}

/// [`record::change`], of which this isolate keeps what was written.
pub(crate) async fn change<T: Shared, O>(
    bucket: &impl Bucket,
    cache: &RefCell<Cache<T>>,
    now: impl Fn() -> i64,
    change: impl Fn(&mut T) -> Result<O, Problem>,
) -> Result<O, Problem> {
    let changed = record::change(bucket, T::KEY, &now, change).await?;
    let mut cache = cache.borrow_mut();
    cache.keep(Rc::new(changed.value), changed.at, now());
    Ok(changed.outcome)
}
