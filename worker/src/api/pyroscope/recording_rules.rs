//! `settings.v1.RecordingRulesService`: recording rules as Grafana's pages and Pyroscope's command
//! line read and write them.
//!
//! Its messages can express only a function's name, and its total. Rules with another target, or
//! with a unit in their names, are listed as `provisioned`, which these clients treat as read-only:
//! if they wrote such a rule back, it would become a different one.

use pilotlight_core::Selector;

use super::messages::{
    DeleteRecordingRuleRequest, DeleteRecordingRuleResponse, GetRecordingRuleRequest,
    GetRecordingRuleResponse, LabelPair, ListRecordingRulesRequest, ListRecordingRulesResponse,
    RecordingRule, StacktraceFilter, StacktraceFilterFunctionName, UpsertRecordingRuleRequest,
    UpsertRecordingRuleResponse,
};
use super::request;
use super::unary::{Call, MAX_REQUEST};
use crate::api::query::typed_selector;
use crate::api::rules::record::{self, SameName, of_tenant};
use crate::api::rules::rule::Rule;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/settings.v1.RecordingRulesService/GetRecordingRule",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let GetRecordingRuleRequest { id } = call.request()?;
                let found = of_tenant(scope)
                    .await?
                    .into_iter()
                    .find(|rule| rule.id == id);
                let rule = found.ok_or_else(|| record::not_found(&id))?;
                call.answer(&GetRecordingRuleResponse {
                    rule: Some(message(rule)?),
                })
            })
        },
    ),
    Endpoint::post(
        "/settings.v1.RecordingRulesService/ListRecordingRules",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let ListRecordingRulesRequest {} = call.request()?;
                let rules = of_tenant(scope).await?.into_iter().map(message);
                call.answer(&ListRecordingRulesResponse {
                    rules: rules.collect::<Result<_, _>>()?,
                })
            })
        },
    ),
    Endpoint::post(
        "/settings.v1.RecordingRulesService/UpsertRecordingRule",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let rule = upsert(rule(call.request()?)?, scope).await?;
                call.answer(&UpsertRecordingRuleResponse {
                    rule: Some(message(rule)?),
                })
            })
        },
    ),
    Endpoint::post(
        "/settings.v1.RecordingRulesService/DeleteRecordingRule",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let DeleteRecordingRuleRequest { id } = call.request()?;
                record::delete(scope, &id).await?;
                call.answer(&DeleteRecordingRuleResponse {})
            })
        },
    ),
];

async fn upsert(rule: Rule, scope: &Scope) -> Result<Rule, Problem> {
    let there = of_tenant(scope)
        .await?
        .into_iter()
        .find(|of| of.id == rule.id);
    if there.is_some_and(|there| !is_expressible(&there)) {
        return Err(Problem::invalid(format!(
            "the rule {} has a target or a unit that this call can't express; change it with POST /api/v1/rules",
            rule.id
        )));
    }
    record::save(scope, rule, SameName::Allow).await
}

/// Whether the messages can express everything in a rule.
fn is_expressible(rule: &Rule) -> bool {
    !rule.is_self
        && rule.function_regex.is_empty()
        && rule.call_site.is_empty()
        && !rule.unit_suffix
}

/// The rule that a request asks for.
fn rule(request: UpsertRecordingRuleRequest) -> Result<Rule, Problem> {
    let selectors = request::selectors(&request.matchers)?;
    let joined = Selector::of_one_type(selectors).map_err(Problem::invalid)?;
    let (mut selector, profile_type) = joined;
    selector.profile_type = Some(profile_type);
    let function = request
        .stacktrace_filter
        .and_then(|filter| filter.function_name);
    let function = function.unwrap_or_default();
    if function.metric_type != 0 {
        return Err(Problem::invalid("metric_type must be TOTAL"));
    }
    let external = request.external_labels.into_iter();
    Ok(Rule {
        id: request.id,
        metric_name: request.metric_name,
        query: selector.to_string(),
        group_by: request::label_names(&request.group_by)?,
        external_labels: external.map(|pair| (pair.name, pair.value)).collect(),
        function: function.function_name,
        generation: request.generation,
        ..Rule::default()
    })
}

/// A rule as a message. Its profile type is among the matchers, as in a request.
fn message(rule: Rule) -> Result<RecordingRule, Problem> {
    let is_expressible = is_expressible(&rule);
    let (selector, profile_type) = typed_selector(&rule.query)?;
    let (profile_type, others) = (profile_type.to_string(), selector.to_string());
    let of_type = format!("{{__profile_type__=\"{profile_type}\"}}");
    let matchers = match &*others {
        "{}" => vec![of_type],
        _ => vec![of_type, others],
    };
    let external = rule.external_labels.into_iter();
    let function_name = is_expressible && !rule.function.is_empty();
    Ok(RecordingRule {
        id: rule.id,
        metric_name: rule.metric_name,
        profile_type,
        matchers,
        group_by: rule.group_by,
        external_labels: external
            .map(|(name, value)| LabelPair { name, value })
            .collect(),
        generation: rule.generation,
        stacktrace_filter: function_name.then_some(StacktraceFilter {
            function_name: Some(StacktraceFilterFunctionName {
                function_name: rule.function,
                metric_type: 0,
            }),
        }),
        provisioned: rule.provisioned || !is_expressible,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    fn asked(request: serde_json::Value) -> Result<Rule, Problem> {
        rule(serde_json::from_value(request).unwrap())
    }

    #[test]
    fn a_rule_comes_back_as_it_was_sent() {
        let matchers = [
            format!("{{__profile_type__=\"{CPU}\"}}"),
            r#"{service_name="a"}"#.to_owned(),
        ];
        let sent = json!({
            "metricName": "profiles_recorded_x", "matchers": matchers, "groupBy": ["region"],
            "externalLabels": [{"name": "team", "value": "b"}],
            "stacktraceFilter": {"functionName": {"functionName": "work", "metricType": "TOTAL"}},
        });
        let rule = asked(sent).unwrap();
        assert_eq!(rule.query, format!("{CPU}{{service_name=\"a\"}}"));
        let answered = serde_json::to_value(message(rule).unwrap()).unwrap();
        let expect = json!({
            "metricName": "profiles_recorded_x", "profileType": CPU, "matchers": matchers,
            "groupBy": ["region"], "externalLabels": [{"name": "team", "value": "b"}],
            "stacktraceFilter": {"functionName": {"functionName": "work"}},
        });
        assert_eq!(answered, expect);
    }

    #[test]
    fn what_is_refused() {
        let says = |request| asked(request).unwrap_err().message;
        assert!(says(json!({})).starts_with("exactly one profile type"));
        let two = json!({"matchers": [format!("{CPU}{{}}"), "a:b:c::{}"]});
        assert!(says(two).contains("found 2"));
    }

    #[test]
    fn targets_without_a_message_are_read_only() {
        let rule = Rule {
            query: format!("{CPU}{{}}"),
            function: "work".to_owned(),
            is_self: true,
            ..Rule::default()
        };
        let listed = message(rule).unwrap();
        assert!(listed.provisioned && listed.stacktrace_filter.is_none());
        assert_eq!(listed.matchers, [format!("{{__profile_type__=\"{CPU}\"}}")]);
    }
}
