//! The client against a server that checks signatures.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures_executor::block_on;
use pilotlight_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, Server};

use super::S3Bucket;
use super::config::{Backend, S3Config};
use super::http::{Http, Request, Response};
use super::native::Native;
use crate::bucket::contract::{self, Part};
use crate::bucket::{Bucket, BucketError, Condition, List};

/// The configuration for a server, with some of it changed.
fn config(endpoint: &str, changes: &[(&str, &str)]) -> S3Config {
    let usual = [
        ("BUCKET_BACKEND", "s3"),
        ("S3_ENDPOINT", endpoint),
        ("S3_BUCKET", BUCKET),
        ("S3_ACCESS_KEY_ID", ACCESS_KEY_ID),
        ("S3_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
    ];
    let var = |name: &str| {
        changes
            .iter()
            .chain(&usual)
            .find(|(n, _)| *n == name)
            .map(|(_, value)| (*value).to_owned())
    };
    match Backend::parse(var) {
        Ok(Backend::S3(config)) => *config,
        other => panic!("{other:?}"),
    }
}

fn bucket(server: &Server, changes: &[(&str, &str)]) -> S3Bucket<Native> {
    S3Bucket::new(
        config(&server.endpoint(), changes),
        Native::new(server.address()),
    )
}

fn server() -> Server {
    Server::start(0).expect("a free port of loopback")
}

async fn keeps(bucket: &impl Bucket, parts: &[Part]) {
    let report = contract::check(bucket, 7, parts).await;
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.ok).collect();
    assert!(
        failed.is_empty() && report.ok && report.checks.len() > 2,
        "{failed:#?}"
    );
}

#[test]
fn the_contract_with_the_bucket_in_the_path() {
    block_on(keeps(&bucket(&server(), &[]), &Part::ALL));
}

#[test]
fn the_contract_with_the_bucket_in_the_host() {
    let server = server();
    let config = config(
        &server.virtual_endpoint(),
        &[("S3_URL_STYLE", "virtual"), ("S3_REGION", "eu-central-1")],
    );
    block_on(keeps(
        &S3Bucket::new(config, Native::new(server.address())),
        &[Part::Lists],
    ));
}

async fn refusal(bucket: S3Bucket<Native>) -> String {
    let read = bucket.get("k", None).await.unwrap_err();
    let written = bucket
        .put("k", Vec::new(), Condition::None)
        .await
        .unwrap_err();
    let listed = bucket.list(List::default()).await.unwrap_err();
    for error in [&read, &written, &listed] {
        assert!(matches!(error, BucketError::Refused { .. }), "{error:?}");
    }
    read.to_string()
}

#[test]
fn mistakes_of_configuration_read_clearly() {
    let server = server();
    let check = |changes: &[(&str, &str)], expect: &[&str]| {
        let found = block_on(refusal(bucket(&server, changes)));
        for part in expect {
            assert!(found.contains(part), "{found:?} has no {part:?}");
        }
    };
    let endpoint = format!(
        "the S3 endpoint {}/profiles/ answered GET k with 403",
        server.endpoint()
    );
    check(
        &[("S3_SECRET_ACCESS_KEY", "other")],
        &[
            &endpoint,
            "SignatureDoesNotMatch",
            "(check S3_SECRET_ACCESS_KEY)",
        ],
    );
    check(
        &[("S3_ACCESS_KEY_ID", "other")],
        &["NotSignedUp", "(check S3_ACCESS_KEY_ID)"],
    );
    check(
        &[("S3_BUCKET", "other")],
        &["404 NoSuchBucket", "(check S3_BUCKET and S3_URL_STYLE)"],
    );
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let bucket = S3Bucket::new(
        config(&format!("http://{closed}"), &[]),
        Native::new(closed),
    );
    let error = block_on(bucket.put("k", vec![1], Condition::Absent)).unwrap_err();
    assert!(
        matches!(error, BucketError::Unavailable { .. }),
        "{error:?}"
    );
}

/// Answers in a row, and what was asked for: method and first parameter.
#[derive(Clone, Default)]
struct Scripted(Rc<RefCell<Script>>);

#[derive(Default)]
struct Script {
    answers: VecDeque<Result<Response, String>>,
    asked: Vec<String>,
}

impl Scripted {
    fn answering(answers: &[(u16, &str)]) -> (S3Bucket<Self>, Self) {
        let scripted = Self::default();
        let answer = |&(status, body): &(u16, &str)| match status {
            0 => Err(body.to_owned()),
            _ => {
                let headers = vec![("etag".to_owned(), "\"1\"".to_owned())];
                Ok(Response {
                    status,
                    headers,
                    body: body.as_bytes().to_vec(),
                })
            }
        };
        scripted
            .0
            .borrow_mut()
            .answers
            .extend(answers.iter().map(answer));
        (
            S3Bucket::new(config("https://s3.example.com", &[]), scripted.clone()),
            scripted,
        )
    }

    fn asked(&self) -> String {
        let state = self.0.borrow();
        assert!(
            state.answers.is_empty(),
            "{} answers were not asked for",
            state.answers.len()
        );
        state.asked.join(" ")
    }
}

impl Http for Scripted {
    async fn send(&self, request: Request<'_>) -> Result<Response, String> {
        let path = request
            .url
            .split(['?'])
            .next()
            .unwrap_or_default()
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let mut state = self.0.borrow_mut();
        state.asked.push(format!("{}:{path}", request.method));
        state.answers.pop_front().expect("a further answer")
    }

    fn now_millis(&self) -> i64 {
        0
    }

    async fn pause(&self, millis: u32) {
        self.0.borrow_mut().asked.push(millis.to_string());
    }
}

const SLOW: (u16, &str) = (
    503,
    "<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>",
);
const CRASH: (u16, &str) = (500, "<Error><Code>InternalError</Code></Error>");
const BROKEN: (u16, &str) = (0, "connection lost");
const CONFLICT: (u16, &str) = (
    409,
    "<Error><Code>ConditionalRequestConflict</Code></Error>",
);
const DENIED: (u16, &str) = (403, "<Error><Code>AccessDenied</Code></Error>");

fn put(condition: &Condition, answers: &[(u16, &str)], asked: &str) -> Result<String, BucketError> {
    let (bucket, scripted) = Scripted::answering(answers);
    let outcome = block_on(bucket.put("k", vec![1], condition.clone()));
    assert_eq!(scripted.asked(), asked, "{answers:?}");
    outcome
}

#[test]
fn what_is_safe_is_sent_again() {
    let ok = Ok("\"1\"".to_owned());
    let put = |answers: &[_], asked| put(&Condition::None, answers, asked);
    assert_eq!(
        put(
            &[BROKEN, CRASH, SLOW, (200, "")],
            "PUT:k 100 PUT:k 200 PUT:k 400 PUT:k"
        ),
        ok
    );
    assert_eq!(
        put(
            &[(502, "<html>"), (429, ""), (200, "")],
            "PUT:k 100 PUT:k 200 PUT:k"
        ),
        ok
    );
    let error = put(&[BROKEN; 4], "PUT:k 100 PUT:k 200 PUT:k 400 PUT:k").unwrap_err();
    let expected = "the bucket is unavailable: the S3 endpoint https://s3.example.com/profiles/: connection lost";
    assert_eq!(error.to_string(), expected);
    let error = put(&[SLOW; 4], "PUT:k 100 PUT:k 200 PUT:k 400 PUT:k").unwrap_err();
    assert!(
        matches!(&error, BucketError::Unavailable { message } if message.contains("SlowDown: Reduce")),
        "{error:?}"
    );
    assert!(matches!(
        put(&[DENIED], "PUT:k"),
        Err(BucketError::Refused { .. })
    ));
}

#[test]
fn conditional_writes_are_sent_again_only_when_nothing_was_done() {
    for condition in [Condition::Absent, Condition::Matches("\"0\"".to_owned())] {
        let put = |answers: &[_], asked| put(&condition, answers, asked);
        assert_eq!(
            put(&[SLOW, CONFLICT, (200, "")], "PUT:k 100 PUT:k 200 PUT:k"),
            Ok("\"1\"".to_owned())
        );
        for unclear in [BROKEN, CRASH, (504, "")] {
            assert!(
                matches!(
                    put(&[unclear], "PUT:k"),
                    Err(BucketError::Unavailable { .. })
                ),
                "{unclear:?}"
            );
        }
        let gone = [(412, "<Error><Code>PreconditionFailed</Code></Error>")];
        assert_eq!(
            put(&gone, "PUT:k"),
            Err(BucketError::Precondition {
                key: "k".to_owned()
            })
        );
    }
}

#[test]
fn a_server_without_deletion_of_many_is_asked_one_by_one_from_then_on() {
    let unknown = (501, "<Error><Code>NotImplemented</Code></Error>");
    let absent = (404, "<Error><Code>NoSuchKey</Code></Error>");
    let (bucket, scripted) = Scripted::answering(&[unknown, (204, ""), absent, (204, "")]);
    let keys = ["a".to_owned(), "b".to_owned()];
    assert_eq!(block_on(bucket.delete(&keys)), Ok(()));
    assert_eq!(block_on(bucket.clone().delete(&keys[..1])), Ok(()));
    assert_eq!(scripted.asked(), "POST: DELETE:a DELETE:b DELETE:a");
}

#[test]
fn what_could_not_be_deleted_is_an_error() {
    let delete = |body: &str| {
        let (bucket, _) = Scripted::answering(&[(200, body)]);
        block_on(bucket.delete(&["a".to_owned()]))
    };
    let result = |code| {
        format!(
            "<DeleteResult><Error><Key>a</Key><Code>{code}</Code><Message>m</Message></Error></DeleteResult>"
        )
    };
    assert_eq!(delete("<DeleteResult/>"), Ok(()));
    assert_eq!(delete(&result("NoSuchKey")), Ok(()));
    assert!(matches!(
        delete(&result("InternalError")),
        Err(BucketError::Unavailable { .. })
    ));
    assert!(matches!(
        delete(&result("AccessDenied")),
        Err(BucketError::Refused { .. })
    ));
    assert!(matches!(
        delete("<html/>"),
        Err(BucketError::Invalid { .. })
    ));
}

#[test]
fn an_answer_that_is_none_of_s3_does_not_mean_that_an_object_is_absent() {
    let get = |answer| {
        let (bucket, _) = Scripted::answering(&[answer]);
        block_on(bucket.get("k", None))
    };
    assert_eq!(
        get((404, "<Error><Code>NoSuchKey</Code></Error>")),
        Ok(None)
    );
    let error = get((404, "<html>nginx</html>")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("404 and no S3 error (check that S3_ENDPOINT is the URL of an S3 API)"),
        "{error}"
    );
    assert!(matches!(error, BucketError::Invalid { .. }));
    assert!(matches!(
        get((404, "<Error><Code>NoSuchBucket</Code></Error>")),
        Err(BucketError::Refused { .. })
    ));
    assert!(matches!(get((301, "")), Err(BucketError::Invalid { .. })));
}
