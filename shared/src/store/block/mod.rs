//! Level 1 and up: datasets with shared symbols, pages of rows, sums over windows.
//!
//! | file | what |
//! |---|---|
//! | `block_writer` | puts datasets into a block |
//! | `dataset`, `sums` | a dataset while it is gathered, and its sums |
//! | `page`, `pool` | pages of rows; equal pages are stored once |
//! | `columns` | what every page says of its profiles |
//! | `link_page` | which rows belong to which spans of traces |
//! | `totals` | what a timeline reads |
//! | `copy_tables` | tables of many chunks as one |

pub(crate) mod block_writer;
mod columns;
pub(crate) mod copy_tables;
pub(crate) mod dataset;
pub(crate) mod layout;
pub(crate) mod link_page;
pub(crate) mod page;
mod pool;
mod sums;
pub(crate) mod totals;
