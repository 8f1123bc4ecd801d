//! Writing Markdown within a number of bytes.

use super::Source;
use crate::base::units::UnixNanos;
use crate::verbs::format_value;

/// Longest name that is written, bytes: longer ones keep their ends. Names of C++ and Rust templates
/// have thousands of characters, and what tells them apart stands at the front and at the back.
const MAX_NAME: usize = 300;

/// What a cell of a table takes beside its text: its bars, and a space that does not break.
const CELL_BYTES: usize = 5;

/// What stands in a text above the rows of its table.
pub(super) const ABOVE_ROWS: usize = 300;

/// Room that is kept for the line that says what was left out.
const LAST_LINE: usize = 160;

/// What is said where nothing is selected.
pub(super) const NOTHING: &str =
    "no profiles match. List the services to see the services and profile types in a range.";

/// A text that does not grow beyond a number of bytes, or [`LAST_LINE`] where those are fewer.
pub(super) struct Document {
    text: String,
    most: usize,
    /// How many rows of tables had no room.
    left_out: u64,
}

impl Document {
    pub(super) fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            most: most.saturating_sub(LAST_LINE),
            left_out: 0,
        }
    }

    /// Writes a paragraph.
    pub(super) fn paragraph(&mut self, text: &str) {
        if self.fits(text.len() + 2) {
            self.text += text;
            self.text += "\n\n";
        }
    }

    /// Writes a table whose first `texts` columns are texts and whose others are numbers. A table
    /// without rows is not written; nor are rows that have no room.
    pub(super) fn table<const COLUMNS: usize>(
        &mut self,
        texts: usize,
        head: [&str; COLUMNS],
        rows: impl IntoIterator<Item = [String; COLUMNS]>,
    ) {
        let mut rows = rows
            .into_iter()
            .map(|mut row| {
                // A number and its unit stay on one line.
                let numbers = row.iter_mut().skip(texts);
                numbers.for_each(|number| *number = number.replace(' ', "\u{a0}"));
                row_of(&row)
            })
            .peekable();
        let Some(first) = rows.peek() else {
            return;
        };
        let rule: [&str; COLUMNS] =
            std::array::from_fn(|column| if column < texts { "---" } else { "---:" });
        let head = row_of(&head) + &row_of(&rule);
        if !self.fits(head.len() + first.len() + 1) {
            self.left_out += rows.count() as u64;
            return;
        }
        self.text += &head;
        let mut is_full = false;
        for row in rows {
            // What comes after a row that has no room is smaller in what the table is about.
            is_full |= !self.fits(row.len() + 1);
            if is_full {
                self.left_out += 1;
            } else {
                self.text += &row;
            }
        }
        self.text += "\n";
    }

    fn fits(&self, more: usize) -> bool {
        self.text.len() + more <= self.most
    }

    /// How many bytes have room yet.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_sub(self.text.len())
    }

    pub(super) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let line = format!(
                "{} more rows don't fit; ask for fewer, or for JSON.\n\n",
                self.left_out
            );
            self.text += &line;
        }
        while self.text.ends_with("\n\n") {
            self.text.pop();
        }
        self.text
    }
}

/// As many of the first rows as `room` bytes hold.
pub(super) fn fitting<const COLUMNS: usize>(
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
    room: usize,
) -> Vec<[String; COLUMNS]> {
    let mut left = room;
    let has_room = |row: &[String; COLUMNS]| {
        let rest = left.checked_sub(row_bytes(row));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    rows.into_iter().take_while(has_room).collect()
}

/// What a row takes at most.
pub(super) fn row_bytes<const COLUMNS: usize>(row: &[String; COLUMNS]) -> usize {
    row.iter().map(|cell| cell.len() + CELL_BYTES).sum()
}

fn row_of<const COLUMNS: usize>(cells: &[impl AsRef<str>; COLUMNS]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A name or a query as code that stays in its cell.
pub(super) fn code(name: &str) -> String {
    let short = shortened(name);
    // Code with backticks in it stands between more of them.
    let fence = if short.contains('`') { "`` " } else { "`" };
    let mut text = String::with_capacity(short.len() + 2);
    for character in short.chars() {
        match character {
            // A pipe ends a cell of a table even in code.
            '|' => text += "\\|",
            other if other.is_control() => text.push(' '),
            other => text.push(other),
        }
    }
    if text.trim().is_empty() {
        "(empty)".to_owned()
    } else {
        let end: String = fence.chars().rev().collect();
        format!("{fence}{text}{end}")
    }
}

/// A name that is at most some 300 bytes long.
pub(super) fn shortened(name: &str) -> String {
    if name.len() <= MAX_NAME {
        return name.to_owned();
    }
    let half = MAX_NAME / 2;
    let (head, tail) = (
        name.floor_char_boundary(half),
        name.ceil_char_boundary(name.len() - half),
    );
    format!("{}…{}", &name[..head], &name[tail..])
}

/// The query, range and sum of a report.
pub(super) fn about(document: &mut Document, source: &Source) {
    document.paragraph(&code(&source.query));
    document.paragraph(&format!(
        "{}: {}",
        range(source.from, source.until),
        sum(source)
    ));
}

/// The sum of a source in words.
pub(super) fn sum(source: &Source) -> String {
    if source.profiles == 0 {
        return NOTHING.to_owned();
    }
    let mut text = format!(
        "{} in {}",
        format_value(source.total, &source.unit),
        counted(source.profiles)
    );
    if source.rounded {
        text += ", with windows at the ends of the range counted in full";
    }
    if source.saturated {
        text += ", cut at 2^63 − 1";
    }
    if source.error_bound > 0 {
        let bound = i64::try_from(source.error_bound).unwrap_or(i64::MAX);
        text += ", each value off by at most ";
        text += &format_value(bound, &source.unit);
    }
    text
}

/// How many profiles, in words.
pub(super) fn counted(profiles: u64) -> String {
    match profiles {
        1 => "1 profile".to_owned(),
        other => format!("{other} profiles"),
    }
}

/// A range of milliseconds in words.
pub(super) fn range(from: i64, until: i64) -> String {
    let time = |millis| UnixNanos::from_millis(millis).to_rfc3339();
    format!("{} to {}", time(from), time(until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_cells() {
        assert_eq!(code("a|b\nd"), "`a\\|b d`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!([code(""), code(" ")], ["(empty)", "(empty)"]);
        let long = code(&format!("{}é{}", "a".repeat(149), "b".repeat(300)));
        assert!(long.len() < MAX_NAME + 10, "{long}");
        assert!(long.starts_with("`aaa") && long.contains("a…b"), "{long}");
    }

    #[test]
    fn a_document_stays_within_its_bytes() {
        for most in [0, 100, 200, 300, 1_000] {
            let mut document = Document::new(most);
            document.paragraph("A table.");
            let rows = (0..50).map(|i| [format!("row {i}"), i.to_string()]);
            document.table(1, ["name", "value"], rows);
            document.paragraph("The end.");
            let text = document.finish();
            assert!(text.len() <= most.max(LAST_LINE), "{most}: {text}");
            let rows = text.matches("| row").count();
            let said = format!("{} more rows don't fit;", 50 - rows);
            assert_eq!(text.contains(&said), rows < 50, "{most}: {text}");
        }
        let mut document = Document::new(10_000);
        document.table(1, ["name"], [["x".to_owned()]]);
        assert_eq!(document.finish(), "| name |\n| --- |\n| x |\n");
    }
}
