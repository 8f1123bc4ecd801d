//! `settings.v1`: recording rules.

use super::LabelPair;
use super::json::{self, NamedValues};

messages! {
    answer RecordingRule {
        id: string = 1,
        metric_name: string = 2,
        profile_type: string = 3,
        matchers: repeated string = 4,
        group_by: repeated string = 5,
        external_labels: repeated LabelPair = 6,
        generation: int64 = 7,
        stacktrace_filter: optional StacktraceFilter = 8,
        /// Clients can't change it.
        provisioned: bool = 9,
    }

    both StacktraceFilter { function_name: optional StacktraceFilterFunctionName = 1 }

    both StacktraceFilterFunctionName {
        function_name: string = 1,
        metric_type: int32("json::enumeration::<_, MetricType>") = 2,
    }

    request GetRecordingRuleRequest { id: string = 1 }

    answer GetRecordingRuleResponse { rule: optional RecordingRule = 1 }

    request ListRecordingRulesRequest {}

    answer ListRecordingRulesResponse { rules: repeated RecordingRule = 1 }

    request UpsertRecordingRuleRequest {
        id: string = 1,
        metric_name: string = 2 ["metricName"],
        matchers: repeated string = 3,
        group_by: repeated string = 4 ["groupBy"],
        external_labels: repeated LabelPair = 5 ["externalLabels"],
        generation: int64 = 6,
        stacktrace_filter: optional StacktraceFilter = 7 ["stacktraceFilter"],
    }

    answer UpsertRecordingRuleResponse { rule: optional RecordingRule = 1 }

    request DeleteRecordingRuleRequest { id: string = 1 }

    answer DeleteRecordingRuleResponse {}
}

/// Which value of a function a rule measures: only its total is supported.
pub(crate) struct MetricType;

impl NamedValues for MetricType {
    const VALUES: &'static [(&'static str, i32)] = &[("TOTAL", 0)];
}
