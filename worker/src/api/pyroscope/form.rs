//! The form in which a profile is asked for.

use super::functions::{Projection, TreeProjection};
use super::messages::{ProfileFormat, SelectMergeStacktracesRequest};
use crate::http::connect::Codec;
use crate::platform::errors::Problem;

/// A format with its options.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    FlameGraph,
    Tree,
    Dot,
    Pprof,
    Functions(Projection),
}

impl Form {
    /// Of a request. The names of a tree of functions are those of the call site, which selects
    /// nothing then. What cannot be answered in the codec is refused.
    pub(super) fn of(
        request: &mut SelectMergeStacktracesRequest,
        codec: Codec,
    ) -> Result<Self, Problem> {
        let options = request.format_options.take().unwrap_or_default();
        let Some(format) = ProfileFormat::of(request.format) else {
            return Err(Problem::unimplemented(
                "this profile format is not supported",
            ));
        };
        let projection = match format {
            ProfileFormat::FlameGraph => return Ok(Self::FlameGraph),
            ProfileFormat::Tree => return Ok(Self::Tree),
            ProfileFormat::Dot => return Ok(Self::Dot),
            ProfileFormat::Pprof => return Ok(Self::Pprof),
            ProfileFormat::Functions => Projection::table(options.functions.unwrap_or_default())?,
            ProfileFormat::FunctionTree => {
                if request.max_nodes.is_some() {
                    return Err(Problem::invalid(
                        "max_nodes can't be combined with a function tree",
                    ));
                }
                let site = request.stack_trace_selector.as_mut();
                let names = site.map(|site| std::mem::take(&mut site.call_site));
                let names = names.unwrap_or_default().into_iter();
                let names = names.map(|location| location.name).collect();
                let options = options.function_tree.unwrap_or_default();
                Projection::Tree(TreeProjection::of(names, &options)?)
            }
        };
        match codec {
            Codec::Json => Ok(Self::Functions(projection)),
            Codec::Proto | Codec::GrpcWeb(_) => Err(Problem::unimplemented(
                "functions are returned in JSON only",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let form = |name: &str, codec| {
            let mut request =
                serde_json::from_value(serde_json::json!({ "format": name })).unwrap();
            Form::of(&mut request, codec).map_err(|problem| problem.status)
        };
        for (name, expect) in [
            ("PROFILE_FORMAT_UNSPECIFIED", Ok(Form::FlameGraph)),
            ("PROFILE_FORMAT_FLAMEGRAPH", Ok(Form::FlameGraph)),
            ("PROFILE_FORMAT_TREE", Ok(Form::Tree)),
            ("PROFILE_FORMAT_DOT", Ok(Form::Dot)),
            ("PROFILE_FORMAT_PPROF", Ok(Form::Pprof)),
            ("PROFILE_FORMAT_NEXT", Err(501)),
        ] {
            assert_eq!(form(name, Codec::Json), expect, "{name}");
            assert_eq!(form(name, Codec::Proto), expect, "{name}");
        }
        let table = || form("PROFILE_FORMAT_FUNCTIONS", Codec::Json);
        assert_eq!(table(), Ok(Form::Functions(Projection::Table(0))));
        assert_eq!(form("PROFILE_FORMAT_FUNCTIONS", Codec::Proto), Err(501));
    }
}
