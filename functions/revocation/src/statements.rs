//! What authorities say of a certificate: OCSP responses and revocation lists, fetched from where the certificate names
//! them, and judged.

use std::collections::HashMap;

use der::Encode;
use lacre_proof::{
    certificate::Chain,
    revocation::{Answer, Issuer, List, Word, list_addresses, ocsp_address, ocsp_request},
};
use time::OffsetDateTime;
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
    /// Whether it is of the time in question or a later one, so that it says something of that time.
    pub(crate) is_later: bool,
    /// When the authority will have published another one, if it says so.
    pub(crate) next_update: Option<OffsetDateTime>,
}

/// Maximum size of all lists of a run together, in bytes: a function has 512 MB, and a list is read into several times its
/// size.
const MAX_LISTS: usize = 24 * 1024 * 1024;

/// The revocation lists of a run by their URL, because several certificates name the same.
#[derive(Default)]
pub(crate) struct Lists {
    fetched: HashMap<String, Result<Vec<u8>, String>>,
    size: usize,
}

impl Lists {
    async fn get(&mut self, address: &str) -> Result<&[u8], String> {
        if !self.fetched.contains_key(address) {
            let list = match fetch::list(address).await {
                Ok(list) if self.size + list.len() > MAX_LISTS => Err(format!("no room for the list of {address}")),
                list => list,
            };
            self.size += list.as_ref().map_or(0, Vec::len);
            self.fetched.insert(address.to_owned(), list);
        }
        match &self.fetched[address] {
            Ok(list) => Ok(list),
            Err(cause) => Err(cause.clone()),
        }
    }
}

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

    /// What can be had now: the OCSP response, and the list if the response is not of the given time or a later one. A
    /// response is preferred because it is small. Empty if the certificate names no server.
    pub(crate) async fn ask(&self, at: OffsetDateTime, lists: &mut Lists) -> Vec<Result<Statement, String>> {
        let answer = self.answer(at).await.transpose();
        if matches!(&answer, Some(Ok(answer)) if answer.is_later) {
            return answer.into_iter().collect();
        }
        answer.into_iter().chain(self.list(at, lists).await.transpose()).collect()
    }

    /// The response of the OCSP responder; `None` if the certificate names none.
    async fn answer(&self, at: OffsetDateTime) -> Result<Option<Statement>, String> {
        let address = ocsp_address(&self.certificate)?.filter(|address| !fetch::is_reserved(address));
        let Some(address) = address else { return Ok(None) };
        let chain = Chain::of(vec![self.certificate.clone(), self.issuer.clone()])?;
        let der = fetch::ask(&address, ocsp_request(&chain)?).await?;
        let (word, next_update) =
            Answer::read(&der)?.sole_word(&der, &self.certificate, &self.issuer()?, chain.der())?;
        Ok(Some(Statement::of((der, false), &word, next_update, at)))
    }

    /// The first list that can be had; `None` if the certificate names none.
    async fn list(&self, at: OffsetDateTime, lists: &mut Lists) -> Result<Option<Statement>, String> {
        let mut outcome = Ok(None);
        for address in list_addresses(&self.certificate)?.into_iter().filter(|address| !fetch::is_reserved(address)) {
            outcome = lists.get(&address).await.and_then(|der| self.judge(der, at)).map(Some);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    fn judge(&self, der: &[u8], at: OffsetDateTime) -> Result<Statement, String> {
        let list = List::of_der(der)?;
        let word = list.about(&self.certificate, &self.issuer()?);
        let word = word.ok_or("the revocation list is of another issuer")??;
        Ok(Statement::of((der.to_vec(), true), &word, list.next_update(), at))
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
        at: OffsetDateTime,
    ) -> Self {
        Self { der, is_list, is_revoked: word.revoked.is_some(), is_later: word.this_update >= at, next_update }
    }
}
