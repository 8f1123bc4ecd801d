//! .NET: agents up to 0.13, which push to `/ingest`.

use crate::ingest::request::Config;
use crate::model::profile::Profile;

/// How those agents name themselves.
const SPY: &str = "dotnetspy";

/// A sample type that only they configure, for those that do not say who they are.
const SIGN: &str = "inuse-space";

/// Whether a push comes from such an agent.
pub(crate) fn is_sender(spy: Option<&str>, config: Option<&Config>) -> bool {
    match spy {
        Some(spy) => spy == SPY,
        None => config.is_some_and(|config| config.contains_key(SIGN)),
    }
}

/// Writes sample types as all other agents do: `inuse_space`, not `inuse-space`.
pub(crate) fn underscore_types(profile: &mut Profile, config: &mut Option<Config>) {
    for at in 0..profile.sample_types.len() {
        let kind = profile.text(profile.sample_types[at].kind);
        if kind.contains('-') {
            let kind = kind.replace('-', "_");
            profile.sample_types[at].kind = profile.strings.push(&kind);
        }
    }
    *config = config.take().map(|config| {
        let of_kind = config.into_iter();
        of_kind
            .map(|(kind, config)| (kind.replace('-', "_"), config))
            .collect()
    });
}
