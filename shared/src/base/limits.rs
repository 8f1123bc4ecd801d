//! Caps, each with the arithmetic behind it. They apply before memory is allocated.

/// Largest profile after inflation, in bytes: 256 MiB.
///
/// Every row of every table comes from at least one input byte, so no table of a decoded profile
/// can pass 2^28 rows, and `u32` handles cannot run out.
pub const MAX_PROFILE_BYTES: usize = 256 << 20;

/// Largest profile the edge accepts after inflation, in bytes: 16 MiB.
///
/// An isolate has 128 MB, for all of its requests. Decoding holds the raw bytes and a model of half
/// as much again, then the chunk being encoded: 16 + 24 + 8 MiB. The worker lets large pushes,
/// queries and jobs use 60 MiB together, and keeps 16 for bodies on their way in, 12 for a push of
/// usual size, 24 for chunks that wait and 16 for JavaScript: 128. Pyroscope's own default is 4
/// MiB.
pub const MAX_PUSH_BYTES: usize = 16 << 20;

/// Deepest stack kept, in frames. Go records at most 128, async-profiler 2,048 by default; deeper
/// input is an error.
pub const MAX_STACK_DEPTH: usize = 16_384;

/// Most sample types of one profile. JFR conversions have up to 8; 64 leaves room without letting
/// one row grow large.
pub const MAX_SAMPLE_TYPES: usize = 64;

/// Most series labels, longest label name and longest label value (bytes): Pyroscope's defaults.
pub const MAX_LABELS: usize = 30;
/// See [`MAX_LABELS`].
pub const MAX_LABEL_NAME: usize = 1024;
/// See [`MAX_LABELS`].
pub const MAX_LABEL_VALUE: usize = 2048;

/// Most series that one push may make: Pyroscope's default for all series of a tenant. A profile
/// makes one for each of its types and each of its sets of text labels.
///
/// Each takes some 20 bytes of every directory that names it, beside the text of its labels, and
/// every query over that directory looks at each.
pub const MAX_SERIES_A_PUSH: usize = 5_000;

/// Most text in the labels of all series of a push: 1 MiB, 200 bytes for each of
/// [`MAX_SERIES_A_PUSH`].
///
/// It stands in the directory of the object, of which a block has those of hundreds of pushes, and
/// a regular expression of a query may take 500 steps for each byte of it.
pub const MAX_LABEL_BYTES_A_PUSH: usize = 1 << 20;

/// Longest part of a profile type, such as a sample type or its unit, in bytes: five of them and
/// some labels fit a selector.
pub const MAX_TYPE_PART: usize = 256;

/// Latest start of a profile, in nanoseconds: the year 2200. Sums over windows and times plus
/// durations stay below 2^63.
pub const MAX_START_NANOS: i64 = 7_258_118_400 * 1_000_000_000;

/// Longest profile, in nanoseconds: a year. Longer ones are mistakes of units.
pub const MAX_DURATION_NANOS: i64 = 366 * 86_400 * 1_000_000_000;

/// Longest inlined chain of one location, in lines. Compilers stay far below; a hostile file should
/// not multiply.
pub const MAX_INLINED: usize = 4096;

/// Most frames of all stacks together, inlined calls spelled out, for each byte of the file.
///
/// A frame's id takes a byte or more, and compilers inline a few calls at one place: real profiles
/// have 0.2 at most.
pub const MAX_FRAMES_PER_BYTE: u64 = 16;

/// Most labels of one sample. Profilers attach a few, and each sample's are sorted by insertion:
/// 256 that come in reverse take 32,640 moves for a kilobyte of input.
pub const MAX_LABELS_A_SAMPLE: usize = 256;

/// Most different spans that the samples of one push may belong to: 16 Ki. One core profiled at 100
/// Hz for a minute has 6,000 samples, each of which may have a span of its own.
///
/// A link takes 24 bytes that don't compress, so these are 400 KiB of a chunk.
pub const MAX_LINKS_A_PUSH: usize = 16 << 10;

/// Most values of samples that belong to spans, of all sample types of a push: 256 Ki. Sixteen cores
/// at 100 Hz for a minute have 96,000 samples of two types.
///
/// A row of links takes up to 16 bytes, so all of them are 4 MiB of a section, which may have 32.
pub const MAX_LINK_ROWS_A_PUSH: usize = 256 << 10;

/// Longest name of a span, in bytes. OpenTelemetry asks for names of few different values, such as
/// a route.
pub const MAX_SPAN_NAME: usize = 256;
