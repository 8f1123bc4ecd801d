//! Which stacks a request asks for, and which of their frames.

use pilotlight_core::verbs::{FrameFilter, FramePattern, FunctionNames};

use super::messages::{self, Location, StackTraceSelector};
use crate::platform::errors::Problem;

/// Most functions of a call site: more than the deepest stack that is stored.
const MAX_CALL_SITE: usize = 10_000;

/// Most names in a list of a frame filter.
const MAX_NAMES: usize = 10_000;

/// Most patterns in a list of a frame filter: 16. Each may hold half a megabyte and is tried on each
/// function.
const MAX_PATTERNS: usize = 16;

/// The functions of a call site.
pub(super) fn call_site(call_site: Vec<Location>) -> Result<Vec<String>, Problem> {
    if call_site.len() > MAX_CALL_SITE {
        let message = format!(
            "a call site of {} functions is longer than the {MAX_CALL_SITE} allowed",
            call_site.len()
        );
        return Err(Problem::invalid(message));
    }
    Ok(call_site
        .into_iter()
        .map(|location| location.name)
        .collect())
}

/// Which functions are shown.
pub(super) fn frame_filter(filter: messages::FrameFilter) -> Result<FrameFilter, Problem> {
    Ok(FrameFilter {
        included: function_names(
            filter.include_function_names,
            filter.include_function_name_regexes,
        )?,
        excluded: function_names(
            filter.exclude_function_names,
            filter.exclude_function_name_regexes,
        )?,
    })
}

fn function_names(names: Vec<String>, patterns: Vec<String>) -> Result<FunctionNames, Problem> {
    for (what, count, most) in [
        ("names", names.len(), MAX_NAMES),
        ("regular expressions", patterns.len(), MAX_PATTERNS),
    ] {
        if count > most {
            let message =
                format!("frame_filter has a list of {count} {what}, and {most} are allowed");
            return Err(Problem::invalid(message));
        }
    }
    let pattern = |text: &String| {
        FramePattern::new(text).map_err(|error| Problem::invalid(format!("frame_filter: {error}")))
    };
    Ok(FunctionNames {
        patterns: patterns.iter().map(pattern).collect::<Result<_, _>>()?,
        names: names.into_iter().collect(),
    })
}

/// The call site of a timeline. Without one a filter of frames changes nothing in it, since all
/// values stay.
pub(super) fn series_call_site(stacks: Option<StackTraceSelector>) -> Result<Vec<String>, Problem> {
    let stacks = stacks.unwrap_or_default();
    if stacks.go_pgo.is_some() {
        return Err(Problem::invalid("go_pgo does not go with a series"));
    }
    if let Some(filter) = stacks.frame_filter {
        frame_filter(filter)?;
        if !stacks.call_site.is_empty() {
            return Err(Problem::unimplemented(
                "frame_filter with a call site is not supported in a series",
            ));
        }
    }
    call_site(stacks.call_site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::pyroscope::messages::GoPgo;

    fn main() -> Vec<Location> {
        vec![Location {
            name: "main".to_owned(),
        }]
    }

    #[test]
    fn call_sites_of_timelines() {
        let of = |change: fn(&mut StackTraceSelector)| {
            let mut stacks = StackTraceSelector::default();
            change(&mut stacks);
            series_call_site(Some(stacks)).map_err(|problem| problem.status)
        };
        assert_eq!(series_call_site(None), Ok(Vec::new()));
        assert_eq!(
            of(|stacks| stacks.call_site = main()),
            Ok(vec!["main".to_owned()])
        );
        assert_eq!(
            of(|stacks| stacks.go_pgo = Some(GoPgo::default())),
            Err(400)
        );
        let filter = |stacks: &mut StackTraceSelector| stacks.frame_filter = Some(<_>::default());
        assert_eq!(of(filter), Ok(Vec::new()));
        assert_eq!(
            of(|stacks| {
                stacks.frame_filter = Some(<_>::default());
                stacks.call_site = main();
            }),
            Err(501)
        );
    }

    #[test]
    fn filters_of_frames() {
        let of = |filter: serde_json::Value| {
            frame_filter(serde_json::from_value(filter).unwrap()).map_err(|problem| problem.message)
        };
        let filter = of(serde_json::json!({
            "includeFunctionNames": ["a", "b", "a"], "exclude_function_name_regexes": ["^c"],
        }));
        let filter = filter.unwrap();
        assert_eq!(filter.included.names.len(), 2);
        assert!(filter.excluded.patterns[0].matches("cd"));
        assert!(filter.included.patterns.is_empty() && filter.excluded.names.is_empty());
        let refused = of(serde_json::json!({"includeFunctionNameRegexes": ["("]})).unwrap_err();
        assert!(
            refused.starts_with("frame_filter: ") && refused.contains("group"),
            "{refused}"
        );
        assert_eq!(
            of(serde_json::json!({"excludeFunctionNameRegexes": vec!["a"; 17]})).unwrap_err(),
            "frame_filter has a list of 17 regular expressions, and 16 are allowed"
        );
    }
}
