//! The stored formats: chunk, segment, block, and the directory that says what an object holds.
//!
//! `docs/format.md` has the byte diagrams. Each format begins with eight bytes of magic whose last
//! is the version; each section carries a checksum that is checked before anything else is done
//! with its bytes.
//!
//! | folder | what |
//! |---|---|
//! | `codec` | pieces that several formats are made of: varints, sections, symbols, labels |
//! | `directory` | what an object holds, its name, and the catalog as a list of directories |
//! | `segment` | level 0: chunks end to end |
//! | `block` | level 1 and up: datasets with shared symbols, pages of rows, sums over windows |
//! | `share.rs` | a profile that is handed on as a link |
//! | `symbol_table.rs` | names for the addresses of a program |

mod block;
mod codec;
mod directory;
mod error;
mod segment;
mod share;
mod symbol_table;

pub(crate) use block::block_writer::{BlockWriter, Lineage, read_symbols};
pub(crate) use block::copy_tables::{copy_tables, table_bytes};
pub(crate) use block::dataset::{DatasetWriter, MAX_OPEN_ROWS, SeriesInput};
pub(crate) use block::layout::BlockLayout;
pub(crate) use block::link_page::{SpanRow, read_link_page};
pub(crate) use block::page::{PageKind, PageRows, read_page};
pub(crate) use block::totals::{longest_gap, read_totals, read_window_totals, stored_duration};
pub use codec::chunk_id::ChunkId;
pub(crate) use codec::links::{LinkRow, LinkTable};
pub use codec::part::Part;
pub use codec::series::Series;
pub(crate) use codec::series::Timing;
pub use codec::sum_window::{SumScope, SumWindow};
pub(crate) use codec::symbols::{StackNumbers, prune};
pub use directory::block_entry::{BlockEntry, Dataset, PageEntry, Partition, SumsEntry};
pub use directory::catalog::{
    CatalogDay, CatalogRow, arrival_day, catalog_key, catalog_key_day, catalog_prefix,
};
pub use directory::contents::{ChunkEntry, Contents, Directory, Footer, SeriesEntry};
pub use directory::counted_ids::{Counted, Ids, read_ids};
pub use directory::key::{KeyError, MAX_TENANT, ObjectKey, TenantId};
pub use directory::level::Level;
pub use error::StoreError;
pub(crate) use segment::answer_format::{AnswerStats, answer_chunk, decode_answer, encode_answer};
pub use segment::chunk::{ChunkHead, SeriesRows, chunk_head, encode_chunk, read_chunk};
pub(crate) use segment::chunk::{DecodedChunk, DecodedSeries, decode_chunk};
pub use segment::chunk_links::LinkedRow;
pub(crate) use segment::chunk_links::decode_chunk_links;
pub use segment::segment_writer::SegmentWriter;
pub use share::{
    MAX_SHARE_BYTES, MAX_SHARE_HEAD, MAX_SHARE_NAME, ShareError, ShareId, ShareIdError,
    encode_share, share_head, shares_prefix,
};
pub use symbol_table::{
    MAX_SYMBOL_COLUMNS, MAX_SYMBOL_TABLE, SymbolTable, SymbolTableBuilder, SymbolTableError,
    SymbolTableHead, SymbolTableId, symbols_prefix,
};
