//! Pieces that several of the stored formats are made of.
//!
//! | file | what |
//! |---|---|
//! | `bytes` | varints, and a reader that cannot leave its bytes |
//! | `section` | magic, checksum, compression |
//! | `symbols` | the tables of a profile: strings to stacks |
//! | `rows` | (stack, value) columns |
//! | `series` | what a profile is of: labels, type, time, total |
//! | `links` | which rows belong to which spans of traces |
//! | `label_table` | stores each text of labels and types once |
//! | `sum_window` | minutes, hours and days, over which blocks hold sums |

pub(crate) mod bytes;
pub(crate) mod chunk_id;
pub(crate) mod label_table;
pub(crate) mod links;
pub(crate) mod part;
pub(crate) mod rows;
pub(crate) mod section;
pub(crate) mod series;
pub(crate) mod sum_window;
pub(crate) mod symbols;
