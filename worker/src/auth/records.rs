//! The records of tokens: one object in the bucket.

use std::cell::RefCell;
use std::thread::LocalKey;

use pilotlight_core::access::{RegistryError, TokenRegistry};

use crate::bucket::record::Record;
use crate::bucket::shared_object::{Cache, Shared};

thread_local! {
    static CACHE: RefCell<Cache<TokenRegistry>> = RefCell::default();
}

impl Record for TokenRegistry {
    type Error = RegistryError;

    fn decode(bytes: &[u8]) -> Result<Self, RegistryError> {
        Self::decode(bytes)
    }

    fn encode(&self) -> Result<Vec<u8>, RegistryError> {
        self.encode()
    }
}

impl Shared for TokenRegistry {
    const KEY: &'static str = "auth/tokens";

    fn cache() -> &'static LocalKey<RefCell<Cache<Self>>> {
        &CACHE
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::FutureExt;
    use pilotlight_core::access::{Token, TokenRecord, TokenScope, TokenTenant};

    use super::*;
    use crate::bucket::memory::MemoryBucket;
    use crate::bucket::shared_object::{FRESH_MILLIS, MAX_AGE_MILLIS, change, current};
    use crate::platform::errors::Problem;

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
            |registry: &mut TokenRegistry| {
                let added = registry.add(record(n), now);
                added.map_err(Problem::internal)
            },
        );
        added.now_or_never().expect("no wait").unwrap();
    }

    fn seen(bucket: &MemoryBucket, now: i64) -> usize {
        let current = current::<TokenRegistry>(bucket, || now).now_or_never();
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
        bucket.damage(TokenRegistry::KEY, |bytes| bytes.truncate(10));
        assert_eq!(seen(&bucket, FRESH_MILLIS), 1, "for a moment");
        let current = current::<TokenRegistry>(&bucket, || MAX_AGE_MILLIS).now_or_never();
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
            |registry: &mut TokenRegistry| {
                if first.replace(false) {
                    elsewhere(&bucket, 7, 0);
                }
                registry.add(record(1), 0).map_err(Problem::internal)
            },
        );
        changed.now_or_never().expect("no wait").unwrap();
        assert_eq!(seen(&bucket, 0), 2);
    }
}
