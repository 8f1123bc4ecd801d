//! Deletion of profiles: which ones, which objects hold some, and which to rewrite next.

use super::job::{CompactJob, JobCandidate, pick_job};
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::selector::Selector;
use crate::store::{Contents, Directory, Level, ObjectKey, PageEntry};

/// Profiles to be left out: of the series that are selected, those that start in the range; or all
/// others.
#[derive(Clone, Debug, PartialEq)]
pub struct Deletion {
    /// Of which series.
    pub selector: Selector,
    /// Which of their profiles.
    pub range: TimeRange,
    /// Whether these are what stays.
    pub others: bool,
}

impl Deletion {
    /// Whether an object may hold some of what is selected.
    pub fn touches(&self, directory: &Directory) -> bool {
        directory.series().any(|(labels, of_type, first, last)| {
            self.range.touches(first, last) && self.selector.matches(of_type, labels)
        })
    }

    /// Leaves of a directory with profiles what may hold some of what is selected, so that nothing
    /// else is read; says whether something is left.
    pub(in crate::plans) fn narrow(&self, directory: &mut Directory) -> bool {
        let (label_sets, types) = (&directory.label_sets, &directory.types);
        let selects = |labels: u32, of_type: u32| {
            let (labels, of_type) = (&label_sets[labels as usize], &types[of_type as usize]);
            self.selector.matches(of_type, labels)
        };
        let touches = |page: &PageEntry| self.range.touches(page.min_time, page.max_time);
        match &mut directory.contents {
            Contents::Segment(chunks) => {
                chunks.retain_mut(|chunk| {
                    chunk.series.retain(|s| {
                        self.range.contains(s.time) && selects(s.labels, s.profile_type)
                    });
                    !chunk.series.is_empty()
                });
                !chunks.is_empty()
            }
            Contents::Block(block) => {
                block.datasets.retain_mut(|dataset| {
                    dataset.pages.retain(touches);
                    dataset.links.retain(touches);
                    let mut series = dataset.series.iter();
                    !dataset.pages.is_empty()
                        && series.any(|&labels| selects(labels, dataset.profile_type))
                });
                !block.datasets.is_empty()
            }
        }
    }

    /// Whether a profile is left out.
    pub(super) fn has(&self, of_type: &ProfileType, labels: &Labels, time: UnixNanos) -> bool {
        (self.range.contains(time) && self.selector.matches(of_type, labels)) != self.others
    }
}

/// Picks what to rewrite of the objects that hold deleted profiles: segments of one hour together,
/// as compaction would take them, and blocks one by one.
pub fn pick_rewrite(objects: &[JobCandidate]) -> Option<CompactJob> {
    let segments = |object: &&JobCandidate| {
        object
            .key
            .parse::<ObjectKey>()
            .is_ok_and(|key| key.level == Level::Segment)
    };
    let all: Vec<JobCandidate> = objects.iter().filter(segments).cloned().collect();
    // Of all hours, whether they are over or not.
    pick_job(&all, UnixNanos(i64::MAX)).or_else(|| {
        let block = objects.iter().find(|object| !segments(object))?;
        let level = block.key.parse::<ObjectKey>().ok()?.level;
        Some(CompactJob {
            level,
            sources: vec![block.key.clone()],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::ProfileBuilder;
    use crate::model::labels::parse_name;
    use crate::plans::{CatalogObject, CompactOutput, CompactPlan, CompactTask, Plan};
    use crate::store::{
        ChunkId, SegmentWriter, Series, SeriesRows, encode_chunk, read_ids, read_symbols,
    };

    const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    /// A segment of chunks, each (service, second, function).
    fn segment(chunks: &[(&str, i64, &str)]) -> (CatalogObject, Vec<u8>) {
        let mut writer = SegmentWriter::new();
        for (n, (service, second, function)) in chunks.iter().enumerate() {
            let mut builder = ProfileBuilder::new();
            builder.sample_type("cpu", "nanoseconds");
            let stack = builder.named_stack(&["main", function]);
            let time = UnixNanos(second * 1_000_000_000);
            let (labels, profile_type) = (parse_name(service).unwrap(), TYPE.parse().unwrap());
            let series = Series {
                labels,
                profile_type,
                time,
                ..Series::default()
            };
            let rows = vec![SeriesRows {
                series,
                rows: vec![(stack, 1)],
                links: Vec::new(),
            }];
            writer
                .push(&encode_chunk(ChunkId([n as u8; 16]), &builder.finish(), &rows).unwrap())
                .unwrap();
        }
        let (bytes, directory) = writer.finish().unwrap();
        let key = "t/a/s0/l0/1700000000000-0000000000000001.seg".to_owned();
        (
            CatalogObject {
                key,
                level: Level::Segment,
                size: bytes.len() as u64,
                directory,
            },
            bytes,
        )
    }

    fn compact(
        source: (CatalogObject, Vec<u8>),
        level: Level,
        deletions: &[Deletion],
    ) -> CompactOutput {
        let task = CompactTask {
            level,
            token: 7,
            unique: 2,
            partition: 0,
            partition_bytes: 1 << 20,
        };
        let mut plan = CompactPlan::without(vec![source.0], task, deletions.to_vec()).unwrap();
        for get in plan.wants() {
            let bytes = &source.1[get.offset as usize..(get.offset + get.length) as usize];
            plan.provide(&get, bytes).unwrap();
        }
        plan.finish().unwrap()
    }

    fn as_source(output: CompactOutput) -> (CatalogObject, Vec<u8>) {
        let CompactOutput {
            key,
            level,
            bytes,
            directory,
            ..
        } = output;
        (
            CatalogObject {
                key,
                level,
                size: bytes.len() as u64,
                directory,
            },
            bytes,
        )
    }

    /// All function names that stand in a block, in order, and how many chunks it knows.
    fn names(output: &CompactOutput) -> (Vec<String>, usize) {
        let of = |part: crate::store::Part| {
            &output.bytes[part.offset as usize..(part.offset + part.len) as usize]
        };
        let mut names: Vec<String> = Vec::new();
        for dataset in output.directory.datasets() {
            let tables = read_symbols(of(dataset.symbols), dataset).unwrap();
            names.extend(
                tables
                    .functions()
                    .iter()
                    .map(|f| tables.text(f.name).to_owned()),
            );
        }
        names.sort();
        (
            names,
            read_ids(of(output.directory.block().unwrap().ids.unwrap()))
                .unwrap()
                .counted
                .len(),
        )
    }

    fn deletion(query: &str, from: i64, until: i64) -> Deletion {
        let seconds = |s: i64| UnixNanos(s * 1_000_000_000);
        Deletion {
            selector: Selector::parse(query).unwrap(),
            range: TimeRange {
                from: seconds(from),
                until: seconds(until),
            },
            others: false,
        }
    }

    #[test]
    fn exactly_what_is_selected_goes_with_its_names() {
        let chunks = [
            ("a", 1, "a1"),
            ("a", 2, "a2"),
            ("a{zone=x}", 2, "ax"),
            ("b", 2, "b2"),
            ("b", 3, "b3"),
        ];
        let cases: [(Deletion, &[&str]); 5] = [
            (
                deletion("{service_name=\"a\"}", 0, 99),
                &["b2", "b3", "main"],
            ),
            (deletion("{}", 2, 3), &["a1", "b3", "main", "main"]),
            (
                deletion("{zone=\"x\"}", 0, 99),
                &["a1", "a2", "b2", "b3", "main", "main"],
            ),
            (deletion("{}", 0, 99), &[]),
            (
                deletion("{}", 50, 99),
                &["a1", "a2", "ax", "b2", "b3", "main", "main"],
            ),
        ];
        for (deletion, expect) in cases {
            let touched = deletion.range.from.0 < 50_000_000_000;
            assert_eq!(deletion.touches(&segment(&chunks).0.directory), touched);
            let deletions = [deletion];
            // Out of a segment, and out of blocks of both levels.
            let outputs = [
                compact(segment(&chunks), Level::Minutes, &deletions),
                compact(
                    as_source(compact(segment(&chunks), Level::Minutes, &[])),
                    Level::Minutes,
                    &deletions,
                ),
                compact(
                    as_source(compact(
                        as_source(compact(segment(&chunks), Level::Minutes, &[])),
                        Level::Hour,
                        &[],
                    )),
                    Level::Hour,
                    &deletions,
                ),
            ];
            for output in outputs {
                let (found, ids) = names(&output);
                assert_eq!(
                    (found, ids),
                    (expect.iter().map(|&name| name.to_owned()).collect(), 5),
                    "{deletions:?}"
                );
                let of_this = |d: &&Deletion| d.touches(&output.directory);
                assert_eq!(
                    deletions.iter().filter(of_this).count(),
                    0,
                    "it is done with"
                );
                assert_eq!(
                    output.profiles as usize,
                    expect.iter().filter(|name| **name != "main").count()
                );
            }
        }
    }

    #[test]
    fn of_a_selection_nothing_else_is_read() {
        let chunks = [("a", 1, "a1"), ("a", 9, "a9"), ("b", 1, "b1")];
        let (mut segment, bytes) = segment(&chunks);
        let mut block = as_source(compact((segment.clone(), bytes), Level::Minutes, &[])).0;
        // As if its profiles were so many that each had a page.
        let Contents::Block(entry) = &mut block.directory.contents else {
            panic!("a block");
        };
        for dataset in &mut entry.datasets {
            let page = dataset.pages[0];
            let at = |time: UnixNanos| PageEntry {
                min_time: time,
                max_time: time,
                ..page
            };
            let times = [page.min_time, page.max_time];
            dataset.pages = times.map(at).to_vec();
            dataset.links = times.map(at).to_vec();
        }
        let left = |query: &str, from, until| {
            let selection = deletion(query, from, until);
            let (mut segment, mut block) = (segment.directory.clone(), block.directory.clone());
            let any = [selection.narrow(&mut segment), selection.narrow(&mut block)];
            assert_eq!(
                any,
                [!segment.chunks().is_empty(), !block.datasets().is_empty()]
            );
            let pages = block
                .datasets()
                .iter()
                .map(|d| (d.pages.len(), d.links.len()));
            (segment.chunks().len(), pages.collect::<Vec<_>>())
        };
        assert_eq!(left("{}", 0, 99), (3, vec![(2, 2), (2, 2)]));
        assert_eq!(left("{service_name=\"a\"}", 0, 99), (2, vec![(2, 2)]));
        assert_eq!(left("{service_name=\"a\"}", 0, 9), (1, vec![(1, 1)]));
        assert_eq!(left("{service_name=\"a\"}", 2, 9), (0, vec![]));
        assert_eq!(left("{service_name=\"c\"}", 0, 99), (0, vec![]));

        // A chunk of several services stays for the sake of one, which is all that is made of it.
        let Contents::Segment(entries) = &mut segment.directory.contents else {
            panic!("a segment");
        };
        let others = entries.remove(2).series;
        entries[0].series.extend(others);
        deletion("{service_name=\"b\"}", 0, 99).narrow(&mut segment.directory);
        let [entry] = segment.directory.chunks() else {
            panic!("one chunk");
        };
        let labels = &segment.directory.label_sets[entry.series[0].labels as usize];
        assert_eq!(
            (entry.series.len(), labels.get("service_name")),
            (1, Some("b"))
        );
    }

    #[test]
    fn segments_first_then_blocks() {
        let object = |name: &str| {
            let (segment, _) = segment(&[("a", 1, "a1")]);
            JobCandidate::new(
                &format!("t/a/s0/{name}-0000000000000001"),
                segment.size,
                &segment.directory,
            )
        };
        let mut objects: Vec<_> = [
            "l2/1700000000000",
            "l0/1700000000001",
            "l0/1700000000002",
            "l0/1700009000000",
        ]
        .map(object)
        .into();
        objects.iter_mut().for_each(|o| {
            o.key
                .push_str(if o.key.contains("l0") { ".seg" } else { ".blk" })
        });
        let job = pick_rewrite(&objects).unwrap();
        assert_eq!(
            (job.level, job.sources.len()),
            (Level::Minutes, 2),
            "of one hour"
        );
        let job = pick_rewrite(&objects[..1]).unwrap();
        assert_eq!(
            (job.level, job.sources),
            (Level::Hour, vec![objects[0].key.clone()])
        );
        assert_eq!(pick_rewrite(&[]), None);
    }
}
