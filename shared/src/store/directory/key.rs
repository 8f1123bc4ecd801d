//! Names of objects in the bucket.
//!
//! `t/<tenant>/s<shard>/l0/<unix milliseconds>-<hex>.seg` for segments,
//! `t/<tenant>/s<shard>/l1/<unix milliseconds>-<hex>.blk` for blocks. Milliseconds have 13 digits
//! until the year 2286, so a bucket lists in order of time.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::level::Level;

/// Longest tenant id in bytes, as in Pyroscope and Mimir.
pub const MAX_TENANT: usize = 150;

/// The tenant of requests that name none.
const ANONYMOUS: &str = "anonymous";

/// A tenant id: at most 150 letters, digits and `! - _ . * ' ( )`, and neither `.` nor `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(String);

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Whose it is.
    pub tenant: TenantId,
    /// Which of the tenant's Durable Objects has it in its catalog.
    pub shard: u16,
    /// How far it is compacted.
    pub level: Level,
    /// When its writing began; for a block that of its first source. Milliseconds since the epoch.
    pub millis: i64,
    /// What makes the name unique.
    pub unique: u64,
}

/// Why a name was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeyError {
    /// A tenant id that is empty, `.` or `..`.
    #[error("tenant ID {0:?} is not allowed; it can't be empty, \".\" or \"..\"")]
    Tenant(String),
    /// A tenant id that is too long.
    #[error("the tenant ID has {0} bytes; at most {MAX_TENANT} are allowed")]
    TenantLength(usize),
    /// A character that a tenant id may not have.
    #[error(
        "tenant ID {id:?} contains {character:?}; only letters, digits and !-_.*'() are allowed"
    )]
    TenantCharacter {
        /// The id.
        id: String,
        /// The character.
        character: char,
    },
    /// Not the name of an object of ours.
    #[error("{0:?} is not of the form t/<tenant>/s<shard>/l<level>/<milliseconds>-<hex>.<seg|blk>")]
    Key(String),
}

impl TenantId {
    /// The tenant of requests that name none.
    pub fn anonymous() -> Self {
        Self(ANONYMOUS.to_owned())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantId {
    type Err = KeyError;

    fn from_str(id: &str) -> Result<Self, KeyError> {
        if matches!(id, "" | "." | "..") {
            return Err(KeyError::Tenant(id.to_owned()));
        }
        if id.len() > MAX_TENANT {
            return Err(KeyError::TenantLength(id.len()));
        }
        match id
            .chars()
            .find(|c| !(c.is_ascii_alphanumeric() || "!-_.*'()".contains(*c)))
        {
            Some(character) => Err(KeyError::TenantCharacter {
                id: id.to_owned(),
                character,
            }),
            None => Ok(Self(id.to_owned())),
        }
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ObjectKey {
    /// The name of a block that is made of this object and of later ones.
    pub fn successor(&self, level: Level, unique: u64) -> Self {
        Self {
            tenant: self.tenant.clone(),
            level,
            unique,
            ..*self
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tenant,
            shard,
            level,
            millis,
            unique,
        } = self;
        let ending = if *level == Level::Segment {
            "seg"
        } else {
            "blk"
        };
        write!(
            f,
            "t/{tenant}/s{shard}/l{level}/{millis:013}-{unique:016x}.{ending}"
        )
    }
}

impl FromStr for ObjectKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let parse = || {
            let rest = text.strip_prefix("t/")?;
            let (tenant, rest) = rest.split_once('/')?;
            let (shard, rest) = rest.strip_prefix('s')?.split_once('/')?;
            let (level, name) = rest.strip_prefix('l')?.split_once('/')?;
            let (millis, rest) = name.split_once('-')?;
            let (unique, _) = rest.split_once('.')?;
            let (shard, level, millis) = (
                shard.parse().ok()?,
                level.parse::<u8>().ok()?,
                millis.parse().ok()?,
            );
            let level = Level::try_from(level).ok()?;
            Some(Self {
                tenant: tenant.parse().ok()?,
                shard,
                level,
                millis,
                unique: u64::from_str_radix(unique, 16).ok()?,
            })
        };
        // One name for one key: what does not print as it was read is not ours.
        let ours = |key: &Self| key.to_string() == text;
        parse()
            .filter(ours)
            .ok_or_else(|| KeyError::Key(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        for text in [
            "t/anonymous/s0/l0/1700000000000-00000000000000ff.seg",
            "t/a!-_.*'()/s12/l1/0000000000000-ffffffffffffffff.blk",
            "t/x/s65535/l2/17000000000000-0123456789abcdef.blk",
        ] {
            assert_eq!(text.parse::<ObjectKey>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for text in [
            "",
            "t/",
            "t//s0/l0/1700000000000-00000000000000ff.seg",
            "t/../s0/l0/1700000000000-00000000000000ff.seg",
            "t/a/s0/l0/1700000000000-00000000000000ff.blk",
            "t/a/s0/l0/1700000000000-00000000000000FF.seg",
            "t/a/s0/l0/1700000000000-ff.seg",
            "t/a/s0/l0/+170000000000-00000000000000ff.seg",
            "t/a/s0/l00/1700000000000-00000000000000ff.seg",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg/",
            "t/a/l0/1700000000000-00000000000000ff.seg",
            "t/a/s00/l0/1700000000000-00000000000000ff.seg",
            "t/a/s0/l4/1700000000000-00000000000000ff.blk",
            "t/a/s65536/l0/1700000000000-00000000000000ff.seg",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg+8/l1/1700000000000-00000000000000ff.blk",
        ] {
            assert_eq!(
                text.parse::<ObjectKey>(),
                Err(KeyError::Key(text.to_owned()))
            );
        }
    }

    #[test]
    fn tenants() {
        assert_eq!("a.b".parse::<TenantId>().unwrap().as_str(), "a.b");
        assert_eq!(
            "..".parse::<TenantId>(),
            Err(KeyError::Tenant("..".to_owned()))
        );
        assert_eq!(
            "x".repeat(151).parse::<TenantId>(),
            Err(KeyError::TenantLength(151))
        );
        let error = "a/b".parse::<TenantId>().unwrap_err().to_string();
        assert_eq!(
            error,
            "tenant ID \"a/b\" contains '/'; only letters, digits and !-_.*'() are allowed"
        );
        assert!("ü".parse::<TenantId>().is_err());
    }
}
