//! Answers that never change, kept in the platform's cache.

use std::collections::BTreeSet;
use std::rc::Rc;

use pilotlight_core::plans::{Outgrown, Subquery};
use pilotlight_core::store::{ObjectKey, TenantId};
use pilotlight_core::{ProfileType, Selector};
use worker::js_sys::{self, Reflect};
use worker::{Cache, Context, ResponseBuilder};
use xxhash_rust::xxh3::xxh3_128;

/// Changes with the form of answers or with what a query means: what was kept before is not found
/// any more.
const VERSION: u32 = 2;

/// The cache's name. It is one of its own: neither requests from outside nor any fetch of the
/// zone's look into it.
const CACHE: &str = "pilotlight-answers";

/// Where names begin. A cache takes URLs for names; nothing answers at this one.
const HOST: &str = "https://answers.pilotlight.invalid";

/// How long an answer may be kept: a day. A dashboard asks again by then or not at all, and what is
/// deleted from the store is not found from the next query on, since its objects have no rows, but
/// is gone from here only then.
const MAX_AGE: &str = "max-age=86400";

/// Keeps answers, or forgets them: nothing depends on it.
pub(crate) trait AnswerCache {
    /// What was kept under a name.
    async fn find(&self, name: &str) -> Option<Vec<u8>>;

    /// Keeps an answer for a while.
    async fn keep(&self, name: &str, bytes: Vec<u8>);
}

/// No cache.
impl AnswerCache for () {
    async fn find(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    async fn keep(&self, _: &str, _: Vec<u8>) {}
}

/// The name of a part's answer, made of all that it depends on; `None` for one that depends on
/// more.
///
/// Objects never change. Those that a deletion rewrites have new names, and those that were
/// compacted or are past retention are in no part any more, so no name has to be forgotten. The
/// tenants stand in it as they are: no two tenants' names are equal, whatever a hash makes of the
/// rest.
pub(super) fn name(
    selector: &Selector,
    profile_type: &ProfileType,
    outgrown: Outgrown,
    part: &Subquery,
) -> Option<String> {
    if !part.fixed || part.objects.is_empty() {
        return None;
    }
    let mut tenants = BTreeSet::new();
    for object in &part.objects {
        tenants.insert(object.key.parse::<ObjectKey>().ok()?.tenant);
    }
    // No tenant has this sign in its name.
    let tenants: Vec<&str> = tenants.iter().map(TenantId::as_str).collect();
    let tenants = tenants.join("~");
    let keys: Vec<&str> = part
        .objects
        .iter()
        .map(|object| object.key.as_str())
        .collect();
    // A sum that may fold can lack lines and files although its numbers are exact.
    let whole = outgrown == Outgrown::Refuse;
    let query = (selector.to_string(), profile_type.to_string(), whole, keys);
    let text = serde_json::to_vec(&query).ok()?;
    Some(format!(
        "{HOST}/{VERSION}/{tenants}/{:032x}",
        xxh3_128(&text)
    ))
}

/// The platform's cache, where it has one: elsewhere nothing is found.
pub(crate) struct EdgeCache {
    /// Lets an answer go while it is still being kept.
    context: Option<Rc<Context>>,
}

impl EdgeCache {
    pub(crate) fn new(context: Option<Rc<Context>>) -> Self {
        Self { context }
    }

    async fn open() -> Option<Cache> {
        // The crate takes it for granted, and a panic is the end of every request in flight.
        let there = Reflect::has(&js_sys::global(), &"caches".into()).unwrap_or(false);
        if there {
            Some(Cache::open(CACHE.to_owned()).await)
        } else {
            None
        }
    }
}

impl AnswerCache for EdgeCache {
    async fn find(&self, name: &str) -> Option<Vec<u8>> {
        let mut found = Self::open().await?.get(name, false).await.ok()??;
        found.bytes().await.ok()
    }

    async fn keep(&self, name: &str, bytes: Vec<u8>) {
        let name = name.to_owned();
        let keep = async move {
            let Some(cache) = Self::open().await else {
                return;
            };
            let Ok(builder) = ResponseBuilder::new().with_header("cache-control", MAX_AGE) else {
                return;
            };
            // Who asks next reads it again.
            let _ = cache.put(name, builder.fixed(bytes)).await;
        };
        match &self.context {
            Some(context) => context.wait_until(keep),
            None => keep.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::plans::CatalogObject;
    use pilotlight_core::store::{Contents, Directory, Level};

    fn part(keys: &[&str], fixed: bool) -> Subquery {
        let contents = || Contents::Segment(Vec::new());
        let object = |key: &&str| CatalogObject {
            key: (*key).to_owned(),
            level: Level::Hour,
            size: 1,
            directory: Directory {
                label_sets: Vec::new(),
                types: Vec::new(),
                contents: contents(),
            },
        };
        Subquery {
            objects: keys.iter().map(object).collect(),
            bytes: 1,
            fixed,
        }
    }

    #[test]
    fn a_name_has_all_that_an_answer_depends_on() {
        const A: &str = "t/one/s0/l3/1700000000000-00000000000000aa.blk";
        const B: &str = "t/one/s0/l3/1700000000000-00000000000000ab.blk";
        const OTHER: &str = "t/two/s0/l3/1700000000000-00000000000000aa.blk";
        let when = |outgrown: Outgrown, selector: &str, of_type: &str, keys: &[&str]| {
            let selector = Selector::parse(selector).unwrap();
            super::name(
                &selector,
                &of_type.parse().unwrap(),
                outgrown,
                &part(keys, true),
            )
            .unwrap()
        };
        let name = |selector: &str, of_type: &str, keys: &[&str]| {
            when(Outgrown::Refuse, selector, of_type, keys)
        };
        let (cpu, wall) = ("p:cpu:ns:cpu:ns", "p:wall:ns:cpu:ns");
        let first = name(r#"{a="b"}"#, cpu, &[A]);
        assert!(
            first.starts_with("https://answers.pilotlight.invalid/2/one/"),
            "{first}"
        );
        assert_eq!(
            first,
            name(r#"{ a = 'b' }"#, cpu, &[A]),
            "however it is written"
        );
        let others = [
            name(r#"{a="c"}"#, cpu, &[A]),
            name(r#"{a="b"}"#, wall, &[A]),
            name(r#"{a="b"}"#, cpu, &[B]),
            name(r#"{a="b"}"#, cpu, &[A, B]),
            name(r#"{a="b"}"#, cpu, &[OTHER]),
            name(r#"{a="b"}"#, cpu, &[A, OTHER]),
            when(Outgrown::Fold, r#"{a="b"}"#, cpu, &[A]),
        ];
        assert!(!others.contains(&first));
        assert!(
            others[4].starts_with("https://answers.pilotlight.invalid/2/two/"),
            "{}",
            others[4]
        );
        assert!(
            others[5].starts_with("https://answers.pilotlight.invalid/2/one~two/"),
            "{}",
            others[5]
        );
        let selector = Selector::default();
        assert_eq!(
            super::name(
                &selector,
                &cpu.parse().unwrap(),
                Outgrown::Refuse,
                &part(&[A], false)
            ),
            None
        );
        assert_eq!(
            super::name(
                &selector,
                &cpu.parse().unwrap(),
                Outgrown::Refuse,
                &part(&["x"], true)
            ),
            None
        );
    }
}
