//! What is told before samples are read.

/// Its first bytes, as a machine of each byte order writes them.
pub(super) const LITTLE: &[u8] = b"HCAT";
/// See [`LITTLE`].
pub(super) const BIG: &[u8] = b"TACH";
/// How long the head is, and the foot.
pub(super) const HEAD: usize = 64;
/// See [`HEAD`].
pub(super) const FOOT: usize = 32;

/// What the head and the foot say.
pub(super) struct Head {
    pub(super) big: bool,
    /// Microseconds between samples.
    pub(super) interval: i64,
    /// What is sampled.
    pub(super) kind: &'static str,
    /// Where the texts begin, and the frames.
    pub(super) texts: usize,
    pub(super) frames: usize,
    pub(super) text_count: u32,
    pub(super) frame_count: u32,
}

impl Head {
    /// Of a file; `None` where it is damaged.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let big = bytes.starts_with(BIG);
        let foot = bytes.len().checked_sub(FOOT)?;
        let word = |at: usize| {
            let word = *bytes.get(at..)?.first_chunk()?;
            Some(match big {
                true => u32::from_be_bytes(word),
                false => u32::from_le_bytes(word),
            })
        };
        let long = |at: usize| {
            let word = *bytes.get(at..)?.first_chunk()?;
            Some(match big {
                true => u64::from_be_bytes(word),
                false => u64::from_le_bytes(word),
            })
        };
        let tables = |at: usize| {
            let texts = usize::try_from(long(at)?).ok()?;
            let frames = usize::try_from(long(at + 8)?).ok()?;
            (HEAD <= texts && texts <= frames && frames <= foot).then_some((texts, frames))
        };
        // Betas of 3.15 had four bytes less before the tables, and no mode.
        let (texts, frames) = tables(40).or_else(|| tables(36))?;
        let kind = match tables(40).and_then(|_| word(60)) {
            Some(2) => "cpu",
            Some(3) => "gil",
            Some(5) => "exception",
            _ => "wall",
        };
        Some(Self {
            big,
            interval: i64::try_from(long(20)?).ok()?,
            kind,
            texts,
            frames,
            text_count: word(foot)?,
            frame_count: word(foot + 4)?,
        })
    }
}
