//! One exact sum of many profiles, in canonical order.
//!
//! | file | what |
//! |---|---|
//! | `merger` | merging files |
//! | `stacks`, `sample_index` | finding the samples of equal stacks in a merge of files |
//! | `units` | values in the finest unit that profiles have for them |
//! | `stored` | merging what queries read |
//! | `canonical` | the order of the result |

pub(crate) mod canonical;
pub(crate) mod merger;
mod sample_index;
mod stacks;
pub(crate) mod stored;
pub(crate) mod units;
