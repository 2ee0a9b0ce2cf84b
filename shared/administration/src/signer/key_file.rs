//! A PFX file (PKCS#12), as certification authorities hand out A1 certificates: a private key and certificates under a
//! password. Older files are encrypted with 3DES and RC2, newer ones with AES; both are read.

use p12_keystore::{Pkcs12Archive, error::Error as PfxError};
use zeroize::Zeroizing;

use crate::Error;

/// The contents of a file.
pub(super) struct KeyFile {
    /// The private key: PKCS#8 in DER.
    pub(super) private_key: Zeroizing<Vec<u8>>,
    /// The certificates in DER, in the order of the file, which means nothing.
    pub(super) certificates: Vec<Vec<u8>>,
}

impl KeyFile {
    /// Opens a file.
    pub(super) fn open(pfx: &[u8], password: &str) -> Result<Self, Error> {
        let archive = Pkcs12Archive::from_pkcs12(pfx, password).map_err(|error| unreadable(&error))?;
        let [key] = archive.keys.as_slice() else {
            return Err(Error::Invalid(format!(
                "the file holds {} private keys, not one: export only this certificate again",
                archive.keys.len()
            )));
        };
        Ok(Self {
            private_key: Zeroizing::new(key.key.as_der().to_vec()),
            certificates: archive.certs.iter().map(|bag| bag.cert.as_der().to_vec()).collect(),
        })
    }
}

fn unreadable(error: &PfxError) -> Error {
    Error::Invalid(match error {
        PfxError::MacError(_) => "the password is not the file's".into(),
        // A file without an integrity check fails here on a wrong password, and in one of 256 cases further below:
        // the decrypted bytes then end in valid padding by chance.
        PfxError::UnpadError | PfxError::Pkcs5Error(_) | PfxError::InvalidPrivateKey => {
            "the file cannot be decrypted: is the password right?".into()
        }
        PfxError::UnsupportedEncryptionScheme | PfxError::UnsupportedMacAlgorithm => {
            "the file is encrypted in a way that is not read here: export it again with AES-256 and SHA-256".into()
        }
        other => {
            format!("the file cannot be read as PFX (PKCS#12) ({other}): check the password, or export the file again")
        }
    })
}
