//! Flame graphs as SVG, by flamegraph.pl and by inferno (which cargo-flamegraph, py-spy and rbspy
//! use).
//!
//! Source: the drawing code of both.
//!
//! - A function is a bar: a title, `name (1,234 samples, 5.67%)`, and a rectangle. Bars may stand in
//!   any order. What a bar stands on is told by its place, which inferno repeats in samples.
//! - Which end is the root, the bar `all` says, or else the widest one.
//! - What was too narrow to be drawn is with the function below it.
//! - py-spy's names have a place, `f (a.py:5)`.
//! - A drawing without `</svg>` is refused: the bar of the root may be missing.

use std::borrow::Cow;

use crate::base::sort::sort_rows;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, split_place};
use crate::imports::outline::{Below, Outline};
use crate::imports::rows::Rows;
use crate::model::id::LocationId;

/// What it is called in messages.
pub(crate) const NAME: &str = "flame graph (SVG)";

/// The bar of the whole.
const ALL: &str = "all";

/// Parts of a pixel, or of a percent, that places are compared in.
const PARTS: f64 = 1e4;

/// Whether this is a drawing that names where flame graphs come from.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.text.starts_with(b"<") && start.has(&["<svg", "brendangregg/flamegraph"])
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains("</svg>") {
        let cut = "the file is cut off: expected </svg> at its end; save or download it again";
        return Err(FormatError::new(NAME, cut));
    }
    let mut rows = Rows::new(NAME, bytes.len());
    let mut bars: Vec<Bar> = Vec::new();
    let mut unread = 0u64;
    for part in text.split("<title>").skip(1) {
        let Some((title, rest)) = part.split_once("</title>") else {
            unread += 1;
            continue;
        };
        let Some(rect) = rest.split_once("<rect ") else {
            // The title of the whole drawing.
            continue;
        };
        let rect = rect.1.split('>').next().unwrap_or("");
        let Some((name, count, word)) = counted(title) else {
            unread += 1;
            continue;
        };
        if bars.is_empty() {
            let (kind, unit) = type_of(word);
            rows.sample_type(kind, unit)?;
        }
        let place = |key: &str| number(rect, key);
        let (Some(x), Some(y)) = (place(" fg:x=\"").or(place("x=\"")), place(" y=\"")) else {
            unread += 1;
            continue;
        };
        let name = unescaped(name);
        bars.push(Bar {
            x,
            y,
            count,
            location: location(&mut rows, &name),
            is_all: name == ALL || name.is_empty(),
        });
        rows.beside += size_of::<Bar>();
        rows.check()?;
    }
    if unread > 0 {
        rows.warnings
            .add(|| format!("{unread} bars are unrecognized and left out"));
    }
    stacks(&mut rows, &bars)?;
    rows.finish()
}

struct Bar {
    /// Where it begins and how high it is.
    x: i64,
    y: i64,
    count: i64,
    location: LocationId,
    is_all: bool,
}

fn stacks(rows: &mut Rows, bars: &[Bar]) -> Result<(), FormatError> {
    let most = bars.iter().map(|bar| bar.count).max();
    let widest = || bars.iter().filter(|bar| Some(bar.count) == most);
    let lowest = widest().max_by_key(|bar| bar.y);
    let Some(root) = widest().find(|bar| bar.is_all).or(lowest) else {
        return Ok(());
    };
    let depth = |bar: &Bar| root.y.abs_diff(bar.y);
    let mut order: Vec<u32> = (0..bars.len() as u32).collect();
    let rank = |row: u32| {
        let bar = &bars[row as usize];
        (bar.x, depth(bar))
    };
    sort_rows(&mut order, &mut |a, b| rank(a).cmp(&rank(b)));
    let mut tree = Outline::new(Below::Callees, 0);
    for row in order {
        let bar = &bars[row as usize];
        let location = (!bar.is_all || depth(bar) > 0).then_some(bar.location);
        let indent = usize::try_from(depth(bar)).unwrap_or(usize::MAX);
        tree.push(rows, indent, location, bar.count)
            .map_err(|problem| FormatError::new(NAME, problem))?;
        rows.check()?;
    }
    tree.finish(rows)
}

/// Name, count and what is counted of `name (1,234 samples, 5.67%)`, which may have a difference
/// behind it.
fn counted(title: &str) -> Option<(&str, i64, &str)> {
    let (name, rest) = title.trim().strip_suffix(')')?.rsplit_once(" (")?;
    let (count, rest) = rest.split_once(' ')?;
    let (word, share) = rest.split_once(", ")?;
    let digits: String = count.chars().filter(|&c| c != ',').collect();
    Some((
        name,
        digits.parse().ok().filter(|_| share.contains('%'))?,
        word,
    ))
}

/// Sample type and unit of what is counted.
fn type_of(word: &str) -> (&str, &str) {
    match word {
        "ns" | "nanoseconds" => ("time", "nanoseconds"),
        "us" | "µs" | "microseconds" => ("time", "microseconds"),
        "ms" | "milliseconds" => ("time", "milliseconds"),
        "bytes" => ("space", "bytes"),
        word => (word, "count"),
    }
}

/// The number behind a key of a rectangle.
fn number(rect: &str, key: &str) -> Option<i64> {
    // The first key has no blank before it.
    let at = rect.find(key)? + key.len();
    let value = rect[at..].split(['"', '%']).next()?;
    let value: f64 = value.parse().ok()?;
    Some((value * PARTS).round() as i64)
}

fn location(rows: &mut Rows, name: &str) -> LocationId {
    let builder = &mut rows.builder;
    let mut frame = match split_place(name) {
        Some((name, file, line, column)) => Frame {
            file: builder.string(file),
            line,
            column,
            ..Frame::named(builder.string(name))
        },
        None => Frame::named(builder.string(name)),
    };
    if frame.name.is_empty() {
        frame.name = builder.string(ALL);
    }
    frame.location(builder)
}

/// A text of XML as it was.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = text.to_owned();
    for (escape, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(escape, character);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const HEAD: &str = "<?xml version=\"1.0\"?>\n<svg>\n\
        <!-- See https://github.com/brendangregg/FlameGraph for latest version -->\n";

    fn bar(title: &str, rect: &str) -> String {
        format!("<g>\n<title>{title}</title><rect {rect} height=\"15.0\" />\n<text>..</text></g>\n")
    }

    #[test]
    fn bars_stand_on_each_other_in_any_order() {
        let text = [
            HEAD.to_owned(),
            bar("c (2 samples, 20.00%)", "x=\"70.0\" y=\"66\" width=\"20\""),
            bar(
                "std::f&lt;&amp;&gt; (3 samples, 30%; +1.00%)",
                "x=\"10.0\" y=\"66\" width=\"30\"",
            ),
            bar(
                "all (1,000 samples, 100%)",
                "x=\"10.0\" y=\"98\" width=\"100\"",
            ),
            bar(
                "main (900 samples, 90%)",
                "x=\"10.0\" y=\"82\" width=\"60\"",
            ),
            bar("b (100 samples, 10%)", "x=\"70.0\" y=\"82\" width=\"10\""),
            bar("odd", "x=\"1\""),
            "</svg>\n".to_owned(),
        ]
        .concat();
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\nmain;std::f<&> 3\nmain 897\nb;c 2\nb 98\n"
        );
        assert_eq!(decoded.profile.total(0), 1_000);
        assert_eq!(decoded.warnings, ["1 bars are unrecognized and left out"]);
    }

    #[test]
    fn inferno_says_the_places_in_samples() {
        let text = [
            HEAD.replace("<svg>", "<svg><title>a drawing</title>"),
            bar(
                "all (9 bytes, 100%)",
                "x=\"0.0000%\" y=\"52\" width=\"100%\" fg:x=\"0\" fg:w=\"9\"",
            ),
            bar(
                "m (a.py:5) (9 bytes, 100%)",
                "x=\"0.0000%\" y=\"68\" width=\"100%\" fg:x=\"0\" fg:w=\"9\"",
            ),
            bar(
                "f (a.py:7) (4 bytes, 44%)",
                "x=\"0.0000%\" y=\"84\" width=\"44%\" fg:x=\"5\" fg:w=\"4\"",
            ),
            "</svg></svg>".to_owned(),
        ]
        .concat();
        assert_eq!(
            drawn(&decode(text.as_bytes()).expect("good").profile),
            "space/bytes\nm a.py:5;f a.py:7 4\nm a.py:5 5\n"
        );
        for end in HEAD.len()..text.len() - "</svg>".len() - 6 {
            let error = decode(&text.as_bytes()[..end]).expect_err("cut off");
            assert_eq!(
                error.to_string(),
                format!(
                    "{NAME}: the file is cut off: expected </svg> at its end; save or download it again"
                )
            );
        }
        let empty = [HEAD, "</svg>"].concat();
        let error = decode(empty.as_bytes()).expect_err("nothing").to_string();
        assert_eq!(error, format!("{NAME}: there are no samples"));
        assert!(!sniff(Start::of(b"<svg><title>a</title></svg>")));
    }
}
