//! A program → what names its addresses, to be stored.

use pilotlight_core::store::{
    MAX_SYMBOL_COLUMNS, SymbolTableBuilder, SymbolTableError, SymbolTableHead,
};
use pilotlight_core::verbs::SymbolFrame;
use pilotlight_core::verbs::programs::{Layout, Symbols};

use crate::error::SymbolsError;

/// Fewest bytes of a range in a table.
const MIN_RANGE: usize = 5;

/// Symbols that know where their frames change.
pub(crate) trait Ranges: Symbols {
    /// The addresses at which other frames may begin, in any order.
    fn starts(&self) -> Vec<u64>;
}

/// How much of the frames is kept: as much as there is room for.
#[derive(Clone, Copy)]
enum Kept {
    All,
    /// Inlined calls without their lines.
    Names,
    /// The function that an address is in by its name for people, and nothing that was inlined.
    Functions,
}

/// The table of a program, as it is stored.
pub(crate) fn table(
    ids: Vec<String>,
    file: &str,
    layout: Layout,
    symbols: &dyn Ranges,
) -> Result<Vec<u8>, SymbolsError> {
    let mut starts = symbols.starts();
    starts.sort_unstable();
    starts.dedup();
    let head = SymbolTableHead {
        ids,
        file: file.to_owned(),
        layout,
    };
    let mut failed = SymbolTableError::Empty;
    for kept in [Kept::All, Kept::Names, Kept::Functions] {
        match made(&starts, symbols, kept, head.clone()) {
            Err(error @ SymbolTableError::TooLarge { .. }) => failed = error,
            made => return Ok(made?),
        }
    }
    Err(failed.into())
}

fn made(
    starts: &[u64],
    symbols: &dyn Ranges,
    kept: Kept,
    head: SymbolTableHead,
) -> Result<Vec<u8>, SymbolTableError> {
    let mut builder = SymbolTableBuilder::new();
    let mut frames: Vec<SymbolFrame> = Vec::new();
    for &start in starts {
        frames.clear();
        symbols.frames(start, &mut frames);
        match kept {
            Kept::All => {}
            Kept::Names => frames.iter_mut().for_each(|frame| frame.line = 0),
            Kept::Functions => {
                frames.drain(..frames.len().saturating_sub(1));
                for frame in &mut frames {
                    frame.line = 0;
                    frame.system_name.clear();
                }
            }
        }
        builder.range(start, &frames);
        // It is not made any further for nothing.
        let size = builder.ranges() * MIN_RANGE;
        if size > MAX_SYMBOL_COLUMNS {
            return Err(SymbolTableError::TooLarge { size });
        }
    }
    builder.finish(head)?.encode()
}
