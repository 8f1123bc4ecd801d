//! Pushes on their way into the bucket: group commit, and the window in which a retry is
//! recognised.

mod closed_loop;
pub(crate) mod group_commit;
mod load;
pub(crate) mod retry_window;
pub(crate) mod writer;
