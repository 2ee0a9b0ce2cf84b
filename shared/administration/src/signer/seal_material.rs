//! A private key for the seal, with its complete certificate chain.

use lacre_proof::{Purpose, SigningChain};
use lacre_storage::RsaSize;
use rsa::{
    RsaPrivateKey,
    pkcs8::{DecodePrivateKey, EncodePublicKey, ObjectIdentifier, PrivateKeyInfo},
    traits::PublicKeyParts,
};
use zeroize::Zeroizing;

use super::key_file::KeyFile;
use crate::Error;

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const P_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// An RSA key with the chain of its certificate, up to the root.
pub struct SealMaterial {
    pub(super) pkcs8: Zeroizing<Vec<u8>>,
    pub(super) size: RsaSize,
    pub(super) chain: SigningChain,
}

impl SealMaterial {
    /// Parses a PFX file. `more_pem` contains certificates that the file may lack, in any order.
    ///
    /// # Errors
    /// [`Error::Invalid`], with a text that says what to do.
    pub fn from_pfx(pfx: &[u8], password: &str, more_pem: &[&str]) -> Result<Self, Error> {
        let KeyFile { private_key, mut certificates } = KeyFile::open(pfx, password)?;
        for pem in more_pem {
            let more = lacre_proof::certificates_of_file(pem);
            certificates.extend(more.map_err(|fault| Error::Invalid(format!("additional certificates: {fault}")))?);
        }
        Self::of(private_key, &certificates)
    }

    /// Creates the material from a private key (PKCS#8, DER) and its chain in PEM, leaf first.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the key is not RSA of a size that KMS supports, or the chain is incomplete.
    pub fn new(pkcs8: Zeroizing<Vec<u8>>, chain_pem: &str) -> Result<Self, Error> {
        let chain = SigningChain::parse(Purpose::Seal, chain_pem).map_err(Error::Invalid)?;
        Self::of(pkcs8, chain.to_der())
    }

    fn of(pkcs8: Zeroizing<Vec<u8>>, certificates: &[Vec<u8>]) -> Result<Self, Error> {
        let key = rsa_key(&pkcs8)?;
        let bits = key.size() * 8;
        let size = RsaSize::of_bits(bits).ok_or_else(|| {
            Error::Invalid(format!("the private key has {bits} bits; KMS imports RSA keys of 2048, 3072 or 4096 bits"))
        })?;
        let public_key = key.to_public_key().to_public_key_der();
        let public_key = public_key.map_err(|error| Error::Invalid(format!("the private key: {error}")))?;
        let chain = SigningChain::for_key(Purpose::Seal, public_key.as_bytes(), certificates);
        let chain = chain.map_err(|fault| {
            Error::Invalid(format!("{fault}; certificates that the file lacks are given with --chain"))
        })?;
        Ok(Self { pkcs8, size, chain })
    }
}

fn rsa_key(pkcs8: &[u8]) -> Result<RsaPrivateKey, Error> {
    let info = PrivateKeyInfo::try_from(pkcs8);
    let info = info.map_err(|error| Error::Invalid(format!("the private key cannot be read: {error}")))?;
    if info.algorithm.oid != RSA {
        let kind = match info.algorithm.parameters_oid().ok() {
            Some(P_256) => "an elliptic curve key (P-256)",
            Some(P_384) => "an elliptic curve key (P-384)",
            _ => "of an unsupported type",
        };
        return Err(Error::Invalid(format!("the private key is {kind}: it must be RSA")));
    }
    let key = RsaPrivateKey::from_pkcs8_der(pkcs8).ok().filter(|key| key.validate().is_ok());
    key.ok_or_else(|| Error::Invalid("the private key is not a valid RSA key".into()))
}
