//! Writes under a condition.

use futures_util::future::join_all;

use super::space::{RIVALS, Space, same, text};
use crate::bucket::{Bucket, BucketError, Condition};

impl<B: Bucket> Space<'_, B> {
    pub(super) async fn absent(&self) -> Result<(), String> {
        let write = |bytes: &[u8]| {
            let (key, bytes) = (self.key("a/object"), bytes.to_vec());
            async move { self.bucket.put(&key, bytes, Condition::Absent).await }
        };
        let etag = write(b"first").await.map_err(text)?;
        refused(write(b"second").await)?;
        self.holds("a/object", b"first", &etag).await
    }

    pub(super) async fn matches(&self) -> Result<(), String> {
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

    pub(super) async fn rivals(&self) -> Result<(), String> {
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
}

/// A write whose condition does not hold.
fn refused(outcome: Result<String, BucketError>) -> Result<(), String> {
    match outcome {
        Err(BucketError::Precondition { .. }) => Ok(()),
        Err(error) => Err(text(error)),
        Ok(_) => Err("a write succeeded although its condition did not hold".to_owned()),
    }
}
