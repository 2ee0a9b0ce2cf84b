//! The HTTP client of the admin API.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use lacre_domain::is_local_name;
use reqwest::{Certificate, Client, redirect, retry};

const CONNECT: Duration = Duration::from_secs(10);
/// Request timeout. API Gateway answers within 30 seconds.
const ANSWER: Duration = Duration::from_secs(35);
/// Idle connections are closed after this time, before the gateway may close them. If a request is sent on a
/// connection that the gateway closes meanwhile, its outcome is unknown.
const IDLE: Duration = Duration::from_secs(20);
const USER_AGENT: &str = concat!("lacre-console/", env!("CARGO_PKG_VERSION"));

/// Builds an HTTP client that sends each request once and only to `host`. It uses the built-in root
/// certificates, or those of a PEM file. `localhost` and its subdomains resolve to loopback, because some
/// resolvers do not know these names.
///
/// # Errors
/// If the PEM file cannot be read or contains no certificates.
pub(crate) fn http_client(host: &str, ca_bundle: Option<&str>) -> Result<Client, io::Error> {
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT)
        .timeout(ANSWER)
        .pool_idle_timeout(IDLE);
    if is_local_name(host) {
        builder = builder.resolve(host, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    }
    if let Some(path) = ca_bundle {
        builder = builder.tls_built_in_root_certs(false);
        for root in read_roots(path)? {
            builder = builder.add_root_certificate(root);
        }
    }
    builder.build().map_err(io::Error::other)
}

fn read_roots(path: &str) -> Result<Vec<Certificate>, io::Error> {
    let unusable = |reason: String| io::Error::other(format!("{path}: {reason}"));
    let pem = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    let roots = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(error.to_string()))?;
    match roots.is_empty() {
        true => Err(unusable("it contains no certificate".into())),
        false => Ok(roots),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write;

    #[test]
    fn refuses_unusable_roots() {
        let refused = |pem: &str| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(pem.as_bytes()).unwrap();
            http_client("a.example", file.path().to_str()).unwrap_err().to_string()
        };
        assert!(refused("").ends_with("it contains no certificate"));
        refused("-----BEGIN CERTIFICATE-----\n!\n");
        assert!(
            http_client("a.example", Some("/nowhere/roots.pem"))
                .unwrap_err()
                .to_string()
                .starts_with("/nowhere/roots.pem: ")
        );
        assert!(http_client("a.example", None).is_ok());
    }
}
