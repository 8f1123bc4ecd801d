//! Caps, each with the arithmetic behind it. They apply before memory is allocated.

/// Largest profile after inflation, in bytes: 256 MiB.
///
/// Every row of every table comes from at least one input byte, so no table of a decoded profile can pass 2^28 rows,
/// and `u32` handles cannot run out.
pub const MAX_PROFILE_BYTES: usize = 256 << 20;

/// Largest profile the edge accepts after inflation, in bytes: 16 MiB.
///
/// An isolate has 128 MB. Decoding holds the raw bytes and a model of about twice their size, then the chunk being
/// encoded: 16 + 32 + 16 MiB stays inside the 64 MB that one plan may use. Pyroscope's own default is 4 MiB.
pub const MAX_PUSH_BYTES: usize = 16 << 20;

/// Deepest stack kept, in frames. Go records at most 128, async-profiler 2,048 by default; deeper input is an error.
pub const MAX_STACK_DEPTH: usize = 16_384;

/// Most sample types of one profile. JFR conversions have up to 8; 64 leaves room without letting one row grow large.
pub const MAX_SAMPLE_TYPES: usize = 64;

/// Most series labels, longest label name and longest label value (bytes): Pyroscope's defaults.
pub const MAX_LABELS: usize = 30;
/// See [`MAX_LABELS`].
pub const MAX_LABEL_NAME: usize = 1024;
/// See [`MAX_LABELS`].
pub const MAX_LABEL_VALUE: usize = 2048;

/// Longest inlined chain of one location, in lines. Compilers stay far below; a hostile file should not multiply.
pub const MAX_INLINED: usize = 4096;

/// Most frames of all stacks together, inlined calls spelled out, for each byte of the file.
///
/// A frame's id takes a byte or more, and compilers inline a few calls at one place: real profiles have 0.2 at most.
pub const MAX_FRAMES_PER_BYTE: u64 = 16;

/// Most labels of one sample. Profilers attach a few, and each sample's are sorted by insertion: 256 that come in reverse
/// take 32,640 moves for a kilobyte of input.
pub const MAX_LABELS_A_SAMPLE: usize = 256;
