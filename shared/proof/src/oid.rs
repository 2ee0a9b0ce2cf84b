//! The object identifiers in CAdES signatures, timestamps and certificates.

use const_oid::ObjectIdentifier;

/// CMS `id-data`.
pub const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
/// CMS `id-signedData`.
pub const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
/// `id-ct-TSTInfo`: the content type of a timestamp token.
pub const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
/// SHA-256.
pub const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
/// RSA PKCS#1 v1.5 with SHA-256.
pub const SHA_256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");

/// Attribute `contentType`.
pub const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
/// Attribute `messageDigest`.
pub const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
/// Attribute `signingTime`.
pub const SIGNING_TIME: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.5");
/// Attribute `id-aa-ets-sigPolicyId`.
pub const SIGNATURE_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.15");
/// Attribute `id-aa-signingCertificateV2`.
pub const SIGNING_CERTIFICATE_V2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");
/// Attribute `id-aa-ets-mimeType` (ETSI EN 319 122-1, 5.2.4.3).
pub const MIME_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1733.2.1");
/// Lacre's own attribute, [`SealedStatements`](crate::sealed::SealedStatements). The identifier is the UUID
/// dd4cfed5-7141-480c-8304-7efad8b855ca under the arc for identifiers that are made from UUIDs, split into parts of 16
/// and 24 bits.
pub const SEALED_STATEMENTS: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113556.1.8000.2554.56652.65237.28993.18444.33540.8321752.12080586");
/// Unsigned attribute `id-aa-timeStampToken`: a timestamp over the signature value.
pub const TIME_STAMP_TOKEN: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
/// Qualifier `id-spq-ets-uri`: the URL at which the policy is published.
pub const POLICY_URI: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.5.1");
