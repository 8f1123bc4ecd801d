//! The bucket: a map under a lock, and the operations of S3 that Pilotlight uses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use futures_util::TryStreamExt;
use md5::{Digest, Md5};
use s3s::dto::{
    CommonPrefix, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput,
    DeletedObject, ETag, ETagCondition, GetObjectInput, GetObjectOutput, HeadObjectInput,
    HeadObjectOutput, ListObjectsV2Input, ListObjectsV2Output, Object, PutObjectInput,
    PutObjectOutput, StreamingBlob, Timestamp,
};
use s3s::{Body, S3, S3Request, S3Response, S3Result, s3_error};

use crate::{BUCKET, clock};

/// Longest key, bytes, as S3 has it.
const MAX_KEY: usize = 1024;

/// Most entries of a page, and most keys deleted at once, as S3 has it.
const MAX_KEYS: usize = 1000;

/// The objects of the only bucket. Clones are the same bucket.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<BTreeMap<String, Stored>>>);

#[derive(Clone)]
struct Stored {
    bytes: Bytes,
    etag: ETag,
    written: Timestamp,
}

impl Store {
    /// The names of all objects, in order.
    pub fn keys(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Puts an object there as if it had been written before.
    pub fn put(&self, key: &str, bytes: Vec<u8>) {
        let etag = etag(&bytes);
        self.lock().insert(
            key.to_owned(),
            Stored {
                bytes: bytes.into(),
                etag,
                written: clock::now().into(),
            },
        );
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Stored>> {
        self.0.lock().expect("nothing panics under the lock")
    }

    fn objects(&self, bucket: &str) -> S3Result<MutexGuard<'_, BTreeMap<String, Stored>>> {
        if bucket != BUCKET {
            return Err(s3_error!(
                NoSuchBucket,
                "The specified bucket does not exist"
            ));
        }
        Ok(self.lock())
    }

    fn object(&self, bucket: &str, key: &str) -> S3Result<Stored> {
        let found = self.objects(bucket)?.get(key).cloned();
        found.ok_or_else(|| s3_error!(NoSuchKey, "The specified key does not exist."))
    }
}

fn etag(bytes: &[u8]) -> ETag {
    ETag::Strong(
        Md5::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

#[async_trait::async_trait]
impl S3 for Store {
    async fn put_object(
        &self,
        request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        let PutObjectInput {
            bucket,
            key,
            body,
            if_match,
            if_none_match,
            content_md5,
            ..
        } = request.input;
        if key.len() > MAX_KEY {
            return Err(s3_error!(KeyTooLongError, "Your key is too long"));
        }
        let mut bytes = Vec::new();
        if let Some(body) = body {
            let parts: Vec<Bytes> = body
                .try_collect()
                .await
                .map_err(|_| s3_error!(IncompleteBody))?;
            parts.iter().for_each(|part| bytes.extend_from_slice(part));
        }
        if content_md5.is_some() {
            return Err(s3_error!(NotImplemented, "content-md5 of an object"));
        }
        let etag = etag(&bytes);
        let stored = Stored {
            bytes: bytes.into(),
            etag: etag.clone(),
            written: clock::now().into(),
        };
        let mut objects = self.objects(&bucket)?;
        let present = objects.get(&key).map(|stored| &stored.etag);
        if !holds(present, if_match.as_ref(), if_none_match.as_ref())? {
            return Err(s3_error!(
                PreconditionFailed,
                "At least one of the pre-conditions you specified did not hold"
            ));
        }
        objects.insert(key, stored);
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(etag),
            ..Default::default()
        }))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let GetObjectInput {
            bucket, key, range, ..
        } = request.input;
        let stored = self.object(&bucket, &key)?;
        let size = stored.bytes.len() as u64;
        let (bytes, content_range) = match range {
            None => (stored.bytes, None),
            Some(range) => {
                let range = range.check(size)?;
                let name = format!("bytes {}-{}/{size}", range.start, range.end - 1);
                (
                    stored.bytes.slice(range.start as usize..range.end as usize),
                    Some(name),
                )
            }
        };
        Ok(S3Response::new(GetObjectOutput {
            content_length: Some(bytes.len() as i64),
            body: Some(StreamingBlob::from(Body::from(bytes))),
            content_range,
            e_tag: Some(stored.etag),
            last_modified: Some(stored.written),
            ..Default::default()
        }))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let stored = self.object(&request.input.bucket, &request.input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: Some(stored.bytes.len() as i64),
            e_tag: Some(stored.etag),
            last_modified: Some(stored.written),
            ..Default::default()
        }))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        self.objects(&request.input.bucket)?
            .remove(&request.input.key);
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let DeleteObjectsInput { bucket, delete, .. } = request.input;
        if delete.objects.is_empty() || delete.objects.len() > MAX_KEYS {
            return Err(s3_error!(
                MalformedXML,
                "The XML you provided was not well-formed"
            ));
        }
        let mut objects = self.objects(&bucket)?;
        delete
            .objects
            .iter()
            .for_each(|object| drop(objects.remove(&object.key)));
        let deleted = (delete.quiet != Some(true)).then(|| {
            let named = |key| DeletedObject {
                key: Some(key),
                ..Default::default()
            };
            delete
                .objects
                .into_iter()
                .map(|object| named(object.key))
                .collect()
        });
        Ok(S3Response::new(DeleteObjectsOutput {
            deleted,
            ..Default::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let ListObjectsV2Input {
            bucket,
            prefix,
            delimiter,
            continuation_token,
            start_after,
            max_keys,
            ..
        } = request.input;
        let most = max_keys.map_or(MAX_KEYS, |most| {
            usize::try_from(most).unwrap_or(0).min(MAX_KEYS)
        });
        let prefix_or_none = prefix.as_deref().unwrap_or("");
        let after = match &continuation_token {
            Some(token) => Some(
                token
                    .strip_prefix(TOKEN)
                    .ok_or_else(|| s3_error!(InvalidArgument, "The token is wrong"))?,
            ),
            None => start_after.as_deref(),
        };
        let objects = self.objects(&bucket)?;
        let (mut contents, mut prefixes, mut last, mut more) =
            (Vec::new(), Vec::<String>::new(), String::new(), false);
        for (key, stored) in objects
            .iter()
            .filter(|(key, _)| key.starts_with(prefix_or_none))
        {
            let rest = &key[prefix_or_none.len()..];
            let cut = delimiter
                .as_deref()
                .and_then(|d| Some(prefix_or_none.len() + rest.find(d)? + d.len()));
            let name = &key[..cut.unwrap_or(key.len())];
            if after.is_some_and(|after| name <= after)
                || prefixes.last().is_some_and(|last| last == name)
            {
                continue;
            }
            if contents.len() + prefixes.len() == most {
                more = true;
                break;
            }
            last = name.to_owned();
            match cut {
                Some(_) => prefixes.push(name.to_owned()),
                None => contents.push(listed(key, stored)),
            }
        }
        let named = |prefix| CommonPrefix {
            prefix: Some(prefix),
        };
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: Some((contents.len() + prefixes.len()) as i32),
            max_keys: Some(most as i32),
            contents: Some(contents),
            common_prefixes: Some(prefixes.into_iter().map(named).collect()),
            is_truncated: Some(more),
            next_continuation_token: more.then(|| format!("{TOKEN}{last}")),
            name: Some(bucket),
            prefix,
            delimiter,
            ..Default::default()
        }))
    }
}

/// What tokens begin with, so that none is a key.
const TOKEN: &str = "token:";

fn listed(key: &str, stored: &Stored) -> Object {
    Object {
        key: Some(key.to_owned()),
        size: Some(stored.bytes.len() as i64),
        e_tag: Some(stored.etag.clone()),
        last_modified: Some(stored.written.clone()),
        ..Default::default()
    }
}

/// Whether a write may go on where `present` is the entity tag of what is there.
fn holds(
    present: Option<&ETag>,
    matches: Option<&ETagCondition>,
    none: Option<&ETagCondition>,
) -> S3Result<bool> {
    let matched = match (matches, present) {
        (None, _) => true,
        (Some(_), None) => return Err(s3_error!(NoSuchKey, "The specified key does not exist.")),
        (Some(ETagCondition::Any), Some(_)) => true,
        (Some(ETagCondition::ETag(tag)), Some(present)) => tag.strong_cmp(present),
    };
    match none {
        None => Ok(matched),
        Some(ETagCondition::Any) => Ok(matched && present.is_none()),
        Some(ETagCondition::ETag(_)) => {
            Err(s3_error!(NotImplemented, "If-None-Match takes * only"))
        }
    }
}
