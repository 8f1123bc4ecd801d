//! Which shard has a chunk: a tenant has one, or several between which its services are
//! divided.

use std::fmt;
use std::str::FromStr;

use pilotlight_core::{
    SERVICE_NAME,
    store::{KeyError, TenantId, chunk_head},
};
use xxhash_rust::xxh3::xxh3_64;

use crate::platform::errors::Problem;

/// One of a tenant's shards. As text, which is also the Durable Object's name: `tenant` for the first,
/// `tenant/s3` for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) tenant: TenantId,
    pub(crate) number: u16,
}

impl Shard {
    /// All of a tenant's.
    pub(crate) fn all(tenant: &TenantId, count: u16) -> impl Iterator<Item = Self> {
        (0..count).map(|number| Self {
            tenant: tenant.clone(),
            number,
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A tenant id has no slash.
        match self.number {
            0 => write!(f, "{}", self.tenant),
            number => write!(f, "{}/s{number}", self.tenant),
        }
    }
}

impl FromStr for Shard {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (tenant, number) = match text.split_once("/s") {
            None => (text, Some(0)),
            Some((tenant, number)) => (tenant, number.parse().ok().filter(|number| *number > 0)),
        };
        Ok(Self {
            tenant: tenant.parse()?,
            number: number.ok_or_else(|| KeyError::Key(text.to_owned()))?,
        })
    }
}

/// Which of `count` shards takes a chunk: all profiles of a service go to one, so that they share
/// symbols in its blocks.
pub(crate) fn shard_of(chunk: &[u8], count: u16) -> Result<u16, Problem> {
    if count <= 1 {
        return Ok(0);
    }
    let head = chunk_head(chunk).map_err(Problem::internal)?;
    let service = head
        .series
        .first()
        .and_then(|series| series.labels.get(SERVICE_NAME))
        .unwrap_or_default();
    Ok((xxh3_64(service.as_bytes()) % u64::from(count)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let tenant: TenantId = "a".parse().unwrap();
        let names: Vec<String> = Shard::all(&tenant, 3)
            .map(|shard| shard.to_string())
            .collect();
        assert_eq!(names, ["a", "a/s1", "a/s2"]);
        for (name, shard) in names.iter().zip(Shard::all(&tenant, 3)) {
            assert_eq!(name.parse(), Ok(shard));
        }
        for wrong in ["", "a/s", "a/s0", "a/1", "a/s65536", "a/s1/s2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong:?}");
        }
    }
}
