//! Parses certificate files: those in signer profiles and trust anchors, and those that operators and verifiers supply.

use cms::content_info::ContentInfo;
use const_oid::db::rfc5911::ID_SIGNED_DATA;
use der::{Decode, Encode, EncodePem, pem::LineEnding};
use x509_cert::Certificate;

use crate::signed_data::SignedData;

const BEGIN: &[u8] = b"-----BEGIN ";
/// The PEM labels of certificates. RFC 7468 lists the second as an old name of the first; the last two are PKCS#7
/// (`.p7b`).
const CERTIFICATES: [&str; 4] = ["CERTIFICATE", "X509 CERTIFICATE", "PKCS7", "CMS"];

/// The certificates of a file in DER, in the order of the file, which need not be meaningful. The file is PEM, one
/// certificate in DER, or a PKCS#7 without signatures (`.p7b`) in DER.
///
/// # Errors
/// A text that describes what cannot be parsed; also if there is no certificate.
pub fn certificates_of_file(file: impl AsRef<[u8]>) -> Result<Vec<Vec<u8>>, String> {
    let to_der = |certificate: &Certificate| certificate.to_der().map_err(|error| error.to_string());
    certificates(file)?.iter().map(to_der).collect()
}

/// The certificates of a file in strict PEM.
///
/// # Errors
/// The same as [`certificates_of_file`].
pub fn pem_of_file(file: impl AsRef<[u8]>) -> Result<String, String> {
    to_pem(&certificates(file)?)
}

/// Encodes certificates in PEM, one after the other.
pub(crate) fn to_pem(certificates: &[Certificate]) -> Result<String, String> {
    let texts = certificates.iter().map(|certificate| certificate.to_pem(LineEnding::LF));
    texts.collect::<Result<String, _>>().map_err(|error| error.to_string())
}

/// Parses all certificates of a file.
pub(crate) fn certificates(file: impl AsRef<[u8]>) -> Result<Vec<Certificate>, String> {
    let file = file.as_ref();
    let mut blocks = contents_of_pem(file, &CERTIFICATES)?;
    // A SEQUENCE in DER begins with 0x30, which is also the character 0, so it could be text before a PEM block.
    if blocks.is_empty() && file.first() == Some(&0x30) {
        blocks.push(file.to_vec());
    }
    let certificates = blocks.iter().map(|der| of_der(der)).collect::<Result<Vec<_>, _>>()?.concat();
    if certificates.is_empty() { Err("no certificate".into()) } else { Ok(certificates) }
}

/// The contents of the PEM blocks with one of the given labels, parsed as laxly as RFC 7468 allows: lines may have any
/// length and line ending, and the text around the blocks any content and encoding. Empty if the file is not PEM.
///
/// # Errors
/// A text that describes what cannot be parsed.
pub fn contents_of_pem(file: &[u8], labels: &[&str]) -> Result<Vec<Vec<u8>>, String> {
    let blocks = pem::parse_many(file).map_err(|error| error.to_string())?;
    // The parser silently stops at a truncated block.
    if blocks.len() < file.windows(BEGIN.len()).filter(|bytes| *bytes == BEGIN).count() {
        return Err("a block of PEM without its end".into());
    }
    Ok(blocks.into_iter().filter(|block| labels.contains(&block.tag())).map(pem::Pem::into_contents).collect())
}

/// Parses a certificate, or the certificates of a PKCS#7: some programs write `.p7b` files with the label of
/// certificates.
fn of_der(der: &[u8]) -> Result<Vec<Certificate>, String> {
    match (Certificate::from_der(der), of_signed_data(der)) {
        (Ok(certificate), _) => Ok(vec![certificate]),
        (Err(_), Some(certificates)) => Ok(certificates),
        (Err(error), None) => Err(error.to_string()),
    }
}

fn of_signed_data(der: &[u8]) -> Option<Vec<Certificate>> {
    let content = ContentInfo::from_der(der).ok().filter(|content| content.content_type == ID_SIGNED_DATA)?;
    let signed: SignedData = content.content.decode_as().ok()?;
    Some(signed.certificates().cloned().collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use cms::{
        content_info::CmsVersion,
        signed_data::{EncapsulatedContentInfo, SignerInfos},
    };
    use der::{Any, asn1::SetOfVec};

    use super::*;
    use crate::apart::Apart;

    /// Two certificates in PEM.
    fn two() -> String {
        let now = time::OffsetDateTime::now_utc();
        [(); 2].map(|()| lacre_pki::ClaimPki::generate(now).unwrap().anchors_pem().unwrap()).concat()
    }

    #[test]
    fn reads_pem_as_lax_as_rfc_7468() {
        let pem = two();
        let expected = certificates_of_file(&pem).unwrap();
        assert_eq!(expected.len(), 2);
        let wrapped = |length: usize| {
            let config = pem::EncodeConfig::new().set_line_wrap(length).set_line_ending(pem::LineEnding::LF);
            let block = |der: &Vec<u8>| pem::encode_config(&pem::Pem::new("CERTIFICATE", der.clone()), config);
            expected.iter().map(block).collect::<String>().into_bytes()
        };
        for (form, file) in [
            ("Latin-1 comment", [b"# AC Ra\xEDz\n", pem.as_bytes()].concat()),
            ("text between", pem.replace("-----BEGIN", "subject=CN = x\n\n-----BEGIN").into_bytes()),
            ("spaces", pem.replace('\n', " \n").into_bytes()),
            ("tabs", pem.replace('\n', "\t\n").into_bytes()),
            ("lines of 76", wrapped(76)),
            ("one line", wrapped(100_000)),
            ("no line ends", pem.replace('\n', "").into_bytes()),
            ("CRLF", pem.replace('\n', "\r\n").into_bytes()),
            ("BOM", format!("\u{FEFF}{pem}").into_bytes()),
            ("indented", pem.replace('\n', "\n    ").into_bytes()),
            ("old label", pem.replace("CERTIFICATE", "X509 CERTIFICATE").into_bytes()),
            (
                "a key beside it",
                format!("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n{pem}").into_bytes(),
            ),
        ] {
            assert_eq!(certificates_of_file(&file).as_ref(), Ok(&expected), "{form}");
            assert_eq!(pem_of_file(&file).as_ref(), Ok(&pem), "{form}");
        }
    }

    #[test]
    fn reads_der() {
        let read = certificates(two()).unwrap();
        let der = read[0].to_der().unwrap();
        assert_eq!(certificates_of_file(&der).unwrap(), std::slice::from_ref(&der));
        let certificates = read.iter().cloned().map(Apart).collect::<Vec<_>>();
        let signed = SignedData {
            version: CmsVersion::V1,
            digest_algorithms: SetOfVec::new(),
            encap_content_info: EncapsulatedContentInfo {
                econtent_type: const_oid::db::rfc5911::ID_DATA,
                econtent: None,
            },
            certificates: Some(SetOfVec::try_from(certificates).unwrap()),
            crls: None,
            signer_infos: SignerInfos(SetOfVec::new()),
        };
        let p7b = ContentInfo { content_type: ID_SIGNED_DATA, content: Any::encode_from(&signed).unwrap() };
        let p7b = p7b.to_der().unwrap();
        assert_eq!(certificates_of_file(&p7b).unwrap().len(), 2);
        assert_eq!(certificates_of_file(pem::encode(&pem::Pem::new("PKCS7", p7b.clone()))).unwrap().len(), 2);
        assert_eq!(certificates_of_file(pem::encode(&pem::Pem::new("CERTIFICATE", p7b))).unwrap().len(), 2);
    }

    #[test]
    fn says_what_cannot_be_read() {
        let pem = two();
        for (file, fault) in [
            ("", "no certificate"),
            ("no PEM", "no certificate"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no certificate"),
            (pem.trim_end().trim_end_matches('-'), "a block of PEM without its end"),
        ] {
            assert_eq!(certificates_of_file(file).unwrap_err(), fault, "{file}");
        }
        for file in ["0 certificates", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(certificates_of_file(file).is_err(), "{file}");
        }
    }
}
