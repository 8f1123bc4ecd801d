//! Names of objects in the bucket.
//!
//! `t/<tenant>/s<shard>/l0/<unix milliseconds>-<hex>.seg` for segments, `t/<tenant>/s<shard>/l1/<unix milliseconds>-<hex>.blk`
//! for blocks. Milliseconds have 13 digits until the year 2286, so a bucket lists in order of time.
//!
//! A block may stand inside a segment, which carries it. Its name is then that of the segment, a `+`, the offset of its first
//! byte and the end of its own name: `t/<tenant>/s<shard>/l0/<…>.seg+<offset>/l1/<unix milliseconds>-<hex>.blk`. The bucket
//! knows the name of the segment alone; [`place`] takes the two apart.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Longest tenant id in bytes, as in Pyroscope and Mimir.
pub const MAX_TENANT: usize = 150;

/// What stands between the names of a segment and of a block inside it. No tenant id has a plus sign.
const CARRIED: &str = ".seg+";

/// The tenant of requests that name none.
const ANONYMOUS: &str = "anonymous";

/// A tenant id: at most 150 letters, digits and `! - _ . * ' ( )`, and neither `.` nor `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant(String);

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Whose it is.
    pub tenant: Tenant,
    /// Which of the tenant's Durable Objects has it in its catalog.
    pub shard: u16,
    /// 0 for a segment, 1 and up for blocks.
    pub level: u8,
    /// When its writing began; for a block that of its first source. Milliseconds since the epoch.
    pub millis: i64,
    /// What makes the name unique.
    pub unique: u64,
    /// The segment in which a block stands; `None` for an object of its own.
    pub carrier: Option<Carrier>,
}

/// A segment that carries a block, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Carrier {
    /// When the writing of the segment began, milliseconds since the epoch.
    pub millis: i64,
    /// What makes the segment's name unique.
    pub unique: u64,
    /// Where the block begins in it.
    pub offset: u64,
}

/// Where an object stands: its name in the bucket, and its first byte there.
pub fn place(name: &str) -> (&str, u64) {
    let inside = || {
        let end = name.find(CARRIED)? + CARRIED.len() - 1;
        let (offset, _) = name[end + 1..].split_once('/')?;
        Some((&name[..end], offset.parse().ok()?))
    };
    inside().unwrap_or((name, 0))
}

/// Why a name was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeyError {
    /// A tenant id that is empty, `.` or `..`.
    #[error("tenant id {0:?} is not allowed")]
    Tenant(String),
    /// A tenant id that is too long.
    #[error("tenant id of {0} bytes; at most {MAX_TENANT} are allowed")]
    TenantLength(usize),
    /// A character that a tenant id may not have.
    #[error("tenant id {id:?} has {character:?}; letters, digits and !-_.*'() are allowed")]
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

impl Tenant {
    /// The tenant of requests that name none.
    pub fn anonymous() -> Self {
        Self(ANONYMOUS.to_owned())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Tenant {
    type Err = KeyError;

    fn from_str(id: &str) -> Result<Self, KeyError> {
        if matches!(id, "" | "." | "..") {
            return Err(KeyError::Tenant(id.to_owned()));
        }
        if id.len() > MAX_TENANT {
            return Err(KeyError::TenantLength(id.len()));
        }
        match id.chars().find(|c| !(c.is_ascii_alphanumeric() || "!-_.*'()".contains(*c))) {
            Some(character) => Err(KeyError::TenantCharacter { id: id.to_owned(), character }),
            None => Ok(Self(id.to_owned())),
        }
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ObjectKey {
    /// The name of a block that is made of this object and of later ones.
    pub fn successor(&self, level: u8, unique: u64) -> Self {
        Self { tenant: self.tenant.clone(), level, unique, carrier: None, ..*self }
    }

    /// The name of this block as a segment carries it.
    pub fn carried_by(&self, segment: &Self, offset: u64) -> Self {
        let carrier = Carrier { millis: segment.millis, unique: segment.unique, offset };
        Self { carrier: Some(carrier), ..self.clone() }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tenant, shard, level, millis, unique, carrier } = self;
        write!(f, "t/{tenant}/s{shard}/")?;
        if let Some(Carrier { millis, unique, offset }) = carrier {
            write!(f, "l0/{millis:013}-{unique:016x}{CARRIED}{offset}/")?;
        }
        write!(f, "l{level}/{millis:013}-{unique:016x}.{}", if *level == 0 { "seg" } else { "blk" })
    }
}

impl FromStr for ObjectKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let parse = || {
            let rest = text.strip_prefix("t/")?;
            let (tenant, rest) = rest.split_once('/')?;
            let (shard, rest) = rest.strip_prefix('s')?.split_once('/')?;
            let (carrier, rest) = match rest.split_once(CARRIED) {
                None => (None, rest),
                Some((segment, rest)) => {
                    let (millis, unique) = segment.strip_prefix("l0/")?.split_once('-')?;
                    let (offset, rest) = rest.split_once('/')?;
                    (
                        Some(Carrier { millis: millis.parse().ok()?, unique: hex(unique)?, offset: offset.parse().ok()? }),
                        rest,
                    )
                }
            };
            let (level, name) = rest.strip_prefix('l')?.split_once('/')?;
            let (millis, rest) = name.split_once('-')?;
            let (unique, _) = rest.split_once('.')?;
            let (shard, level, millis) = (shard.parse().ok()?, level.parse().ok()?, millis.parse().ok()?);
            Some(Self { tenant: tenant.parse().ok()?, shard, level, millis, unique: hex(unique)?, carrier })
        };
        // One name for one key: what does not print as it was read is not ours. Segments are carried by nothing.
        let ours = |key: &Self| (key.carrier.is_none() || key.level > 0) && key.to_string() == text;
        parse().filter(ours).ok_or_else(|| KeyError::Key(text.to_owned()))
    }
}

fn hex(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
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
            "t/x.seg/s1/l0/1700000000000-00000000000000ff.seg+812/l1/1600000000000-00000000000000aa.blk",
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
            "t/a/s65536/l0/1700000000000-00000000000000ff.seg",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg+8/l0/1700000000000-00000000000000ff.seg",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg+08/l1/1700000000000-00000000000000ff.blk",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg+/l1/1700000000000-00000000000000ff.blk",
            "t/a/s0/l1/1700000000000-00000000000000ff.seg+8/l1/1700000000000-00000000000000ff.blk",
            "t/a/s0/l0/1700000000000-00000000000000ff.seg+8",
        ] {
            assert_eq!(text.parse::<ObjectKey>(), Err(KeyError::Key(text.to_owned())));
        }
    }

    #[test]
    fn carried() {
        let segment: ObjectKey = "t/a/s0/l0/1700000000000-00000000000000ff.seg".parse().unwrap();
        let block: ObjectKey = "t/a/s0/l1/1600000000000-00000000000000aa.blk".parse().unwrap();
        let inside = block.carried_by(&segment, 812);
        let name = inside.to_string();
        assert_eq!(name, format!("{segment}+812/l1/1600000000000-00000000000000aa.blk"));
        assert_eq!(name.parse::<ObjectKey>().unwrap(), inside);
        assert_eq!(place(&name), (segment.to_string().as_str(), 812));
        assert_eq!(place(&block.to_string()), (block.to_string().as_str(), 0));
        assert_eq!(place("a.seg+x/b"), ("a.seg+x/b", 0));
        assert_eq!(inside.successor(2, 3).to_string(), "t/a/s0/l2/1600000000000-0000000000000003.blk");
    }

    #[test]
    fn tenants() {
        assert_eq!("a.b".parse::<Tenant>().unwrap().as_str(), "a.b");
        assert_eq!("..".parse::<Tenant>(), Err(KeyError::Tenant("..".to_owned())));
        assert_eq!("x".repeat(151).parse::<Tenant>(), Err(KeyError::TenantLength(151)));
        let error = "a/b".parse::<Tenant>().unwrap_err().to_string();
        assert_eq!(error, "tenant id \"a/b\" has '/'; letters, digits and !-_.*'() are allowed");
        assert!("ü".parse::<Tenant>().is_err());
    }
}
