//! A worker that asks for tokens, and the tokens.

use std::path::Path;

use pilotlight_core::access::Token;
use serde_json::json;

use super::client::Client;
use super::{Local, Place};

/// A running worker without data that lets in who shows a token; ends when dropped.
pub struct Locked {
    /// Where it runs.
    pub place: Place,
    /// A client that may do everything.
    pub admin: Client,
    _worker: Local,
}

impl Locked {
    /// Starts one, with variables beside those that lock it.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start(state: &Path, variables: &[(&'static str, String)]) -> Self {
        let admin = Token::from_entropy([1; 32]);
        let own = [
            ("AUTH", "required".to_owned()),
            ("ADMIN_TOKEN_SHA256", admin.digest().to_hex()),
        ];
        let place = Place::fresh(state, &[&own[..], variables].concat()).expect("a place");
        let worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
        Self {
            admin: Client::new(&place.url()).with_token(admin.expose()),
            place,
            _worker: worker,
        }
    }

    /// A client without a token.
    pub fn anyone(&self) -> Client {
        Client::new(&self.place.url())
    }

    /// A client with a new token of one tenant, with one scope.
    ///
    /// # Panics
    ///
    /// When the worker makes none.
    pub fn client(&self, tenant: &str, scope: &str) -> Client {
        self.anyone().with_token(&self.token(tenant, scope))
    }

    /// Such a token.
    ///
    /// # Panics
    ///
    /// When the worker makes none.
    pub fn token(&self, tenant: &str, scope: &str) -> String {
        let wanted = json!({ "tenant": tenant, "scopes": [scope], "name": scope }).to_string();
        let path = "/api/v1/admin/tokens";
        let made = self.admin.post(path, "application/json", wanted.as_bytes());
        let made = made.expect("an answer").json();
        let text = made["token"].as_str();
        text.unwrap_or_else(|| panic!("{made}")).to_owned()
    }
}
