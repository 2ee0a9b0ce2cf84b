//! The OCSP response that photos carry if their claim certificate names a responder. Certificates and response are made by
//! `openssl`.

use std::sync::Arc;

use lacre_administration::signer::SignerAdministration;
use lacre_domain::Environment;
use lacre_http::SystemClock;
use lacre_proof_fixtures::{
    ca::{Ca, P_256, hours},
    stapling::Stapling,
};
use lacre_storage::{Connection, Staples};

use crate::{Failure, accounts::caller};

const SERIAL: &str = "0x3A";

/// A response about the sandbox's claim certificate.
pub(crate) struct Staple {
    staples: Staples,
    response: Vec<u8>,
}

impl Staple {
    /// Puts a claim certificate that names a responder in force. Photos do not carry the response yet.
    pub(crate) async fn prepare(connection: &Connection) -> Result<Self, Failure> {
        let signer = SignerAdministration::new(connection, Arc::new(SystemClock), caller());
        let subject = "C=BR,O=Test,CN=claim";
        let (_, request) = signer.request_claim_certificate(Environment::Sandbox, subject, None).await?;
        let ca = Ca::new();
        ca.issue("root", "issuing", P_256, Stapling::AUTHORITY, "30", hours(720));
        ca.write("req", &request);
        ca.write("extensions", Stapling::CLAIM);
        let sign = ["x509", "-req", "-in", "req", "-CA", "issuing.pem", "-CAkey", "issuing.key", "-set_serial", SERIAL];
        ca.openssl(&[&sign[..], &["-days", "30", "-extfile", "extensions", "-out", "claim.pem"]].concat());
        let chain = ca.read("claim.pem") + &ca.read("issuing.pem");
        signer.install_claim_certificate(Environment::Sandbox, &chain, None).await?;
        signer.activate(Environment::Sandbox, None).await?;
        ca.index(&Stapling::CERTIFICATES, None);
        let response = ca.answer("issuing", "claim", "issuing", &["-nmin", "600"]);
        Ok(Self { staples: Staples::new(connection), response })
    }

    /// Lets photos carry the response, or not.
    pub(crate) async fn embed(&self, is_embedded: bool) -> Result<(), Failure> {
        match is_embedded {
            true => self.staples.put(Environment::Sandbox, &self.response).await?,
            false => self.staples.remove(Environment::Sandbox).await?,
        }
        Ok(())
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.response.len()
    }
}
