//! The CA of the server certificate on the local network. A person installs it on a phone once, so it is kept when
//! `--fresh` clears the data.

use std::path::Path;

use lacre_pki::{PkiError, ServerIdentity, ServerName, ServerPki};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tokio_rustls::rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivatePkcs8KeyDer},
    version::{TLS12, TLS13},
};

use crate::stand_ins::write_whole;

const KEY: &str = "authority.key.pem";
const CERTIFICATE: &str = "authority.pem";

/// The CA of server certificates.
pub(super) struct ServerAuthority(ServerPki);

impl ServerAuthority {
    /// Reads the CA from a directory, or creates it there. Only the owner may read the key.
    pub(super) fn of(directory: &Path) -> std::io::Result<Self> {
        let (key, certificate) = (directory.join(KEY), directory.join(CERTIFICATE));
        if key.exists() && certificate.exists() {
            let known = ServerPki::from_pem(&std::fs::read_to_string(&key)?, &std::fs::read_to_string(&certificate)?);
            return known.map(Self).map_err(|error| failed(&error));
        }
        let new = ServerPki::generate(OffsetDateTime::now_utc()).map_err(|error| failed(&error))?;
        std::fs::create_dir_all(directory)?;
        write_whole(&key, &[new.key_pem().map_err(|error| failed(&error))?.as_bytes()])?;
        write_whole(&certificate, &[new.certificate_pem().map_err(|error| failed(&error))?.as_bytes()])?;
        Ok(Self(new))
    }

    /// A TLS configuration with a new certificate for these names.
    pub(super) fn server_config(&self, names: &[ServerName], now: OffsetDateTime) -> std::io::Result<ServerConfig> {
        let ServerIdentity { certificate_der, pkcs8_der } = self.0.issue(names, now).map_err(|error| failed(&error))?;
        let (chain, key) = (vec![CertificateDer::from(certificate_der)], PrivatePkcs8KeyDer::from(pkcs8_der).into());
        let config = ServerConfig::builder_with_provider(ring::default_provider().into())
            .with_protocol_versions(&[&TLS13, &TLS12])
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        config.map_err(std::io::Error::other)
    }

    /// The CA certificate in DER.
    pub(super) fn certificate(&self) -> std::io::Result<Vec<u8>> {
        self.0.certificate_der().map_err(|error| failed(&error))
    }
}

/// The SHA-256 fingerprint of a certificate, formatted as phones show it.
pub(super) fn fingerprint(certificate: &[u8]) -> String {
    let bytes: Vec<_> = Sha256::digest(certificate).iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(":")
}

fn failed(error: &PkiError) -> std::io::Error {
    std::io::Error::other(format!("the HTTPS authority: {error}"))
}
