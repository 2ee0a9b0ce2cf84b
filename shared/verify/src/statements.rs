//! The manifest's assertions, decoded.

use ciborium::tag::Required;
use lacre_proof::{
    assertions::{
        ACTIONS, ASSERTIONS, BROWSER, BrowserAssertion, CAPTURE, CREATED, CaptureAssertion, HARD_BINDING, SEAL,
        SealAssertion, VERSION,
    },
    jumbf::Boxes,
};
use serde::Deserialize;
use serde_bytes::ByteBuf;

use super::{claim, decode};

/// A photo taken with a camera.
const DIGITAL_CAPTURE: &str = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture";

/// The one field that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

/// The version of the assertions; `None` where the manifest states none.
fn version(boxes: &Boxes<'_>) -> Option<u64> {
    decode::<Versioned>(CAPTURE, boxes.content(CAPTURE)?).ok().map(|capture| capture.version)
}

/// Whether a manifest says that it is of a version that this verifier does not know yet. Each keeps the form of the boxes, the
/// label of the capture, its version, and its place in the claim: so a byte that was changed makes no newer proof. Nothing else
/// vouches for it.
pub(super) fn are_newer(manifest: &[u8]) -> bool {
    let Ok(boxes) = Boxes::parse(manifest) else { return false };
    version(&boxes).is_some_and(|version| version > VERSION) && claim::lists(&boxes, CAPTURE)
}

/// The five assertions that every proof has.
pub(super) struct Statements {
    pub(super) actions: Actions,
    pub(super) capture: CaptureAssertion,
    pub(super) seal: SealAssertion,
    pub(super) browser: BrowserAssertion,
    pub(super) hard_binding: HardBinding,
}

/// C2PA's list of what happened to the photo: it was created, and that is all.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Actions {
    actions: [Action; 1],
    #[serde(rename = "allActionsIncluded")]
    all_actions_included: bool,
}

/// An action. Its time is CBOR's date-time: RFC 3339 under tag 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    action: String,
    when: Required<String, 0>,
    #[serde(rename = "digitalSourceType")]
    digital_source_type: String,
}

/// C2PA's binding of the manifest to the file: the hash of everything but the manifest's own segments.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HardBinding {
    pub(super) exclusions: [Exclusion; 1],
    pub(super) name: String,
    pub(super) alg: String,
    pub(super) hash: ByteBuf,
    pub(super) pad: ByteBuf,
}

/// Bytes that a hash leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exclusion {
    pub(super) start: u64,
    pub(super) length: u64,
}

impl Statements {
    pub(super) fn read(boxes: &Boxes<'_>) -> Result<Self, String> {
        if version(boxes) != Some(VERSION) {
            return Err(format!("the assertions are not of version {VERSION}"));
        }
        let labels = boxes.assertions.iter().map(|assertion| assertion.label);
        if !labels.eq(ASSERTIONS.map(|(label, _)| label)) {
            return Err("the manifest has other assertions than a Lacre proof".into());
        }
        let content = |label| boxes.content(label).unwrap_or_default();
        Ok(Self {
            actions: decode(ACTIONS, content(ACTIONS))?,
            capture: decode(CAPTURE, content(CAPTURE))?,
            seal: decode(SEAL, content(SEAL))?,
            browser: decode(BROWSER, content(BROWSER))?,
            hard_binding: decode(HARD_BINDING, content(HARD_BINDING))?,
        })
    }
}

impl Actions {
    /// Whether the one action is the creation by a camera at that time, by the service's clock.
    pub(super) fn is_capture_at(&self, ingested_at: &str) -> bool {
        let [action] = &self.actions;
        self.all_actions_included
            && action.action == CREATED
            && action.when.0 == ingested_at
            && action.digital_source_type == DIGITAL_CAPTURE
    }
}
