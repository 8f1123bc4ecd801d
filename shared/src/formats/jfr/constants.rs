//! The pools of constants of a chunk: an index of what stands where. A constant is read when an
//! event needs it.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::budget::{self, Budget};
use super::error::{JfrError, JfrProblem};
use super::header::Header;
use super::layout::{Layout, Layouts, Values};
use super::metadata::Classes;
use super::reader::{Reader, Text};
use super::symbols::normalised;

/// Constants of one class, as far as they matter here.
#[derive(Default)]
struct Pool {
    layout: Layout,
    /// Offset of each constant, behind its key.
    offsets: HashMap<u64, u32>,
}

/// The constants of a chunk.
pub(super) struct Constants<'a> {
    reader: Reader<'a>,
    texts: Pool,
    symbols: Pool,
    classes: Pool,
    methods: Pool,
    states: Pool,
    /// Without constants where nobody asks for threads.
    threads: Pool,
    /// Its layout is that of the fields before the frames.
    traces: Pool,
    frame: Layout,
}

/// A thread, as a recording names it.
pub(super) struct Thread<'a> {
    /// That of Java, else that of the operating system; may be empty.
    pub(super) name: Cow<'a, str>,
    /// That of the operating system; of virtual threads, which have none, that of Java.
    pub(super) id: u64,
}

/// One frame of a stack.
pub(super) struct Frame {
    /// Key of the method.
    pub(super) method: u64,
    pub(super) line: i32,
}

impl<'a> Constants<'a> {
    /// Walks all pools of a chunk, the last first, as they lead to one another.
    pub(super) fn read(
        reader: Reader<'a>,
        header: &Header,
        classes: &Classes<'a>,
        with_threads: bool,
        budget: &mut Budget,
    ) -> Result<Self, JfrError> {
        let mut constants = Self {
            reader,
            texts: Pool::default(),
            symbols: Pool::default(),
            classes: Pool::default(),
            methods: Pool::default(),
            states: Pool::default(),
            threads: Pool::default(),
            traces: Pool::default(),
            frame: Layout::default(),
        };
        let layouts = Layouts { classes, reader };
        let mut skipped: HashMap<u64, Layout> = HashMap::new();
        let (mut at, mut walked) = (header.pool, 0);
        loop {
            let mut pools = reader.part(at, header.end);
            let size = pools.int()? as usize;
            // Pools that lead in a circle are together longer than the chunk.
            walked += size;
            if walked > header.end - header.start {
                return Err(pools.error(JfrProblem::Invalid("constant pools form a cycle")));
            }
            let mut pools = pools.part(pools.offset(), at + size);
            if pools.long()? != 1 {
                return Err(pools.error(JfrProblem::Invalid("expected a constant pool")));
            }
            // Start and duration.
            pools.long()?;
            pools.long()?;
            let before = pools.long()? as i64;
            pools.byte()?;
            for _ in 0..pools.int()? {
                constants.pool(&mut pools, &layouts, with_threads, &mut skipped, budget)?;
            }
            if before == 0 {
                return Ok(constants);
            }
            let next = (at as i64).checked_add(before);
            let inside = |next: &usize| (header.start..header.end).contains(next);
            at = next
                .and_then(|next| usize::try_from(next).ok())
                .filter(inside)
                .ok_or_else(|| {
                    pools.error(JfrProblem::Invalid("a constant pool outside the chunk"))
                })?;
        }
    }

    /// Indexes the constants of one class.
    fn pool(
        &mut self,
        reader: &mut Reader<'a>,
        layouts: &Layouts<'_, 'a>,
        with_threads: bool,
        skipped: &mut HashMap<u64, Layout>,
        budget: &mut Budget,
    ) -> Result<(), JfrError> {
        let class = reader.long()?;
        let count = reader.count(1, "the constant list")?;
        if count == 0 {
            return Ok(());
        }
        let name = layouts.classes.get(&class).map(|class| class.name.as_ref());
        let name = name.ok_or_else(|| reader.error(JfrProblem::UnknownClass(class)))?;
        let (pool, slots): (_, &[(&str, u8)]) = match name {
            "java.lang.String" => (&mut self.texts, &[]),
            "jdk.types.Symbol" => (&mut self.symbols, &[("string", 0)]),
            "java.lang.Class" => (&mut self.classes, &[("name", 0)]),
            "jdk.types.Method" => (&mut self.methods, &[("type", 0), ("name", 1)]),
            "jdk.types.ThreadState" => (&mut self.states, &[("name", 0)]),
            "java.lang.Thread" if with_threads => {
                let slots = &[
                    ("osName", 0),
                    ("javaName", 1),
                    ("osThreadId", 2),
                    ("javaThreadId", 3),
                ];
                (&mut self.threads, slots)
            }
            "jdk.types.StackTrace" => {
                let slots = [("method", 0), ("lineNumber", 1)];
                if self.traces.offsets.is_empty() {
                    (self.traces.layout, self.frame) =
                        layouts.of_array(class, "frames", &slots, budget)?;
                }
                return self.traces(reader, count, budget);
            }
            _ => {
                let layout = match skipped.entry(class) {
                    hashbrown::hash_map::Entry::Occupied(known) => known.into_mut(),
                    hashbrown::hash_map::Entry::Vacant(new) => {
                        new.insert(layouts.of(class, &[], budget)?)
                    }
                };
                for _ in 0..count {
                    reader.long()?;
                    layout.skip(reader)?;
                }
                return Ok(());
            }
        };
        if pool.offsets.is_empty() {
            pool.layout = layouts.of(class, slots, budget)?;
        }
        budget
            .take_for_chunk(count as usize, budget::CONSTANT)
            .map_err(|problem| reader.error(problem))?;
        pool.offsets.reserve(count as usize);
        for _ in 0..count {
            pool.index(reader)?;
            pool.layout.skip(reader)?;
        }
        Ok(())
    }

    fn traces(
        &mut self,
        reader: &mut Reader<'a>,
        count: u32,
        budget: &mut Budget,
    ) -> Result<(), JfrError> {
        budget
            .take_for_chunk(count as usize, budget::CONSTANT)
            .map_err(|problem| reader.error(problem))?;
        self.traces.offsets.reserve(count as usize);
        for _ in 0..count {
            self.traces.index(reader)?;
            self.traces.layout.skip(reader)?;
            for _ in 0..reader.count(1, "a stack")? {
                self.frame.skip(reader)?;
            }
        }
        Ok(())
    }

    /// The frames of a stack, the leaf first; `None` for an unknown one.
    pub(super) fn frames(
        &self,
        trace: u64,
        frames: &mut Vec<Frame>,
        cap: usize,
    ) -> Result<Option<()>, JfrError> {
        frames.clear();
        let Some(mut reader) = self.at(&self.traces, trace) else {
            return Ok(None);
        };
        self.traces.layout.skip(&mut reader)?;
        let depth = reader.count(1, "a stack")?;
        if depth as usize > cap {
            return Err(reader.error(JfrProblem::TooDeep { depth, cap }));
        }
        for _ in 0..depth {
            let mut values = Values::default();
            self.frame.read(&mut reader, &mut values)?;
            let [method, line, ..] = values;
            frames.push(Frame {
                method,
                line: line as i32,
            });
        }
        Ok(Some(()))
    }

    /// Class and name of a method; `None` when either is missing.
    #[allow(clippy::type_complexity)] // Two texts.
    pub(super) fn method(
        &self,
        method: u64,
        budget: &mut Budget,
    ) -> Result<Option<(Cow<'a, str>, Cow<'a, str>)>, JfrError> {
        let Some([class, name, ..]) = self.values(&self.methods, method, budget)? else {
            return Ok(None);
        };
        let Some([class, ..]) = self.values(&self.classes, class, budget)? else {
            return Ok(None);
        };
        Ok(Some((
            self.symbol(class, budget)?,
            self.symbol(name, budget)?,
        )))
    }

    /// Name of a thread's state; empty when unknown.
    pub(super) fn state(&self, state: u64, budget: &mut Budget) -> Result<Cow<'a, str>, JfrError> {
        match self.values(&self.states, state, budget)? {
            Some([name, ..]) => self.text_at(name, budget),
            None => Ok(Cow::Borrowed("")),
        }
    }

    /// A thread; `None` for an unknown one.
    pub(super) fn thread(
        &self,
        thread: u64,
        budget: &mut Budget,
    ) -> Result<Option<Thread<'a>>, JfrError> {
        let Some([system, java, system_id, java_id, ..]) =
            self.values(&self.threads, thread, budget)?
        else {
            return Ok(None);
        };
        // A text that the class does not have is at no offset.
        let mut text = |at| match at {
            0 => Ok(Cow::Borrowed("")),
            _ => self.text_at(at, budget),
        };
        let mut name = text(java)?;
        if name.is_empty() {
            name = text(system)?;
        }
        let id = if system_id == 0 { java_id } else { system_id };
        Ok(Some(Thread { name, id }))
    }

    /// The text at an offset.
    pub(super) fn text_at(
        &self,
        offset: u64,
        budget: &mut Budget,
    ) -> Result<Cow<'a, str>, JfrError> {
        let mut text = |offset: usize| {
            let mut reader = self.reader.part(offset, usize::MAX);
            let text = reader.text()?;
            count_work(&reader, offset, budget)?;
            Ok(text)
        };
        match text(offset as usize)? {
            Text::Here(text) => Ok(text),
            Text::Pooled(key) => match self.texts.offsets.get(&key) {
                // Texts of the pool that point on would point in circles.
                Some(&offset) => match text(offset as usize)? {
                    Text::Here(text) => Ok(text),
                    Text::Pooled(_) => Ok(Cow::Borrowed("")),
                },
                None => Ok(Cow::Borrowed("")),
            },
        }
    }

    fn symbol(&self, symbol: u64, budget: &mut Budget) -> Result<Cow<'a, str>, JfrError> {
        match self.values(&self.symbols, symbol, budget)? {
            Some([text, ..]) => self.text_at(text, budget).map(normalised),
            None => Ok(Cow::Borrowed("")),
        }
    }

    fn values(
        &self,
        pool: &Pool,
        key: u64,
        budget: &mut Budget,
    ) -> Result<Option<Values>, JfrError> {
        let Some(mut reader) = self.at(pool, key) else {
            return Ok(None);
        };
        let (mut values, start) = (Values::default(), reader.offset());
        pool.layout.read(&mut reader, &mut values)?;
        count_work(&reader, start, budget)?;
        Ok(Some(values))
    }

    fn at(&self, pool: &Pool, key: u64) -> Option<Reader<'a>> {
        let &offset = pool.offsets.get(&key)?;
        Some(self.reader.part(offset as usize, usize::MAX))
    }
}

/// Counts what was read since `start`: many may name one constant or text.
fn count_work(reader: &Reader<'_>, start: usize, budget: &mut Budget) -> Result<(), JfrError> {
    budget
        .work(reader.offset().saturating_sub(start))
        .map_err(|problem| reader.error(problem))
}

impl Pool {
    /// Notes where the constant stands whose key comes next. A later pool wins, and it is walked
    /// first.
    fn index(&mut self, reader: &mut Reader<'_>) -> Result<(), JfrError> {
        let key = reader.long()?;
        // A recording has fewer than 2^32 bytes: `MAX_PROFILE_BYTES`.
        let offset = reader.offset() as u32;
        self.offsets.entry(key).or_insert(offset);
        Ok(())
    }
}
