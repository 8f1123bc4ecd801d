//! What is written is read and deleted.

use super::space::{NAMES, Space, expect, same, text};
use crate::bucket::{Bucket, Object};

/// Longest key, bytes, of R2 and of S3.
const LONGEST_KEY: usize = 1024;

/// A large object: as much as a block has, 8 MiB.
const LARGE: usize = 8 << 20;

impl<B: Bucket> Space<'_, B> {
    pub(super) async fn writes(&self) -> Result<(), String> {
        same(
            "an object that was never written",
            self.object("w/absent").await?.as_ref(),
            None,
        )?;
        let first = self.put("w/object", b"first").await?;
        self.holds("w/object", b"first", &first).await?;
        let second = self.put("w/object", b"the second").await?;
        expect(first != second, || {
            format!("different bytes got the same ETag: {first}")
        })?;
        self.holds("w/object", b"the second", &second).await
    }

    pub(super) async fn ranges(&self) -> Result<(), String> {
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
        same("a range of a missing object", absent.as_ref(), None)
    }

    pub(super) async fn empty(&self) -> Result<(), String> {
        let etag = self.put("e/object", b"").await?;
        self.holds("e/object", b"", &etag).await?;
        let part = self
            .bucket
            .get(&self.key("e/object"), Some(0..4))
            .await
            .map_err(text)?;
        same(
            "bytes 0..4 of an empty object",
            part.as_ref(),
            Some(&Object {
                bytes: Vec::new(),
                etag,
                size: 0,
            }),
        )
    }

    pub(super) async fn deletes(&self) -> Result<(), String> {
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
            .map_err(|e| format!("deleting an empty list of keys: {}", text(e)))?;
        same(
            "number of objects left",
            &self.list("x/", None, None).await?.objects.len(),
            &1,
        )?;
        self.holds("x/kept", b"kept", &kept).await
    }

    pub(super) async fn long_keys(&self) -> Result<(), String> {
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

    pub(super) async fn large(&self) -> Result<(), String> {
        let bytes: Vec<u8> = (0..LARGE).map(|n| (n ^ n >> 8 ^ n >> 16) as u8).collect();
        let etag = self.put("h/object", &bytes).await?;
        let found = self
            .object("h/object")
            .await?
            .ok_or("the object is missing")?;
        // Not shown if it is wrong.
        expect(found.bytes == bytes && found.etag == etag, || {
            format!(
                "read {} bytes that differ from those written",
                found.bytes.len()
            )
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
}
