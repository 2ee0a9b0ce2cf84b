//! The claim: it lists every assertion with its hash, and the claim signature is over its bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{
    cbor,
    jumbf::{AssertionBox, Boxes},
};
use crate::{
    assertions::{
        ACTIONS, Actions, BROWSER, Browser, CAPTURE, Capture, HARD_BINDING, HardBinding, SEAL, SHA_256, Seal,
    },
    manifest::GENERATOR,
};

/// The assertions in the order in which they stand, and whether the service vouches for them.
const ASSERTIONS: [(&str, bool); 5] =
    [(ACTIONS, true), (CAPTURE, true), (SEAL, true), (BROWSER, false), (HARD_BINDING, true)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    #[serde(rename = "instanceID")]
    instance_id: String,
    claim_generator_info: BTreeMap<String, String>,
    signature: String,
    created_assertions: Vec<Listed>,
    gathered_assertions: Vec<Listed>,
    alg: String,
}

/// An assertion as the claim lists it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    url: String,
    #[serde(with = "serde_bytes")]
    hash: Vec<u8>,
}

/// The manifest's assertions, decoded.
pub(super) struct Assertions {
    pub(super) actions: Actions,
    pub(super) capture: Capture,
    pub(super) seal: Seal,
    pub(super) browser: Browser,
    pub(super) hard_binding: HardBinding,
}

impl Assertions {
    /// Decodes the five assertions that every proof has.
    pub(super) fn read(boxes: &Boxes<'_>) -> Result<Self, String> {
        let labels = boxes.assertions.iter().map(|assertion| assertion.label);
        if !labels.eq(ASSERTIONS.map(|(label, _)| label)) {
            return Err("the manifest has other assertions than a proof".into());
        }
        let content = |label| boxes.assertions.iter().find(|found| found.label == label).map(|found| found.content);
        Ok(Self {
            actions: decode(ACTIONS, content(ACTIONS))?,
            capture: decode(CAPTURE, content(CAPTURE))?,
            seal: decode(SEAL, content(SEAL))?,
            browser: decode(BROWSER, content(BROWSER))?,
            hard_binding: decode(HARD_BINDING, content(HARD_BINDING))?,
        })
    }
}

/// Checks that the claim is one of a proof and that every assertion has the hash that the claim lists.
pub(super) fn check(boxes: &Boxes<'_>) -> Result<(), String> {
    let claim: Claim = decode("claim", Some(boxes.claim))?;
    if claim.alg != SHA_256
        || claim.claim_generator_info.get("name").is_none_or(|name| name != GENERATOR)
        || !claim.instance_id.starts_with("xmp:iid:")
        || claim.signature != format!("self#jumbf=/c2pa/{}/c2pa.signature", boxes.label)
    {
        return Err("the claim is not one of a proof".into());
    }
    check_list(boxes, &claim.created_assertions, true)?;
    check_list(boxes, &claim.gathered_assertions, false)
}

fn check_list(boxes: &Boxes<'_>, listed: &[Listed], created: bool) -> Result<(), String> {
    let expected: Vec<&AssertionBox<'_>> =
        boxes.assertions.iter().filter(|found| ASSERTIONS.contains(&(found.label, created))).collect();
    if listed.len() != expected.len() {
        return Err("the claim lists other assertions than the manifest has".into());
    }
    for (listed, assertion) in listed.iter().zip(expected) {
        let label = assertion.label;
        if listed.url != format!("self#jumbf=c2pa.assertions/{label}") {
            return Err(format!("the claim does not list {label}"));
        }
        if listed.hash[..] != Sha256::digest(assertion.hashed)[..] {
            return Err(format!("{label} was changed"));
        }
    }
    Ok(())
}

/// Decodes CBOR that is in its one form.
pub(super) fn decode<T: DeserializeOwned>(what: &str, bytes: Option<&[u8]>) -> Result<T, String> {
    let bytes = bytes.ok_or_else(|| format!("no {what}"))?;
    cbor::check(bytes).map_err(|fault| format!("{what}: {fault}"))?;
    ciborium::from_reader(bytes).map_err(|error| format!("{what}: {error}"))
}
