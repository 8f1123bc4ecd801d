//! Cells of tables: of a row, and numbers in them.

use std::borrow::Cow;

use crate::base::warnings::cut;

/// The cells of a row. Those in quotes may have the delimiter, and quotes twice; blanks may come
/// before them.
pub(super) fn cells(line: &str, delimiter: char) -> Vec<Cow<'_, str>> {
    let mut cells = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let blank = text.len() - text.trim_start_matches(' ').len();
        let Some(quoted) = text[blank..].strip_prefix('"') else {
            let (cell, behind) = match text.split_once(delimiter) {
                Some((cell, behind)) => (cell, Some(behind)),
                None => (text, None),
            };
            cells.push(Cow::Borrowed(cell));
            rest = behind;
            continue;
        };
        let mut cell = text[..blank].to_owned();
        let mut at = 0;
        while let Some(length) = quoted[at..].find('"') {
            cell += &quoted[at..at + length];
            at += length + 1;
            if !quoted[at..].starts_with('"') {
                break;
            }
            cell.push('"');
            at += 1;
        }
        cells.push(Cow::Owned(cell));
        rest = quoted[at..].split_once(delimiter).map(|(_, rest)| rest);
    }
    cells
}

/// Refuses digits of a text whose comma is not one between thousands.
pub(super) fn check_commas(digits: &str, text: &str) -> Result<(), String> {
    if has_decimal_comma(digits) {
        let text = cut(text);
        return Err(format!(
            "expected a decimal point, got a decimal comma: {text:?}"
        ));
    }
    Ok(())
}

/// Whether a comma is not one between thousands, as in `4,93`, `0,125` or `1.234,5`.
fn has_decimal_comma(digits: &str) -> bool {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or("");
    let is_grouped = groups.clone().next().is_some();
    decimals.contains(',')
        || is_grouped && !matches!(first.len(), 1..=3)
        || is_grouped && first.starts_with('0')
        || groups.any(|group| group.len() != 3)
}
