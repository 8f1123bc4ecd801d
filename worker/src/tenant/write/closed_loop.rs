//! Senders that wait for each answer before they send again.
//!
//! A batch gathers for seconds where a fleet pushes, so that its processes share a write. A script
//! that sends one file after the other would wait as long for each, and share with nobody. What
//! tells it from a fleet: those who were answered come again at once, and then nobody else does,
//! for as long as one waits. Processes that push at moments of their own come in between.

/// Within so many milliseconds of its answer comes a sender that waited for it only: the answer's
/// way, the next push's, and a moment to read it.
const AT_ONCE_MILLIS: i64 = 300;

/// So long a batch of such senders gathers, to see whether anybody else pushes.
const PROOF_MILLIS: u32 = 1_000;

/// So long that is believed.
const BELIEVED_MILLIS: i64 = 30_000;

/// So long a batch gathers meanwhile, for one who joins them.
const TOGETHER_MILLIS: u32 = 30;

/// Who came since the last batch was answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClosedLoop {
    /// The chunks of that batch, and when it was answered.
    answered: usize,
    answered_at: i64,
    /// How many chunks came at once, whether others came later, and when the last one did.
    at_once: usize,
    is_mixed: bool,
    last: i64,
    /// Whether all came back after the batch before, too.
    is_repeated: bool,
    /// Until when nobody else is thought to push.
    believed_until: i64,
}

impl ClosedLoop {
    /// A batch of so many chunks was answered.
    pub(super) fn answered(&mut self, chunks: usize, now: i64) {
        let is_proved = self.are_back() && now - self.last >= i64::from(PROOF_MILLIS);
        *self = Self {
            answered: chunks,
            answered_at: now,
            is_repeated: self.are_back(),
            believed_until: match is_proved {
                true => now + BELIEVED_MILLIS,
                false if self.is_mixed => now,
                false => self.believed_until,
            },
            ..Self::default()
        };
    }

    /// A chunk came.
    pub(super) fn note(&mut self, now: i64) {
        match now - self.answered_at {
            0..=AT_ONCE_MILLIS => self.at_once += 1,
            _ => self.is_mixed = true,
        }
        self.last = now;
    }

    /// How long a batch gathers that would gather for `millis` in a fleet.
    pub(super) fn window(self, millis: u32, now: i64) -> u32 {
        match self.are_back() {
            true if now < self.believed_until => millis.min(TOGETHER_MILLIS),
            true if self.is_repeated => millis.min(PROOF_MILLIS),
            _ => millis,
        }
    }

    /// Whether as many came at once as were answered, and nobody after them.
    fn are_back(self) -> bool {
        self.answered > 0 && self.at_once >= self.answered && !self.is_mixed
    }
}
