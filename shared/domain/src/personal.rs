//! The personal data of a capture, and the commitments to it in the evidence record.
//!
//! An evidence record never changes, but personal data must be erasable. So the record contains only commitments to the
//! personal fields. The fields themselves are in a separate item that can be erased, together with the salt that opens
//! the commitments.
//!
//! The commitment to a field is `HMAC-SHA-256(field salt, presence ‖ text)`. The field salt is `HMAC-SHA-256(salt,
//! field name)`; the presence byte is 1, or 0 for a missing field, which has no text. One field can thus be disclosed
//! with its field salt without revealing anything about the others, not even whether they are present.

use std::{collections::BTreeMap, fmt};

use hmac::{Hmac, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::Sha256;

use crate::{BrowserClaims, Fingerprint, KeyHash, ReferenceId, Sha256Digest, UserAgent};

/// The personal data of a capture: what the integrator and the browser said about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonalData {
    /// The integrator's reference.
    pub reference_id: ReferenceId,
    /// What the browser claims about the capture.
    #[serde(flatten)]
    pub claims: BrowserClaims,
    /// The `User-Agent` header of the ingest, if it differs from the user agent in the claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_user_agent: Option<UserAgent>,
    /// The fingerprint of the photo, by which a copy of it leads back to this capture; `None` if the license wants none,
    /// or if the picture is too uniform to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

/// The personal item of a capture: everything that an erasure removes from the database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonalItem {
    /// The personal fields.
    #[serde(flatten)]
    pub data: PersonalData,
    /// The salt of the commitments.
    pub salt: Salt,
    /// The hash of the session's token, by which an erasure finds the session while it still exists. The hash does not
    /// open the session.
    pub session: KeyHash,
    /// The id of the manifest (`urn:c2pa:` and a UUID), by which C2PA's clients ask for it. Present together with a
    /// fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_id: Option<String>,
}

impl PersonalItem {
    /// The salt of the capture's transparency log entry, derived like the salt of a field. An erasure removes it with
    /// this item.
    #[must_use]
    pub fn log_salt(&self) -> LogSalt {
        LogSalt(hmac(&self.salt.0, &[b"transparency log"]))
    }

    /// The commitments to the personal fields.
    #[must_use]
    pub fn commitments(&self) -> Commitments {
        Commitments::to(&self.data, &self.salt)
    }

    /// Whether this item is the one that an evidence record commits to. A record from before a field was introduced has
    /// no commitment to that field, and then the item must not contain it.
    #[must_use]
    pub fn opens(&self, commitments: &Commitments) -> bool {
        let Commitments(mut made) = self.commitments();
        for (name, kept, text) in fields(&self.data) {
            if kept == Kept::Later && text.is_none() && !commitments.0.contains_key(name) {
                made.remove(name);
            }
        }
        made == commitments.0
    }
}

/// The salt of a personal item: 32 random bytes. They prevent anyone from finding values by trying them against the
/// commitments.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl Salt {
    /// A new salt from random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(entropy)
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(redacted)")
    }
}

impl Serialize for Salt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        to_hex(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Salt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_hex(deserializer).map(Self)
    }
}

fn to_hex<S: Serializer>(bytes: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(String::deserialize(deserializer)?, &mut bytes)
        .map_err(|_| D::Error::custom("not 32 bytes in hexadecimal"))?;
    Ok(bytes)
}

/// The salt of a transparency log entry: 32 bytes, known to the service and to the holders of proofs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSalt(#[serde(serialize_with = "to_hex", deserialize_with = "from_hex")] [u8; 32]);

impl LogSalt {
    /// The salt that a transparency proof states.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to compute an entry or to write a proof.
    #[must_use]
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for LogSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSalt(redacted)")
    }
}

/// The salted commitments to the personal fields, by field name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Commitments(BTreeMap<String, Sha256Digest>);

impl Commitments {
    /// Computes the commitments to all fields, missing ones included.
    #[must_use]
    pub fn to(data: &PersonalData, salt: &Salt) -> Self {
        let commit = |(name, _, text): Field| {
            let field_salt = hmac(&salt.0, &[name.as_bytes()]);
            let commitment = match text {
                Some(text) => hmac(&field_salt, &[&[1], text.as_bytes()]),
                None => hmac(&field_salt, &[&[0]]),
            };
            (name.to_owned(), Sha256Digest::from_bytes(commitment))
        };
        Self(fields(data).map(commit).collect())
    }
}

/// A personal field: its name, whether every record commits to it, and its text; `None` if the field is missing.
pub(crate) type Field = (&'static str, Kept, Option<String>);

/// Whether a field existed from the beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Every record commits to the field.
    Always,
    /// The field was introduced later: older records have no commitment to it.
    Later,
}

fn fields(data: &PersonalData) -> impl Iterator<Item = Field> {
    let PersonalData { reference_id, claims, header_user_agent, fingerprint } = data;
    let header_user_agent = header_user_agent.as_ref().map(|agent| agent.as_str().to_owned());
    let beside_claims = [
        ("reference_id", Kept::Always, Some(reference_id.as_str().to_owned())),
        ("header_user_agent", Kept::Later, header_user_agent),
        ("fingerprint", Kept::Later, fingerprint.as_ref().map(Fingerprint::hex)),
    ];
    beside_claims.into_iter().chain(claims.fields())
}

fn hmac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC accepts keys of any length.
    #[allow(clippy::expect_used)]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes any key");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;
    use crate::claims::examples::two_claims;

    const HEADER_USER_AGENT: &str = "header_user_agent";

    fn data() -> PersonalData {
        let [claims, _] = two_claims();
        let reference_id = ReferenceId::parse("sinistro-42").unwrap();
        PersonalData { reference_id, claims, header_user_agent: None, fingerprint: None }
    }

    /// Personal data that differ from the others in each field.
    fn other_data() -> PersonalData {
        let [_, claims] = two_claims();
        let header_user_agent = UserAgent::sanitize("x");
        let fingerprint = Some(Fingerprint::from_bytes([7; 32]));
        PersonalData {
            reference_id: ReferenceId::parse("sinistro-43").unwrap(),
            claims,
            header_user_agent,
            fingerprint,
        }
    }

    #[test]
    fn a_commitment_is_what_openssl_computes() {
        // Computed with: printf label | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07, then printf '\x01placa'
        // under that key.
        let Commitments(made) = Commitments::to(&data(), &Salt::from_entropy([7; 32]));
        assert_eq!(made["label"].hex(), LABEL);
        assert_eq!(made["heading"].hex(), NO_HEADING);
    }

    const LABEL: &str = "1164d46157375b89afa993d49378050eb3a02a696b88caf3cb68be09f883614e";
    const NO_HEADING: &str = "771b646fad440010874fd87b06904be4b4dc2cfb1e4f9ac8da951b1fe7a8e484";

    #[test]
    fn commitments_depend_on_value_and_salt() {
        let salt = Salt::from_entropy([7; 32]);
        let made = Commitments::to(&data(), &salt);
        assert_eq!(made, Commitments::to(&data(), &salt));
        let Commitments(salted) = Commitments::to(&data(), &Salt::from_entropy([8; 32]));
        assert!(salted.iter().all(|(name, commitment)| made.0[name] != *commitment), "each depends on the salt");

        let [one, other] = [data(), other_data()].map(|data| serde_json::to_value(data).unwrap());
        let [one, other] = [&one, &other].map(|data| data.as_object().unwrap());
        let stored: BTreeSet<_> = one.keys().chain(other.keys()).collect();
        assert_eq!(stored, made.0.keys().collect(), "each field has a commitment");
        for name in stored {
            let mut changed = one.clone();
            changed.remove(name);
            changed.extend(other.get(name).map(|value| (name.clone(), value.clone())));
            let changed: PersonalData = serde_json::from_value(changed.into()).unwrap();
            let Commitments(others) = Commitments::to(&changed, &salt);
            let differing = made.0.iter().filter(|(name, commitment)| others[*name] != **commitment);
            assert_eq!(
                differing.map(|(name, _)| name).collect::<Vec<_>>(),
                [name],
                "a change is seen in its field only"
            );
        }
    }

    #[test]
    fn an_item_opens_older_commitments_too() {
        let session = KeyHash::of("token");
        let item = PersonalItem { data: data(), salt: Salt::from_entropy([7; 32]), session, manifest_id: None };
        let mut differing = item.clone();
        differing.data.header_user_agent = UserAgent::sanitize("x");
        let (now, then) = (item.commitments(), without(&item, HEADER_USER_AGENT));
        assert!(item.opens(&now) && item.opens(&then));
        assert!(differing.opens(&differing.commitments()));
        for commitments in [&now, &then] {
            assert!(!differing.opens(commitments), "the header's user agent was added later");
        }
        assert!(!item.opens(&differing.commitments()), "the header's user agent was removed later");
        assert!(!item.opens(&without(&item, "heading")), "every other field has a commitment");
        let mut changed = item.clone();
        changed.data.claims.captured_at_ms += 1;
        assert!(!changed.opens(&then));
    }

    /// The commitments to an item, except the commitment to one field.
    fn without(item: &PersonalItem, name: &str) -> Commitments {
        let Commitments(mut made) = item.commitments();
        made.remove(name).unwrap();
        Commitments(made)
    }

    #[test]
    fn omits_a_missing_header_user_agent() {
        let json = serde_json::to_value(data()).unwrap();
        assert!(json.get(HEADER_USER_AGENT).is_none());
        assert_eq!(serde_json::from_value::<PersonalData>(json).unwrap(), data());
    }

    #[test]
    fn a_salt_does_not_show_itself() {
        assert_eq!(format!("{:?}", Salt::from_entropy([7; 32])), "Salt(redacted)");
        assert_eq!(format!("{:?}", LogSalt::from_bytes([7; 32])), "LogSalt(redacted)");
    }
}
