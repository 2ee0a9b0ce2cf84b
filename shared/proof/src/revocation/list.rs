//! Certificate revocation lists (RFC 5280, 5).

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::{
    Choice, Decode, Reader, Sequence, SliceReader, Tag, TagNumber,
    asn1::{AnyRef, ContextSpecific, GeneralizedTime},
};
use spki::AlgorithmIdentifierOwned;
use time::OffsetDateTime;
use x509_cert::{
    Certificate, Version,
    crl::RevokedCert,
    ext::{
        Extension, Extensions,
        pkix::{
            BaseCrlNumber, BasicConstraints, CrlDistributionPoints, CrlReason, crl::dp::ReasonFlags, name::GeneralName,
        },
    },
    name::{Name, RelativeDistinguishedName},
    time::Time,
};

use super::{Issuer, Revoked, Signed, Word};
use crate::{apart::Apart, certificate::extension, claim_profile::http_address, contents_of_pem, der_bounds};

/// The OID of the extension; `IssuingDistributionPoint::OID` has the value of another extension.
const ISSUING_DISTRIBUTION_POINT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.28");
const INVALIDITY_DATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.24");
const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");

/// A certificate revocation list.
pub struct List {
    signed: Signed,
}

/// `TBSCertList` (RFC 5280, 5.1). Its entries stay encoded: a list can have a million, and decoded they take five times the
/// memory.
struct Content<'a> {
    signature: AlgorithmIdentifierOwned,
    issuer: Name,
    this_update: Time,
    next_update: Option<Time>,
    entries: &'a [u8],
    extensions: Option<Extensions>,
}

/// `IssuingDistributionPoint` (RFC 5280, 5.2.5).
#[derive(Sequence)]
struct IssuingDistributionPoint {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    distribution_point: Option<Apart<PointName>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", default = "Default::default")]
    only_contains_user_certs: bool,
    #[asn1(context_specific = "2", tag_mode = "IMPLICIT", default = "Default::default")]
    only_contains_ca_certs: bool,
    #[asn1(context_specific = "3", tag_mode = "IMPLICIT", optional = "true")]
    only_some_reasons: Option<ReasonFlags>,
    #[asn1(context_specific = "4", tag_mode = "IMPLICIT", default = "Default::default")]
    indirect_crl: bool,
    #[asn1(context_specific = "5", tag_mode = "IMPLICIT", default = "Default::default")]
    only_contains_attribute_certs: bool,
}

/// `CRLDistributionPoints` (RFC 5280, 4.2.1.13).
struct Points(Vec<Apart<Point>>);

/// `DistributionPoint`.
#[derive(Sequence)]
struct Point {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    name: Option<Apart<PointName>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    reasons: Option<ReasonFlags>,
    #[asn1(context_specific = "2", tag_mode = "IMPLICIT", optional = "true")]
    issuer: Option<Vec<Apart<GeneralName>>>,
}

/// `DistributionPointName`.
#[derive(Choice)]
enum PointName {
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true")]
    Full(Vec<Apart<GeneralName>>),
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true")]
    Relative(RelativeDistinguishedName),
}

impl AssociatedOid for Points {
    const OID: ObjectIdentifier = CrlDistributionPoints::OID;
}

impl<'a> Decode<'a> for Points {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.decode().map(Self)
    }
}

impl<'a> Content<'a> {
    fn read(mut fields: SliceReader<'a>) -> der::Result<Self> {
        Version::decode(&mut fields)?;
        let (signature, issuer) = (fields.decode()?, fields.decode()?);
        let (this_update, next_update) = (fields.decode()?, fields.decode()?);
        let has_entries = !fields.is_finished() && fields.peek_tag()? == Tag::Sequence;
        let entries = if has_entries { AnyRef::decode(&mut fields)?.value() } else { &[] };
        let extensions = ContextSpecific::decode_explicit(&mut fields, TagNumber::N0)?.map(|field| field.value);
        fields.finish(Self { signature, issuer, this_update, next_update, entries, extensions })
    }

    /// The revocation of a certificate. No entry may have a critical extension, because none is known.
    fn revocation(&self, certificate: &Certificate) -> Result<Option<Revoked>, String> {
        let mut found: Option<Revoked> = None;
        for entry in self.entries().map_err(of_entry)? {
            let entry = entry.map_err(of_entry)?;
            if entry.crl_entry_extensions.iter().flatten().any(|extension| extension.critical) {
                return Err("the CRL has an unrecognized critical entry extension".into());
            }
            if entry.serial_number == certificate.tbs_certificate.serial_number {
                let revoked = revoked(&entry).map_err(of_entry)?;
                found = Some(found.map_or(revoked.clone(), |other| other.and(&revoked)));
            }
        }
        Ok(found)
    }

    /// The time in the extension `expiredCertsOnCRL` (X.509): certificates that expired then or later stay on the list.
    fn names_ended_since(&self) -> Result<Option<OffsetDateTime>, String> {
        let mut extensions = self.extensions.iter().flatten();
        let found = extensions.find(|extension| extension.extn_id == EXPIRED_CERTS_ON_CRL);
        let time = found.map(|extension| GeneralizedTime::from_der(extension.extn_value.as_bytes())).transpose();
        time.map(|time| time.map(|time| moment(time.to_unix_duration())))
            .map_err(|error| format!("cannot decode the CRL's expiredCertsOnCRL: {error}"))
    }

    fn entries(&self) -> der::Result<impl Iterator<Item = der::Result<RevokedCert>>> {
        let mut entries = SliceReader::new(self.entries)?;
        Ok(std::iter::from_fn(move || (!entries.is_finished()).then(|| entries.decode())))
    }
}

impl List {
    /// Parses one list in DER, or all lists in PEM.
    ///
    /// # Errors
    /// A text, if one cannot be parsed.
    pub fn read(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let lists = contents_of_pem(bytes, &["X509 CRL"]).map_err(|fault| format!("cannot decode the CRL: {fault}"))?;
        match lists.is_empty() {
            true => Ok(vec![Self::of_der(bytes)?]),
            false => lists.iter().map(|der| Self::of_der(der)).collect(),
        }
    }

    /// Parses one list in DER.
    ///
    /// # Errors
    /// A text, if it cannot be parsed.
    pub fn of_der(der: &[u8]) -> Result<Self, String> {
        der_bounds::check_sets(der).map_err(|fault| format!("cannot decode the CRL: {fault}"))?;
        let read = || {
            let list = Self { signed: Signed::from_der(der)? };
            list.content()?.entries()?.try_for_each(|entry| entry.map(drop))?;
            Ok(list)
        };
        let list = read().map_err(|error: der::Error| format!("cannot decode the CRL: {error}"))?;
        // Only an OCSP response has certificates there, which its signature does not cover.
        match list.signed.certificates {
            None => Ok(list),
            Some(_) => Err("cannot decode the CRL: it has certificates".into()),
        }
    }

    /// The content, which was parsed before.
    fn content(&self) -> der::Result<Content<'_>> {
        Content::read(self.signed.fields()?)
    }

    /// When the authority will publish another list, if it says so.
    #[must_use]
    pub fn next_update(&self) -> Option<OffsetDateTime> {
        self.content().ok()?.next_update.map(|time| moment(time.to_unix_duration()))
    }

    /// The list's statement about a certificate of the given issuer; `None` if the list is of another issuer.
    pub fn about(&self, certificate: &Certificate, issuer: &Issuer) -> Option<Result<Word, String>> {
        let content = self.content().ok()?;
        (content.issuer == issuer.name && certificate.tbs_certificate.issuer == issuer.name)
            .then(|| self.word(&content, certificate, issuer))
    }

    fn word(&self, content: &Content<'_>, certificate: &Certificate, issuer: &Issuer) -> Result<Word, String> {
        if !issuer.signs_lists {
            return Err(format!("the key usage of {}, which issued the CRL, does not include cRLSign", issuer.name));
        }
        if !self.signed.is_by(&issuer.key) || self.signed.algorithm != content.signature {
            return Err(format!("the signature of the CRL is not by {}", issuer.name));
        }
        content.extensions.iter().flatten().try_for_each(|extension| check_extension(extension, certificate))?;
        let this_update = moment(content.this_update.to_unix_duration());
        Ok(Word {
            revoked: content.revocation(certificate)?,
            this_update,
            written: this_update,
            names_ended_since: content.names_ended_since()?,
            responder: None,
        })
    }
}

/// Checks one extension of a list: that it is known if it is critical, and that the certificate is within the list's scope
/// (RFC 5280, 5.2). One that restricts the list does so even if it is not marked as critical.
fn check_extension(extension: &Extension, certificate: &Certificate) -> Result<(), String> {
    match extension.extn_id {
        ISSUING_DISTRIBUTION_POINT => match is_in_scope(extension.extn_value.as_bytes(), certificate)? {
            true => Ok(()),
            false => Err("the certificate is outside the scope of the CRL's issuing distribution point".into()),
        },
        BaseCrlNumber::OID => Err("the CRL is a delta CRL".into()),
        oid if extension.critical => Err(format!("the CRL has the unrecognized critical extension {oid}")),
        _ => Ok(()),
    }
}

fn is_in_scope(scope: &[u8], certificate: &Certificate) -> Result<bool, String> {
    let scope = IssuingDistributionPoint::from_der(scope).map_err(|error| error.to_string())?;
    if scope.indirect_crl || scope.only_some_reasons.is_some() || scope.only_contains_attribute_certs {
        return Err("the CRL is indirect, or limited to some reasons or to attribute certificates".into());
    }
    let is_authority = extension::<BasicConstraints>(certificate)?.is_some_and(|(_, found)| found.ca);
    let of_kind = if is_authority { !scope.only_contains_user_certs } else { !scope.only_contains_ca_certs };
    let here = scope.distribution_point.map_or(Ok(true), |Apart(point)| names_point(certificate, &point))?;
    Ok(of_kind && here)
}

/// Whether a certificate names the given distribution point for its revocation.
fn names_point(certificate: &Certificate, point: &PointName) -> Result<bool, String> {
    let PointName::Full(wanted) = point else { return Ok(false) };
    Ok(points(certificate)?.iter().any(|name| wanted.contains(name)))
}

/// The full names of the distribution points of a certificate's revocation.
fn points(certificate: &Certificate) -> Result<Vec<Apart<GeneralName>>, String> {
    let points = extension::<Points>(certificate)?.map_or_else(Vec::new, |(_, Points(points))| points);
    let names = points.into_iter().filter_map(|Apart(point)| match point.name {
        Some(Apart(PointName::Full(names))) => Some(names),
        _ => None,
    });
    Ok(names.flatten().collect())
}

/// The HTTP URLs of the lists that a certificate names for its revocation.
///
/// # Errors
/// A text, if the extension cannot be parsed.
pub fn list_addresses(certificate: &Certificate) -> Result<Vec<String>, String> {
    Ok(points(certificate)?.iter().filter_map(|Apart(name)| http_address(name)).collect())
}

/// The revocation in a list entry. If the entry states an invalidity date, the key may have been compromised before the
/// revocation.
fn revoked(entry: &RevokedCert) -> der::Result<Revoked> {
    let extensions = || entry.crl_entry_extensions.iter().flatten();
    let reason = extensions().find(|extension| extension.extn_id == CrlReason::OID);
    let reason = reason.map(|extension| CrlReason::from_der(extension.extn_value.as_bytes()));
    let invalid = extensions().find(|extension| extension.extn_id == INVALIDITY_DATE);
    let invalid = invalid.map(|extension| GeneralizedTime::from_der(extension.extn_value.as_bytes()));
    let since = moment(entry.revocation_date.to_unix_duration());
    let invalid = invalid.transpose()?.map(|time| moment(time.to_unix_duration()));
    Ok(Revoked { since: invalid.map_or(since, |invalid| invalid.min(since)), reason: reason.transpose()? })
}

fn of_entry(error: der::Error) -> String {
    format!("cannot decode a CRL entry: {error}")
}

fn moment(since_epoch: std::time::Duration) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + since_epoch
}
