//! Where the fields of a request stand.

/// Where the fields of a profile and of a sample stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    V1_7,
    /// 1.8 and 1.9.
    V1_8,
    /// 1.10 and 1.11.
    V1_10,
}
