//! A bucket in memory, for tests.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::rc::Rc;

use super::{Bucket, BucketError, Condition, List, Listed, MAX_PAGE, Object, Page};

/// A bucket whose clones are the same bucket.
#[derive(Clone, Default)]
pub(crate) struct MemoryBucket(Rc<RefCell<Contents>>);

#[derive(Default)]
struct Contents {
    objects: BTreeMap<String, Object>,
    writes: u64,
}

impl MemoryBucket {
    /// Names of all objects.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.borrow().objects.keys().cloned().collect()
    }

    /// Changes an object as no writer would.
    pub(crate) fn damage(&self, key: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(
            &mut self
                .0
                .borrow_mut()
                .objects
                .get_mut(key)
                .expect("the object is there")
                .bytes,
        );
    }
}

impl Bucket for MemoryBucket {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        let mut contents = self.0.borrow_mut();
        let there = contents.objects.get(key).map(|object| &object.etag);
        let holds = match &condition {
            Condition::None => true,
            Condition::Absent => there.is_none(),
            Condition::Matches(etag) => there == Some(etag),
        };
        if !holds {
            return Err(BucketError::Precondition {
                key: key.to_owned(),
            });
        }
        contents.writes += 1;
        let etag = format!("{:032x}", contents.writes);
        let object = Object {
            size: bytes.len() as u64,
            bytes,
            etag: etag.clone(),
        };
        contents.objects.insert(key.to_owned(), object);
        Ok(etag)
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        let contents = self.0.borrow();
        let Some(object) = contents.objects.get(key) else {
            return Ok(None);
        };
        let all = object.bytes.len() as u64;
        let range = range.unwrap_or(0..all);
        let (start, end) = (range.start.min(all), range.end.min(all));
        let bytes = object.bytes[start as usize..end.max(start) as usize].to_vec();
        Ok(Some(Object {
            bytes,
            etag: object.etag.clone(),
            size: object.size,
        }))
    }

    async fn list(
        &self,
        List {
            prefix,
            delimiter,
            after,
        }: List<'_>,
    ) -> Result<Page, BucketError> {
        let contents = self.0.borrow();
        let from = match after {
            Some(after) => Bound::Excluded(after),
            None => Bound::Included(prefix),
        };
        let (mut page, mut prefixes, mut last) = (Page::default(), BTreeSet::new(), None);
        for (key, object) in contents.objects.range::<str, _>((from, Bound::Unbounded)) {
            let Some(rest) = key.strip_prefix(prefix) else {
                if key.as_str() > prefix {
                    break;
                } else {
                    continue;
                }
            };
            let cut = delimiter.and_then(|d| Some(&key[..prefix.len() + rest.find(d)? + d.len()]));
            // All names of a prefix that was on the page before are behind us.
            if cut.is_some_and(|cut| {
                prefixes.contains(cut) || after.is_some_and(|after| after.starts_with(cut))
            }) {
                last = Some(key);
                continue;
            }
            if page.objects.len() + prefixes.len() == MAX_PAGE {
                page.next = last.cloned();
                break;
            }
            last = Some(key);
            match cut {
                Some(cut) => drop(prefixes.insert(cut.to_owned())),
                None => page.objects.push(Listed {
                    key: key.clone(),
                    size: object.size,
                    uploaded_millis: 0,
                }),
            }
        }
        page.prefixes = prefixes.into_iter().collect();
        Ok(page)
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        let mut contents = self.0.borrow_mut();
        keys.iter()
            .for_each(|key| drop(contents.objects.remove(key)));
        Ok(())
    }
}
