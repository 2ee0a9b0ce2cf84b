//! Web origins (RFC 6454) and the origin allowlist of a license.

use std::{borrow::Cow, fmt};

use lacre_api::Refusal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use url::Host;

use crate::Environment;

/// An origin as a browser sends it: scheme, host, and the port unless it is the scheme's default.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    secure: bool,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// Parses the value of an `Origin` header; `None` for `null`, and for schemes other than `http` and `https`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (secure, authority) = split_scheme(text)?;
        let (host, port) = split_port(authority);
        let port = match port {
            None => None,
            Some(digits) => Some(parse_port(digits)?),
        };
        let default = if secure { 443 } else { 80 };
        Some(Self { secure, host: read_host(host)?, port: port.filter(|port| *port != default) })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http{}://{}", if self.secure { "s" } else { "" }, self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not an origin"))
    }
}

/// One entry of an allowlist: an exact origin, `https://*.example.com` (one or more labels, never the bare domain), or
/// `http` for `localhost` and `127.0.0.1`, where the port may be `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginPattern {
    secure: bool,
    /// The host. For a wildcard pattern, the part after the `*`, with its leading dot.
    host: String,
    any_subdomain: bool,
    port: PortPattern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PortPattern {
    Exactly(Option<u16>),
    Any,
}

impl OriginPattern {
    /// Parses a pattern; `None` if it has none of the forms above. An internationalized name is converted to the ASCII
    /// form that browsers send.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = &*to_ascii(text)?;
        let (secure, authority) = split_scheme(text)?;
        if let Some(domain) = authority.strip_prefix("*.") {
            let base = Origin::parse(&format!("https://{domain}")).filter(|_| secure)?;
            // A wildcard over a top-level domain or over an IP address is always a mistake.
            let is_domain = base.host.contains('.') && base.host.parse::<std::net::Ipv4Addr>().is_err();
            return is_domain.then(|| Self {
                secure,
                host: format!(".{}", base.host),
                any_subdomain: true,
                port: PortPattern::Exactly(base.port),
            });
        }
        let (host, port) = split_port(authority);
        let local = matches!(host, "localhost" | "127.0.0.1");
        if !secure && !local {
            return None;
        }
        if port == Some("*") {
            let host = host.to_owned();
            return (!secure).then_some(Self { secure, host, any_subdomain: false, port: PortPattern::Any });
        }
        let exact = Origin::parse(text)?;
        Some(Self { secure, host: exact.host, any_subdomain: false, port: PortPattern::Exactly(exact.port) })
    }

    /// Whether the pattern's scheme is `https`.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The domain whose subdomains the pattern admits; `None` if the pattern is for one host.
    #[must_use]
    pub fn wildcard_domain(&self) -> Option<&str> {
        self.any_subdomain.then(|| self.host.trim_start_matches('.'))
    }

    /// Whether the pattern admits an origin. Patterns with `http` apply in the sandbox only.
    #[must_use]
    pub fn admits(&self, origin: &Origin, environment: Environment) -> bool {
        let scheme = self.secure == origin.secure && (self.secure || environment == Environment::Sandbox);
        let host = if self.any_subdomain {
            origin.host.len() > self.host.len() && origin.host.ends_with(&self.host)
        } else {
            origin.host == self.host
        };
        let port = match self.port {
            PortPattern::Any => true,
            PortPattern::Exactly(port) => port == origin.port,
        };
        scheme && host && port
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", if self.any_subdomain { "*" } else { "" }, self.host)?;
        match self.port {
            PortPattern::Any => f.write_str(":*"),
            PortPattern::Exactly(Some(port)) => write!(f, ":{port}"),
            PortPattern::Exactly(None) => Ok(()),
        }
    }
}

impl Serialize for OriginPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OriginPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not an origin pattern"))
    }
}

/// Checks a page's origin against a license's allowlist, and returns it.
///
/// # Errors
/// [`Refusal::OriginAllowlistEmpty`] if the allowlist is empty, [`Refusal::OriginNotAllowed`] otherwise.
pub fn check_origin(
    allowlist: &[OriginPattern],
    environment: Environment,
    origin: Option<Origin>,
) -> Result<Origin, Refusal> {
    if allowlist.is_empty() {
        return Err(Refusal::OriginAllowlistEmpty);
    }
    origin
        .filter(|origin| allowlist.iter().any(|pattern| pattern.admits(origin, environment)))
        .ok_or(Refusal::OriginNotAllowed)
}

fn split_scheme(text: &str) -> Option<(bool, &str)> {
    match text.split_once("://")? {
        ("https", authority) => Some((true, authority)),
        ("http", authority) => Some((false, authority)),
        _ => None,
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // Colons inside the brackets of an IPv6 address do not separate a port.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn parse_port(digits: &str) -> Option<u16> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// A pattern with its host in ASCII form (IDNA, as browsers compute it).
fn to_ascii(text: &str) -> Option<Cow<'_, str>> {
    if text.is_ascii() {
        return Some(text.into());
    }
    let (scheme, authority) = text.split_once("://")?;
    let (host, port) = split_port(authority);
    let (wildcard, name) = host.strip_prefix("*.").map_or(("", host), |name| ("*.", name));
    let name = Host::parse(name).ok()?;
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{wildcard}{name}{port}").into())
}

/// The host in the form that browsers write: a name, an IPv4 address, or an IPv6 address in brackets.
fn read_host(host: &str) -> Option<String> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => Some(Host::<&str>::Ipv6(address.parse().ok()?).to_string()),
        None => is_host(host).then(|| host.to_ascii_lowercase()),
    }
}

/// Whether a text is a host name as browsers send it: dot-separated labels of letters, digits, hyphens and underscores.
/// Internationalized names appear as punycode.
fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    host.len() <= 253 && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn admits(pattern: &str, origin: &str, environment: Environment) -> bool {
        OriginPattern::parse(pattern).unwrap().admits(&Origin::parse(origin).unwrap(), environment)
    }

    #[test]
    fn normalizes_origins_like_browsers() {
        for (text, canonical) in [
            ("https://app.example.com", "https://app.example.com"),
            ("https://app.example.com:443", "https://app.example.com"),
            ("https://App.Example.com:8443", "https://app.example.com:8443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("https://[2606:4700:4700::1111]", "https://[2606:4700:4700::1111]"),
            ("https://[2606:4700:4700:0:0:0:0:1111]:8443", "https://[2606:4700:4700::1111]:8443"),
        ] {
            assert_eq!(Origin::parse(text).unwrap().to_string(), canonical);
        }
        for wrong in [
            "null",
            "",
            "https://",
            "ftp://a.com",
            "https://a.com/",
            "https://a.com?x",
            "https://u@a.com",
            "https://a..com",
            "https://a.com:",
            "https://a.com:99999",
            "https://a.com:+1",
            "https://*.a.com",
            "https://a b.com",
            "https://[]",
            "https://[::1",
            "https://::1",
            "https://[::g]",
        ] {
            assert_eq!(Origin::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn exact_patterns_match_exactly() {
        use Environment::Production;
        assert!(admits("https://app.example.com", "https://app.example.com", Production));
        assert!(admits("https://app.example.com:443", "https://app.example.com", Production));
        assert!(!admits("https://app.example.com", "https://app.example.com:8443", Production));
        assert!(!admits("https://app.example.com", "http://app.example.com", Production));
        assert!(!admits("https://app.example.com", "https://xapp.example.com", Production));
    }

    #[test]
    fn wildcards_match_one_or_more_labels() {
        use Environment::Production;
        assert!(admits("https://*.example.com", "https://a.example.com", Production));
        assert!(admits("https://*.example.com", "https://a.b.example.com", Production));
        assert!(!admits("https://*.example.com", "https://example.com", Production));
        assert!(!admits("https://*.example.com", "https://badexample.com", Production));
        assert!(!admits("https://*.example.com", "https://a.example.com.evil.net", Production));
        assert!(!admits("https://*.example.com", "https://a.example.com:8443", Production));
    }

    #[test]
    fn only_sandbox_localhost_may_use_http() {
        for host in ["localhost", "127.0.0.1"] {
            let (any, page) = (format!("http://{host}:*"), format!("http://{host}:5173"));
            assert!(admits(&any, &page, Environment::Sandbox));
            assert!(admits(&any, &format!("http://{host}"), Environment::Sandbox));
            assert!(!admits(&any, &page, Environment::Staging));
            assert!(!admits(&any, &page, Environment::Production));
            assert!(!admits(&format!("http://{host}:80"), &page, Environment::Sandbox));
        }
        for wrong in [
            "http://example.com",
            "http://*.localhost",
            "https://*.com",
            "https://*",
            "https://*.127.0.0.1",
            "https://a.com:*",
            "*",
            "https://a.*.com",
            "https://*.*.com",
            "https://*.[::1]",
            "https://*.união",
        ] {
            assert_eq!(OriginPattern::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_host_has_at_most_253_characters() {
        let longest = format!("{0}.{0}.{0}.{1}", "a".repeat(63), "b".repeat(61));
        assert!(Origin::parse(&format!("https://{longest}")).is_some());
        assert_eq!(Origin::parse(&format!("https://{longest}b")), None);
    }

    #[test]
    fn internationalized_names_match_their_punycode() {
        for (pattern, origin) in [
            ("https://seguradora-união.com.br", "https://xn--seguradora-unio-xkb.com.br"),
            ("https://Seguradora-União.com.br:8443", "https://xn--seguradora-unio-xkb.com.br:8443"),
            ("https://*.seguradora-união.com.br", "https://app.xn--seguradora-unio-xkb.com.br"),
        ] {
            assert!(admits(pattern, origin, Environment::Production), "{pattern}");
        }
    }

    #[test]
    fn distinguishes_empty_lists_from_unlisted_origins() {
        let page = Origin::parse("https://app.example.com");
        let list = [OriginPattern::parse("https://*.example.com").unwrap()];
        let check = |list, origin| check_origin(list, Environment::Production, origin);
        assert_eq!(check(&list, page.clone()), Ok(page.clone().unwrap()));
        assert_eq!(check(&list, None), Err(Refusal::OriginNotAllowed));
        assert_eq!(check(&list, Origin::parse("https://evil.net")), Err(Refusal::OriginNotAllowed));
        assert_eq!(check(&[], page), Err(Refusal::OriginAllowlistEmpty));
    }
}
