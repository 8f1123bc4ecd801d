//! Reading a line from left to right. All that the formats mark with is ASCII.

/// What is left of a line.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Steps over `mark`, if it comes next.
    pub(super) fn eat(&mut self, mark: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(mark)?;
        Some(())
    }

    /// Steps over bytes as long as `is` holds of them; `is` may hold of ASCII only.
    pub(super) fn run(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let end = self
            .rest
            .bytes()
            .position(|b| !(b.is_ascii() && is(b)))
            .unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }

    /// Steps over blanks (not tabs), of which there may be none.
    pub(super) fn blanks(&mut self) -> &mut Self {
        self.run(|b| b == b' ');
        self
    }

    /// A run of at least one digit.
    pub(super) fn digits(&mut self) -> Option<&'a str> {
        Some(self.run(|b| b.is_ascii_digit())).filter(|digits| !digits.is_empty())
    }

    /// Digits, with a minus before them or not.
    pub(super) fn signed(&mut self) -> Option<&'a str> {
        let start = self.rest;
        let _ = self.eat("-");
        self.digits()?;
        Some(&start[..start.len() - self.rest.len()])
    }
}

/// The first match of a pattern that begins with a number, wherever in the text it stands.
///
/// A pattern that fails at the first digit of a run fails at the others too, so each run is tried
/// once, and the work stays linear.
pub(super) fn find_at_number<'a, T>(
    text: &'a str,
    pattern: impl Fn(Scan<'a>) -> Option<T>,
) -> Option<T> {
    let bytes = text.as_bytes();
    let starts = (0..bytes.len())
        .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !bytes[i - 1].is_ascii_digit()));
    starts
        .map(|i| {
            if i > 0 && bytes[i - 1] == b'-' {
                i - 1
            } else {
                i
            }
        })
        .find_map(|start| pattern(Scan::new(&text[start..])))
}

/// Appends all addresses (`0x1f`, lower case) of a text; gives back the first that does not fit
/// into 64 bits.
pub(super) fn addresses<'a>(text: &'a str, into: &mut Vec<u64>) -> Result<(), &'a str> {
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = &rest[at + 2..];
        let end = digits
            .bytes()
            .position(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            .unwrap_or(digits.len());
        if end > 0 {
            into.push(
                u64::from_str_radix(&digits[..end], 16).map_err(|_| &rest[at..at + 2 + end])?,
            );
        }
        rest = &digits[end..];
    }
    Ok(())
}

/// The part of a line behind `@` in which addresses may stand.
pub(super) fn address_list<'a>(scan: &mut Scan<'a>) -> &'a str {
    scan.run(|b| matches!(b, b' ' | b'x' | b'0'..=b'9' | b'a'..=b'f'))
}

/// A whole number, decimal or `0x…`.
pub(super) fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_wherever_they_stand() {
        let read = |text| {
            let mut found = Vec::new();
            addresses(text, &mut found).map(|()| found)
        };
        assert_eq!(
            read("  PC: 0x00bc: helper(0x1) 0x 0X5 é0xff"),
            Ok(vec![0xbc, 1, 0xff])
        );
        assert_eq!(read("0x0x12 00x3"), Ok(vec![0, 3]));
        assert_eq!(
            read("0x00000000000000000000f 0x10000000000000000"),
            Err("0x10000000000000000")
        );
    }

    #[test]
    fn numbers_are_found_behind_anything() {
        let pair = |mut scan: Scan<'_>| {
            let first = scan.signed()?.to_owned();
            scan.eat(":")?;
            Some((first, scan.digits()?.to_owned()))
        };
        assert_eq!(
            find_at_number("at 12 é -3:45", pair),
            Some(("-3".to_owned(), "45".to_owned()))
        );
        assert_eq!(find_at_number("1 2 3", pair), None);
    }
}
