//! Profile types of OTLP's sample and period types.

use crate::formats::otlp::{Head, ValueType};
use crate::model::profile_type::ProfileType;

/// The types of a profile's columns, and what their values are multiplied with.
///
/// CPU profiles count samples and say what each stands for: they become nanoseconds, as every other
/// sender has them. The group's name is that of the period type, as in Pyroscope; events without a
/// period (off-CPU time, probes) have the name of what is counted, where Pyroscope refuses most.
pub(super) fn profile_types(head: &Head<'_>) -> (Vec<ProfileType>, i64) {
    let period = &head.period_type;
    let is_cpu = period.kind == "cpu" && matches!(period.unit.as_ref(), "nanoseconds" | "ns");
    if let [counted] = head.sample_types.as_slice()
        && is_cpu
        && (counted.kind.as_ref(), counted.unit.as_ref()) == ("samples", "count")
    {
        let name = "process_cpu".to_owned();
        return if head.period > 0 {
            (vec![profile_type(name, period, period)], head.period)
        } else {
            (vec![profile_type(name, counted, period)], 1)
        };
    }
    let types = head.sample_types.iter().map(|counted| {
        let name = if period.kind.is_empty() {
            &counted.kind
        } else {
            &period.kind
        };
        profile_type(name.to_string(), counted, period)
    });
    (types.collect(), 1)
}

fn profile_type(name: String, counted: &ValueType<'_>, period: &ValueType<'_>) -> ProfileType {
    ProfileType {
        name,
        sample_type: counted.kind.to_string(),
        sample_unit: counted.unit.to_string(),
        period_type: period.kind.to_string(),
        period_unit: period.unit.to_string(),
    }
}
