//! The certificate hierarchy of the C2PA claim signature. Its leaves follow the C2PA certificate profile for claim
//! signing, assurance level 1.

use std::marker::PhantomData;

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::{Decode, Encode, Length, Writer, asn1::Ia5String};
use p256::ecdsa::SigningKey;
use rsa::rand_core::OsRng;
use spki::SubjectPublicKeyInfoOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::{
    ext::{
        AsExtension, Extension,
        pkix::{
            AccessDescription, AuthorityInfoAccessSyntax, BasicConstraints, CertificatePolicies, ExtendedKeyUsage,
            KeyUsages, certpolicy::PolicyInformation, name::GeneralName,
        },
    },
    name::Name,
};

use crate::{
    PkiError,
    authority::{Hierarchy, Shape, pem},
};

/// `c2pa-kp-claimSigning`.
const CLAIM_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.2.1");
/// `id-kp-emailProtection`, which validators of earlier C2PA versions look for.
const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");
/// `c2pa-certificate-policy`.
const C2PA_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.1.1");
/// `c2pa-assuranceLevel-1`.
const LEVEL_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3.10");
/// The nil UUID, in place of a record of the C2PA Conforming Products List. No product has it.
const NO_PRODUCT: &str = "00000000-0000-0000-0000-000000000000";
/// The addresses of OCSP (`id-ad-ocsp`) and of the issuer's certificate (`id-ad-caIssuers`). They use a reserved
/// domain, so nothing answers there.
const ACCESS: [(ObjectIdentifier, &str); 2] = [
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1"), "http://ocsp.lacre.example/"),
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.2"), "http://ca.lacre.example/claim.cer"),
];

/// A root and an intermediate CA with P-256 keys.
pub struct ClaimPki(Hierarchy<SigningKey>);

impl ClaimPki {
    /// Creates a hierarchy, valid for ten years from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn generate(now: OffsetDateTime) -> Result<Self, PkiError> {
        let root = "CN=Lacre Development Claim Root,O=Lacre Development,C=BR";
        let issuing = "CN=Lacre Development Claim Intermediate,O=Lacre Development,C=BR";
        Hierarchy::generate(|| Ok(SigningKey::random(&mut OsRng)), root, issuing, now).map(Self)
    }

    /// Issues a leaf for a P-256 key, given as a DER `SubjectPublicKeyInfo`, valid for 365 days from the day before
    /// `now`. Returns the chain in PEM, leaf first, without the root.
    ///
    /// # Errors
    /// [`PkiError`] if the key cannot be read.
    pub fn issue_leaf(&self, spki_der: &[u8], now: OffsetDateTime) -> Result<String, PkiError> {
        let leaf = Shape {
            subject: "CN=Lacre Development Claim Signer,O=Lacre Development,C=BR",
            key_usage: KeyUsages::DigitalSignature | KeyUsages::NonRepudiation,
            lifetime: Duration::days(365),
            authority_depth: None,
        };
        let spki = SubjectPublicKeyInfoOwned::from_der(spki_der)?;
        let access = authority_information_access()?;
        let policies =
            CertificatePolicies(vec![PolicyInformation { policy_identifier: C2PA_POLICY, policy_qualifiers: None }]);
        let leaf = self.0.issuing.issue(&spki, &leaf, now, |builder| {
            builder.add_extension(&BasicConstraints { ca: false, path_len_constraint: None })?;
            let usages = vec![CLAIM_SIGNING, EMAIL_PROTECTION];
            builder.add_extension(&NotCritical::<ExtendedKeyUsage, _>::of(usages))?;
            builder.add_extension(&policies)?;
            builder.add_extension(&access)?;
            builder.add_extension(&NotCritical::<AssuranceLevel, _>::of(LEVEL_1))?;
            builder.add_extension(&NotCritical::<CplRecord, _>::of(NO_PRODUCT.to_owned()))
        })?;
        pem([&leaf, self.0.issuing.certificate()])
    }

    /// The root certificate in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn anchors_pem(&self) -> Result<String, PkiError> {
        self.0.anchors_pem()
    }
}

fn authority_information_access() -> Result<AuthorityInfoAccessSyntax, PkiError> {
    let description = |(access_method, uri): (ObjectIdentifier, &str)| {
        let access_location = GeneralName::UniformResourceIdentifier(Ia5String::new(uri)?);
        Ok(AccessDescription { access_method, access_location })
    };
    Ok(AuthorityInfoAccessSyntax(ACCESS.into_iter().map(description).collect::<Result<_, der::Error>>()?))
}

/// The extension `id-c2pa-al`.
struct AssuranceLevel;

impl AssociatedOid for AssuranceLevel {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3");
}

/// The extension `c2pa-cpl-record`.
struct CplRecord;

impl AssociatedOid for CplRecord {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.4");
}

/// A non-critical extension whose OID is that of `I`. It is needed because the builder marks its own extended key usage
/// critical, and has no types for C2PA's extensions.
pub(crate) struct NotCritical<I, T> {
    value: T,
    identifier: PhantomData<I>,
}

impl<I, T> NotCritical<I, T> {
    pub(crate) fn of(value: T) -> Self {
        Self { value, identifier: PhantomData }
    }
}

impl<I: AssociatedOid, T> AssociatedOid for NotCritical<I, T> {
    const OID: ObjectIdentifier = I::OID;
}

impl<I, T: Encode> Encode for NotCritical<I, T> {
    fn encoded_len(&self) -> der::Result<Length> {
        self.value.encoded_len()
    }

    fn encode(&self, writer: &mut impl Writer) -> der::Result<()> {
        self.value.encode(writer)
    }
}

impl<I: AssociatedOid, T: Encode> AsExtension for NotCritical<I, T> {
    fn critical(&self, _subject: &Name, _extensions: &[Extension]) -> bool {
        false
    }
}
