//! What tenants have of their own: one object in the bucket, beside the tokens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bucket::record::JsonRecord;
use crate::bucket::shared_object::Shared;
use crate::platform::errors::Problem;
use crate::platform::limits::OwnLimits;

/// Most tenants with limits of their own: 1,000, some 100 kB.
const MAX_TENANTS: usize = 1_000;

/// The only version there is.
const VERSION: u32 = 1;

/// Limits by tenant.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TenantLimits {
    version: u32,
    tenants: BTreeMap<String, OwnLimits>,
}

impl Default for TenantLimits {
    fn default() -> Self {
        Self {
            version: VERSION,
            tenants: BTreeMap::new(),
        }
    }
}

impl TenantLimits {
    /// What a tenant has of its own.
    pub(crate) fn of(&self, tenant: &str) -> Option<&OwnLimits> {
        self.tenants.get(tenant)
    }

    /// Gives a tenant limits of its own; `None` takes them away.
    pub(crate) fn set(&mut self, tenant: &str, own: Option<OwnLimits>) -> Result<(), Problem> {
        let Some(own) = own else {
            self.tenants.remove(tenant);
            return Ok(());
        };
        if self.tenants.len() >= MAX_TENANTS && !self.tenants.contains_key(tenant) {
            let message = format!(
                "{MAX_TENANTS} tenants already have their own limits; delete those of one tenant first"
            );
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.tenants.insert(tenant.to_owned(), own);
        Ok(())
    }
}

impl JsonRecord for TenantLimits {
    const WHAT: &'static str = "tenant limits";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl Shared for TenantLimits {
    const KEY: &'static str = "auth/limits";
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use futures_util::FutureExt;

    use super::*;
    use crate::bucket::memory::MemoryBucket;
    use crate::bucket::record::Record;
    use crate::bucket::shared_object::{change, current};
    use crate::platform::limits::{Limits, parse};

    #[test]
    fn as_it_is_stored() {
        let mut table = TenantLimits::default();
        let own = parse(br#"{"max_query_length":"1d","ingestion_rate_mb":8}"#).unwrap();
        table.set("shop", Some(own.clone())).unwrap();
        let bytes = table.encode().unwrap();
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            r#"{"version":1,"tenants":{"shop":{"ingestion_rate_mb":8,"max_query_length":"1d"}}}"#
        );
        assert_eq!(TenantLimits::decode(&bytes).unwrap(), table);
        let later = br#"{"version":1,"tenants":{"shop":{"of_tomorrow":{"a":1}}}}"#;
        assert!(TenantLimits::decode(later).is_err());
        assert!(TenantLimits::decode(br#"{"version":2,"tenants":{}}"#).is_err());
        table.set("shop", None).unwrap();
        assert_eq!(table, TenantLimits::default());
    }

    #[test]
    fn bounded() {
        let mut table = TenantLimits::default();
        for n in 0..MAX_TENANTS {
            table.set(&n.to_string(), Some(OwnLimits::new())).unwrap();
        }
        let full = table.set("more", Some(OwnLimits::new())).unwrap_err();
        assert_eq!(full.status, 429);
        table.set("7", Some(OwnLimits::new())).unwrap();
        table.set("7", None).unwrap();
        table.set("more", Some(OwnLimits::new())).unwrap();
    }

    #[test]
    fn a_change_is_seen_by_the_next_request() {
        let (bucket, cache) = (MemoryBucket::default(), RefCell::default());
        let own = parse(br#"{"ingestion_rate_mb":8}"#).unwrap();
        let set = change(
            &bucket,
            &cache,
            || 0,
            |table: &mut TenantLimits| table.set("shop", Some(own.clone())),
        );
        set.now_or_never().expect("no wait").unwrap();
        let table = current(&bucket, &cache, || 1).now_or_never();
        let table = table.expect("no wait").unwrap();
        let of = |tenant| table.of(tenant).map(|own| Limits::default().with(own));
        assert_eq!(of("shop").unwrap().rate().unwrap().bytes, 8 << 20);
        assert_eq!(of("other"), None);
    }
}
