//! Which reports there are and what each of them takes: one table for query strings and for tools of
//! models. A test holds `openapi.json` against it.

use crate::http::route::ReportCall;

/// Something that a report takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// It has no effect on text, which is all that tools answer.
    pub(crate) json_only: bool,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number {
        least: usize,
        most: usize,
        /// `None` when it is unbounded by default.
        default: Option<usize>,
    },
    /// One of these, the first by default.
    Choice(&'static [&'static str]),
}

const FROM: Parameter = text(
    "from",
    "Start of the time range: milliseconds since 1970, relative to now as now-1h or now-7d, or as 2026-11-24T10:00:00Z. An hour ago by default.",
);

const UNTIL: Parameter = text(
    "until",
    "End of the time range, written as `from`. Now by default.",
);

const QUERY: Parameter = Parameter {
    required: true,
    ..text(
        "query",
        "Profile type and label selector, as process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=\"checkout\", region=~\"eu.*\"}. The list of services tells which types and services there are.",
    )
};

const SERVICES: [Parameter; 4] = [
    FROM,
    UNTIL,
    unbounded("limit", "Most services, those with the most profiles."),
    Parameter {
        json_only: true,
        ..number("points", "At most so many steps of a timeline.", 4_000, 60)
    },
];

const LABELS: [Parameter; 4] = [
    text(
        "query",
        "Label selector, as {service_name=\"checkout\"}, with or without a profile type before it. All series by default.",
    ),
    FROM,
    UNTIL,
    unbounded("limit", "Most values of a label."),
];

const FUNCTIONS: [Parameter; 6] = [
    QUERY,
    FROM,
    UNTIL,
    choice(
        "sort",
        "By the time in the function itself, or with what it calls.",
        &["self", "total"],
    ),
    text(
        "search",
        "Only functions that have this in their names, in any case.",
    ),
    number("limit", "Most functions.", 1_000, 20),
];

const FUNCTION: [Parameter; 5] = [
    QUERY,
    FROM,
    UNTIL,
    Parameter {
        required: true,
        ..text(
            "name",
            "Name of the function, or a part of it that only one has.",
        )
    },
    number(
        "limit",
        "Most callers, callees, lines and stacks each.",
        100,
        10,
    ),
];

const COMPARE: [Parameter; 9] = [
    QUERY,
    FROM,
    UNTIL,
    text(
        "baseline_query",
        "What to compare with, of the same profile type. The same query by default.",
    ),
    text(
        "baseline_from",
        "Start of the baseline. By default the range of equal length before `from`, or with `baseline_query` the same range.",
    ),
    text("baseline_until", "End of the baseline."),
    choice(
        "sort",
        "By the change of what a function takes with what it calls, which shows where a change comes from, or of what it takes itself.",
        &["total", "self"],
    ),
    choice(
        "scale",
        "Compare parts of each side's whole, so that load and length of the ranges do not matter, or values as they are.",
        &["share", "absolute"],
    ),
    number(
        "limit",
        "Most functions that grew, and as many that shrank.",
        1_000,
        10,
    ),
];

const SERIES: [Parameter; 6] = [
    QUERY,
    FROM,
    UNTIL,
    text(
        "by",
        "Names of labels to group by, with commas between them. One series of everything by default.",
    ),
    number(
        "points",
        "At most so many steps, which begin at round times.",
        4_000,
        12,
    ),
    number(
        "limit",
        "Most series, those with the largest totals.",
        1_000,
        10,
    ),
];

const FLAME_GRAPH: [Parameter; 4] = [
    QUERY,
    FROM,
    UNTIL,
    number(
        "nodes",
        "How many nodes are kept, the largest ones; the others are folded into nodes called other.",
        16_384,
        60,
    ),
];

const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        name,
        about,
        kind: Kind::Text,
        required: false,
        json_only: false,
    }
}

const fn number(name: &'static str, about: &'static str, most: usize, default: usize) -> Parameter {
    Parameter {
        kind: Kind::Number {
            least: 1,
            most,
            default: Some(default),
        },
        ..text(name, about)
    }
}

const fn unbounded(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        kind: Kind::Number {
            least: 1,
            most: 1_000_000,
            default: None,
        },
        ..text(name, about)
    }
}

const fn choice(
    name: &'static str,
    about: &'static str,
    values: &'static [&'static str],
) -> Parameter {
    Parameter {
        kind: Kind::Choice(values),
        ..text(name, about)
    }
}

impl ReportCall {
    /// What it takes.
    pub(crate) fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Services => &SERVICES,
            Self::Labels => &LABELS,
            Self::Functions => &FUNCTIONS,
            Self::Function => &FUNCTION,
            Self::Compare => &COMPARE,
            Self::Series => &SERIES,
            Self::FlameGraph => &FLAME_GRAPH,
        }
    }

    /// Its name as a tool.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::Services => "list_services",
            Self::Labels => "list_labels",
            Self::Functions => "top_functions",
            Self::Function => "describe_function",
            Self::Compare => "compare_profiles",
            Self::Series => "query_series",
            Self::FlameGraph => "flame_graph",
        }
    }

    /// What it tells.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Services => {
                "Services that sent profiles in a time range: their profile types, totals, and totals of the range before. Ask for this first: every other query needs a profile type and a service."
            }
            Self::Labels => "Labels of the selected series, and their values.",
            Self::Functions => {
                "The functions that take most of a profile: CPU time, allocations or whatever the profile type measures. Values are sums over the whole range."
            }
            Self::Function => {
                "One function: what it takes, its source lines, what calls it, what it calls, and the stacks that lead to it."
            }
            Self::Compare => {
                "What got slower or faster: functions that take more or less than in a baseline, which is an earlier range or another selector such as another version."
            }
            Self::Series => {
                "Totals over time, as one series or grouped by labels; shows when something changed, and which values of a label have most of it."
            }
            Self::FlameGraph => {
                "The largest nodes of the flame graph as a list with depths: how calls nest. For which functions matter, the list of functions is shorter."
            }
        }
    }
}
