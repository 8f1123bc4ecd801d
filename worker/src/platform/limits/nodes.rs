//! How many nodes a flame graph may have.

use crate::platform::errors::Problem;

/// Nodes of a flame graph when a request does not say: Pyroscope's default.
pub(crate) const DEFAULT_NODES: usize = 8_192;

/// Most nodes that a client may ask for: Pyroscope's limit; a flame graph of a million nodes is some
/// 30 MB of JSON.
pub(crate) const MOST_NODES: usize = 1 << 20;

/// How many nodes a flame graph may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeLimits {
    /// When a request does not say.
    pub(crate) default: usize,
    /// As many as a request may ask for.
    pub(crate) most: usize,
}

impl NodeLimits {
    /// As many as a request asks for; none and 0 are the default.
    pub(crate) fn checked(self, asked: Option<i64>) -> Result<usize, Problem> {
        let Self { default, most } = self;
        match asked {
            None | Some(0) => Ok(default),
            Some(nodes) if nodes < 0 => Err(Problem::invalid(format!(
                "max flamegraph nodes limit must be set (max allowed {most})"
            ))),
            Some(nodes) => match usize::try_from(nodes) {
                Ok(nodes) if nodes <= most => Ok(nodes),
                _ => Err(Problem::invalid(format!(
                    "max flamegraph nodes limit {nodes} is greater than allowed {most}"
                ))),
            },
        }
    }
}
