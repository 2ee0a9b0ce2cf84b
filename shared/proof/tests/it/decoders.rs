//! Own decoders in place of those of `x509-cert` and `cms`: both accept the same bytes, whatever bit is changed.

use cms::content_info::ContentInfo;
use der::{Decode, Encode};
use lacre_proof::{TimestampRequest, revocation::List, signed_data::SignedData};
use lacre_proof_fixtures::{
    authority::{Authority, NONE},
    ca::{Ca, SETTINGS, hours},
};
use x509_cert::crl::CertificateList;

/// The bytes, and all that differ from them in one bit.
fn with_changed_bits(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let changed = (0..bytes.len() * 8).map(|bit| {
        let mut changed = bytes.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    });
    std::iter::once(bytes.to_vec()).chain(changed)
}

#[test]
fn reads_lists_as_x509_cert() {
    let ca = Ca::new();
    let point = "[more]\nissuingDistributionPoint=critical,@point\n[point]\nfullname=URI:http://ca.example.com/list\n";
    for (certificates, extensions) in [(&[("2A", "one"), ("2B", "two")][..], point), (&[], "[more]\n")] {
        ca.index(certificates, certificates.first().map(|(serial, _)| (*serial, hours(-1), "keyCompromise")));
        ca.write("list.conf", &format!("{SETTINGS}{extensions}"));
        ca.openssl(&["ca", "-gencrl", "-config", "list.conf", "-crlexts", "more", "-out", "list.pem"]);
        ca.openssl(&["crl", "-in", "list.pem", "-outform", "DER", "-out", "list.der"]);
        let list = std::fs::read(ca.path("list.der")).unwrap();
        assert!(List::of_der(&list).is_ok());
        for changed in with_changed_bits(&list) {
            let (own, other) = (List::of_der(&changed).map(drop), CertificateList::from_der(&changed).map(drop));
            assert_eq!(own.is_ok(), other.is_ok(), "{own:?}, {other:?}: {changed:02x?}");
        }
    }
}

#[test]
fn reads_signatures_as_cms() {
    let (authority, now) = (Authority::shared(), hours(0));
    let request = TimestampRequest::new([1; 32], [7; 16]).unwrap();
    let answer = authority.answer(request.der(), now, &NONE);
    let token = request.open(&answer, &authority.anchors(), now).unwrap().der().to_vec();
    for changed in with_changed_bits(&token) {
        let Ok(message) = ContentInfo::from_der(&changed) else { continue };
        let own = message.content.decode_as::<SignedData>().ok();
        // A field that becomes revocation lists stays encoded, whatever is in it.
        if own.as_ref().is_some_and(|own| own.crls.is_some()) {
            continue;
        }
        let other = message.content.decode_as::<cms::signed_data::SignedData>().ok();
        let [own, other] = [own.map(|own| own.to_der().unwrap()), other.map(|other| other.to_der().unwrap())];
        assert!(own == other, "{changed:02x?}");
    }
}
