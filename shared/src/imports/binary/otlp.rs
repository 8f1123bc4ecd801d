//! OTLP profiles that were saved to a file, as protobuf or JSON. What a request holds is said by
//! [`crate::formats::otlp`].
//!
//! - All profiles of a file are read into one. Each kind of value is a sample type; counted samples
//!   of a CPU profile are the time that they stand for, as in a push.
//! - Attributes of samples are labels: `thread.name` is `thread`, `process.executable.name` is
//!   `process`. So are the service and the program of the resource. Links are `trace_id` and
//!   `span_id`.
//! - A sample has the first of its times.
//! - Samples and profiles that cannot be read are left out, with a warning.

use std::fmt::Write as _;

use hashbrown::HashMap;

use crate::base::limits::{MAX_PROFILE_BYTES, MAX_SAMPLE_TYPES};
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::detect::unsupported;
use crate::formats::json::format::JsonFormat;
use crate::formats::otlp::{
    Attribute, AttributeValue, Head, Profile, ProfileError, Request, Sample, Stop, Symbols,
    to_protobuf,
};
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::text_label;
use crate::model::id::StringId;
use crate::model::profile::{Label, LabelValue};

pub(crate) const NAME: &str = "OTLP profile";

/// What a sample costs beside its values, and each of them.
const SAMPLE_COST: usize = 16;
/// See [`SAMPLE_COST`].
const VALUE_COST: usize = 8;

/// Whether these are OTLP's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    is_json(start) || unsupported::otlp(start.bytes).is_some()
}

fn is_json(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Otlp)
}

/// Decodes a file. Memory is bounded by its size, as for a push.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let is_json = is_json(Start::of(bytes));
    let message;
    let request = if is_json {
        message =
            to_protobuf(without_mark(bytes), MAX_PROFILE_BYTES).map_err(|e| error(&e.into()))?;
        Request::open_newest(&message)
    } else {
        Request::open(bytes)
    };
    let request = request.map_err(|stop| error(&stop))?;
    let mut reader = Reader {
        request: &request,
        symbols: Symbols::default(),
        types: Vec::new(),
        labels: HashMap::new(),
        links: HashMap::new(),
        base: 0,
        duration: 0,
        profiles: 0,
        warnings: Warnings::default(),
    };
    reader.read().map_err(|stop| error(&stop))?;
    let Reader {
        symbols,
        types,
        base,
        duration,
        warnings,
        ..
    } = reader;
    let mut builder = symbols.builder;
    if types.is_empty() {
        builder.sample_type("samples", "count");
    }
    (builder.header().time_nanos, builder.header().duration_nanos) = (base, duration);
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}

fn error(stop: &Stop) -> FormatError {
    let text = stop.to_string();
    FormatError::new(NAME, text.strip_prefix("OTLP: ").unwrap_or(&text))
}

/// A file as it is read.
struct Reader<'r, 'a> {
    request: &'r Request<'a>,
    symbols: Symbols,
    types: Vec<(String, String)>,
    /// By row of the table of attributes.
    labels: HashMap<u64, Option<Label>>,
    /// By row of the table of links.
    links: HashMap<u64, [Option<Label>; 2]>,
    /// When the first profile with a start began; times of samples count from there.
    base: i64,
    duration: i64,
    /// How many profiles came so far.
    profiles: usize,
    warnings: Warnings,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<(), Stop> {
        let request = self.request;
        request.for_each_resource::<Stop>(|resource| {
            let owner = match resource.attributes() {
                Err(Stop::Request(error)) => return Err(error.into()),
                attributes => self.owner(attributes.unwrap_or_default()),
            };
            resource.for_each_scope::<Stop>(|scope| {
                scope.for_each_profile(|profile| {
                    let number = self.profiles;
                    self.profiles += 1;
                    match self.profile(profile, &owner) {
                        Err(Stop::Profile(error)) => {
                            self.warnings
                                .add(|| format!("profile {number} is left out: {error}"));
                            Ok(())
                        }
                        other => other,
                    }
                })
            })
        })
    }

    /// The labels that all samples of a resource have.
    fn owner(&mut self, attributes: Vec<Attribute<'_>>) -> Vec<Label> {
        let wanted = |name: &&Attribute<'_>| {
            matches!(
                name.key.as_ref(),
                "service.name" | "process.executable.name"
            )
        };
        let attributes = attributes.iter().filter(wanted);
        attributes
            .filter_map(|attribute| self.label(attribute))
            .collect()
    }

    fn label(&mut self, attribute: &Attribute<'_>) -> Option<Label> {
        let builder = &mut self.symbols.builder;
        let key = match attribute.key.as_ref() {
            "thread.name" => "thread",
            "process.executable.name" => "process",
            "service.name" => "service_name",
            key => key,
        };
        let text = match &attribute.value {
            AttributeValue::Text(text) => return text_label(builder, key, text),
            AttributeValue::Bool(value) => value.to_string(),
            AttributeValue::Double(value) => value.to_string(),
            // pprof takes the number zero for no value.
            AttributeValue::Integer(0) => "0".to_owned(),
            AttributeValue::Integer(value) => {
                return Some(Label {
                    key: builder.string(key),
                    value: LabelValue::Number(*value, StringId::EMPTY),
                });
            }
            AttributeValue::Other => return None,
        };
        text_label(builder, key, &text)
    }

    fn profile(&mut self, profile: Profile<'_, '_>, owner: &[Label]) -> Result<(), Stop> {
        let head = profile.head()?;
        let (columns, scale) = self.columns(&head)?;
        if self.base == 0 {
            self.base = i64::try_from(head.time_nanos).unwrap_or(0);
        }
        let duration = i64::try_from(head.duration_nanos).unwrap_or(0);
        self.duration = self.duration.max(duration);
        let (mut left_out, mut first) = (0u64, None);
        profile.for_each_sample::<Stop>(|sample| {
            let sample = sample.map_err(Stop::from);
            match sample.and_then(|sample| self.sample(&head, sample, owner, &columns, scale)) {
                Err(Stop::Profile(error)) => {
                    left_out += 1;
                    first.get_or_insert(error);
                    Ok(())
                }
                other => other,
            }
        })?;
        if let Some(error) = first {
            self.warnings
                .add(|| format!("{left_out} samples are left out; the first: {error}"));
        }
        Ok(())
    }

    /// The columns of a profile's values, and what each value is multiplied with.
    fn columns(&mut self, head: &Head<'_>) -> Result<(Vec<usize>, i64), Stop> {
        let period = &head.period_type;
        let is_cpu = period.kind == "cpu" && matches!(period.unit.as_ref(), "nanoseconds" | "ns");
        let counted = matches!(head.sample_types.as_slice(),
            [counted] if counted.kind == "samples" && counted.unit == "count");
        if is_cpu && counted && head.period > 0 {
            return Ok((vec![self.column("cpu", "nanoseconds")?], head.period));
        }
        let types = head.sample_types.iter();
        let columns: Result<_, Stop> = types.map(|of| self.column(&of.kind, &of.unit)).collect();
        Ok((columns?, 1))
    }

    fn column(&mut self, kind: &str, unit: &str) -> Result<usize, Stop> {
        let mut types = self.types.iter();
        if let Some(known) = types.position(|known| known.0 == kind && known.1 == unit) {
            return Ok(known);
        }
        if self.types.len() == MAX_SAMPLE_TYPES {
            return Err(ProfileError::Types.into());
        }
        // All samples so far get a value more.
        let builder = &mut self.symbols.builder;
        self.request.charge(VALUE_COST * builder.profile().len())?;
        self.types.push((kind.to_owned(), unit.to_owned()));
        Ok(builder.sample_type(kind, unit))
    }

    fn sample(
        &mut self,
        head: &Head<'_>,
        sample: &Sample,
        owner: &[Label],
        columns: &[usize],
        scale: i64,
    ) -> Result<(), Stop> {
        let mut values = vec![0; self.types.len()];
        for (number, &column) in columns.iter().enumerate() {
            values[column] = sample.value(number, columns.len())?.saturating_mul(scale);
        }
        let mut labels = owner.to_vec();
        for &index in &sample.attributes {
            let label = match self.labels.get(&index) {
                Some(&label) => label,
                None => {
                    let label = self.label(&self.request.attribute(index)?);
                    self.labels.insert(index, label);
                    label
                }
            };
            labels.extend(label);
        }
        if let Some(index) = sample.link {
            labels.extend(self.link(index)?.into_iter().flatten());
        }
        let stack = self.symbols.stack(self.request, head, sample)?;
        self.request
            .charge(SAMPLE_COST + VALUE_COST * values.len())?;
        let builder = &mut self.symbols.builder;
        let labels = builder.label_set(&mut labels);
        match sample.time.and_then(|time| i64::try_from(time).ok()) {
            Some(time) => builder.sample_at(time.saturating_sub(self.base), stack, labels, &values),
            None => builder.sample(stack, labels, &values),
        }
        Ok(())
    }

    /// Ids of trace and span, as far as they are any.
    fn link(&mut self, index: u64) -> Result<[Option<Label>; 2], Stop> {
        if let Some(&known) = self.links.get(&index) {
            return Ok(known);
        }
        let link = self.request.link(index)?;
        let builder = &mut self.symbols.builder;
        let labels = [("trace_id", link.trace_id), ("span_id", link.span_id)].map(|(key, id)| {
            let is_id = id.len() <= 16 && id.iter().any(|&byte| byte != 0);
            let hex = id
                .iter()
                .filter(|_| is_id)
                .fold(String::new(), |mut hex, byte| {
                    // Writing to a string does not fail.
                    let _ = write!(hex, "{byte:02x}");
                    hex
                });
            text_label(builder, key, &hex)
        });
        self.links.insert(index, labels);
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    #[test]
    fn a_request_as_json() {
        let text = br#"{"resourceProfiles":[{"resource":{"attributes":[
                {"key":"service.name","value":{"stringValue":"shop"}}]},
            "scopeProfiles":[{"profiles":[{
                "sampleType":{"typeStrindex":1,"unitStrindex":2},
                "periodType":{"typeStrindex":3,"unitStrindex":4},"period":"10",
                "timeUnixNano":"1000",
                "samples":[{"stackIndex":1,"attributeIndices":[1],
                    "timestampsUnixNano":["1500","1600"]}]}]}]}],
            "dictionary":{"stringTable":["","samples","count","cpu","nanoseconds","main","thread.name"],
                "attributeTable":[{},{"keyStrindex":6,"value":{"stringValue":"worker"}}],
                "functionTable":[{},{"nameStrindex":5}],"mappingTable":[{}],"linkTable":[{}],
                "locationTable":[{},{"lines":[{"functionIndex":1,"line":"3"}]}],
                "stackTable":[{},{"locationIndices":[1]}]}}"#;
        let decoded = decode(text).expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "cpu/nanoseconds\nmain:3 service_name=shop thread=worker 20 @500\n"
        );
        assert_eq!(decoded.profile.header().time_nanos, 1000);
        assert_eq!(decoded.warnings, Vec::<String>::new());
    }

    #[test]
    fn what_is_wrong() {
        let error = |bytes: &[u8]| decode(bytes).expect_err("is damaged").to_string();
        let text = br#"{"resourceProfiles":[7]}"#;
        assert!(
            error(text).starts_with("OTLP profile: OTLP as JSON: "),
            "{}",
            error(text)
        );
        assert!(error(b"\x0a\x07\x0a").starts_with("OTLP profile: "));
    }
}
