//! Parts of a trace that are damaged.

use super::event::NAME;
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};

/// Events, samples and frames that are damaged and left out.
#[derive(Default)]
pub(super) struct LeftOut {
    count: u64,
    first: Option<FormatError>,
}

impl LeftOut {
    /// Goes on behind the part that begins at `start` if reading it failed, unless the text ends.
    pub(super) fn pass<'a>(
        &mut self,
        read: Result<(), Problem>,
        start: Reader<'a>,
        reader: &mut Reader<'a>,
    ) -> Result<(), Problem> {
        match read {
            Err(problem) if !problem.is_end => {
                *reader = start;
                reader.skip()?;
                self.add(problem.of(NAME));
                Ok(())
            }
            read => read,
        }
    }

    /// Notes a part.
    pub(super) fn add(&mut self, error: FormatError) {
        self.count += 1;
        self.first.get_or_insert(error);
    }

    /// An error where nothing else is in the file, otherwise a warning.
    pub(super) fn finish(self, is_empty: bool, warnings: &mut Warnings) -> Result<(), FormatError> {
        let Some(first) = self.first else {
            return Ok(());
        };
        if is_empty {
            return Err(first);
        }
        let count = self.count;
        let place = first.place.as_deref().unwrap_or_default();
        let problem = &first.problem;
        warnings
            .add(|| format!("damaged parts left out: {count}; the first, at {place}: {problem}"));
        Ok(())
    }
}
