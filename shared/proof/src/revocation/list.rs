//! Certificate revocation lists (RFC 5280, 5).

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::{Decode, asn1::GeneralizedTime};
use time::OffsetDateTime;
use x509_cert::{
    Certificate,
    crl::{RevokedCert, TbsCertList},
    ext::{
        Extension,
        pkix::{
            BaseCrlNumber, BasicConstraints, CrlDistributionPoints, CrlReason, IssuingDistributionPoint,
            name::{DistributionPointName, GeneralName},
        },
    },
};

use super::{Issuer, Revoked, Signed, Word};
use crate::{certificate::extension, claim_profile::http_address, contents_of_pem, der_bounds};

/// The OID of the extension; `IssuingDistributionPoint::OID` has the value of another extension.
const ISSUING_DISTRIBUTION_POINT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.28");
const INVALIDITY_DATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.24");
const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");

/// A certificate revocation list.
pub struct List {
    signed: Signed,
    content: TbsCertList,
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
            let signed = Signed::from_der(der)?;
            Ok(Self { content: signed.decode()?, signed })
        };
        let list = read().map_err(|error: der::Error| format!("cannot decode the CRL: {error}"))?;
        // Only an OCSP response has certificates there, which its signature does not cover.
        match list.signed.certificates {
            None => Ok(list),
            Some(_) => Err("cannot decode the CRL: it has certificates".into()),
        }
    }

    /// When the authority will publish another list, if it says so.
    #[must_use]
    pub fn next_update(&self) -> Option<OffsetDateTime> {
        self.content.next_update.map(|time| moment(time.to_unix_duration()))
    }

    /// The list's statement about a certificate of the given issuer; `None` if the list is of another issuer.
    pub fn about(&self, certificate: &Certificate, issuer: &Issuer) -> Option<Result<Word, String>> {
        (self.content.issuer == issuer.name && certificate.tbs_certificate.issuer == issuer.name)
            .then(|| self.word(certificate, issuer))
    }

    fn word(&self, certificate: &Certificate, issuer: &Issuer) -> Result<Word, String> {
        if !issuer.signs_lists {
            return Err(format!("the key usage of {}, which issued the CRL, does not include cRLSign", issuer.name));
        }
        if !self.signed.is_by(&issuer.key) || self.signed.algorithm != self.content.signature {
            return Err(format!("the signature of the CRL is not by {}", issuer.name));
        }
        self.check_scope(certificate)?;
        let serial_number = &certificate.tbs_certificate.serial_number;
        let entries = self.content.revoked_certificates.iter().flatten();
        let found = entries.filter(|entry| entry.serial_number == *serial_number).map(revoked);
        let this_update = moment(self.content.this_update.to_unix_duration());
        Ok(Word {
            revoked: found.reduce(|one, another| Ok(one?.and(&another?))).transpose()?,
            this_update,
            written: this_update,
            names_ended_since: self.names_ended_since()?,
            responder: None,
        })
    }

    /// The time in the extension `expiredCertsOnCRL` (X.509): certificates that expired then or later stay on the list.
    fn names_ended_since(&self) -> Result<Option<OffsetDateTime>, String> {
        let mut extensions = self.content.crl_extensions.iter().flatten();
        let found = extensions.find(|extension| extension.extn_id == EXPIRED_CERTS_ON_CRL);
        let time = found.map(|extension| GeneralizedTime::from_der(extension.extn_value.as_bytes())).transpose();
        time.map(|time| time.map(|time| moment(time.to_unix_duration())))
            .map_err(|error| format!("cannot decode the CRL's expiredCertsOnCRL: {error}"))
    }

    /// Checks that the list makes a statement about the certificate (RFC 5280, 5.2): it has no unknown critical
    /// extension, and the certificate is within its scope.
    fn check_scope(&self, certificate: &Certificate) -> Result<(), String> {
        let entries = self.content.revoked_certificates.iter().flatten();
        let mut of_entries = entries.flat_map(|entry| entry.crl_entry_extensions.iter().flatten());
        if of_entries.any(|extension| extension.critical) {
            return Err("the CRL has an unrecognized critical entry extension".into());
        }
        self.content.crl_extensions.iter().flatten().try_for_each(|extension| check_extension(extension, certificate))
    }
}

/// Checks one extension. One that restricts the list does so even if it is not marked as critical.
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
    let here = scope.distribution_point.map_or(Ok(true), |point| names_point(certificate, &point))?;
    Ok(of_kind && here)
}

/// Whether a certificate names the given distribution point for its revocation.
fn names_point(certificate: &Certificate, point: &DistributionPointName) -> Result<bool, String> {
    let DistributionPointName::FullName(wanted) = point else { return Ok(false) };
    Ok(points(certificate)?.iter().any(|name| wanted.contains(name)))
}

/// The full names of the distribution points of a certificate's revocation.
fn points(certificate: &Certificate) -> Result<Vec<GeneralName>, String> {
    let points = extension::<CrlDistributionPoints>(certificate)?.map_or_else(Vec::new, |(_, points)| points.0);
    let names = points.into_iter().filter_map(|point| match point.distribution_point {
        Some(DistributionPointName::FullName(names)) => Some(names),
        _ => None,
    });
    Ok(names.flatten().collect())
}

/// The HTTP URLs of the lists that a certificate names for its revocation.
///
/// # Errors
/// A text, if the extension cannot be parsed.
pub fn list_addresses(certificate: &Certificate) -> Result<Vec<String>, String> {
    Ok(points(certificate)?.iter().filter_map(http_address).collect())
}

/// The revocation in a list entry. If the entry states an invalidity date, the key may have been compromised before the
/// revocation.
fn revoked(entry: &RevokedCert) -> Result<Revoked, String> {
    let extensions = || entry.crl_entry_extensions.iter().flatten();
    let reason = extensions().find(|extension| extension.extn_id == CrlReason::OID);
    let reason = reason.map(|extension| CrlReason::from_der(extension.extn_value.as_bytes()));
    let invalid = extensions().find(|extension| extension.extn_id == INVALIDITY_DATE);
    let invalid = invalid.map(|extension| GeneralizedTime::from_der(extension.extn_value.as_bytes()));
    let read = || {
        let since = moment(entry.revocation_date.to_unix_duration());
        let invalid = invalid.transpose()?.map(|time| moment(time.to_unix_duration()));
        Ok(Revoked { since: invalid.map_or(since, |invalid| invalid.min(since)), reason: reason.transpose()? })
    };
    read().map_err(|error: der::Error| format!("cannot decode a CRL entry: {error}"))
}

fn moment(since_epoch: std::time::Duration) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + since_epoch
}
