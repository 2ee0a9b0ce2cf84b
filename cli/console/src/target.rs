//! Computes the target of a request, which is always below the admin API's address.

use std::io;

use percent_encoding::percent_decode_str;
use reqwest::Url;

use crate::answer::RequestError;

/// The admin API's address (`ADMIN_URL`).
#[derive(Clone, Debug)]
pub(crate) struct AdminUrl {
    base: Url,
    /// Base path of all routes, without a trailing slash.
    prefix: String,
}

impl AdminUrl {
    /// Parses the address.
    ///
    /// # Errors
    /// If it is not an `http` or `https` address, or has a user, a query or a fragment.
    pub(crate) fn parse(text: &str) -> Result<Self, io::Error> {
        let unusable = || {
            let reason = "ADMIN_URL must be an http or https address without user, query or fragment, such as \
                          https://abc123.execute-api.sa-east-1.amazonaws.com";
            io::Error::new(io::ErrorKind::InvalidInput, reason)
        };
        let base = Url::parse(text).map_err(|_| unusable())?;
        let is_plain = base.username().is_empty()
            && base.password().is_none()
            && base.query().is_none()
            && base.fragment().is_none();
        if !is_plain || !matches!(base.scheme(), "https" | "http") {
            return Err(unusable());
        }
        let prefix = base.path().trim_end_matches('/').to_owned();
        Ok(Self { base, prefix })
    }

    /// The host name.
    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The address of a route. `path` is as the browser sent it, without a leading slash.
    ///
    /// # Errors
    /// [`RequestError::Path`] if the path is ambiguous: another program could normalize it to a different
    /// path.
    pub(crate) fn route(&self, path: &str, query: Option<&str>) -> Result<Url, RequestError> {
        if !path.split('/').all(is_plain) {
            return Err(RequestError::Path);
        }
        let wanted = format!("{}/{path}", self.prefix);
        let mut url = self.base.clone();
        url.set_path(&wanted);
        // `+` and `%20` both mean a space in a query, but signers and verifiers only agree on `%20`.
        url.set_query(query.map(|query| query.replace('+', "%20")).as_deref());
        // If the URL parser normalized the path, another program could interpret it differently.
        match url.path() == wanted {
            true => Ok(url),
            false => Err(RequestError::Path),
        }
    }
}

/// Whether all programs interpret a path segment alike: after one percent-decoding nothing is left to decode.
fn is_plain(segment: &str) -> bool {
    let Ok(decoded) = percent_decode_str(segment).decode_utf8() else { return false };
    !decoded.is_empty()
        && decoded != "."
        && !decoded.contains("..")
        && !decoded.contains(['/', '\\', '%'])
        && !decoded.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn appends_routes_to_the_address() {
        for address in ["https://a.example", "https://a.example/"] {
            let admin = AdminUrl::parse(address).unwrap();
            let url = admin.route("clients/2f6f/api-keys", Some("limit=5&cursor=a%2Bb")).unwrap();
            assert_eq!(url.as_str(), "https://a.example/clients/2f6f/api-keys?limit=5&cursor=a%2Bb");
        }
        for address in ["http://127.0.0.1:8703/stage", "http://127.0.0.1:8703/stage/"] {
            let admin = AdminUrl::parse(address).unwrap();
            let url = admin.route("clients", Some("search=S%C3%A3o+Jo")).unwrap();
            assert_eq!(url.as_str(), "http://127.0.0.1:8703/stage/clients?search=S%C3%A3o%20Jo");
            assert_eq!(admin.route("overview", None).unwrap().as_str(), "http://127.0.0.1:8703/stage/overview");
        }
    }

    #[test]
    fn no_path_leaves_the_admin_api() {
        let admin = AdminUrl::parse("https://a.example/stage").unwrap();
        let hostile = [
            "",
            "/",
            "/evil.example/x",
            "clients/",
            "clients//x",
            ".",
            "..",
            "../x",
            "clients/../x",
            "clients/..",
            "%2e%2e/x",
            "%2E./x",
            ".%2e/x",
            "%2e",
            "..%2fx",
            "a%2Fb",
            "%2f%2fevil.example",
            "a%5cb",
            "a\\b",
            "\\\\evil.example",
            "a%00",
            "a%0d%0ab",
            "a%7f",
            "a%c2%85",
            "%ff",
            "%",
            "%zz",
            "%252e%252e",
            "%252f",
            "..;/x",
            "a\"b",
            "a<b",
            "a`b",
            "a{b}",
            "a^b",
            "ã",
        ];
        // Characters that the URL parser keeps in a path are harmless and may pass; every other path is
        // rejected.
        for path in hostile {
            match admin.route(path, None) {
                Err(refusal) => assert_eq!(refusal, RequestError::Path, "{path}"),
                Ok(url) => assert_eq!((path, url.as_str()), ("a^b", "https://a.example/stage/a^b")),
            }
        }
        let odd = admin.route("clients", Some("a=/../b#c\\?d")).unwrap();
        assert_eq!((odd.host_str(), odd.path()), (Some("a.example"), "/stage/clients"));
    }

    #[test]
    fn refuses_an_invalid_address() {
        let bad = [
            "",
            "a.example",
            "ftp://a.example",
            "https://user@a.example",
            "https://:p@a.example",
            "https://a.example/?a",
            "https://a.example/#a",
        ];
        for address in bad {
            assert!(AdminUrl::parse(address).is_err(), "{address}");
        }
    }
}
