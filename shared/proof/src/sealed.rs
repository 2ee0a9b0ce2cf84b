//! What the seal covers besides the frame: a signed attribute of the CAdES signature with the environment, the SHA-256
//! of each assertion, and the SHA-256 of the claim signer's certificate.
//!
//! Without it a genuine seal could be moved into a manifest with other statements and another claim signature.
//!
//! ```asn1
//! SealedStatements ::= SEQUENCE {
//!     version           INTEGER { v1(1) },
//!     environment       UTF8String,                    -- PRODUCTION, STAGING or SANDBOX
//!     assertions        SEQUENCE OF SealedAssertion,   -- in the order of the manifest
//!     claimCertificate  OCTET STRING (SIZE (32)) }     -- SHA-256 of the DER certificate
//! SealedAssertion ::= SEQUENCE {
//!     label             UTF8String,
//!     hash              OCTET STRING (SIZE (32)) }     -- SHA-256 of the assertion's CBOR
//! ```

use der::{Sequence, asn1::OctetString};
use lacre_domain::Environment;
use sha2::{Digest, Sha256};

use crate::assertions::{ACTIONS, BROWSER, CAPTURE};

/// The labels of the assertions that the seal covers, in order. Two assertions are not covered: the seal's own, which
/// contains the signature, and the hard binding, which depends on the signature's length. The frame hash in the hard
/// binding equals the signature's `messageDigest`.
pub const SEALED: [&str; 3] = [ACTIONS, CAPTURE, BROWSER];

const VERSION: u8 = 1;

/// The value of the signed attribute.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SealedStatements {
    version: u8,
    environment: String,
    assertions: Vec<SealedAssertion>,
    claim_certificate: OctetString,
}

#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
struct SealedAssertion {
    label: String,
    hash: OctetString,
}

impl SealedStatements {
    /// Hashes the CBOR of each assertion of [`SEALED`], in that order, and `claim_leaf`, the claim signer's certificate
    /// in DER.
    pub fn new(environment: Environment, assertions: [&[u8]; SEALED.len()], claim_leaf: &[u8]) -> der::Result<Self> {
        let hash = |bytes: &[u8]| OctetString::new(Sha256::digest(bytes).to_vec());
        let sealed = SEALED.iter().zip(assertions);
        let sealed = sealed.map(|(label, cbor)| Ok(SealedAssertion { label: (*label).into(), hash: hash(cbor)? }));
        Ok(Self {
            version: VERSION,
            environment: environment.name().into(),
            assertions: sealed.collect::<der::Result<_>>()?,
            claim_certificate: hash(claim_leaf)?,
        })
    }

    /// Whether the version is the one that this code supports.
    pub fn has_known_version(&self) -> bool {
        self.version == VERSION
    }

    /// Checks that the seal was made in the environment that the manifest's statements, `stated`, name.
    pub fn check_environment(&self, stated: &Self) -> Result<(), String> {
        match self.environment == stated.environment {
            true => Ok(()),
            false => Err(format!(
                "the seal was made in {}, and the manifest states {}",
                self.environment, stated.environment
            )),
        }
    }

    /// Checks that the seal covers the assertions of the manifest's statements, `stated`.
    pub fn check_assertions(&self, stated: &Self) -> Result<(), String> {
        if self.assertions.len() != stated.assertions.len() {
            return Err("the seal covers other assertions than a Lacre proof has".into());
        }
        match self.assertions.iter().zip(&stated.assertions).find(|(sealed, stated)| sealed != stated) {
            Some((_, SealedAssertion { label, .. })) => Err(format!("the seal was made over another {label}")),
            None => Ok(()),
        }
    }

    /// Checks that the seal names the claim signer's certificate of the manifest's statements, `stated`.
    pub fn check_claim_certificate(&self, stated: &Self) -> Result<(), String> {
        match self.claim_certificate == stated.claim_certificate {
            true => Ok(()),
            false => Err("the seal names another certificate as the claim signer's".into()),
        }
    }
}
