//! What is stored of a token, and what it allows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::access::token::TokenDigest;
use crate::store::{KeyError, TenantId};

/// Longest name of a token, in bytes: a line of a table.
const MAX_NAME: usize = 100;

/// One kind of call that a token allows. None of them implies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Profiles are sent.
    Push,
    /// Profiles are queried.
    Read,
    /// What an operator does.
    Admin,
}

/// Whose data a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenTenant {
    /// Everybody's, and the installation itself: `*`.
    All,
    /// One tenant's.
    One(TenantId),
}

/// A token as it is stored: never the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Names it in lists and in a revocation; it is no secret.
    pub id: String,
    /// What its maker calls it; may be empty.
    pub name: String,
    /// Whose data it is for.
    pub tenant: TokenTenant,
    /// What it allows.
    pub scopes: Vec<TokenScope>,
    /// The digest by which it is known.
    #[serde(with = "hex")]
    pub sha256: TokenDigest,
    /// When it was made, milliseconds since the epoch.
    pub created: i64,
    /// From when on it is not valid any more; `None`: it does not expire.
    pub expires: Option<i64>,
    /// When it was revoked.
    pub revoked: Option<i64>,
}

/// What a new token cannot be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordError {
    /// Longer than 100 bytes.
    #[error("the name has {0} bytes; at most {MAX_NAME} are allowed")]
    NameLength(usize),
    /// Line ends and the like would break lists.
    #[error("the name contains the control character {0:?}")]
    NameCharacter(char),
    /// A token without a scope allows nothing.
    #[error("no scope given; expected push, read or admin")]
    NoScope,
}

impl TokenScope {
    /// All.
    pub const ALL: [Self; 3] = [Self::Push, Self::Read, Self::Admin];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }
}

impl TokenTenant {
    /// Whether it covers another: `*` covers all, a tenant itself.
    pub fn covers(&self, other: &Self) -> bool {
        *self == Self::All || self == other
    }
}

impl TokenRecord {
    /// Checks what a client chose of a new record.
    pub fn checked(self) -> Result<Self, RecordError> {
        if self.name.len() > MAX_NAME {
            return Err(RecordError::NameLength(self.name.len()));
        }
        if let Some(character) = self.name.chars().find(|c| c.is_control()) {
            return Err(RecordError::NameCharacter(character));
        }
        if self.scopes.is_empty() {
            return Err(RecordError::NoScope);
        }
        let wanted = |scope: &TokenScope| self.scopes.contains(scope);
        let scopes = TokenScope::ALL.into_iter().filter(wanted).collect();
        Ok(Self { scopes, ..self })
    }

    /// When it ended or will end, whichever comes first.
    pub fn end(&self) -> Option<i64> {
        match (self.revoked, self.expires) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

impl fmt::Display for TokenTenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::One(tenant) => tenant.fmt(f),
        }
    }
}

impl FromStr for TokenTenant {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        match text {
            "*" => Ok(Self::All),
            id => id.parse().map(Self::One),
        }
    }
}

impl Serialize for TokenTenant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TokenTenant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

mod hex {
    //! A digest as hexadecimal digits.

    use serde::{Deserialize, Deserializer, Serializer};

    use super::TokenDigest;

    pub(super) fn serialize<S: Serializer>(
        digest: &TokenDigest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&digest.to_hex())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<TokenDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        TokenDigest::from_hex(&text)
            .ok_or_else(|| serde::de::Error::custom("a digest is not 64 hexadecimal digits"))
    }
}
