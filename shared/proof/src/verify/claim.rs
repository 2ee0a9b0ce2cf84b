//! The claim: it lists every assertion with its hash, and the claim signature is over its bytes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_bytes::ByteBuf;

use crate::{
    assertions::{ASSERTIONS, GENERATOR, SHA_256, SPEC_VERSION},
    jumbf::{AssertionBox, Boxes},
};

/// What is stated of the generator: its name, its version, the specification's version, the C2PA library's version.
const GENERATOR_INFO: [&str; 4] = ["name", "org.contentauth.c2pa_rs", "specVersion", "version"];

/// Version 2 of C2PA's claim.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    #[serde(rename = "instanceID")]
    instance_id: String,
    claim_generator_info: BTreeMap<String, String>,
    signature: String,
    created_assertions: Vec<Listed>,
    gathered_assertions: Vec<Listed>,
    alg: String,
}

/// An assertion as the claim lists it.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Listed {
    url: String,
    hash: ByteBuf,
}

impl Claim {
    /// Checks that this is a claim of a proof, and that every assertion has the hash that it lists.
    pub(super) fn check(&self, boxes: &Boxes<'_>) -> Result<(), String> {
        let generator = |key: &str| self.claim_generator_info.get(key).map(String::as_str);
        if self.alg != SHA_256
            || !self.claim_generator_info.keys().eq(GENERATOR_INFO)
            || generator("name") != Some(GENERATOR)
            || generator("specVersion") != Some(SPEC_VERSION)
            || !self.instance_id.starts_with("xmp:iid:")
            || self.signature != format!("self#jumbf=/c2pa/{}/c2pa.signature", boxes.label)
        {
            return Err("the claim is not one of a Lacre proof".into());
        }
        check_list(&self.created_assertions, &list(&boxes.assertions, true))?;
        check_list(&self.gathered_assertions, &list(&boxes.assertions, false))
    }
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
            return Err(format!("{} is not the assertion that the claim lists", found.url));
        }
    }
    Ok(())
}
