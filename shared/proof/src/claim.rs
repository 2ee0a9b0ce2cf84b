//! The claim: it lists every assertion with its hash, and the claim signature is over its bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::{
    assertions::{ACTIONS, BROWSER, CAPTURE, HARD_BINDING, SEAL, SHA_256},
    jumbf::AssertionBox,
};

/// The assertions of every proof in the order in which they stand, and whether the service vouches for them.
pub(crate) const ASSERTIONS: [(&str, bool); 5] =
    [(ACTIONS, true), (CAPTURE, true), (SEAL, true), (BROWSER, false), (HARD_BINDING, true)];

/// Who makes the claims.
const GENERATOR: &str = "Lacre";
/// The version of the C2PA specification that the manifest follows.
const SPEC_VERSION: &str = "2.2.0";

/// Version 2 of C2PA's claim.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    #[serde(rename = "instanceID")]
    pub(crate) instance_id: String,
    claim_generator_info: BTreeMap<String, String>,
    signature: String,
    created_assertions: Vec<Listed>,
    gathered_assertions: Vec<Listed>,
    alg: String,
}

/// An assertion as the claim lists it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    url: String,
    hash: ByteBuf,
}

impl Claim {
    /// The claim of the manifest with that label over its assertions.
    pub(crate) fn new(manifest: &str, instance_id: String, assertions: &[AssertionBox<'_>]) -> Self {
        let generator = [("name", GENERATOR), ("version", env!("CARGO_PKG_VERSION")), ("specVersion", SPEC_VERSION)];
        Self {
            instance_id,
            claim_generator_info: generator.map(|(name, value)| (name.into(), value.into())).into(),
            signature: signature_url(manifest),
            created_assertions: list(assertions, true),
            gathered_assertions: list(assertions, false),
            alg: SHA_256.into(),
        }
    }

    /// Checks that this is a claim as the service makes it, and that every assertion has the hash that it lists.
    pub(crate) fn check(&self, manifest: &str, assertions: &[AssertionBox<'_>]) -> Result<(), String> {
        if self.alg != SHA_256
            || self.claim_generator_info.get("name").is_none_or(|name| name != GENERATOR)
            || !self.instance_id.starts_with("xmp:iid:")
            || self.signature != signature_url(manifest)
        {
            return Err("the claim is not one of a proof".into());
        }
        check_list(&self.created_assertions, &list(assertions, true))?;
        check_list(&self.gathered_assertions, &list(assertions, false))
    }
}

fn signature_url(manifest: &str) -> String {
    format!("self#jumbf=/c2pa/{manifest}/c2pa.signature")
}

/// The created or the gathered assertions, as a claim lists them.
fn list(assertions: &[AssertionBox<'_>], created: bool) -> Vec<Listed> {
    let of_kind = assertions.iter().filter(|assertion| ASSERTIONS.contains(&(assertion.label, created)));
    let listed = |assertion: &AssertionBox<'_>| Listed {
        url: format!("self#jumbf=c2pa.assertions/{}", assertion.label),
        hash: ByteBuf::from(assertion.hash()),
    };
    of_kind.map(listed).collect()
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
            return Err(format!("{} was changed", found.url));
        }
    }
    Ok(())
}
