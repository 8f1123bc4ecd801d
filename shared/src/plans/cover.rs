//! Which sums answer which part of a range: long windows where they lie wholly inside, shorter ones
//! and then single profiles at its edges.

use hashbrown::HashMap;

use super::disjoint_sets::DisjointSets;
use super::plan::CatalogObject;
use crate::base::sort::insertion_sort;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::SERVICE_NAME;
use crate::model::profile_type::ProfileType;
use crate::store::{Dataset, Directory, Level, PageEntry, SumScope, SumWindow};

/// The part of a range that windows of one length answer, or single profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RangePart {
    /// `None`: single profiles.
    pub(super) window: Option<SumWindow>,
    /// Spans that begin and end where windows do.
    ranges: Vec<TimeRange>,
}

impl RangePart {
    pub(super) fn contains(&self, time: UnixNanos) -> bool {
        self.ranges.iter().any(|range| range.contains(time))
    }

    pub(super) fn touches(&self, first: UnixNanos, last: UnixNanos) -> bool {
        self.ranges.iter().any(|range| range.touches(first, last))
    }
}

/// The pages of a dataset that have something of a part of a range, and of which sums they are.
pub(super) fn pages<'a>(
    dataset: &'a Dataset,
    scope: SumScope,
    range_part: &'a RangePart,
) -> (Option<SumScope>, impl Iterator<Item = &'a PageEntry>) {
    let (pages, scope): (&[PageEntry], _) = match range_part.window {
        None => (&dataset.pages, None),
        Some(window) => (
            dataset.sums(window, scope).map_or(&[], |sums| &sums.pages),
            Some(scope),
        ),
    };
    let touched = |page: &&PageEntry| range_part.touches(page.min_time, page.max_time);
    (scope, pages.iter().filter(touched))
}

/// Splits `range` less what is `taken` care of elsewhere: each part goes to the longest of
/// `windows` that fits.
pub(super) fn range_parts(
    range: TimeRange,
    windows: impl Iterator<Item = SumWindow>,
    taken: Option<TimeRange>,
) -> Vec<RangePart> {
    let mut windows: Vec<Option<SumWindow>> = windows.map(Some).collect();
    insertion_sort(&mut windows, |window| *window);
    windows.insert(0, None);
    let (mut range_parts, mut longer) = (Vec::new(), taken);
    for &window in windows.iter().rev() {
        let inside = window.map_or(range, |window| window.inside(range));
        let mut ranges = vec![inside];
        for cut in [longer, taken].into_iter().flatten() {
            ranges = ranges
                .into_iter()
                .flat_map(|range| without(range, cut))
                .collect();
        }
        ranges.retain(|range| range.from < range.until);
        range_parts.push(RangePart { window, ranges });
        if inside.from < inside.until {
            longer = Some(inside);
        }
    }
    range_parts
}

/// What is left of a range on both sides of another.
fn without(range: TimeRange, cut: TimeRange) -> [TimeRange; 2] {
    if cut.from >= cut.until {
        return [
            range,
            TimeRange {
                from: range.from,
                until: range.from,
            },
        ];
    }
    [
        TimeRange {
            from: range.from,
            until: range.until.min(cut.from),
        },
        TimeRange {
            from: range.from.max(cut.until),
            until: range.until,
        },
    ]
}

/// A range without the ends beyond which there is no data anyway.
pub(super) fn opened(range: TimeRange, first: UnixNanos, last: UnixNanos) -> TimeRange {
    TimeRange {
        from: if range.from <= first {
            TimeRange::ALL.from
        } else {
            range.from
        },
        until: if last < range.until {
            TimeRange::ALL.until
        } else {
            range.until
        },
    }
}

/// The service of a dataset.
pub(super) fn service<'a>(directory: &'a Directory, dataset: &Dataset) -> &'a str {
    let labels = dataset
        .series
        .first()
        .map(|&labels| &directory.label_sets[labels as usize]);
    labels
        .and_then(|labels| labels.get(SERVICE_NAME))
        .unwrap_or("")
}

/// What a block of level 3 answers for a service and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    /// The shortest window that it is asked for.
    pub(super) window: SumWindow,
    /// The windows, as one range. Its sources, if they are still there, answer what is left.
    pub(super) range: TimeRange,
    /// Its sources are gone and an end of the range cut a window, which counts when it begins
    /// inside.
    pub(super) rounded: bool,
}

/// Where a block of level 3 has sums of a service and type.
#[derive(Clone, Copy)]
struct Extent {
    first: UnixNanos,
    last: UnixNanos,
    window: SumWindow,
}

impl Extent {
    /// Of several blocks that share sources. They answer the same range in the same windows: which
    /// of them holds what of a source is not known.
    fn add(&mut self, other: Self) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.window = self.window.max(other.window);
    }

    /// What windows inside the range answer. The sources answer the rest.
    fn inside(self, range: TimeRange) -> Summary {
        Summary {
            window: self.window,
            range: self.window.inside(opened(range, self.first, self.last)),
            rounded: false,
        }
    }

    /// What a block without sources answers.
    fn rounded(self, range: TimeRange) -> Summary {
        let open = opened(range, self.first, self.last);
        let whole = self.window.rounded(open);
        Summary {
            window: self.window,
            range: whole,
            rounded: whole != open,
        }
    }
}

/// The blocks of level 3 among objects.
pub(super) struct Summaries<'a> {
    of: HashMap<(usize, &'a ProfileType, &'a str), Summary>,
    /// Where the blocks are that sum up an object, each for other services and types.
    summarized_by: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Summaries<'a> {
    /// `window` says how short the windows must be that the datasets of a service and type are
    /// asked for; `None` when they are of no use. It is told whether the block stands alone.
    pub(super) fn new(
        objects: &'a [CatalogObject],
        range: TimeRange,
        mut window: impl FnMut(&'a Directory, &[&'a Dataset], bool) -> Option<SumWindow>,
    ) -> Self {
        let mut summarized_by = HashMap::<_, Vec<usize>>::new();
        let mut found = Vec::new();
        for (at, object) in objects
            .iter()
            .enumerate()
            .filter(|(_, object)| is_summary(object))
        {
            let directory = &object.directory;
            let Some(block) = directory.block() else {
                continue;
            };
            let mut groups: HashMap<(u32, &str), Vec<&Dataset>> = HashMap::new();
            for dataset in &block.datasets {
                groups
                    .entry((dataset.profile_type, service(directory, dataset)))
                    .or_default()
                    .push(dataset);
            }
            let (alone, before) = (has_no_sources(object), found.len());
            for ((of_type, service), datasets) in groups {
                let times = datasets.iter().map(|d| (d.min_time, d.max_time));
                let Some((first, last)) =
                    times.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
                else {
                    continue;
                };
                if !range.touches(first, last) {
                    continue;
                }
                let Some(window) = window(directory, &datasets, alone) else {
                    continue;
                };
                let extent = Extent {
                    first,
                    last,
                    window,
                };
                let of_type = &directory.types[of_type as usize];
                found.push(((at, of_type, service), extent, alone));
            }
            if found.len() > before {
                block
                    .summarizes
                    .iter()
                    .for_each(|key| summarized_by.entry(key.as_str()).or_default().push(at));
            }
        }
        let mut sets = DisjointSets::new(objects.len());
        for blocks in summarized_by.values() {
            blocks.iter().for_each(|&at| sets.union(blocks[0], at));
        }
        let mut together = HashMap::<_, Extent>::new();
        for &((at, of_type, service), extent, _) in &found {
            together
                .entry((sets.find(at), of_type, service))
                .and_modify(|all| all.add(extent))
                .or_insert(extent);
        }
        let of = found.into_iter().map(|(key, extent, alone)| {
            let (at, of_type, service) = key;
            let summary = if alone {
                extent.rounded(range)
            } else {
                together[&(sets.find(at), of_type, service)].inside(range)
            };
            (key, summary)
        });
        let of = of.collect();
        Self { of, summarized_by }
    }

    /// What the block at this place answers itself.
    pub(super) fn of(
        &self,
        at: usize,
        profile_type: &ProfileType,
        service: &str,
    ) -> Option<Summary> {
        self.of.get(&(at, profile_type, service)).copied()
    }

    /// What other blocks answer for a source: the same range, if there are several.
    pub(super) fn instead_of(
        &self,
        key: &str,
        profile_type: &ProfileType,
        service: &str,
    ) -> Option<TimeRange> {
        let summaries = self.summarized_by.get(key)?.iter();
        summaries
            .filter_map(|&at| self.of(at, profile_type, service))
            .map(|summary| summary.range)
            .next()
    }
}

/// Whether an object sums up a day.
pub(super) fn is_summary(object: &CatalogObject) -> bool {
    object.level == Level::Day
}

/// Whether an object sums up a day whose profiles are gone.
pub(super) fn has_no_sources(object: &CatalogObject) -> bool {
    let block = object.directory.block();
    is_summary(object) && block.is_some_and(|block| block.summarizes.is_empty())
}
