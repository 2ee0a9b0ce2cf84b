//! Parses the manifest's assertions.

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

/// The IPTC source type of a photo that was taken with a camera.
const DIGITAL_CAPTURE: &str = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture";

/// The only field that is common to all versions.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

/// The version of the assertions; `None` if the manifest states none.
fn version(boxes: &Boxes<'_>) -> Option<u64> {
    decode::<Versioned>(CAPTURE, boxes.content(CAPTURE)?).ok().map(|capture| capture.version)
}

/// Whether a manifest has a newer version of the assertions than this verifier supports. All versions keep the form of
/// the boxes, the label of the capture assertion, its field `version`, and its entry in the claim. So changing a byte
/// of a known version cannot turn it into a newer one; apart from that, nothing about a newer version is verified.
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

/// C2PA's list of actions, which contains only the creation of the photo.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Actions {
    actions: [Action; 1],
    #[serde(rename = "allActionsIncluded")]
    all_actions_included: bool,
}

/// An action. Its time is a CBOR date-time: RFC 3339 under tag 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    action: String,
    when: Required<String, 0>,
    #[serde(rename = "digitalSourceType")]
    digital_source_type: String,
}

/// C2PA's hard binding of the manifest to the file: the hash of everything except the manifest's own segments.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HardBinding {
    pub(super) exclusions: [Exclusion; 1],
    pub(super) name: String,
    pub(super) alg: String,
    pub(super) hash: ByteBuf,
    pub(super) pad: ByteBuf,
}

/// A range of bytes that a hash excludes.
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
            return Err("the manifest does not have exactly the assertions of a Lacre proof".into());
        }
        let content = |label| boxes.content(label).unwrap_or_default();
        let capture: CaptureAssertion = decode(CAPTURE, content(CAPTURE))?;
        if capture.asked_for.as_ref().is_some_and(|asked| !asked.is_well_formed()) {
            return Err(format!("{CAPTURE} names a kit, a version or a step that no kit has"));
        }
        Ok(Self {
            actions: decode(ACTIONS, content(ACTIONS))?,
            capture,
            seal: decode(SEAL, content(SEAL))?,
            browser: decode(BROWSER, content(BROWSER))?,
            hard_binding: decode(HARD_BINDING, content(HARD_BINDING))?,
        })
    }
}

impl Actions {
    /// Whether the only action is the creation by a camera at the given time.
    pub(super) fn is_capture_at(&self, ingested_at: &str) -> bool {
        let [action] = &self.actions;
        self.all_actions_included
            && action.action == CREATED
            && action.when.0 == ingested_at
            && action.digital_source_type == DIGITAL_CAPTURE
    }
}
