//! Settings of a tenant: order of changes, bounds, and what is stored.

use std::cell::Cell;

use futures_util::FutureExt;

use super::*;
use crate::bucket::memory::MemoryBucket;
use crate::bucket::record::Record;

const NOW: i64 = 1_800_000_000_000;

fn done<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing waits")
}

fn tenant(name: &str) -> TenantId {
    name.parse().unwrap()
}

fn setting(name: &str, value: &str, modified_at: i64) -> Setting {
    Setting {
        name: name.to_owned(),
        value: value.to_owned(),
        modified_at,
    }
}

fn set_at(bucket: &MemoryBucket, setting: Setting) -> Result<Setting, (u16, String)> {
    let request = SetSettingsRequest {
        setting: Some(setting),
    };
    let answer = done(set(bucket, &tenant("a"), request, || NOW));
    answer
        .map(|answer| answer.setting.unwrap())
        .map_err(|problem| (problem.status, problem.code))
}

fn delete_at(bucket: &MemoryBucket, name: &str, now: i64) -> Result<(), u16> {
    let name = name.to_owned();
    let answer = done(delete(
        bucket,
        &tenant("a"),
        DeleteSettingsRequest { name },
        || now,
    ));
    answer.map(drop).map_err(|problem| problem.status)
}

fn names(bucket: &MemoryBucket, of: &str) -> Vec<(String, String)> {
    let answer = done(get(bucket, &tenant(of))).unwrap();
    let settings = answer.settings.into_iter();
    settings.map(|s| (s.name, s.value)).collect()
}

#[test]
fn what_is_set_is_there_until_it_is_deleted() {
    let bucket = MemoryBucket::default();
    assert_eq!(names(&bucket, "a"), []);
    let stored = setting("pluginSettings", "{\"maxNodes\":\"16384\"}", NOW);
    assert_eq!(set_at(&bucket, stored.clone()), Ok(stored));
    set_at(&bucket, setting("a", "1", NOW)).unwrap();
    let of = |text: &[(&str, &str)]| -> Vec<_> {
        text.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    assert_eq!(
        names(&bucket, "a"),
        of(&[("a", "1"), ("pluginSettings", "{\"maxNodes\":\"16384\"}")])
    );
    assert_eq!(names(&bucket, "b"), [], "another tenant's");
    assert_eq!(delete_at(&bucket, "pluginSettings", NOW), Ok(()));
    assert_eq!(delete_at(&bucket, "never", NOW), Ok(()));
    assert_eq!(names(&bucket, "a"), of(&[("a", "1")]));
    assert_eq!(bucket.keys(), ["settings/a"]);
}

#[test]
fn the_newest_change_counts() {
    let bucket = MemoryBucket::default();
    let code = |modified_at, value| {
        let answer = set_at(&bucket, setting("a", value, modified_at));
        answer.map(|s| s.modified_at).map_err(|(_, code)| code)
    };
    assert_eq!(code(NOW, "1"), Ok(NOW));
    assert_eq!(code(NOW - 1, "2"), Err("already_exists".to_owned()));
    assert_eq!(names(&bucket, "a")[0].1, "1");
    assert_eq!(code(NOW, "3"), Ok(NOW), "as old");
    assert_eq!(code(0, "4"), Ok(NOW), "now, when it does not say");
    let day = MAX_AHEAD_MILLIS;
    assert_eq!(
        code(NOW + day, "5"),
        Ok(NOW),
        "of a clock that is ahead, now"
    );
    assert_eq!(delete_at(&bucket, "a", NOW - 1), Err(409));
    assert_eq!(delete_at(&bucket, "a", NOW), Ok(()));
    for wrong in [NOW + day + 1, -1, i64::MIN, i64::MAX] {
        assert_eq!(code(wrong, "6"), Err("invalid_argument".to_owned()));
    }
    assert_eq!(names(&bucket, "a"), []);
}

#[test]
fn few_and_small() {
    let bucket = MemoryBucket::default();
    let status = |name: &str, value: &str| {
        let answer = set_at(&bucket, setting(name, value, NOW));
        answer.map(drop).map_err(|(status, _)| status)
    };
    assert_eq!(status("", "x"), Err(400));
    assert_eq!(status(&"n".repeat(MAX_NAME + 1), "x"), Err(400));
    let nothing = done(set(
        &bucket,
        &tenant("a"),
        SetSettingsRequest::default(),
        || NOW,
    ));
    assert_eq!(nothing.unwrap_err().message, "the setting is missing");
    assert_eq!(delete_at(&bucket, "", NOW), Err(400));
    assert_eq!(bucket.keys(), [""; 0], "nothing is stored");
    assert_eq!(status("a", &"v".repeat(MAX_BYTES)), Err(429));
    assert_eq!(status("a", &"v".repeat(MAX_BYTES - 2)), Ok(()));
    assert_eq!(status("b", ""), Ok(()), "the last byte");
    assert_eq!(status("b", "v"), Err(429));
    assert_eq!(status("a", ""), Ok(()), "what it replaces does not count");
    for n in 2..MAX_SETTINGS {
        assert_eq!(status(&n.to_string(), "v"), Ok(()));
    }
    assert_eq!(status("more", "v"), Err(429));
    assert_eq!(status("a", "again"), Ok(()));
}

#[test]
fn changes_at_the_same_time_are_both_kept() {
    let bucket = MemoryBucket::default();
    let first = Cell::new(true);
    let request = SetSettingsRequest {
        setting: Some(setting("a", "1", NOW)),
    };
    // The clock is asked between the read and the write.
    let calls = Cell::new(0);
    let now = || {
        calls.set(calls.get() + 1);
        if calls.get() > 1 && first.replace(false) {
            set_at(&bucket, setting("b", "2", NOW)).unwrap();
        }
        NOW
    };
    done(set(&bucket, &tenant("a"), request, now)).unwrap();
    assert_eq!(names(&bucket, "a").len(), 2);
    assert_eq!(calls.get(), 3, "it began again");
}

#[test]
fn as_they_are_stored() {
    let mut settings = Settings::default();
    settings.set(&setting("a", "1", 5)).unwrap();
    let bytes = settings.encode().unwrap();
    assert_eq!(
        String::from_utf8(bytes.clone()).unwrap(),
        r#"{"version":1,"settings":{"a":{"value":"1","modified_at":5}}}"#
    );
    assert_eq!(Settings::decode(&bytes).unwrap(), settings);
    assert!(Settings::decode(br#"{"version":2,"settings":{}}"#).is_err());
    let bucket = MemoryBucket::default();
    set_at(&bucket, setting("a", "1", 5)).unwrap();
    bucket.damage("settings/a", |bytes| bytes.truncate(10));
    assert_eq!(
        set_at(&bucket, setting("a", "2", 6)).map_err(|(s, _)| s),
        Err(500)
    );
}
