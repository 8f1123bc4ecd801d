//! A place in a bucket for the checks, and what each of them needs.

use crate::bucket::{Bucket, BucketError, Condition, List, Object, Page};

/// Names as segments may be: what URLs, XML and signatures each have to encode. The second one
/// counts 100 bytes.
pub(super) const NAMES: [&str; 3] = [
    "!'()*+ $&,;=@[]~%2F%",
    "é ü 漢字 \u{1f525} <a href=\"?x#y\">|\\^`{}",
    "plain-name_1.0",
];

/// Writes at once of which one may win. The platform opens six connections at once.
pub(super) const RIVALS: usize = 6;

/// Names of a bucket that begin alike.
pub(super) struct Space<'a, B> {
    pub(super) bucket: &'a B,
    pub(super) prefix: String,
}

impl<B: Bucket> Space<'_, B> {
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) async fn put(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let etag = self
            .bucket
            .put(&self.key(name), bytes.to_vec(), Condition::None)
            .await
            .map_err(text)?;
        expect(!etag.is_empty(), || "an empty entity tag".to_owned())?;
        Ok(etag)
    }

    pub(super) async fn object(&self, name: &str) -> Result<Option<Object>, String> {
        self.bucket.get(&self.key(name), None).await.map_err(text)
    }

    pub(super) async fn holds(&self, name: &str, bytes: &[u8], etag: &str) -> Result<(), String> {
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

    pub(super) async fn list(
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

    pub(super) async fn clean(&self) -> Result<(), String> {
        // Two thousand objects at most.
        for _ in 0..3 {
            let page = self.list("", None, None).await?;
            if page.objects.is_empty() {
                return Ok(());
            }
            let keys: Vec<String> = names_of(page);
            self.bucket.delete(&keys).await.map_err(text)?;
        }
        Err("some objects could not be deleted".to_owned())
    }
}

pub(super) fn names_of(page: Page) -> Vec<String> {
    page.objects
        .into_iter()
        .map(|listed| listed.key)
        .chain(page.prefixes)
        .collect()
}

pub(super) fn text(error: BucketError) -> String {
    error.to_string()
}

pub(super) fn expect(holds: bool, seen: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(seen()) }
}

pub(super) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), String> {
    // Errors are for people; what is far off may be long.
    expect(found == expected, || {
        format!("{what}: {found:.200?} instead of {expected:.200?}")
            .chars()
            .take(600)
            .collect()
    })
}
