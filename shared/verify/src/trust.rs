//! The root certificates that a check trusts for each part of a proof, as lists with a title and a date, which the
//! report names.

use der::Decode;
use lacre_proof::{Anchors, Trust, certificate::common_name, certificates_of_file};
use serde::Serialize;
use time::OffsetDateTime;
use x509_cert::Certificate;

use super::{Requirements, Revocations, Verdict, check_with};

/// The published lists. The first lines of each contain its title, date and source. `scripts/update-trust-lists` writes
/// them.
const ICP_BRASIL: &str = include_str!("../lists/icp-brasil.pem");
const C2PA: &str = include_str!("../lists/c2pa.pem");
const C2PA_TIMESTAMPS: &str = include_str!("../lists/c2pa-timestamps.pem");

/// The common names of the ICP-Brasil roots that the policy AD-RB v2.4 trusts. The other roots are for web servers
/// (v10) or code signing (v11), are not part of the policy (v13), or have expired (v2).
const ROOTS_OF_THE_POLICY: [&str; 2] =
    ["Autoridade Certificadora Raiz Brasileira v5", "Autoridade Certificadora Raiz Brasileira v12"];

/// A list of root certificates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustList {
    /// The title of a published list; the file's name for a verifier's own list.
    pub title: String,
    /// The date of a published list, such as `2026-08-31`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The URL or name of the source of a published list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What could not be checked when a published list was compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// The certificates in DER.
    #[serde(rename = "certificates", serialize_with = "count")]
    pub certificates: Vec<Vec<u8>>,
}

/// What roots are trusted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The seal (the ICP-Brasil signature).
    Seal,
    /// The timestamp over the seal, and the timestamp over the checkpoint of a transparency log.
    SealTimestamp,
    /// The C2PA claim signature.
    Claim,
    /// The timestamp over the claim signature.
    ClaimTimestamp,
}

/// The lists that a check trusts, with their roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustStore {
    lists: Vec<(Vec<Role>, TrustList)>,
}

impl Role {
    /// All roles, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Seal, Self::SealTimestamp, Self::Claim, Self::ClaimTimestamp];
    /// The roles of timestamps.
    pub const TIMESTAMPS: [Self; 2] = [Self::SealTimestamp, Self::ClaimTimestamp];

    /// The name of the part of the proof, as in the names of checks.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::SealTimestamp => "seal timestamp",
            Self::Claim => "claim",
            Self::ClaimTimestamp => "claim timestamp",
        }
    }
}

impl TrustList {
    /// A verifier's own list, in any form that [`certificates_of_file`] parses.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed; also if there is no certificate.
    pub fn of_file(title: &str, file: impl AsRef<[u8]>) -> Result<Self, String> {
        let certificates = certificates_of_file(file)?;
        // Certificates that cannot be anchors are refused here, instead of with the first photo.
        Anchors::of_certificates(&certificates)?;
        Ok(Self { title: title.to_owned(), date: None, source: None, unchecked: None, certificates })
    }

    /// Parses a published list. Lines such as `# Title: ...` precede the first certificate.
    fn published(text: &str) -> Result<Self, String> {
        let head = text.split("-----BEGIN").next().unwrap_or_default();
        let field =
            |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
        let title = field("# Title:").ok_or("a list without its title")?;
        let (date, source) = (field("# Date:"), field("# Source:"));
        Ok(Self { date, source, unchecked: field("# Unchecked:"), ..Self::of_file(&title, text)? })
    }

    /// Restricts ICP-Brasil's list to the roots that the signature policy trusts.
    fn of_the_policy(self) -> Self {
        let is_trusted = |der: &Vec<u8>| {
            let name = Certificate::from_der(der).ok().as_ref().and_then(common_name);
            name.is_some_and(|name| ROOTS_OF_THE_POLICY.contains(&name.as_str()))
        };
        let certificates = self.certificates.into_iter().filter(is_trusted).collect();
        Self { title: format!("{}: those of the policy AD-RB v2.4", self.title), certificates, ..self }
    }
}

impl TrustStore {
    /// The published lists: ICP-Brasil's roots, restricted to those of the signature policy, for the seal and for
    /// timestamps; C2PA's list for the claim; C2PA's list of timestamp authorities for the claim's timestamp.
    ///
    /// # Errors
    /// A text that names the list that cannot be parsed.
    pub fn built_in() -> Result<Self, String> {
        let [icp_brasil, claim, timestamps] = built_in_lists()?;
        let roles = vec![Role::Seal, Role::SealTimestamp, Role::ClaimTimestamp];
        Ok(Self {
            lists: vec![
                (roles, icp_brasil.of_the_policy()),
                (vec![Role::Claim], claim),
                (vec![Role::ClaimTimestamp], timestamps),
            ],
        })
    }

    /// Uses one list for everything, as in development: each of its roots can then vouch for any part of a proof.
    #[must_use]
    pub fn of(list: TrustList) -> Self {
        Self { lists: vec![(Role::ALL.to_vec(), list)] }
    }

    /// Trusts a list for the given roles, in addition to the other lists.
    pub fn add(&mut self, roles: &[Role], list: TrustList) {
        self.lists.push((roles.to_vec(), list));
    }

    /// Trusts a list for the given roles, instead of the other lists.
    pub fn replace(&mut self, roles: &[Role], list: TrustList) {
        for (of, _) in &mut self.lists {
            of.retain(|role| !roles.contains(role));
        }
        self.lists.retain(|(of, _)| !of.is_empty());
        self.add(roles, list);
    }

    /// The lists with their roles.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (&[Role], &TrustList)> {
        self.lists.iter().map(|(roles, list)| (roles.as_slice(), list))
    }

    /// Checks a file against these lists like [`check_with`], and names the lists in the report.
    ///
    /// # Errors
    /// A text that names the certificate that cannot be an anchor.
    pub fn check(
        &self,
        file: &[u8],
        revocations: &Revocations,
        requirements: &Requirements,
        at: OffsetDateTime,
    ) -> Result<Verdict, String> {
        let [seal, seal_timestamps, claim, claim_timestamps] = Role::ALL.map(|role| self.anchors(role));
        let (seal, claim) = (seal?, claim?);
        let (seal_timestamps, claim_timestamps) = (seal_timestamps?, claim_timestamps?);
        let trust = Trust {
            seal: &seal,
            seal_timestamps: &seal_timestamps,
            claim: &claim,
            claim_timestamps: &claim_timestamps,
        };
        let mut verdict = check_with(file, trust, revocations, requirements, at);
        verdict.report.trust = self.trusted();
        Ok(verdict)
    }

    /// The lists in the form of the report.
    #[must_use]
    pub fn trusted(&self) -> Vec<Trusted> {
        self.lists().map(|(roles, list)| Trusted { roles: roles.to_vec(), list: list.clone() }).collect()
    }

    pub(crate) fn anchors(&self, role: Role) -> Result<Anchors, String> {
        let of_role = self.lists().filter(|(roles, _)| roles.contains(&role));
        Anchors::of_certificates(of_role.flat_map(|(_, list)| &list.certificates))
    }
}

/// A list that a check trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trusted {
    /// The roles that the list was trusted for.
    pub roles: Vec<Role>,
    /// The list.
    #[serde(flatten)]
    pub list: TrustList,
}

/// Parses the built-in lists: ICP-Brasil's roots, C2PA's list, C2PA's list of timestamp authorities.
fn built_in_lists() -> Result<[TrustList; 3], String> {
    let [icp_brasil, claim, timestamps] = [ICP_BRASIL, C2PA, C2PA_TIMESTAMPS].map(TrustList::published);
    Ok([icp_brasil?, claim?, timestamps?])
}

/// Serializes the number of certificates only.
fn count<S: serde::Serializer>(certificates: &[Vec<u8>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(certificates.len() as u64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn certificates(store: &TrustStore, role: Role) -> usize {
        let of_role = store.lists().filter(|(roles, _)| roles.contains(&role));
        of_role.map(|(_, list)| list.certificates.len()).sum()
    }

    #[test]
    fn built_in_lists_have_their_metadata() {
        for list in built_in_lists().unwrap() {
            let [date, source] = [list.date.unwrap(), list.source.unwrap()];
            assert!(!list.title.is_empty() && !source.is_empty() && date.starts_with("20"), "{date} {source}");
        }
        let store = TrustStore::built_in().unwrap();
        assert_eq!(Role::ALL.map(|role| certificates(&store, role)), [2, 2, 30, 24]);
        assert!(Role::ALL.iter().all(|role| store.anchors(*role).is_ok()));
    }

    #[test]
    fn seal_roots_match_the_policy() {
        let store = TrustStore::built_in().unwrap();
        let (_, list) = store.lists().find(|(roles, _)| roles.contains(&Role::Seal)).unwrap();
        let names = list.certificates.iter().map(|der| common_name(&Certificate::from_der(der).unwrap()).unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ROOTS_OF_THE_POLICY);
    }

    #[test]
    fn lists_replace_or_join_others() {
        let [icp_brasil, claim, _] = built_in_lists().unwrap();
        let mut store = TrustStore::built_in().unwrap();
        store.replace(&Role::TIMESTAMPS, icp_brasil.clone());
        assert_eq!(Role::ALL.map(|role| certificates(&store, role)), [2, 6, 30, 6]);
        store.add(&Role::ALL, claim);
        assert_eq!(Role::ALL.map(|role| certificates(&store, role)), [32, 36, 60, 36]);
        assert_eq!(certificates(&TrustStore::of(icp_brasil), Role::Claim), 6);
    }

    #[test]
    fn a_list_has_a_certificate() {
        assert!(TrustList::of_file("empty.pem", "").is_err());
        assert_eq!(TrustList::published("-----BEGIN").unwrap_err(), "a list without its title");
    }
}
