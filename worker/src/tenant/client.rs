//! The stateless side of [`super::Tenant`]: its calls as plain async functions.

use pilotlight_core::{TimeRange, plans::CatalogObject, store::Directory, store::Tenant as TenantId};
use serde::Serialize;
use worker::{Env, Headers, Method, Request, RequestInit, Response, Stub, js_sys::Uint8Array, wasm_bindgen::JsValue};

use super::catalog::{Ask, Page, Row};
use super::compaction::{Done, Lease};
use super::packet;
use crate::errors::Problem;

/// Carries the tenant id, which the object needs for names in the bucket.
pub(super) const TENANT_HEADER: &str = "x-pilotlight-tenant";

/// Most bytes of directories that one query plans with: 24 MB, which decode to some 50 MB.
const CATALOG_BYTES: usize = 24 << 20;

/// Calls to a tenant's object.
pub(crate) struct TenantClient {
    stub: Stub,
    tenant: TenantId,
}

/// A leased compaction job.
pub(crate) struct Job {
    pub(crate) token: i64,
    pub(crate) unique: u64,
    pub(crate) sources: Vec<CatalogObject>,
    pub(crate) neighbours: Vec<CatalogObject>,
}

impl TenantClient {
    pub(crate) fn new(env: &Env, tenant: TenantId) -> Result<Self, Problem> {
        let stub = env.durable_object("TENANT")?.get_by_name(tenant.as_str())?;
        Ok(Self { stub, tenant })
    }

    /// Returns once the chunk is in the bucket.
    pub(crate) async fn append(&self, chunk: &[u8]) -> Result<(), Problem> {
        self.call("/append", Some(Uint8Array::from(chunk).into())).await.map(drop)
    }

    /// All objects that touch a range of time, from one state of the catalog.
    pub(crate) async fn catalog(&self, range: TimeRange) -> Result<Vec<CatalogObject>, Problem> {
        let (first_millis, last_millis) = (range.from.millis(), range.until.millis());
        let mut ask = Ask { first_millis, last_millis, after: None };
        let (mut objects, mut bytes) = (Vec::new(), 0);
        loop {
            let body = self.call_json("/catalog", &ask).await?.bytes().await?;
            bytes += body.len();
            if bytes > CATALOG_BYTES {
                return Err(Problem::invalid("the range touches too many objects for one query; choose a shorter one"));
            }
            let (page, directories): (Page, _) = packet::decode(&body).map_err(Problem::internal)?;
            objects.extend(catalog_objects(page.rows, directories)?);
            if page.after.is_none() {
                return Ok(objects);
            }
            ask.after = page.after;
        }
    }

    /// Leases a compaction job, if one is due, with the catalog's rows of its sources and of their neighbours.
    pub(crate) async fn lease(&self) -> Result<Option<Job>, Problem> {
        let mut response = self.call("/compaction/lease", None).await?;
        if response.status_code() == 204 {
            return Ok(None);
        }
        let (lease, mut directories): (Lease, Vec<_>) =
            packet::decode(&response.bytes().await?).map_err(Problem::internal)?;
        let Lease { token, unique, sources, neighbours } = lease;
        let of_neighbours = directories.split_off(sources.len().min(directories.len()));
        let (sources, neighbours) = (catalog_objects(sources, directories)?, catalog_objects(neighbours, of_neighbours)?);
        Ok(Some(Job { token, unique, sources, neighbours }))
    }

    /// Replaces a job's sources by its output, which must be in the bucket.
    pub(crate) async fn commit(&self, token: i64, output: Row, directory: &Directory) -> Result<(), Problem> {
        let directory = directory.encode().map_err(Problem::internal)?;
        let body = packet::encode(&Done { token, output }, &[directory]).map_err(Problem::internal)?;
        self.call("/compaction/commit", Some(Uint8Array::from(body.as_slice()).into())).await.map(drop)
    }

    /// Names of objects that no query needs any more.
    pub(crate) async fn expired(&self) -> Result<Vec<String>, Problem> {
        Ok(self.call("/compaction/expired", None).await?.json().await?)
    }

    /// Drops the rows of deleted objects.
    pub(crate) async fn forget(&self, keys: &[String]) -> Result<(), Problem> {
        self.call_json("/compaction/forget", &keys).await.map(drop)
    }

    async fn call_json(&self, path: &str, body: &impl Serialize) -> Result<Response, Problem> {
        let body = serde_json::to_string(body).map_err(Problem::internal)?;
        self.call(path, Some(body.into())).await
    }

    async fn call(&self, path: &str, body: Option<JsValue>) -> Result<Response, Problem> {
        let headers = Headers::new();
        headers.set(TENANT_HEADER, self.tenant.as_str())?;
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_headers(headers).with_body(body);
        // The host is never resolved: a stub is a line to one object.
        let request = Request::new_with_init(&format!("https://tenant{path}"), &init)?;
        let response = self.stub.fetch_with_request(request).await?;
        if response.status_code() >= 400 { Err(Problem::read(response).await) } else { Ok(response) }
    }
}

fn catalog_objects(rows: Vec<Row>, directories: Vec<Vec<u8>>) -> Result<Vec<CatalogObject>, Problem> {
    if rows.len() != directories.len() {
        return Err(Problem::internal(format!("{} rows came with {} directories", rows.len(), directories.len())));
    }
    let object = |(Row { key, level, size }, directory): (Row, Vec<u8>)| {
        let directory = Directory::decode(&directory).map_err(|e| Problem::internal(format!("{key}: {e}")))?;
        Ok(CatalogObject { key, level, size, directory })
    };
    rows.into_iter().zip(directories).map(object).collect()
}
