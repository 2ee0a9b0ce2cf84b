//! URLs that an integrator supplies: the redirect and the webhook.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use url::{Host, Url};

use crate::{Environment, Origin, address::is_public, limits};

/// An `http` or `https` URL without credentials or fragment, in the canonical form of the WHATWG URL Standard. Storing
/// that form ensures that the URL that was checked is the URL that a browser opens.
#[derive(Clone, PartialEq, Eq)]
pub struct WebUrl {
    url: Url,
    origin: Origin,
}

impl WebUrl {
    /// Parses a URL; `None` if it has another form or is longer than 2,048 bytes. Characters that a URL parser would
    /// silently remove or convert (control characters, white space, backslashes) are refused.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > limits::URL_BYTES || text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return None;
        }
        let url = Url::parse(text).ok()?;
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if has_credentials || url.fragment().is_some() || url.as_str().len() > limits::URL_BYTES {
            return None;
        }
        let origin = Origin::parse(&url.origin().ascii_serialization())?;
        Some(Self { url, origin })
    }

    /// The origin.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }

    /// Whether the URL is `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether the URL may be a redirect: `https`, or in the sandbox also `http` to the local machine.
    #[must_use]
    pub fn may_redirect(&self, environment: Environment) -> bool {
        self.is_https() || (environment == Environment::Sandbox && self.is_own_machine())
    }

    /// Whether the URL may be a webhook: `https` to port 443 or a port above 1024, whose host is a name or a public IP
    /// address. With `own_machine`, which the local service sets, a sandbox webhook may also be `http` to the local
    /// machine.
    #[must_use]
    pub fn may_announce(&self, environment: Environment, own_machine: bool) -> bool {
        if own_machine && environment == Environment::Sandbox && self.is_own_machine() {
            return true;
        }
        let port = self.url.port_or_known_default();
        let public = match self.url.host() {
            Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
            Some(Host::Domain(name)) => !is_local_name(name),
            None => false,
        };
        self.is_https() && public && port.is_some_and(|port| port == 443 || port > 1024)
    }

    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    fn is_own_machine(&self) -> bool {
        matches!(self.url.host_str(), Some("localhost" | "127.0.0.1"))
    }
}

/// Whether a host name always resolves to the local machine: `localhost` and the names below it (RFC 6761).
#[must_use]
pub fn is_local_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Shows the origin only: the path and the query may contain secrets of the integrator.
impl fmt::Debug for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebUrl({}/…)", self.origin)
    }
}

impl Serialize for WebUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for WebUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not a URL"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use Environment::{Production, Sandbox};

    #[test]
    fn keeps_urls_as_browsers_read_them() {
        for (text, canonical) in [
            ("https://App.Example.com", "https://app.example.com/"),
            ("https://app.example.com:443/done?claim=1&x=%20", "https://app.example.com/done?claim=1&x=%20"),
            ("https://a.com/x/../y", "https://a.com/y"),
            ("https://0x7f.1/", "https://127.0.0.1/"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(WebUrl::parse(text).unwrap().as_str(), canonical);
        }
        let long = |bytes: usize| format!("https://a.com/{}", "x".repeat(bytes - "https://a.com/".len()));
        assert!(WebUrl::parse(&long(2048)).is_some());
        for wrong in [
            "",
            "/done",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.com/",
            "https://",
            "https://a.com/#",
            "https://a.com/#done",
            "https://user@a.com/",
            "https://:secret@a.com/",
            " https://a.com/",
            "https://a.com/\n",
            "https://a.com/a b",
            "https:\\\\a.com\\",
            "https://[::1/",
            "https://a.com:99999/",
            &long(2049),
        ] {
            assert_eq!(WebUrl::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn redirects_need_https_or_sandbox_localhost() {
        let may = |text: &str, environment| WebUrl::parse(text).unwrap().may_redirect(environment);
        assert!(may("https://app.example.com/", Production));
        assert!(may("http://localhost:3000/", Sandbox) && may("http://127.0.0.1/", Sandbox));
        assert!(!may("http://localhost:3000/", Production));
        assert!(!may("http://app.example.com/", Sandbox));
        assert!(!may("http://localhost.example.com/", Sandbox));
    }

    #[test]
    fn webhooks_need_https_to_public_addresses() {
        let may = |text: &str| WebUrl::parse(text).unwrap().may_announce(Sandbox, false);
        for right in [
            "https://hooks.example.com/lacre",
            "https://hooks.example.com:8443/",
            "https://203.0.114.7/",
            "https://[2606:4700:4700::1111]/",
        ] {
            assert!(may(right), "{right}");
        }
        for wrong in [
            "http://hooks.example.com/",
            "https://hooks.example.com:80/",
            "https://hooks.example.com:1024/",
            "https://127.0.0.1/",
            "https://10.0.0.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://2130706433/",
            "https://[::1]/",
            "https://[::ffff:203.0.114.7]/",
            "https://[fd00:ec2::254]/",
            "https://localhost/",
            "https://api.localhost/",
            "http://localhost:3000/",
        ] {
            assert!(!may(wrong), "{wrong}");
        }
        let own = WebUrl::parse("http://127.0.0.1:3000/hook").unwrap();
        assert!(own.may_announce(Sandbox, true));
        assert!(!own.may_announce(Production, true));
    }

    #[test]
    fn a_url_does_not_show_its_path() {
        let url = WebUrl::parse("https://a.com/hook/secret?key=1").unwrap();
        assert_eq!(format!("{url:?}"), "WebUrl(https://a.com/…)");
    }
}
