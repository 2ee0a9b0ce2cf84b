//! Origins, origin patterns, and which pattern allows which origin.

use lacre_domain::{
    Environment, Origin,
    origin::{OriginPattern, check_origin},
};

/// The first line is a page's origin, the second an entry of an allowlist. Each has a single text form, which parses to
/// the same value, and the allowlist allows what its text says.
pub fn hold(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (origin, pattern) = text.split_once('\n').unwrap_or((text, text));
    let (origin, pattern) = (Origin::parse(origin), OriginPattern::parse(pattern));
    if let Some(origin) = &origin {
        let written = origin.to_string();
        assert_eq!(Origin::parse(&written).as_ref(), Some(origin), "{text:?}");
        assert!(written.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase()), "{text:?}");
        // An origin that may be listed allows itself.
        if let Some(itself) = OriginPattern::parse(&written) {
            assert!(itself.admits(origin, Environment::Sandbox), "{text:?}");
        }
    }
    if let Some(pattern) = &pattern {
        assert_eq!(OriginPattern::parse(&pattern.to_string()).as_ref(), Some(pattern), "{text:?}");
    }
    let (Some(origin), Some(pattern)) = (origin, pattern) else { return };
    for environment in [Environment::Production, Environment::Staging, Environment::Sandbox] {
        let admitted = check_origin(std::slice::from_ref(&pattern), environment, Some(origin.clone())).is_ok();
        let expected = admits(&pattern.to_string(), &origin.to_string(), environment);
        assert_eq!(admitted, expected, "{pattern} and {origin} in {environment:?}");
    }
}

/// The allowlist's rule, implemented independently on texts.
fn admits(pattern: &str, origin: &str, environment: Environment) -> bool {
    if let Some(domain) = pattern.strip_prefix("https://*") {
        let labels = origin.strip_prefix("https://").and_then(|rest| rest.strip_suffix(domain));
        return labels.is_some_and(|labels| !labels.is_empty());
    }
    let listed = match pattern.strip_suffix(":*") {
        Some(any_port) => origin.strip_prefix(any_port).is_some_and(|port| port.is_empty() || port.starts_with(':')),
        None => origin == pattern,
    };
    listed && (origin.starts_with("https://") || environment == Environment::Sandbox)
}
