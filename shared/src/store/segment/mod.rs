//! Level 0: chunks end to end in a segment.
//!
//! | file | what |
//! |---|---|
//! | `chunk` | one pushed profile |
//! | `chunk_links` | which rows of it belong to which spans of traces |
//! | `segment_writer` | puts chunks into a segment |
//! | `answer_format` | the answer to a query as bytes: what was counted, and a chunk |

pub(crate) mod answer_format;
pub(crate) mod chunk;
pub(crate) mod chunk_links;
pub(crate) mod segment_writer;
