//! What an object holds, enough to plan a query.
//!
//! | file | what |
//! |---|---|
//! | `contents` | the directory of an object |
//! | `block_entry` | what it says of a block |
//! | `counted_ids` | which chunks a block has counted |
//! | `key`, `level` | names of objects in the bucket, and how far they are compacted |
//! | `catalog` | the catalog as objects, for readers that have only the bucket |

pub(crate) mod block_entry;
pub(crate) mod catalog;
pub(crate) mod contents;
pub(crate) mod counted_ids;
pub(crate) mod key;
pub(crate) mod level;
