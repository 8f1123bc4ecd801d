//! How large an answer may become.

/// Most nodes of the trees of functions in an answer: some 15 MB of JSON.
pub const MAX_FUNCTION_NODES: usize = 100_000;

/// Most bytes that the names of an answer take: 16 MiB.
///
/// A name may be as long as a push, and a tree says it once for each node. Text is written into a
/// buffer that doubles, so these are 48 MiB while they are written, beside the 32 that a query holds
/// at most. An isolate has 128.
pub const MAX_NAMES: usize = 16 << 20;

/// An answer would be too large.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum TooLarge {
    /// More than [`MAX_FUNCTION_NODES`].
    #[error(
        "the function trees have more than {MAX_FUNCTION_NODES} nodes; ask for fewer levels, or for a longer chain"
    )]
    Nodes,
    /// More than [`MAX_NAMES`].
    #[error(
        "the function names need more than {} MiB in this response; ask for fewer nodes or functions, or for pprof, which stores each name once",
        MAX_NAMES >> 20
    )]
    Names,
    /// The frames of a tree before equal ones are folded.
    #[error(
        "the stacks come to {rows} frames, counting inlined calls; at most {most} are allowed; ask for a shorter range, or for pprof"
    )]
    Frames {
        /// How many there are.
        rows: u64,
        /// How many may be.
        most: u64,
    },
}

/// What an answer may still take. It is spent before names are copied.
#[derive(Clone, Debug)]
pub struct Budget {
    nodes: usize,
    names: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            nodes: MAX_FUNCTION_NODES,
            names: MAX_NAMES,
        }
    }
}

impl Budget {
    /// Takes a node of a tree of functions.
    pub(super) fn node(&mut self) -> Result<(), TooLarge> {
        self.nodes = self.nodes.checked_sub(1).ok_or(TooLarge::Nodes)?;
        Ok(())
    }

    /// Takes a name, as long as it is in JSON.
    pub fn name(&mut self, name: &str) -> Result<(), TooLarge> {
        let left = self.names.checked_sub(json_len(name));
        self.names = left.ok_or(TooLarge::Names)?;
        Ok(())
    }

    /// Takes several names.
    pub fn names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<(), TooLarge> {
        names.into_iter().try_for_each(|name| self.name(name))
    }
}

/// Bytes of a text in JSON, without its quotes: a control character is written as `\u001f`.
fn json_len(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(escaped).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_in_json() {
        for text in ["", "main", "ä\u{7f}", "\"\\", "\u{1}\u{1f}\0"] {
            let json = serde_json::to_string(text).expect("a text");
            assert_eq!(json_len(text), json.len() - 2, "{text:?}");
        }
    }

    #[test]
    fn a_budget_is_spent_to_the_last_byte() {
        let long = "f".repeat(MAX_NAMES / 16);
        let mut budget = Budget::default();
        assert_eq!(budget.names([long.as_str(); 16]), Ok(()));
        assert_eq!(budget.name(""), Ok(()));
        assert_eq!(budget.name("f"), Err(TooLarge::Names));
        let mut nodes = (0..=MAX_FUNCTION_NODES).map(|_| budget.node());
        assert_eq!(nodes.find(Result::is_err), Some(Err(TooLarge::Nodes)));
        assert_eq!(nodes.next(), None, "it was the last");
    }
}
