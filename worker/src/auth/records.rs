//! The records of tokens: one object in the bucket, kept in the isolate for a short while.

use std::cell::RefCell;
use std::rc::Rc;

use pilotlight_core::access::{RegistryError, TokenRegistry};

use crate::bucket::{Bucket, BucketError, Condition};
use crate::platform::errors::Problem;

/// Where the records are.
const KEY: &str = "auth/tokens";

/// How long records are used without a look at the bucket: 20 s. Wrong tokens cost no request
/// meanwhile.
const FRESH_MILLIS: i64 = 20_000;

/// How long they are used at most, while another request reads them or the bucket is away: 30 s,
/// which is what a revocation takes to be heard everywhere.
const MAX_AGE_MILLIS: i64 = 30_000;

/// Most attempts at a change that others get ahead of.
const ATTEMPTS: usize = 5;

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

#[derive(Default)]
struct Cache {
    kept: Option<Kept>,
    /// When a request began to read that has not finished yet.
    reading_since: Option<i64>,
}

struct Kept {
    registry: Rc<TokenRegistry>,
    /// When the read began.
    read_at: i64,
}

impl Cache {
    /// What is kept, if it is at most so old. A clock that was set back makes it old.
    fn within(&self, millis: i64, now: i64) -> Option<Rc<TokenRegistry>> {
        let kept = self.kept.as_ref()?;
        let fresh = (0..millis).contains(&(now - kept.read_at));
        fresh.then(|| kept.registry.clone())
    }

    /// What can be used as it is; otherwise the caller is to read.
    fn usable(&mut self, now: i64) -> Option<Rc<TokenRegistry>> {
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
    fn keep(&mut self, registry: Rc<TokenRegistry>, read_at: i64, now: i64) {
        self.reading_since = None;
        let later = self.within(MAX_AGE_MILLIS, now).is_some()
            && self
                .kept
                .as_ref()
                .is_some_and(|kept| kept.read_at > read_at);
        if !later {
            self.kept = Some(Kept { registry, read_at });
        }
    }
}

/// The records, at most [`MAX_AGE_MILLIS`] old.
pub(crate) async fn current(
    bucket: &impl Bucket,
    now: impl Fn() -> i64,
) -> Result<Rc<TokenRegistry>, Problem> {
    let began = now();
    if let Some(usable) = CACHE.with_borrow_mut(|cache| cache.usable(began)) {
        return Ok(usable);
    }
    let read = read(bucket).await;
    CACHE.with_borrow_mut(|cache| match read {
        Ok((registry, _)) => {
            let registry = Rc::new(registry);
            cache.keep(registry.clone(), began, now());
            Ok(registry)
        }
        Err(problem) => {
            cache.reading_since = None;
            // Nobody is let in whom nobody can look up.
            cache.within(MAX_AGE_MILLIS, now()).ok_or(problem)
        }
    })
}

/// Changes the records as they are in the bucket now, and writes them unless somebody else did
/// meanwhile; then it begins again.
pub(crate) async fn change<T>(
    bucket: &impl Bucket,
    now: impl Fn() -> i64,
    change: impl Fn(&mut TokenRegistry) -> Result<T, Problem>,
) -> Result<T, Problem> {
    for _ in 0..ATTEMPTS {
        let (mut registry, condition) = read(bucket).await?;
        let outcome = change(&mut registry)?;
        let bytes = registry.encode().map_err(unreadable)?;
        let began = now();
        match bucket.put(KEY, bytes, condition).await {
            Ok(_) => {
                CACHE.with_borrow_mut(|cache| cache.keep(Rc::new(registry), began, now()));
                return Ok(outcome);
            }
            Err(BucketError::Precondition { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Problem::unavailable(
        "others change tokens at the same time; send again",
    ))
}

/// The records, and under which condition they may be replaced.
async fn read(bucket: &impl Bucket) -> Result<(TokenRegistry, Condition), Problem> {
    match bucket.get(KEY, None).await? {
        None => Ok((TokenRegistry::default(), Condition::Absent)),
        Some(object) => {
            let registry = TokenRegistry::decode(&object.bytes).map_err(unreadable)?;
            Ok((registry, Condition::Matches(object.etag)))
        }
    }
}

fn unreadable(error: RegistryError) -> Problem {
    Problem::internal(format!("{KEY}: {error}"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::FutureExt;
    use pilotlight_core::access::{Token, TokenRecord, TokenScope, TokenTenant};

    use super::*;
    use crate::bucket::memory::MemoryBucket;

    fn record(n: u8) -> TokenRecord {
        TokenRecord {
            id: n.to_string(),
            name: String::new(),
            tenant: TokenTenant::All,
            scopes: vec![TokenScope::Push],
            sha256: Token::from_entropy([n; 32]).digest(),
            created: 0,
            expires: None,
            revoked: None,
        }
    }

    fn add(bucket: &MemoryBucket, n: u8, now: i64) {
        let added = change(
            bucket,
            || now,
            |registry| {
                let added = registry.add(record(n), now);
                added.map_err(unreadable)
            },
        );
        added.now_or_never().expect("no wait").unwrap();
    }

    fn seen(bucket: &MemoryBucket, now: i64) -> usize {
        let current = current(bucket, || now).now_or_never();
        current.expect("no wait").unwrap().records().len()
    }

    /// Another isolate's change.
    fn elsewhere(bucket: &MemoryBucket, n: u8, now: i64) {
        let mine = CACHE.take();
        add(bucket, n, now);
        CACHE.set(mine);
    }

    #[test]
    fn a_change_is_seen_here_at_once_and_elsewhere_in_time() {
        let bucket = MemoryBucket::default();
        assert_eq!(seen(&bucket, 0), 0);
        add(&bucket, 1, 1_000);
        assert_eq!(seen(&bucket, 1_000), 1);
        elsewhere(&bucket, 2, 2_000);
        assert_eq!(seen(&bucket, 1_000 + FRESH_MILLIS - 1), 1);
        assert_eq!(seen(&bucket, 1_000 + FRESH_MILLIS), 2);
        elsewhere(&bucket, 3, 21_000);
        assert_eq!(seen(&bucket, 0), 3, "a clock that was set back");
    }

    #[test]
    fn one_reads_while_others_go_on() {
        let bucket = MemoryBucket::default();
        add(&bucket, 1, 0);
        elsewhere(&bucket, 2, 0);
        let reads = |now| CACHE.with_borrow_mut(|cache| cache.usable(now).is_none());
        assert!(reads(FRESH_MILLIS), "this one reads");
        assert!(!reads(FRESH_MILLIS), "and this one does not");
        assert!(!reads(MAX_AGE_MILLIS - 1));
        assert!(reads(MAX_AGE_MILLIS), "nothing older is used");
    }

    #[test]
    fn what_does_not_read_lets_nobody_in() {
        let bucket = MemoryBucket::default();
        add(&bucket, 1, 0);
        bucket.damage(KEY, |bytes| bytes.truncate(10));
        assert_eq!(seen(&bucket, FRESH_MILLIS), 1, "for a moment");
        let current = current(&bucket, || MAX_AGE_MILLIS).now_or_never();
        let problem = current.expect("no wait").unwrap_err();
        assert_eq!(problem.status, 500);
    }

    #[test]
    fn changes_at_the_same_time_are_both_kept() {
        let bucket = MemoryBucket::default();
        let first = Cell::new(true);
        let changed = change(
            &bucket,
            || 0,
            |registry| {
                if first.replace(false) {
                    elsewhere(&bucket, 7, 0);
                }
                registry.add(record(1), 0).map_err(unreadable)
            },
        );
        changed.now_or_never().expect("no wait").unwrap();
        assert_eq!(seen(&bucket, 0), 2);
    }
}
