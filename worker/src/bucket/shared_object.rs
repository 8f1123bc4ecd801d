//! A small object that a whole installation shares: kept in the isolate for a short while, and
//! replaced under a condition.

use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;
use std::thread::LocalKey;

use crate::bucket::{Bucket, BucketError, Condition};
use crate::platform::errors::Problem;

/// How long it is used without a look at the bucket: 20 s. Wrong tokens cost no request meanwhile.
pub(crate) const FRESH_MILLIS: i64 = 20_000;

/// How long it is used at most, while another request reads it or the bucket is away: 30 s, which
/// is what a change takes to be heard everywhere.
pub(crate) const MAX_AGE_MILLIS: i64 = 30_000;

/// Most attempts at a change that others get ahead of.
const ATTEMPTS: usize = 5;

/// What such an object holds.
pub(crate) trait Shared: Default + 'static {
    /// Where it is.
    const KEY: &'static str;

    /// Why bytes are not one of these.
    type Error: Display;

    /// Reads what [`Self::encode`] wrote.
    fn decode(bytes: &[u8]) -> Result<Self, Self::Error>;

    /// As it is stored.
    fn encode(&self) -> Result<Vec<u8>, Self::Error>;

    /// What this isolate keeps of it.
    fn cache() -> &'static LocalKey<RefCell<Cache<Self>>>;
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
    now: impl Fn() -> i64,
) -> Result<Rc<T>, Problem> {
    let began = now();
    if let Some(usable) = T::cache().with_borrow_mut(|cache| cache.usable(began)) {
        return Ok(usable);
    }
    let read = read::<T>(bucket).await;
    T::cache().with_borrow_mut(|cache| match read {
        Ok((value, _)) => {
            let value = Rc::new(value);
            cache.keep(value.clone(), began, now());
            Ok(value)
        }
        Err(problem) => {
            cache.reading_since = None;
            // Nothing holds for whom it cannot be looked up.
            cache.within(MAX_AGE_MILLIS, now()).ok_or(problem)
        }
    })
}

/// Changes the object as it is in the bucket now, and writes it unless somebody else did meanwhile;
/// then it begins again.
pub(crate) async fn change<T: Shared, O>(
    bucket: &impl Bucket,
    now: impl Fn() -> i64,
    change: impl Fn(&mut T) -> Result<O, Problem>,
) -> Result<O, Problem> {
    for _ in 0..ATTEMPTS {
        let (mut value, condition) = read::<T>(bucket).await?;
        let outcome = change(&mut value)?;
        let bytes = value.encode().map_err(unreadable::<T>)?;
        let began = now();
        match bucket.put(T::KEY, bytes, condition).await {
            Ok(_) => {
                T::cache().with_borrow_mut(|cache| cache.keep(Rc::new(value), began, now()));
                return Ok(outcome);
            }
            Err(BucketError::Precondition { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let message = format!("others change {} at the same time; send again", T::KEY);
    Err(Problem::unavailable(message))
}

/// What the object holds, and under which condition it may be replaced.
async fn read<T: Shared>(bucket: &impl Bucket) -> Result<(T, Condition), Problem> {
    match bucket.get(T::KEY, None).await? {
        None => Ok((T::default(), Condition::Absent)),
        Some(object) => {
            let value = T::decode(&object.bytes).map_err(unreadable::<T>)?;
            Ok((value, Condition::Matches(object.etag)))
        }
    }
}

fn unreadable<T: Shared>(error: T::Error) -> Problem {
    Problem::internal(format!("{}: {error}", T::KEY))
}
