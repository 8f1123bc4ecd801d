//! All tokens of an installation: one small JSON object.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::access::record::{TokenRecord, TokenTenant};
use crate::access::token::TokenDigest;

/// Most tokens of an installation: 1,000. A record takes some 250 bytes, so the object stays below
/// 300 kB, and comparing a digest with all of them takes microseconds.
pub const MAX_TOKENS: usize = 1_000;

/// Most tokens of one tenant: 100. One administrator of a tenant leaves room for others.
pub const MAX_TENANT_TOKENS: usize = 100;

/// The only version there is.
const VERSION: u32 = 1;

/// The records of all tokens, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRegistry {
    records: Vec<TokenRecord>,
}

/// Why a token does not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// No record has its digest.
    Unknown,
    /// Its time is over.
    Expired,
    /// Somebody took it back.
    Revoked,
}

/// A registry that does not read, or cannot take what it should.
#[derive(Debug, Error)]
pub enum RegistryError {
    /// Not the JSON that was written.
    #[error("the stored tokens can't be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by a later version.
    #[error("the stored tokens have version {0}; expected {VERSION}")]
    Version(u32),
    /// As many valid tokens as there may be.
    #[error("there are already {MAX_TOKENS} valid tokens; revoke one first")]
    Full,
    /// The tenant has as many valid tokens as it may.
    #[error("the tenant {0} already has {MAX_TENANT_TOKENS} valid tokens; revoke one first")]
    TenantFull(TokenTenant),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    tokens: Vec<TokenRecord>,
}

impl TokenRegistry {
    /// Reads what [`Self::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, RegistryError> {
        let Stored { version, tokens } = serde_json::from_slice(bytes)?;
        if version != VERSION {
            return Err(RegistryError::Version(version));
        }
        Ok(Self { records: tokens })
    }

    /// `{"version":1,"tokens":[…]}`.
    pub fn encode(&self) -> Result<Vec<u8>, RegistryError> {
        Ok(serde_json::to_vec(&Stored {
            version: VERSION,
            tokens: self.records.clone(),
        })?)
    }

    /// The records, oldest first.
    pub fn records(&self) -> &[TokenRecord] {
        &self.records
    }

    /// The record of a token that is valid at `now`. Every record is compared, so the time tells
    /// nothing about which one it was.
    pub fn find(&self, digest: &TokenDigest, now: i64) -> Result<&TokenRecord, Denied> {
        let mut found = None;
        for record in &self.records {
            if record.sha256 == *digest {
                found = Some(record);
            }
        }
        let record = found.ok_or(Denied::Unknown)?;
        if record.revoked.is_some() {
            Err(Denied::Revoked)
        } else if record.expires.is_some_and(|expires| expires <= now) {
            Err(Denied::Expired)
        } else {
            Ok(record)
        }
    }

    /// Adds a record. Where there is no room, the record that ended first makes room: one of the
    /// same tenant where that has all it may, else one of any.
    pub fn add(&mut self, record: TokenRecord, now: i64) -> Result<(), RegistryError> {
        let of_tenant = |known: &TokenRecord| known.tenant == record.tenant;
        let is_one = record.tenant != TokenTenant::All;
        let own = self.records.iter().filter(|known| of_tenant(known)).count();
        let gone = if is_one && own >= MAX_TENANT_TOKENS {
            let first = self.first_ended(of_tenant, now);
            Some(first.ok_or_else(|| RegistryError::TenantFull(record.tenant.clone()))?)
        } else if self.records.len() >= MAX_TOKENS {
            Some(self.first_ended(|_| true, now).ok_or(RegistryError::Full)?)
        } else {
            None
        };
        if let Some(at) = gone {
            self.records.remove(at);
        }
        self.records.push(record);
        Ok(())
    }

    /// The place of the record that ended first, of those that are `among`.
    fn first_ended(&self, among: impl Fn(&TokenRecord) -> bool, now: i64) -> Option<usize> {
        let records = self.records.iter().enumerate();
        let ended = records.filter(|(_, record)| among(record));
        let ended = ended.filter_map(|(at, record)| Some((record.end()?, at)));
        let (_, at) = ended.filter(|(end, _)| *end <= now).min()?;
        Some(at)
    }

    /// Revokes the token of that id, if `reach` covers its tenant. Gives its record; the first
    /// revocation counts.
    pub fn revoke(&mut self, id: &str, reach: &TokenTenant, now: i64) -> Option<&TokenRecord> {
        let mut records = self.records.iter_mut();
        let record = records.find(|record| record.id == id && reach.covers(&record.tenant))?;
        record.revoked.get_or_insert(now);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{RecordError, Token, TokenScope};

    fn record(n: u8, tenant: &str) -> TokenRecord {
        TokenRecord {
            id: format!("id{n}"),
            name: String::new(),
            tenant: tenant.parse().unwrap(),
            scopes: vec![TokenScope::Push],
            sha256: digest(n),
            created: 1,
            expires: None,
            revoked: None,
        }
    }

    fn digest(n: u8) -> TokenDigest {
        Token::from_entropy([n; 32]).digest()
    }

    fn registry() -> TokenRegistry {
        let mut registry = TokenRegistry::default();
        registry.add(record(1, "a"), 0).unwrap();
        let second = TokenRecord {
            expires: Some(100),
            ..record(2, "*")
        };
        registry.add(second, 0).unwrap();
        registry
    }

    #[test]
    fn found_until_it_ends() {
        let mut registry = registry();
        let found = |registry: &TokenRegistry, n, now| {
            let found = registry.find(&digest(n), now);
            found.map(|record| record.id.clone())
        };
        assert_eq!(found(&registry, 1, i64::MAX), Ok("id1".to_owned()));
        assert_eq!(found(&registry, 2, 99), Ok("id2".to_owned()));
        assert_eq!(found(&registry, 2, 100), Err(Denied::Expired));
        assert_eq!(found(&registry, 3, 0), Err(Denied::Unknown));
        let other = "b".parse().unwrap();
        assert_eq!(registry.revoke("id1", &other, 50), None, "of another");
        assert_eq!(registry.revoke("id3", &TokenTenant::All, 50), None);
        let of_a = "a".parse().unwrap();
        assert_eq!(registry.revoke("id2", &of_a, 50), None, "of all");
        registry.revoke("id1", &of_a, 50).unwrap();
        let again = registry.revoke("id1", &TokenTenant::All, 60).unwrap();
        assert_eq!(again.revoked, Some(50));
        assert_eq!(found(&registry, 1, 0), Err(Denied::Revoked));
    }

    #[test]
    fn as_it_is_stored() {
        let registry = registry();
        let bytes = registry.encode().unwrap();
        assert_eq!(TokenRegistry::decode(&bytes).unwrap(), registry);
        let text = String::from_utf8(bytes).unwrap();
        let first = format!(
            r#"{{"version":1,"tokens":[{{"id":"id1","name":"","tenant":"a","scopes":["push"],"sha256":"{}","created":1,"expires":null,"revoked":null}},"#,
            digest(1).to_hex()
        );
        assert!(text.starts_with(&first), "{text}");
        for wrong in [
            text.replace("\"version\":1", "\"version\":2"),
            text.replace("\"*\"", "\"../x\""),
            text.replace("push", "write"),
            text[..text.len() - 1].to_owned(),
        ] {
            assert!(TokenRegistry::decode(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounded() {
        let mut registry = TokenRegistry::default();
        for at in 0..MAX_TOKENS {
            let revoked = [500, 501].contains(&at).then_some(700 - at as i64);
            let record = TokenRecord {
                id: at.to_string(),
                revoked,
                ..record(1, &format!("t{}", at % 20))
            };
            registry.add(record, 0).unwrap();
        }
        registry.add(record(2, "a"), 1_000).unwrap();
        registry.add(record(3, "*"), 1_000).unwrap();
        let gone = |id: &str| registry.records().iter().all(|record| record.id != id);
        assert!(gone("501") && gone("500"));
        let full = registry.add(record(4, "a"), 1_000);
        assert!(matches!(full, Err(RegistryError::Full)));
        assert_eq!(registry.records().len(), MAX_TOKENS);
    }

    #[test]
    fn one_tenant_leaves_room_for_others() {
        let mut registry = registry();
        let count = |registry: &TokenRegistry, tenant: &str| {
            let records = registry.records().iter();
            records.filter(|r| r.tenant.to_string() == tenant).count()
        };
        let revoked = TokenRecord {
            id: "ended".to_owned(),
            revoked: Some(7),
            ..record(1, "b")
        };
        registry.add(revoked, 0).unwrap();
        while count(&registry, "a") < MAX_TENANT_TOKENS {
            registry.add(record(1, "a"), 10).unwrap();
        }
        let full = registry.add(record(1, "a"), 10).unwrap_err();
        assert_eq!(
            full.to_string(),
            "the tenant a already has 100 valid tokens; revoke one first"
        );
        assert_eq!(count(&registry, "b"), 1, "no other's record makes room");
        registry.revoke("id1", &TokenTenant::All, 9).unwrap();
        registry.add(record(9, "a"), 10).unwrap();
        assert_eq!(count(&registry, "a"), MAX_TENANT_TOKENS);
        assert!(registry.find(&digest(9), 10).is_ok());
        for _ in 0..MAX_TENANT_TOKENS + 1 {
            registry.add(record(1, "*"), 10).unwrap();
        }
    }

    #[test]
    fn what_a_client_chooses_is_checked() {
        let scopes = vec![TokenScope::Admin, TokenScope::Push, TokenScope::Admin];
        let given = TokenRecord {
            scopes,
            ..record(1, "a")
        };
        let expect = vec![TokenScope::Push, TokenScope::Admin];
        assert_eq!(given.checked().unwrap().scopes, expect);
        let none = TokenRecord {
            scopes: Vec::new(),
            ..record(1, "a")
        };
        assert_eq!(none.checked(), Err(RecordError::NoScope));
        let named = |name: &str| {
            let record = TokenRecord {
                name: name.to_owned(),
                ..record(1, "a")
            };
            record.checked().map(drop)
        };
        assert_eq!(named("ci of shop"), Ok(()));
        assert_eq!(named("a\nb"), Err(RecordError::NameCharacter('\n')));
        assert_eq!(named(&"x".repeat(101)), Err(RecordError::NameLength(101)));
    }
}
