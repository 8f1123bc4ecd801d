//! Rename: functions by rules.

use regex_lite::Regex;

use crate::model::profile::Profile;
use crate::tree::search::PatternError;
use crate::verbs::filter::frames::compile;
use crate::verbs::rewrite::{MAX_NAME_BYTES, with_names};

/// Most rules, and longest replacement in bytes. With the cap on names, a rule makes at most 256 /
/// 2 group references × 4 KiB = 512 KiB for one match, and stops at the first that is too long.
const MAX_RULES: usize = 64;
const MAX_REPLACEMENT_BYTES: usize = 256;

/// Rules for names: each is a regular expression and what every match becomes, `$1` or `${name}`
/// being a group, `$$` a dollar. They apply in order, each to what the one before left.
#[derive(Clone, Debug)]
pub struct RenameRules(Vec<(Regex, String)>);

impl RenameRules {
    /// Parses rules of pattern and replacement.
    pub fn new(rules: &[(&str, &str)]) -> Result<Self, PatternError> {
        if rules.len() > MAX_RULES {
            let reason = format!(
                "there are {} rules; at most {MAX_RULES} are allowed",
                rules.len()
            );
            return Err(PatternError {
                pattern: rules[MAX_RULES].0.chars().take(80).collect(),
                reason,
            });
        }
        let rules = rules.iter().map(|&(pattern, replacement)| {
            let regex = compile(pattern)?;
            if replacement.len() > MAX_REPLACEMENT_BYTES {
                let length = replacement.len();
                let reason = format!(
                    "the replacement has {length} bytes; at most {MAX_REPLACEMENT_BYTES} are allowed"
                );
                return Err(PatternError {
                    pattern: pattern.chars().take(80).collect(),
                    reason,
                });
            }
            Ok((regex, replacement.to_owned()))
        });
        Ok(Self(rules.collect::<Result<_, _>>()?))
    }

    /// What a name becomes; `None` when no rule matches it, or when it is or would get longer than
    /// [`crate::verbs::MAX_NAME_BYTES`].
    pub fn apply(&self, name: &str) -> Option<String> {
        if name.len() > MAX_NAME_BYTES {
            return None;
        }
        let mut current: Option<String> = None;
        for (regex, replacement) in &self.0 {
            let before = current.as_deref().unwrap_or(name);
            if let Some(after) = replace(regex, replacement, before)? {
                current = Some(after);
            }
        }
        current
    }
}

/// Renames the functions of a profile. System names stay; a function without a name is known by
/// that.
///
/// Laws: totals stay, of the profile and of each set of functions that get one name; commutes with
/// merging.
pub fn rename(profile: &Profile, rules: &RenameRules) -> Profile {
    with_names(profile, |name, system_name| {
        rules.apply(if name.is_empty() { system_name } else { name })
    })
}

/// All matches replaced, `None` inside when there is none; `None` outside when the result gets too
/// long.
fn replace(regex: &Regex, replacement: &str, text: &str) -> Option<Option<String>> {
    let mut out = String::new();
    let mut done = 0;
    let mut found = false;
    for captures in regex.captures_iter(text) {
        let Some(all) = captures.get(0) else { continue };
        found = true;
        out.push_str(&text[done..all.start()]);
        captures.expand(replacement, &mut out);
        done = all.end();
        if out.len() > MAX_NAME_BYTES {
            return None;
        }
    }
    out.push_str(&text[done..]);
    (out.len() <= MAX_NAME_BYTES).then(|| found.then_some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    fn check(rules: &[(&str, &str)], name: &str, expect: Option<&str>) {
        assert_eq!(
            RenameRules::new(rules).unwrap().apply(name).as_deref(),
            expect,
            "{name}"
        );
    }

    #[test]
    fn rules_apply_in_order() {
        check(&[("^old", "new")], "old.f", Some("new.f"));
        check(&[("^old", "new")], "f.old", None);
        check(
            &[("(\\w+)\\$\\d+", "$1$$*")],
            "Lambda$17.run",
            Some("Lambda$*.run"),
        );
        check(&[("a", "b"), ("b", "c")], "ab", Some("cc"));
        check(&[("x*", "-")], "axb", Some("-a-b-"));
        check(&[("(?P<word>\\w)", "${word}${word}")], "ä b", Some("ä bb"));
        check(&[], "a", None);
    }

    #[test]
    fn names_do_not_explode() {
        let double = ("(.+)", "$1$1$1$1");
        check(&[double; 3], "abc", Some(&"abc".repeat(64)));
        check(&[double; 10], "abc", None);
        check(&[("", &"x".repeat(256))], &"y".repeat(100), None);
        check(&[("a", "b")], &"a".repeat(MAX_NAME_BYTES + 1), None);
        assert!(
            RenameRules::new(&[("a", "b"); 65])
                .unwrap_err()
                .reason
                .contains("65 rules")
        );
        assert!(
            RenameRules::new(&[("a", &"b".repeat(257))])
                .unwrap_err()
                .reason
                .contains("257 bytes")
        );
    }

    #[test]
    fn functions_with_one_name_then_add_up() {
        let p = profile("main;worker-1;f 1\nmain;worker-2;f 2");
        let renamed = rename(&p, &RenameRules::new(&[("-\\d+$", "")]).unwrap());
        assert_eq!(
            draw(&CallTree::new(&renamed, 0, By::Name)),
            "total 3/0\n main 3/0\n  worker 3/0\n   f 3/3\n"
        );
    }
}
