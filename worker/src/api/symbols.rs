//! Symbol tables: names for addresses that profiles came without. A page reads them from a program
//! that somebody drops, and every query takes them from then on.
//!
//! | call | answer |
//! |---|---|
//! | `POST …/api/v1/symbols` with the bytes of a table | 201, the table as it is listed; that of the same program before it is gone |
//! | `GET …/api/v1/symbols` | `{"tables":[{"id","build_ids","file","size","functions","lines","created"}]}`, the oldest first |
//! | `DELETE …/api/v1/symbols?id` | 204 |
//!
//! One record lists a tenant's tables, so that a query finds those that it needs with one read.

use pilotlight_core::store::{
    MAX_SYMBOL_TABLE, SymbolTable, SymbolTableError, SymbolTableId, TenantId, symbols_prefix,
};
use pilotlight_core::verbs::programs::BuildId;
use serde::{Deserialize, Serialize};
use worker::{Request, Response, ResponseBuilder};

use crate::auth::access::{PUSH, READ};
use crate::bucket::record::{self, JsonRecord};
use crate::bucket::{Bucket, Condition};
use crate::http::body;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Who may push profiles may name what is in them.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/symbols", READ, |_, scope| Box::pin(list(scope))),
    Endpoint::post("/api/v1/symbols", PUSH, |request, scope| {
        Box::pin(upload(request, scope))
    }),
    Endpoint::delete("/api/v1/symbols", PUSH, |request, scope| {
        Box::pin(remove(request, scope))
    }),
];

/// Most tables of a tenant: 256, of some 200 bytes each in the record.
const MAX_TABLES: usize = 256;

/// How many times the bytes of its columns a table may take while it is read.
const READ_FACTOR: u64 = 15;

/// The only version there is.
const VERSION: u32 = 1;

/// A table as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// The end of the object's name.
    id: String,
    build_ids: Vec<String>,
    file: String,
    /// Bytes as they are stored.
    size: u64,
    /// About how many bytes it takes in memory.
    memory: u64,
    functions: u64,
    /// Whether it knows lines.
    lines: bool,
    /// Milliseconds since the epoch.
    created: i64,
}

/// A tenant's tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SymbolTables {
    version: u32,
    tables: Vec<Listed>,
}

#[derive(Serialize)]
struct Listing {
    tables: Vec<Listed>,
}

impl Default for SymbolTables {
    fn default() -> Self {
        Self {
            version: VERSION,
            tables: Vec::new(),
        }
    }
}

impl JsonRecord for SymbolTables {
    const WHAT: &'static str = "lists of symbol tables";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

/// Where the list of a tenant's tables is.
pub(crate) fn list_key(tenant: &TenantId) -> String {
    format!("{}list", symbols_prefix(tenant))
}

impl Listed {
    /// Reads a table, and says how it is listed.
    pub(crate) fn of(object: &[u8], now: i64) -> Result<Self, Problem> {
        let table = SymbolTable::decode(object)?;
        let head = table.head();
        Ok(Self {
            id: SymbolTableId::of(object).to_string(),
            build_ids: head.ids.clone(),
            file: head.file.clone(),
            size: object.len() as u64,
            memory: table.memory() as u64,
            functions: table.functions() as u64,
            lines: table.has_lines(),
            created: now,
        })
    }

    /// The name of the object.
    pub(crate) fn key(&self, tenant: &TenantId) -> String {
        format!("{}{}", symbols_prefix(tenant), self.id)
    }

    /// About how many bytes of memory it takes while it is read.
    pub(crate) fn memory(&self) -> u64 {
        // It is read into columns first.
        self.memory.saturating_mul(2)
    }

    /// By what its program is told.
    fn ids(&self) -> Vec<BuildId> {
        let ids = self.build_ids.iter();
        ids.filter_map(|id| BuildId::of(id)).collect()
    }
}

impl SymbolTables {
    /// Those of programs with these build ids, in order of these.
    pub(crate) fn of(&self, ids: &[&str]) -> Vec<Listed> {
        let own: Vec<_> = self
            .tables
            .iter()
            .map(|table| (table, table.ids()))
            .collect();
        let mut found: Vec<&Listed> = Vec::new();
        for id in ids.iter().filter_map(|id| BuildId::of(id)) {
            let of_id = own
                .iter()
                .find(|(_, own)| own.iter().any(|own| own.is_same(&id)));
            if let Some((table, _)) = of_id
                && found.iter().all(|known| known.id != table.id)
            {
                found.push(table);
            }
        }
        found.into_iter().cloned().collect()
    }

    /// Adds one in place of those of the same program, and gives their ids. What has lines, or more
    /// functions where both have none, is not replaced by what says less, such as the table of a
    /// program without debug information.
    fn add(&mut self, new: &Listed) -> Result<Vec<String>, Problem> {
        let ids = new.ids();
        let is_same = |own: BuildId| ids.iter().any(|id| own.is_same(id));
        let (replaced, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.tables)
            .into_iter()
            .partition(|table| table.ids().into_iter().any(is_same));
        let says_more = |old: &&Listed| (old.lines, old.functions) > (new.lines, new.functions);
        if let Some(better) = replaced.iter().filter(|_| !new.lines).find(says_more) {
            let message = format!(
                "a symbol table with more functions or lines, from {}, is already stored for this binary: delete it first",
                better.file
            );
            return Err(Problem::new(409, "already_exists", message));
        }
        self.tables = kept;
        if self.tables.len() >= MAX_TABLES {
            let message = format!(
                "this tenant has {MAX_TABLES} symbol tables, the maximum: delete one first"
            );
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.tables.push(new.clone());
        let replaced = replaced.into_iter().map(|table| table.id);
        Ok(replaced.filter(|id| *id != new.id).collect())
    }

    fn delete(&mut self, id: &str) -> Result<(), Problem> {
        let before = self.tables.len();
        self.tables.retain(|table| table.id != id);
        match self.tables.len() == before {
            true => Err(Problem::new(
                404,
                "not_found",
                format!("symbol table {id:?} not found"),
            )),
            false => Ok(()),
        }
    }
}

impl From<SymbolTableError> for Problem {
    fn from(error: SymbolTableError) -> Self {
        match error {
            SymbolTableError::TooLarge { .. } => Self::new(413, "resource_exhausted", error),
            _ => Self::invalid(error),
        }
    }
}

async fn upload(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, tenant) = (scope.bucket()?, scope.tenant());
    let (now, rate) = (clock::now_millis(), scope.limits.rate());
    scope.isolate().rates.admit(tenant.as_str(), rate, now)?;
    let object = body::read(request, &scope.isolate().bodies, MAX_SYMBOL_TABLE).await?;
    scope
        .isolate()
        .rates
        .charge(tenant.as_str(), rate, object.len() as u64, now);
    let memory = SymbolTable::columns(&object)? as u64 * READ_FACTOR;
    let permit = scope.admission().enter(memory).await?;
    let listed = Listed::of(&object, now)?;
    drop(permit);
    let listed = store(&bucket, tenant, &object, listed).await?;
    Ok(ResponseBuilder::new().with_status(201).from_json(&listed)?)
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    let key = list_key(scope.tenant());
    let SymbolTables { tables, .. } = record::read(&scope.bucket()?, &key).await?;
    Ok(Response::from_json(&Listing { tables })?)
}

async fn remove(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, parameters) = (scope.bucket()?, Parameters::of(request));
    delete(&bucket, scope.tenant(), parameters.required("id")?).await?;
    Ok(Response::empty()?.with_status(204))
}

/// Stores a table, which was read before, and lists it.
pub(crate) async fn store(
    bucket: &impl Bucket,
    tenant: &TenantId,
    object: &[u8],
    listed: Listed,
) -> Result<Listed, Problem> {
    let add = |tables: &mut SymbolTables| tables.add(&listed);
    // What would not be listed is not written, and what is listed is there.
    add(&mut record::read(bucket, &list_key(tenant)).await?)?;
    let key = listed.key(tenant);
    bucket.put(&key, object.to_vec(), Condition::None).await?;
    let now = listed.created;
    match record::change(bucket, &list_key(tenant), || now, add).await {
        Ok(changed) => forget(bucket, tenant, changed.outcome).await?,
        Err(problem) => {
            // Others took the last places meanwhile.
            forget(bucket, tenant, vec![listed.id]).await?;
            return Err(problem);
        }
    }
    Ok(listed)
}

/// Deletes tables that are no longer listed, unless somebody has stored them again meanwhile.
async fn forget(
    bucket: &impl Bucket,
    tenant: &TenantId,
    mut ids: Vec<String>,
) -> Result<(), Problem> {
    if ids.is_empty() {
        return Ok(());
    }
    let list: SymbolTables = record::read(bucket, &list_key(tenant)).await?;
    ids.retain(|id| list.tables.iter().all(|table| table.id != *id));
    let prefix = symbols_prefix(tenant);
    let keys: Vec<String> = ids.iter().map(|id| format!("{prefix}{id}")).collect();
    Ok(bucket.delete(&keys).await?)
}

async fn delete(bucket: &impl Bucket, tenant: &TenantId, id: &str) -> Result<(), Problem> {
    let delete = |tables: &mut SymbolTables| tables.delete(id);
    record::change(bucket, &list_key(tenant), clock::now_millis, delete).await?;
    forget(bucket, tenant, vec![id.to_owned()]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::record::Record;

    fn table(id: &str, build_ids: &[&str]) -> Listed {
        Listed {
            id: id.to_owned(),
            build_ids: build_ids.iter().map(|&id| id.to_owned()).collect(),
            file: "shop".to_owned(),
            size: 1,
            memory: 1,
            functions: 1,
            lines: true,
            created: 0,
        }
    }

    fn ids(tables: &SymbolTables) -> Vec<&str> {
        tables.tables.iter().map(|table| &*table.id).collect()
    }

    #[test]
    fn one_of_each_program() {
        let gnu = "0123456789abcdef00112233445566778899aabb";
        let breakpad = "67452301AB89EFCD00112233445566770";
        let mut all = SymbolTables::default();
        assert_eq!(all.add(&table("1", &[gnu])).unwrap(), [""; 0]);
        let other = "cdcdcdcd";
        assert_eq!(all.add(&table("2", &[other])).unwrap(), [""; 0]);
        assert_eq!(
            all.add(&table("2", &[other])).unwrap(),
            [""; 0],
            "itself stays"
        );
        assert_eq!(
            all.add(&table("3", &[breakpad, "efefefef"])).unwrap(),
            ["1"]
        );
        assert_eq!(ids(&all), ["2", "3"]);
        let of = |wanted: &[&str]| -> Vec<String> {
            let found = all.of(wanted);
            found.into_iter().map(|table| table.id.clone()).collect()
        };
        assert_eq!(of(&["CDCDCDCD", "zzzzzzzz"]), ["2"]);
        assert_eq!(of(&[gnu]), ["3"], "the same program in another form");
        assert_eq!(
            of(&["efefefef", other, gnu]),
            ["3", "2"],
            "each once, in order"
        );
        assert_eq!(of(&["", "c"]), [""; 0]);
        assert_eq!(SymbolTables::decode(&all.encode().unwrap()).unwrap(), all);
        let poorer = Listed {
            lines: false,
            ..table("4", &[gnu])
        };
        assert_eq!(all.clone().add(&poorer).unwrap_err().status, 409);
        assert_eq!(all.delete("1").unwrap_err().status, 404);
        all.delete("3").unwrap();
        assert_eq!(ids(&all), ["2"]);
    }

    #[test]
    fn so_many_are_kept() {
        let mut all = SymbolTables::default();
        for i in 1..=MAX_TABLES {
            all.add(&table("x", &[&format!("{i:08x}")])).unwrap();
        }
        assert_eq!(all.add(&table("x", &["ffffffff"])).unwrap_err().status, 429);
        assert_eq!(all.tables.len(), MAX_TABLES);
        all.add(&table("y", &["00000007"])).unwrap();
    }
}
