//! Names that a JVM makes up anew in each process become one, or each process would have functions
//! of its own: `Service$$Lambda$669.0x0000000800fd7318` is `Service$$Lambda_`.
//!
//! The rules are those of Pyroscope's JFR parser, so that profiles of both compare.

use std::borrow::Cow;

/// The name without what differs from process to process.
pub(super) fn normalised(name: Cow<'_, str>) -> Cow<'_, str> {
    let shorter = accessor(&name)
        .or_else(|| lambda(&name))
        .or_else(|| proxy(&name))
        .or_else(|| library(&name));
    match shorter {
        Some(shorter) => Cow::Owned(shorter),
        None => name,
    }
}

/// `jdk/internal/reflect/GeneratedMethodAccessor31`
fn accessor(name: &str) -> Option<String> {
    const ACCESSOR: &str = "jdk/internal/reflect/GeneratedMethodAccessor";
    let number = name.strip_prefix(ACCESSOR)?;
    is_all(number, u8::is_ascii_digit).then(|| format!("{ACCESSOR}_"))
}

/// `Enclosing$$Lambda$4/1283928880`, `Enclosing$$Lambda$8/0x0000000800c01220`,
/// `Enclosing$$Lambda.0x00007ffa600c4da0`, `Enclosing$$Lambda12`
fn lambda(name: &str) -> Option<String> {
    const LAMBDA: &str = "$$Lambda";
    let at = name.rfind(LAMBDA).filter(|&at| at > 0)?;
    let (class, id) = name.split_at(at + LAMBDA.len());
    let number = id.strip_prefix('$').unwrap_or(id);
    let address = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let address = address.strip_prefix(['.', '/']);
    let is_address = address.is_some_and(|address| {
        let digits = address.strip_prefix("0x").unwrap_or(address);
        is_all(digits, |b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    });
    (is_address || is_all(id, u8::is_ascii_digit)).then(|| format!("{class}_"))
}

/// `Service$$EnhancerBySpringCGLIB$$1a2b3c4d`
fn proxy(name: &str) -> Option<String> {
    const PROXY: &str = "$$EnhancerBySpringCGLIB$$";
    let at = name.find(PROXY).filter(|&at| at > 0)?;
    Some(format!("{}_", &name[..at + PROXY.len()]))
}

/// Libraries that are unpacked under a new name in each process.
fn library(name: &str) -> Option<String> {
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    let name = name.strip_suffix(".so")?;
    let name = name
        .strip_prefix("./tmp/")
        .or_else(|| name.strip_prefix("/tmp/"))
        .unwrap_or(name);
    let known = if let Some(rest) = name.strip_prefix("libzstd-jni-") {
        is_zstd(rest).then_some("libzstd-jni-_.so")
    } else if let Some(rest) = name.strip_prefix("libasyncProfiler-") {
        is_async_profiler(rest).then_some("libasyncProfiler-_.so")
    } else {
        let rest = name.strip_prefix("lib").unwrap_or(name);
        let rest = rest.strip_prefix("amazonCorrettoCryptoProvider")?;
        is_corretto(rest).then_some("libamazonCorrettoCryptoProvider_.so")
    };
    known.map(str::to_owned)
}

/// `1.5.1-16931311898282279136`
fn is_zstd(rest: &str) -> bool {
    let Some((version, number)) = rest.split_once('-') else {
        return false;
    };
    version.split('.').count() == 3
        && version
            .split('.')
            .all(|part| is_all(part, u8::is_ascii_digit))
        && is_all(number, u8::is_ascii_digit)
}

/// A hash names a build, not a process, so other builds keep theirs.
fn is_async_profiler(rest: &str) -> bool {
    ["linux-arm64", "linux-musl-x64", "linux-x64", "macos"]
        .iter()
        .any(|system| rest.strip_prefix(system) == Some("-17b9a1d8156277a98ccc871afa9a8f69215f92"))
}

/// `109b39cf33c563eb`, `NativeLibraries.7382c2f79097f415/libcrypto`
fn is_corretto(rest: &str) -> bool {
    let rest = rest.strip_prefix("NativeLibraries.").unwrap_or(rest);
    let rest = rest
        .strip_suffix("/libcrypto")
        .or_else(|| rest.strip_suffix("/libamazonCorrettoCryptoProvider"))
        .unwrap_or(rest);
    rest.len() == 16 && is_all(rest, |b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether there is something, and all of it is so.
fn is_all(text: &str, so: impl Fn(&u8) -> bool) -> bool {
    !text.is_empty() && text.as_bytes().iter().all(so)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_process() {
        for (name, expect) in [
            ("a/Some$$Lambda$4/1283928880", "a/Some$$Lambda_"),
            ("a/Some$$Lambda$8/0x0000000800c01220", "a/Some$$Lambda_"),
            ("a/Some$$Lambda$669.0x0000000800fd7318", "a/Some$$Lambda_"),
            ("Fib$$Lambda.0x00007ffa600c4da0", "Fib$$Lambda_"),
            ("Fib$$Lambda12", "Fib$$Lambda_"),
            ("Fib$$Lambda", "Fib$$Lambda"),
            ("Fib$$Lambda$12", "Fib$$Lambda$12"),
            ("$$Lambda12", "$$Lambda12"),
            (
                "Fib$$Lambda+0x00007f0ac4406598/4375842",
                "Fib$$Lambda+0x00007f0ac4406598/4375842",
            ),
            (
                "jdk/internal/reflect/GeneratedMethodAccessor31",
                "jdk/internal/reflect/GeneratedMethodAccessor_",
            ),
            (
                "jdk/internal/reflect/GeneratedMethodAccessor",
                "jdk/internal/reflect/GeneratedMethodAccessor",
            ),
            (
                "a/Service$$EnhancerBySpringCGLIB$$1a2b3c4d",
                "a/Service$$EnhancerBySpringCGLIB$$_",
            ),
            (
                "java/util/concurrent/Executors$RunnableAdapter",
                "java/util/concurrent/Executors$RunnableAdapter",
            ),
            ("libjvm.so", "libjvm.so"),
        ] {
            assert_eq!(normalised(Cow::Borrowed(name)), expect);
        }
    }

    #[test]
    fn libraries_of_one_process() {
        for (name, expect) in [
            (
                "libasyncProfiler-linux-musl-x64-17b9a1d8156277a98ccc871afa9a8f69215f92.so",
                "libasyncProfiler-_.so",
            ),
            (
                "libamazonCorrettoCryptoProvider109b39cf33c563eb.so",
                "libamazonCorrettoCryptoProvider_.so",
            ),
            (
                "amazonCorrettoCryptoProviderNativeLibraries.7382c2f79097f415/libcrypto.so",
                "libamazonCorrettoCryptoProvider_.so",
            ),
            (
                "amazonCorrettoCryptoProviderNativeLibraries.24e42b0d5ecf5f50/libamazonCorrettoCryptoProvider.so",
                "libamazonCorrettoCryptoProvider_.so",
            ),
            (
                "libzstd-jni-1.5.1-16931311898282279136.so",
                "libzstd-jni-_.so",
            ),
        ] {
            for path in ["", "/tmp/", "./tmp/"] {
                for end in ["", " (deleted)"] {
                    let name = format!("{path}{name}{end}");
                    assert_eq!(normalised(Cow::Owned(name)), expect);
                }
            }
        }
    }
}
