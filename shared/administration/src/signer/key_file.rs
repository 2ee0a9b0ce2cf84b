//! Parses a PFX file (PKCS#12), in which certification authorities deliver A1 certificates: a private key and
//! certificates, encrypted with a password. Both 3DES and RC2 (older files) and AES (newer files) are supported; the
//! file may be in DER, in BER as NSS exports it, or in base64.

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_proof::contents_of_pem;
use p12_keystore::{Pkcs12Archive, error::Error as PfxError};
use zeroize::Zeroizing;

use super::ber::der_of_pfx;
use crate::Error;

/// The PEM labels that `openssl pkcs12 -export` and Windows' `certutil -encode` write.
const LABELS: [&str; 2] = ["PKCS12", "CERTIFICATE"];

/// The contents of a PFX file.
pub(super) struct KeyFile {
    /// The private key: PKCS#8 in DER.
    pub(super) private_key: Zeroizing<Vec<u8>>,
    /// The certificates in DER, in the order of the file, which is not meaningful.
    pub(super) certificates: Vec<Vec<u8>>,
}

impl KeyFile {
    /// Decrypts and parses a file.
    pub(super) fn open(pfx: &[u8], password: &str) -> Result<Self, Error> {
        let decoded = Zeroizing::new(of_text(pfx));
        let pfx = decoded.as_deref().unwrap_or(pfx);
        let der = Zeroizing::new(der_of_pfx(pfx));
        let archive =
            Pkcs12Archive::from_pkcs12(der.as_deref().unwrap_or(pfx), password).map_err(|error| unreadable(&error))?;
        let [key] = archive.keys.as_slice() else {
            return Err(Error::Invalid(format!(
                "the file holds {} private keys instead of one: export only this certificate again",
                archive.keys.len()
            )));
        };
        Ok(Self {
            private_key: Zeroizing::new(key.key.as_der().to_vec()),
            certificates: archive.certs.iter().map(|bag| bag.cert.as_der().to_vec()).collect(),
        })
    }
}

/// Decodes a file in base64, with or without PEM markers.
fn of_text(text: &[u8]) -> Option<Vec<u8>> {
    if let Some(pfx) = contents_of_pem(text, &LABELS).ok().and_then(|blocks| blocks.into_iter().next()) {
        return Some(pfx);
    }
    let text = str::from_utf8(text).ok()?;
    let text: String = text.trim_start_matches('\u{FEFF}').split_ascii_whitespace().collect();
    BASE64_STANDARD.decode(text).ok()
}

fn unreadable(error: &PfxError) -> Error {
    Error::Invalid(match error {
        PfxError::MacError(_) => "the password is not the file's".into(),
        // For a file without an integrity check, a wrong password is usually detected here. In one of 256 cases the
        // decrypted bytes end in valid padding by chance, and the fault appears later.
        PfxError::UnpadError | PfxError::Pkcs5Error(_) | PfxError::InvalidPrivateKey => {
            "the file cannot be decrypted: is the password right?".into()
        }
        PfxError::UnsupportedEncryptionScheme | PfxError::UnsupportedMacAlgorithm => {
            "the file is encrypted in a way that is not read here: export it again with AES-256 and SHA-256".into()
        }
        other => {
            format!(
                "the file cannot be read as PFX (PKCS#12) ({other}): check the password, or export the file again, or convert \
                 it: openssl pkcs12 -in OLD.pfx -nodes -legacy | openssl pkcs12 -export -out NEW.pfx"
            )
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::process::Command;

    use super::*;

    const PASSWORD: &str = "a password";

    /// A PFX file that `openssl pkcs12 -export` makes with these options.
    fn exported(options: &[&str]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let openssl = |arguments: &[&str]| {
            let output = Command::new("openssl").args(arguments).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        openssl(&["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "pem", "-subj", "/CN=x"]);
        let password = format!("pass:{PASSWORD}");
        let export = ["pkcs12", "-export", "-inkey", "key", "-in", "pem", "-out", "pfx", "-passout", &password];
        openssl(&[&export[..], options].concat());
        std::fs::read(folder.path().join("pfx")).unwrap()
    }

    /// The elements of DER, each with its tag; `None` if the bytes are not DER.
    fn elements(mut der: &[u8]) -> Option<Vec<(u8, &[u8])>> {
        let mut elements = Vec::new();
        while let [tag, length, rest @ ..] = der {
            let bytes = usize::from(*length).saturating_sub(0x80);
            let (digits, rest) = rest.split_at_checked(bytes)?;
            // A ciphertext may look like the beginning of an element of any length.
            let long = digits
                .iter()
                .try_fold(0_usize, |length, digit| length.checked_mul(256)?.checked_add(usize::from(*digit)))?;
            let (content, rest) = rest.split_at_checked(if bytes == 0 { usize::from(*length) } else { long })?;
            elements.push((*tag, content));
            der = rest;
        }
        der.is_empty().then_some(elements)
    }

    /// Converts DER to BER as NSS writes it: constructed elements have indefinite length, and long strings are split.
    fn in_ber(der: &[u8]) -> Option<Vec<u8>> {
        let of_element = |(tag, content): (u8, &[u8])| {
            let indefinite = |tag: u8, content: &[u8]| [&[tag, 0x80], content, &[0, 0]].concat();
            let in_parts = |content: &[u8]| -> Vec<u8> {
                content.chunks(100).flat_map(|part| [&[0x04, part.len() as u8], part].concat()).collect()
            };
            Some(match tag {
                0x04 if content.len() > 100 => {
                    let encoded = Some(content).filter(|content| content[0] == 0x30).and_then(in_ber);
                    indefinite(0x24, &in_parts(encoded.as_deref().unwrap_or(content)))
                }
                0x80 => indefinite(0xA0, &in_parts(content)),
                _ if tag & 0x20 != 0 => indefinite(tag, &in_ber(content)?),
                _ => [&[tag, content.len() as u8], content].concat(),
            })
        };
        elements(der)?.into_iter().map(of_element).collect::<Option<Vec<_>>>().map(|elements| elements.concat())
    }

    #[test]
    fn opens_ber_and_base64() {
        for options in [&[][..], &["-legacy"]] {
            let der = exported(options);
            let expected = KeyFile::open(&der, PASSWORD).unwrap();
            let ber = in_ber(&der).unwrap();
            assert!(der_of_pfx(&der).is_none() && der_of_pfx(&ber).is_some());
            let text = BASE64_STANDARD.encode(&der);
            let pem = format!("-----BEGIN PKCS12-----\n{text}\n-----END PKCS12-----\n").into_bytes();
            let lines = format!("\u{FEFF}{}\r\n{}\r\n", &text[..76], &text[76..]).into_bytes();
            for file in [&ber, &pem, &lines, &BASE64_STANDARD.encode(&ber).into_bytes()] {
                let opened = KeyFile::open(file, PASSWORD).unwrap();
                assert_eq!(opened.private_key, expected.private_key);
                assert_eq!(opened.certificates, expected.certificates);
                let refused = KeyFile::open(file, "another").err().unwrap().to_string();
                assert!(refused.contains("password"), "{refused}");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic() {
        let ber = in_ber(&exported(&[])).unwrap();
        for at in 0..ber.len() {
            assert_eq!(der_of_pfx(&ber[..at]), None, "{at}");
            for other in [0x00, 0x24, 0x30, 0x80, 0x84, 0xFF] {
                let mut changed = ber.clone();
                changed[at] = other;
                drop(der_of_pfx(&changed));
            }
        }
        assert_eq!(der_of_pfx(&[0x30, 0x80].repeat(100_000)), None);
        assert_eq!(der_of_pfx(&[0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), None);
    }
}
