//! A share: a profile that somebody put into the bucket for a while, to hand on a link to it.
//!
//! `t/<tenant>/shares/<day>-<digest>`: the day on which it expires, in five digits, so that a
//! bucket lists in order of expiry, and half of the SHA-256 of the object. So the same name and
//! content with the same expiry is one object, and whoever reads it can tell that it is whole.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::codec::bytes::Reader;
use super::codec::section::{check_magic, put_magic};
use super::directory::key::TenantId;
use super::error::StoreError;
use crate::base::limits::MAX_PUSH_BYTES;

const MAGIC: &[u8; 7] = b"PLTSHAR";

const FORMAT: &str = "share";

/// Most bytes of what is shared: as many as of a push.
pub const MAX_SHARE_BYTES: usize = MAX_PUSH_BYTES;

/// Longest name in bytes, as file systems have it.
pub const MAX_SHARE_NAME: usize = 255;

/// Longest head: 2 KiB. JSON writes a byte of a name as six at most.
const MAX_HEAD: usize = 2 << 10;

/// Most bytes before the content: magic, length of the head, head.
pub const MAX_SHARE_HEAD: usize = 12 + MAX_HEAD;

const DAY_MILLIS: i64 = 86_400_000;

/// The id of a share: when it expires, and a digest of its name and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShareId {
    day: u32,
    digest: u128,
}

/// Why a text is no id.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("not a share ID: expected 5 digits, a hyphen and 32 lowercase hexadecimal digits")]
pub struct ShareIdError;

/// Why something cannot be shared.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ShareError {
    /// There is nothing to share.
    #[error("the body is empty: send the bytes of a profile")]
    Empty,
    /// The content is too long.
    #[error("the profile has {0} bytes; at most {MAX_SHARE_BYTES} can be shared")]
    TooLarge(usize),
    /// The name is too long.
    #[error("the name has {0} bytes; at most {MAX_SHARE_NAME} are allowed")]
    NameLength(usize),
    /// A line break or the like in the name.
    #[error("the name contains the control character {0:?}")]
    NameCharacter(char),
}

/// What stands before the content. Fields that are not known mean nothing.
#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
}

impl ShareId {
    /// The id of an object that [`encode_share`] wrote, expiring at the end of a day since the epoch.
    pub fn of(day: u32, object: &[u8]) -> Self {
        let mut digest = [0; 16];
        digest.copy_from_slice(&Sha256::digest(object)[..16]);
        Self {
            day,
            digest: u128::from_be_bytes(digest),
        }
    }

    /// Whether an object is the one with this id.
    pub fn matches(self, object: &[u8]) -> bool {
        Self::of(self.day, object) == self
    }

    /// When it expires: the end of its day in UTC, milliseconds since the epoch.
    pub fn expires_millis(self) -> i64 {
        (i64::from(self.day) + 1) * DAY_MILLIS
    }

    /// Whether that is over.
    pub fn has_expired(self, now_millis: i64) -> bool {
        now_millis >= self.expires_millis()
    }

    /// The name of the object.
    pub fn key(self, tenant: &TenantId) -> String {
        format!("{}{self}", shares_prefix(tenant))
    }
}

/// How the names of a tenant's shares begin in the bucket.
pub fn shares_prefix(tenant: &TenantId) -> String {
    format!("t/{tenant}/shares/")
}

impl fmt::Display for ShareId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}-{:032x}", self.day, self.digest)
    }
}

impl FromStr for ShareId {
    type Err = ShareIdError;

    fn from_str(text: &str) -> Result<Self, ShareIdError> {
        let parse = || {
            let (day, digest) = text.split_once('-')?;
            Some(Self {
                day: day.parse().ok()?,
                digest: u128::from_str_radix(digest, 16).ok()?,
            })
        };
        // One text for one id: signs, capitals and missing zeros are none of ours.
        parse()
            .filter(|id| text.len() == 38 && id.to_string() == text)
            .ok_or(ShareIdError)
    }
}

/// The object of a share.
pub fn encode_share(name: &str, content: &[u8]) -> Result<Vec<u8>, ShareError> {
    if content.is_empty() {
        return Err(ShareError::Empty);
    }
    if content.len() > MAX_SHARE_BYTES {
        return Err(ShareError::TooLarge(content.len()));
    }
    if name.len() > MAX_SHARE_NAME {
        return Err(ShareError::NameLength(name.len()));
    }
    if let Some(control) = name.chars().find(|c| c.is_control()) {
        return Err(ShareError::NameCharacter(control));
    }
    let name = name.to_owned();
    // A text can always be written.
    let head = serde_json::to_vec(&Head { name }).unwrap_or_default();
    let mut out = Vec::with_capacity(12 + head.len() + content.len());
    put_magic(&mut out, MAGIC);
    out.extend_from_slice(&(head.len() as u32).to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(content);
    Ok(out)
}

/// The name of a share, and where its content begins; the first [`MAX_SHARE_HEAD`] bytes are enough.
pub fn share_head(object: &[u8]) -> Result<(String, usize), StoreError> {
    let mut reader = Reader::new(object, FORMAT);
    check_magic(&mut reader, MAGIC, FORMAT)?;
    let length = u32::from_le_bytes(reader.array()?) as usize;
    if length > MAX_HEAD {
        return Err(StoreError::TooLarge {
            section: FORMAT,
            size: length as u64,
            cap: MAX_HEAD as u64,
        });
    }
    let head: Head = serde_json::from_slice(reader.take(length)?)
        .map_err(|_| reader.corrupt("the header is not a JSON object with a name"))?;
    Ok((head.name, reader.at()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_nothing_else_does() {
        let object = encode_share("night.pb.gz", b"profile").unwrap();
        let id = ShareId::of(20_780, &object);
        let text = id.to_string();
        assert!(text.starts_with("20780-") && text.len() == 38, "{text}");
        assert_eq!(text.parse(), Ok(id));
        let tenant = "a".parse().unwrap();
        assert_eq!(id.key(&tenant), format!("t/a/shares/{text}"));
        assert!(id.matches(&object) && !id.matches(b"other"));
        let digest = &text[6..];
        for wrong in [
            String::new(),
            "../../auth/tokens".to_owned(),
            "..".to_owned(),
            format!("20780{digest}"),
            format!("2078-{digest}"),
            format!("020780-{digest}"),
            format!("100000-{digest}"),
            format!("+2078-{digest}"),
            format!("20780-+{}", &digest[1..]),
            format!("20780-{}", &digest[1..]),
            format!("20780-{digest}0"),
            format!("20780-{}/", &digest[1..]),
            text.to_uppercase()
                .replace(|c: char| c.is_ascii_digit(), "A"),
        ] {
            assert_eq!(wrong.parse::<ShareId>(), Err(ShareIdError), "{wrong}");
        }
    }

    #[test]
    fn it_expires_at_the_end_of_its_day() {
        let id = ShareId::of(3, b"x");
        assert_eq!(id.expires_millis(), 4 * DAY_MILLIS);
        assert!(!id.has_expired(4 * DAY_MILLIS - 1));
        assert!(id.has_expired(4 * DAY_MILLIS));
    }

    #[test]
    fn names_and_contents() {
        for name in [
            "",
            "night.pb.gz",
            "Nächte \"und\" Tage",
            &"\u{7fff}".repeat(85),
        ] {
            let object = encode_share(name, b"profile").unwrap();
            let (found, at) = share_head(&object).unwrap();
            assert_eq!((found.as_str(), &object[at..]), (name, &b"profile"[..]));
            let begin = &object[..object.len().min(MAX_SHARE_HEAD)];
            assert_eq!(share_head(begin), Ok((found, at)));
        }
        let refused = |name: &str, content: &[u8]| encode_share(name, content).unwrap_err();
        assert_eq!(refused("a", b""), ShareError::Empty);
        assert_eq!(refused("a\nb", b"x"), ShareError::NameCharacter('\n'));
        assert_eq!(refused(&"a".repeat(256), b"x"), ShareError::NameLength(256));
        let large = vec![0; MAX_SHARE_BYTES + 1];
        assert_eq!(refused("a", &large), ShareError::TooLarge(large.len()));
    }

    #[test]
    fn what_is_no_share() {
        let object = encode_share("night", b"profile").unwrap();
        for cut in 0..object.len() - 7 {
            assert!(share_head(&object[..cut]).is_err(), "{cut} bytes");
        }
        let mut long = object.clone();
        long[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(
            share_head(&long),
            Err(StoreError::TooLarge { .. })
        ));
        let mut newer = object;
        newer[7] = 2;
        assert!(matches!(
            share_head(&newer),
            Err(StoreError::Version { version: 2, .. })
        ));
    }
}
