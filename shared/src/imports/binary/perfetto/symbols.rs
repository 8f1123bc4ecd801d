//! Names of addresses that were found after a trace was recorded.

use hashbrown::HashMap;

use super::packet::number;
use crate::base::limits::MAX_INLINED;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::Problem;
use crate::imports::rows::Rows;
use crate::model::id::StringId;
use crate::model::profile::Line;

/// What an address takes.
const ADDRESS: usize = 80;

/// Names by path and build id of a file, and an address in it.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    by_address: HashMap<(StringId, StringId, u64), Wire<'a>>,
}

/// A build id as text. Chrome writes text, others bytes.
pub(super) fn build_id(bytes: &[u8], rows: &mut Rows) -> StringId {
    let is_text = bytes.iter().all(u8::is_ascii_hexdigit);
    let text = match is_text {
        true => String::from_utf8_lossy(bytes).to_ascii_lowercase(),
        false => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    rows.builder.string(&text)
}

/// A text of a message.
pub(super) fn text(message: Wire<'_>, rows: &mut Rows) -> StringId {
    rows.builder
        .string(&String::from_utf8_lossy(message.bytes()))
}

impl<'a> Symbols<'a> {
    /// Reads the names of a file.
    pub(super) fn add(&mut self, message: Wire<'a>, rows: &mut Rows) -> Result<(), Problem> {
        let (mut path, mut build) = (StringId::EMPTY, StringId::EMPTY);
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            match (field, value) {
                (1, Value::Bytes(name)) => path = text(name, rows),
                (2, Value::Bytes(id)) => build = build_id(id.bytes(), rows),
                _ => {}
            }
        }
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (3, Value::Bytes(symbols)) = (field, value) {
                let address = number(symbols, 1)?;
                self.by_address.insert((path, build, address), symbols);
                rows.beside += ADDRESS;
                rows.check()?;
            }
        }
        Ok(())
    }

    /// The lines of an address, the innermost first; none where it has no name.
    pub(super) fn lines(
        &self,
        key: (StringId, StringId, u64),
        rows: &mut Rows,
    ) -> Result<Vec<Line>, Problem> {
        let mut lines = Vec::new();
        let Some(&(mut symbols)) = self.by_address.get(&key) else {
            return Ok(lines);
        };
        while let Some((field, value)) = symbols.next_field()? {
            let (2, Value::Bytes(mut message)) = (field, value) else {
                continue;
            };
            if lines.len() == MAX_INLINED {
                return Err(Problem(format!(
                    "more than {MAX_INLINED} inlined calls at one place"
                )));
            }
            let (mut name, mut file, mut line) = (StringId::EMPTY, StringId::EMPTY, 0);
            while let Some((field, value)) = message.next_field()? {
                match (field, value) {
                    (1, Value::Bytes(word)) => name = text(word, rows),
                    (2, Value::Bytes(word)) => file = text(word, rows),
                    (3, Value::Number(number)) => line = i64::from(number as u32),
                    _ => {}
                }
            }
            if !name.is_empty() {
                let function = Some(rows.function_of(name, file));
                lines.push(Line {
                    function,
                    line,
                    column: 0,
                });
            }
        }
        Ok(lines)
    }
}
