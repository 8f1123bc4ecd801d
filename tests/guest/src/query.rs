//! A query over stored objects, again and again, for a bench of what it costs: rows of the catalog
//! and objects in, the chunk of the answer out, as the worker does it.

use std::cell::RefCell;

use pilotlight_core::plans::{CatalogObject, Plan, QueryAnswer, QueryPlan};
use pilotlight_core::store::{Directory, Level};
use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};

use super::split;

struct Prepared {
    selector: Selector,
    profile_type: ProfileType,
    range: TimeRange,
    objects: Vec<Stored>,
}

struct Stored {
    key: String,
    level: Level,
    /// As a row of the catalog has it.
    directory: Vec<u8>,
    bytes: Vec<u8>,
}

thread_local! {
    static PREPARED: RefCell<Option<Prepared>> = const { RefCell::new(None) };
}

/// Keeps a query and what it is asked of: a list of selector, profile type, both ends of the range
/// (`i64`, little-endian) and objects, each a list of key, level (one byte), directory and bytes.
/// Gives how many objects.
pub fn prepare_query(input: &[u8]) -> Vec<u8> {
    let mut items = split(input);
    let mut item = || items.next().expect("five items or more");
    let selector = Selector::parse(&text(item())).expect("a selector");
    let profile_type = text(item()).parse().expect("a profile type");
    let mut time = || UnixNanos(i64::from_le_bytes(item().try_into().expect("eight bytes")));
    let range = TimeRange {
        from: time(),
        until: time(),
    };
    let objects: Vec<Stored> = items.map(Stored::read).collect();
    let count = objects.len() as u64;
    PREPARED.set(Some(Prepared {
        selector,
        profile_type,
        range,
        objects,
    }));
    count.to_le_bytes().to_vec()
}

/// The work of a worker for the query that was prepared. Gives a number that follows from the
/// answer.
pub fn query() -> u64 {
    with(|p| number(&p.answer().chunk(&p.profile_type).expect("a small answer")))
}

/// The answer itself.
pub fn answer() -> QueryAnswer {
    with(Prepared::answer)
}

fn with<T>(work: impl Fn(&Prepared) -> T) -> T {
    PREPARED.with_borrow(|prepared| work(prepared.as_ref().expect("a query was prepared")))
}

impl Prepared {
    fn answer(&self) -> QueryAnswer {
        let catalog: Vec<CatalogObject> = self.objects.iter().map(Stored::row).collect();
        let mut plan = QueryPlan::new(&self.selector, &self.profile_type, self.range, &catalog)
            .expect("names of ours");
        for get in plan.wants() {
            let object = self
                .objects
                .iter()
                .find(|object| object.key == get.key)
                .expect("one of the objects");
            let bytes = &object.bytes[get.offset as usize..][..get.length as usize];
            plan.provide(&get, bytes).expect("our own");
        }
        plan.finish().expect("all was read")
    }
}

impl Stored {
    fn read(item: &[u8]) -> Self {
        let mut parts = split(item).map(<[u8]>::to_vec);
        let [key, level, directory, bytes] =
            std::array::from_fn(|_| parts.next().expect("four parts"));
        Self {
            key: text(&key),
            level: Level::try_from(level[0]).expect("a level"),
            directory,
            bytes,
        }
    }

    fn row(&self) -> CatalogObject {
        let directory = Directory::decode(&self.directory).expect("our own");
        CatalogObject {
            key: self.key.clone(),
            level: self.level,
            size: self.bytes.len() as u64,
            directory,
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// All of the bytes in one number, eight at a time: it must not cost what the query does.
fn number(bytes: &[u8]) -> u64 {
    let word = |word: &[u8]| {
        word.iter()
            .rev()
            .fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let step =
        |sum: u64, next: u64| (sum.rotate_left(5) ^ next).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, &next| {
        step(sum, u64::from_le_bytes(next))
    });
    step(sum, word(rest))
}
