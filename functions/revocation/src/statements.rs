//! What authorities say of a certificate: OCSP responses and revocation lists, fetched from where the certificate names
//! them, and judged.

use std::collections::HashMap;

use der::Encode;
use lacre_proof::{
    certificate::Chain,
    revocation::{Answer, Issuer, List, Word, list_addresses, ocsp_address, ocsp_request},
};
use time::{Duration, OffsetDateTime};
use x509_cert::Certificate;

use crate::fetch;

/// A certificate, and its issuer.
pub(crate) struct Subject {
    certificate: Certificate,
    issuer: Certificate,
}

/// What an authority says of a certificate. Its signature is valid.
pub(crate) struct Statement {
    /// The OCSP response or the list.
    pub(crate) der: Vec<u8>,
    pub(crate) is_list: bool,
    /// Whether it says that the certificate is revoked.
    pub(crate) is_revoked: bool,
    /// Whether waiting for another one is of no use.
    pub(crate) is_last: bool,
}

/// The time that statements have to be about.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// A statement of this time or a later one says something about it.
    pub(crate) at: OffsetDateTime,
    /// The time for which one waits for such a statement.
    pub(crate) patience: Duration,
}

/// The revocation lists of a run by their URL, because several certificates name the same.
pub(crate) type Lists = HashMap<String, Result<Vec<u8>, String>>;

impl Subject {
    /// The certificates among the given ones whose issuer is among them, too. Roots are not.
    pub(crate) fn of(certificates: &[Certificate]) -> Vec<Self> {
        let of = |certificate: &Certificate| {
            let fields = &certificate.tbs_certificate;
            let is_issuer = |other: &&Certificate| other.tbs_certificate.subject == fields.issuer;
            let issuer = certificates.iter().find(is_issuer).filter(|_| fields.issuer != fields.subject);
            Some(Self { certificate: certificate.clone(), issuer: issuer?.clone() })
        };
        certificates.iter().filter_map(of).collect()
    }

    /// The certificate's subject (RFC 4514).
    pub(crate) fn name(&self) -> String {
        self.certificate.tbs_certificate.subject.to_string()
    }

    /// What can be had now: the OCSP response, and the list if the response is not the last one. A response is preferred
    /// because it is small. Empty if the certificate names no server.
    pub(crate) async fn ask(&self, wanted: Wanted, lists: &mut Lists) -> Vec<Result<Statement, String>> {
        let answer = self.answer(wanted).await.transpose();
        if matches!(&answer, Some(Ok(answer)) if answer.is_last) {
            return answer.into_iter().collect();
        }
        answer.into_iter().chain(self.list(wanted, lists).await.transpose()).collect()
    }

    /// The response of the OCSP responder; `None` if the certificate names none.
    async fn answer(&self, wanted: Wanted) -> Result<Option<Statement>, String> {
        let address = ocsp_address(&self.certificate)?.filter(|address| !fetch::is_reserved(address));
        let Some(address) = address else { return Ok(None) };
        let chain = Chain::of(vec![self.certificate.clone(), self.issuer.clone()])?;
        let der = fetch::ask(&address, ocsp_request(&chain)?).await?;
        let word = Answer::read(&der)?.about(&self.certificate, &self.issuer()?).into_iter().next();
        let word = word.ok_or("the OCSP response is about another certificate")??;
        Ok(Some(Statement::of((der, false), &word, None, wanted)))
    }

    /// The first list that can be had; `None` if the certificate names none.
    async fn list(&self, wanted: Wanted, lists: &mut Lists) -> Result<Option<Statement>, String> {
        let mut outcome = Ok(None);
        for address in list_addresses(&self.certificate)?.into_iter().filter(|address| !fetch::is_reserved(address)) {
            if !lists.contains_key(&address) {
                lists.insert(address.clone(), fetch::list(&address).await);
            }
            outcome = lists[&address].clone().and_then(|der| self.judge(der, wanted)).map(Some);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    fn judge(&self, der: Vec<u8>, wanted: Wanted) -> Result<Statement, String> {
        let list = List::of_der(&der)?;
        let word = list.about(&self.certificate, &self.issuer()?);
        let word = word.ok_or("the revocation list is of another issuer")??;
        Ok(Statement::of((der, true), &word, list.next_update(), wanted))
    }

    fn issuer(&self) -> Result<Issuer, String> {
        Issuer::of_authority(&self.issuer.to_der().map_err(|error| error.to_string())?)
    }
}

impl Statement {
    fn of(
        (der, is_list): (Vec<u8>, bool),
        word: &Word,
        next_update: Option<OffsetDateTime>,
        Wanted { at, patience }: Wanted,
    ) -> Self {
        let is_last = word.this_update >= at || next_update.is_some_and(|next| next > at + patience);
        Self { der, is_list, is_revoked: word.revoked.is_some(), is_last }
    }
}
