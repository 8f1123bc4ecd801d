//! A tenant's rules as one small object of the bucket.

use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};
use worker::Env;
use xxhash_rust::xxh3::xxh3_64;

use super::rule::{Measure, Rule};
use crate::bucket::record::{self, JsonRecord};
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most rules of a tenant, as Pyroscope has it.
pub(crate) const MAX_RULES: usize = 25;

/// Longest id in bytes.
const MAX_ID: usize = 64;

/// Letters of a generated id.
const NEW_ID: usize = 10;

/// The only version there is.
const VERSION: u32 = 1;

/// Where a tenant's rules are.
pub(crate) fn rules_key(tenant: &TenantId) -> String {
    format!("rules/{tenant}")
}

/// Rules in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rules {
    version: u32,
    /// The number of changes so far.
    generation: i64,
    rules: Vec<Rule>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            version: VERSION,
            generation: 0,
            rules: Vec::new(),
        }
    }
}

impl JsonRecord for Rules {
    const WHAT: &'static str = "rules";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl Rules {
    /// Stores a checked rule, in place of the one with its id if there is one. Both must have the
    /// same generation, so that nobody overwrites a change without having seen it.
    fn save(&mut self, rule: Rule) -> Result<Rule, Problem> {
        let there = self.rules.iter().position(|there| there.id == rule.id);
        let stored = there.map(|at| self.rules[at].generation);
        record::check_generation("rule", &rule.id, stored, rule.generation)?;
        if there.is_none() && self.rules.len() >= MAX_RULES {
            let message = format!("there are {MAX_RULES} rules, the maximum: delete one");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.generation += 1;
        let rule = Rule {
            generation: self.generation,
            ..rule
        };
        match there {
            Some(at) => self.rules[at] = rule.clone(),
            None => self.rules.push(rule.clone()),
        }
        Ok(rule)
    }

    fn delete(&mut self, id: &str) -> Result<(), Problem> {
        let count = self.rules.len();
        self.rules.retain(|rule| rule.id != id);
        if self.rules.len() == count {
            return Err(not_found(id));
        }
        self.generation += 1;
        Ok(())
    }
}

/// All rules of the tenant that a request is about: those of the configuration, then its own.
pub(crate) async fn of_tenant(scope: &Scope) -> Result<Vec<Rule>, Problem> {
    let mut rules = provisioned(scope.env())?;
    let own: Rules = record::read(&scope.bucket()?, &rules_key(scope.tenant())).await?;
    // A rule of the configuration replaces a stored one with its id.
    let is_own = |rule: &Rule| rules.iter().all(|there| there.id != rule.id);
    let own: Vec<Rule> = own.rules.into_iter().filter(is_own).collect();
    rules.extend(own);
    Ok(rules)
}

/// Whether two rules may have the same metric name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SameName {
    Refuse,
    Allow,
}

/// Stores a rule and returns it as stored. A rule without an id gets one.
pub(crate) async fn save(scope: &Scope, rule: Rule, same_name: SameName) -> Result<Rule, Problem> {
    let provisioned = provisioned(scope.env())?;
    rule.check_name()?;
    let measure = rule.measure()?;
    let mut rule = Rule {
        provisioned: false,
        ..rule.with_plain_query()?
    };
    if rule.id.is_empty() {
        rule.id = new_id(clock::random());
    }
    check_id(&rule.id)?;
    if provisioned.iter().any(|there| there.id == rule.id) {
        return Err(read_only(&rule.id));
    }
    let (bucket, key) = (scope.bucket()?, rules_key(scope.tenant()));
    let changed = record::change(&bucket, &key, clock::now_millis, |stored: &mut Rules| {
        let replaced = stored.rules.iter().find(|there| there.id == rule.id);
        let keeps_name = replaced
            .and_then(|there| there.measure().ok())
            .is_some_and(|there| there.name == measure.name);
        let others = provisioned.iter().chain(&stored.rules);
        for other in others.filter(|other| other.id != rule.id) {
            let Ok(of_other) = other.measure() else {
                continue;
            };
            if of_other.name != measure.name {
                continue;
            }
            if !keeps_name && same_name == SameName::Refuse {
                let (id, name) = (&other.id, &measure.name);
                return Err(exists(format!(
                    "the metric name {name} is taken by another rule (id {id})"
                )));
            }
            check_units(other, &of_other, &measure)?;
        }
        stored.save(rule.clone())
    });
    Ok(changed.await?.outcome)
}

/// Deletes the rule with this id.
pub(crate) async fn delete(scope: &Scope, id: &str) -> Result<(), Problem> {
    let provisioned = provisioned(scope.env())?;
    check_id(id)?;
    if provisioned.iter().any(|there| there.id == id) {
        return Err(read_only(id));
    }
    let (bucket, key) = (scope.bucket()?, rules_key(scope.tenant()));
    record::change(&bucket, &key, clock::now_millis, |stored: &mut Rules| {
        stored.delete(id)
    })
    .await?;
    Ok(())
}

/// The rules of the configuration, which all tenants have: the variable `RULES`, a list of rules in
/// the API's JSON.
pub(crate) fn provisioned(env: &Env) -> Result<Vec<Rule>, Problem> {
    let text = env.var("RULES").map(|var| var.to_string());
    parse_provisioned(text.as_deref().unwrap_or("")).map_err(Problem::misconfigured)
}

fn parse_provisioned(text: &str) -> Result<Vec<Rule>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut rules: Vec<Rule> =
        serde_json::from_str(text).map_err(|error| format!("RULES: {error}"))?;
    for at in 0..rules.len() {
        rules[at].provisioned = true;
        let (rule, before) = (&rules[at], &rules[..at]);
        let checked = checked(rule, before);
        checked.map_err(|problem| format!("RULES: the rule {:?}: {}", rule.id, problem.message))?;
        rules[at].generation = generation_of(&rules[at]);
    }
    Ok(rules)
}

/// A generation for a rule that isn't stored: another one for other contents. It is above those of
/// stored rules, and a whole number in JavaScript.
fn generation_of(rule: &Rule) -> i64 {
    let contents = serde_json::to_vec(rule).unwrap_or_default();
    (1 << 52) + (xxh3_64(&contents) >> 12) as i64
}

/// Refuses a rule of the configuration that is invalid or contradicts an earlier one.
fn checked(rule: &Rule, before: &[Rule]) -> Result<(), Problem> {
    check_id(&rule.id)?;
    rule.check_name()?;
    let measure = rule.measure()?;
    for other in before {
        if other.id == rule.id {
            return Err(Problem::invalid("another rule has this id"));
        }
        let of_other = other.measure()?;
        if of_other.name == measure.name {
            check_units(other, &of_other, &measure)?;
        }
    }
    Ok(())
}

/// Refuses two rules of one metric whose values can't be added up: in different units, or averages
/// and sums.
fn check_units(other: &Rule, of_other: &Measure, measure: &Measure) -> Result<(), Problem> {
    if of_other.unit == measure.unit && of_other.is_gauge == measure.is_gauge {
        return Ok(());
    }
    let values = |measure: &Measure| match measure.is_gauge {
        true => format!("averages in {}", measure.unit),
        false => format!("sums in {}", measure.unit),
    };
    let (found, given) = (values(of_other), values(measure));
    Err(Problem::invalid(format!(
        "the metric {} of the rule {} has {found}, not {given}; choose another metric_name",
        measure.name, other.id
    )))
}

pub(crate) fn not_found(id: &str) -> Problem {
    Problem::not_found(format!("no rule has the id {id:?}"))
}

fn exists(message: String) -> Problem {
    Problem::new(409, "already_exists", message)
}

fn read_only(id: &str) -> Problem {
    Problem::invalid(format!(
        "the rule {id} is part of the server's configuration; change it there, in RULES"
    ))
}

pub(crate) fn check_id(id: &str) -> Result<(), Problem> {
    if !id.is_empty() && id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(());
    }
    let cut: String = id.chars().take(MAX_ID).collect();
    let message = format!("an id must be 1 to {MAX_ID} letters (got {cut:?})");
    Err(Problem::invalid(message))
}

/// Letters of a random number.
pub(crate) fn new_id(random: u64) -> String {
    let letters = (0..NEW_ID as u32).map(|i| b'a' + (random / 26u64.pow(i) % 26) as u8);
    letters.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::record::Record;

    fn rule(id: &str, generation: i64) -> Rule {
        Rule {
            id: id.to_owned(),
            generation,
            ..Rule::default()
        }
    }

    #[test]
    fn changes_name_the_generation_that_they_saw() {
        let mut rules = Rules::default();
        assert_eq!(rules.save(rule("a", 0)).unwrap().generation, 1);
        assert_eq!(rules.save(rule("b", 0)).unwrap().generation, 2);
        let problem = rules.save(rule("c", 7)).unwrap_err();
        let message = "the rule c was deleted; to make it again, send generation 0";
        assert_eq!(problem.message, message);
        let message = "the rule a has generation 1, not 2: someone has changed it; read it again";
        let problem = rules.save(rule("a", 2)).unwrap_err();
        assert_eq!((problem.status, &*problem.message), (409, message));
        assert_eq!(rules.save(rule("a", 1)).unwrap().generation, 3);
        let ids: Vec<_> = rules.rules.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        rules.delete("a").unwrap();
        assert_eq!(rules.delete("a").unwrap_err().status, 404);
        assert_eq!((rules.generation, rules.rules.len()), (4, 1));
    }

    #[test]
    fn there_are_25_at_most() {
        let mut rules = Rules::default();
        for i in 0..MAX_RULES as u64 {
            rules.save(rule(&new_id(i), 0)).unwrap();
        }
        assert_eq!(rules.save(rule("z", 0)).unwrap_err().status, 429);
        rules.save(rule(&new_id(3), 4)).unwrap();
    }

    #[test]
    fn ids() {
        assert_eq!(new_id(0), "aaaaaaaaaa");
        assert!(check_id(&new_id(u64::MAX)).is_ok());
        for wrong in ["", "a1", "ä", &"a".repeat(65)] {
            assert_eq!(check_id(wrong).unwrap_err().status, 400);
        }
    }

    #[test]
    fn as_they_are_stored() {
        let mut rules = Rules::default();
        rules.save(rule("a", 0)).unwrap();
        let text = r#"{"version":1,"generation":1,"rules":[{"id":"a","metric_name":"","query":"","group_by":[],"external_labels":{},"function":"","function_regex":"","self":false,"call_site":[],"unit_suffix":false,"generation":1,"provisioned":false}]}"#;
        assert_eq!(rules.encode().unwrap(), text.as_bytes());
        assert_eq!(Rules::decode(text.as_bytes()).unwrap(), rules);
    }

    #[test]
    fn of_the_configuration() {
        assert!(parse_provisioned(" ").unwrap().is_empty());
        let rule = r#"{"id":"a","metric_name":"profiles_recorded_x","query":"a:b:c::{}"}"#;
        let found = parse_provisioned(&format!("[{rule}]")).unwrap();
        assert!(found[0].provisioned && found[0].metric_name == "profiles_recorded_x");
        let named = |text: &str| parse_provisioned(text).unwrap_err();
        assert!(named("{}").starts_with("RULES: invalid type"));
        let twice = named(&format!("[{rule},{rule}]"));
        assert_eq!(twice, "RULES: the rule \"a\": another rule has this id");
        let other = r#"{"id":"b","metric_name":"profiles_recorded_x","query":"a:b:d::{}"}"#;
        assert_eq!(
            named(&format!("[{rule},{other}]")),
            "RULES: the rule \"b\": the metric profiles_recorded_x of the rule a has sums in c, not sums in d; choose another metric_name"
        );
        let wrong = named(r#"[{"id":"a","metric_name":"x"}]"#);
        assert!(
            wrong.starts_with("RULES: the rule \"a\": metric_name must begin"),
            "{wrong}"
        );
    }
}
