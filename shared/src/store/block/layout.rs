//! What a block holds, and in which order.

use crate::store::codec::sum_window::{SumScope, SumWindow};
use crate::store::directory::level::Level;

/// What blocks of a level hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockLayout {
    /// The profiles themselves, and the total of each.
    pub(crate) raw: bool,
    /// How long the windows of totals are; `None` without totals.
    pub(crate) totals: Option<SumWindow>,
    /// The sums, in the order in which they stand in the block.
    pub(crate) sums: &'static [(SumWindow, SumScope)],
    /// Pages and sums of minutes stand behind all groups.
    pub(crate) apart: bool,
}

impl BlockLayout {
    const MINUTES: Self = Self {
        raw: true,
        totals: Some(SumWindow::Minute),
        sums: &[
            (SumWindow::Hour, SumScope::All),
            (SumWindow::Minute, SumScope::All),
        ],
        apart: false,
    };
    const HOUR: Self = Self {
        raw: true,
        totals: Some(SumWindow::Minute),
        sums: &[
            (SumWindow::Hour, SumScope::All),
            (SumWindow::Hour, SumScope::Series),
            (SumWindow::Minute, SumScope::All),
        ],
        apart: true,
    };
    /// Sums of a day.
    pub(crate) const DAY: Self = Self {
        raw: false,
        totals: Some(SumWindow::Hour),
        sums: &[
            (SumWindow::Day, SumScope::All),
            (SumWindow::Hour, SumScope::All),
            (SumWindow::Day, SumScope::Series),
        ],
        apart: false,
    };

    /// What a block of this level holds; `None` when there are no blocks of it.
    pub(crate) fn of_level(level: Level) -> Option<Self> {
        match level {
            Level::Segment => None,
            Level::Minutes => Some(Self::MINUTES),
            Level::Hour => Some(Self::HOUR),
            Level::Day => Some(Self::DAY),
        }
    }

    /// Whether each series has sums of its own.
    pub(crate) fn by_series(self) -> bool {
        self.sums
            .iter()
            .any(|(_, scope)| *scope == SumScope::Series)
    }

    /// Whether pages of a kind stand behind all groups: sums over windows, or the profiles
    /// themselves.
    pub(super) fn is_back(self, window: Option<SumWindow>) -> bool {
        self.apart && matches!(window, None | Some(SumWindow::Minute))
    }
}
