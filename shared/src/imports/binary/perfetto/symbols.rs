//! Names of addresses that were found after a trace was recorded.

use hashbrown::HashMap;

use super::packet::{Entry, number};
use crate::base::limits::MAX_INLINED;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::Problem;
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, MappingId, StringId};
use crate::model::profile::Line;

/// Longest build id, in bytes; that of SHA-512 as text.
const MAX_BUILD_ID: usize = 128;

/// Estimated bytes of memory for each address.
const ADDRESS: usize = 80;

/// Names by path and build id of a file, and an address in it.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    by_address: HashMap<(StringId, StringId, u64), Entry<'a, Option<LocationId>>>,
}

/// A build id as text. Chrome writes text, others bytes.
pub(super) fn build_id(bytes: &[u8], rows: &mut Rows) -> StringId {
    let bytes = &bytes[..bytes.len().min(MAX_BUILD_ID)];
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
                let key = (path, build, address);
                self.by_address.insert(key, Entry::Message(symbols));
                rows.beside += ADDRESS;
                rows.check()?;
            }
        }
        Ok(())
    }

    /// The location of an address; `None` where it has no name.
    pub(super) fn location(
        &mut self,
        mapping: MappingId,
        address: u64,
        rows: &mut Rows,
    ) -> Result<Option<LocationId>, Problem> {
        let known = rows.builder.profile().mappings()[mapping.index()];
        let key = (known.file, known.build_id, address);
        let Some(entry) = self.by_address.get_mut(&key) else {
            return Ok(None);
        };
        match *entry {
            Entry::Made(location) => Ok(location),
            Entry::Message(message) => {
                let lines = lines(message, rows)?;
                let builder = &mut rows.builder;
                let location = (!lines.is_empty())
                    .then(|| builder.location(Some(mapping), address, false, &lines));
                *entry = Entry::Made(location);
                Ok(location)
            }
        }
    }
}

/// The lines of an address, the innermost first.
fn lines(mut symbols: Wire<'_>, rows: &mut Rows) -> Result<Vec<Line>, Problem> {
    let mut lines = Vec::new();
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
            lines.push(Line::of(rows.function_of(name, file), line));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::protobuf::Writer;
    use crate::imports::frames::library;

    #[test]
    fn an_address_is_read_once() {
        let mut names = Vec::new();
        let mut writer = Writer(&mut names);
        writer.number(1, 64);
        writer.bytes(2, b"\x0a\x04main");
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.bytes(1, b"/a.so");
        writer.bytes(3, &names);
        let mut rows = Rows::new("test", 0);
        let mut symbols = Symbols::default();
        assert!(symbols.add(Wire::new(&bytes), &mut rows).is_ok());
        let mapping = library(&mut rows.builder, "/a.so", "");
        let mut location = || symbols.location(mapping, 64, &mut rows).ok().flatten();
        let first = location();
        assert!(first.is_some());
        assert_eq!(first, location());
        let entry = symbols.by_address.values().next();
        assert!(matches!(entry, Some(Entry::Made(made)) if *made == first));
    }
}
