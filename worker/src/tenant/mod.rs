//! The Durable Object of a tenant: group commit of pushes, the catalog of objects, and leases for compaction.

mod catalog;
mod client;
mod commit;
mod compaction;
mod packet;
mod sql;
mod writer;

use std::rc::Rc;

use pilotlight_core::store::{Directory, Tenant as TenantId, chunk_head};
// The attribute's code names this crate as if it were a dependency.
use worker::wasm_bindgen;
use worker::{DurableObject, Env, Method, Request, Response, Result as WorkerResult, State, durable_object};

use crate::bucket::AnyBucket;
use crate::clock;
use crate::config::Config;
use crate::errors::Problem;
pub(crate) use catalog::Row;
pub(crate) use client::{Job, TenantClient};
use writer::Writer;

/// One tenant's object. All its work is in [`Writer`], [`catalog::Catalog`] and [`compaction`].
#[durable_object(fetch)]
pub struct Tenant {
    state: State,
    opened: Result<Opened, Problem>,
}

struct Opened {
    writer: Rc<Writer>,
    config: Config,
}

impl DurableObject for Tenant {
    fn new(state: State, env: Env) -> Self {
        let opened = Config::of(&env).map_err(Problem::internal).and_then(|config| {
            let writer = Rc::new(Writer::new(&state.storage(), AnyBucket::open(&env)?, config.flush_ms)?);
            Ok(Opened { writer, config })
        });
        Self { state, opened }
    }

    async fn fetch(&self, request: Request) -> WorkerResult<Response> {
        self.answer(request).await.or_else(|problem| problem.response())
    }
}

impl Tenant {
    async fn answer(&self, mut request: Request) -> Result<Response, Problem> {
        let Opened { writer, config } = self.opened.as_ref().map_err(Clone::clone)?;
        let catalog = &writer.catalog;
        let now = clock::now_millis();
        let tenant = request.headers().get(client::TENANT_HEADER)?.unwrap_or_default();
        let tenant: TenantId = tenant.parse().map_err(Problem::internal)?;
        match (request.method(), request.path().as_str()) {
            (Method::Post, "/append") => {
                let chunk = request.bytes().await?;
                let head = chunk_head(&chunk).map_err(Problem::invalid)?;
                let waiting = writer.offer(head.id.0, chunk, now)?;
                if waiting.drive {
                    // Not part of this request: its client may leave while others wait for the same write.
                    let writer = writer.clone();
                    self.state.wait_until(async move { writer.drive(&tenant).await });
                }
                waiting.outcome().await?;
                Ok(Response::empty()?)
            }
            (Method::Post, "/catalog") => {
                let (page, directories) = catalog.page(&request.json().await?, catalog::PAGE_BYTES)?;
                reply(&page, &directories)
            }
            (Method::Post, "/compaction/lease") => match catalog.lease(clock::random(), now)? {
                Some((lease, directories)) => reply(&lease, &directories),
                None => Ok(Response::empty()?.with_status(204)),
            },
            (Method::Post, "/compaction/commit") => {
                let (done, directories) = packet::decode(&request.bytes().await?).map_err(Problem::invalid)?;
                let directory = directories.first().map(Vec::as_slice).unwrap_or_default();
                catalog.commit(done, &Directory::decode(directory).map_err(Problem::invalid)?, now)?;
                Ok(Response::empty()?)
            }
            (Method::Post, "/compaction/expired") => {
                let before = now - i64::from(config.compact_grace_seconds) * 1000;
                Ok(Response::from_json(&catalog.expired(before)?)?)
            }
            (Method::Post, "/compaction/forget") => {
                catalog.forget(&request.json::<Vec<String>>().await?)?;
                Ok(Response::empty()?)
            }
            (method, path) => Err(Problem::not_found(format!("{method:?} {path}"))),
        }
    }
}

fn reply<H: serde::Serialize>(head: &H, blobs: &[Vec<u8>]) -> Result<Response, Problem> {
    Ok(Response::from_bytes(packet::encode(head, blobs).map_err(Problem::internal)?)?)
}
