//! Profiles of React DevTools, of several releases.

use super::*;
use crate::imports::testing::drawn;

/// A profile of a root, in which `App` with `Row` was mounted before.
fn open(operations: &str, durations: &str) -> Result<Decoded, FormatError> {
    let text = format!(
        r#"{{"version":5,"dataForRoots":[{{"commitData":[{{"changeDescriptions":null,"duration":9.5,
        "fiberActualDurations":[[1,9.5]],"fiberSelfDurations":[{durations}],"timestamp":1500.5,
        "priorityLevel":"Normal"}}],"displayName":"App","initialTreeBaseDurations":[[1,2]],
        "operations":[{operations}],"rootID":1,"snapshots":[[1,{{"id":1,"children":[2],
        "displayName":null,"hocDisplayNames":null,"key":null,"type":11}}],[2,{{"id":2,"children":[3],
        "displayName":"App","type":5}}],[3,{{"id":3,"children":[],"displayName":"Row",
        "hocDisplayNames":["Memo","withTheme"],"key":"a","type":8}}]]}}],"timelineData":[]}}"#
    );
    assert!(sniff(Start::of(text.as_bytes())));
    decode(text.as_bytes())
}

#[test]
fn components_in_commits() {
    let decoded = open("[1,1,0,4,2,9500]", "[1,0],[2,0.5],[3,1.25]").expect("good");
    assert_eq!(
        drawn(&decoded.profile),
        "wall/nanoseconds\nrenders/count\n\
         App root=App 500000 1 @0\n\
         App;Memo(withTheme(Row)) root=App 1250000 1 @500000\n"
    );
    assert_eq!(decoded.warnings.len(), 0);
}

/// Texts `é` and `Forget[A]`; 4 is mounted below 2 and named `é`, 5 below it and has no name, 6 is
/// the other one.
#[test]
fn what_is_mounted_in_any_release() {
    let texts = "1,1,12,1,233,9,70,111,114,103,101,116,91,65,93";
    let durations = "[4,1],[5,2],[6,3]";
    for (release, operations) in [
        // Version 4, then strict mode, then names of their own.
        (
            "2",
            "1,9,11,1,1, 2,1,8, 1,4,5,2,0,1,0, 1,5,5,4,2,0,0, 1,6,5,4,2,2,0, 4,4,900",
        ),
        (
            "4",
            "1,9,11,1,1,1,1, 1,4,5,2,0,1,0, 3,2,2,4,3, 1,5,5,4,2,0,0, 5,4,1,0, 1,6,5,4,2,2,0",
        ),
        (
            "8",
            "1,9,11,0,1,1,1, 8,9,0,0,0,0, 1,4,5,2,0,1,0,0, 8,4,9,1,0,-1, 1,5,5,4,2,0,0,0,\
             1,6,5,4,2,2,0,0, 12,1,4,1,7,0,1,1",
        ),
        (
            "5",
            "1,9,11,1,1,1,1,1, 8,4,0,1,0,1,7,7,7,7, 1,4,5,2,0,1,0,0, 1,5,5,4,2,0,0,0, 7,4,1,\
               1,6,5,4,2,2,0,0, 12,2,4,1,0,1,1,1,5,1,0,1,0, 11,4,-1, 9,1,8, 10,4,0, 13,0, 6",
        ),
    ] {
        let decoded = open(&format!("[{texts},{operations}]"), durations).expect(release);
        assert_eq!(
            drawn(&decoded.profile),
            "wall/nanoseconds\nrenders/count\n\
             App;é root=App 1000000 1 @0\n\
             App;é;Anonymous root=App 2000000 1 @1000000\n\
             App;é;A root=App 3000000 1 @3000000\n",
            "{release}"
        );
        assert_eq!(decoded.warnings.len(), 0, "{release}");
    }
}

#[test]
fn what_is_wrong() {
    let decoded = open("[1,1,0,99],[1],[1,1,7]", "[3,1],[8,2]").expect("good");
    assert_eq!(
        decoded.warnings,
        [
            "3 lists of operations have an unknown layout; components mounted there have no names",
            "1 renders belong to components that the file does not name"
        ]
    );
    assert_eq!(decoded.profile.total(0), 3_000_000);
    // 4 is below 5 and 5 below 4.
    let error = open("[1,1,0,1,4,5,5,0,0,0,1,5,5,4,0,0,0]", "[4,1]").expect_err("a circle");
    assert!(
        error
            .to_string()
            .ends_with(": component 4 has more than 16384 ancestors, or is its own ancestor"),
        "{error}"
    );
    let error = decode(br#"{"version":5,"dataForRoots":7}"#).expect_err("is no list");
    assert_eq!(error.to_string(), "React profile, byte 28: expected a list");
    let error = decode(br#"{"version":5,"dataForRoots":[]}"#).expect_err("is empty");
    assert_eq!(error.to_string(), "React profile: there are no samples");
}

/// The way up is walked once, whatever is on it: else this would take a minute.
#[test]
fn roots_below_roots_take_no_time() {
    let snapshots: Vec<String> = (1..=9_000)
        .map(|id| format!(r#"[{id},{{"id":{id},"children":[{}],"type":11}}]"#, id + 1))
        .collect();
    let durations = vec!["[9000,1]"; 30_000].join(",");
    let text = format!(
        r#"{{"version":5,"dataForRoots":[{{"commitData":[{{"fiberSelfDurations":[{durations}],
        "timestamp":1}}],"displayName":"App","operations":[],"rootID":1,"snapshots":[{}]}}]}}"#,
        snapshots.join(",")
    );
    let decoded = decode(text.as_bytes()).expect("good");
    assert_eq!(decoded.profile.total(1), 30_000);
}
