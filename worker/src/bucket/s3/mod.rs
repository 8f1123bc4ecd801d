//! A bucket behind any endpoint that speaks S3.
//!
//! [`ask`] builds and signs requests, [`answer`] reads what comes back, neither sends anything;
//! [`http`] is how requests travel. This is what goes between: one call is one request, sent again
//! where that is safe.

mod answer;
pub(crate) mod config;
mod fetch;
mod http;
#[cfg(test)]
mod native;
mod request;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use self::answer::{Kind, S3Error};
use self::config::S3Config;
pub(super) use self::fetch::Fetch;
use self::http::{Http, Request, Response};
use self::request::S3Request;
use super::{Bucket, BucketError, Condition, List, Object, Page};

/// How often a request is sent, the first time included. With the pauses between, a hiccup of half
/// a second is bridged; what lasts longer is for the client of a push to bridge, which sends again.
const ATTEMPTS: u32 = 4;

/// The pause before the second attempt, milliseconds; it doubles each time.
const PAUSE_MILLIS: u32 = 100;

/// A bucket of S3, asked over `H`.
#[derive(Clone)]
pub(crate) struct S3Bucket<H>(Rc<Inner<H>>);

struct Inner<H> {
    config: S3Config,
    http: H,
    /// What the server was seen not to know: deleting many objects at once.
    deletes_one_by_one: Cell<bool>,
}

impl<H: Http> S3Bucket<H> {
    pub(crate) fn new(config: S3Config, http: H) -> Self {
        Self(Rc::new(Inner {
            config,
            http,
            deletes_one_by_one: Cell::new(false),
        }))
    }

    /// Sends a request until there is an answer that stands.
    async fn send(
        &self,
        request: &S3Request<'_>,
    ) -> Result<Result<Response, S3Error>, BucketError> {
        let Inner { config, http, .. } = &*self.0;
        let mut attempt = 1;
        loop {
            let url = request.sign(config, http.now_millis());
            let S3Request {
                method,
                headers,
                body,
                ..
            } = request;
            let sent = http.send(Request {
                method: method.to_str(),
                url: &url,
                headers,
                body,
            });
            let last = attempt == ATTEMPTS;
            match sent.await {
                Ok(response) if matches!(response.status, 200..=299) => return Ok(Ok(response)),
                Ok(response) => {
                    let error = S3Error::read(&response);
                    if last || !error.repeats(request.repeat) {
                        return Ok(Err(error));
                    }
                }
                Err(cause) if last || request.repeat != request::Repeat::Always => {
                    let message = format!("the S3 endpoint {}: {cause}", self.endpoint());
                    return Err(BucketError::Unavailable { message });
                }
                Err(_) => {}
            }
            http.pause(PAUSE_MILLIS << (attempt - 1)).await;
            attempt += 1;
        }
    }

    /// The same, where any error is the end.
    async fn sent(&self, request: &S3Request<'_>) -> Result<Response, BucketError> {
        self.send(request)
            .await?
            .map_err(|error| self.explained(&error, request))
    }

    fn explained(&self, error: &S3Error, request: &S3Request<'_>) -> BucketError {
        error.explained(request, self.endpoint())
    }

    fn endpoint(&self) -> &str {
        self.0.config.bucket.base_url().as_str()
    }

    fn invalid(&self, request: &S3Request<'_>, why: &str) -> BucketError {
        let (method, key) = (request.method.to_str(), request.key.unwrap_or_default());
        let message = format!(
            "the S3 endpoint {} sent an invalid response to {method} {key}: {why}",
            self.endpoint()
        );
        BucketError::Invalid { message }
    }

    /// The object without bytes, for ranges that hold none.
    async fn head(&self, key: &str) -> Result<Option<Object>, BucketError> {
        let request = S3Request::head(key);
        match self.send(&request).await? {
            Ok(response) => answer::head(&response)
                .map(Some)
                .map_err(|why| self.invalid(&request, &why)),
            // Answers to HEAD have no body, and so no code.
            Err(error) if error.status == 404 => Ok(None),
            Err(error) => Err(self.explained(&error, &request)),
        }
    }

    async fn delete_one_by_one(&self, keys: &[String]) -> Result<(), BucketError> {
        for key in keys {
            let request = S3Request::delete_one(key);
            match self.send(&request).await? {
                Ok(_) => {}
                Err(error) if error.kind() == Kind::Absent => {}
                Err(error) => return Err(self.explained(&error, &request)),
            }
        }
        Ok(())
    }
}

impl<H: Http> Bucket for S3Bucket<H> {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        nameable(key)?;
        let request = S3Request::put(key, bytes, &condition);
        match self.send(&request).await? {
            Ok(response) => answer::etag(&response).map_err(|why| self.invalid(&request, &why)),
            // What is not there has no entity tag either.
            Err(error)
                if error.kind() == Kind::Absent && matches!(condition, Condition::Matches(_)) =>
            {
                Err(BucketError::Precondition {
                    key: key.to_owned(),
                })
            }
            Err(error) => Err(self.explained(&error, &request)),
        }
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        nameable(key)?;
        // HTTP cannot say an empty range.
        if range.as_ref().is_some_and(Range::is_empty) {
            return self.head(key).await;
        }
        let request = S3Request::get(key, range.clone());
        match self.send(&request).await? {
            Ok(response) => answer::object(response, range)
                .map(Some)
                .map_err(|why| self.invalid(&request, &why)),
            Err(error) if error.kind() == Kind::Absent => Ok(None),
            Err(error) if error.kind() == Kind::Range => self.head(key).await,
            Err(error) => Err(self.explained(&error, &request)),
        }
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        let request = S3Request::list(list);
        let response = self.sent(&request).await?;
        answer::page(&response).map_err(|why| self.invalid(&request, &why))
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        keys.iter().try_for_each(|key| nameable(key))?;
        if keys.is_empty() {
            return Ok(());
        }
        if self.0.deletes_one_by_one.get() {
            return self.delete_one_by_one(keys).await;
        }
        let request = S3Request::delete_many(keys);
        let response = match self.send(&request).await? {
            Ok(response) => response,
            Err(error) if error.kind() == Kind::Unknown => {
                self.0.deletes_one_by_one.set(true);
                return self.delete_one_by_one(keys).await;
            }
            Err(error) => return Err(self.explained(&error, &request)),
        };
        match answer::undeleted(&response).map_err(|why| self.invalid(&request, &why))? {
            None => Ok(()),
            Some(error) => Err(self.explained(&error, &request)),
        }
    }
}

fn nameable(key: &str) -> Result<(), BucketError> {
    if request::is_nameable(key) {
        return Ok(());
    }
    Err(BucketError::Refused {
        message: format!("{key:?} can't be part of a URL, so S3 can't store or return it"),
    })
}
