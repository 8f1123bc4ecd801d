//! The stored formats: chunk, segment, block, and the directory that says what an object holds.
//!
//! `docs/format.md` has the byte diagrams. Each format begins with eight bytes of magic whose last is the version; each
//! section carries a checksum that is checked before anything else is done with its bytes.
//!
//! | file | what |
//! |---|---|
//! | `codec` | varints, and a reader that cannot leave its bytes |
//! | `section` | magic, checksum, compression |
//! | `symbols` | the tables of a profile: strings to stacks |
//! | `rows` | (stack, value) columns |
//! | `series`, `words` | what a profile is of: labels, type, time, total; and the pool that stores each word once |
//! | `chunk` | one pushed profile |
//! | `segment` | level 0: chunks end to end |
//! | `union` | tables of many chunks as one |
//! | `window` | minutes, hours and days, over which blocks hold sums |
//! | `block`, `dataset`, `page`, `pool`, `sums` | level 1 and up: datasets with shared symbols, pages of rows, sums over windows |
//! | `totals`, `ids` | what a timeline reads; which chunks a block has counted |
//! | `directory`, `block_entry` | what an object holds, enough to plan a query |
//! | `catalog` | the catalog as objects, for readers that have only the bucket |
//! | `key` | names of objects in the bucket |

mod answer;
mod block;
mod block_entry;
mod catalog;
mod chunk;
mod codec;
mod dataset;
mod directory;
mod error;
mod ids;
mod key;
mod page;
mod pool;
mod rows;
mod section;
mod segment;
mod series;
mod sums;
mod symbols;
mod totals;
mod union;
mod window;
mod words;

pub(crate) use answer::{Told, answer_chunk, decode_answer, encode_answer};
pub(crate) use block::{BlockWriter, Lineage, Shape, read_symbols};
pub use block_entry::{BlockEntry, Dataset, Share, SumsEntry};
pub use catalog::{CatalogDay, CatalogRow, arrival_day, catalog_key, catalog_key_day, catalog_prefix};
pub use chunk::{ChunkHead, ChunkId, SeriesRows, chunk_head, encode_chunk, read_chunk};
pub(crate) use chunk::{DecodedChunk, decode_chunk};
pub(crate) use dataset::{Addend, DatasetWriter, MAX_OPEN_ROWS};
pub use directory::{ChunkEntry, Contents, Directory, Footer, Part, SeriesEntry};
pub use error::StoreError;
pub use ids::{Counted, Ids, read_ids};
pub use key::{KeyError, MAX_TENANT, ObjectKey, Tenant};
pub use page::PageEntry;
pub(crate) use page::{PageKind, PageRows, read_page};
pub use segment::SegmentWriter;
pub use series::Series;
pub(crate) use series::Taken;
pub(crate) use symbols::{StackNumbers, prune};
pub(crate) use totals::{read_totals, read_window_totals};
pub(crate) use union::{copy_tables, table_bytes};
pub use window::{Scope, Window};
