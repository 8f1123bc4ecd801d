//! Lists of names, and pages of them.

use futures_util::{StreamExt, stream};
use pilotlight_core::sort::sort_by;

use super::space::{NAMES, RIVALS, Space, names_of, same};
use crate::bucket::{Bucket, MAX_PAGE};

impl<B: Bucket> Space<'_, B> {
    pub(super) async fn lists(&self) -> Result<(), String> {
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

    pub(super) async fn delimiters(&self) -> Result<(), String> {
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

    pub(super) async fn pages(&self) -> Result<(), String> {
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
                .ok_or("the first page has no continuation token")?;
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
}
