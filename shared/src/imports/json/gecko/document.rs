//! The shape of the JSON, raw and processed.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::table::Table;
use crate::base::limits::MAX_SERIES_A_PUSH;
use crate::formats::json::misshapen::Misshapen;
use crate::formats::json::{depth, each};
use crate::imports::json::columns::{Texts, Word};

/// Most threads of a process, and most processes in one: as many as one push may make series.
const MAX_THREADS: usize = MAX_SERIES_A_PUSH;

/// Most lists and objects in each other. That is serde_json's limit, which begins again with each
/// process that is read alone.
const MAX_DEPTH: usize = 128;

/// Most libraries of a process. Firefox loads some 300.
const MAX_LIBRARIES: usize = 16 << 10;

/// A file, or a process in it.
#[derive(Deserialize, Default)]
#[serde(default, expecting = "a process")]
pub(super) struct Document {
    pub(super) meta: Meta,
    pub(super) libs: Libraries,
    pub(super) threads: Threads,
    pub(super) processes: Processes,
    /// Tables that all threads use, since version 56.
    #[serde(deserialize_with = "shared")]
    pub(super) shared: Option<Box<Thread>>,
    /// All of the above, in files of the old developer tools.
    pub(super) profile: Option<Box<Document>>,
}

/// What is said of a process.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Meta {
    /// Milliseconds between two samples.
    pub(super) interval: Option<f64>,
    /// Milliseconds since the epoch.
    #[serde(rename = "startTime")]
    pub(super) start_time: Option<f64>,
    pub(super) categories: Categories,
}

/// Names of the categories.
#[derive(Default)]
pub(super) struct Categories(pub(super) Texts);

/// A thread; also the tables that threads share.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Thread {
    pub(super) name: Word,
    pub(super) process_name: Word,
    pub(super) pid: Word,
    pub(super) tid: Word,
    #[serde(deserialize_with = "samples")]
    pub(super) samples: Table,
    #[serde(deserialize_with = "stacks")]
    pub(super) stack_table: Table,
    #[serde(deserialize_with = "frames")]
    pub(super) frame_table: Table,
    #[serde(deserialize_with = "functions")]
    pub(super) func_table: Table,
    #[serde(deserialize_with = "resources")]
    pub(super) resource_table: Table,
    #[serde(deserialize_with = "sources")]
    pub(super) sources: Table,
    #[serde(alias = "stringTable")]
    pub(super) string_array: Texts,
    /// Up to version 40.
    pub(super) libs: Libraries,
}

fn samples<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    Table::read(deserializer, &["stack", "time", "timeDeltas", "weight"])
}

fn stacks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    Table::read(
        deserializer,
        &["frame", "prefix", "prefixOffset", "category"],
    )
}

fn frames<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    let wanted = &[
        "func",
        "location",
        "address",
        "inlineDepth",
        "line",
        "column",
        "category",
    ];
    Table::read(deserializer, wanted)
}

fn functions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    let wanted = &[
        "name",
        "resource",
        "fileName",
        "source",
        "lineNumber",
        "isJS",
    ];
    Table::read(deserializer, wanted)
}

fn resources<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    Table::read(deserializer, &["lib"])
}

fn sources<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
    Table::read(deserializer, &["filename"])
}

/// Threads that have samples, and the processes whose files stand among them as texts.
#[derive(Default)]
pub(super) struct Threads {
    pub(super) own: Vec<Thread>,
    pub(super) processes: Vec<Document>,
    pub(super) damaged: Vec<Misshapen>,
}

impl<'de> Deserialize<'de> for Threads {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut threads = Self::default();
        each(deserializer, "a list of threads", |json: &'de RawValue| {
            match serde_json::from_slice(json.get().as_bytes()) {
                Ok(Item::Thread(thread)) if thread.samples.rows() > 0 => threads.own.push(*thread),
                Ok(Item::Process(process)) if !process.is_empty() => {
                    threads.processes.push(*process);
                }
                Ok(_) => {}
                Err(error) => threads.damaged.push(Misshapen::of::<Word>(json, &error)),
            }
            let read = threads.own.len().max(threads.processes.len());
            check_count(read.max(threads.damaged.len()))
        })?;
        Ok(threads)
    }
}

fn check_count(threads: usize) -> Result<(), String> {
    if threads > MAX_THREADS {
        return Err(format!(
            "there are more than {MAX_THREADS} threads or processes"
        ));
    }
    Ok(())
}

/// Processes that have samples.
#[derive(Default)]
pub(super) struct Processes {
    pub(super) own: Vec<Document>,
    /// Each with its place in the list as its name.
    pub(super) damaged: Vec<Misshapen>,
}

impl<'de> Deserialize<'de> for Processes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut processes = Self::default();
        let mut place = 0;
        each(
            deserializer,
            "a list of processes",
            |json: &'de RawValue| {
                if depth(json.get()) > MAX_DEPTH {
                    return Err(format!(
                        "lists and objects are nested more than {MAX_DEPTH} levels deep"
                    ));
                }
                match serde_json::from_slice::<Document>(json.get().as_bytes()) {
                    Ok(process) if process.is_empty() => {}
                    Ok(process) => processes.own.push(process),
                    Err(error) => processes.damaged.push(Misshapen {
                        name: format!("{place}"),
                        ..Misshapen::of::<Word>(json, &error)
                    }),
                }
                place += 1;
                check_count(processes.own.len().max(processes.damaged.len()))
            },
        )?;
        Ok(processes)
    }
}

impl Document {
    /// The processes inside of it.
    pub(super) fn inner(&self) -> impl Iterator<Item = &Self> {
        let profile = self.profile.as_deref();
        let processes = profile.into_iter().chain(&self.threads.processes);
        processes.chain(&self.processes.own)
    }

    /// Calls `each` for each thread, also of the processes inside of it.
    pub(super) fn for_each_thread<'a>(&'a self, each: &mut dyn FnMut(&'a Thread)) {
        self.threads.own.iter().for_each(&mut *each);
        for inner in self.inner() {
            inner.for_each_thread(each);
        }
    }

    fn is_empty(&self) -> bool {
        self.threads.own.is_empty()
            && self.threads.damaged.is_empty()
            && self.processes.damaged.is_empty()
            && self.inner().next().is_none()
    }
}

/// What stands in a list of threads.
enum Item {
    Thread(Box<Thread>),
    /// A whole file as a text: old Firefox writes processes so.
    Process(Box<Document>),
    Nothing,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a thread")
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item::Nothing)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Item, E> {
        let process = serde_json::from_slice(text.as_bytes());
        process
            .map(Item::Process)
            .map_err(|error| E::custom(format!("in a process stored as a JSON string: {error}")))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
        Thread::deserialize(MapAccessDeserializer::new(map))
            .map(|thread| Item::Thread(Box::new(thread)))
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Thread>>, D::Error> {
    // The way threads are read, so that there is one reader of them.
    Ok(match Item::deserialize(deserializer)? {
        Item::Thread(shared) => Some(shared),
        _ => None,
    })
}

impl<'de> Deserialize<'de> for Categories {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Category {
            #[serde(default)]
            name: Word,
        }

        let mut names = Texts::default();
        each(
            deserializer,
            "a list of categories",
            |category: Category| {
                names.push(&category.name.0);
                Ok(())
            },
        )?;
        Ok(Self(names))
    }
}

/// Libraries of a process.
#[derive(Default)]
pub(super) struct Libraries {
    /// Of each its file and its build id.
    texts: Texts,
    /// Where each is in memory, in raw files; NaN when it isn't said.
    ranges: Vec<(f64, f64)>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Library {
    path: Option<String>,
    name: Option<String>,
    breakpad_id: Option<String>,
    code_id: Option<String>,
    start: Option<f64>,
    end: Option<f64>,
}

impl Libraries {
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// File and build id.
    pub(super) fn get(&self, index: usize) -> Option<(&str, &str)> {
        let file = 2 * Some(index).filter(|&index| index < self.ranges.len())?;
        Some((self.texts.get(file)?, self.texts.get(file + 1)?))
    }

    /// Which library an address of the process is in, and where it begins. There are few libraries
    /// and their order is not said, so all are asked.
    pub(super) fn at(&self, address: u64) -> Option<(usize, u64)> {
        let address = address as f64;
        let holds = |(start, end): &(f64, f64)| *start <= address && address < *end;
        let found = self.ranges.iter().position(holds)?;
        Some((found, self.ranges[found].0 as u64))
    }

    fn push(&mut self, library: &Library) -> Result<(), String> {
        let first = |texts: [&Option<String>; 2]| {
            let mut texts = texts.into_iter().flatten();
            texts
                .find(|text| !text.is_empty())
                .cloned()
                .unwrap_or_default()
        };
        self.texts.push(&first([&library.path, &library.name]));
        self.texts
            .push(&first([&library.code_id, &library.breakpad_id]));
        let place = |place: Option<f64>| place.unwrap_or(f64::NAN);
        self.ranges.push((place(library.start), place(library.end)));
        if self.ranges.len() > MAX_LIBRARIES {
            return Err(format!("there are more than {MAX_LIBRARIES} libraries"));
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Libraries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

impl<'de> Visitor<'de> for Libraries {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of libraries")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    /// Old Firefox writes the list as a text.
    fn visit_str<E: Error>(self, text: &str) -> Result<Self, E> {
        serde_json::from_slice(text.as_bytes()).map_err(|error| {
            E::custom(format!(
                "in the library list, which is stored as a JSON string: {error}"
            ))
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(library) = list.next_element()? {
            self.push(&library).map_err(A::Error::custom)?;
        }
        Ok(self)
    }
}
