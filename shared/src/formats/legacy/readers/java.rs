//! What old Java agents write: `--- heapz 1 ---` or `--- contentionz 1 ---`, lines of `name =
//! value`, a line a stack (`14 1 @ 0x0d 0x0e`: bytes or delay, then how often), then what the
//! addresses mean (`0x0d com.example.Cart.add (Cart.java:13)`). Addresses are mere numbers, so none
//! is moved and none is kept.

use hashbrown::HashMap;

use crate::formats::legacy::draft::{Draft, Symbol};
use crate::formats::legacy::error::{Format, LegacyError};
use crate::formats::legacy::lines::{Line, Lines};
use crate::formats::legacy::scan::{address_list, find_at_number, integer};
use crate::formats::legacy::unsample::unsample;
use crate::model::profile::Profile;

/// The first line of a heap profile.
pub(crate) const HEAP: &str = "--- heapz 1 ---";
/// The first line of a contention profile.
pub(crate) const CONTENTION: &str = "--- contentionz 1 ---";

/// The agent takes a sample every so many bytes; its profiles do not say so.
const HEAP_RATE: i64 = 512 << 10;

pub(crate) fn heap(text: &str) -> Result<Profile, LegacyError> {
    decode(text, Format::JavaHeap)
}

pub(crate) fn contention(text: &str) -> Result<Profile, LegacyError> {
    decode(text, Format::Contention)
}

fn decode(text: &str, format: Format) -> Result<Profile, LegacyError> {
    let mut lines = Lines::new(text);
    lines.next();
    let mut draft = Draft::new(&[], ("", ""), 0);
    draft.period_type = None;
    let mut rest = lines.clone();
    while let Some(line) = lines.next() {
        if !line.text.trim().is_empty() && !attribute(line, format, &mut draft)? {
            break;
        }
        rest = lines.clone();
    }
    if draft.types.is_empty() {
        return Err(LegacyError::Whole {
            format,
            problem: "the resolution=… line is missing".to_owned(),
        });
    }
    let mut lines = rest.clone();
    let mut frames = Vec::new();
    while let Some(line) = lines.next() {
        if !line.text.trim().is_empty() && !row(line, format, &mut frames, &mut draft)? {
            break;
        }
        rest = lines.clone();
    }
    Ok(draft.finish_symbolised(&symbols(&mut rest, format)?))
}

/// Heeds a line of `name = value`; whether it is one.
fn attribute(line: Line<'_>, format: Format, draft: &mut Draft) -> Result<bool, LegacyError> {
    let Some((name, value)) = line.text.split_once('=') else {
        return Ok(false);
    };
    let (name, value) = (name.trim(), value.trim());
    let number = || integer(value).ok_or_else(|| line.error(format, "not a number"));
    let types = |kinds: [&str; 2]| {
        [(kinds[0], "count"), (kinds[1], value)].map(|(k, u)| (k.to_owned(), u.to_owned()))
    };
    match (format, name) {
        (_, "format") if value == "java" => {}
        (Format::JavaHeap, "resolution") => {
            draft.types = types(["inuse_objects", "inuse_space"]).into()
        }
        (Format::Contention, "resolution") => draft.types = types(["contentions", "delay"]).into(),
        (Format::Contention, "sampling period") => {
            draft.period = number()?;
            draft.period_type = Some(("contentions".to_owned(), "count".to_owned()));
        }
        (Format::Contention, "ms since reset") => {
            draft.duration_nanos = number()?.saturating_mul(1_000_000)
        }
        _ => return Err(line.error(format, "an unknown name or value")),
    }
    Ok(true)
}

/// Adds the sample of a line; whether it is one.
fn row(
    line: Line<'_>,
    format: Format,
    frames: &mut Vec<u64>,
    draft: &mut Draft,
) -> Result<bool, LegacyError> {
    let found = find_at_number(line.text, |mut scan| {
        let amount = scan.digits()?;
        scan.eat(" ")?;
        let count = scan.blanks().digits()?;
        scan.eat(" ")?;
        scan.blanks().eat("@ ")?;
        Some((amount, count, address_list(&mut scan)))
    });
    let Some((amount, count, list)) = found else {
        return Ok(false);
    };
    let error = |problem: &str| line.error(format, problem);
    frames.clear();
    line.addresses(format, list, frames)?;
    let number = |digits: &str| {
        digits
            .parse::<i64>()
            .map_err(|_| error(&format!("{digits} has more than 64 bits")))
    };
    let (amount, count) = (number(amount)?, number(count)?);
    let (values, object_size) = match format {
        Format::JavaHeap if count == 0 => {
            return Err(error(&format!("{amount} bytes in 0 objects")));
        }
        Format::JavaHeap => {
            let (all, bytes) = unsample(count, amount, HEAP_RATE);
            ([all, bytes], amount / count)
        }
        _ => {
            let period = if draft.period == 0 { 1 } else { draft.period };
            let all = count.checked_mul(period).zip(amount.checked_mul(period));
            let all = all.ok_or_else(|| {
                error(&format!(
                    "the values times the period {period} exceed 64 bits"
                ))
            })?;
            ([all.0, all.1], 0)
        }
    };
    draft
        .push(frames, &values, object_size)
        .map_err(|problem| error(&problem))?;
    Ok(true)
}

/// What addresses mean, by lines of `0x0d com.example.Cart.add (Cart.java:13)`; other lines are
/// passed over.
pub(crate) fn symbols<'a>(
    lines: &mut Lines<'a>,
    format: Format,
) -> Result<HashMap<u64, Symbol<'a>>, LegacyError> {
    let mut symbols = HashMap::new();
    for line in lines {
        let Some(rest) = line.text.trim().strip_prefix("0x") else {
            continue;
        };
        let digits = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_hexdigit())
                .len();
        let (digits, rest) = rest.split_at(digits);
        if digits.is_empty() || !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let address = u64::from_str_radix(digits, 16).map_err(|_| {
            line.error(
                format,
                format!("the address 0x{digits} has more than 64 bits"),
            )
        })?;
        symbols.insert(address, symbol(rest.trim()));
    }
    Ok(symbols)
}

fn symbol(text: &str) -> Symbol<'_> {
    match in_brackets(text) {
        Some((name, place)) => match place
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file, line.parse::<i64>().ok()?)))
        {
            Some((file, line)) if !file.is_empty() => Symbol {
                name,
                file,
                line: line.max(0),
            },
            // A library; only its own name tells anything.
            _ => Symbol {
                name,
                file: place
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(place),
                line: 0,
            },
        },
        None if text.contains("generated stub/JIT") => Symbol {
            name: "STUB",
            file: "",
            line: 0,
        },
        // States of the machine, such as `GC`.
        None => Symbol {
            name: text,
            file: "",
            line: 0,
        },
    }
}

/// The name, and what stands in brackets at the end.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let open = inner
        .rmatch_indices('(')
        .find(|&(at, _)| inner[..at].ends_with(char::is_whitespace))?
        .0;
    let mut name = inner[..open].chars();
    name.next_back();
    Some((name.as_str(), &inner[open + 1..]))
}
