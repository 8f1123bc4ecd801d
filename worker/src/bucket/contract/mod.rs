//! What Pilotlight needs of a bucket, as checks that run against any: in tests, and for an operator
//! against their own.
//!
//! Everything happens under a prefix that is the check's alone, and is deleted in the end.

#[cfg(test)]
mod tests;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use pilotlight_core::sort::sort_by;
use serde::Serialize;

use super::{Bucket, BucketError, Condition, List, MAX_PAGE, Object, Page};

/// A part of the contract. Each but the last takes fewer than the 50 requests over S3 that an
/// invocation has on the platform's free plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Objects,
    Conditions,
    Lists,
    /// A list of more than one page, for which a thousand objects are written.
    Pages,
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Objects, Self::Conditions, Self::Lists, Self::Pages];

    /// As a request names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Objects => "objects",
            Self::Conditions => "conditions",
            Self::Lists => "lists",
            Self::Pages => "pages",
        }
    }
}

/// What was found, one entry a check.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Whether all checks passed.
    pub(crate) ok: bool,
    pub(crate) checks: Vec<Check>,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) ok: bool,
    /// What was seen instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<String>,
}

/// The prefix under which nothing of ours is kept.
const PREFIX: &str = "check/";

/// Names as segments may be: what URLs, XML and signatures each have to encode. The second one
/// counts 100 bytes.
const NAMES: [&str; 3] = [
    "!'()*+ $&,;=@[]~%2F%",
    "é ü 漢字 \u{1f525} <a href=\"?x#y\">|\\^`{}",
    "plain-name_1.0",
];

/// Writes at once of which one may win. The platform opens six connections at once.
const RIVALS: usize = 6;

/// Longest key, bytes, of R2 and of S3.
const LONGEST_KEY: usize = 1024;

/// A large object: as much as a block has, 8 MiB.
const LARGE: usize = 8 << 20;

/// Tries parts of the contract. `unique` keeps checks at the same time apart.
pub(crate) async fn check(bucket: &impl Bucket, unique: u64, parts: &[Part]) -> Report {
    let space = Space {
        bucket,
        prefix: format!("{PREFIX}{unique:016x}/"),
    };
    let mut checks = Vec::new();
    let mut note = |name, outcome: Result<(), String>| {
        checks.push(Check {
            name,
            ok: outcome.is_ok(),
            seen: outcome.err(),
        })
    };
    for part in parts {
        match part {
            Part::Objects => {
                note("what was written is read", space.writes().await);
                note("ranges", space.ranges().await);
                note("empty objects", space.empty().await);
                note("deletion of many", space.deletes().await);
                note("long keys", space.long_keys().await);
                note("large objects", space.large().await);
            }
            Part::Conditions => {
                note(
                    "conditional writes: only where there is nothing",
                    space.absent().await,
                );
                note(
                    "conditional writes: only over what is known",
                    space.matches().await,
                );
                note("conditional writes at once: one wins", space.rivals().await);
            }
            Part::Lists => {
                note(
                    "lists: names of all characters, in order",
                    space.lists().await,
                );
                note("lists: cut at a delimiter", space.delimiters().await);
            }
            Part::Pages => note("lists: pages", space.pages().await),
        }
    }
    note("nothing is left over", space.clean().await);
    Report {
        ok: checks.iter().all(|check| check.ok),
        checks,
    }
}

/// Names of a bucket that begin alike.
struct Space<'a, B> {
    bucket: &'a B,
    prefix: String,
}

impl<B: Bucket> Space<'_, B> {
    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    async fn put(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let etag = self
            .bucket
            .put(&self.key(name), bytes.to_vec(), Condition::None)
            .await
            .map_err(text)?;
        expect(!etag.is_empty(), || "an empty entity tag".to_owned())?;
        Ok(etag)
    }

    async fn object(&self, name: &str) -> Result<Option<Object>, String> {
        self.bucket.get(&self.key(name), None).await.map_err(text)
    }

    /// Reads a whole object, which must hold that.
    async fn holds(&self, name: &str, bytes: &[u8], etag: &str) -> Result<(), String> {
        let expected = Object {
            bytes: bytes.to_vec(),
            etag: etag.to_owned(),
            size: bytes.len() as u64,
        };
        same(
            &format!("object {name:?}"),
            self.object(name).await?.as_ref(),
            Some(&expected),
        )
    }

    async fn list(
        &self,
        name: &str,
        delimiter: Option<&str>,
        after: Option<&str>,
    ) -> Result<Page, String> {
        let prefix = self.key(name);
        self.bucket
            .list(List {
                prefix: &prefix,
                delimiter,
                after,
            })
            .await
            .map_err(text)
    }

    async fn writes(&self) -> Result<(), String> {
        same(
            "an object that was never written",
            self.object("w/absent").await?.as_ref(),
            None,
        )?;
        let first = self.put("w/object", b"first").await?;
        self.holds("w/object", b"first", &first).await?;
        let second = self.put("w/object", b"the second").await?;
        expect(first != second, || {
            format!("the same entity tag for other bytes: {first}")
        })?;
        self.holds("w/object", b"the second", &second).await
    }

    async fn absent(&self) -> Result<(), String> {
        let write = |bytes: &[u8]| {
            let (key, bytes) = (self.key("a/object"), bytes.to_vec());
            async move { self.bucket.put(&key, bytes, Condition::Absent).await }
        };
        let etag = write(b"first").await.map_err(text)?;
        refused(write(b"second").await)?;
        self.holds("a/object", b"first", &etag).await
    }

    async fn matches(&self) -> Result<(), String> {
        let write = |bytes: &[u8], etag: &str| {
            let (key, bytes, condition) = (
                self.key("m/object"),
                bytes.to_vec(),
                Condition::Matches(etag.to_owned()),
            );
            async move { self.bucket.put(&key, bytes, condition).await }
        };
        let first = self.put("m/object", b"first").await?;
        let second = write(b"second", &first).await.map_err(text)?;
        refused(write(b"third", &first).await)?;
        self.holds("m/object", b"second", &second).await?;
        self.bucket
            .delete(&[self.key("m/object")])
            .await
            .map_err(text)?;
        refused(write(b"fourth", &second).await)?;
        same(
            "a deleted object",
            self.object("m/object").await?.as_ref(),
            None,
        )
    }

    async fn rivals(&self) -> Result<(), String> {
        self.rival_writes(Condition::Absent, b'a').await?;
        let known = self
            .object("r/object")
            .await?
            .ok_or("the object is gone")?
            .etag;
        // Other bytes than before: S3's tags are of the bytes alone, and a write of what is there
        // leaves a tag valid.
        self.rival_writes(Condition::Matches(known), b'm').await
    }

    async fn rival_writes(&self, condition: Condition, mark: u8) -> Result<(), String> {
        let (key, bytes) = (self.key("r/object"), |n: usize| vec![mark, n as u8]);
        let writes = (0..RIVALS).map(|n| self.bucket.put(&key, bytes(n), condition.clone()));
        let mut won = Vec::new();
        for (n, outcome) in join_all(writes).await.into_iter().enumerate() {
            match outcome {
                Ok(etag) => won.push((n, etag)),
                Err(BucketError::Precondition { .. }) => {}
                Err(error) => return Err(text(error)),
            }
        }
        let [(winner, etag)] = won.as_slice() else {
            return Err(format!(
                "{} of {RIVALS} writes under {condition:?} succeeded",
                won.len()
            ));
        };
        self.holds("r/object", &bytes(*winner), etag).await
    }

    async fn ranges(&self) -> Result<(), String> {
        let etag = self.put("g/object", b"0123456789").await?;
        for (start, end) in [(0, 3), (4, 7), (8, 10), (8, 30), (10, 11), (20, 30), (5, 5)] {
            let all: &[u8] = b"0123456789";
            let bytes = all[start.min(10)..end.min(10)].to_vec();
            let expected = Object {
                bytes,
                etag: etag.clone(),
                size: 10,
            };
            let found = self
                .bucket
                .get(&self.key("g/object"), Some(start as u64..end as u64))
                .await;
            let what = format!("bytes {start}..{end} of 10");
            same(
                &what,
                found.map_err(|e| format!("{what}: {}", text(e)))?.as_ref(),
                Some(&expected),
            )?;
        }
        let absent = self
            .bucket
            .get(&self.key("g/absent"), Some(1..2))
            .await
            .map_err(text)?;
        same("a range of no object", absent.as_ref(), None)
    }

    async fn empty(&self) -> Result<(), String> {
        let etag = self.put("e/object", b"").await?;
        self.holds("e/object", b"", &etag).await?;
        let part = self
            .bucket
            .get(&self.key("e/object"), Some(0..4))
            .await
            .map_err(text)?;
        same(
            "bytes 0..4 of none",
            part.as_ref(),
            Some(&Object {
                bytes: Vec::new(),
                etag,
                size: 0,
            }),
        )
    }

    async fn lists(&self) -> Result<(), String> {
        for name in NAMES {
            let name = format!("l/{name}/object");
            let etag = self.put(&name, name.as_bytes()).await?;
            self.holds(&name, name.as_bytes(), &etag).await?;
        }
        let mut expected: Vec<(String, u64)> = NAMES
            .map(|name| format!("l/{name}/object"))
            .into_iter()
            .map(|name| {
                let size = name.len() as u64;
                (self.key(&name), size)
            })
            .collect();
        sort_by(&mut expected, |a, b| a.cmp(b));
        let page = self.list("l/", None, None).await?;
        let found: Vec<_> = page
            .objects
            .iter()
            .map(|listed| (listed.key.clone(), listed.size))
            .collect();
        same("the list", &found, &expected)?;
        let prefix = format!("l/{}", NAMES[1]);
        same(
            "names with a prefix",
            &self.list(&prefix, None, None).await?.objects.len(),
            &1,
        )
    }

    async fn delimiters(&self) -> Result<(), String> {
        for name in ["d/b/1", "d/b/2", "d/c"] {
            self.put(name, b"x").await?;
        }
        let page = self.list("d/", Some("/"), None).await?;
        let keys: Vec<_> = page
            .objects
            .iter()
            .map(|listed| listed.key.clone())
            .collect();
        same("names", &keys, &vec![self.key("d/c")])?;
        same("prefixes", &page.prefixes, &vec![self.key("d/b/")])?;
        same("the next page", &page.next, &None)
    }

    async fn deletes(&self) -> Result<(), String> {
        let kept = self.put("x/kept", b"kept").await?;
        let mut keys = Vec::new();
        for name in [format!("x/{}", NAMES[0]), format!("x/{}", NAMES[1])] {
            self.put(&name, b"x").await?;
            keys.extend([self.key(&name), self.key(&format!("{name}-absent"))]);
        }
        self.bucket.delete(&keys).await.map_err(text)?;
        self.bucket
            .delete(&[])
            .await
            .map_err(|e| format!("of none: {}", text(e)))?;
        same(
            "what is left",
            &self.list("x/", None, None).await?.objects.len(),
            &1,
        )?;
        self.holds("x/kept", b"kept", &kept).await
    }

    async fn long_keys(&self) -> Result<(), String> {
        // Of segments no longer than file systems take.
        let mut name = "k".to_owned();
        while self.key(&name).len() < LONGEST_KEY - 1 {
            name.push(if name.len().is_multiple_of(100) {
                '/'
            } else {
                'k'
            });
        }
        let etag = self.put(&name, b"x").await?;
        self.holds(&name, b"x", &etag).await?;
        let page = self.list(&name, None, None).await?;
        same(
            "its name in a list",
            &page.objects.first().map(|listed| listed.key.clone()),
            &Some(self.key(&name)),
        )
    }

    async fn large(&self) -> Result<(), String> {
        let bytes: Vec<u8> = (0..LARGE).map(|n| (n ^ n >> 8 ^ n >> 16) as u8).collect();
        let etag = self.put("h/object", &bytes).await?;
        let found = self.object("h/object").await?.ok_or("it is not there")?;
        // Not shown if it is wrong.
        expect(found.bytes == bytes && found.etag == etag, || {
            format!("{} other bytes", found.bytes.len())
        })?;
        let (start, end) = (LARGE - 1000, LARGE + 1000);
        let part = self
            .bucket
            .get(&self.key("h/object"), Some(start as u64..end as u64))
            .await
            .map_err(text)?;
        same(
            "its end",
            part.as_ref(),
            Some(&Object {
                bytes: bytes[start..].to_vec(),
                etag,
                size: LARGE as u64,
            }),
        )
    }

    async fn pages(&self) -> Result<(), String> {
        let names: Vec<String> = (0..MAX_PAGE + 5).map(|n| format!("p/{:04}/x", n)).collect();
        let mut writes = stream::iter(&names)
            .map(|name| self.put(name, b"x"))
            .buffer_unordered(RIVALS);
        while let Some(write) = writes.next().await {
            write?;
        }
        for delimiter in [None, Some("/")] {
            let first = self.list("p/", delimiter, None).await?;
            let next = first
                .next
                .clone()
                .ok_or("the first page says nothing of another")?;
            let second = self.list("p/", delimiter, Some(&next)).await?;
            same("a third page", &second.next, &None)?;
            let found: Vec<String> = [first, second].into_iter().flat_map(names_of).collect();
            let cut = |name: &String| {
                self.key(if delimiter.is_some() {
                    &name[..name.len() - 1]
                } else {
                    name
                })
            };
            let expected: Vec<String> = names.iter().map(cut).collect();
            if found != expected {
                let count = found.len();
                return Err(format!(
                    "{count} names in two pages with delimiter {delimiter:?}, or not in order"
                ));
            }
        }
        Ok(())
    }

    async fn clean(&self) -> Result<(), String> {
        // Two thousand objects at most.
        for _ in 0..3 {
            let page = self.list("", None, None).await?;
            if page.objects.is_empty() {
                return Ok(());
            }
            let keys: Vec<String> = names_of(page);
            self.bucket.delete(&keys).await.map_err(text)?;
        }
        Err("objects that do not go".to_owned())
    }
}

fn names_of(page: Page) -> Vec<String> {
    page.objects
        .into_iter()
        .map(|listed| listed.key)
        .chain(page.prefixes)
        .collect()
}

fn text(error: BucketError) -> String {
    error.to_string()
}

/// A write whose condition does not hold.
fn refused(outcome: Result<String, BucketError>) -> Result<(), String> {
    match outcome {
        Err(BucketError::Precondition { .. }) => Ok(()),
        Err(error) => Err(text(error)),
        Ok(_) => Err("a write succeeded although its condition did not hold".to_owned()),
    }
}

fn expect(holds: bool, seen: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(seen()) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    // Errors are for people; what is far off may be long.
    expect(found == expected, || {
        format!("{what}: {found:.200?} instead of {expected:.200?}")
            .chars()
            .take(600)
            .collect()
    })
}
