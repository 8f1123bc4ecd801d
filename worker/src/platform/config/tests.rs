//! Defaults, and values that are refused.

use super::*;

fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
    Config::parse(|name| {
        pairs
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, v)| (*v).to_owned())
    })
    .map_err(|e| e.to_string())
}

#[test]
fn defaults_and_values() {
    let flush = Flush {
        millis: 6_000,
        bytes: 4 << 20,
        pending: 12 << 20,
    };
    let retention = Retention {
        raw_days: 30,
        sums_days: 400,
    };
    let part = 4 << 20;
    let defaults = Config {
        flush,
        auth: Auth::Required,
        admin_token: None,
        multitenancy: false,
        limits: Limits::default(),
        tenant_shards: 1,
        compact_grace_seconds: 600,
        subquery_bytes: part,
        retention,
    };
    assert_eq!(parse(&[]), Ok(defaults));
    let set = [
        ("FLUSH_MS", "20"),
        ("FLUSH_BYTES", "65536"),
        ("PENDING_BYTES", "100000"),
        ("AUTH", "open"),
        ("ADMIN_TOKEN_SHA256", &"0A".repeat(32)),
        ("MULTITENANCY", "true"),
        ("LIMITS", r#"{"ingestion_rate_mb":8}"#),
        ("TENANT_SHARDS", "4"),
        ("COMPACT_GRACE_SECONDS", "1"),
        ("SUBQUERY_BYTES", "65536"),
        ("RETENTION_RAW_DAYS", "7"),
        ("RETENTION_SUMS_DAYS", "7"),
    ];
    let flush = Flush {
        millis: 20,
        bytes: 65_536,
        pending: 100_000,
    };
    let retention = Retention {
        raw_days: 7,
        sums_days: 7,
    };
    let limits = limits::parse(br#"{"ingestion_rate_mb":8}"#).unwrap();
    let expect = Config {
        flush,
        auth: Auth::Open,
        admin_token: TokenDigest::from_hex(&"0a".repeat(32)),
        multitenancy: true,
        limits: Limits::default().with(&limits),
        tenant_shards: 4,
        compact_grace_seconds: 1,
        subquery_bytes: 65_536,
        retention,
    };
    assert_eq!(parse(&set), Ok(expect));
    let long = parse(&[("RETENTION_RAW_DAYS", "500")]).unwrap().retention;
    assert_eq!(
        long,
        Retention {
            raw_days: 500,
            sums_days: 500
        },
        "sums are kept as long at least"
    );
    let small = parse(&[("PENDING_BYTES", "70000")]).unwrap().flush;
    assert_eq!(
        (small.bytes, small.pending),
        (70_000, 70_000),
        "the default of one is bounded by the other"
    );
}

#[test]
fn refusals_name_the_variable_and_the_value() {
    let expect = |pairs, message: &str| assert_eq!(parse(pairs), Err(message.to_owned()));
    expect(
        &[("FLUSH_MS", "soon")],
        "variable FLUSH_MS must be a number of milliseconds from 0 to 6000 (got \"soon\")",
    );
    expect(
        &[("FLUSH_MS", "6001")],
        "variable FLUSH_MS must be a number of milliseconds from 0 to 6000 (got \"6001\")",
    );
    let bytes =
        "variable FLUSH_BYTES must be a number of bytes from 65536 to PENDING_BYTES (got \"8\")";
    expect(&[("FLUSH_BYTES", "8")], bytes);
    let more = "variable FLUSH_BYTES must be a number of bytes from 65536 to PENDING_BYTES (got \"100001\")";
    expect(
        &[("PENDING_BYTES", "100000"), ("FLUSH_BYTES", "100001")],
        more,
    );
    let pending = "variable PENDING_BYTES must be a number of bytes from 65536 to 33554432 (got \"33554433\")";
    expect(&[("PENDING_BYTES", "33554433")], pending);
    let raw = "variable RETENTION_RAW_DAYS must be a number of days from 1 to 3660 (got \"0\")";
    expect(&[("RETENTION_RAW_DAYS", "0")], raw);
    let sums = "variable RETENTION_SUMS_DAYS must be a number of days from RETENTION_RAW_DAYS to 3660 (got \"29\")";
    expect(&[("RETENTION_SUMS_DAYS", "29")], sums);
    expect(
        &[("TENANT_SHARDS", "0")],
        "variable TENANT_SHARDS must be a number from 1 to 32 (got \"0\")",
    );
    let part =
        "variable SUBQUERY_BYTES must be a number of bytes from 65536 to 16777216 (got \"65535\")";
    expect(&[("SUBQUERY_BYTES", "65535")], part);
    expect(
        &[("MULTITENANCY", "yes")],
        "variable MULTITENANCY must be true or false (got \"yes\")",
    );
    expect(
        &[("AUTH", "off")],
        "variable AUTH must be required or open (got \"off\")",
    );
    expect(
        &[("ADMIN_TOKEN_SHA256", "plt_secret")],
        "variable ADMIN_TOKEN_SHA256 must be the SHA-256 of a token, 64 hexadecimal digits (got \"…\")",
    );
}
