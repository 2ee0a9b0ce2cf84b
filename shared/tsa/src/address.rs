//! The URL of an authority, and its loggable part.

use reqwest::Url;

/// Parses a URL. A URL with plain HTTP must not contain a secret, unless it leads to the loopback interface.
pub(crate) fn parse(address: &str) -> Result<Url, String> {
    let url = Url::parse(address).map_err(|error| format!("the URL of a timestamp authority: {error}"))?;
    let has_secret = !url.username().is_empty() || url.password().is_some() || url.query().is_some();
    let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_here || !has_secret => Ok(url),
        "http" => {
            Err("an http URL of a timestamp authority must not have a user, a password or a query: use https".into())
        }
        scheme => Err(format!("the URL of a timestamp authority must be http or https, not {scheme}")),
    }
}

/// The part of an authority's URL that may be logged: origin and path, without user, password and query.
#[must_use]
pub fn place(address: &str) -> String {
    parse(address).map_or_else(|_| "an invalid URL".into(), |url| place_of(&url))
}

pub(crate) fn place_of(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_neither_credentials_nor_query() {
        let logged = place("https://user:secret@act.example:8443/stamp?key=secret#secret");
        assert_eq!(logged, "https://act.example:8443/stamp");
        assert_eq!(place("http://act.example"), "http://act.example/");
        assert_eq!(place("//user:secret@act.example"), "an invalid URL");
    }

    #[test]
    fn refuses_invalid_addresses_without_showing_secrets() {
        assert!(parse("http://act.example").is_ok());
        for bad in
            ["", "act.example", "ftp://user:secret@act.example", "https://user:secret@", "https://user:secret@a b"]
        {
            let fault = parse(bad).err().unwrap_or_default();
            assert!(fault.starts_with("the URL of a timestamp authority"), "{bad}: {fault}");
            assert!(!fault.contains("secret"), "{fault}");
        }
    }
}
