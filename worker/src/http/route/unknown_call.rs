//! Calls of services that are not served: how their paths look.

/// `package.v1.Service/Method` at the end of a path, a call of some service. Of one that is not
/// answered clients want to hear that it is not implemented, whichever service it is, so that they
/// hide the feature.
pub(super) fn name(path: &str) -> Option<String> {
    let mut segments = path.rsplit('/');
    let (method, service) = (segments.next()?, segments.next()?);
    is_call(service, method).then(|| format!("{service}/{method}"))
}

fn is_call(service: &str, method: &str) -> bool {
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
