//! A profile while its text is being read: samples by address, before it is known what is mapped
//! where.

use hashbrown::HashMap;

use super::drop_frames;
use super::mapping_search::MappingSearch;
use super::maps::Entry;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, MappingId, StringId};
use crate::model::profile::{Function, Label, LabelValue, Line, Mapping, Profile, SymbolFlags};

/// Whether a stack may hold its leaf twice: once from the signal's context, once from unwinding
/// (there moved back by one).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Stacks come from unwinding alone.
    AsRead,
    /// A leaf's second copy is taken out.
    Once,
}

/// A function's name, its file and the line in it.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    pub(super) line: i64,
}

/// What has been read so far.
pub(super) struct Draft {
    /// Kinds and units of the values.
    pub(super) types: Vec<(String, String)>,
    pub(super) period_type: Option<(String, String)>,
    pub(super) period: i64,
    pub(super) duration_nanos: i64,
    samples: Vec<Sample>,
    /// The frames of all samples end to end, leaf first.
    addresses: Vec<u64>,
    /// The values of all samples end to end, as many each as there are types.
    values: Vec<i64>,
}

/// One sample; its frames begin where those of the sample before end.
struct Sample {
    frames_end: usize,
    /// Mean size of its objects in bytes, 0 when it has none.
    object_size: i64,
}

impl Draft {
    /// Nothing yet, of these types (`kind/unit`).
    pub(super) fn new(types: &[(&str, &str)], period_type: (&str, &str), period: i64) -> Self {
        let owned = |(kind, unit): (&str, &str)| (kind.to_owned(), unit.to_owned());
        Self {
            types: types.iter().copied().map(owned).collect(),
            period_type: Some(owned(period_type)),
            period,
            duration_nanos: 0,
            samples: Vec::new(),
            addresses: Vec::new(),
            values: Vec::new(),
        }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Adds a sample; `frames` leaf first. Too deep a stack is refused, in words.
    pub(super) fn push(
        &mut self,
        frames: &[u64],
        values: &[i64],
        object_size: i64,
    ) -> Result<(), String> {
        if frames.len() > MAX_STACK_DEPTH {
            return Err(format!(
                "a stack of {} frames; at most {MAX_STACK_DEPTH} are allowed",
                frames.len()
            ));
        }
        self.addresses.extend_from_slice(frames);
        self.values.extend_from_slice(values);
        self.samples.push(Sample {
            frames_end: self.addresses.len(),
            object_size,
        });
        Ok(())
    }

    /// The values of the sample added last.
    pub(super) fn last_values(&mut self) -> Option<&mut [i64]> {
        let start = self.values.len().checked_sub(self.types.len())?;
        Some(&mut self.values[start..]).filter(|_| !self.samples.is_empty())
    }

    /// The callers of the leaf, of samples that have one.
    pub(super) fn leaf_callers(&self) -> impl Iterator<Item = u64> {
        self.stacks().filter_map(|frames| frames.get(1).copied())
    }

    /// Takes the frame below the leaf out of the stacks for which `is_odd(leaf, caller)`.
    pub(super) fn take_leaf_callers(&mut self, is_odd: impl Fn(u64, u64) -> bool) {
        let (mut read, mut written) = (0, 0);
        for sample in &mut self.samples {
            let frames = read..sample.frames_end;
            let odd = frames.len() > 1 && is_odd(self.addresses[read], self.addresses[read + 1]);
            for at in frames.filter(|&at| !(odd && at == read + 1)) {
                self.addresses[written] = self.addresses[at];
                written += 1;
            }
            read = sample.frames_end;
            sample.frames_end = written;
        }
        self.addresses.truncate(written);
    }

    fn stacks(&self) -> impl Iterator<Item = &[u64]> {
        let starts = std::iter::once(0).chain(self.samples.iter().map(|sample| sample.frames_end));
        starts
            .zip(&self.samples)
            .map(|(start, sample)| &self.addresses[start..sample.frames_end])
    }

    /// The profile of a native program: each address belongs to what is mapped there.
    pub(super) fn finish(mut self, entries: Vec<Entry>, leaf: Leaf) -> Profile {
        let table = self.table();
        if leaf == Leaf::Once {
            self.take_leaf_callers(|leaf, caller| caller.wrapping_add(1) == leaf);
        }
        let mut mappings = MappingSearch::new(entries);
        let owners: Vec<Option<u32>> = table
            .iter()
            .map(|&address| mappings.mapping_of(address))
            .collect();
        let mut builder = self.header();
        // There is room for just what is needed: growing would hold two copies.
        builder.rows().locations.reserve_exact(table.len());
        let mappings: Vec<MappingId> = mappings
            .finish()
            .iter()
            .map(|entry| mapping(&mut builder, entry))
            .collect();
        let locations: Vec<LocationId> = table
            .iter()
            .zip(owners)
            .map(|(&address, owner)| {
                builder.location(
                    owner.map(|owner| mappings[owner as usize]),
                    address,
                    false,
                    &[],
                )
            })
            .collect();
        self.samples_into(builder, &table, &locations)
    }

    /// The profile of a Java program: what has a symbol is that, and no address is kept, for they
    /// differ from run to run.
    pub(super) fn finish_symbolised(self, symbols: &HashMap<u64, Symbol<'_>>) -> Profile {
        let table = self.table();
        let mut builder = self.header();
        // A function is told by its name; the file that comes with it first is its file.
        let mut functions = HashMap::new();
        let mut elsewhere = None;
        let mut locations = Vec::with_capacity(table.len());
        for address in &table {
            let Some(symbol) = symbols.get(address) else {
                let owner = (*address != 0).then(|| {
                    *elsewhere.get_or_insert_with(|| mapping(&mut builder, &Entry::everywhere()))
                });
                locations.push(builder.location(owner, 0, false, &[]));
                continue;
            };
            let function = *functions.entry(symbol.name).or_insert_with(|| {
                let (name, file) = (builder.string(symbol.name), builder.string(symbol.file));
                builder.function(Function::named(name, file))
            });
            let line = Line::of(function, symbol.line);
            locations.push(builder.location(None, 0, false, &[line]));
        }
        self.samples_into(builder, &table, &locations)
    }

    /// All addresses, each once, in the order in which samples name them.
    fn table(&self) -> Vec<u64> {
        let mut seen = HashMap::new();
        self.addresses
            .iter()
            .copied()
            .filter(|&address| seen.insert(address, ()).is_none())
            .collect()
    }

    fn header(&self) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new();
        for (kind, unit) in &self.types {
            builder.sample_type(kind, unit);
        }
        let period_type = self
            .period_type
            .as_ref()
            .map(|(kind, unit)| builder.value_type(kind, unit));
        let header = builder.header();
        (header.period_type, header.period, header.duration_nanos) =
            (period_type, self.period, self.duration_nanos);
        drop_frames::add(&mut builder);
        builder
    }

    fn samples_into(
        self,
        mut builder: ProfileBuilder,
        table: &[u64],
        locations: &[LocationId],
    ) -> Profile {
        let rows = builder.rows();
        rows.samples.stacks.reserve_exact(self.len());
        rows.samples.labels.reserve_exact(self.len());
        rows.samples
            .values
            .iter_mut()
            .for_each(|column| column.reserve_exact(self.len()));
        let location_of: HashMap<u64, LocationId> = table
            .iter()
            .copied()
            .zip(locations.iter().copied())
            .collect();
        let size_key = builder.string("bytes");
        for (i, (frames, sample)) in self.stacks().zip(&self.samples).enumerate() {
            let locations = frames.iter().rev().map(|address| location_of[address]);
            let stack = builder.stack_of(locations);
            // Without a unit, as pprof writes it; a size of 0 cannot be told from no label there.
            let labels = match sample.object_size {
                0 => None,
                size => {
                    let value = LabelValue::Number(size, StringId::EMPTY);
                    builder.label_set(&mut [Label {
                        key: size_key,
                        value,
                    }])
                }
            };
            builder.sample(
                stack,
                labels,
                &self.values[i * self.types.len()..][..self.types.len()],
            );
        }
        builder.finish()
    }
}

fn mapping(builder: &mut ProfileBuilder, entry: &Entry) -> MappingId {
    let (file, build_id) = (builder.string(&entry.file), builder.string(&entry.build_id));
    let Entry {
        start,
        limit,
        offset,
        ..
    } = *entry;
    builder.mapping(Mapping {
        start,
        limit,
        offset,
        file,
        build_id,
        symbols: SymbolFlags::default(),
    })
}
