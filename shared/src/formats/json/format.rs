//! Formats in JSON, told by the set of their keys: those of the file's object, and of the objects
//! right in it. Keys come in any order. Nothing else decides: no value, and no key deeper down.

use super::scan::Scan;
use JsonFormat::{
    ChromeTrace, Dhat, Firefox, Flamebearer, Ghc, Gprof2dot, JavaThreads, MemrayStats, Otlp,
    Pyinstrument, React, Safari, Scalene, Speedscope, Stackprof, V8CpuProfile, V8HeapProfile,
    V8HeapSnapshot, V8Log, Xhprof,
};

/// A format in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonFormat {
    Speedscope,
    ChromeTrace,
    V8CpuProfile,
    V8HeapProfile,
    V8HeapSnapshot,
    V8Log,
    Firefox,
    Otlp,
    Flamebearer,
    Dhat,
    Safari,
    React,
    Stackprof,
    Ghc,
    Pyinstrument,
    Scalene,
    Gprof2dot,
    JavaThreads,
    MemrayStats,
    Xhprof,
}

/// The keys that a file of a format has: all of one of its lines. A key stands in the file's object
/// (`""`), in the object of this name there or the first object of the list of this name, or in an
/// object of the list that the file is ([`ITEMS`]).
///
/// The first line of which all keys are met decides: most files begin with what they are, and need
/// not be looked through. A line has at most eight keys.
const KEYS: &[(JsonFormat, &[(&str, &str)])] = &[
    // Most of its files name their schema.
    (Speedscope, &[("", "profiles"), ("shared", "frames")]),
    (ChromeTrace, &[("", "traceEvents")]),
    (ChromeTrace, &[(ITEMS, "ph"), (ITEMS, "ts")]),
    (V8CpuProfile, &[("nodes", "callFrame")]),
    (V8CpuProfile, &[("head", "hitCount")]),
    (V8HeapProfile, &[("head", "selfSize")]),
    (
        V8HeapSnapshot,
        &[("snapshot", "meta"), ("snapshot", "node_count")],
    ),
    (V8Log, &[("", "code"), ("", "functions"), ("", "ticks")]),
    (Firefox, &[("meta", "interval")]),
    (Firefox, &[("meta", "preprocessedProfileVersion")]),
    (Firefox, &[("meta", "categories")]),
    (
        Firefox,
        &[("threads", "samples"), ("threads", "stackTable")],
    ),
    (Firefox, &[("", "threads"), ("shared", "stackTable")]),
    // The old files of its developer tools.
    (Firefox, &[("profile", "meta"), ("profile", "threads")]),
    (Otlp, &[("", "resourceProfiles")]),
    (Otlp, &[("", "resource_profiles")]),
    (Flamebearer, &[("", "flamebearer")]),
    (Dhat, &[("", "dhatFileVersion")]),
    (Safari, &[("recording", "displayName")]),
    (React, &[("", "version"), ("", "dataForRoots")]),
    (
        Stackprof,
        &[
            ("", "mode"),
            ("", "interval"),
            ("", "samples"),
            ("", "frames"),
        ],
    ),
    (Ghc, &[("", "rts_arguments"), ("", "cost_centres")]),
    (
        Pyinstrument,
        &[("", "sample_count"), ("", "duration"), ("", "root_frame")],
    ),
    (
        Pyinstrument,
        &[("", "sample_count"), ("", "start_call_stack")],
    ),
    (Scalene, &[("", "alloc_samples"), ("", "args")]),
    (Gprof2dot, &[("", "costs"), ("events", "callchain")]),
    (JavaThreads, &[("threadDump", "threadContainers")]),
    (
        MemrayStats,
        &[
            ("", "total_num_allocations"),
            ("", "allocation_size_histogram"),
        ],
    ),
];

/// What a call is in xhprof's keys, `main()==>work`; XHGui has them under `profile`.
const XHPROF_CALL: &str = "==>";

/// What the key `$schema` of speedscope's files holds.
pub(crate) const SCHEMA: &str = "speedscope.app/file-format-schema";

/// Where the objects stand of a file that is a list.
const ITEMS: &str = "[]";

impl JsonFormat {
    /// The format of a file, which may break off anywhere. What is wrong with it is for its reader
    /// to say.
    #[inline(never)]
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let mut search = Search {
            met: [0; KEYS.len()],
            found: None,
        };
        search.file(&mut Scan::new(bytes));
        search.found
    }

    /// What it is called where it is not read.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Speedscope => "a speedscope profile",
            ChromeTrace => "a Chrome trace",
            V8CpuProfile => "a V8 CPU profile (.cpuprofile)",
            V8HeapProfile => "a V8 heap profile (.heapprofile)",
            V8HeapSnapshot => "a V8 heap snapshot (`node --heap-prof` writes a profile instead)",
            V8Log => "a V8 log (node --prof)",
            Firefox => "a Firefox profile",
            Otlp => "an OTLP profile (JSON)",
            Flamebearer => "a Pyroscope flame graph (flamebearer)",
            Dhat => "a DHAT profile",
            Safari => "a Safari recording",
            React => "a React DevTools profile",
            Stackprof => "a stackprof profile",
            Ghc => "a GHC profile (JSON)",
            Pyinstrument => "a pyinstrument profile",
            Scalene => "a scalene profile",
            Gprof2dot => "gprof2dot JSON",
            JavaThreads => "a Java thread dump",
            MemrayStats => {
                "memray statistics (`memray transform gprof2dot` converts the recording)"
            }
            Xhprof => "an xhprof profile",
        }
    }

    /// Whether [`crate::imports`] reads it.
    pub(crate) fn is_imported(self) -> bool {
        !matches!(self, V8HeapSnapshot | MemrayStats)
    }
}

/// The keys that were met. Each step is `None` when the search is over: the format is found, or the
/// text ends.
struct Search {
    /// Of each line of [`KEYS`], a bit for each key.
    met: [u8; KEYS.len()],
    found: Option<JsonFormat>,
}

impl Search {
    fn file(&mut self, scan: &mut Scan<'_>) -> Option<()> {
        if !scan.enter(b'[') {
            return self.object(scan, "");
        }
        while scan.peek()? != b']' {
            self.object(scan, ITEMS)?;
        }
        None
    }

    /// Goes through the keys of an object; passes what is not an object.
    fn object(&mut self, scan: &mut Scan<'_>, place: &str) -> Option<()> {
        if !scan.enter(b'{') {
            return scan.skip();
        }
        while let Some(key) = scan.key() {
            self.meet(place, key)?;
            if place.is_empty() {
                self.member(scan, key)?;
            } else {
                scan.skip()?;
            }
        }
        scan.leave()
    }

    /// Goes through a value of the file's object, as far as its keys matter.
    fn member(&mut self, scan: &mut Scan<'_>, key: &[u8]) -> Option<()> {
        if key == b"$schema" && scan.peek()? == b'"' {
            let schema = scan.string()?;
            let mut parts = schema.windows(SCHEMA.len());
            return if parts.any(|part| part == SCHEMA.as_bytes()) {
                self.end(Speedscope)
            } else {
                Some(())
            };
        }
        let mut places = KEYS.iter().flat_map(|(_, keys)| *keys);
        match places.find(|(place, _)| !place.is_empty() && place.as_bytes() == key) {
            Some((place, _)) if scan.enter(b'[') => {
                if scan.peek()? == b'{' {
                    self.object(scan, place)?;
                }
                scan.leave()
            }
            Some((place, _)) => self.object(scan, place),
            None => scan.skip(),
        }
    }

    fn meet(&mut self, place: &str, key: &[u8]) -> Option<()> {
        let is_call = |part: &[u8]| part == XHPROF_CALL.as_bytes();
        if ["", "profile"].contains(&place) && key.windows(XHPROF_CALL.len()).any(is_call) {
            return self.end(Xhprof);
        }
        for (line, (format, keys)) in KEYS.iter().enumerate() {
            for (number, known) in keys.iter().enumerate() {
                if known.1.as_bytes() == key && known.0 == place {
                    self.met[line] |= 1 << number;
                    if u32::from(self.met[line]) + 1 == 1 << keys.len() {
                        return self.end(*format);
                    }
                }
            }
        }
        Some(())
    }

    fn end(&mut self, found: JsonFormat) -> Option<()> {
        self.found = Some(found);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_decide_in_any_order() {
        for (text, expect) in [
            (
                r#"{"profiles":[{}],"shared":{"x":[],"frames":[]}}"#,
                Some(Speedscope),
            ),
            (
                r#"{"a":1,"$schema":"https://www.speedscope.app/file-format-schema.json"}"#,
                Some(Speedscope),
            ),
            (
                r#"{"otherData":{"a":["]}"]},"traceEvents":["#,
                Some(ChromeTrace),
            ),
            (
                r#"[{"name":"x","args":{}},7,{"ts":1},{"ph":"X""#,
                Some(ChromeTrace),
            ),
            (
                r#"{"samples":[1],"nodes":[{"children":[2],"callFrame":{}},{}]}"#,
                Some(V8CpuProfile),
            ),
            (
                r#"{"head":{"children":[{"selfSize":1}],"hitCount":0}}"#,
                Some(V8CpuProfile),
            ),
            (
                r#"{"head":{"children":[{"hitCount":1}],"selfSize":0}}"#,
                Some(V8HeapProfile),
            ),
            (
                r#"{"snapshot":{"meta":{},"node_count":1}}"#,
                Some(V8HeapSnapshot),
            ),
            (r#"{"ticks":[],"functions":[],"code":[]}"#, Some(V8Log)),
            (
                r#"{"threads":[],"meta":{"version":9,"interval":1}}"#,
                Some(Firefox),
            ),
            (
                r#"{"threads":[{"stackTable":{},"samples":{}}]}"#,
                Some(Firefox),
            ),
            (
                r#"{"shared":{"frameTable":{},"stackTable":{}},"threads":[]}"#,
                Some(Firefox),
            ),
            (
                r#"{"frames":[],"profile":{"threads":[],"meta":{}}}"#,
                Some(Firefox),
            ),
            (r#"{"dictionary":{},"resourceProfiles":[]}"#, Some(Otlp)),
            (r#"{"metadata":{},"flamebearer":{}}"#, Some(Flamebearer)),
            (r#"{"pps":[],"dhatFileVersion":2}"#, Some(Dhat)),
            (
                r#"{"recording":{"records":[],"displayName":""}}"#,
                Some(Safari),
            ),
            (r#"{"dataForRoots":[],"version":5}"#, Some(React)),
            (
                r#"{"frames":{},"samples":1,"interval":1,"mode":"cpu"}"#,
                Some(Stackprof),
            ),
            (r#"{"cost_centres":[],"rts_arguments":[]}"#, Some(Ghc)),
            (
                r#"{"root_frame":{},"sample_count":1,"duration":2}"#,
                Some(Pyinstrument),
            ),
            (
                r#"{"start_call_stack":[],"sample_count":1}"#,
                Some(Pyinstrument),
            ),
            (r#"{"args":{},"alloc_samples":0}"#, Some(Scalene)),
            (
                r#"{"events":[{"cost":[1],"callchain":[0]}],"costs":[]}"#,
                Some(Gprof2dot),
            ),
            (
                r#"{"threadDump":{"time":"","threadContainers":[]}}"#,
                Some(JavaThreads),
            ),
            (
                r#"{"allocation_size_histogram":[],"total_num_allocations":1}"#,
                Some(MemrayStats),
            ),
            (r#"{"main()":{"ct":1},"main()==>a":{"ct":1}}"#, Some(Xhprof)),
            (r#"{"meta":{},"profile":{"main()==>a":{}}}"#, Some(Xhprof)),
        ] {
            assert_eq!(JsonFormat::of(text.as_bytes()), expect, "{text}");
            let spaced = text.replace(':', "\r\n : ").replace(',', "\t,\n ");
            assert_eq!(JsonFormat::of(spaced.as_bytes()), expect, "{text}");
        }
    }

    #[test]
    fn values_and_deeper_keys_do_not_decide() {
        for text in [
            "",
            "x",
            "[kernel];main 5\n",
            "{closure};main 5\n",
            r#"{"":{"traceEvents":[]}}"#,
            r#"{"a":"traceEvents","b":["flamebearer"],"c":{"dhatFileVersion":2}}"#,
            r#"{"traceEvents"#,
            r#"{"meta":{"x":{"interval":1}},"nodes":[[{"callFrame":1}]]}"#,
            r#"{"nodes":[{"id":1},{"callFrame":1}]}"#,
            r#"{"shared":{"frames":[]},"$schema":"https://example.com"}"#,
            r#"[["ph"],{"x":{"ph":1,"ts":2}},{"ts":3}]"#,
            r#"{"samples":1,"frames":1,"samples":1,"frames":1}"#,
        ] {
            assert_eq!(JsonFormat::of(text.as_bytes()), None, "{text}");
        }
        let nested = format!("{}1", r#"{"":"#.repeat(1 << 20));
        assert_eq!(JsonFormat::of(nested.as_bytes()), None);
    }
}
