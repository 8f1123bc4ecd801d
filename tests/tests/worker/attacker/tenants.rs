//! A tenant that tries to read, change and delete what is another's.

use serde_json::json;

use super::endpoints::{Access, Endpoint, endpoints};
use super::locked::{CPU, FROM, Locked, TOKENS, profile, push};

#[test]
fn a_tenant_never_touches_another() {
    let locked = Locked::start("attacker-tenants");
    let (one, two) = (
        locked.client(&locked.tokens["t1-all"]),
        locked.client(&locked.tokens["t2-all"]),
    );
    assert_eq!(push(&one, FROM, &profile("secret_of_t1", 7)).status, 200);
    let query =
        form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect::<String>();
    let millis = format!(
        "query={query}&from={}&until={}",
        FROM * 1000,
        (FROM + 3_600) * 1000
    );
    let range = format!("from={}&until={}", FROM * 1000, (FROM + 3_600) * 1000);
    let asked = |path: &str| match path.ends_with("/services") {
        true => range.clone(),
        false => millis.clone(),
    };
    let ask = json!({
        "profileTypeID": CPU, "labelSelector": "{}", "start": FROM * 1000, "end": (FROM + 3_600) * 1000, "step": 15,
        "name": "service_name",
    });
    for endpoint in endpoints() {
        let Endpoint {
            method,
            path,
            access,
        } = endpoint;
        if access != Access::Tenant("read".to_owned()) {
            continue;
        }
        let answer = match method.as_str() {
            // Reports refuse what they do not know.
            "GET" if path.starts_with("/api/v1/") => {
                let name = if path.ends_with("/function") {
                    "&name=main"
                } else {
                    ""
                };
                two.get(&format!("{path}?{}{name}", asked(&path)))
            }
            "GET" => two.get(&format!("{path}?{millis}&label=service_name")),
            _ => two.post(&path, "application/json", ask.to_string().as_bytes()),
        };
        let answer = answer.expect("an answer");
        if method == "POST" && path == "/api/v1/explain" {
            // Its operator has set no language model.
            assert_eq!(answer.status, 501, "{}", answer.text());
        } else {
            assert!(answer.status < 500, "{path}: {}", answer.text());
        }
        for secret in ["secret_of_t1", "app"] {
            assert!(!answer.text().contains(secret), "{path}: {}", answer.text());
        }
    }
    // Everything that changes or deletes, with all that the other may do.
    let put = |path: &str| locked.send("PUT", path, Some("t2-all"), &[]);
    for path in ["parked/retry", "rebuild"] {
        let path = format!("/api/v1/admin/{path}");
        assert_eq!(
            two.post(&path, "", b"").expect("an answer").status,
            200,
            "{path}"
        );
    }
    for path in [
        format!(
            "/api/v1/admin/profiles?query=%7B%7D&from=0&until={}",
            (FROM + 3_600) * 1000
        ),
        "/api/v1/admin/tenant".to_owned(),
    ] {
        assert_eq!(two.delete(&path).expect("an answer").status, 200, "{path}");
    }
    assert_ne!(put("/api/v1/admin/retention").status, 403);
    assert_eq!(push(&two, FROM, &profile("of_t2", 5)).status, 200);
    assert_eq!(
        (locked.total("t1-read"), locked.total("t2-all")),
        (Some(7), Some(5))
    );

    // Tokens: an administrator of a tenant sees, makes and revokes those of that tenant.
    let listed = two.get(TOKENS).expect("an answer").json();
    let listed = listed["tokens"].as_array().expect("tokens");
    assert!(
        listed.len() == 1 && listed[0]["tenant"] == "t2",
        "{listed:?}"
    );
    assert!(listed[0]["last_used"].is_i64(), "{listed:?}");
    for tenant in ["t1", "*"] {
        let wanted = json!({ "tenant": tenant, "scopes": ["read"] }).to_string();
        let answer = two.post(TOKENS, "application/json", wanted.as_bytes());
        assert_eq!(answer.expect("an answer").status, 403, "{tenant}");
    }
    let all = locked.client(&locked.admin).get(TOKENS).expect("an answer");
    assert!(!all.text().contains("sha256") && !all.text().contains("plt_"));
    for record in all.json()["tokens"].as_array().expect("tokens") {
        if record["tenant"] != "t2" {
            let path = format!("{TOKENS}?id={}", record["id"].as_str().expect("an id"));
            assert_eq!(
                two.delete(&path).expect("an answer").status,
                404,
                "{record}"
            );
        }
    }
    let own = format!("{TOKENS}?id={}", listed[0]["id"].as_str().expect("an id"));
    assert_eq!(two.delete(&own).expect("an answer").status, 200);
    assert_eq!(two.get(TOKENS).expect("an answer").status, 401, "at once");
}
