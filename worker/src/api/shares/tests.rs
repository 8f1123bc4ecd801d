//! Shares, from their creation until they expire.

use futures_util::FutureExt;
use pilotlight_core::store::ObjectKey;

use super::{DAY_MILLIS as DAY, *};
use crate::api::admin::delete_tenant::delete_tenant;
use crate::api::alerts::record::alerts_key;
use crate::api::annotations::annotations_key;
use crate::api::pyroscope::settings_key;
use crate::api::rules::record::rules_key;
use crate::api::rules::remote_write::progress_key;
use crate::bucket::memory::MemoryBucket;
use crate::simulation::{HOUR, Simulated, World};
use crate::tenant::retention_key;

/// The last millisecond of a day.
const NOW: i64 = 20_000 * DAY - 1;

fn done<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing waits")
}

fn tenant(name: &str) -> TenantId {
    name.parse().unwrap()
}

fn share<'a>(name: &'a str, content: &'a [u8], days: usize) -> NewShare<'a> {
    NewShare {
        name,
        content,
        days,
    }
}

fn admission() -> Admission<Simulated> {
    World::new(&["a"]).admission()
}

fn put(bucket: &MemoryBucket, content: &[u8], days: usize) -> ShareId {
    let created = done(create(bucket, &tenant("a"), share("n", content, days), NOW)).unwrap();
    created.id.parse().unwrap()
}

fn status<T: std::fmt::Debug>(result: Result<T, Problem>) -> u16 {
    result.unwrap_err().status
}

#[test]
fn what_is_shared_is_read_back_until_its_day_is_over() {
    let (bucket, a) = (MemoryBucket::default(), tenant("a"));
    let wanted = share("night.pb.gz", b"profile", 1);
    let created = done(create(&bucket, &a, wanted, NOW)).unwrap();
    assert_eq!((created.expires, created.size), (NOW + 1 + DAY, 7));
    let id: ShareId = created.id.parse().unwrap();
    let read = |now| done(read(&bucket, &a, id, now, &admission())).map(|(shared, _)| shared);
    let expect = Shared {
        name: "night.pb.gz".to_owned(),
        content: b"profile".to_vec(),
    };
    assert_eq!(read(NOW), Ok(expect));
    assert!(read(created.expires - 1).is_ok());
    let problem = read(created.expires).unwrap_err();
    assert_eq!(problem.status, 410);
    assert!(problem.message.contains("expired"), "{}", problem.message);
}

#[test]
fn the_same_is_stored_once() {
    let bucket = MemoryBucket::default();
    let first = put(&bucket, b"profile", 30);
    assert_eq!(put(&bucket, b"profile", 30), first);
    assert_eq!(bucket.keys(), [first.key(&tenant("a"))]);
    let others = [put(&bucket, b"profile", 31), put(&bucket, b"other", 30)];
    assert!(!others.contains(&first));
    let renamed = share("m", b"profile", 30);
    let renamed = done(create(&bucket, &tenant("a"), renamed, NOW)).unwrap();
    assert_ne!(renamed.id, first.to_string());
    assert_eq!(bucket.keys().len(), 4);
}

#[test]
fn another_tenant_sees_none_of_it() {
    let bucket = MemoryBucket::default();
    let (id, b) = (put(&bucket, b"profile", 30), tenant("b"));
    assert_eq!(status(done(read(&bucket, &b, id, NOW, &admission()))), 404);
    assert_eq!(done(list(&bucket, &b, None, NOW)), Ok(Listing::default()));
    let longer = tenant("aa");
    assert_eq!(
        done(list(&bucket, &longer, None, NOW)),
        Ok(Listing::default())
    );
}

#[test]
fn what_cannot_be_shared() {
    let (bucket, a) = (MemoryBucket::default(), tenant("a"));
    let large = vec![0; MAX_SHARE_BYTES + 1];
    let long = "n".repeat(256);
    for (wanted, expect) in [
        (share("n", &large, 1), 413),
        (share("n", b"", 1), 400),
        (share(&long, b"x", 1), 400),
        (share("a\r\nb", b"x", 1), 400),
    ] {
        assert_eq!(status(done(create(&bucket, &a, wanted, NOW))), expect);
    }
    assert!(bucket.keys().is_empty());
    put(&bucket, &large[1..], 1);
}

#[test]
fn a_large_one_is_read_whole_and_a_damaged_one_not_at_all() {
    let (bucket, a) = (MemoryBucket::default(), tenant("a"));
    let world = World::new(&["a"]);
    for length in [AT_ONCE as usize, AT_ONCE as usize + 1, 1] {
        let content = vec![7; length];
        let id = put(&bucket, &content, 30);
        let (shared, permit) = done(read(&bucket, &a, id, NOW, &world.admission())).unwrap();
        assert!(shared.content == content, "{length} bytes");
        assert!(
            world.memory.admitted().bytes >= READ_FACTOR * length as u64,
            "until it is answered"
        );
        drop((shared, permit));
        assert_eq!(world.memory.admitted().bytes, 0);
        bucket.damage(&id.key(&a), |bytes| *bytes.last_mut().unwrap() ^= 1);
        let problem = done(read(&bucket, &a, id, NOW, &world.admission())).unwrap_err();
        assert_eq!((problem.status, problem.object), (500, Some(id.key(&a))));
    }
}

#[test]
fn lists_have_pages() {
    let (bucket, a) = (MemoryBucket::default(), tenant("a"));
    let name = |n: usize| format!("{n}.pb.gz");
    for n in 0..PAGE + 3 {
        let name = name(n);
        done(create(&bucket, &a, share(&name, b"four", 1 + n), NOW)).unwrap();
    }
    let other = format!("{}notes", shares_prefix(&a));
    done(bucket.put(&other, vec![1], Condition::None)).unwrap();
    let first = done(list(&bucket, &a, None, NOW)).unwrap();
    let names = |page: &Listing| {
        page.shares
            .iter()
            .map(|s| s.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&first), (0..PAGE).map(name).collect::<Vec<_>>());
    assert_eq!(
        (first.shares[0].size, first.shares[0].expires),
        (4, NOW + 1 + DAY)
    );
    let after = first.next.map(|next| next.parse().unwrap());
    let last = done(list(&bucket, &a, after, NOW)).unwrap();
    assert_eq!(names(&last), (PAGE..PAGE + 3).map(name).collect::<Vec<_>>());
    assert_eq!(last.next, None);
    // Two days later the first is over; one that is damaged is left out.
    let second: ShareId = first.shares[1].id.parse().unwrap();
    bucket.damage(&second.key(&a), |bytes| bytes.truncate(9));
    let later = done(list(&bucket, &a, None, NOW + 1 + DAY)).unwrap();
    assert_eq!(names(&later), (2..PAGE + 1).map(name).collect::<Vec<_>>());
}

#[test]
fn a_tenant_has_so_many_and_no_more() {
    let (bucket, a) = (MemoryBucket::default(), tenant("a"));
    let days = |n: usize| 1 + n % 2;
    for n in 0..MAX_SHARES {
        put(&bucket, &n.to_le_bytes(), days(n));
    }
    let more = || done(create(&bucket, &a, share("n", b"more", 1), NOW));
    assert_eq!(more().unwrap_err().status, 429);
    assert!(
        done(create(
            &bucket,
            &a,
            share("n", &7_usize.to_le_bytes(), days(7)),
            NOW
        ))
        .is_ok(),
        "one that is there"
    );
    let tomorrow = done(create(&bucket, &a, share("n", b"more", 1), NOW + 1 + DAY));
    assert!(tomorrow.is_ok(), "half of them have expired");
    // Of the three pages that the bucket lists by then, the first is of what has expired.
    let month_later = NOW + 31 * DAY;
    for n in 0..MAX_SHARES {
        let (name, content) = (format!("{n}"), n.to_le_bytes());
        let wanted = share(&name, &content, 30);
        assert!(done(create(&bucket, &a, wanted, month_later)).is_ok());
    }
    let more = done(create(&bucket, &a, share("n", b"more", 1), month_later));
    assert_eq!(more.unwrap_err().status, 429);
}

#[test]
fn names_in_headers() {
    for (name, expect) in [
        ("night.pb.gz", "night.pb.gz"),
        ("a b\"c;d", "a%20b%22c%3Bd"),
        ("ü/..%", "%C3%BC%2F..%25"),
    ] {
        assert_eq!(
            disposition(name),
            format!("attachment; filename*=UTF-8''{expect}")
        );
    }
}

/// A world with profiles, and shares for one and for ten days.
fn stored() -> (World, ShareId, ShareId) {
    let world = World::new(&["a", "a/s1"]);
    assert!(world.clock.run(world.push(0, 0)));
    let now = world.clock.now();
    let share = |days| {
        let (a, wanted) = (tenant("a"), share("n", b"profile", days));
        let created = done(create(&world.bucket, &a, wanted, now)).unwrap();
        created.id.parse().unwrap()
    };
    let (short, long) = (share(1), share(10));
    (world, short, long)
}

fn shares(world: &World) -> Vec<String> {
    let keys = world.bucket.keys().into_iter();
    keys.filter(|key| key.contains("/shares/")).collect()
}

#[test]
fn the_schedule_deletes_what_has_expired() {
    let (world, short, long) = stored();
    let a = tenant("a");
    let visit_all = || [0, 1].map(|host| while world.clock.run(world.visit(host)).unwrap() {});
    visit_all();
    world
        .clock
        .advance(short.expires_millis() - 1 - world.clock.now());
    visit_all();
    assert_eq!(shares(&world), [short.key(&a), long.key(&a)]);
    // Sweeps are six hours apart.
    world.clock.advance(6 * HOUR);
    visit_all();
    assert_eq!(shares(&world), [long.key(&a)]);
    world.clock.advance(11 * DAY);
    visit_all();
    assert_eq!(shares(&world), Vec::<String>::new());
    assert_eq!(world.counts().len(), 1, "profiles stay");
}

#[test]
fn a_rebuild_passes_over_shares() {
    let (world, short, long) = stored();
    world.clock.run(world.rebuild()).unwrap();
    assert_eq!(world.counts().len(), 1);
    assert_eq!(shares(&world), [short, long].map(|id| id.key(&tenant("a"))));
    assert!(shares(&world)[0].parse::<ObjectKey>().is_err());
}

#[test]
fn a_tenant_is_deleted_with_all_that_is_its_own() {
    let (world, ..) = stored();
    let b = tenant("b");
    let kept = create(
        &world.bucket,
        &b,
        share("n", b"profile", 1),
        world.clock.now(),
    );
    let kept: ShareId = done(kept).unwrap().id.parse().unwrap();
    let others = ["a", "b"].map(|name| {
        let tenant = tenant(name);
        [
            settings_key,
            annotations_key,
            retention_key,
            rules_key,
            alerts_key,
            progress_key,
        ]
        .map(|key| key(&tenant))
    });
    for key in others.iter().flatten() {
        done(world.bucket.put(key, vec![1], Condition::None)).unwrap();
    }
    // At once: however young they are, no row of theirs is yet to come.
    let (a, shards) = (tenant("a"), world.tenant());
    let deletion = delete_tenant(&world.bucket, &shards, &a, 0);
    assert!(world.clock.run(deletion).is_ok());
    assert_eq!(shares(&world), [kept.key(&b)]);
    let left = others.map(|keys| keys.map(|key| world.bucket.keys().contains(&key)));
    assert_eq!(
        left,
        [[false; 6], [true; 6]],
        "settings, annotations, retention, rules, alerts and remote write"
    );
}
