//! RE2's syntax, which Pyroscope and pprof have, for an engine that reads some of it in another
//! way.
//!
//! `\Q…\E` is written out. What the engine would take for something else is refused by name; what
//! it does not know it refuses itself. These differences are left: `\s` matches the vertical tab,
//! too; where case is ignored, `k` and `s` do not match `K` (Kelvin) and `ſ`; and some of what RE2
//! refuses is taken, such as `a**`, `\u00e9` and more than 1000 repetitions.

use regex_lite::{RegexBuilder, escape};

/// Whether `A` is `a`. Letters beyond ASCII count as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Ignored,
}

/// Writes an expression for the engine, or says what is not supported.
pub(super) fn for_engine(pattern: &str, case: Case) -> Result<String, String> {
    let out = String::with_capacity(pattern.len());
    let mut scanner = Scanner {
        rest: pattern,
        out,
        ignores_case: case == Case::Ignored,
        has_i_flag: false,
    };
    while let Some(c) = scanner.next() {
        match c {
            '\\' if scanner.rest.starts_with('Q') => scanner.quoted()?,
            '\\' => scanner.escape()?,
            '[' => scanner.class()?,
            '(' if scanner.rest.starts_with('?') => scanner.group()?,
            // A brace to RE2, and some of them a repetition to the engine.
            '{' if !counts(scanner.rest) => {
                return Err(
                    "{ must begin a count such as {2} or {2,5}; write \\{ for a brace".to_owned(),
                );
            }
            _ => {}
        }
    }
    match pattern.chars().find(|c| !c.is_ascii()) {
        Some(c) if scanner.has_i_flag => Err([
            "(?i) with ",
            &c.to_string(),
            " is not supported; write both cases instead, as in [éÉ]",
        ]
        .concat()),
        _ => Ok(scanner.out),
    }
}

struct Scanner<'a> {
    rest: &'a str,
    out: String,
    /// Whether case is ignored, at least in parts.
    ignores_case: bool,
    /// Whether `(?i)` says so: that means all letters, and the engine knows the cases of ASCII.
    has_i_flag: bool,
}

impl Scanner<'_> {
    /// Takes a character as it is.
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.out.push(c);
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        self.rest.starts_with(c) && self.next().is_some()
    }

    /// What stands behind a backslash, from `Q` on.
    fn quoted(&mut self) -> Result<(), String> {
        let (text, rest) = self.rest[1..]
            .split_once("\\E")
            .unwrap_or((&self.rest[1..], ""));
        // It would join with what stands before: `a{2}\Q\E?` is not `a{2}?`.
        if text.is_empty() && rest.starts_with(['*', '+', '?', '{']) {
            return Err("\\Q\\E is empty and can't be repeated".to_owned());
        }
        self.out.pop();
        self.out.push_str(&escape(text));
        self.rest = rest;
        Ok(())
    }

    /// What stands behind a backslash.
    fn escape(&mut self) -> Result<(), String> {
        let problem = match self.next() {
            Some('p' | 'P') => {
                ": Unicode classes are not supported; write the characters or a range such as [а-я]"
            }
            Some('0'..='9') => ": backreferences and octal escapes are not supported",
            Some('<' | '>') => " is not supported; write it without the backslash",
            Some('b') if self.rest.starts_with('{') => "{ is not supported",
            Some('x' | 'u' | 'U') if self.has_i_flag => {
                " is not supported after (?i); write the character itself"
            }
            Some('x' | 'u' | 'U') => {
                // No count.
                self.take('{');
                return Ok(());
            }
            Some(c)
                if !c.is_ascii() || c.is_ascii_alphabetic() && !"ABDSWabdfnrstvwz".contains(c) =>
            {
                " is not supported"
            }
            _ => return Ok(()),
        };
        let from = self.out.rfind('\\').unwrap_or(0);
        Err([&self.out[from..], problem].concat())
    }

    /// What stands behind an opening bracket, up to the closing one, part by part as the engine
    /// sees it.
    fn class(&mut self) -> Result<(), String> {
        let from = self.out.len() - 1;
        self.take('^');
        if self.rest.starts_with("--") || self.rest.starts_with("]-") {
            return Err(
                "a range from - or ] at the start of a class is not supported; write \\- or \\]"
                    .to_owned(),
            );
        }
        self.take(']');
        while !self.rest.is_empty() && !self.take(']') {
            if self.rest.starts_with("[:") {
                while self.next().is_some() && !self.out.ends_with(":]") {}
                continue;
            }
            self.character()?;
            if !self.rest.starts_with("-]") && self.take('-') {
                // Whatever it is, as in `[!-[:]`.
                self.character()?;
            }
        }
        let class = &self.out[from..];
        // Single characters fold as they should.
        let has_ranges = class.contains('-') || class.contains("[:");
        if self.ignores_case && has_ranges && (class[1..].contains("[:^") || !folds(class)) {
            return Err([class, " is not supported when case is ignored"].concat());
        }
        Ok(())
    }

    fn character(&mut self) -> Result<(), String> {
        if self.next() == Some('\\') {
            self.escape()
        } else {
            Ok(())
        }
    }

    /// What stands behind a parenthesis, from the question mark on.
    fn group(&mut self) -> Result<(), String> {
        if self.rest.starts_with("?P<") || self.rest.starts_with("?<") {
            // Brackets may be part of a name.
            while self.next().is_some_and(|c| c != '>') {}
            return Ok(());
        }
        let flags = &self.rest[1..self.rest.find([':', ')']).unwrap_or(self.rest.len())];
        // The engine names look-around itself.
        if let Some(c) = flags
            .chars()
            .find(|c| !"imsU-".contains(*c))
            .filter(|c| !"=!".contains(*c))
        {
            return Err([
                "(?",
                &c.to_string(),
                " is not supported; the supported flags are i, m, s and U",
            ]
            .concat());
        }
        self.has_i_flag |= flags.split('-').next().is_some_and(|on| on.contains('i'));
        self.ignores_case |= self.has_i_flag;
        Ok(())
    }
}

/// Whether the engine finds both cases in a class. Where a range, or several that meet, go from
/// capitals to small letters, as in `[Q-d]`, it forgets some.
fn folds(class: &str) -> bool {
    let regex = RegexBuilder::new(class).case_insensitive(true).build();
    let has = |c: char| {
        regex
            .as_ref()
            .is_ok_and(|regex| regex.is_match(c.encode_utf8(&mut [0; 4])))
    };
    ('a'..='z').all(|c| has(c) == has(c.to_ascii_uppercase()))
}

/// Whether a text begins with `n}`, `n,}` or `n,m}`, as RE2 reads them.
fn counts(text: &str) -> bool {
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    };
    let Some((inside, _)) = text.split_once('}') else {
        return false;
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && number(least) && number(most)
}
