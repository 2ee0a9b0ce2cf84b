//! Certificates in PEM, one after the other, as signer profiles and trust anchors hold them.

use der::{DecodePem, Encode};
use x509_cert::Certificate;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// The certificates of a text in PEM, each in DER, in the text's order, which need not mean anything.
///
/// # Errors
/// A text that says what cannot be read; also without any certificate.
pub fn certificates_of_pem(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let to_der = |certificate: &Certificate| certificate.to_der().map_err(|error| error.to_string());
    certificates(text)?.iter().map(to_der).collect()
}

/// Reads all certificates of a text. Text around them (names, comments) is ignored; none at all is an error.
pub(crate) fn certificates(text: &str) -> Result<Vec<Certificate>, String> {
    let mut certificates = Vec::new();
    for rest in text.split(BEGIN).skip(1) {
        let (body, _) = rest.split_once(END).ok_or("a certificate without its end")?;
        let certificate = Certificate::from_pem(format!("{BEGIN}{body}{END}"));
        certificates.push(certificate.map_err(|error| error.to_string())?);
    }
    if certificates.is_empty() { Err("no certificate".into()) } else { Ok(certificates) }
}
