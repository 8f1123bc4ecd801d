//! The records of tokens: one object in the bucket.

use pilotlight_core::access::{RegistryError, TokenRegistry};

use crate::bucket::record::Record;
use crate::bucket::shared_object::Shared;

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
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use futures_util::FutureExt;
    use pilotlight_core::access::{Token, TokenRecord, TokenScope, TokenTenant};

    use super::*;
    use crate::bucket::memory::MemoryBucket;
    use crate::bucket::shared_object::{Cache, FRESH_MILLIS, MAX_AGE_MILLIS, change, current};
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

    type Kept = RefCell<Cache<TokenRegistry>>;

    fn add(bucket: &MemoryBucket, kept: &Kept, n: u8, now: i64) {
        let added = change(
            bucket,
            kept,
            || now,
            |registry: &mut TokenRegistry| {
                let added = registry.add(record(n), now);
                added.map_err(Problem::internal)
            },
        );
        added.now_or_never().expect("no wait").unwrap();
    }

    fn seen(bucket: &MemoryBucket, kept: &Kept, now: i64) -> usize {
        let current = current(bucket, kept, || now).now_or_never();
        current.expect("no wait").unwrap().records().len()
    }

    /// Another isolate's change.
    fn elsewhere(bucket: &MemoryBucket, n: u8, now: i64) {
        add(bucket, &Kept::default(), n, now);
    }

    #[test]
    fn a_change_is_seen_here_at_once_and_elsewhere_in_time() {
        let (bucket, kept) = (MemoryBucket::default(), Kept::default());
        assert_eq!(seen(&bucket, &kept, 0), 0);
        add(&bucket, &kept, 1, 1_000);
        assert_eq!(seen(&bucket, &kept, 1_000), 1);
        elsewhere(&bucket, 2, 2_000);
        assert_eq!(seen(&bucket, &kept, 1_000 + FRESH_MILLIS - 1), 1);
        assert_eq!(seen(&bucket, &kept, 1_000 + FRESH_MILLIS), 2);
        elsewhere(&bucket, 3, 21_000);
        assert_eq!(seen(&bucket, &kept, 0), 3, "a clock that was set back");
    }

    #[test]
    fn one_reads_while_others_go_on() {
        let (bucket, kept) = (MemoryBucket::default(), Kept::default());
        add(&bucket, &kept, 1, 0);
        elsewhere(&bucket, 2, 0);
        let reads = |now| kept.borrow_mut().usable(now).is_none();
        assert!(reads(FRESH_MILLIS), "this one reads");
        assert!(!reads(FRESH_MILLIS), "and this one does not");
        assert!(!reads(MAX_AGE_MILLIS - 1));
        assert!(reads(MAX_AGE_MILLIS), "nothing older is used");
    }

    #[test]
    fn what_does_not_read_lets_nobody_in() {
        let (bucket, kept) = (MemoryBucket::default(), Kept::default());
        add(&bucket, &kept, 1, 0);
        bucket.damage(TokenRegistry::KEY, |bytes| bytes.truncate(10));
        assert_eq!(seen(&bucket, &kept, FRESH_MILLIS), 1, "for a moment");
        let current = current(&bucket, &kept, || MAX_AGE_MILLIS).now_or_never();
        let problem = current.expect("no wait").unwrap_err();
        assert_eq!(problem.status, 500);
    }

    #[test]
    fn changes_at_the_same_time_are_both_kept() {
        let (bucket, kept) = (MemoryBucket::default(), Kept::default());
        let first = Cell::new(true);
        let changed = change(
            &bucket,
            &kept,
            || 0,
            |registry: &mut TokenRegistry| {
                if first.replace(false) {
                    elsewhere(&bucket, 7, 0);
                }
                registry.add(record(1), 0).map_err(Problem::internal)
            },
        );
        changed.now_or_never().expect("no wait").unwrap();
        assert_eq!(seen(&bucket, &kept, 0), 2);
    }
}
