//! The string table: one arena of UTF-8, append-only, row 0 empty.

use crate::model::id::StringId;

/// Strings of a profile, each stored once. Row 0 is the empty string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    text: String,
    /// End of row `i` in `text`; it starts where row `i - 1` ends.
    ends: Vec<u32>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            text: String::new(),
            ends: vec![0],
        }
    }
}

impl Strings {
    /// The text of a row.
    pub fn get(&self, id: StringId) -> &str {
        let end = self.ends[id.index()] as usize;
        let start = if id.index() == 0 {
            0
        } else {
            self.ends[id.index() - 1] as usize
        };
        &self.text[start..end]
    }

    /// The row of a number, if its text is this.
    pub(crate) fn at(&self, row: usize, text: &str) -> Option<StringId> {
        let end = *self.ends.get(row)? as usize;
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        (self.text[start..end] == *text).then(|| StringId::new(row))
    }

    /// How many rows there are, the empty string included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all rows together.
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Never true: row 0 always exists.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All rows in order, row 0 first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|i| self.get(StringId::new(i)))
    }

    /// Makes room for `rows` more rows of `bytes` bytes in all.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        self.ends.reserve(rows);
        self.text.reserve(bytes);
    }

    /// Appends rows that stand end to end in `text`, which they are all of, without looking for
    /// equal ones. `None` when they do not cut it at characters.
    pub(crate) fn append(
        &mut self,
        text: &str,
        lengths: impl ExactSizeIterator<Item = usize>,
    ) -> Option<()> {
        let before = self.text.len();
        u32::try_from(before + text.len())
            .expect("profile text stays below 4 GiB: limits::MAX_PROFILE_BYTES");
        self.ends.reserve(lengths.len());
        let mut end = 0usize;
        for length in lengths {
            end = end
                .checked_add(length)
                .filter(|&end| text.is_char_boundary(end))?;
            self.ends.push((before + end) as u32);
        }
        self.text.push_str(text);
        (end == text.len()).then_some(())
    }

    /// Appends a row without looking for an equal one.
    pub(crate) fn push(&mut self, text: &str) -> StringId {
        self.text.push_str(text);
        self.ends.push(
            u32::try_from(self.text.len())
                .expect("profile text stays below 4 GiB: limits::MAX_PROFILE_BYTES"),
        );
        StringId::new(self.ends.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_text() {
        let append = |text, lengths: &[usize]| {
            let mut strings = Strings::default();
            strings.push("first");
            strings.append(text, lengths.iter().copied())?;
            Some(
                strings
                    .iter()
                    .skip(2)
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(append("", &[]), Some(Vec::new()));
        assert_eq!(
            append("mainλ", &[4, 0, 2]),
            Some(vec!["main".to_owned(), String::new(), "λ".to_owned()])
        );
        for lengths in [
            &[4, 1, 1][..],
            &[4],
            &[4, 3],
            &[usize::MAX, 7],
            &[4, usize::MAX],
        ] {
            assert_eq!(append("mainλ", lengths), None, "{lengths:?}");
        }
    }
}
