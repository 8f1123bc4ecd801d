//! What is asked of a report, checked against the table of its parameters.

use pilotlight_core::plans::range_before;
use pilotlight_core::reports::{ComparisonScale, FunctionOrder};
use pilotlight_core::{ProfileType, Selector, TimeRange};

use super::parameters::{Kind, Parameter};
use crate::api::query::typed_selector;
use crate::http::parameters::{Parameters, check_millis};
use crate::platform::errors::Problem;

/// Parameters of one report, none of which is unknown.
pub(crate) struct Arguments {
    /// Those that the report takes.
    known: &'static [Parameter],
    given: Parameters,
}

/// What profiles are asked for, of which type and of when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selected {
    pub(crate) selector: Selector,
    pub(crate) profile_type: ProfileType,
    pub(crate) range: TimeRange,
}

impl Selected {
    /// Profile type and selector as they are written.
    pub(crate) fn query(&self) -> String {
        format!("{}{}", self.profile_type, self.selector)
    }
}

impl Arguments {
    /// Refuses parameters that the report does not know, but for those of `others`: what is
    /// misspelt would be silently ignored, and the answer be another one than was meant.
    pub(crate) fn new(
        known: &'static [Parameter],
        given: Parameters,
        others: &[&str],
    ) -> Result<Self, Problem> {
        for (number, name) in given.names().enumerate() {
            if given.names().take(number).any(|earlier| earlier == name) {
                return Err(Problem::invalid(format!("{name} is given twice")));
            }
            if !others.contains(&name) && !known.iter().any(|parameter| parameter.name == name) {
                let names = known.iter().map(|parameter| parameter.name);
                let names: Vec<&str> = names.chain(others.iter().copied()).collect();
                let message = format!(
                    "unknown parameter {name:?}; expected one of {}",
                    names.join(", ")
                );
                return Err(Problem::invalid(message));
            }
        }
        Ok(Self { known, given })
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&str, Problem> {
        self.given.required(name)
    }

    pub(super) fn range(&self) -> Result<TimeRange, Problem> {
        self.check_times(["from", "until"])?;
        self.given.range_millis()
    }

    /// Whoever gives seconds would be answered about 1970.
    fn check_times(&self, names: [&str; 2]) -> Result<(), Problem> {
        let mut names = names.into_iter();
        names.try_for_each(|name| check_millis(name, self.text(name).unwrap_or("")))
    }

    /// A number within the bounds of the table, `None` when it is unbounded.
    pub(super) fn number(&self, name: &str) -> Result<Option<usize>, Problem> {
        let Kind::Number {
            least,
            most,
            default,
        } = self.kind(name)?
        else {
            return Err(Problem::internal(format!("{name} is not a number")));
        };
        match self.text(name) {
            None => Ok(default),
            Some(_) => self.given.number(name, least, most, most).map(Some),
        }
    }

    /// A number that always has a value.
    pub(super) fn count(&self, name: &str) -> Result<usize, Problem> {
        self.number(name)?
            .ok_or_else(|| Problem::internal(format!("{name} has no default")))
    }

    /// One of the values of the table.
    fn choice(&self, name: &str) -> Result<&'static str, Problem> {
        let Kind::Choice(values) = self.kind(name)? else {
            return Err(Problem::internal(format!("{name} is not a choice")));
        };
        let given = self.text(name);
        let chosen = match given {
            None => values.first(),
            Some(given) => values.iter().find(|value| **value == given),
        };
        chosen.copied().ok_or_else(|| {
            let given = given.unwrap_or("");
            Problem::invalid(format!(
                "{name} must be one of {} (got {given:?})",
                values.join(", ")
            ))
        })
    }

    pub(super) fn order(&self) -> Result<FunctionOrder, Problem> {
        Ok(match self.choice("sort")? {
            "total" => FunctionOrder::Total,
            _ => FunctionOrder::Own,
        })
    }

    pub(super) fn scale(&self) -> Result<ComparisonScale, Problem> {
        Ok(match self.choice("scale")? {
            "absolute" => ComparisonScale::Absolute,
            _ => ComparisonScale::Share,
        })
    }

    /// Names of labels with commas between them.
    pub(super) fn by(&self) -> Vec<String> {
        let names = self.text("by").unwrap_or("").split(',').map(str::trim);
        let mut by: Vec<String> = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            if !by.iter().any(|known| known == name) {
                by.push(name.to_owned());
            }
        }
        by
    }

    /// What `query`, `from` and `until` select.
    pub(super) fn selected(&self) -> Result<Selected, Problem> {
        let (selector, profile_type) = typed_selector(self.required("query")?)?;
        Ok(Selected {
            selector,
            profile_type,
            range: self.range()?,
        })
    }

    /// What it is compared with.
    pub(super) fn baseline(&self, selected: &Selected) -> Result<Selected, Problem> {
        let query = self.text("baseline_query");
        let mut baseline = selected.clone();
        if let Some(query) = query {
            (baseline.selector, baseline.profile_type) = typed_selector(query)?;
            if baseline.profile_type != selected.profile_type {
                let message = format!(
                    "both sides need the same profile type (baseline_query has {}, query has {})",
                    baseline.profile_type, selected.profile_type
                );
                return Err(Problem::invalid(message));
            }
        }
        let names = ["baseline_from", "baseline_until"];
        match names.map(|name| self.text(name).is_some()) {
            [false, false] if query.is_some() => {}
            [false, false] => baseline.range = range_before(selected.range),
            [true, true] => {
                self.check_times(names)?;
                let [from, until] = names;
                let range = self.given.range_millis_of(from, until, selected.range);
                baseline.range = range.map_err(|problem| Problem {
                    message: format!("invalid baseline: {}", problem.message),
                    ..problem
                })?;
            }
            _ => {
                return Err(Problem::invalid(
                    "baseline_from and baseline_until must be given together",
                ));
            }
        }
        Ok(baseline)
    }

    fn kind(&self, name: &str) -> Result<Kind, Problem> {
        let mut known = self.known.iter();
        known
            .find(|parameter| parameter.name == name)
            .map(|parameter| parameter.kind)
            .ok_or_else(|| Problem::internal(format!("{name} is not in the parameter table")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::reports::{Report, compare, function, functions, series, services};
    use pilotlight_core::UnixNanos;

    const NOW: UnixNanos = UnixNanos(1_700_000_000_000_000_000);
    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    fn arguments(report: Report, query: &str) -> Result<Arguments, Problem> {
        Arguments::new(
            report.parameters,
            Parameters::parse(query, NOW),
            &["format"],
        )
    }

    fn message<T>(result: Result<T, Problem>) -> String {
        result.err().expect("no answer").message
    }

    #[test]
    fn unknown_ones_are_refused() {
        assert!(arguments(function::REPORT, "name=f&format=json").is_ok());
        assert_eq!(
            message(arguments(function::REPORT, "name=f&name=g")),
            "name is given twice"
        );
        let seconds = arguments(services::REPORT, "from=1795520373").unwrap();
        assert_eq!(
            message(seconds.range()),
            "from must be milliseconds (got 1795520373, which looks like seconds)"
        );
        assert_eq!(
            message(arguments(function::REPORT, "nam=f")),
            "unknown parameter \"nam\"; expected one of query, from, until, name, limit, format"
        );
    }

    #[test]
    fn numbers_and_choices() {
        let of = |query| arguments(functions::REPORT, query).unwrap();
        assert_eq!(of("").count("limit"), Ok(20));
        assert_eq!(of("limit=1000").count("limit"), Ok(1_000));
        assert_eq!(
            message(of("limit=1001").count("limit")),
            "limit must be a number from 1 to 1000 (got \"1001\")"
        );
        assert_eq!(of("").order(), Ok(FunctionOrder::Own));
        assert_eq!(of("sort=total").order(), Ok(FunctionOrder::Total));
        assert_eq!(
            message(of("sort=Total").order()),
            "sort must be one of self, total (got \"Total\")"
        );
        let services = |query| arguments(services::REPORT, query).unwrap();
        assert_eq!(services("").number("limit"), Ok(None));
        assert_eq!(services("limit=3").number("limit"), Ok(Some(3)));
        assert_eq!(
            message(services("limit=0").number("limit")),
            "limit must be a number from 1 to 1000000 (got \"0\")"
        );
    }

    #[test]
    fn labels_to_group_by() {
        let by = |query| arguments(series::REPORT, query).unwrap().by();
        assert_eq!(by("by=pod,%20region,,pod"), ["pod", "region"]);
        assert_eq!(by(""), Vec::<String>::new());
    }

    #[test]
    fn what_a_baseline_is() {
        let sides = |more: &str| {
            let query = format!("query={CPU}{{a=\"b\"}}&from=1000&until=3000{more}");
            let arguments = arguments(compare::REPORT, &query)?;
            let selected = arguments.selected()?;
            let baseline = arguments.baseline(&selected)?;
            let range = (baseline.range.from.millis(), baseline.range.until.millis());
            Ok((baseline.query(), range))
        };
        let same = format!("{CPU}{{a=\"b\"}}");
        assert_eq!(sides(""), Ok((same.clone(), (-1_000, 1_000))));
        let other = format!("&baseline_query={CPU}{{a=\"c\"}}");
        assert_eq!(
            sides(&other),
            Ok((format!("{CPU}{{a=\"c\"}}"), (1_000, 3_000)))
        );
        let range = "&baseline_from=5&baseline_until=7";
        assert_eq!(sides(range), Ok((same, (5, 7))));
        assert_eq!(
            message(sides("&baseline_from=5")),
            "baseline_from and baseline_until must be given together"
        );
        assert_eq!(
            message(sides("&baseline_from=9&baseline_until=7")),
            "invalid baseline: the range begins (9) after its end (7)"
        );
        let other = "&baseline_query=process_cpu:samples:count:cpu:nanoseconds{}";
        assert!(message(sides(other)).starts_with("both sides need the same profile type"));
    }
}
