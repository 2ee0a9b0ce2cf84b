//! Responses of an authority that are not valid timestamps: each is refused with the matching fault.

use cms::{
    content_info::CmsVersion,
    signed_data::{SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Decode, Encode,
    asn1::{Int, OctetString, SetOfVec},
};
use lacre_proof::{Anchors, TimestampRequest, TokenFault};
use lacre_proof_fixtures::authority::{
    Authority, CONTENT_TYPE, Lies, MESSAGE_DIGEST, NONE, SIGNING_CERTIFICATE_V2, attribute,
};
use time::{Duration, OffsetDateTime, macros::datetime};
use x509_cert::{
    attr::Attribute,
    ext::{Extension, pkix::SubjectKeyIdentifier},
};
use x509_tsp::{Accuracy, TstInfo};

/// The largest accuracy value that is accepted.
const ACCURATE: Accuracy = Accuracy { seconds: Some(60), millis: None, micros: None };
const MESSAGE: &[u8] = b"a signature value";

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// The fault that is found in the response of an authority that lies this way.
fn fault(lies: Lies) -> TokenFault {
    Authority::shared().stamp(MESSAGE, now(), &lies).expect_err("a lie")
}

fn lie_about_info(info: fn(&mut TstInfo)) -> TokenFault {
    fault(Lies { info, ..NONE })
}

fn lie_about_attributes(attributes: fn(&mut Vec<Attribute>)) -> TokenFault {
    fault(Lies { attributes, ..NONE })
}

fn lie_about_signers(message: fn(&mut cms::signed_data::SignedData)) -> TokenFault {
    fault(Lies { message, ..NONE })
}

fn change_signer(message: &mut cms::signed_data::SignedData, change: impl FnOnce(&mut SignerInfo)) {
    let mut signer = message.signer_infos.0.get(0).unwrap().clone();
    change(&mut signer);
    message.signer_infos = SetOfVec::try_from(vec![signer]).unwrap().into();
}

#[test]
fn tokens_are_embedded_in_canonical_form() {
    let at = now();
    let token = Authority::shared().stamp(MESSAGE, at, &NONE).unwrap();
    assert_eq!(token.time(), at.replace_nanosecond(0).unwrap());

    // The root besides the chain, an unsigned attribute, other versions, other encodings of the same: the signature
    // covers none of it.
    let decorated = Lies {
        message: |message| {
            message.version = CmsVersion::V5;
            let mut certificates = message.certificates.take().unwrap().0.into_vec();
            let root = Authority::shared().anchors_pem.as_bytes();
            let root = x509_cert::Certificate::load_pem_chain(root).unwrap().remove(0);
            certificates.push(cms::cert::CertificateChoices::Certificate(root));
            message.certificates = Some(SetOfVec::try_from(certificates).unwrap().into());
            change_signer(message, |signer| {
                let unsigned = attribute(MESSAGE_DIGEST, &OctetString::new(*b"anything").unwrap());
                signer.unsigned_attrs = Some(SetOfVec::try_from(vec![unsigned]).unwrap());
                signer.digest_alg.parameters = Some(der::Any::from(der::asn1::Null));
                let leaf = &Authority::shared().chain[0].tbs_certificate;
                let (_, key) = leaf.get::<SubjectKeyIdentifier>().unwrap().unwrap();
                signer.sid = SignerIdentifier::SubjectKeyIdentifier(key);
                signer.version = CmsVersion::V3;
            });
        },
        ..NONE
    };
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let open = |lies| {
        let answer = Authority::shared().answer(request.der(), at, lies);
        request.open(&answer, &Authority::shared().anchors(), at).unwrap()
    };
    assert_eq!(open(&decorated), open(&NONE));
}

#[test]
fn unreadable_answers_are_refused() {
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let authority = Authority::shared();
    let open = |answer: &[u8]| request.open(answer, &authority.anchors(), now());
    let whole = authority.answer(request.der(), now(), &NONE);
    assert!(open(&whole).is_ok());

    let behind = [&whole[..], &[0]].concat();
    let cut = &whole[..whole.len() - 1];
    // A SEQUENCE of indefinite length, which BER allows and DER does not.
    let indefinite = [&[0x30, 0x80][..], &whole[4..], &[0, 0]].concat();
    let granted_and_nothing = [0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x00];
    for bad in [&b""[..], b"<html>", request.der(), &behind, cut, &indefinite, &granted_and_nothing] {
        assert!(matches!(open(bad), Err(TokenFault::Unreadable(_))), "{:?}", open(bad));
    }

    // Status rejected, with a text and failure bit 25, which is systemFailure.
    let refused = b"\x30\x14\x30\x12\x02\x01\x02\x30\x06\x0c\x04busy\x03\x05\x06\x00\x00\x00\x40";
    let fault = open(refused).unwrap_err();
    assert_eq!(fault.to_string(), "the authority gave no timestamp: status 2, failure bits [25], \"busy\"");
}

#[test]
fn a_token_must_answer_the_request() {
    let other_message = |info: &mut TstInfo| {
        info.message_imprint.hashed_message = OctetString::new([9; 32]).unwrap();
    };
    let other_hash = |info: &mut TstInfo| {
        info.message_imprint.hash_algorithm.oid = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
    };
    assert_eq!(lie_about_info(other_message), TokenFault::Imprint);
    assert_eq!(lie_about_info(other_hash), TokenFault::Imprint);
    assert_eq!(lie_about_info(|info| info.nonce = None), TokenFault::Nonce);
    assert_eq!(lie_about_info(|info| info.nonce = Some(Int::new(&[0x2A]).unwrap())), TokenFault::Nonce);

    let critical = |info: &mut TstInfo| {
        let oid = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.32473.1");
        let unknown = Extension { extn_id: oid, critical: true, extn_value: OctetString::new([5, 0]).unwrap() };
        info.extensions = Some(vec![unknown]);
    };
    assert!(matches!(lie_about_info(critical), TokenFault::Unreadable(_)));
    let long = |info: &mut TstInfo| {
        let oid = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.32473.1");
        let fat = Extension { extn_id: oid, critical: false, extn_value: OctetString::new([5; 12_000]).unwrap() };
        info.extensions = Some(vec![fat]);
    };
    assert!(matches!(lie_about_info(long), TokenFault::Length(12_000..)));
}

#[test]
fn time_must_be_near_callers_clock() {
    let authority = Authority::shared();
    let now = datetime!(2026-11-20 12:00:00 UTC);
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let open = |seconds| {
        let answer = authority.answer(request.der(), now + Duration::seconds(seconds), &NONE);
        request.open(&answer, &authority.anchors(), now).map(|token| token.time())
    };
    for seconds in [-60, 0, 300] {
        assert_eq!(open(seconds), Ok(now + Duration::seconds(seconds)));
    }
    for seconds in [-61, 301] {
        assert_eq!(open(seconds), Err(TokenFault::Clock { time: now + Duration::seconds(seconds), now }));
    }
}

#[test]
fn refuses_accuracy_worse_than_a_minute() {
    let minute = Lies { info: |info| info.accuracy = Some(ACCURATE), ..NONE };
    assert!(Authority::shared().stamp(MESSAGE, now(), &minute).is_ok());
    let more = lie_about_info(|info| info.accuracy = Some(Accuracy { millis: Some(1), ..ACCURATE }));
    assert_eq!(more, TokenFault::Accuracy(Duration::milliseconds(60_001)));
    let endless = lie_about_info(|info| info.accuracy = Some(Accuracy { seconds: Some(u64::MAX), ..ACCURATE }));
    assert!(matches!(endless, TokenFault::Accuracy(_)), "{endless:?}");
}

#[test]
fn refuses_tokens_with_a_wrong_signature() {
    let faults = [
        lie_about_attributes(|attributes| {
            attributes[1] = attribute(MESSAGE_DIGEST, &OctetString::new([9; 32]).unwrap());
        }),
        lie_about_attributes(|attributes| attributes.retain(|attribute| attribute.oid != MESSAGE_DIGEST)),
        lie_about_attributes(|attributes| {
            attributes[0] = attribute(CONTENT_TYPE, &ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1"));
        }),
        lie_about_attributes(|attributes| attributes.retain(|attribute| attribute.oid != CONTENT_TYPE)),
        lie_about_signers(|message| {
            change_signer(message, |signer| signer.signature = OctetString::new([9; 256]).unwrap());
        }),
        // Another time than the signed one.
        lie_about_signers(|message| {
            let content = message.encap_content_info.econtent.as_mut().unwrap();
            let mut changed = content.value().to_vec();
            *changed.last_mut().unwrap() ^= 1;
            *content = der::Any::new(der::Tag::OctetString, changed).unwrap();
        }),
        lie_about_signers(|message| {
            let ecdsa_with_sha_256 = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
            change_signer(message, |signer| signer.signature_algorithm.oid = ecdsa_with_sha_256);
        }),
    ];
    for fault in faults {
        assert!(matches!(fault, TokenFault::Signature(_)), "{fault:?}");
    }
}

#[test]
fn requires_one_signer_with_named_certificate() {
    let unreadable = [
        lie_about_signers(|message| message.certificates = None),
        lie_about_signers(|message| message.signer_infos = SetOfVec::new().into()),
        lie_about_signers(|message| {
            let signer = message.signer_infos.0.get(0).unwrap().clone();
            let mut second = signer.clone();
            second.signature = OctetString::new([9; 256]).unwrap();
            message.signer_infos = SetOfVec::try_from(vec![signer, second]).unwrap().into();
        }),
        lie_about_signers(|message| change_signer(message, |signer| signer.signed_attrs = None)),
        lie_about_signers(|message| message.encap_content_info.econtent = None),
        lie_about_signers(|message| message.encap_content_info.econtent_type = MESSAGE_DIGEST),
    ];
    for fault in unreadable {
        assert!(matches!(fault, TokenFault::Unreadable(_)), "{fault:?}");
    }
    let unnamed = lie_about_attributes(|attributes| {
        attributes.retain(|attribute| attribute.oid != SIGNING_CERTIFICATE_V2);
    });
    assert!(matches!(unnamed, TokenFault::SigningCertificate(_)), "{unnamed:?}");
    let named_otherwise = lie_about_attributes(|attributes| {
        // Each value is a SEQUENCE around one hash, which is at its end.
        let mut value = attributes[2].values.get(0).unwrap().to_der().unwrap();
        *value.last_mut().unwrap() ^= 1;
        attributes[2] = attribute(SIGNING_CERTIFICATE_V2, &der::Any::from_der(&value).unwrap());
    });
    assert!(matches!(named_otherwise, TokenFault::SigningCertificate(_)), "{named_otherwise:?}");
}

#[test]
fn requires_a_trusted_valid_certificate_chain() {
    let authority = Authority::shared();
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let open = |anchors: &Anchors, at: OffsetDateTime| {
        request.open(&authority.answer(request.der(), at, &NONE), anchors, at).map(drop)
    };
    let untrusted = |opened| matches!(opened, Err(TokenFault::Untrusted(_)));
    assert_eq!(open(&authority.anchors(), now()), Ok(()));
    assert!(untrusted(open(&Authority::new().anchors(), now())), "roots of the same names with other keys");
    for years in [-4, 4] {
        let then = now() + Duration::days(365 * years);
        assert!(untrusted(open(&authority.anchors(), then)), "{years} years from now");
    }
    let without_intermediate = lie_about_signers(|message| {
        let certificates = message.certificates.take().unwrap().0.into_vec();
        let leaf = Authority::shared().chain[0].clone();
        let leaf = certificates
            .into_iter()
            .filter(|choice| *choice == cms::cert::CertificateChoices::Certificate(leaf.clone()));
        message.certificates = Some(SetOfVec::try_from(leaf.collect::<Vec<_>>()).unwrap().into());
    });
    assert!(matches!(without_intermediate, TokenFault::Untrusted(_)));
}
