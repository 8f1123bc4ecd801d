//! What was odd about an input and lost nothing that matters, in words for people.

/// Most warnings kept; a file with more of them is odd in the same way many times.
const MAX_WARNINGS: usize = 20;

/// Longest piece of an input that a message quotes, in characters.
const MAX_QUOTE: usize = 80;

/// Collects warnings; what comes after the first twenty is counted only.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    kept: Vec<String>,
    more: u64,
}

impl Warnings {
    /// Notes one. The text is made only when there is room for it.
    pub(crate) fn add(&mut self, warning: impl FnOnce() -> String) {
        if self.kept.len() < MAX_WARNINGS {
            self.kept.push(warning());
        } else {
            self.more += 1;
        }
    }

    /// Notes how many of something there were, unless there were none.
    pub(crate) fn count(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.add(|| format!("{count} {what}"));
        }
    }

    /// Notes one that stands before all others: a sum of what they say one by one.
    pub(crate) fn lead(&mut self, warning: String) {
        self.kept.insert(0, warning);
        if self.kept.len() > MAX_WARNINGS {
            self.kept.pop();
            self.more += 1;
        }
    }

    /// All that were kept, and a last one that counts the others.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.kept.push(format!("and {} more like this", self.more));
        }
        self.kept
    }
}

/// The beginning of a text, for a message.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_first_and_counts_the_rest() {
        let mut warnings = Warnings::default();
        (0..25).for_each(|i| warnings.add(|| format!("line {i}")));
        let kept = warnings.finish();
        assert_eq!(
            (kept.len(), kept[19].as_str(), kept[20].as_str()),
            (21, "line 19", "and 5 more like this")
        );
        let mut led = Warnings::default();
        (0..20).for_each(|i| led.add(|| format!("line {i}")));
        led.lead("20 lines".to_owned());
        let kept = led.finish();
        assert_eq!(
            (kept.len(), kept[0].as_str(), kept[20].as_str()),
            (21, "20 lines", "and 1 more like this")
        );
        assert_eq!(Warnings::default().finish(), Vec::<String>::new());
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }
}
