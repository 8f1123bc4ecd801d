//! `GET /pgo/SERVICE`: what a service did, as the `default.pgo` that Go's compiler takes.
//!
//! The same profiles give the same bytes, whichever objects hold them: the sum is exact, in canonical
//! order, and says nothing of when it was made.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use pilotlight_core::{
    ProfileType, Selector, TimeRange, UnixNanos,
    plans::{CatalogObject, QueryAnswer},
    pprof::encode_gzip,
    verbs::{PgoOptions, is_pgo_type, pgo},
};
use worker::{Request, Response};
use xxhash_rust::xxh3::xxh3_128;

use crate::api::query::{self, EdgeQueryRunner, ROUNDED_HEADER, SATURATED_HEADER};
use crate::auth::access::READ;
use crate::http::endpoint::{Endpoint, Rest};
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::Platform;
use crate::platform::admission::{Admission, Permit};
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[
        Endpoint::get(PGO, READ, |request, scope| Box::pin(answer(request, scope)))
            .followed_by(Rest::Service)
            .of_several_tenants(),
    ];

/// What the name of a service stands behind.
const PGO: &str = "/pgo/";

/// What Go's own profiler sends.
const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// How far back it looks when nothing is said, nanoseconds: a week, which has all hours and days of
/// a service's load.
const WEEK: i64 = 7 * 86_400 * 1_000_000_000;

/// Most rows of stacks that are made: 1 Mi, for which all plans together have the memory. A service
/// of 20,000 stacks has a tenth of it at 5 locations each.
const MAX_ROWS: u64 = 1 << 20;

/// Bytes of a row while it is made.
const ROW_BYTES: u64 = 60;

/// Most types that a message names.
const MAX_TOLD: usize = 10;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    service: String,
    selector: Selector,
    profile_type: ProfileType,
    range: TimeRange,
    options: PgoOptions,
}

/// `GET /pgo/SERVICE?from&until&query&type&keep_locations`
async fn answer(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let asked = Asked::of(&request.path(), &Parameters::of(request))?;
    let Asked {
        selector,
        profile_type,
        range,
        options,
        ..
    } = &asked;
    let runner = EdgeQueryRunner::open(scope)?;
    let merged = runner
        .merged_as_stored(selector, profile_type, *range)
        .await?;
    if merged.profiles == 0 {
        return Err(asked.nothing(&runner.catalog(*range).await?));
    }
    let permit = admit(&merged, *options, runner.admission()).await?;
    let file = file(&merged, *options);
    drop(permit);
    let tag = format!("\"{:032x}\"", xxh3_128(&file));
    let known = request.headers().get("if-none-match")?;
    let response = if known.is_some_and(|known| names(&known, &tag)) {
        Response::empty()?.with_status(304)
    } else {
        Response::from_bytes(file)?
    };
    let headers = response.headers();
    headers.set("content-type", "application/octet-stream")?;
    headers.set(
        "content-disposition",
        "attachment; filename=\"default.pgo\"",
    )?;
    headers.set("etag", &tag)?;
    headers.set("x-pilotlight-profiles", &merged.profiles.to_string())?;
    headers.set(ROUNDED_HEADER, &merged.rounded.to_string())?;
    headers.set(SATURATED_HEADER, &merged.saturated.to_string())?;
    Ok(response)
}

/// The file of a sum.
pub(crate) fn file(merged: &QueryAnswer, options: PgoOptions) -> Vec<u8> {
    encode_gzip(&pgo(&merged.profile, options))
}

/// Waits for the memory in which a sum is cut and written.
pub(crate) async fn admit(
    merged: &QueryAnswer,
    options: PgoOptions,
    admission: &Admission<impl Platform>,
) -> Result<Permit, Problem> {
    let rows = rows(merged, options)?;
    admission.enter(rows * ROW_BYTES).await
}

/// How many rows of stacks a sum may come to.
fn rows(merged: &QueryAnswer, options: PgoOptions) -> Result<u64, Problem> {
    let mut rows = options.most_rows(&merged.profile);
    if options.keep_locations == 0 {
        // Whole stacks are spelt out when they are written.
        rows = rows.max(merged.frames());
    }
    if rows > MAX_ROWS {
        let message = format!(
            "{} stacks come to {rows} locations; at most {MAX_ROWS} are allowed; ask for a shorter range, or set keep_locations=2, which is all that Go's compiler uses",
            merged.profile.len()
        );
        return Err(Problem::invalid(message));
    }
    Ok(rows)
}

impl Asked {
    fn of(path: &str, parameters: &Parameters) -> Result<Self, Problem> {
        let service = service(path)?;
        let mut selector = query::selector(parameters.get("query").unwrap_or(""))?;
        let profile_type = match (parameters.get("type"), selector.profile_type.take()) {
            (Some(text), _) => text.parse().map_err(Problem::invalid)?,
            (None, Some(profile_type)) => profile_type,
            (None, None) => TYPE.parse().map_err(Problem::internal)?,
        };
        if !is_pgo_type(&profile_type.sample_type, &profile_type.sample_unit) {
            return Err(Problem::invalid(format!(
                "Go's compiler needs a profile type with cpu:nanoseconds or samples:count (got {profile_type})"
            )));
        }
        let default = PgoOptions::default().keep_locations;
        let keep_locations = parameters.number("keep_locations", 0, usize::MAX, default)?;
        Ok(Self {
            selector: selector.of_service(&service).map_err(Problem::invalid)?,
            service,
            profile_type,
            range: parameters.render_range_back(WEEK)?,
            options: PgoOptions {
                keep_locations,
                ..PgoOptions::default()
            },
        })
    }

    /// What to say when there is no profile, with the types that there are.
    fn nothing(&self, objects: &[CatalogObject]) -> Problem {
        let Self {
            service,
            selector,
            profile_type,
            range,
            ..
        } = self;
        let all = objects.iter().flat_map(|object| object.directory.series());
        let found = all.filter(|&(labels, t, first, last)| {
            range.touches(first, last) && selector.matches(t, labels)
        });
        let types: BTreeSet<String> = found.map(|(_, t, ..)| t.to_string()).collect();
        let told: Vec<&str> = types.iter().take(MAX_TOLD).map(String::as_str).collect();
        let others = match told.as_slice() {
            [] => "and no other type".to_owned(),
            told => format!("only {}", told.join(", ")),
        };
        let [from, until] = [range.from, range.until].map(time);
        Problem::not_found(format!(
            "the service {service:?} has no {profile_type} from {from} to {until}, {others}"
        ))
    }
}

/// The name that stands in a path, as it is written there or with `%2F` for a slash.
fn service(path: &str) -> Result<String, Problem> {
    let (_, name) = path.rsplit_once(PGO).unwrap_or_default();
    let name = percent_decode_str(name)
        .decode_utf8()
        .map_err(|_| Problem::invalid(format!("the service name {name:?} is not UTF-8")))?;
    if name.is_empty() {
        return Err(Problem::invalid(
            "the path must end with a service name, as in /pgo/checkout",
        ));
    }
    Ok(name.into_owned())
}

/// A point in time as people read it.
fn time(time: UnixNanos) -> String {
    let millis = time.millis();
    let known = jiff::Timestamp::from_millisecond(millis);
    known.map_or_else(|_| millis.to_string(), |known| known.to_string())
}

/// Whether `If-None-Match` names a tag.
fn names(header: &str, tag: &str) -> bool {
    let mut tags = header.split(',').map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::query::tests::answer_of;

    const NOW: UnixNanos = UnixNanos(1_795_168_800_000_000_000);

    fn asked(path: &str, query: &str) -> Result<Asked, String> {
        let asked = Asked::of(path, &Parameters::parse(query, NOW));
        asked.map_err(|problem| format!("{} {}", problem.status, problem.message))
    }

    fn refused(path: &str, query: &str) -> String {
        asked(path, query).expect_err("no answer")
    }

    #[test]
    fn names_of_services() {
        for (path, expect) in [
            ("/pgo/app", "app"),
            ("/pfx/pgo/app", "app"),
            ("/pgo/my%2Fapp", "my/app"),
            ("/pgo/my/app", "my/app"),
            ("/pgo/a+b%20%22c%22%7D", "a+b \"c\"}"),
            ("/pgo/100%", "100%"),
            ("/pgo/%C3%A4", "ä"),
        ] {
            assert_eq!(service(path).unwrap(), expect, "{path}");
        }
        assert_eq!(
            refused("/pgo/", ""),
            "400 the path must end with a service name, as in /pgo/checkout"
        );
        assert!(refused("/pgo/%ff", "").starts_with("400 the service name"));
        let long = format!("/pgo/{}", "a".repeat(20_000));
        assert!(
            refused(&long, "").starts_with("400 selector"),
            "as of any selector"
        );
    }

    #[test]
    fn what_is_asked_for() {
        let week = asked("/pgo/a%22", "").unwrap();
        assert_eq!(week.selector.to_string(), r#"{service_name="a\""}"#);
        assert_eq!(week.profile_type.to_string(), TYPE);
        assert_eq!((week.range.from, week.range.until), (NOW.plus(-WEEK), NOW));
        assert_eq!(week.options, PgoOptions::default());
        let all = "from=20261101&until=1795000000&keep_locations=0&query=%7Bregion%3D%22eu%22%7D";
        let all = asked("/pgo/a", all).unwrap();
        let selector = r#"{region="eu", service_name="a"}"#;
        assert_eq!(all.selector.to_string(), selector);
        assert_eq!(all.range.from.millis(), 1_793_491_200_000);
        assert_eq!(all.range.until.millis(), 1_795_000_000_000);
        assert_eq!(all.options.keep_locations, 0);
        let counted = "process_cpu:samples:count:cpu:nanoseconds";
        for query in [format!("type={counted}"), format!("query={counted}{{}}")] {
            assert_eq!(
                asked("/pgo/a", &query).unwrap().profile_type.to_string(),
                counted
            );
        }
        for (query, problem) in [
            ("type=cpu", "400 profile type \"cpu\" is not of the form"),
            (
                "type=memory:alloc_space:bytes:space:bytes",
                "400 Go's compiler needs",
            ),
            ("keep_locations=-1", "400 keep_locations must be a number"),
            ("query={", "400 selector, column 2"),
            ("from=now&until=now-1h", "400 the range begins"),
        ] {
            let found = refused("/pgo/a", query);
            assert!(found.starts_with(problem), "{query}: {found}");
        }
    }

    #[test]
    fn nothing_is_told_with_what_there_is() {
        let problem = asked("/pgo/a", "").unwrap().nothing(&[]);
        assert_eq!(problem.status, 404);
        assert_eq!(
            problem.message,
            format!(
                "the service \"a\" has no {TYPE} from 2026-11-13T10:00:00Z to 2026-11-20T10:00:00Z, and no other type"
            )
        );
    }

    #[test]
    fn tags() {
        for header in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(names(header, "\"a\""), "{header}");
        }
        for header in ["", "a", "\"b\"", "\"a"] {
            assert!(!names(header, "\"a\""), "{header}");
        }
    }

    #[test]
    fn what_is_too_large_is_told() {
        let mut builder = pilotlight_core::ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        for n in 0..1_100 {
            let stack = builder.named_stack(&[&n.to_string()]);
            builder.sample(stack, None, &[1]);
        }
        let merged = answer_of(builder.finish());
        let keep = |keep_locations| PgoOptions {
            keep_locations,
            ..PgoOptions::default()
        };
        assert_eq!(rows(&merged, keep(5)), Ok(5_500));
        assert_eq!(rows(&merged, keep(0)), Ok(2_200));
        let problem = rows(&merged, keep(1_000)).unwrap_err();
        assert_eq!(problem.status, 400);
        assert!(
            problem
                .message
                .starts_with("1100 stacks come to 1100000 locations")
        );
    }
}
