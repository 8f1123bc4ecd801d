//! Handles: `Copy` newtypes over a non-zero `u32` that point into one table of one profile.
//!
//! A handle is only made by the table that owns the row, and tables only grow, so a handle never
//! dangles. The non-zero form makes `Option<Handle>` four bytes wide, which is what a column of
//! them costs.

use std::num::NonZeroU32;

macro_rules! handle {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The handle of row 0.
            #[allow(dead_code)] // Not every table has use for it.
            pub(crate) const FIRST: Self = Self(NonZeroU32::MIN);

            /// The handle of row `index`. Tables hold fewer than `u32::MAX` rows: see
            /// [`crate::limits`].
            #[inline(always)]
            pub(crate) fn new(index: usize) -> Self {
                let index = u32::try_from(index + 1).expect("tables stay below u32::MAX rows");
                Self(NonZeroU32::new(index).expect("index + 1 is not zero"))
            }

            /// The handle with a number: its row plus one, 0 for none.
            #[allow(dead_code)] // Nor for this.
            #[inline(always)]
            pub(crate) fn numbered(number: u32) -> Option<Self> {
                NonZeroU32::new(number).map(Self)
            }

            /// The number of a handle.
            #[allow(dead_code)] // Nor for this.
            #[inline(always)]
            pub(crate) fn number(handle: Option<Self>) -> u32 {
                handle.map_or(0, |handle| handle.0.get())
            }

            /// The row this handle points at.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.index())
            }
        }
    )*};
}

handle! {
    /// A row of the string table.
    StringId;
    /// A row of the mapping table.
    MappingId;
    /// A row of the function table.
    FunctionId;
    /// A row of the location table.
    LocationId;
    /// A row of the stack table: one frame and the stack below it (towards the root).
    StackId;
    /// A row of the label-set table.
    LabelSetId;
}

impl StringId {
    /// The empty string, row 0 of every string table.
    pub const EMPTY: Self = Self::FIRST;

    /// Whether this is the empty string, which stands for "not given" throughout pprof.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}
