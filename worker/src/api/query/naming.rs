//! Names for addresses that profiles came without, from the symbol tables of their tenants.
//!
//! A sum is right without them: what a table or a sum is too large for leaves addresses as they are,
//! and is noted. What passes, such as too much that is read at once, is an error instead: of the two
//! sides of a comparison one would have names and the other none.

use std::cell::Cell;

use pilotlight_core::Profile;
use pilotlight_core::store::{SymbolTable, TenantId};
use pilotlight_core::verbs::SymbolFrame;
use pilotlight_core::verbs::programs::{Fit, Symbols, name_addresses, wanted_ids};

use crate::api::symbols::{Listed, SymbolTables, list_key};
use crate::bucket::{Bucket, record};
use crate::platform::Platform;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;

/// Most tables of a query: each is a read, and the free plan allows 50.
const MAX_TABLES: usize = 16;

/// Most programs that are looked for: those with most addresses.
const MAX_WANTED: usize = 64;

/// Most mappings of a sum that is named: 128 Ki, a fleet of 4,000 processes with 32 libraries.
const MAX_MAPPINGS: usize = 128 << 10;

/// Most bytes that names of a query come to, each frame by itself: 16 MiB, some 100,000 frames.
const MAX_NAMED: usize = 16 << 20;

/// Most bytes that a table and a sum take while it is named: 48 MiB of the 60 that plans have.
const MAX_MEMORY: u64 = 48 << 20;

/// Bytes of a frame beside its texts.
const FRAME: usize = 32;

/// Names the addresses of a sum as far as the tenants have tables of its programs. A sum without
/// bare addresses of programs with build ids costs no read. Fails with 503 while memory is short.
pub(super) async fn named<P: Platform>(
    mut profile: Profile,
    tenants: &[TenantId],
    bucket: &impl Bucket,
    admission: &Admission<P>,
) -> Result<Profile, Problem> {
    if tenants.is_empty() {
        return Ok(profile);
    }
    if profile.mappings().len() > MAX_MAPPINGS {
        admission
            .platform
            .note("a query result was not symbolized: too many mappings");
        return Ok(profile);
    }
    // The plan that made the sum holds nothing any more.
    let held = admission.hold();
    let left = Cell::new(MAX_NAMED);
    let mut reads = 0;
    for tenant in tenants {
        let mut wanted = wanted_ids(&profile);
        wanted.truncate(MAX_WANTED);
        if wanted.is_empty() {
            break;
        }
        admission.resize(&held, profile.table_bytes())?;
        let list = match record::read::<SymbolTables>(bucket, &list_key(tenant)).await {
            Ok(list) => list.of(&wanted),
            Err(problem) => {
                admission.platform.note(&problem.message);
                continue;
            }
        };
        for listed in list {
            reads += 1;
            if reads > MAX_TABLES {
                let message =
                    "a query result was only partially symbolized: too many symbol tables";
                admission.platform.note(message);
                return Ok(profile);
            }
            match named_by(&profile, &listed, tenant, bucket, admission, &left).await {
                Ok(Some(named)) => profile = named,
                // It was replaced or deleted meanwhile.
                Ok(None) => {}
                Err(problem) if problem.status == 503 => return Err(problem),
                Err(problem) => admission.platform.note(&problem.message),
            }
        }
    }
    if left.get() == 0 {
        admission
            .platform
            .note("a query result was only partially symbolized: too many addresses");
    }
    Ok(profile)
}

/// The same by one table; `None` where it is not there.
async fn named_by<P: Platform>(
    profile: &Profile,
    listed: &Listed,
    tenant: &TenantId,
    bucket: &impl Bucket,
    admission: &Admission<P>,
    left: &Cell<usize>,
) -> Result<Option<Profile>, Problem> {
    let key = listed.key(tenant);
    let memory = listed.memory() + 3 * profile.table_bytes() as u64;
    if memory > MAX_MEMORY {
        let message = format!(
            "object {key} was skipped: together with the query result, it needs {memory} bytes"
        );
        return Err(Problem::internal(message));
    }
    let _permit = admission.enter(listed.memory()).await?;
    let Some(object) = bucket.get(&key, None).await? else {
        return Ok(None);
    };
    let table = SymbolTable::decode(&object.bytes)
        .map_err(|error| Problem::internal(format!("symbol table {key} can't be read: {error}")))?;
    let fit = Fit::of(&table.identity(), profile);
    let symbols = Bounded {
        table: &table,
        left,
    };
    Ok(Some(
        name_addresses(profile, &fit, &table.head().layout, &symbols).0,
    ))
}

/// A table of which so many bytes are left to be taken.
struct Bounded<'a> {
    table: &'a SymbolTable,
    left: &'a Cell<usize>,
}

impl Symbols for Bounded<'_> {
    fn frames(&self, address: u64, frames: &mut Vec<SymbolFrame>) {
        if self.left.get() == 0 {
            return;
        }
        self.table.frames(address, frames);
        let size = |frame: &SymbolFrame| {
            FRAME + frame.name.len() + frame.system_name.len() + frame.file.len()
        };
        let taken: usize = frames.iter().map(size).sum();
        self.left.set(self.left.get().saturating_sub(taken));
    }
}
