//! Source lines of functions.

use pilotlight_core::LineTable;

use crate::answers::Line;
use crate::error::SessionError;
use crate::known_lines::KnownLines;
use crate::session::Session;
use crate::steps::derive;

impl Session {
    /// The lines of a function, which is known by name and file, or without a name of all functions
    /// of a file; after some steps, in order of line.
    pub fn lines(
        &mut self,
        id: u32,
        sample_type: u32,
        steps: &[String],
        name: Option<&str>,
        file: &str,
    ) -> Result<Vec<Line>, SessionError> {
        let table = self.line_table(id, sample_type, steps)?;
        let whole = table.total() as f64;
        let fraction = |value: i64| {
            if whole > 0.0 {
                value as f64 / whole
            } else {
                0.0
            }
        };
        let rows = table.of(name, file).into_iter().map(|row| Line {
            function: row.function.to_owned(),
            line: row.line as f64,
            own: row.own as f64,
            total: row.total as f64,
            self_fraction: fraction(row.own),
            total_fraction: fraction(row.total),
        });
        Ok(rows.collect())
    }

    fn line_table(
        &mut self,
        profile: u32,
        sample_type: u32,
        steps: &[String],
    ) -> Result<&LineTable, SessionError> {
        let is_known = self.known_lines.as_ref().is_some_and(|known| {
            known.profile == profile && known.sample_type == sample_type && known.steps == steps
        });
        if !is_known {
            let table = {
                let whole = self.profile(profile)?;
                if whole.samples().values.len() <= sample_type as usize {
                    return Err(SessionError::NoType(sample_type));
                }
                LineTable::new(&derive(whole, steps)?.profile, sample_type as usize)
            };
            self.known_lines = Some(KnownLines {
                profile,
                sample_type,
                steps: steps.to_vec(),
                table,
            });
        }
        let known = self.known_lines.as_ref();
        known
            .map(|known| &known.table)
            .ok_or(SessionError::NoProfile(profile))
    }
}
