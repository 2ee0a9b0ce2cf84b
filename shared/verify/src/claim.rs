//! The claim, which lists every assertion with its hash and is covered by the claim signature.

use std::collections::BTreeMap;

use lacre_proof::{
    assertions::{ASSERTIONS, GENERATOR, SHA_256, SPEC_VERSION},
    jumbf::{AssertionBox, Boxes},
};
use serde::Deserialize;
use serde_bytes::ByteBuf;
use uuid::Uuid;

use super::decode;

/// The keys of the claim generator's info: its name and version, and the versions of the specification and of the C2PA
/// library.
const GENERATOR_INFO: [&str; 4] = ["name", "org.contentauth.c2pa_rs", "specVersion", "version"];

/// Version 2 of C2PA's claim.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimMap {
    #[serde(rename = "instanceID")]
    instance_id: String,
    claim_generator_info: BTreeMap<String, String>,
    signature: String,
    created_assertions: Vec<Listed>,
    gathered_assertions: Vec<Listed>,
    alg: String,
}

/// An assertion in the claim's list.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Listed {
    url: String,
    hash: ByteBuf,
}

/// The fields that claims of all versions have in common.
#[derive(Deserialize)]
struct AnyClaim {
    created_assertions: Vec<Listed>,
}

/// Whether a claim of any version lists the given created assertion with its current hash.
pub(super) fn lists(boxes: &Boxes<'_>, label: &str) -> bool {
    let found = boxes.assertions.iter().filter(|assertion| assertion.label == label).map(listed).next();
    let claim = decode::<AnyClaim>("claim", boxes.claim);
    found.is_some_and(|found| claim.is_ok_and(|claim| claim.created_assertions.contains(&found)))
}

impl ClaimMap {
    /// Checks that this is the claim of a Lacre proof, and that every assertion has the listed hash.
    pub(super) fn check(&self, boxes: &Boxes<'_>) -> Result<(), String> {
        let generator = |key: &str| self.claim_generator_info.get(key).map(String::as_str);
        if self.alg != SHA_256
            || !self.claim_generator_info.keys().eq(GENERATOR_INFO)
            || generator("name") != Some(GENERATOR)
            || generator("specVersion") != Some(SPEC_VERSION)
            || !is_uuid_after("xmp:iid:", &self.instance_id)
            || !is_uuid_after("urn:c2pa:", boxes.label)
            || self.signature != format!("self#jumbf=/c2pa/{}/c2pa.signature", boxes.label)
        {
            return Err("the claim does not have the form of a Lacre claim".into());
        }
        check_list(&self.created_assertions, &list(&boxes.assertions, true))?;
        check_list(&self.gathered_assertions, &list(&boxes.assertions, false))
    }
}

/// Whether a name consists of the prefix and a UUID in canonical lower-case form.
fn is_uuid_after(prefix: &str, name: &str) -> bool {
    let uuid = name.strip_prefix(prefix).and_then(|text| Some((text, Uuid::try_parse(text).ok()?)));
    uuid.is_some_and(|(text, uuid)| uuid.hyphenated().to_string() == text)
}

/// The expected list of the created or of the gathered assertions.
fn list(assertions: &[AssertionBox<'_>], created: bool) -> Vec<Listed> {
    let of_kind = assertions.iter().filter(|assertion| ASSERTIONS.contains(&(assertion.label, created)));
    of_kind.map(listed).collect()
}

/// The expected entry of an assertion in the claim's list.
fn listed(assertion: &AssertionBox<'_>) -> Listed {
    Listed { url: format!("self#jumbf=c2pa.assertions/{}", assertion.label), hash: ByteBuf::from(assertion.hash()) }
}

fn check_list(listed: &[Listed], found: &[Listed]) -> Result<(), String> {
    if listed.len() != found.len() {
        return Err("the claim lists other assertions than the manifest has".into());
    }
    for (listed, found) in listed.iter().zip(found) {
        if listed.url != found.url {
            return Err(format!("the claim does not list {}", found.url));
        }
        if listed.hash != found.hash {
            return Err(format!("{} is not the assertion that the claim lists", found.url));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "9b2c1d7e-4a55-4c0b-8f3e-2d6a1c9e7f00";

    /// Whether a claim with the given instance id is accepted in a manifest with the given label and no assertions.
    fn is_claim(instance_id: &str, label: &str) -> bool {
        let values = [GENERATOR, "0.90.22", SPEC_VERSION, "0.1.0"].map(str::to_owned);
        let claim = ClaimMap {
            instance_id: instance_id.into(),
            claim_generator_info: GENERATOR_INFO.map(str::to_owned).into_iter().zip(values).collect(),
            signature: format!("self#jumbf=/c2pa/{label}/c2pa.signature"),
            created_assertions: Vec::new(),
            gathered_assertions: Vec::new(),
            alg: SHA_256.into(),
        };
        claim.check(&Boxes { label, assertions: Vec::new(), claim: &[], signature: &[] }).is_ok()
    }

    #[test]
    fn manifest_and_instance_are_named_by_uuids() {
        let (instance, label) = (format!("xmp:iid:{UUID}"), format!("urn:c2pa:{UUID}"));
        assert!(is_claim(&instance, &label));
        for other in [
            UUID.to_owned(),
            format!("urn:uuid:{UUID}"),
            format!("{label}:example"),
            label.to_uppercase(),
            label.replace(UUID, &UUID.to_uppercase()),
            label.replace('-', ""),
            label.replace(UUID, ""),
        ] {
            assert!(!is_claim(&instance, &other), "{other}");
            assert!(!is_claim(&other.replace("urn:c2pa", "xmp:iid"), &label), "{other}");
        }
    }
}
