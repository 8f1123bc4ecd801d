//! Calls of Pyroscope's services that are about no profiles that were pushed, and how the path of a
//! call looks that is of no service here.

/// A call of one of these services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceCall {
    Settings(SettingsCall),
    AdHoc(AdHocCall),
    BuildInfo,
}

/// The calls about a tenant's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingsCall {
    Get,
    Set,
    Delete,
}

/// The calls about profiles that people upload to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdHocCall {
    Upload,
    Get,
    List,
    Diff,
}

/// Service, method, call. All are called with POST.
const CALLS: [(&str, &str, ServiceCall); 8] = [
    (SETTINGS, "Get", ServiceCall::Settings(SettingsCall::Get)),
    (SETTINGS, "Set", ServiceCall::Settings(SettingsCall::Set)),
    (
        SETTINGS,
        "Delete",
        ServiceCall::Settings(SettingsCall::Delete),
    ),
    (AD_HOC, "Upload", ServiceCall::AdHoc(AdHocCall::Upload)),
    (AD_HOC, "Get", ServiceCall::AdHoc(AdHocCall::Get)),
    (AD_HOC, "List", ServiceCall::AdHoc(AdHocCall::List)),
    (AD_HOC, "Diff", ServiceCall::AdHoc(AdHocCall::Diff)),
    (
        "status.v1.StatusService",
        "GetBuildInfo",
        ServiceCall::BuildInfo,
    ),
];

const SETTINGS: &str = "settings.v1.SettingsService";

const AD_HOC: &str = "adhocprofiles.v1.AdHocProfileService";

/// The call of a service, if it is answered.
pub(super) fn call(service: &str, method: &str) -> Option<ServiceCall> {
    let found = CALLS
        .iter()
        .find(|(of, name, _)| (*of, *name) == (service, method));
    found.map(|(.., call)| *call)
}

/// Whether these two segments of a path are a call of some service: `package.v1.Service` and
/// `Method`. Of one that is not answered clients want to hear that it is not implemented, whichever
/// service it is, so that they hide the feature.
pub(super) fn is_call(service: &str, method: &str) -> bool {
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_name = |text: &str| is_word(text) && text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_version = |text: &str| {
        let number = text.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit()) && is_word(text)
    };
    let mut parts = service.rsplit('.');
    let (name, version) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let mut packages = parts.peekable();
    is_name(name)
        && is_version(version)
        && packages.peek().is_some()
        && packages.all(is_word)
        && is_name(method)
}
