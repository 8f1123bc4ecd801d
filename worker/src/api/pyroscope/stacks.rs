//! Which stacks a request asks for.

use pilotlight_core::verbs::{FrameFilter, FramePattern, FunctionNames, StackSelector};

use super::messages::{self, Location, StackTraceSelector};
use crate::platform::errors::Problem;

/// Most functions of a call site: more than the deepest stack that is stored.
const MAX_CALL_SITE: usize = 10_000;

/// Most names in a list of a frame filter.
const MAX_NAMES: usize = 10_000;

/// Most patterns in a list of a frame filter: 16. Each may hold half a megabyte and is tried on each
/// function.
const MAX_PATTERNS: usize = 16;

/// The stacks of a selector, apart from how a profile is cut for Go's compiler.
pub(super) fn stack_selector(stacks: StackTraceSelector) -> Result<StackSelector, Problem> {
    let frames = stacks.frame_filter.map(frame_filter).transpose()?;
    Ok(StackSelector {
        call_site: call_site(stacks.call_site)?,
        frames: frames.unwrap_or_default(),
        ..StackSelector::default()
    })
}

/// The functions of a call site.
fn call_site(call_site: Vec<Location>) -> Result<Vec<String>, Problem> {
    if call_site.len() > MAX_CALL_SITE {
        let message = format!(
            "the call site has {} functions; at most {MAX_CALL_SITE} are allowed",
            call_site.len()
        );
        return Err(Problem::invalid(message));
    }
    Ok(call_site
        .into_iter()
        .map(|location| location.name)
        .collect())
}

/// Which functions a stack must have, and may not have.
fn frame_filter(filter: messages::FrameFilter) -> Result<FrameFilter, Problem> {
    let filter = FrameFilter {
        included: function_names(
            filter.include_function_names,
            filter.include_function_name_regexes,
        )?,
        excluded: function_names(
            filter.exclude_function_names,
            filter.exclude_function_name_regexes,
        )?,
    };
    let included = filter.included.len();
    if included > FrameFilter::MAX_INCLUDED {
        let message = format!(
            "frame_filter includes {included} functions; at most {} are allowed, since a stack must contain all of them",
            FrameFilter::MAX_INCLUDED
        );
        return Err(Problem::invalid(message));
    }
    Ok(filter)
}

fn function_names(names: Vec<String>, patterns: Vec<String>) -> Result<FunctionNames, Problem> {
    for (what, count, most) in [
        ("names", names.len(), MAX_NAMES),
        ("regular expressions", patterns.len(), MAX_PATTERNS),
    ] {
        if count > most {
            let message =
                format!("frame_filter has a list of {count} {what}; at most {most} are allowed");
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

/// The stacks of a timeline.
pub(super) fn series_stacks(stacks: Option<StackTraceSelector>) -> Result<StackSelector, Problem> {
    let stacks = stacks.unwrap_or_default();
    if stacks.go_pgo.is_some() {
        return Err(Problem::invalid("go_pgo can't be combined with a series"));
    }
    stack_selector(stacks)
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
    fn stacks_of_timelines() {
        let of = |change: fn(&mut StackTraceSelector)| {
            let mut stacks = StackTraceSelector::default();
            change(&mut stacks);
            series_stacks(Some(stacks)).map_err(|problem| problem.status)
        };
        assert!(series_stacks(None).unwrap().is_all());
        let site = of(|stacks| stacks.call_site = main()).unwrap();
        assert_eq!(site.call_site, ["main"]);
        let refused = of(|stacks| stacks.go_pgo = Some(GoPgo::default()));
        assert_eq!(refused.err(), Some(400));
        let filter = |stacks: &mut StackTraceSelector| stacks.frame_filter = Some(<_>::default());
        assert!(of(filter).unwrap().is_all());
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
            "frame_filter has a list of 17 regular expressions; at most 16 are allowed"
        );
        let names: Vec<String> = (0..64).map(|i| i.to_string()).collect();
        let of_64 = serde_json::json!({"includeFunctionNames": names});
        assert_eq!(of(of_64).unwrap().included.len(), 64);
        let of_65 = serde_json::json!({
            "includeFunctionNames": names, "includeFunctionNameRegexes": ["a"],
        });
        assert_eq!(
            of(of_65).unwrap_err(),
            "frame_filter includes 65 functions; at most 64 are allowed, since a stack must contain all of them"
        );
    }
}
