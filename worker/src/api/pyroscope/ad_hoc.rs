//! `adhocprofiles.v1.AdHocProfileService`: single profiles that people upload to look at.
//!
//! An upload is a share, and every share can be looked at if its format is read here. The flame graph
//! is a text in JSON ("flamebearer"), as the older HTTP API has it.

mod columns;
#[cfg(test)]
mod tests;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use pilotlight_core::imports::{self, ImportError};
use pilotlight_core::limits::MAX_PUSH_BYTES;
use pilotlight_core::store::{ShareId, TenantId};
use pilotlight_core::{By, CallTree, Profile, finer_unit, flamebearer, in_unit, pyroscope};
use worker::{Request, Response};

use self::columns::{column, distinct, place_of, types, units};
use super::flamegraph;
use super::legacy;
use super::messages::{
    AdHocProfilesDiffRequest, AdHocProfilesDiffResponse, AdHocProfilesGetRequest,
    AdHocProfilesGetResponse, AdHocProfilesListRequest, AdHocProfilesListResponse,
    AdHocProfilesProfileMetadata, AdHocProfilesUploadRequest,
};
use super::unary::{Call, MAX_REQUEST};
use crate::api::shares::{self, NewShare};
use crate::auth::access::READ;
use crate::bucket::{AnyBucket, Bucket, Metered};
use crate::http::body::MAX_BODY;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::meter::{Item, cpu};
use crate::platform::admission::{Admission, Permit, push_claims};
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::platform::limits::{DEFAULT_NODES, NodeLimits};
use crate::platform::{Edge, Platform};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/adhocprofiles.v1.AdHocProfileService/Upload",
        READ,
        |request, scope| Box::pin(upload(request, scope)),
    ),
    Endpoint::post(
        "/adhocprofiles.v1.AdHocProfileService/Get",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                call.answer(&Profiles::of(scope)?.get(call.request()?).await?)
            })
        },
    ),
    Endpoint::post(
        "/adhocprofiles.v1.AdHocProfileService/List",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let AdHocProfilesListRequest {} = call.request()?;
                call.answer(&Profiles::of(scope)?.list().await?)
            })
        },
    ),
    Endpoint::post(
        "/adhocprofiles.v1.AdHocProfileService/Diff",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                call.answer(&Profiles::of(scope)?.diff(call.request()?).await?)
            })
        },
    ),
];

/// Nodes of a flame graph. At most 128 Ki, some 4 MB of text, which is in memory three times on
/// its way.
const NODES: NodeLimits = NodeLimits {
    default: DEFAULT_NODES,
    most: 128 << 10,
};

/// Most nodes of the tree that a flame graph is made of: 512 Ki, 14 MB.
const MAX_TREE_NODES: u64 = 512 << 10;

/// How many times what a file inflates to it takes until its flame graph is drawn: 5, the file, its
/// bytes, a model of half as much again, and the tree.
const OPEN_FACTOR: u64 = 5;

/// How a profile is called that has no name.
const UNNAMED: &str = "profile";

/// Some clients leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

async fn upload(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let (rate, tenant) = (scope.limits.rate(), scope.tenant().as_str());
    scope
        .isolate()
        .rates
        .admit(tenant, rate, clock::now_millis())?;
    let call = Call::read(request, scope, MAX_BODY).await?;
    let (profiles, bytes) = (Profiles::of(scope)?, call.body.len());
    scope
        .isolate()
        .rates
        .charge(tenant, rate, bytes as u64, profiles.now);
    scope
        .meter
        .add(Item::WorkerCpuMicros, cpu::push_micros(bytes));
    // What the message takes beside its body: its text, and the file in it.
    let permit = profiles.admission.push(bytes).await?;
    let request: AdHocProfilesUploadRequest = call.request()?;
    let file = file(&request.profile)?;
    let name = request.name;
    drop((request.profile, permit));
    call.answer(&profiles.upload(&name, &file, request.max_nodes).await?)
}

/// The profiles of a tenant.
struct Profiles<'a, B, P> {
    bucket: B,
    tenant: &'a TenantId,
    now: i64,
    admission: Admission<P>,
}

impl<'a> Profiles<'a, Metered<AnyBucket>, Edge> {
    fn of(scope: &'a Scope) -> Result<Self, Problem> {
        Ok(Self {
            bucket: scope.bucket()?,
            tenant: scope.tenant(),
            now: clock::now_millis(),
            admission: scope.admission(),
        })
    }
}

/// A file that was opened.
struct Opened {
    profile: Profile,
    /// How clients call its sample types.
    types: Vec<String>,
    _permit: Permit,
}

impl<B: Bucket, P: Platform> Profiles<'_, B, P> {
    /// Stores a file that can be looked at.
    async fn upload(
        &self,
        name: &str,
        file: &[u8],
        max_nodes: Option<i64>,
    ) -> Result<AdHocProfilesGetResponse, Problem> {
        let name = Some(name).filter(|name| !name.is_empty());
        let name = name.unwrap_or(UNNAMED);
        let drawn = drawn(self.open(file).await?, None, max_nodes)?;
        // As long as a share may be kept: Pyroscope keeps these for ever.
        let share = NewShare {
            name,
            content: file,
            days: shares::MAX_DAYS,
        };
        let stored = shares::create(&self.bucket, self.tenant, share, self.now).await?;
        let uploaded_at = self.uploaded_at(id("id", &stored.id)?).await?;
        Ok(AdHocProfilesGetResponse {
            id: stored.id,
            name: name.to_owned(),
            uploaded_at,
            ..drawn
        })
    }

    async fn get(
        &self,
        request: AdHocProfilesGetRequest,
    ) -> Result<AdHocProfilesGetResponse, Problem> {
        let id = id("id", &request.id)?;
        let (name, opened) = self.stored(id).await?;
        let drawn = drawn(opened, request.profile_type.as_deref(), request.max_nodes)?;
        Ok(AdHocProfilesGetResponse {
            id: request.id,
            name,
            uploaded_at: self.uploaded_at(id).await?,
            ..drawn
        })
    }

    /// When a share was stored, by the bucket's clock; now for one that was deleted meanwhile.
    async fn uploaded_at(&self, id: ShareId) -> Result<i64, Problem> {
        let created = shares::created(&self.bucket, self.tenant, id).await?;
        Ok(created.unwrap_or(self.now))
    }

    async fn list(&self) -> Result<AdHocProfilesListResponse, Problem> {
        let newest = shares::newest(&self.bucket, self.tenant, self.now).await?;
        let profile = |entry: shares::Entry| AdHocProfilesProfileMetadata {
            id: entry.id,
            name: entry.name,
            uploaded_at: entry.created,
        };
        let profiles = newest.into_iter().map(profile).collect();
        Ok(AdHocProfilesListResponse { profiles })
    }

    async fn diff(
        &self,
        request: AdHocProfilesDiffRequest,
    ) -> Result<AdHocProfilesDiffResponse, Problem> {
        let max_nodes = NODES.checked(request.max_nodes)?;
        let (left, right) = (
            id("left_id", &request.left_id)?,
            id("right_id", &request.right_id)?,
        );
        let (_, Opened { profile, types, .. }) = self.stored(left).await?;
        let column = column(&profile, &types, request.profile_type.as_deref())?;
        let units = units(&profile);
        // Of the left side no more than its tree is kept while the right one is read.
        let mut base = tree(&profile, column)?;
        let mut profile_type = flamebearer::profile_type(&profile, column);
        drop(profile);
        let (_, opened) = self.stored(right).await?;
        let of_right = self::units(&opened.profile);
        let both: Vec<String> = units
            .iter()
            .zip(&types)
            .filter(|(unit, _)| place_of(unit, &of_right).is_some())
            .map(|(_, name)| name.clone())
            .collect();
        let (kind, unit) = &units[column];
        let place = place_of(&units[column], &of_right).ok_or_else(|| {
            let both = match both.as_slice() {
                [] => "they have no type in common".to_owned(),
                both => format!("both have {}", both.join(", ")),
            };
            Problem::invalid(format!(
                "the left profile has the type {kind:?} in {unit:?}, but the right one doesn't; {both}"
            ))
        })?;
        let finer = finer_unit(unit, &of_right[place].1).unwrap_or(unit);
        let converted = in_unit(&opened.profile, place, finer).map_err(Problem::invalid)?;
        let right = tree(&converted, place)?;
        drop(converted);
        drop(opened);
        if finer != unit {
            let (_, opened) = self.stored(left).await?;
            let converted = in_unit(&opened.profile, column, finer).map_err(Problem::invalid)?;
            base = tree(&converted, column)?;
            profile_type = flamebearer::profile_type(&converted, column);
        }
        let graph = flamegraph::diff(&base, &right, max_nodes)?;
        let answer: legacy::RenderDiff<'_> = legacy::double(&graph, &profile_type);
        Ok(AdHocProfilesDiffResponse {
            profile_types: distinct(both),
            flamebearer_profile: serde_json::to_string(&answer).map_err(Problem::internal)?,
        })
    }

    /// A share by its name and what is in it.
    async fn stored(&self, id: ShareId) -> Result<(String, Opened), Problem> {
        let read = shares::read(&self.bucket, self.tenant, id, self.now, &self.admission);
        let (share, permit) = read.await?;
        // Given back before more is asked for, so that two of these never wait for each other.
        drop(permit);
        let opened = self.open(&share.content).await?;
        Ok((share.name, opened))
    }

    /// Opens a file with room for what it says of itself; one that inflates to more than that is
    /// opened again with room for the largest.
    async fn open(&self, file: &[u8]) -> Result<Opened, Problem> {
        let mut room = push_claims(file);
        loop {
            let permit = self.admission.enter(OPEN_FACTOR * room as u64).await?;
            match imports::open_uploaded(file, room) {
                Ok(opened) => {
                    let profile = opened.decoded.profile;
                    let types = types(&profile);
                    return Ok(Opened {
                        profile,
                        types,
                        _permit: permit,
                    });
                }
                Err(error) if error.is_too_large() && room < MAX_PUSH_BYTES => {
                    room = MAX_PUSH_BYTES;
                }
                Err(error) => return Err(refused(&error)),
            }
        }
    }
}

/// The bytes of an uploaded file.
fn file(base64: &str) -> Result<Vec<u8>, Problem> {
    if base64.is_empty() {
        return Err(Problem::invalid("the profile is missing"));
    }
    BASE64
        .decode(base64)
        .map_err(|error| Problem::invalid(format!("the profile is not valid base64: {error}")))
}

/// Why a file cannot be looked at.
fn refused(error: &ImportError) -> Problem {
    match error {
        ImportError::Unsupported(format) => Problem::invalid(format!(
            "this is {format}; the supported formats are pprof, its predecessors, JFR, speedscope, folded stacks, Pyroscope flame graphs (JSON), and perf script output"
        )),
        error if error.is_too_large() => Problem::new(413, "resource_exhausted", error),
        error => Problem::invalid(error),
    }
}

fn id(field: &str, text: &str) -> Result<ShareId, Problem> {
    let wrong = |error| Problem::invalid(format!("{field}: {error}"));
    text.parse().map_err(wrong)
}

/// The flame graph of a profile, as an answer that does not say of which share.
fn drawn(
    opened: Opened,
    asked: Option<&str>,
    max_nodes: Option<i64>,
) -> Result<AdHocProfilesGetResponse, Problem> {
    let max_nodes = NODES.checked(max_nodes)?;
    let Opened { profile, types, .. } = &opened;
    let column = column(profile, types, asked)?;
    let graph = pyroscope::flame_graph(&tree(profile, column)?, max_nodes);
    flamegraph::check_names(&graph.names)?;
    let profile_type = flamebearer::profile_type(profile, column);
    Ok(AdHocProfilesGetResponse {
        profile_type: types[column].clone(),
        flamebearer_profile: flamebearer::encode_graph(&graph, &profile_type),
        profile_types: distinct(opened.types),
        ..AdHocProfilesGetResponse::default()
    })
}

/// The call tree of a sample type, if it is not too large.
fn tree(profile: &Profile, column: usize) -> Result<CallTree, Problem> {
    let nodes = CallTree::rows(profile, column);
    if nodes > MAX_TREE_NODES {
        let message = format!(
            "the profile has {nodes} different calls; at most {MAX_TREE_NODES} can be drawn; open it at /file instead"
        );
        return Err(Problem::new(413, "resource_exhausted", message));
    }
    Ok(CallTree::new(profile, column, By::Name))
}
