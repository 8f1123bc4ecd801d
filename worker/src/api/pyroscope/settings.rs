//! `settings.v1.SettingsService`: what pages of Grafana keep for a tenant.
//!
//! One object has all of a tenant's. It is not among the objects of the store, so the schedule does
//! not visit a tenant that has nothing else.

use std::collections::BTreeMap;

use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};

use super::messages::{
    DeleteSettingsRequest, DeleteSettingsResponse, GetSettingsRequest, GetSettingsResponse,
    SetSettingsRequest, SetSettingsResponse, Setting,
};
use super::unary::{Call, MAX_REQUEST};
use crate::auth::access::READ;
use crate::bucket::Bucket;
use crate::bucket::record::{self, JsonRecord};
use crate::http::endpoint::Endpoint;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Grafana has one token for all that it asks, and its pages keep their settings with it.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/settings.v1.SettingsService/Get",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let GetSettingsRequest {} = call.request()?;
                call.answer(&get(&scope.bucket()?, scope.tenant()).await?)
            })
        },
    ),
    Endpoint::post(
        "/settings.v1.SettingsService/Set",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let (bucket, tenant) = (scope.bucket()?, scope.tenant());
                call.answer(&set(&bucket, tenant, call.request()?, clock::now_millis).await?)
            })
        },
    ),
    Endpoint::post(
        "/settings.v1.SettingsService/Delete",
        READ,
        |request, scope| {
            Box::pin(async {
                let call = Call::read(request, scope, MAX_REQUEST).await?;
                let (bucket, tenant) = (scope.bucket()?, scope.tenant());
                call.answer(&delete(&bucket, tenant, call.request()?, clock::now_millis).await?)
            })
        },
    ),
];

/// Most settings of a tenant: 100. Grafana's app has one.
const MAX_SETTINGS: usize = 100;

/// Longest name in bytes.
const MAX_NAME: usize = 255;

/// Most bytes of all names and values of a tenant: 256 KiB. Each change reads and writes them.
const MAX_BYTES: usize = 256 << 10;

/// How far a time of a change may be ahead of the clock here: a day. A later one would keep a setting
/// as it is until then.
const MAX_AHEAD_MILLIS: i64 = 86_400_000;

/// The only version there is.
const VERSION: u32 = 1;

/// Where a tenant's settings are.
pub(crate) fn settings_key(tenant: &TenantId) -> String {
    format!("settings/{tenant}")
}

/// Settings by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    version: u32,
    settings: BTreeMap<String, Stored>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    value: String,
    /// Milliseconds since the epoch.
    modified_at: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: VERSION,
            settings: BTreeMap::new(),
        }
    }
}

impl JsonRecord for Settings {
    const WHAT: &'static str = "settings";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl Settings {
    /// Gives a setting its value; `wanted` was checked.
    fn set(&mut self, wanted: &Setting) -> Result<(), Problem> {
        let Setting {
            name,
            value,
            modified_at,
        } = wanted;
        self.check_newest(name, *modified_at)?;
        if self.settings.len() >= MAX_SETTINGS && !self.settings.contains_key(name) {
            let message = format!("there are {MAX_SETTINGS} settings, the maximum: delete one");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        let others = self.settings.iter().filter(|(other, _)| *other != name);
        let bytes: usize = others.map(|(name, s)| name.len() + s.value.len()).sum();
        if bytes + name.len() + value.len() > MAX_BYTES {
            let message = format!(
                "the setting has {} bytes and the others have {bytes}; their total can be at most {MAX_BYTES}",
                name.len() + value.len()
            );
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        let stored = Stored {
            value: value.clone(),
            modified_at: *modified_at,
        };
        self.settings.insert(name.clone(), stored);
        Ok(())
    }

    /// Takes a setting away; one that is not there is no error.
    fn delete(&mut self, name: &str, now: i64) -> Result<(), Problem> {
        self.check_newest(name, now)?;
        self.settings.remove(name);
        Ok(())
    }

    /// Whether a change at a time is not older than what is stored.
    fn check_newest(&self, name: &str, at: i64) -> Result<(), Problem> {
        match self.settings.get(name) {
            Some(stored) if stored.modified_at > at => {
                let message = format!(
                    "the setting {name:?} was changed at {}, later than this change ({at})",
                    stored.modified_at
                );
                Err(Problem::new(409, "already_exists", message))
            }
            _ => Ok(()),
        }
    }
}

async fn get(bucket: &impl Bucket, tenant: &TenantId) -> Result<GetSettingsResponse, Problem> {
    let stored: Settings = record::read(bucket, &settings_key(tenant)).await?;
    let message = |(name, Stored { value, modified_at })| Setting {
        name,
        value,
        modified_at,
    };
    let settings = stored.settings.into_iter().map(message).collect();
    Ok(GetSettingsResponse { settings })
}

async fn set(
    bucket: &impl Bucket,
    tenant: &TenantId,
    request: SetSettingsRequest,
    now: impl Fn() -> i64,
) -> Result<SetSettingsResponse, Problem> {
    let missing = || Problem::invalid("the setting is missing");
    let mut setting = request.setting.ok_or_else(missing)?;
    check_name(&setting.name)?;
    let at = now();
    match setting.modified_at {
        // As protobuf has it, that is not said.
        0 => setting.modified_at = at,
        // A clock that is ahead must not keep others from changing it.
        1.. if setting.modified_at <= at.saturating_add(MAX_AHEAD_MILLIS) => {
            setting.modified_at = setting.modified_at.min(at);
        }
        given => {
            return Err(Problem::invalid(format!(
                "modifiedAt must be milliseconds since 1970, up to a day from now (got {given})"
            )));
        }
    }
    let key = settings_key(tenant);
    record::change(bucket, &key, now, |stored: &mut Settings| {
        stored.set(&setting)
    })
    .await?;
    Ok(SetSettingsResponse {
        setting: Some(setting),
    })
}

async fn delete(
    bucket: &impl Bucket,
    tenant: &TenantId,
    DeleteSettingsRequest { name }: DeleteSettingsRequest,
    now: impl Fn() -> i64,
) -> Result<DeleteSettingsResponse, Problem> {
    check_name(&name)?;
    let (key, at) = (settings_key(tenant), now());
    record::change(bucket, &key, now, |stored: &mut Settings| {
        stored.delete(&name, at)
    })
    .await?;
    Ok(DeleteSettingsResponse {})
}

fn check_name(name: &str) -> Result<(), Problem> {
    if name.is_empty() {
        return Err(Problem::invalid("the name of the setting is missing"));
    }
    if name.len() > MAX_NAME {
        let message = format!(
            "the name of the setting has {} bytes; at most {MAX_NAME} are allowed",
            name.len()
        );
        return Err(Problem::invalid(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
