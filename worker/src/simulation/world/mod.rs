//! Tenants' shards over SQLite and a bucket in memory, asked through the same packets, on a clock of
//! their own, with failures at will.

mod clock;
pub(super) mod faults;
mod host;
mod profiles;
pub(super) mod receiver;

use std::collections::BTreeMap;
use std::rc::Rc;

use pilotlight_core::{
    Profile, ProfileType, Selector, TimeRange, UnixNanos,
    ingest::{Push, ingest},
    plans::{MAX_PARTITION_BYTES, QueryAnswer},
    pprof,
};

use crate::api::query::{Queries, QueryRunner};
use crate::bucket::memory::MemoryBucket;
use crate::maintenance::duty::VisitReport;
use crate::maintenance::rebuild as rebuild_catalog;
use crate::maintenance::visit;
use crate::meter::{DutyCounts, Meter};
use crate::platform::admission::{Admission, Memory};
use crate::platform::config::Flush;
use crate::platform::errors::Problem;
use crate::tenant::{Detail, OwnRetention, Shard, TenantClient, TenantShards, change_retention};
use clock::Clock;
pub(crate) use faults::Simulated;
use faults::{Faults, FaultyBucket};
use host::Host;
pub(crate) use host::{Line, RETENTION};
pub(crate) use profiles::{TYPE, chunk, counts};

pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The beginning of a day.
pub(crate) const BEGIN: i64 = 19_675 * DAY;

/// One world.
pub(crate) struct World {
    pub(crate) clock: Clock,
    pub(crate) bucket: MemoryBucket,
    pub(crate) faults: Faults,
    /// How much a partition of a job over blocks may hold.
    pub(crate) partition_bytes: u64,
    pub(crate) hosts: Vec<Rc<Host>>,
    /// The memory of the one isolate in which all of it runs.
    pub(crate) memory: Memory,
}

impl World {
    /// With objects of these names.
    pub(crate) fn new(names: &[&str]) -> Self {
        // So little that jobs over blocks take several partitions.
        Self {
            partition_bytes: 100,
            ..Self::with(
                names,
                Flush {
                    millis: 200,
                    bytes: 1 << 20,
                    pending: 4 << 20,
                },
            )
        }
    }

    pub(crate) fn with(names: &[&str], flush: Flush) -> Self {
        let (clock, bucket) = (Clock::new(BEGIN), MemoryBucket::default());
        let faults = Faults::new(&clock);
        let host = |name: &&str| {
            let platform = Simulated {
                clock: clock.clone(),
                faults: faults.clone(),
            };
            Rc::new(Host::new(name, bucket.clone(), platform, flush))
        };
        Self {
            partition_bytes: MAX_PARTITION_BYTES,
            hosts: names.iter().map(host).collect(),
            clock,
            bucket,
            faults,
            memory: Memory::default(),
        }
    }

    /// The bucket as the worker has it.
    pub(crate) fn faulty_bucket(&self) -> FaultyBucket<MemoryBucket> {
        FaultyBucket {
            bucket: self.bucket.clone(),
            faults: self.faults.clone(),
        }
    }

    /// All objects, as those of one tenant.
    pub(crate) fn tenant(&self) -> TenantShards<Line> {
        TenantShards::new(self.hosts.iter().cloned().map(Line))
    }

    /// One of them, as a tenant of its own.
    pub(crate) fn line(&self, host: usize) -> TenantShards<Line> {
        TenantShards::new([Line(self.hosts[host].clone())])
    }

    pub(crate) fn platform(&self) -> Simulated {
        Simulated {
            clock: self.clock.clone(),
            faults: self.faults.clone(),
        }
    }

    /// The way into that memory.
    pub(crate) fn admission(&self) -> Admission<Simulated> {
        Admission::new(self.platform(), &self.memory)
    }

    pub(crate) fn client(&self, host: usize) -> TenantClient<Line> {
        TenantClient::new(Line(self.hosts[host].clone()))
    }

    /// Changes what the tenant keeps.
    pub(crate) fn keep(&self, change: impl Fn(&mut OwnRetention)) {
        let (shard, now) = (self.shard(), || self.clock.now());
        let change = |own: &mut OwnRetention| {
            change(own);
            Ok(())
        };
        let changed = change_retention(&self.bucket, &shard.tenant, now, change);
        self.clock.run(changed).unwrap();
    }

    /// What a client does: sends, and sends again as often as told. Says whether it was told that
    /// the profile is stored.
    pub(crate) async fn push(&self, n: u32, retries: u32) -> bool {
        let chunk = chunk(n, self.clock.now());
        for _ in 0..=retries {
            if self
                .faults
                .invocation(self.tenant().append(&chunk))
                .await
                .is_ok()
            {
                return true;
            }
            self.clock.sleep(1_000).await;
        }
        false
    }

    /// Pushes a profile as an agent does, with this query of `/ingest`.
    pub(crate) fn push_profile(&self, query: &str, profile: &Profile) {
        let ingested = ingest(&Push {
            query,
            content_type: "",
            body: &pprof::encode_gzip(profile),
            tenant: "one",
            client: "192.0.2.1",
            now: UnixNanos::from_millis(self.clock.now()),
            limits: Default::default(),
        });
        for chunk in ingested.expect("a push").chunks {
            let stored = self.tenant();
            self.clock.run(stored.append(&chunk.bytes)).unwrap();
        }
    }

    /// What the schedule does with one shard; says whether more is due.
    pub(crate) async fn visit(&self, host: usize) -> Result<bool, Problem> {
        Ok(self.visit_report(host).await?.is_more_due())
    }

    /// What the schedule does with one shard.
    pub(crate) async fn visit_report(&self, host: usize) -> Result<VisitReport, Problem> {
        let (bucket, client, shard) = (
            self.faulty_bucket(),
            self.client(host),
            &self.hosts[host].shard,
        );
        let meter = Meter::default();
        self.faults
            .invocation(visit::visit(
                &bucket,
                &client,
                shard,
                self.partition_bytes,
                &self.admission(),
                &meter,
                &DutyCounts::default(),
            ))
            .await
    }

    /// The first shard's name.
    pub(crate) fn shard(&self) -> Shard {
        self.hosts[0].shard.clone()
    }

    /// Loses what the first shard's database had.
    pub(crate) fn wipe(&self) {
        self.hosts[0].wipe();
    }

    /// Rebuilds the first shard's catalog.
    pub(crate) async fn rebuild(&self) -> Result<rebuild_catalog::Report, Problem> {
        let (bucket, client, shard) = (self.faulty_bucket(), self.client(0), &self.hosts[0].shard);
        self.faults
            .invocation(rebuild_catalog::rebuild(
                &bucket,
                &client,
                shard,
                &self.admission(),
            ))
            .await
    }

    /// Visits the first shard until nothing is due.
    pub(crate) fn compact_all(&self) {
        let jobs = (0..100)
            .take_while(|_| self.clock.run(self.visit(0)).unwrap())
            .count();
        assert!(jobs < 100, "compaction comes to no end");
    }

    /// Everything that was ever pushed, merged.
    pub(crate) async fn query(&self) -> Result<QueryAnswer, Problem> {
        let range = TimeRange::of_millis(BEGIN - DAY, BEGIN + 100 * DAY);
        let profile_type: ProfileType = TYPE.parse().unwrap();
        let runner = QueryRunner::new(
            self.faulty_bucket(),
            self.tenant(),
            self.admission(),
            Meter::default(),
        );
        self.faults
            .invocation(runner.merged(&Selector::default(), &profile_type, range))
            .await
    }

    /// How often each profile is in the answer to a query.
    pub(crate) fn counts(&self) -> BTreeMap<u32, i64> {
        counts(&self.clock.run(self.query()).unwrap())
    }

    /// How many rows of tables the first shard has changed.
    pub(crate) fn rows_changed(&self) -> u64 {
        self.hosts[0].rows_changed()
    }

    /// Names of the objects that the catalogs have.
    pub(crate) fn live(&self) -> Vec<String> {
        let all = TimeRange::ALL;
        let mut keys: Vec<String> = self
            .clock
            .run(self.tenant().catalog(all, Detail::Each))
            .unwrap()
            .into_iter()
            .map(|object| object.key)
            .collect();
        keys.sort();
        keys
    }
}
